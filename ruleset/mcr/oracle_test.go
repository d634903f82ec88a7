package mcr_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/mcr"
)

// This file scores hands a second time, slowly, by the letter of the rules: every
// way to read the tiles, every set the winning tile may have completed, and every
// way to combine sets into fan that the principles allow. It shares nothing with
// the package but the types of its input.

// slowFan lists the fan in their order: name, points, and the fan not counted
// with it, single units apart.
var slowFan = []struct {
	id       string
	points   int
	excludes string
}{
	{"big_four_winds", 88, "big_three_winds all_pungs prevalent_wind seat_wind pung_of_terminals_or_honors"},
	{"big_three_dragons", 88, "two_dragon_pungs dragon_pung"},
	{"all_green", 88, "one_voided_suit"},
	{"nine_gates", 88, "full_flush concealed_hand no_honors"},
	{"four_kongs", 88, "three_kongs two_melded_kongs mixed_kongs melded_kong all_pungs single_wait"},
	{"seven_shifted_pairs", 88, "seven_pairs full_flush concealed_hand no_honors single_wait"},
	{"thirteen_orphans", 88, "all_types all_terminals_and_honors concealed_hand single_wait"},
	{"all_terminals", 64, "all_terminals_and_honors all_pungs outside_hand pung_of_terminals_or_honors no_honors"},
	{"little_four_winds", 64, "big_three_winds pung_of_terminals_or_honors"},
	{"little_three_dragons", 64, "two_dragon_pungs dragon_pung"},
	{"all_honors", 64, "all_terminals_and_honors all_pungs outside_hand pung_of_terminals_or_honors"},
	{"four_concealed_pungs", 64, "three_concealed_pungs two_concealed_pungs all_pungs concealed_hand"},
	{"pure_terminal_chows", 64, "seven_pairs full_flush all_chows no_honors"},
	{"quadruple_chow", 48, "pure_triple_chow pure_double_chow pure_shifted_pungs seven_pairs tile_hog"},
	{"four_pure_shifted_pungs", 48, "pure_shifted_pungs pure_triple_chow all_pungs"},
	{"four_pure_shifted_chows", 32, "pure_shifted_chows short_straight two_terminal_chows"},
	{"three_kongs", 32, "two_melded_kongs mixed_kongs melded_kong"},
	{"all_terminals_and_honors", 32, "all_pungs outside_hand pung_of_terminals_or_honors"},
	{"seven_pairs", 24, "concealed_hand single_wait"},
	{"greater_honors_and_knitted_tiles", 24, "lesser_honors_and_knitted_tiles all_types concealed_hand"},
	{"all_even_pungs", 24, "all_pungs all_simples no_honors"},
	{"full_flush", 24, "no_honors"},
	{"pure_triple_chow", 24, "pure_shifted_pungs"},
	{"pure_shifted_pungs", 24, "pure_triple_chow"},
	{"upper_tiles", 24, "upper_four no_honors"},
	{"middle_tiles", 24, "all_simples no_honors"},
	{"lower_tiles", 24, "lower_four no_honors"},
	{"pure_straight", 16, ""},
	{"three_suited_terminal_chows", 16, "all_chows no_honors two_terminal_chows mixed_double_chow"},
	{"pure_shifted_chows", 16, ""},
	{"all_fives", 16, "all_simples no_honors"},
	{"triple_pung", 16, ""},
	{"three_concealed_pungs", 16, "two_concealed_pungs"},
	{"lesser_honors_and_knitted_tiles", 12, "all_types concealed_hand"},
	{"knitted_straight", 12, ""},
	{"upper_four", 12, "no_honors"},
	{"lower_four", 12, "no_honors"},
	{"big_three_winds", 12, ""},
	{"mixed_straight", 8, ""},
	{"reversible_tiles", 8, "one_voided_suit"},
	{"mixed_triple_chow", 8, ""},
	{"mixed_shifted_pungs", 8, ""},
	{"chicken_hand", 8, ""},
	{"last_tile_draw", 8, "self_drawn"},
	{"last_tile_claim", 8, ""},
	{"out_with_replacement_tile", 8, "self_drawn"},
	{"robbing_the_kong", 8, "last_of_kind_tile"},
	{"two_concealed_kongs", 8, "concealed_kong"},
	{"all_pungs", 6, ""},
	{"half_flush", 6, ""},
	{"mixed_shifted_chows", 6, ""},
	{"all_types", 6, ""},
	{"melded_hand", 6, "single_wait"},
	{"two_dragon_pungs", 6, "dragon_pung"},
	{"outside_hand", 4, ""},
	{"fully_concealed_hand", 4, "self_drawn concealed_hand"},
	{"two_melded_kongs", 4, "melded_kong"},
	{"mixed_kongs", 6, "melded_kong concealed_kong"},
	{"last_of_kind_tile", 4, ""},
	{"dragon_pung", 2, ""},
	{"prevalent_wind", 2, ""},
	{"seat_wind", 2, ""},
	{"concealed_hand", 2, ""},
	{"all_chows", 2, "no_honors"},
	{"tile_hog", 2, ""},
	{"double_pung", 2, ""},
	{"two_concealed_pungs", 2, ""},
	{"concealed_kong", 2, ""},
	{"all_simples", 2, "no_honors"},
	{"pure_double_chow", 1, ""},
	{"mixed_double_chow", 1, ""},
	{"short_straight", 1, ""},
	{"two_terminal_chows", 1, ""},
	{"pung_of_terminals_or_honors", 1, ""},
	{"melded_kong", 1, ""},
	{"one_voided_suit", 1, ""},
	{"no_honors", 1, ""},
	{"edge_wait", 1, ""},
	{"closed_wait", 1, ""},
	{"single_wait", 1, ""},
	{"self_drawn", 1, ""},
	{"flower_tiles", 1, ""},
}

