package hktw_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// variants are changes of the preset under which the two scorers are compared:
// none, and every knob of the value of a hand at each other value.
var variants = []map[string]any{
	nil,
	{"single_count": "off"},
	{"no_compounding": false},
	{"discard_opens_meld": false, "begging_allows_open_kong": false, "last_tile_scope": "draw_only"},
	{"concealed_hand_kongs": "concealed_only", "concealed_self_draw_mode": "add", "tail_chain_formula": "double5"},
	{"concealed_hand_kongs": "none", "human_win_scope": "self_draw_only", "dragon_is_proper": false},
	{"human_win_scope": "discard_only", "keep_proper_under_three_winds": false, "missing_suit_allows_honors": true},
	{"missing_five_allows_honors": true, "common_rank_min_suited_groups": 3, "all_chows_requires_suited_pair": true},
	{"double_identical_scope": "two_suits", "open_kong_counts_as_concealed_pung": true},
	{"pure_concealed_requires_self_draw": true, "four_return_independent": false, "eight_return_mode": "replace"},
	{"keep_no_honors_no_flowers": false, "terminal_hands_stack_all_pungs": true, "pure_terminals_flat": false},
	{"chicken_allows_no_flowers": false, "chicken_ignores_events": true, "duck_keeps_self_draw": true},
	{"chicken_ignores_events": true, "lik_gu_double": "max", "lik_gu_quad_as_two_pairs": false},
	{"lik_gu_double_dealer": true, "lik_gu_single_wait": false, "disjoint_min_gap": 2, "disjoint_pair": "honor"},
	{"thirteen_orphans_kong": "concealed", "orphans_count_mixed_terminals": false, "special_forms_count_types": "none"},
	{"thirteen_orphans_kong": "none", "special_forms_count_types": "seven", "rob_closed_kan": "orphans"},
	{"rob_closed_kan": "always", "base_fan": 0, "fan_cap": 50, "min_win": 10, "dealer_item": 2, "dealer_item_per_repeat": 1},
	{"flower_win_adds_base": true, "flower_win_adds_dealer": true},
	{
		"patterns": map[string]any{
			"mixed_pair_chows": 9, "pure_straight": []any{30, 11}, "all_pungs": 3, "kong": []any{4, 3},
			"concealed_pungs_3": 99, "tail_chain": 7, "big_duck": 50,
			"mixed_triple_chows": "off", "big_three_winds": "off", "linked_pungs_3": "off",
			"double_identical_chows": "off", "quad_identical_chows": "off", "concealed": "off", "lik_gu": "off",
			"same_pungs_3": "off", "no_honors_no_flowers": "off", "seven_rob_one": "off", "concealed_pungs_4": "off",
		},
	},
	{
		"tail_chain_formula": "double5",
		"patterns": map[string]any{
			"triple_identical_chows": "off", "small_linked_pungs_3": "off", "small_same_pungs_3": "off",
			"pure_straight": "off", "big_three_dragons": "off", "all_honors": "off", "two_flower_sets": "off",
			"big_chicken": "off", "thirteen_orphans": "off", "sixteen_disjoint": "off", "true_single": "off",
			"concealed_pungs_5": "off", "concealed_pungs_4": "off",
		},
	},
}

// TestSecondScorer compares the two scorers on hands in which every fan occurs,
// and on incomplete ones.
func TestSecondScorer(t *testing.T) {
	catalog := readCatalog(t)
	seen := map[string]int{}
	m := handgen.New(1, 5)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range len(variants) + 12 {
		cfg := rulestest.Config[*hktw.Config](t, "hkma_hktw", variants[i%len(variants)])
		if i >= len(variants) {
			for id, l := range cfg.Patterns.Listings() {
				cfg.Patterns[id] = handgen.Price(rng, l)
			}
		}
		second := newOracle(cfg, catalog)
		first := cfg.Compile()
		patterns := first.Patterns()
		n := rulestest.Sample(250, 8_000)
		if i == 0 {
			n = rulestest.Sample(1500, 100_000)
		}
		for range n {
			w := win(m)
			if m.Chance(3) {
				handgen.Break(&w)
			}
			var v ruleset.Value
			first.Value(&w, &v)
			got := result{
				shape: v.Shape, ok: v.OK, base: int(v.Base), points: int(v.Points),
				items: int(v.DealerItems), flowerWin: v.FlowerWin,
			}
			for _, p := range v.Patterns[:v.NumPatterns] {
				id := patterns[p.Pattern].ID
				seen[id]++
				got.patterns = append(got.patterns, fmt.Sprint(id, " ", p.Points))
			}
			slices.Sort(got.patterns)
			want := second.best(&w)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
				t.Fatalf("variant %d, prices %v, %s: -want +got:\n%s", i, cfg.Patterns, rulestest.Show(&w), diff)
			}
		}
	}
	for _, f := range catalog {
		if seen[f.id] == 0 {
			t.Errorf("%s never occurred", f.id)
		}
	}
}

