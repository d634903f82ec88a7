package riichi_test

import (
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// This file is a second scorer, written for being obviously what the rules say
// and for nothing else. It shares no code with the one it checks.

// group is a set or a pair of a reading.
type group struct {
	shape string // "run", "triplet", "quad" or "pair"
	kinds []int  // one of each kind, lowest first
	open  bool   // laid down with another player's tile, or finished by one
	won   bool   // completed by the winning tile
}

// slowReading is a way to look at the hand: groups, or one of the two shapes
// without.
type slowReading struct {
	groups []group
	shape  string // "sets", "pairs" or "orphans"
}

// slowValue is what a hand is worth, yaku and yakuman by their names.
type slowValue struct {
	shape, win bool
	patterns   map[string]int
	han, fu    int
	yakuman    int
	base       int
	points     int
}

// listing is the order in which the rules list the patterns.
var listing = strings.Fields(`
	riichi double_riichi ippatsu menzen_tsumo pinfu tanyao iipeikou yakuhai_haku yakuhai_hatsu yakuhai_chun
	yakuhai_seat_wind yakuhai_round_wind rinshan_kaihou chankan haitei houtei sanshoku_doujun ittsu chanta
	chiitoitsu toitoi sanankou sankantsu sanshoku_doukou honroutou shousangen honitsu junchan ryanpeikou
	chinitsu renhou dora aka_dora ura_dora
	kokushi_musou kokushi_musou_13 chuuren_poutou junsei_chuuren_poutou tenhou chiihou suuankou
	suuankou_tanki suukantsu ryuuiisou chinroutou tsuuiisou daisangen shousuushii daisuushii nuki_dora`)

func isHonor(k int) bool    { return k >= 27 }
func isTerminal(k int) bool { return k < 27 && (k%9 == 0 || k%9 == 8) }
func isYaochuu(k int) bool  { return isHonor(k) || isTerminal(k) }
func isWind(k int) bool     { return k >= 27 && k <= 30 }
func isDragon(k int) bool   { return k >= 31 }

// slowPrice is what the ruleset says of a pattern.
func slowPrice(cfg *riichi.Config, id string) ruleset.Price {
	return cfg.Patterns[slices.Index(listing, id)]
}

func slowOff(cfg *riichi.Config, id string) bool { return slowPrice(cfg, id).IsOff() }

// slowly values w by looking at every reading.
func slowly(cfg *riichi.Config, w *ruleset.Win) slowValue {
	var best slowValue
	for _, r := range slowReadings(w) {
		if r.shape == "pairs" && slowOff(cfg, "chiitoitsu") || r.shape == "orphans" && slowOff(cfg, "kokushi_musou") {
			continue
		}
		for _, v := range slowScores(cfg, w, r) {
			if !best.shape || v.beats(best) {
				best = v
			}
		}
	}
	return best
}

// beats compares two values of a hand (rule 3.1 and the text of Value).
func (v slowValue) beats(u slowValue) bool {
	if v.win != u.win {
		return v.win
	}
	if v.points != u.points {
		return v.points > u.points
	}
	if (v.yakuman > 0) != (u.yakuman > 0) {
		return v.yakuman > 0
	}
	if v.yakuman > 0 && len(v.patterns) != len(u.patterns) {
		return len(v.patterns) > len(u.patterns)
	}
	if v.han != u.han {
		return v.han > u.han
	}
	if v.fu != u.fu {
		return v.fu > u.fu
	}
	for _, id := range listing {
		_, a := v.patterns[id]
		_, b := u.patterns[id]
		if a != b {
			return a
		}
	}
	return false
}

// slowReadings lists all divisions of the hand, each once for every group the
// winning tile may have completed.
func slowReadings(w *ruleset.Win) []slowReading {
	var laid []group
	for _, m := range w.Melds[:w.NumMelds] {
		k := int(m.Kind)
		switch m.Type {
		case hand.Chi:
			laid = append(laid, group{shape: "run", kinds: []int{k, k + 1, k + 2}, open: true})
		case hand.Pon:
			laid = append(laid, group{shape: "triplet", kinds: []int{k}, open: true})
		case hand.ClosedKan:
			laid = append(laid, group{shape: "quad", kinds: []int{k}})
		default:
			laid = append(laid, group{shape: "quad", kinds: []int{k}, open: true})
		}
	}
	var counts [34]int
	pairs, kinds, yaochuu := 0, 0, 0
	for k := range counts {
		counts[k] = w.Hand.Count(tile.Kind(k))
		if counts[k] > 0 {
			kinds++
			if isYaochuu(k) {
				yaochuu++
			}
		}
		if counts[k] == 2 {
			pairs++
		}
	}
	var readings []slowReading
	if pairs == 7 {
		readings = append(readings, slowReading{shape: "pairs"})
	}
	if w.NumMelds == 0 && kinds == 13 && yaochuu == 13 {
		readings = append(readings, slowReading{shape: "orphans"})
	}
	for k := range counts {
		if counts[k] < 2 {
			continue
		}
		counts[k] -= 2
		for _, sets := range slowSets(counts) {
			groups := append(slices.Clone(laid), group{shape: "pair", kinds: []int{k}})
			groups = append(groups, sets...)
			for i := len(laid); i < len(groups); i++ {
				if !slices.Contains(groups[i].kinds, int(w.Tile)) {
					continue
				}
				placed := slices.Clone(groups)
				placed[i].won = true
				placed[i].open = !w.SelfDraw
				readings = append(readings, slowReading{placed, "sets"})
			}
		}
		counts[k] += 2
	}
	return readings
}

// slowSets lists all ways to divide the tiles into triplets and runs.
func slowSets(counts [34]int) [][]group {
	k := 0
	for k < 34 && counts[k] == 0 {
		k++
	}
	if k == 34 {
		return [][]group{nil}
	}
	var ways [][]group
	if counts[k] >= 3 {
		rest := counts
		rest[k] -= 3
		for _, way := range slowSets(rest) {
			ways = append(ways, append(way, group{shape: "triplet", kinds: []int{k}}))
		}
	}
	if k < 27 && k%9 < 7 && counts[k+1] > 0 && counts[k+2] > 0 {
		rest := counts
		rest[k]--
		rest[k+1]--
		rest[k+2]--
		for _, way := range slowSets(rest) {
			ways = append(ways, append(way, group{shape: "run", kinds: []int{k, k + 1, k + 2}}))
		}
	}
	return ways
}

// slowScores returns the value of a reading, and that of a flat renhou where
// there is one.
func slowScores(cfg *riichi.Config, w *ruleset.Win, r slowReading) []slowValue {
	closed := true
	for _, m := range w.Melds[:w.NumMelds] {
		if m.Type != hand.ClosedKan {
			closed = false
		}
	}
	human := w.Flags&ruleset.FlagHuman != 0 && closed && !w.SelfDraw
	var all []slowValue
	human = human && !slowOff(cfg, "renhou")
	if human && cfg.Renhou == riichi.RenhouFlat {
		v := slowValue{shape: true, win: 5 >= cfg.MinWin, patterns: map[string]int{"renhou": 5}, han: 5, base: 2000}
		v.points = slowPoints(cfg, v.base, w)
		all = append(all, v)
	}
	if v := slowYakuman(cfg, w, r, human); v.yakuman > 0 {
		return append(all, v)
	}

	v := slowValue{shape: true, patterns: slowYaku(cfg, w, r, closed, human)}
	if v.patterns["pinfu"] > 0 && w.SelfDraw {
		v.fu = 20
	} else {
		v.fu = slowFu(cfg, w, r, closed)
	}
	for _, n := range v.patterns {
		v.han += n
	}
	v.win = v.han >= cfg.MinWin && !slowOrphansAlone(cfg, w)
	for id, n := range slowBonus(cfg, w) {
		if n > 0 {
			v.patterns[id] = n
			v.han += n
		}
	}
	v.han = min(v.han, 255) // as far as Value.Han counts
	v.base = slowBase(cfg, v.han, v.fu)
	v.points = slowPoints(cfg, v.base, w)
	return append(all, v)
}

// slowTiles lists the kinds of all tiles of the hand.
func slowTiles(w *ruleset.Win) []int {
	var tiles []int
	for k := range 34 {
		for range w.Hand.Count(tile.Kind(k)) {
			tiles = append(tiles, k)
		}
	}
	for _, m := range w.Melds[:w.NumMelds] {
		k := int(m.Kind)
		switch m.Type {
		case hand.Chi:
			tiles = append(tiles, k, k+1, k+2)
		case hand.Pon:
			tiles = append(tiles, k, k, k)
		default:
			tiles = append(tiles, k, k, k, k)
		}
	}
	return tiles
}

// every reports whether a condition holds for all.
func every[T any](list []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !ok(v) })
}

