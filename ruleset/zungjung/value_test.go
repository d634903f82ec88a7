package zungjung_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/ruleset/zungjung"
)

// variants are the rulesets the two scorers are compared under: the presets, and
// every knob of the value of a hand at another value.
var variants = []struct {
	base      string
	overrides map[string]any
}{
	{"universal", nil},
	{"zung_jung", nil},
	{"zung_jung", map[string]any{"pattern_exclusion": "category"}},
	{"universal", map[string]any{"compound_limit": 100, "listed_limit": 120}},
	{"universal", map[string]any{"compound_limit": "none", "listed_limit": "none"}},
	{"universal", map[string]any{"chicken_points": 7, "min_win": 6, "self_draw_points": 3}},
	{"zung_jung", map[string]any{"round_wind_scores": true, "seven_pairs_quads": false, "min_win": 5}},
	{"zung_jung", map[string]any{"concealed_hand_on_irregular": true, "discard_triplet_concealed": true}},
	{"zung_jung", map[string]any{"heaven_any_win_tile": false, "pattern_exclusion": "category", "listed_limit": "none"}},
	{"zung_jung", map[string]any{ // the older values
		"patterns": map[string]any{
			"pure_one_suit": 100, "small_three_dragons": 30, "small_three_winds": 25, "all_triplets": 40,
			"three_concealed_triplets": 25, "four_concealed_triplets": 115, "small_three_similar_triplets": 25,
			"win_on_kong": 15, "robbing_a_kong": 15, "blessing_of_heaven": 320, "blessing_of_earth": 320,
			"thirteen_terminals": 320, "seven_pairs": 25,
		},
	}},
	{"zung_jung", map[string]any{ // the order within the series turned about
		"listed_limit": "none", "compound_limit": 200,
		"patterns": map[string]any{
			"value_honor": 350, "big_three_winds": 500, "two_concealed_triplets": 90, "two_identical_sequences": 90,
			"two_identical_sequences_twice": 1, "three_consecutive_triplets": 300, "mixed_lesser_terminals": 77,
		},
	}},
	{"zung_jung", map[string]any{
		"patterns": map[string]any{
			"small_four_winds": "off", "big_four_winds": "off", "four_identical_sequences": "off",
			"three_identical_sequences": "off", "four_consecutive_triplets": "off", "pure_greater_terminals": "off",
			"nine_gates": "off", "all_triplets": "off", "three_concealed_triplets": "off", "thirteen_terminals": "off",
			"seven_pairs": "off", "concealed_hand": "off",
		},
	}},
}

// TestSecondScorer compares the two scorers on hands in which every pattern
// occurs, and on incomplete ones.
func TestSecondScorer(t *testing.T) {
	table := readTable(t)
	seen := map[string]int{}
	m := handgen.New(1, 4)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range len(variants) + 12 {
		variant := variants[i%len(variants)]
		cfg := rulestest.Config[*zungjung.Config](t, variant.base, variant.overrides)
		if i >= len(variants) {
			for id, l := range cfg.Patterns.Listings() {
				cfg.Patterns[id] = handgen.Price(rng, l)
			}
		}
		second := oracle{cfg, table}
		first := cfg.Compile()
		patterns := first.Patterns()
		for range rulestest.Sample(2500, 40_000) {
			w := win(m)
			if m.Chance(3) {
				handgen.Break(&w)
			}
			var v ruleset.Value
			first.Value(&w, &v)
			got := result{shape: v.Shape, ok: v.OK, points: int(v.Points)}
			for _, p := range v.Patterns[:v.NumPatterns] {
				id := patterns[p.Pattern].ID
				seen[id]++
				got.patterns = append(got.patterns, counted{int(p.Pattern) + 1, id, int(p.Points)})
			}
			want := second.value(&w)
			want.sum = 0
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{}, counted{})); diff != "" {
				t.Fatalf("variant %d, prices %v, %s: -want +got:\n%s", i, cfg.Patterns, rulestest.Show(&w), diff)
			}
		}
	}
	for _, p := range rulestest.Rules(t, "zung_jung", nil).Patterns() {
		if seen[p.ID] == 0 {
			t.Errorf("%s never occurred", p.ID)
		}
	}
}