// TestCatalog compares the patterns and their prices with the published catalog, whose
// English is British.
func TestCatalog(t *testing.T) {
	catalog := readCatalog(t)
	patterns := rulestest.Rules(t, "hkma_hktw", nil).Patterns()
	if len(patterns) != len(catalog) {
		t.Fatalf("%d patterns, want %d", len(patterns), len(catalog))
	}
	for i, f := range catalog {
		want := ruleset.Pattern{ID: f.id, Name: strings.ReplaceAll(f.name, "honour", "honor"), Native: f.native, Source: "[H] " + f.section}
		got := patterns[i]
		got.Name = strings.ToLower(got.Name[:1]) + got.Name[1:]
		if got != want {
			t.Errorf("fan %d is %v, want %v", i, patterns[i], want)
		}
	}
	for i, l := range new(hktw.Prices).Listings() {
		want := ruleset.Price{Closed: int16(catalog[i].concealed), Open: int16(catalog[i].open)}
		if l.ID == "base" || l.ID == "dealer" {
			want = ruleset.Price{} // knobs of their own
		}
		if l.Listed != want {
			t.Errorf("%s is listed with %v, want %v", l.ID, l.Listed, want)
		}
	}
}

// waitsOf returns the waits with those of a single kan.
func waitsOf(s ruleset.Scorer, h *hand.Hand, melds []hand.Meld) tile.Set {
	waits := s.Waits(h, len(melds))
	if len(melds) == 1 && melds[0].Type.IsKan() {
		waits |= s.(ruleset.KanShapes).KanWaits(h, melds[0])
	}
	return waits
}

// shantenOf returns the shanten with that of a single kan.
func shantenOf(s ruleset.Scorer, h *hand.Hand, melds []hand.Meld) int {
	n := s.Shanten(h, len(melds))
	if len(melds) == 1 && melds[0].Type.IsKan() {
		n = min(n, s.(ruleset.KanShapes).KanShanten(h, melds[0]))
	}
	return n
}

// shapeVariants are the knobs that change shapes.
var shapeVariants = []map[string]any{
	nil,
	{"lik_gu_quad_as_two_pairs": false, "disjoint_min_gap": 2, "disjoint_pair": "honor", "thirteen_orphans_kong": "concealed"},
	{"disjoint_min_gap": 4, "thirteen_orphans_kong": "none"},
}

// TestWaits compares the waits with the shapes the second scorer finds.
func TestWaits(t *testing.T) {
	m := handgen.New(2, 5)
	for _, overrides := range shapeVariants {
		cfg := rulestest.Config[*hktw.Config](t, "hkma_hktw", overrides)
		second := newOracle(cfg, readCatalog(t))
		scorer := cfg.Compile()
		for range rulestest.Sample(300, 5000) {
			w := win(m)
			w.Hand.Remove(w.Tile)
			if m.Chance(30) {
				m.Exchange(&w.Hand)
			}
			got := waitsOf(scorer, &w.Hand, w.Melds[:w.NumMelds])
			rulestest.Waits(t, &w, got, func(full *ruleset.Win) bool { return len(second.layouts(full)) > 0 })
		}
	}
}

// TestShanten checks what defines shanten.
func TestShanten(t *testing.T) {
	m := handgen.New(3, 5)
	for _, overrides := range shapeVariants {
		s := rulestest.Rules(t, "hkma_hktw", overrides)
		for range rulestest.Sample(150, 3000) {
			w := win(m)
			h, melds := w.Hand, w.Melds[:w.NumMelds]
			h.Remove(w.Tile)
			for range m.IntN(9) {
				m.Exchange(&h)
			}
			rulestest.Shanten(t, h, func(h *hand.Hand) int { return shantenOf(s.Scorer, h, melds) },
				func(h *hand.Hand) tile.Set { return waitsOf(s.Scorer, h, melds) })
		}
	}
}

// hands returns winning hands, none of them by flowers.
func hands(n int) []ruleset.Win {
	m := handgen.New(4, 5)
	return rulestest.Wins(n, func() ruleset.Win { return win(m) })
}

func BenchmarkValue(b *testing.B) {
	rulestest.BenchmarkValue(b, rulestest.Rules(b, "hkma_hktw", map[string]any{"rob_closed_kan": "always"}), hands(1024))
}

// BenchmarkShanten measures hands of 16 tiles around a complete one.
func BenchmarkShanten(b *testing.B) {
	s := rulestest.Rules(b, "hkma_hktw", nil)
	m := handgen.New(5, 5)
	wins := hands(1024)
	for i := range wins {
		wins[i].Hand.Remove(wins[i].Tile)
		for range m.IntN(9) {
			m.Exchange(&wins[i].Hand)
		}
	}
	i, sum := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		w := &wins[i&1023]
		sum += s.Shanten(&w.Hand, int(w.NumMelds))
		i++
	}
	if sum < 0 {
		b.Fatal("complete hands")
	}
}

// TestNoAllocations holds the scorer to what the table needs.
func TestNoAllocations(t *testing.T) {
	rulestest.NoAllocations(t, rulestest.Rules(t, "hkma_hktw", nil), hands(50))
}
