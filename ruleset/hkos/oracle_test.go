package hkos_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hkos"
)

// The second scorer: readings as lists of units, and one plain condition for each row of the
// table. It shares no code with the first.

// row is a line of the table of patterns.
type row struct {
	number     int
	id, native string
	faan       int
	off        bool // in the preset
}

func readTable(t testing.TB) (table []row) {
	t.Helper()
	for f := range rulestest.Table(t, "testdata/patterns.tsv") {
		table = append(table, row{f.Int(0), f[1], f[2], f.Int(3), f[4] == "off"})
	}
	return table
}

// counted is a pattern of a value with its faan.
type counted struct {
	row  int
	id   string
	faan int
}

// result is what a scorer finds.
type result struct {
	shape, ok    bool
	patterns     []counted
	faan, points int
}

// oracle is the second scorer for a configuration.
type oracle struct {
	cfg   *hkos.Config
	table []row
}

// price returns the faan of a pattern, 0 if it does not exist.
func (o *oracle) price(id string) int {
	for i, r := range o.table {
		if p := o.cfg.Patterns[i]; r.id == id && !p.IsOff() {
			if p.IsGiven() {
				return int(p.Closed)
			}
			return r.faan
		}
	}
	return 0
}

// layout is one reading of a hand. Irregular ones have no units.
type layout struct {
	form  string // standard, pairs or orphans
	units []rulestest.Unit
	tiles []int
}

func (l *layout) count(holds func(rulestest.Unit) bool) (n int) {
	for _, u := range l.units {
		if holds(u) {
			n++
		}
	}
	return n
}

func (l *layout) triplet(kinds ...int) int {
	return l.count(func(u rulestest.Unit) bool { return u.IsTriplet() && slices.Contains(kinds, u.Kind) })
}

func (l *layout) pair(holds func(k int) bool) bool {
	return l.count(func(u rulestest.Unit) bool { return u.Form == "pair" && holds(u.Kind) }) == 1
}

func all(tiles []int, holds func(int) bool) bool {
	return !slices.ContainsFunc(tiles, func(k int) bool { return !holds(k) })
}

// value scores a hand by the best of its readings.
func (o *oracle) value(w *ruleset.Win) result {
	if flowers := w.Flags & (ruleset.FlagFlowerWin7 | ruleset.FlagFlowerWin8); flowers != 0 {
		id := "seven_flowers"
		if flowers == ruleset.FlagFlowerWin8 {
			id = "eight_flowers"
		}
		return o.pay(w, o.list(map[string]int{id: 1}), true)
	}
	tiles := rulestest.Tiles(w)
	var layouts []layout
	for _, units := range rulestest.Readings(w, o.cfg.ClaimedTripletCounts) {
		layouts = append(layouts, layout{"standard", units, tiles})
	}
	if o.price("seven_pairs") > 0 && rulestest.IsSevenPairs(w, o.cfg.QuadsArePairs) {
		layouts = append(layouts, layout{"pairs", nil, tiles})
	}
	if o.price("thirteen_terminals") > 0 && rulestest.IsThirteenOrphans(w) {
		layouts = append(layouts, layout{"orphans", nil, tiles})
	}
	var best result
	for i := range layouts {
		r := o.rate(w, &layouts[i])
		better := cmp.Or(cmp.Compare(robs(w, o.cfg, &layouts[i]), best.robs(w, o.cfg)), cmp.Compare(sum(r.patterns), sum(best.patterns)),
			slices.Compare(rowsOf(best.patterns), rowsOf(r.patterns)))
		if !best.shape || better > 0 {
			best = r
		}
	}
	return best
}

// robs is 1 if a reading may win on the tile of a kan, in case it does.
func robs(w *ruleset.Win, cfg *hkos.Config, l *layout) int {
	if w.Flags&ruleset.FlagRobbingClosedKan == 0 || cfg.RobClosedKan == ruleset.RobClosedAlways || l.form == "orphans" {
		return 1
	}
	return 0
}

func (r *result) robs(w *ruleset.Win, cfg *hkos.Config) int {
	l := layout{form: "standard"}
	if slices.ContainsFunc(r.patterns, func(c counted) bool { return c.id == "thirteen_terminals" }) {
		l.form = "orphans"
	}
	return robs(w, cfg, &l)
}

