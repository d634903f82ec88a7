package zungjung_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/zungjung"
)

// The second scorer: readings as lists of units, and one plain condition for
// each row of the published table. It shares no code with the first.

// layout is one reading of a hand. Irregular ones have no units.
type layout struct {
	form  string // regular, pairs or orphans
	units []rulestest.Unit
	tiles []int
	win   *ruleset.Win
	cfg   *zungjung.Config
}

func (l *layout) all(holds func(int) bool) bool { return !slices.ContainsFunc(l.tiles, not(holds)) }

func not(f func(int) bool) func(int) bool { return func(k int) bool { return !f(k) } }

func (l *layout) count(holds func(rulestest.Unit) bool) int {
	n := 0
	for _, u := range l.units {
		if holds(u) {
			n++
		}
	}
	return n
}

func (l *layout) chow(kind int) int {
	return l.count(func(u rulestest.Unit) bool { return u.Form == "chow" && u.Kind == kind })
}

func (l *layout) triplet(kind int) bool {
	return l.count(func(u rulestest.Unit) bool { return u.IsTriplet() && u.Kind == kind }) > 0
}

func (l *layout) pair(kind int) bool {
	return l.count(func(u rulestest.Unit) bool { return u.Form == "pair" && u.Kind == kind }) > 0
}

// suits returns how many suits the tiles are of.
func (l *layout) suits() int {
	seen := map[int]bool{}
	for _, k := range l.tiles {
		if !rulestest.IsHonor(k) {
			seen[k/9] = true
		}
	}
	return len(seen)
}

// of returns how many triplets are of kinds lo to hi, and whether the pair is.
func (l *layout) of(lo, hi int) (triplets int, pair bool) {
	for k := lo; k <= hi; k++ {
		if l.triplet(k) {
			triplets++
		}
		pair = pair || l.pair(k)
	}
	return triplets, pair
}

func (l *layout) exists(n int, holds func(i int) bool) bool {
	for i := range n {
		if holds(i) {
			return true
		}
	}
	return false
}

// repeated returns how many different sequences there are at least n times.
func (l *layout) repeated(n int) int {
	found := 0
	for k := range 27 {
		if l.chow(k) >= n {
			found++
		}
	}
	return found
}

func (l *layout) inSuit(ranks int, holds func(k int) bool) bool {
	return l.exists(3, func(s int) bool { return l.exists(ranks, func(r int) bool { return holds(9*s + r) }) })
}

func (l *layout) nineGates() bool {
	if l.win.NumMelds > 0 || l.suits() != 1 || slices.ContainsFunc(l.tiles, rulestest.IsHonor) {
		return false
	}
	gates := func(last int) bool {
		var counts [9]int
		for _, k := range l.tiles {
			counts[k%9]++
		}
		counts[last]--
		return counts == [9]int{3, 1, 1, 1, 1, 1, 1, 1, 3}
	}
	if l.cfg.HeavenlyAnyTile && l.flag(ruleset.FlagHeavenly) {
		return l.exists(9, gates)
	}
	return gates(int(l.win.Tile) % 9)
}

func (l *layout) flag(f ruleset.Flags) bool { return l.win.Flags&f != 0 }