func slowBonus(cfg *riichi.Config, w *ruleset.Win) map[string]int {
	count := func(indicators []tile.Kind) int {
		n := 0
		for _, i := range indicators {
			d := int(i) + 1
			switch i {
			case 8, 17, 26:
				d = int(i) - 8
			case 0:
				if cfg.TileSet == ruleset.NoMiddleCharacters {
					d = 8
				}
			case tile.North:
				d = int(tile.East)
			case tile.Red:
				d = int(tile.White)
			}
			for _, k := range slowTiles(w) {
				if k == d {
					n++
				}
			}
			if d == int(tile.North) && cfg.KitaAlsoDora {
				n += int(w.Norths)
			}
		}
		return n
	}
	bonus := map[string]int{
		"dora":     count(w.Indicators[:w.NumIndicators]),
		"aka_dora": int(w.Reds), "nuki_dora": int(w.Norths),
	}
	if cfg.UraDora && w.Flags&(ruleset.FlagRiichi|ruleset.FlagDoubleRiichi) != 0 {
		ura := w.Ura[:w.NumUra]
		if !cfg.KanUraDora && len(ura) > 1 {
			ura = ura[:1]
		}
		bonus["ura_dora"] = count(ura)
	}
	for id, n := range bonus {
		if price := slowPrice(cfg, id); price.IsOff() {
			bonus[id] = 0
		} else if price.IsGiven() {
			bonus[id] = n * int(price.Closed)
		}
	}
	return bonus
}