func rowsOf(list []counted) (rows []int) {
	for _, c := range list {
		rows = append(rows, c.row)
	}
	return rows
}

func sum(list []counted) (n int) {
	for _, c := range list {
		n += c.faan
	}
	return n
}

// list returns the patterns that exist of those that occur so many times.
func (o *oracle) list(times map[string]int) (list []counted) {
	for _, r := range o.table {
		if n := times[r.id] * o.price(r.id); n > 0 {
			list = append(list, counted{r.number, r.id, n})
		}
	}
	return list
}

// rate values one reading.
func (o *oracle) rate(w *ruleset.Win, l *layout) result {
	times := map[string]int{}
	if l.form != "orphans" {
		o.tiles(w, l, times)
	} else {
		times["thirteen_terminals"] = 1
	}
	for id := range times {
		if o.price(id) == 0 || times[id] == 0 {
			delete(times, id)
		}
	}
	nineGates := times["nine_gates"] > 0
	if o.cfg.LimitExclusive {
		best := ""
		for _, id := range []string{"all_honors", "pure_greater_terminals", "nine_gates", "thirteen_terminals", "big_four_winds", "four_kong"} {
			if times[id] > 0 && (best == "" || o.price(id) > o.price(best)) {
				best = id
			}
		}
		if best != "" {
			clear(times)
			times[best] = 1
		}
	}
	o.manner(w, times)
	if nineGates || l.form != "standard" || times["blessing_of_heaven"]*o.price("blessing_of_heaven") > 0 ||
		times["blessing_of_earth"]*o.price("blessing_of_earth") > 0 {
		times["concealed_hand"] = 0
	}
	if times["blessing_of_heaven"]*o.price("blessing_of_heaven") > 0 {
		times["self_draw"] = 0
	}
	list := o.list(times)
	counting := 0
	for _, c := range list {
		if o.cfg.FlowersCount || !slices.Contains([]string{"no_flowers", "proper_flower", "one_flower_set"}, c.id) {
			counting += c.faan
		}
	}
	return o.pay(w, list, counting >= o.cfg.MinWin && robs(w, o.cfg, l) == 1)
}

// tiles notes rows 1 to 19, but for the shape of thirteen terminals.
func (o *oracle) tiles(w *ruleset.Win, l *layout, times map[string]int) {
	standard := l.form == "standard"
	suits := map[int]bool{}
	for _, k := range l.tiles {
		if !rulestest.IsHonor(k) {
			suits[k/9] = true
		}
	}
	honors := slices.ContainsFunc(l.tiles, rulestest.IsHonor)
	note := func(holds bool, id string) {
		if holds {
			times[id] = 1
		}
	}
	note(!standard, "seven_pairs")
	note(len(suits) == 1 && honors, "mixed_one_suit")
	note(len(suits) == 1 && !honors, "pure_one_suit")
	note(len(suits) == 0, "all_honors")
	note(all(l.tiles, rulestest.IsOrphan) && honors && len(suits) > 0, "mixed_greater_terminals")
	if !standard {
		return
	}
	triplets := l.count(rulestest.Unit.IsTriplet)
	suited := l.pair(func(k int) bool { return !rulestest.IsHonor(k) })
	note(triplets == 0 && (o.cfg.SequencesPair == hkos.AnyPair || suited), "all_sequences")
	hidden := l.count(func(u rulestest.Unit) bool { return u.IsTriplet() && u.Concealed })
	note(hidden == 4, "four_concealed_triplets")
	note(triplets == 4 && (hidden < 4 || o.price("four_concealed_triplets") == 0), "all_triplets")
	dragons, winds := l.triplet(31, 32, 33), l.triplet(27, 28, 29, 30)
	times["dragon_pung"] = dragons
	note(dragons == 2 && l.pair(func(k int) bool { return k >= 31 }), "small_three_dragons")
	note(dragons == 3, "big_three_dragons")
	note(l.triplet(27+int(w.SeatWind)) > 0, "seat_wind")
	note(l.triplet(27+int(w.RoundWind)) > 0, "prevalent_wind")
	note(winds == 3 && l.pair(func(k int) bool { return k >= 27 && k < 31 }), "small_four_winds")
	note(winds == 4, "big_four_winds")
	note(all(l.tiles, rulestest.IsTerminal), "pure_greater_terminals")
	note(l.count(func(u rulestest.Unit) bool { return u.Form == "kong" }) == 4, "four_kong")
	if w.NumMelds == 0 && len(suits) == 1 && !honors {
		var counts [9]int
		for _, k := range l.tiles {
			counts[k%9]++
		}
		for last := range counts {
			if before := counts; before[last] > 0 && (last == int(w.Tile)%9 || o.cfg.GatesAnyWait) {
				before[last]--
				note(before == [9]int{3, 1, 1, 1, 1, 1, 1, 1, 3}, "nine_gates")
			}
		}
	}
}

