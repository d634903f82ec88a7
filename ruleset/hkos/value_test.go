package hkos_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hkos"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

const preset = "hk_old_style"

// win returns a complete hand of the family, or a win by flowers.
func win(m *handgen.Maker) ruleset.Win {
	w := m.Thirteen()
	winds := []tile.Wind{0, 1, 2, 3}
	w.SelfDraw = m.Chance(50)
	w.SeatWind, w.RoundWind = handgen.Pick(m, winds...), handgen.Pick(m, winds...)
	some, few := uint8(m.IntN(256)), uint8(m.IntN(256))
	few &= uint8(m.IntN(256))
	w.Flowers = handgen.Pick(m, 0, 0, some, few, 0x0f, 0xf1)
	if m.Chance(40) {
		return w
	}
	if m.Chance(30) {
		w.Flags |= ruleset.FlagLastTile
	}
	switch {
	case m.Chance(10):
		w.Flags, w.SelfDraw = ruleset.FlagFlowerWin7, true
		w.Flowers = ^uint8(1 << m.IntN(8))
	case m.Chance(10):
		w.Flags, w.SelfDraw, w.Flowers = ruleset.FlagFlowerWin8, true, 0xff
	case !w.SelfDraw && m.Chance(10):
		w.Flags |= ruleset.FlagRobbingClosedKan
	case !w.SelfDraw && m.Chance(30):
		w.Flags |= ruleset.FlagRobbingKan
	case w.SelfDraw && m.Chance(30):
		w.Flags |= ruleset.FlagAfterKan
		if m.Chance(40) {
			w.Flags |= ruleset.FlagAfterTwoKans
		}
	case w.SelfDraw && m.Chance(30):
		w.Flags |= ruleset.FlagAfterFlower
	case w.NumMelds == 0 && m.Chance(50):
		w.Flags = handgen.Pick(m, ruleset.FlagEarthly, ruleset.FlagHuman)
		if w.SelfDraw {
			w.Flags = handgen.Pick(m, ruleset.FlagHeavenly, ruleset.FlagHuman)
		}
	}
	return w
}

// variants are the knobs with which the two scorers are compared: the preset's, and every knob
// of the value of a hand at another value.
var variants = []map[string]any{
	nil,
	{"flowers_count_for_min": false, "min_win": 2},
	{"limit_exclusive": false, "points_cap": "none", "min_win": 0},
	{"all_sequences_pair": "suited", "rob_closed_kan": "always"},
	{"seven_pairs_quads": false, "patterns": map[string]any{"seven_pairs": 4, "kong": 1, "flower_draw": 1, "blessing_of_man": 13}},
	{"discard_triplet_concealed": true, "patterns": map[string]any{"seven_pairs": 5, "blessing_of_man": 3}},
	{"concealed_hand_kongs": "concealed_only", "concealed_hand_flowers": "no_exposed"},
	{"concealed_hand_kongs": "any", "dealer_factor": 2, "nine_gates_any_wait": true, "flower_set_keeps_proper": true},
	{"flowers": "none", "min_win": 1},
	{"points_table": "full_spicy", "points_cap": 13, "rob_payment": "discard"},
	{"spicy_from": 5, "points_cap": 13, "discarder_share": 2, "other_share": 1, "dealer_factor": 2},
	{"points_table": []any{0, 0, 0, 1, 2, 2, 2, 4, 4, 4, 8}, "self_draw_multiplier": 1},
	{"patterns": map[string]any{ // printed totals of other lists
		"small_four_winds": 6, "pure_greater_terminals": 13, "nine_gates": 13, "four_concealed_triplets": 5, "big_four_winds": 10,
		"mixed_greater_terminals": 4, "seven_pairs": 3,
	}},
	{"limit_exclusive": false, "patterns": map[string]any{
		"four_concealed_triplets": "off", "win_on_double_kong": "off", "blessing_of_heaven": "off", "nine_gates": "off",
		"thirteen_terminals": "off", "all_honors": "off", "blessing_of_earth": "off",
	}},
}

// TestSecondScorer compares the two scorers on hands in which every pattern occurs, and on
// incomplete ones.
func TestSecondScorer(t *testing.T) {
	table := readTable(t)
	seen := map[string]int{}
	m := handgen.New(1, 4)
	rng := rand.New(rand.NewPCG(5, 5))
	hands := 0
	for i := range len(variants) + 11 {
		cfg := rulestest.Config[*hkos.Config](t, preset, variants[i%len(variants)])
		if i >= len(variants) {
			for id, l := range cfg.Patterns.Listings() {
				cfg.Patterns[id] = handgen.Price(rng, l)
			}
		}
		second := oracle{cfg, table}
		first := cfg.Compile()
		patterns := first.Patterns()
		for range rulestest.Sample(2000, 40_000) {
			hands++
			w := win(m)
			if m.Chance(3) {
				handgen.Break(&w)
			}
			var v ruleset.Value
			first.Value(&w, &v)
			got := result{shape: v.Shape, ok: v.OK, faan: int(v.Base), points: int(v.Points)}
			for _, p := range v.Patterns[:v.NumPatterns] {
				id := patterns[p.Pattern].ID
				seen[id]++
				got.patterns = append(got.patterns, counted{int(p.Pattern) + 1, id, int(p.Points)})
			}
			want := second.value(&w)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{}, counted{})); diff != "" {
				t.Fatalf("variant %d, prices %v, %s: -want +got:\n%s", i, cfg.Patterns, rulestest.Show(&w), diff)
			}
		}
	}
	for _, r := range table {
		if seen[r.id] == 0 {
			t.Errorf("%s never occurred", r.id)
		}
	}
	t.Logf("%d hands", hands)
}