// slowNumber is the place of each fan in slowFan.
var slowNumber = func() map[string]int {
	m := map[string]int{}
	for i, f := range slowFan {
		m[f.id] = i
	}
	return m
}()

// slowBag counts fan.
type slowBag map[string]int

// slowSet is a set of a reading: a chow by its lowest tile, or a pung or kong.
type slowSet struct {
	first   int
	chow    bool
	kong    bool
	exposed bool // laid down with another player's tile
}

func (s slowSet) tiles() []int {
	switch {
	case s.chow:
		return []int{s.first, s.first + 1, s.first + 2}
	case s.kong:
		return []int{s.first, s.first, s.first, s.first}
	}
	return []int{s.first, s.first, s.first}
}

// slowReading is a way to look at a hand.
type slowReading struct {
	shape string    // S, K, P, X or O
	sets  []slowSet // melds first
	pair  int
	// place is the set that the winning tile completed, len(sets) for the pair,
	// -1 for none.
	place int
}

func suit(t int) int { return t / 9 } // 3 for honors
func rank(t int) int { return t%9 + 1 }

func isHonor(t int) bool    { return t >= 27 }
func isWind(t int) bool     { return t >= 27 && t < 31 }
func isDragon(t int) bool   { return t >= 31 }
func isTerminal(t int) bool { return !isHonor(t) && (rank(t) == 1 || rank(t) == 9) }

func all(tiles []int, ok func(int) bool) bool {
	return !slices.ContainsFunc(tiles, func(t int) bool { return !ok(t) })
}

func anyOf(tiles []int, ok func(int) bool) bool { return slices.ContainsFunc(tiles, ok) }

// slowWin is a hand in the oracle's own terms.
type slowWin struct {
	*ruleset.Win
	cfg       *mcr.Config
	melds     []slowSet
	concealed [34]int // with the winning tile
	whole     []int   // all tiles, four for a kong
	w         int
}

func newSlowWin(w *ruleset.Win, cfg *mcr.Config) *slowWin {
	s := &slowWin{Win: w, cfg: cfg, w: int(w.Tile)}
	for _, m := range w.Melds[:w.NumMelds] {
		s.melds = append(s.melds, slowSet{int(m.Kind), m.Type == hand.Chi, m.Type.IsKan(), m.Type != hand.ClosedKan})
	}
	for t, n := range w.Hand.Counts() {
		s.concealed[t] = int(n)
		for range n {
			s.whole = append(s.whole, t)
		}
	}
	for _, m := range s.melds {
		s.whole = append(s.whole, m.tiles()...)
	}
	return s
}