// manner notes rows 20 to 36.
func (o *oracle) manner(w *ruleset.Win, times map[string]int) {
	is := func(f ruleset.Flags) bool { return w.Flags&f != 0 }
	note := func(holds bool, id string) {
		if holds {
			times[id] = 1
		}
	}
	note(w.SelfDraw, "self_draw")
	concealed := o.cfg.ConcealedFlowers == hkos.AnyFlowers || w.Flowers == 0
	for _, m := range w.Melds[:w.NumMelds] {
		if m.Type.IsKan() {
			times["kong"]++
		}
		switch {
		case m.Type == hand.ClosedKan && o.cfg.ConcealedKongs != ruleset.KongsNone:
		case m.Type == hand.OpenKan && o.cfg.ConcealedKongs == ruleset.KongsAny:
		default:
			concealed = false
		}
	}
	note(concealed, "concealed_hand")
	double := is(ruleset.FlagAfterTwoKans) && o.price("win_on_double_kong") > 0
	note(double, "win_on_double_kong")
	note(is(ruleset.FlagAfterKan) && !double, "win_on_kong")
	note(is(ruleset.FlagAfterFlower), "flower_draw")
	note(is(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan), "robbing_a_kong")
	note(is(ruleset.FlagLastTile) && w.SelfDraw, "final_draw")
	note(is(ruleset.FlagLastTile) && !w.SelfDraw, "final_discard")
	note(is(ruleset.FlagHeavenly), "blessing_of_heaven")
	note(is(ruleset.FlagEarthly), "blessing_of_earth")
	note(is(ruleset.FlagHuman) && !w.SelfDraw, "blessing_of_man")
	if o.cfg.Flowers == ruleset.NoFlowers {
		return
	}
	note(w.Flowers == 0, "no_flowers")
	for set := range 2 {
		own, whole := false, true
		for i := range 4 {
			held := w.Flowers>>(4*set+i)&1 == 1
			whole = whole && held
			own = own || held && i == int(w.SeatWind)
		}
		if whole {
			times["one_flower_set"]++
		}
		if own && (!whole || o.cfg.SetKeepsProper) {
			times["proper_flower"]++
		}
	}
}

// pay turns patterns into faan and points.
func (o *oracle) pay(w *ruleset.Win, list []counted, ok bool) result {
	r := result{shape: true, ok: ok, patterns: list, faan: sum(list)}
	if o.cfg.PointsCap != ruleset.NoLimit && r.faan > int(o.cfg.PointsCap) {
		r.faan = int(o.cfg.PointsCap)
	}
	share := o.share(r.faan)
	// The winner's gain, from a discarder who does not deal.
	pays := [3]int{o.cfg.DiscarderShare, o.cfg.OtherShare, o.cfg.OtherShare}
	robbed := w.Flags&(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan) != 0
	if w.SelfDraw || robbed && o.cfg.RobPayment == hkos.RobAsSelfDraw {
		pays = [3]int{o.cfg.SelfDrawShare, o.cfg.SelfDrawShare, o.cfg.SelfDrawShare}
	}
	for i, n := range pays {
		if w.SeatWind == 0 || i == 2 {
			n *= o.cfg.DealerFactor
		}
		r.points += n * share
	}
	return r
}

// share returns the share of so many faan, counted up one by one.
func (o *oracle) share(faan int) int {
	t := &o.cfg.PointsTable
	if t.Len > 0 {
		return int(t.List[min(faan, int(t.Len)-1)])
	}
	share, last := 1, 1
	for i := range faan {
		if last = share; t.Curve == ruleset.FullSpicy || i < o.cfg.SpicyFrom {
			share *= 2
		} else if (i-o.cfg.SpicyFrom)%2 == 0 {
			share += share / 2
		} else {
			share += share / 3
		}
		if share > ruleset.MaxPointsShare {
			return last
		}
	}
	return share
}