// TestTable compares the patterns with the published table.
func TestTable(t *testing.T) {
	table := readTable(t)
	patterns := rulestest.Rules(t, "zung_jung", nil).Patterns()
	if len(patterns) != len(table)+2 {
		t.Fatalf("%d patterns, want those of the table and two", len(patterns))
	}
	for i, r := range table {
		want := ruleset.Pattern{
			ID: r.id, Name: r.name, Native: r.native,
			Source: fmt.Sprintf("[Z] 3.4 row %d, series %s", r.number, r.series),
		}
		if patterns[i] != want {
			t.Errorf("row %d is %v, want %v", r.number, patterns[i], want)
		}
	}
}

// TestWaits compares the waits with the shapes the second scorer finds.
func TestWaits(t *testing.T) {
	m := handgen.New(2, 4)
	for _, quads := range []bool{true, false} {
		cfg := rulestest.Config[*zungjung.Config](t, "universal", map[string]any{"seven_pairs_quads": quads})
		second := oracle{cfg: cfg}
		scorer := cfg.Compile()
		for range rulestest.Sample(300, 5000) {
			w := win(m)
			w.Hand.Remove(w.Tile)
			if m.Chance(30) {
				m.Exchange(&w.Hand)
			}
			got := scorer.Waits(&w.Hand, int(w.NumMelds))
			rulestest.Waits(t, &w, got, func(full *ruleset.Win) bool { return len(second.layouts(full)) > 0 })
		}
	}
}

// TestShanten checks what defines shanten.
func TestShanten(t *testing.T) {
	m := handgen.New(3, 4)
	for _, quads := range []bool{true, false} {
		s := rulestest.Rules(t, "universal", map[string]any{"seven_pairs_quads": quads})
		for range rulestest.Sample(150, 3000) {
			w := win(m)
			h, melds := w.Hand, int(w.NumMelds)
			if n := s.Shanten(&h, melds); n != -1 && (quads || len(pairsOf(&h)) == 7) {
				t.Fatalf("%s: shanten %d of a complete hand", rulestest.Show(&w), n)
			}
			h.Remove(w.Tile)
			for range m.IntN(7) {
				m.Exchange(&h)
			}
			rulestest.Shanten(t, h, func(h *hand.Hand) int { return s.Shanten(h, melds) },
				func(h *hand.Hand) tile.Set { return s.Waits(h, melds) })
		}
	}
}

// pairsOf returns the kinds held exactly twice.
func pairsOf(h *hand.Hand) []int {
	var kinds []int
	for k, n := range h.Counts() {
		if n == 2 {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// hands returns winning hands, none of them by flowers.
func hands(n int) []ruleset.Win {
	m := handgen.New(4, 4)
	return rulestest.Wins(n, func() ruleset.Win { return win(m) })
}

func BenchmarkValue(b *testing.B) {
	rulestest.BenchmarkValue(b, rulestest.Rules(b, "zung_jung", nil), hands(1024))
}

func BenchmarkShanten(b *testing.B) {
	s := rulestest.Rules(b, "zung_jung", nil)
	wins := hands(1024)
	for i := range wins {
		wins[i].Hand.Remove(wins[i].Tile)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		w := &wins[i&1023]
		if s.Shanten(&w.Hand, int(w.NumMelds)) != 0 {
			b.Fatal("not ready")
		}
		i++
	}
}

// TestNoAllocations holds the scorer to what the table needs.
func TestNoAllocations(t *testing.T) {
	rulestest.NoAllocations(t, rulestest.Rules(t, "zung_jung", nil), hands(50))
}