// divide calls visit with all ways to split counts into n sets, some more than
// once.
func divide(counts *[34]int, n int, sets []slowSet, visit func([]slowSet)) {
	t := slices.IndexFunc(counts[:], func(n int) bool { return n != 0 })
	if t < 0 && n == 0 {
		visit(sets)
	}
	if t < 0 || n == 0 {
		return
	}
	for _, s := range []slowSet{{first: t}, {first: t, chow: true}} {
		if s.chow && (isHonor(t) || rank(t) > 7) {
			continue
		}
		for _, x := range s.tiles() {
			counts[x]--
		}
		if all(s.tiles(), func(x int) bool { return counts[x] >= 0 }) {
			divide(counts, n-1, append(sets[:len(sets):len(sets)], s), visit)
		}
		for _, x := range s.tiles() {
			counts[x]++
		}
	}
}

// standard calls visit with all ways to split counts into n sets and a pair.
func standard(counts [34]int, n int, visit func([]slowSet, int)) {
	for p := range counts {
		if counts[p] >= 2 {
			counts[p] -= 2
			divide(&counts, n, nil, func(sets []slowSet) { visit(sets, p) })
			counts[p] += 2
		}
	}
}

func compareSets(a, b slowSet) int {
	if a.first != b.first {
		return a.first - b.first
	}
	switch {
	case a.chow == b.chow:
		return 0
	case a.chow:
		return 1
	}
	return -1
}

func isStandard(counts [34]int, n int) bool {
	found := false
	standard(counts, n, func([]slowSet, int) { found = true })
	return found
}

func isPairs(counts [34]int, quads bool) bool {
	pairs := 0
	for _, n := range counts {
		if n%2 != 0 || n == 4 && !quads {
			return false
		}
		pairs += n / 2
	}
	return pairs == 7
}

func isOrphans(counts [34]int) bool {
	n := 0
	for t, c := range counts {
		if !isTerminal(t) && !isHonor(t) {
			continue
		}
		if c == 0 {
			return false
		}
		n += c
	}
	return n == 14
}

// slowBodies are the six knitted straights.
var slowBodies = func() (bodies [][]int) {
	for m := 1; m <= 3; m++ {
		for p := 1; p <= 3; p++ {
			for s := 1; s <= 3; s++ {
				if m == p || p == s || m == s {
					continue
				}
				var body []int
				for i, first := range []int{m, p, s} {
					for r := first; r <= 9; r += 3 {
						body = append(body, 9*i+r-1)
					}
				}
				bodies = append(bodies, body)
			}
		}
	}
	return bodies
}()

// isHonorsAndKnitted reports whether counts are fourteen different honors and
// tiles of one knitted straight.
func isHonorsAndKnitted(counts [34]int) bool {
	n := 0
	for _, c := range counts {
		if c > 1 {
			return false
		}
		n += c
	}
	return n == 14 && slices.ContainsFunc(slowBodies, func(body []int) bool {
		for t, c := range counts {
			if c > 0 && !isHonor(t) && !slices.Contains(body, t) {
				return false
			}
		}
		return true
	})
}

// withoutBody returns counts less the tiles of a knitted straight.
func withoutBody(counts [34]int, body []int) ([34]int, bool) {
	for _, t := range body {
		if counts[t] == 0 {
			return counts, false
		}
		counts[t]--
	}
	return counts, true
}

// off reports whether the ruleset has no such fan.
func (s *slowWin) off(id string) bool { return s.cfg.Patterns[slowNumber[id]].IsOff() }