// slowYaku is the table of ordinary yaku.
func slowYaku(cfg *riichi.Config, w *ruleset.Win, r slowReading, closed, human bool) map[string]int {
	yaku := map[string]int{}
	add := func(id string, closedHan, openHan int, holds bool) {
		price := slowPrice(cfg, id)
		if price.IsGiven() {
			closedHan = int(price.Closed)
			if openHan > 0 {
				openHan = int(price.Open)
			}
		}
		han := openHan
		if closed {
			han = closedHan
		}
		if price.IsOff() {
			han = 0
		}
		if holds && han > 0 {
			yaku[id] = han
		}
	}
	has := func(f ruleset.Flags) bool { return w.Flags&f != 0 }
	tiles := slowTiles(w)
	honors := slices.ContainsFunc(tiles, isHonor)
	suits := map[int]bool{}
	for _, k := range tiles {
		if !isHonor(k) {
			suits[k/9] = true
		}
	}
	var runs, triplets, concealed, quads []group
	var pair group
	for _, g := range r.groups {
		switch g.shape {
		case "run":
			runs = append(runs, g)
		case "pair":
			pair = g
		default:
			triplets = append(triplets, g)
			if !g.open {
				concealed = append(concealed, g)
			}
			if g.shape == "quad" {
				quads = append(quads, g)
			}
		}
	}
	run := func(first int) bool {
		return slices.ContainsFunc(runs, func(g group) bool { return g.kinds[0] == first })
	}
	triplet := func(k int) bool {
		return slices.ContainsFunc(triplets, func(g group) bool { return g.kinds[0] == k })
	}
	seat, round := 27+int(w.SeatWind), 27+int(w.RoundWind)

	double := has(ruleset.FlagDoubleRiichi) && !slowOff(cfg, "double_riichi")
	add("riichi", 1, 0, has(ruleset.FlagRiichi|ruleset.FlagDoubleRiichi) && !double)
	add("double_riichi", 2, 0, has(ruleset.FlagDoubleRiichi))
	add("ippatsu", 1, 0, has(ruleset.FlagIppatsu))
	add("menzen_tsumo", 1, 0, w.SelfDraw)
	tanyaoOpen := 0
	if cfg.Kuitan {
		tanyaoOpen = 1
	}
	add("tanyao", 1, tanyaoOpen, !slices.ContainsFunc(tiles, isYaochuu))
	add("rinshan_kaihou", 1, 1, has(ruleset.FlagAfterKan) || has(ruleset.FlagAfterKita) && cfg.KitaRinshan)
	add("chankan", 1, 1, has(ruleset.FlagRobbingKan) || has(ruleset.FlagRobbingKita) && cfg.RobKitaYaku)
	add("haitei", 1, 1, has(ruleset.FlagLastTile) && w.SelfDraw)
	add("houtei", 1, 1, has(ruleset.FlagLastTile) && !w.SelfDraw)
	add("honroutou", 2, 2, every(tiles, isYaochuu) && honors && slices.ContainsFunc(tiles, isTerminal))
	add("honitsu", 3, 2, len(suits) == 1 && honors)
	add("chinitsu", 6, 5, len(suits) == 1 && !honors)
	add("renhou", 5, 0, human && cfg.Renhou == riichi.RenhouCumulative)
	add("chiitoitsu", 2, 0, r.shape == "pairs")
	if r.shape != "sets" {
		return yaku
	}

	add("pinfu", 1, 0, len(runs) == 4 && slowWait(w, r) == "ryanmen" && !isDragon(pair.kinds[0]) &&
		pair.kinds[0] != seat && pair.kinds[0] != round && (cfg.PinfuTsumo || !w.SelfDraw))
	twins := 0
	for first := range 27 {
		n := 0
		for _, g := range runs {
			if g.kinds[0] == first {
				n++
			}
		}
		twins += n / 2
	}
	add("iipeikou", 1, 0, twins == 1 || twins == 2 && slowOff(cfg, "ryanpeikou"))
	add("ryanpeikou", 3, 0, twins == 2)
	add("yakuhai_haku", 1, 1, triplet(31))
	add("yakuhai_hatsu", 1, 1, triplet(32))
	add("yakuhai_chun", 1, 1, triplet(33))
	add("yakuhai_seat_wind", 1, 1, triplet(seat))
	add("yakuhai_round_wind", 1, 1, triplet(round))
	for n := range 9 {
		add("sanshoku_doujun", 2, 1, run(n) && run(9+n) && run(18+n))
		add("sanshoku_doukou", 2, 2, triplet(n) && triplet(9+n) && triplet(18+n))
	}
	for s := 0; s < 27; s += 9 {
		add("ittsu", 2, 1, run(s) && run(s+3) && run(s+6))
	}
	outside := every(r.groups, func(g group) bool { return slices.ContainsFunc(g.kinds, isYaochuu) })
	add("chanta", 2, 1, outside && len(runs) > 0 && honors)
	add("junchan", 3, 2, outside && len(runs) > 0 && !honors)
	add("toitoi", 2, 2, len(triplets) == 4)
	// A hand of four that counts as such is no longer asked.
	add("sanankou", 2, 2, len(concealed) >= 3)
	add("sankantsu", 2, 2, len(quads) >= 3)
	dragons := 0
	for k := 31; k <= 33; k++ {
		if triplet(k) {
			dragons++
		}
	}
	add("shousangen", 2, 2, dragons == 2 && isDragon(pair.kinds[0]))
	return yaku
}