// has returns how often each row of the table, by id, counts before exclusions.
func (l *layout) has() map[string]int {
	regular := l.form == "regular"
	dragons, dragonPair := l.of(31, 33)
	winds, windPair := l.of(27, 30)
	kongs := l.count(func(u rulestest.Unit) bool { return u.Form == "kong" })
	concealed := l.count(func(u rulestest.Unit) bool { return u.IsTriplet() && u.Concealed })
	open := false
	for _, m := range l.win.Melds[:l.win.NumMelds] {
		open = open || m.Type != hand.ClosedKan
	}
	allUnits := func(holds func(int) bool) bool {
		return regular && l.count(func(u rulestest.Unit) bool { return slices.ContainsFunc(u.Tiles(), holds) }) == 5
	}
	honors := slices.ContainsFunc(l.tiles, rulestest.IsHonor)
	valued := 0
	for k := 27; k < 34; k++ {
		if !l.triplet(k) {
			continue
		}
		if k >= 31 || k == 27+int(l.win.SeatWind) || l.cfg.RoundWindScores && k == 27+int(l.win.RoundWind) {
			valued++
		}
	}
	holds := map[string]bool{
		"all_sequences":  regular && l.count(func(u rulestest.Unit) bool { return u.Form == "chow" }) == 4,
		"concealed_hand": !open && (regular || l.cfg.ConcealedIrregular),
		"no_terminals":   l.all(not(rulestest.IsOrphan)),
		"mixed_one_suit": l.suits() == 1 && honors && l.form != "orphans",
		"pure_one_suit":  l.suits() == 1 && !honors,
		"nine_gates":     regular && l.nineGates(),

		"small_three_dragons": dragons == 2 && dragonPair,
		"big_three_dragons":   dragons == 3,
		"small_three_winds":   winds == 2 && windPair,
		"big_three_winds":     winds >= 3,
		"small_four_winds":    winds == 3 && windPair,
		"big_four_winds":      winds == 4,
		"all_honors":          l.all(rulestest.IsHonor),

		"all_triplets":             regular && l.count(rulestest.Unit.IsTriplet) == 4,
		"two_concealed_triplets":   concealed == 2,
		"three_concealed_triplets": concealed == 3,
		"four_concealed_triplets":  concealed == 4,
		"one_kong":                 kongs == 1,
		"two_kong":                 kongs == 2,
		"three_kong":               kongs == 3,
		"four_kong":                kongs == 4,

		"two_identical_sequences":       l.repeated(2) >= 1,
		"two_identical_sequences_twice": l.repeated(2) == 2,
		"three_identical_sequences":     l.repeated(3) >= 1,
		"four_identical_sequences":      l.repeated(4) >= 1,

		"three_similar_sequences": l.exists(7, func(r int) bool {
			return l.chow(r) > 0 && l.chow(r+9) > 0 && l.chow(r+18) > 0
		}),
		"small_three_similar_triplets": l.exists(9, func(r int) bool {
			trips, pairs := 0, 0
			for _, k := range []int{r, r + 9, r + 18} {
				if l.triplet(k) {
					trips++
				} else if l.pair(k) {
					pairs++
				}
			}
			return trips == 2 && pairs == 1
		}),
		"three_similar_triplets": l.exists(9, func(r int) bool {
			return l.triplet(r) && l.triplet(r+9) && l.triplet(r+18)
		}),
		"nine_tile_straight": l.inSuit(1, func(k int) bool {
			return l.chow(k) > 0 && l.chow(k+3) > 0 && l.chow(k+6) > 0
		}),
		"three_consecutive_triplets": l.inSuit(7, func(k int) bool {
			return l.triplet(k) && l.triplet(k+1) && l.triplet(k+2)
		}),
		"four_consecutive_triplets": l.inSuit(6, func(k int) bool {
			return l.triplet(k) && l.triplet(k+1) && l.triplet(k+2) && l.triplet(k+3)
		}),

		"mixed_lesser_terminals":  allUnits(rulestest.IsOrphan),
		"pure_lesser_terminals":   allUnits(rulestest.IsTerminal),
		"mixed_greater_terminals": l.all(rulestest.IsOrphan) && l.form != "orphans",
		"pure_greater_terminals":  l.all(rulestest.IsTerminal),

		"final_draw":         l.flag(ruleset.FlagLastTile) && l.win.SelfDraw,
		"final_discard":      l.flag(ruleset.FlagLastTile) && !l.win.SelfDraw,
		"win_on_kong":        l.flag(ruleset.FlagAfterKan),
		"robbing_a_kong":     l.flag(ruleset.FlagRobbingKan) || l.flag(ruleset.FlagRobbingClosedKan),
		"blessing_of_heaven": l.flag(ruleset.FlagHeavenly),
		"blessing_of_earth":  l.flag(ruleset.FlagEarthly),

		"thirteen_terminals": l.form == "orphans",
		"seven_pairs":        l.form == "pairs",
	}
	times := map[string]int{"value_honor": valued}
	for id, holds := range holds {
		if holds {
			times[id] = 1
		}
	}
	return times
}

// counted is a pattern of a value with its points.
type counted struct {
	row    int
	id     string
	points int
}

// row is a line of the published table.
type row struct {
	number       int
	id           string
	name, native string
	points       int
	series       string
}

// readTable reads the published table of patterns.
func readTable(t testing.TB) (table []row) {
	t.Helper()
	for f := range rulestest.Table(t, "testdata/patterns.tsv") {
		table = append(table, row{f.Int(0), f[1], f[2], f[3], f.Int(4), f[5]})
	}
	return table
}