// readings returns all readings of the hand.
func (s *slowWin) readings() (list []slowReading) {
	melds := len(s.melds)
	// attribute adds the reading once for each place of the winning tile.
	attribute := func(shape string, sets []slowSet, pair int) {
		r := slowReading{shape: shape, sets: append(slices.Clone(s.melds), sets...), pair: pair, place: -1}
		if shape == "K" {
			list = append(list, r) // perhaps the tile went into the body
		}
		for i := melds; i < len(r.sets); i++ {
			if slices.Contains(r.sets[i].tiles(), s.w) {
				r.place = i
				list = append(list, r)
			}
		}
		if pair == s.w {
			r.place = len(r.sets)
			list = append(list, r)
		}
	}
	standard(s.concealed, 4-melds, func(sets []slowSet, pair int) { attribute("S", sets, pair) })
	if melds <= 1 && !s.off("knitted_straight") {
		for _, body := range slowBodies {
			if rest, ok := withoutBody(s.concealed, body); ok {
				standard(rest, 1-melds, func(sets []slowSet, pair int) { attribute("K", sets, pair) })
			}
		}
	}
	if melds > 0 {
		return list
	}
	if s.isPairs(s.concealed) {
		list = append(list, slowReading{shape: "P", place: -1})
	}
	if isOrphans(s.concealed) && !s.off("thirteen_orphans") {
		list = append(list, slowReading{shape: "O", place: -1})
	}
	if isHonorsAndKnitted(s.concealed) && !s.off("lesser_honors_and_knitted_tiles") {
		list = append(list, slowReading{shape: "X", place: -1})
	}
	return list
}

// isPairs reports whether counts are seven pairs and these a shape.
func (s *slowWin) isPairs(counts [34]int) bool {
	return isPairs(counts, s.cfg.PairsQuads) && !s.off("seven_pairs")
}

// before returns the concealed tiles without the winning one.
func (s *slowWin) before() [34]int {
	c := s.concealed
	c[s.w]--
	return c
}

// noTile reports a win with the dealt tiles where none of them counts as the
// winning one.
func (s *slowWin) noTile() bool {
	return s.SelfDraw && s.Flags&ruleset.FlagHeavenly != 0 &&
		s.cfg.InitialWinTile == mcr.NoInitialWinTile && s.cfg.DealerExtraTile == ruleset.ExtraDealt
}

// owned counts a kind in the whole hand before the win.
func (s *slowWin) owned(t int) int {
	n := 0
	for _, x := range s.whole {
		if x == t {
			n++
		}
	}
	if t == s.w {
		n--
	}
	return n
}

// waits returns the kinds that complete the concealed tiles before the win in
// the sense of complete.
func (s *slowWin) waits(before [34]int, complete func([34]int) bool) (kinds []int) {
	for t := range 34 {
		if !s.cfg.ExhaustedWaits && s.owned(t) == 4 {
			continue
		}
		after := before
		after[t]++
		if complete(after) {
			kinds = append(kinds, t)
		}
	}
	return kinds
}

// wait returns the wait fan of a reading, empty if there is none.
func (s *slowWin) wait(r slowReading) string {
	if r.place < 0 || s.noTile() {
		return ""
	}
	n := 4 - len(s.melds)
	var kinds []int
	switch r.shape {
	case "S":
		kinds = s.waits(s.before(), func(c [34]int) bool {
			return isStandard(c, n) || n == 4 && s.isPairs(c)
		})
	case "K":
		if s.cfg.KnittedWaits == mcr.NoKnittedWait {
			return ""
		}
		for _, body := range slowBodies {
			rest, ok := withoutBody(s.concealed, body)
			if !ok || !isStandard(rest, n-3) {
				continue
			}
			if slices.Contains(body, s.w) && s.cfg.KnittedWaits == mcr.WaitOutsideBody {
				return ""
			}
			rest[s.w]--
			kinds = s.waits(rest, func(c [34]int) bool { return isStandard(c, n-3) })
		}
	}
	if len(kinds) != 1 {
		return ""
	}
	if r.place == len(r.sets) {
		return "single_wait"
	}
	set := r.sets[r.place]
	switch {
	case !set.chow:
		return ""
	case s.w == set.first+1:
		return "closed_wait"
	case s.w == set.first+2 && rank(s.w) == 3 || s.w == set.first && rank(s.w) == 7:
		return "edge_wait"
	}
	return ""
}

// combination is a fan made by some sets of a reading, by their places.
type combination struct {
	id   string
	sets int // set of places
}

// combinations returns all fan that two, three or four sets of a reading make
// together.
func combinations(r slowReading) (list []combination) {
	n := len(r.sets)
	for choice := range 1 << n {
		var sets []slowSet
		for i, s := range r.sets {
			if choice>>i&1 != 0 {
				sets = append(sets, s)
			}
		}
		slices.SortFunc(sets, compareSets)
		for _, id := range combined(sets, r.pair) {
			list = append(list, combination{id, choice})
		}
	}
	return list
}