// slowYakuman is the table of yakuman.
func slowYakuman(cfg *riichi.Config, w *ruleset.Win, r slowReading, human bool) slowValue {
	double := map[string]bool{}
	for i, id := range []string{"daisuushii", "suuankou_tanki", "junsei_chuuren_poutou", "kokushi_musou_13"} {
		double[id] = cfg.DoubleYakuman>>i&1 != 0
	}
	v := slowValue{shape: true, patterns: map[string]int{}}
	most, sum := 0, 0
	add := func(id string, holds bool) {
		price := slowPrice(cfg, id)
		if !holds || price.IsOff() {
			return
		}
		n := 1
		if double[id] {
			n = 2
		}
		if price.IsGiven() {
			n = int(price.Closed)
		}
		v.patterns[id] = n
		most, sum = max(most, n), sum+n
	}
	tiles := slowTiles(w)
	before := slices.Clone(tiles) // without the winning tile
	before = slices.Delete(before, slices.Index(before, int(w.Tile)), slices.Index(before, int(w.Tile))+1)
	slices.Sort(before)

	if r.shape == "orphans" {
		thirteen := len(slices.Compact(slices.Clone(before))) == 13
		add("kokushi_musou_13", thirteen)
		add("kokushi_musou", !thirteen || slowOff(cfg, "kokushi_musou_13"))
	}
	if w.NumMelds == 0 {
		for s := 0; s < 27; s += 9 {
			var gates []int
			for _, r := range []int{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8} {
				gates = append(gates, s+r)
			}
			pure := slices.Equal(before, gates)
			nine := false
			for extra := range 9 {
				full := append(slices.Clone(gates), s+extra)
				slices.Sort(full)
				now := slices.Clone(tiles)
				slices.Sort(now)
				nine = nine || slices.Equal(now, full)
			}
			add("junsei_chuuren_poutou", nine && pure)
			add("chuuren_poutou", nine && (!pure || slowOff(cfg, "junsei_chuuren_poutou")))
		}
	}
	add("tenhou", w.Flags&ruleset.FlagHeavenly != 0)
	add("chiihou", w.Flags&ruleset.FlagEarthly != 0)
	add("renhou", human && cfg.Renhou == riichi.RenhouYakuman)
	concealed, quads, dragons, winds := 0, 0, 0, 0
	tanki, windPair := false, false
	for _, g := range r.groups {
		k := g.kinds[0]
		switch g.shape {
		case "pair":
			tanki, windPair = g.won, isWind(k)
		case "quad", "triplet":
			if !g.open {
				concealed++
			}
			if g.shape == "quad" {
				quads++
			}
			if isDragon(k) {
				dragons++
			}
			if isWind(k) {
				winds++
			}
		}
	}
	add("suuankou_tanki", concealed == 4 && tanki)
	add("suuankou", concealed == 4 && (!tanki || slowOff(cfg, "suuankou_tanki")))
	add("suukantsu", quads == 4)
	add("ryuuiisou", every(tiles, func(k int) bool { return slices.Contains([]int{19, 20, 21, 23, 25, 32}, k) }))
	add("chinroutou", every(tiles, isTerminal))
	add("tsuuiisou", every(tiles, isHonor))
	add("daisangen", dragons == 3)
	add("shousuushii", winds == 3 && windPair)
	add("daisuushii", winds == 4)

	v.yakuman = most
	if cfg.YakumanStacking {
		v.yakuman = sum
	}
	v.win = v.yakuman > 0 && (!slowOrphansAlone(cfg, w) || r.shape == "orphans")
	v.base = 8000 * v.yakuman
	v.points = slowPoints(cfg, v.base, w)
	return v
}

