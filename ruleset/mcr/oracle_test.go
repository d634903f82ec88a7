package mcr_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
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

func slowText(t int) string { return string([]byte{'0' + byte(rank(t)), "mpsz"[suit(t)]}) }