// combined returns the fan that these very sets make.
func combined(sets []slowSet, pair int) (ids []string) {
	if len(sets) < 2 {
		return nil
	}
	chows := 0
	var firsts, ranks, suits []int
	for _, s := range sets {
		if s.chow {
			chows++
		}
		firsts = append(firsts, s.first)
		ranks = append(ranks, rank(s.first))
		suits = append(suits, suit(s.first))
	}
	if chows != 0 && chows != len(sets) {
		return nil
	}
	steps := func(list []int, step int) bool {
		for i := 1; i < len(list); i++ {
			if list[i]-list[i-1] != step {
				return false
			}
		}
		return true
	}
	oneSuit := suits[0] == suits[len(suits)-1] && suits[0] < 3
	slices.Sort(ranks)
	differ := len(slices.Compact(slices.Clone(suits))) == len(suits) && suits[len(suits)-1] < 3
	add := func(ok bool, id string) {
		if ok {
			ids = append(ids, id)
		}
	}
	if chows > 0 {
		switch len(sets) {
		case 4:
			add(oneSuit && steps(firsts, 0), "quadruple_chow")
			add(oneSuit && (steps(firsts, 1) || steps(firsts, 2)), "four_pure_shifted_chows")
			u, v := suits[0], suits[2]
			same := slices.Equal(firsts, []int{9 * u, 9 * u, 9*u + 6, 9*u + 6})
			add(same && pair == 9*u+4, "pure_terminal_chows")
			two := u != v && slices.Equal(firsts, []int{9 * u, 9*u + 6, 9 * v, 9*v + 6})
			add(two && pair == 9*(3-u-v)+4, "three_suited_terminal_chows")
		case 3:
			add(oneSuit && steps(firsts, 0), "pure_triple_chow")
			add(oneSuit && (steps(firsts, 1) || steps(firsts, 2)), "pure_shifted_chows")
			add(oneSuit && slices.Equal(ranks, []int{1, 4, 7}), "pure_straight")
			add(differ && slices.Equal(ranks, []int{1, 4, 7}), "mixed_straight")
			add(differ && steps(ranks, 0), "mixed_triple_chow")
			add(differ && steps(ranks, 1), "mixed_shifted_chows")
		case 2:
			add(oneSuit && steps(firsts, 0), "pure_double_chow")
			add(differ && steps(ranks, 0), "mixed_double_chow")
			add(oneSuit && steps(firsts, 3), "short_straight")
			add(oneSuit && slices.Equal(ranks, []int{1, 7}), "two_terminal_chows")
		}
		return ids
	}
	switch len(sets) {
	case 4:
		add(all(firsts, isWind), "big_four_winds")
		add(oneSuit && steps(firsts, 1), "four_pure_shifted_pungs")
	case 3:
		add(all(firsts, isDragon), "big_three_dragons")
		add(all(firsts, isWind) && isWind(pair), "little_four_winds")
		add(all(firsts, isWind), "big_three_winds")
		add(oneSuit && steps(firsts, 1), "pure_shifted_pungs")
		add(differ && steps(ranks, 0), "triple_pung")
		add(differ && steps(ranks, 1), "mixed_shifted_pungs")
	case 2:
		add(all(firsts, isDragon) && isDragon(pair), "little_three_dragons")
		add(all(firsts, isDragon), "two_dragon_pungs")
		add(differ && steps(ranks, 0), "double_pung")
	}
	return ids
}

// plans calls visit with every choice of combinations that the principles allow:
// taken one after the other, each has at most one set that was used before, and
// none shares a set with another of the same fan.
func plans(list []combination, visit func([]combination)) {
	seen := map[int]bool{}
	var extend func(chosen int, taken []combination)
	extend = func(chosen int, taken []combination) {
		if seen[chosen] {
			return
		}
		seen[chosen] = true
		visit(taken)
		used := 0
		for _, c := range taken {
			used |= c.sets
		}
		for i, c := range list {
			shared := c.sets & used
			identical := slices.ContainsFunc(taken, func(o combination) bool { return o.id == c.id && o.sets&c.sets != 0 })
			if chosen>>i&1 == 0 && shared&(shared-1) == 0 && !identical {
				extend(chosen|1<<i, append(taken[:len(taken):len(taken)], c))
			}
		}
	}
	extend(0, nil)
}