// slowWait names the wait that the winning tile completed.
func slowWait(w *ruleset.Win, r slowReading) string {
	i := slices.IndexFunc(r.groups, func(g group) bool { return g.won })
	g := r.groups[i]
	switch {
	case g.shape == "pair":
		return "tanki"
	case g.shape == "triplet":
		return "shanpon"
	case int(w.Tile) == g.kinds[1]:
		return "kanchan"
	case int(w.Tile) == g.kinds[2] && isTerminal(g.kinds[0]), int(w.Tile) == g.kinds[0] && isTerminal(g.kinds[2]):
		return "penchan"
	}
	return "ryanmen"
}

// slowFu adds up fu, but for a pinfu by self-draw (rule 4).
func slowFu(cfg *riichi.Config, w *ruleset.Win, r slowReading, closed bool) int {
	if r.shape == "pairs" {
		return 25
	}
	fu := 20
	if closed && !w.SelfDraw {
		fu += 10
	}
	for _, g := range r.groups {
		k := g.kinds[0]
		switch g.shape {
		case "triplet", "quad":
			n := 2
			if isYaochuu(k) {
				n *= 2
			}
			if !g.open {
				n *= 2
			}
			if g.shape == "quad" {
				n *= 4
			}
			fu += n
		case "pair":
			seat, round := k == 27+int(w.SeatWind), k == 27+int(w.RoundWind)
			if seat && round {
				fu += cfg.DoubleWindFu
			} else if seat || round || isDragon(k) {
				fu += 2
			}
		}
	}
	switch slowWait(w, r) {
	case "kanchan", "penchan", "tanki":
		fu += 2
	}
	if w.SelfDraw {
		if w.Flags&ruleset.FlagAfterKan != 0 || w.Flags&ruleset.FlagAfterKita != 0 && cfg.KitaRinshan {
			fu += cfg.RinshanTsumoFu
		} else {
			fu += 2
		}
	}
	if !closed && fu == 20 {
		fu = cfg.OpenMinFu
	}
	for fu%10 != 0 {
		fu++
	}
	return fu
}