// TestTable compares the patterns and the preset with the table of docs/rules/hkos.md.
func TestTable(t *testing.T) {
	table := readTable(t)
	cfg := rulestest.Config[*hkos.Config](t, preset, nil)
	patterns, listings := cfg.Compile().Patterns(), cfg.Patterns.Listings()
	if len(patterns) != len(table) {
		t.Fatalf("%d patterns, want %d", len(patterns), len(table))
	}
	for i, r := range table {
		p, l := patterns[i], listings[i]
		if p.ID != r.id || !strings.HasPrefix(r.native, p.Native) || p.Source != fmt.Sprintf("[K] 6.2 row %d", r.number) ||
			int(l.Listed.Closed) != r.faan || cfg.Patterns[i].IsOff() != r.off {
			t.Errorf("row %d is %+v, %+v, off %v; want %+v", r.number, p, l, cfg.Patterns[i].IsOff(), r)
		}
	}
}

// TestShapes compares the waits with the shapes the second scorer finds, and checks what
// defines shanten.
func TestShapes(t *testing.T) {
	m := handgen.New(2, 4)
	for _, prices := range []map[string]any{nil, {"seven_pairs": 4}, {"thirteen_terminals": "off"}} {
		cfg := rulestest.Config[*hkos.Config](t, preset, map[string]any{"patterns": prices})
		second := oracle{cfg, readTable(t)}
		scorer := cfg.Compile()
		for range rulestest.Sample(200, 3000) {
			w := m.Thirteen()
			w.Hand.Remove(w.Tile)
			if m.Chance(30) {
				m.Exchange(&w.Hand)
			}
			melds := int(w.NumMelds)
			rulestest.Waits(t, &w, scorer.Waits(&w.Hand, melds), func(full *ruleset.Win) bool { return second.value(full).shape })
			if n := scorer.Shanten(&w.Hand, melds); n > 0 && scorer.ShantenLowerBound(&w.Hand, w.Melds[:melds]) > n {
				t.Fatalf("%s: the bound is above %d", rulestest.Show(&w), n)
			}
			rulestest.Shanten(t, w.Hand, func(h *hand.Hand) int { return scorer.Shanten(h, melds) },
				func(h *hand.Hand) tile.Set { return scorer.Waits(h, melds) })
		}
	}
}

// occurs reports whether the circumstances of a random win can occur; wins by flowers, which
// are free of the minimum, are left out.
func occurs(w *ruleset.Win) bool {
	kans := 0
	for _, m := range w.Melds[:w.NumMelds] {
		if m.Type != hand.Chi && m.Type != hand.Pon {
			kans++
		}
	}
	has := func(f ruleset.Flags) bool { return w.Flags&f != 0 }
	robbing := has(ruleset.FlagRobbingKan | ruleset.FlagRobbingClosedKan)
	return bits.OnesCount8(w.Flowers) <= 6 && (!has(ruleset.FlagAfterKan) || kans >= 1) && (!has(ruleset.FlagAfterTwoKans) || kans >= 2) &&
		(!robbing || w.Hand.Count(w.Tile) == 1 && !has(ruleset.FlagLastTile)) && (!has(ruleset.FlagAfterFlower) || w.Flowers != 0) &&
		(!has(ruleset.FlagHeavenly) || w.SeatWind == 0) && (!has(ruleset.FlagEarthly|ruleset.FlagHuman) || w.SeatWind != 0)
}

// TestMostFaan holds that no random hand has more faan than Check allows as the minimum, at
// the prices of the table and at random ones.
func TestMostFaan(t *testing.T) {
	m := handgen.New(3, 4)
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range len(variants) + 30 {
		cfg := rulestest.Config[*hkos.Config](t, preset, variants[i%len(variants)])
		if i >= len(variants) {
			for id, l := range cfg.Patterns.Listings() {
				cfg.Patterns[id] = handgen.Price(rng, l)
			}
		}
		cfg.PointsCap, cfg.MinWin = ruleset.NoLimit, 1
		scorer := cfg.Compile()
		for range rulestest.Sample(3000, 40_000) {
			w := win(m)
			if cfg.Flowers == ruleset.NoFlowers {
				w.Flowers = 0
			}
			var value ruleset.Value
			scorer.Value(&w, &value)
			n := int(value.Base)
			for _, p := range value.Patterns[:value.NumPatterns] {
				switch id := scorer.Patterns()[p.Pattern].ID; {
				case cfg.FlowersCount:
				case id == "no_flowers" || id == "proper_flower" || id == "one_flower_set":
					n -= int(p.Points)
				}
			}
			if !occurs(&w) || !value.OK || n <= cfg.MinWin {
				continue
			}
			cfg.MinWin = n
			if p := cfg.Check(); slices.ContainsFunc(p, func(p ruleset.Problem) bool { return p.Key == "min_win" }) {
				t.Fatalf("variant %d, prices %v: a hand has %d faan, but %v: %s", i, cfg.Patterns, n, p, rulestest.Show(&w))
			}
		}
	}
}

// hands returns winning hands, none of them by flowers.
func hands(n int) []ruleset.Win {
	m := handgen.New(4, 4)
	return rulestest.Wins(n, func() ruleset.Win { return win(m) })
}

// TestNoAllocations holds the scorer to what the table needs.
func TestNoAllocations(t *testing.T) {
	rulestest.NoAllocations(t, rulestest.Rules(t, preset, nil), hands(50))
}

func BenchmarkValue(b *testing.B) {
	rulestest.BenchmarkValue(b, rulestest.Rules(b, preset, nil), hands(1024))
}