// slowScore is a scored hand.
type slowScore struct {
	complete bool
	bag      slowBag
	points   int // without flowers
}

// score returns the best bag of all readings.
func (s *slowWin) score() (best slowScore) {
	for _, r := range s.readings() {
		base := s.fans(r)
		var list []combination
		if r.shape == "S" {
			list = slices.DeleteFunc(combinations(r), func(c combination) bool { return s.off(c.id) })
		}
		plans(list, func(plan []combination) {
			b := maps.Clone(base)
			for _, c := range plan {
				b[c.id]++
			}
			s.exclude(b)
			if len(b) == 0 && len(list) == 0 && s.cfg.Chicken && !s.off("chicken_hand") {
				b["chicken_hand"] = 1
			}
			points := 0
			for id, n := range b {
				points += n * s.worth(id)
			}
			if !best.complete || points > best.points || points == best.points && compareBags(b, best.bag) < 0 {
				best = slowScore{true, b, points}
			}
		})
	}
	return best
}

func (s *slowWin) worth(id string) int {
	if p := s.cfg.Patterns[slowNumber[id]]; p.IsGiven() {
		return int(p.Closed)
	}
	switch id {
	case "two_concealed_kongs":
		return s.cfg.TwoConcealedKongs
	case "mixed_kongs":
		return s.cfg.MixedKongs
	}
	return slowFan[slowNumber[id]].points
}

// compareBags orders bags as lists of numbers.
func compareBags(a, b slowBag) int {
	numbers := func(b slowBag) (list []int) {
		for id, n := range b {
			for range n {
				list = append(list, slowNumber[id])
			}
		}
		slices.Sort(list)
		return list
	}
	return slices.Compare(numbers(a), numbers(b))
}

// exclude takes out of b what its fan exclude.
func (s *slowWin) exclude(b slowBag) {
	held := maps.Clone(b)
	for id := range held {
		for _, other := range strings.Fields(slowFan[slowNumber[id]].excludes) {
			delete(b, other)
		}
	}
	if held["all_green"] > 0 && !s.cfg.GreenHalfFlush {
		delete(b, "half_flush")
	}
	if held["all_terminals"] > 0 && !s.cfg.TerminalDoublePung {
		delete(b, "double_pung")
	}
	if held["nine_gates"] > 0 && b["pung_of_terminals_or_honors"] > 0 {
		b["pung_of_terminals_or_honors"]--
		if b["pung_of_terminals_or_honors"] == 0 || s.cfg.NineGatesPungs == mcr.AbsorbAllPungs {
			delete(b, "pung_of_terminals_or_honors")
		}
	}
}

// fans returns the fan of a reading that no combination of sets makes.
func (s *slowWin) fans(r slowReading) slowBag {
	b := slowBag{}
	add := func(ok bool, id string) {
		if ok && !s.off(id) {
			b[id]++
		}
	}
	s.composition(r, add)
	s.sets(r, add)
	s.manner(r, b, add)
	if id := s.wait(r); id != "" && !s.off(id) {
		b[id] = 1
	}
	return b
}