// slowBase is rules 5.1 and 5.2, or the table; a hand without any han has no worth.
func slowBase(cfg *riichi.Config, han, fu int) int {
	if table := cfg.PointsTable.List[:cfg.PointsTable.Len]; len(table) > han {
		return int(table[han])
	} else if len(table) > 0 {
		return int(table[len(table)-1])
	}
	switch {
	case han == 0:
		return 0
	case han < 5:
		base := fu
		for range han + 2 {
			base *= 2
		}
		// 4 han 30 fu and 3 han 60 fu (S4 5.2); with prices of a ruleset's own 2 han 120 fu too.
		if cfg.Kiriage && base == 1920 {
			return 2000
		}
		return min(base, 2000)
	case han == 5:
		return 2000
	case han <= 7:
		return 3000
	case han <= 10:
		return 4000
	case han >= 13 && cfg.Counted == riichi.CountedYakuman:
		return 8000
	}
	return 6000
}

// hundreds rounds up to a multiple of 100.
func hundreds(x int) int {
	for x%100 != 0 {
		x++
	}
	return x
}

// slowOrphansAlone reports whether no hand but thirteen orphans may win on the tile.
func slowOrphansAlone(cfg *riichi.Config, w *ruleset.Win) bool {
	return w.Flags&ruleset.FlagRobbingClosedKan != 0 || w.Flags&ruleset.FlagRobbingKita != 0 && cfg.RobKita == ruleset.RobKitaOrphans
}

// slowShare is what one payer of a self-draw pays (rule 5.3; SM 11.1).
func slowShare(cfg *riichi.Config, base int, winnerDeals, payerDeals bool) int {
	share := hundreds(base)
	if winnerDeals || payerDeals {
		share = hundreds((2 + cfg.DealerFactor) * base)
	}
	if cfg.NumSeats() == 3 && cfg.SelfDrawGap == riichi.GapShared {
		missing := hundreds(base)
		if winnerDeals {
			missing = hundreds((2 + cfg.DealerFactor) * base)
		}
		share += hundreds((missing + 1) / 2)
	}
	return share
}

func slowPoints(cfg *riichi.Config, base int, w *ruleset.Win) int {
	dealer := w.SeatWind == 0
	each := w.SelfDraw || cfg.RonPayment == riichi.EachPays
	double := 2 + cfg.DealerFactor
	switch {
	case each && cfg.NumSeats() == 3:
		return slowShare(cfg, base, dealer, true) + slowShare(cfg, base, dealer, false)
	case each:
		return slowShare(cfg, base, dealer, true) + 2*slowShare(cfg, base, dealer, false)
	case dealer:
		return hundreds(3 * double * base)
	}
	return hundreds((double + 2) * base)
}

