package taiwanese_test

import (
	"cmp"
	"slices"
	"strconv"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/taiwanese"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// The second scorer: readings as lists of units, and one plain condition for each row of the
// table. It shares no code with the first.

// row is a line of the table of patterns.
type row struct {
	number     int
	id, native string
	tai        int
	off        bool // in the preset
}

func readTable(t testing.TB) (table []row) {
	t.Helper()
	for f := range rulestest.Table(t, "testdata/patterns.tsv") {
		table = append(table, row{f.Int(0), f[1], f[2], f.Int(3), f[4] == "off"})
	}
	return table
}

// counted is a pattern of a value with its tai.
type counted struct {
	at  int // in the table
	id  string
	tai int
}

// result is what a scorer finds.
type result struct {
	shape, ok, flowerWin bool
	patterns             []counted
	tai, points, items   int
}

// oracle is the second scorer for a configuration.
type oracle struct {
	cfg   *taiwanese.Config
	table []row
}

func (o *oracle) exists(id string) bool {
	i := slices.IndexFunc(o.table, func(r row) bool { return r.id == id })
	return !o.cfg.Patterns[i].IsOff()
}

// price returns the tai of a pattern.
func (o *oracle) price(id string) int {
	i := slices.IndexFunc(o.table, func(r row) bool { return r.id == id })
	switch p := o.cfg.Patterns[i]; {
	case p.IsGiven():
		return int(p.Closed)
	case id == "dealer":
		return o.cfg.DealerItem
	}
	return o.table[i].tai
}

// tally is how often each pattern of a reading counts.
type tally map[string]int

// put counts a pattern that exists.
func (o *oracle) put(n tally, id string, times int) {
	if times > 0 && o.exists(id) {
		n[id] += times
	}
}

// list returns the patterns of a tally in the order of the table.
func (o *oracle) list(n tally) (list []counted) {
	for i, r := range o.table {
		if n[r.id] > 0 {
			list = append(list, counted{i, r.id, n[r.id] * o.price(r.id)})
		}
	}
	return list
}

func sum(list []counted) (n int) {
	for _, c := range list {
		n += c.tai
	}
	return n
}

// value scores a hand by the best of its readings.
func (o *oracle) value(w *ruleset.Win) result {
	if flowers := w.Flags & anyFlowerWin; flowers != 0 {
		items := 0
		if o.cfg.FlowerWinDealer {
			items = 1
		}
		return o.pay(w, result{shape: true, flowerWin: true, patterns: o.readings(w)[0], items: items})
	}
	var best result
	for _, list := range o.readings(w) {
		if !best.shape || sum(list) > sum(best.patterns) {
			best = result{shape: true, patterns: list, items: 1}
		}
	}
	if !best.shape {
		return best
	}
	return o.pay(w, best)
}

const anyFlowerWin = ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8

// readings returns the patterns of each reading.
func (o *oracle) readings(w *ruleset.Win) (lists [][]counted) {
	switch w.Flags & anyFlowerWin {
	case ruleset.FlagFlowerWin7:
		n := tally{}
		o.put(n, "seven_rob_one", 1)
		return [][]counted{o.list(n)}
	case ruleset.FlagFlowerWin8:
		n := tally{}
		o.put(n, "two_flower_sets", 1)
		return [][]counted{o.list(n)}
	}
	waits := o.waits(w)
	for _, units := range rulestest.Readings(w, !o.cfg.DiscardOpensMeld) {
		lists = append(lists, o.list(o.standard(w, units, waits)))
	}
	if o.exists("lik_gu") && isLikGu(w) {
		lists = append(lists, o.list(o.likGu(w)))
	}
	return lists
}

// is reports whether the patterns are those of a reading with the most tai, or none are and
// there is no reading.
func (o *oracle) is(w *ruleset.Win, patterns []counted) bool {
	patterns = slices.DeleteFunc(slices.Clone(patterns), func(c counted) bool { return c.id == "dealer" })
	lists := o.readings(w)
	most := 0
	for _, list := range lists {
		most = max(most, sum(list))
	}
	return len(lists) == 0 && len(patterns) == 0 ||
		slices.ContainsFunc(lists, func(list []counted) bool { return sum(list) == most && slices.Equal(list, patterns) })
}

// isLikGu reports whether a hand is seven pairs and a triplet, four of a kind being two pairs
// (5.2).
func isLikGu(w *ruleset.Win) bool {
	triplets, tiles := 0, 0
	for _, n := range w.Hand.Counts() {
		if n == 1 {
			return false
		}
		if n == 3 {
			triplets++
		}
		tiles += int(n)
	}
	return tiles == 17 && triplets == 1
}

// waits returns how many kinds would have completed the hand, those of which the player had
// all four left out.
func (o *oracle) waits(w *ruleset.Win) (n int) {
	before := *w
	before.Hand.Remove(w.Tile)
	for k := range tile.Kind(tile.NumKinds) {
		held := before.Hand.Count(k)
		for _, m := range w.Melds[:w.NumMelds] {
			held += m.Count(k)
		}
		if held >= 4 {
			continue
		}
		full := before
		full.Hand.Add(k)
		full.Tile = k
		if len(rulestest.Readings(&full, false)) > 0 || o.exists("lik_gu") && isLikGu(&full) {
			n++
		}
	}
	return n
}

// manner counts what does not depend on the reading (rows 2 to 4, 11 to 18, 31 to 37, 39, 40).
// A reading in which something implies a concealed hand is not concealed.
func (o *oracle) manner(w *ruleset.Win, implied bool) tally {
	n := tally{}
	is := func(f ruleset.Flags, id string) bool {
		if w.Flags&f != 0 {
			o.put(n, id, 1)
		}
		return n[id] > 0
	}
	if (is(ruleset.FlagReadyHeaven, "ready_heaven") || is(ruleset.FlagReadyEarth, "ready_earth") ||
		is(ruleset.FlagReadyHuman, "ready_early")) && !o.cfg.ReadyKeeps {
		implied = true
	}
	is(ruleset.FlagReady, "ready")
	drawn := w.SelfDraw
	if (is(ruleset.FlagHeavenly, "heavenly_win") || is(ruleset.FlagEarthly, "earthly_win")) && !o.cfg.FirstWinKeeps {
		implied, drawn = true, false
	}
	if !w.SelfDraw && is(ruleset.FlagHuman, "human_win") && !o.cfg.FirstWinKeeps {
		implied = true
	}
	is(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan, "robbing_kong")
	if kong, flower := is(ruleset.FlagAfterKan, "kong_draw"), is(ruleset.FlagAfterFlower, "flower_draw"); (kong || flower) && !o.cfg.TailKeepsDraw {
		drawn = false
	}
	is(ruleset.FlagLastTile, "last_tile")
	hidden := !implied
	for _, m := range w.Melds[:w.NumMelds] {
		switch {
		case m.Type == hand.ClosedKan && o.cfg.ConcealedKongs != ruleset.KongsNone:
		case m.Type == hand.OpenKan && o.cfg.ConcealedKongs == ruleset.KongsAny:
		default:
			hidden = false
		}
		if m.Type.IsKan() {
			o.put(n, "kong", 1)
		}
	}
	// Concealed self-draw stands for both; what takes self_draw away leaves it.
	switch {
	case hidden && w.SelfDraw && o.exists("concealed_self_draw"):
		o.put(n, "concealed_self_draw", 1)
	default:
		if hidden {
			o.put(n, "concealed", 1)
		}
		if drawn {
			o.put(n, "self_draw", 1)
		}
	}
	o.flowers(w, n)
	return n
}

// flowers counts rows 11, 12 and 39.
func (o *oracle) flowers(w *ruleset.Win, n tally) {
	for set := range 2 {
		held, own := 0, 0
		for i := range 4 {
			if w.Flowers>>(4*set+i)&1 == 1 {
				held++
				if i == int(w.SeatWind) {
					own = 1
				}
			}
		}
		o.put(n, "flower", held)
		if held == 4 {
			o.put(n, "one_flower_set", 1)
		}
		if held < 4 || o.cfg.SetKeepsProper {
			o.put(n, "proper_flower", own)
		}
	}
}

// suits counts rows 24 and 25 and reports whether all tiles are honors.
func (o *oracle) suits(w *ruleset.Win, n tally) bool {
	suits, honors := map[int]bool{}, 0
	for _, k := range rulestest.Tiles(w) {
		if rulestest.IsHonor(k) {
			honors = 1
		} else {
			suits[k/9] = true
		}
	}
	if len(suits) == 1 {
		o.put(n, "half_flush", honors)
		o.put(n, "full_flush", 1-honors)
	}
	if len(suits) == 0 {
		o.put(n, "all_honors", 1)
	}
	return len(suits) == 0
}

// likGu counts row 38.
func (o *oracle) likGu(w *ruleset.Win) tally {
	n := o.manner(w, true)
	o.put(n, "lik_gu", 1)
	o.suits(w, n)
	return n
}

// standard counts a reading as five sets and a pair.
func (o *oracle) standard(w *ruleset.Win, units []rulestest.Unit, waits int) tally {
	var won rulestest.Unit
	pair, triplets, hidden, dragons, winds := -1, 0, 0, 0, 0
	kinds := map[int]bool{} // of triplets
	for _, u := range units {
		if u.Won {
			won = u
		}
		switch {
		case u.Form == "pair":
			pair = u.Kind
		case u.IsTriplet():
			kinds[u.Kind] = true
			triplets++
			if u.Concealed {
				hidden++
			}
			if u.Kind >= 31 {
				dragons++
			} else if u.Kind >= 27 {
				winds++
			}
		}
	}
	five := hidden == 5 && o.exists("concealed_pungs_5")
	n := o.manner(w, five && !o.cfg.FivePungsKeep)
	for hidden >= 3 && !o.exists("concealed_pungs_"+strconv.Itoa(hidden)) {
		hidden--
	}
	if hidden >= 3 {
		o.put(n, "concealed_pungs_"+strconv.Itoa(hidden), 1)
	}
	allHonors := o.suits(w, n) && o.exists("all_honors")
	if triplets == 5 && (!five || o.cfg.FivePungsKeep) && (!allHonors || o.cfg.AllHonorsKeep) {
		o.put(n, "all_pungs", 1)
	}
	set := ""
	switch {
	case dragons == 3:
		set = "big_three_dragons"
	case dragons == 2 && pair >= 31:
		set = "small_three_dragons"
	}
	if set == "" || !o.exists(set) || o.cfg.HonorSetsKeep {
		o.put(n, "dragon_pung", dragons)
	}
	if set != "" {
		o.put(n, set, 1)
	}
	set = ""
	switch {
	case winds == 4:
		set = "big_four_winds"
	case winds == 3 && pair >= 27 && pair < 31:
		set = "small_four_winds"
	}
	if set == "" || !o.exists(set) || o.cfg.HonorSetsKeep {
		if kinds[27+int(w.SeatWind)] {
			o.put(n, "seat_wind", 1)
		}
		if kinds[27+int(w.RoundWind)] {
			o.put(n, "prevalent_wind", 1)
		}
	}
	if set != "" {
		o.put(n, set, 1)
	}
	o.put(n, "honor_pung", dragons+winds)
	place := int(w.Tile) - won.Kind
	lone := won.Form == "pair" || won.Form == "chow" &&
		(place == 1 || place == 2 && won.Kind%9 == 0 || place == 0 && won.Kind%9 == 6)
	begging := ""
	claimed := 0
	for _, m := range w.Melds[:w.NumMelds] {
		if m.Type != hand.ClosedKan {
			claimed++
		}
	}
	if claimed == 5 {
		begging = "all_begging"
		if w.SelfDraw {
			begging = "half_begging"
		}
		o.put(n, begging, 1)
	}
	if lone && waits == 1 && (n[begging] == 0 || o.cfg.BeggingAddsSingle) {
		o.put(n, "true_single", 1)
	}
	if n["half_begging"] > 0 && !o.cfg.BeggingKeepsDraw {
		delete(n, "self_draw")
	}
	if triplets == 0 && o.isPinghu(w, pair, won.Form == "chow" && !lone && waits > 1) {
		o.put(n, "all_chows", 1)
	}
	return n
}

// isPinghu reports whether five chows fulfill the conditions (row 19).
func (o *oracle) isPinghu(w *ruleset.Win, pair int, twoSided bool) bool {
	for need, holds := range map[taiwanese.PinghuSet]bool{
		taiwanese.PinghuNoFlowers: w.Flowers == 0,
		taiwanese.PinghuNoHonors:  !rulestest.IsHonor(pair),
		taiwanese.PinghuTwoSided:  twoSided,
		taiwanese.PinghuDiscard:   !w.SelfDraw,
	} {
		if o.cfg.Pinghu&need != 0 && !holds {
			return false
		}
	}
	return true
}

// pay adds up the tai and turns them into points (7).
func (o *oracle) pay(w *ruleset.Win, r result) result {
	r.tai = sum(r.patterns)
	if o.cfg.FanCap != ruleset.NoLimit {
		r.tai = min(r.tai, int(o.cfg.FanCap))
	}
	robbed := w.Flags&ruleset.FlagRobbingClosedKan != 0 && o.cfg.RobClosedKan != ruleset.RobClosedAlways && !r.flowerWin
	r.ok = r.tai >= o.cfg.MinWin && !robbed
	tai := r.tai
	if w.Dealer && o.exists("dealer") && r.items > 0 {
		item := o.price("dealer") + int(w.Streak)*o.cfg.DealerItemStreak
		r.patterns = append([]counted{{0, "dealer", item}}, r.patterns...)
		tai += item
	}
	r.points = tai * o.cfg.TaiPoints
	if !r.flowerWin || o.cfg.FlowerWinBase {
		r.points += o.cfg.BasePoints
	}
	slices.SortFunc(r.patterns, func(a, b counted) int { return cmp.Compare(a.at, b.at) })
	return r
}