// composition adds the fan of the tiles of the hand as such.
func (s *slowWin) composition(r slowReading, add func(bool, string)) {
	tiles := s.whole
	suits := map[int]bool{}
	for _, t := range tiles {
		if !isHonor(t) {
			suits[suit(t)] = true
		}
	}
	honors := anyOf(tiles, isHonor)
	among := func(text string) bool {
		return all(tiles, func(t int) bool { return strings.Contains(text, slowText(t)) })
	}
	ranks := func(lo, hi int) bool {
		return all(tiles, func(t int) bool { return !isHonor(t) && lo <= rank(t) && rank(t) <= hi })
	}
	outer := func(t int) bool { return isTerminal(t) || isHonor(t) }
	switch r.shape {
	case "K":
		add(len(suits) == 3 && anyOf(tiles, isWind) && anyOf(tiles, isDragon), "all_types")
		add(!honors, "no_honors")
	case "P", "S":
		if r.shape == "P" && !s.cfg.PairsComposition {
			break
		}
		add(among("2s 3s 4s 6s 8s 6z"), "all_green")
		add(all(tiles, isTerminal), "all_terminals")
		add(all(tiles, isHonor), "all_honors")
		add(all(tiles, outer) && honors && anyOf(tiles, isTerminal), "all_terminals_and_honors")
		add(len(suits) == 1 && !honors, "full_flush")
		add(len(suits) == 1 && honors, "half_flush")
		add(ranks(7, 9), "upper_tiles")
		add(ranks(4, 6), "middle_tiles")
		add(ranks(1, 3), "lower_tiles")
		add(ranks(6, 9), "upper_four")
		add(ranks(1, 4), "lower_four")
		add(among("1p 2p 3p 4p 5p 8p 9p 2s 4s 5s 6s 8s 9s 5z"), "reversible_tiles")
		add(len(suits) == 3 && anyOf(tiles, isWind) && anyOf(tiles, isDragon), "all_types")
		add(!anyOf(tiles, outer), "all_simples")
		add(len(suits) == 2, "one_voided_suit")
		add(!honors, "no_honors")
	}
	// Quads that are no kongs.
	hogs := 0
	for t := range 34 {
		n := 0
		for _, x := range tiles {
			if x == t {
				n++
			}
		}
		kong := slices.ContainsFunc(s.melds, func(m slowSet) bool { return m.kong && m.first == t })
		if n == 4 && !kong && (s.cfg.HonorHogs || !isHonor(t)) {
			hogs++
		}
	}
	six := s.cfg.PairsComposition && (among("2s 3s 4s 6s 8s 6z") && !s.off("all_green") || all(tiles, isTerminal) && !s.off("all_terminals"))
	if r.shape == "P" && hogs > 0 && six && s.cfg.InevitableHog == mcr.AbsorbOneHog {
		hogs--
	}
	for range hogs {
		add(r.shape == "S" || r.shape == "K" || r.shape == "P", "tile_hog")
	}
}

// sets adds the fan of shapes and of single sets, and those that all sets have
// to make.
func (s *slowWin) sets(r slowReading, add func(bool, string)) {
	switch r.shape {
	case "O":
		add(true, "thirteen_orphans")
		return
	case "X":
		honors := 0
		for t, n := range s.concealed {
			if isHonor(t) {
				honors += n
			}
		}
		add(honors == 7, "greater_honors_and_knitted_tiles")
		add(honors < 7 || s.off("greater_honors_and_knitted_tiles"), "lesser_honors_and_knitted_tiles")
		add(honors == 5 && s.cfg.LesserStraight, "knitted_straight")
		return
	case "P":
		var pairs []int
		for t, n := range s.concealed {
			if n == 2 {
				pairs = append(pairs, t)
			}
		}
		shifted := len(pairs) == 7 && pairs[6] == pairs[0]+6 && pairs[6] < 27 && suit(pairs[0]) == suit(pairs[6])
		add(shifted, "seven_shifted_pairs")
		add(!shifted || s.off("seven_shifted_pairs"), "seven_pairs")
		return
	case "K":
		add(true, "knitted_straight")
	}
	chows, triplets, melded, concealedKongs, concealed := 0, 0, 0, 0, 0
	for i, set := range r.sets {
		if set.chow {
			chows++
			continue
		}
		triplets++
		t := set.first
		add(isDragon(t), "dragon_pung")
		add(t == 27+int(s.RoundWind), "prevalent_wind")
		add(t == 27+int(s.SeatWind), "seat_wind")
		value := t == 27+int(s.RoundWind) || t == 27+int(s.SeatWind)
		winds := 0
		for _, o := range r.sets {
			if !o.chow && isWind(o.first) {
				winds++
			}
		}
		add((isTerminal(t) || isWind(t)) && !value && !(isWind(t) && winds >= 3), "pung_of_terminals_or_honors")
		won := i == r.place && !s.SelfDraw && s.cfg.ClaimedPung == mcr.ClaimedMelded
		switch {
		case set.kong && set.exposed:
			melded++
		case set.kong:
			concealedKongs++
			concealed++
		case i >= len(s.melds) && !won:
			concealed++
		}
	}
	add(triplets == 0 && !isHonor(r.pair), "all_chows")
	s.kongs(melded, concealedKongs, concealed, add)
	if r.shape == "K" {
		return
	}
	add(triplets == 4, "all_pungs")
	groups := [][]int{{r.pair}}
	for _, set := range r.sets {
		groups = append(groups, set.tiles())
	}
	each := func(ok func(int) bool) bool {
		return !slices.ContainsFunc(groups, func(g []int) bool { return !anyOf(g, ok) })
	}
	add(each(func(t int) bool { return isTerminal(t) || isHonor(t) }), "outside_hand")
	add(each(func(t int) bool { return !isHonor(t) && rank(t) == 5 }), "all_fives")
	add(triplets == 4 && all(s.whole, func(t int) bool { return !isHonor(t) && rank(t)%2 == 0 }), "all_even_pungs")
	if len(s.melds) == 0 && !s.noTile() {
		before, u := s.before(), suit(s.w)
		gates := u < 3
		for t, n := range before {
			want := 0
			if suit(t) == u {
				want = 1
				if isTerminal(t) {
					want = 3
				}
			}
			gates = gates && n == want
		}
		add(gates, "nine_gates")
	}
}