// result is what the second scorer finds.
type result struct {
	shape, ok bool
	patterns  []counted
	points    int
	sum       int
}

func (r *result) better(q *result) bool {
	allowed := func(r *result) int {
		if r.ok {
			return 1
		}
		return 0
	}
	rows := func(r *result) (rows []int) {
		for _, p := range r.patterns {
			rows = append(rows, p.row)
		}
		return rows
	}
	return !q.shape || cmp.Or(
		cmp.Compare(allowed(r), allowed(q)), cmp.Compare(r.points, q.points), cmp.Compare(r.sum, q.sum),
		slices.Compare(rows(q), rows(r)),
	) > 0
}

// oracle is the second scorer for a configuration.
type oracle struct {
	cfg   *zungjung.Config
	table []row
}

func (o *oracle) value(w *ruleset.Win) result {
	var best result
	for _, l := range o.layouts(w) {
		r := o.rate(&l)
		if r.better(&best) {
			best = r
		}
	}
	best.ok = best.ok && best.points >= o.cfg.MinWin
	return best
}

// rate values one reading.
func (o *oracle) rate(l *layout) result {
	times := l.has()
	var found []counted
	group := func(r row) string {
		if o.cfg.Exclusion == zungjung.ByCategory {
			category, _, _ := strings.Cut(r.series, ".")
			return category
		}
		return r.series
	}
	best := map[string]counted{}
	listed := map[string]int{}
	for i, r := range o.table {
		if times[r.id] == 0 || o.cfg.Patterns[i].IsOff() {
			continue
		}
		points := r.points
		if p := o.cfg.Patterns[i]; p.IsGiven() {
			points = int(p.Closed)
		}
		listed[r.id] = points
		c := counted{r.number, r.id, points * times[r.id]}
		if b, ok := best[group(r)]; !ok || c.points > b.points {
			best[group(r)] = c
		}
	}
	for _, c := range best {
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b counted) int { return cmp.Compare(a.row, b.row) })
	ofKnob := func(row, points int) int {
		if p := o.cfg.Patterns[row-1]; p.IsOff() {
			return 0
		} else if p.IsGiven() {
			return int(p.Closed)
		}
		return points
	}
	selfDraw, chicken := ofKnob(45, o.cfg.SelfDrawPoints), ofKnob(46, o.cfg.ChickenPoints)
	if l.win.SelfDraw && selfDraw > 0 {
		found = append(found, counted{45, "self_draw", selfDraw})
	}
	res := result{shape: true, ok: !l.flag(ruleset.FlagRobbingClosedKan) || l.form == "orphans", patterns: found}
	for _, c := range found {
		res.sum += c.points
	}
	res.points = res.sum
	var alone *counted
	for i, c := range found {
		if o.cfg.ListedLimit != ruleset.NoLimit && listed[c.id] >= int(o.cfg.ListedLimit) &&
			(alone == nil || c.points > alone.points) {
			alone = &found[i]
		}
	}
	switch {
	case alone != nil:
		res.patterns = []counted{*alone}
		res.sum, res.points = alone.points, alone.points
	case len(found) == 0 && chicken > 0:
		res.patterns = []counted{{46, "chicken_hand", chicken}}
		res.points = chicken
	case o.cfg.CompoundLimit != ruleset.NoLimit && res.sum > int(o.cfg.CompoundLimit):
		res.points = int(o.cfg.CompoundLimit)
	}
	return res
}

// layouts returns all readings of a hand.
func (o *oracle) layouts(w *ruleset.Win) []layout {
	tiles := rulestest.Tiles(w)
	var found []layout
	for _, units := range rulestest.Readings(w, o.cfg.ClaimedTripletCounts) {
		found = append(found, layout{"regular", units, tiles, w, o.cfg})
	}
	if rulestest.IsSevenPairs(w, o.cfg.QuadsArePairs) && !o.cfg.Patterns[44-1].IsOff() {
		found = append(found, layout{"pairs", nil, tiles, w, o.cfg})
	}
	if rulestest.IsThirteenOrphans(w) && !o.cfg.Patterns[43-1].IsOff() {
		found = append(found, layout{"orphans", nil, tiles, w, o.cfg})
	}
	return found
}