// slowSettle returns the change of points of every chair and, last, of the pot.
func slowSettle(cfg *riichi.Config, s *ruleset.Settlement) [ruleset.NumPlayers + 1]int {
	var net [ruleset.NumPlayers + 1]int
	sticks := s.Deposits
	for i := range s.NumWinners {
		w := &s.Winners[i]
		pay := func(from ruleset.Chair, amount int) {
			net[from] -= amount
			net[w.Chair] += amount
		}
		honba := cfg.HonbaValue * s.Counter
		if i > 0 && cfg.HonbaMultiRon == riichi.HonbaNearest {
			honba = 0
		}
		slowPay(cfg, s, w, honba, pay)
		if cfg.DepositsMultiRon == riichi.OwnDepositBack && s.Sticks.Has(w.Chair) {
			sticks--
			pay(ruleset.Pot, cfg.RiichiStick)
		}
	}
	first := s.Winners[0].Chair
	net[first] += cfg.RiichiStick * sticks
	net[ruleset.Pot] -= cfg.RiichiStick * sticks
	return net
}

// slowPay is rules 5.3, 5.5 and 5.6 for one winner.
func slowPay(cfg *riichi.Config, s *ruleset.Settlement, w *ruleset.Winner, honba int, pay func(ruleset.Chair, int)) {
	double := 2 + cfg.DealerFactor
	m := 2 + double
	if w.Chair == s.Dealer {
		m = 3 * double
	}
	// Who covers which part of the hand, the earliest liability first.
	type part struct {
		liable ruleset.Chair
		base   int
		order  uint8
	}
	var parts []part
	for bit, id := range []string{"daisangen", "daisuushii", "suukantsu"} {
		for _, p := range w.Value.Patterns[:w.Value.NumPatterns] {
			if listing[p.Pattern] == id && w.Liable[bit] != ruleset.NoChair {
				parts = append(parts, part{w.Liable[bit], 8000 * int(p.Points), w.LiableOrder[bit]})
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return int(a.order) - int(b.order) })
	total := int(w.Value.Base)
	rest := total
	if len(parts) > 0 {
		first := parts[0].liable
		switch {
		case !cfg.YakumanStacking, cfg.PaoScope == riichi.PaoWholeHand && cfg.PaoMultiple == riichi.PaoFirstOnly:
			parts = []part{{liable: first, base: total}}
		case cfg.PaoMultiple == riichi.PaoFirstOnly:
			sum := 0
			for _, p := range parts {
				sum += p.base
			}
			parts = []part{{liable: first, base: sum}}
		case cfg.PaoScope == riichi.PaoWholeHand:
			// Each covers an own yakuman; nobody but the first can cover what is left.
			for _, p := range parts[1:] {
				total -= p.base
			}
			parts[0].base = total
		}
		for _, p := range parts {
			rest -= p.base
		}
	}
	var others []ruleset.Chair
	for c := range ruleset.Chair(cfg.NumSeats()) {
		if c != w.Chair {
			others = append(others, c)
		}
	}
	dealt := w.Chair == s.Dealer
	if s.From == ruleset.NoChair {
		feeder := ruleset.NoChair
		if cfg.RinshanPao {
			feeder = w.Liable[ruleset.NumLiabilities-1]
		}
		for _, p := range parts {
			for _, c := range others { // the liable player pays what they would
				pay(p.liable, slowShare(cfg, p.base, dealt, c == s.Dealer))
			}
		}
		for _, c := range others {
			share := slowShare(cfg, rest, dealt, c == s.Dealer)
			if feeder != ruleset.NoChair {
				pay(feeder, share)
			} else {
				pay(c, share)
			}
			switch {
			case len(parts) > 0:
				pay(parts[0].liable, honba/len(others))
			case feeder != ruleset.NoChair:
				pay(feeder, honba/len(others))
			default:
				pay(c, honba/len(others))
			}
		}
		return
	}
	for _, p := range parts {
		covered := m * p.base
		if cfg.RonPayment == riichi.EachPays {
			covered = 0
			for _, c := range others {
				covered += slowShare(cfg, p.base, dealt, c == s.Dealer)
			}
		}
		pay(p.liable, covered/2)
		pay(s.From, covered/2)
	}
	if cfg.RonPayment == riichi.DiscarderPays {
		pay(s.From, hundreds(m*rest))
	} else {
		for _, c := range others {
			pay(c, slowShare(cfg, rest, dealt, c == s.Dealer))
		}
	}
	if len(parts) > 0 && cfg.PaoHonbaOnRon == riichi.PaoHonbaLiable {
		pay(parts[0].liable, honba)
	} else {
		pay(s.From, honba)
	}
}