// kongs adds the fan of kongs and of concealed pungs, kongs included.
func (s *slowWin) kongs(melded, kongs, pungs int, add func(bool, string)) {
	mixed := s.worth("mixed_kongs") > 0 && !s.off("mixed_kongs")
	// one counts concealed kongs as two or each.
	least := 2
	one := func() {
		if kongs == 2 && !s.off("two_concealed_kongs") {
			add(true, "two_concealed_kongs")
			least = 3
			return
		}
		for range kongs {
			add(true, "concealed_kong")
		}
	}
	several := ""
	if melded+kongs == 4 && !s.off("four_kongs") {
		several = "four_kongs"
	} else if melded+kongs >= 3 && !s.off("three_kongs") {
		several = "three_kongs"
	}
	switch {
	case several != "":
		add(true, several)
		if kongs <= 2 && s.cfg.KongConcealment != mcr.KongsMIL {
			one()
		}
	case melded == 2 && kongs == 0 && !s.off("two_melded_kongs"):
		add(true, "two_melded_kongs")
	case melded == 1 && kongs == 1 && mixed:
		add(true, "mixed_kongs")
	default:
		for range melded {
			add(true, "melded_kong")
		}
		one()
	}
	for n := pungs; n >= least; n-- {
		if id := []string{2: "two_concealed_pungs", 3: "three_concealed_pungs", 4: "four_concealed_pungs"}[n]; !s.off(id) {
			add(true, id)
			break
		}
	}
}

// manner adds the fan of the way of winning.
func (s *slowWin) manner(r slowReading, b slowBag, add func(bool, string)) {
	exposed := 0
	for _, m := range s.melds {
		if m.exposed {
			exposed++
		}
	}
	flag := func(f ruleset.Flags) bool { return s.Flags&f != 0 }
	add(s.SelfDraw, "self_drawn")
	add(s.SelfDraw && flag(ruleset.FlagLastTile), "last_tile_draw")
	add(s.SelfDraw && flag(ruleset.FlagAfterKan), "out_with_replacement_tile")
	add(!s.SelfDraw && flag(ruleset.FlagLastTile), "last_tile_claim")
	add(!s.SelfDraw && flag(ruleset.FlagRobbingKan|ruleset.FlagRobbingClosedKan), "robbing_the_kong")
	add(flag(ruleset.FlagLastCopy), "last_of_kind_tile")
	add(exposed == 4 && !s.SelfDraw, "melded_hand")
	special := r.shape != "S" && r.shape != "K" || b["nine_gates"] > 0 || b["four_concealed_pungs"] > 0
	add(exposed == 0 && !s.SelfDraw && !special, "concealed_hand")
	add(exposed == 0 && s.SelfDraw && (!special || s.cfg.SpecialSelfDraw == mcr.SpecialFullyConcealed), "fully_concealed_hand")
}

func slowText(t int) string { return string([]byte{'0' + byte(rank(t)), "mpsz"[suit(t)]}) }
