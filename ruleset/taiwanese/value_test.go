package taiwanese_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/taiwanese"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

const preset = "taiwanese"

// win returns a complete hand of the family, or a win by flowers.
func win(m *handgen.Maker) ruleset.Win {
	w := m.Standard()
	if m.Chance(5) {
		w = ruleset.Win{Hand: m.Pairs(17, true)}
	}
	w.Tile = m.Held(&w.Hand)
	winds := []tile.Wind{0, 1, 2, 3}
	w.SelfDraw = m.Chance(50)
	w.SeatWind, w.RoundWind = handgen.Pick(m, winds...), handgen.Pick(m, winds...)
	w.Discards = ruleset.NoCount
	w.Flowers = handgen.Pick(m, 0, 0, 1<<m.IntN(8), uint8(m.IntN(256)), 0x0f, 0xf1, 0xff)
	if w.Dealer = m.Chance(30); w.Dealer {
		w.Streak = uint8(m.IntN(4))
	}
	if m.Chance(40) {
		return w
	}
	maybe := func(percent int, f ruleset.Flags) {
		if m.Chance(percent) {
			w.Flags |= f
		}
	}
	maybe(40, handgen.Pick(m, ruleset.FlagReady, ruleset.FlagReadyHuman, ruleset.FlagReadyEarth, ruleset.FlagReadyHeaven))
	maybe(20, ruleset.FlagLastTile)
	if w.SelfDraw {
		maybe(20, handgen.Pick(m, ruleset.FlagHeavenly, ruleset.FlagEarthly))
		maybe(40, handgen.Pick(m, ruleset.FlagAfterKan, ruleset.FlagAfterFlower))
		if m.Chance(3) {
			w.Flags, w.Flowers = ruleset.FlagFlowerWin8, 0xff
		}
		return w
	}
	maybe(20, ruleset.FlagHuman)
	maybe(20, handgen.Pick(m, ruleset.FlagRobbingKan, ruleset.FlagRobbingClosedKan))
	if m.Chance(3) {
		w.Flags, w.Flowers = ruleset.FlagFlowerWin7, 0x7f
	}
	return w
}

// more are the prices of the patterns that the preset lacks.
var more = map[string]any{"ready_early": 8, "ready": 1, "lik_gu": 8, "flower": 1, "honor_pung": 1, "kong": 1}

// variants are the knobs with which the two scorers are compared: the preset's, and every knob
// of the value of a hand at another value.
var variants = []map[string]any{
	nil,
	{"patterns": more},
	{"discard_opens_meld": false, "concealed_hand_kongs": "any", "patterns": more},
	{"concealed_hand_kongs": "none", "pinghu_conditions": []any{}},
	{"pinghu_conditions": []any{"two_sided"}, "flower_set_keeps_proper": true},
	{"pinghu_conditions": []any{"no_honors", "not_self_drawn"}, "begging_adds_single": true},
	{"begging_keeps_self_draw": false, "tail_draw_keeps_self_draw": false},
	{"five_pungs_keep": false, "honor_sets_keep_pungs": true, "patterns": more},
	{"all_honors_keeps_pungs": true, "first_win_keeps_concealed": true, "patterns": more},
	{"ready_keeps_concealed": true, "rob_closed_kan": "always", "patterns": more},
	{"fan_cap": 12, "min_win": 3, "base_points": 100, "tai_points": 20},
	{"flower_win_adds_base": false, "flower_win_adds_dealer": false, "dealer_item": 2, "dealer_item_per_repeat": 1},
	{"min_win": 1, "base_points": 0, "patterns": map[string]any{
		"concealed_self_draw": "off", "lik_gu": 40, "big_three_dragons": "off", "small_four_winds": "off", "all_honors": "off",
		"concealed_pungs_5": "off", "ready_earth": "off", "dealer": 3,
	}},
	{"five_pungs_keep": false, "patterns": map[string]any{
		"concealed": "off", "dealer": "off", "heavenly_win": "off", "half_begging": "off", "kong_draw": "off", "lik_gu": 1,
	}},
}

// TestSecondScorer compares the two scorers on hands in which every pattern occurs, and on
// incomplete ones. Of readings with equal tai either may be reported.
func TestSecondScorer(t *testing.T) {
	table := readTable(t)
	seen := map[string]int{}
	m := handgen.New(1, 5)
	rng := rand.New(rand.NewPCG(5, 5))
	hands := 0
	for i := range len(variants) + 11 {
		cfg := rulestest.Config[*taiwanese.Config](t, preset, variants[i%len(variants)])
		if i >= len(variants) {
			for id, l := range cfg.Patterns.Listings() {
				cfg.Patterns[id] = handgen.Price(rng, l)
			}
		}
		second := oracle{cfg, table}
		first := cfg.Compile()
		patterns := first.Patterns()
		for range rulestest.Sample(1500, 42_000) {
			hands++
			w := win(m)
			if m.Chance(3) {
				handgen.Break(&w)
			}
			var v ruleset.Value
			first.Value(&w, &v)
			got := result{shape: v.Shape, ok: v.OK, flowerWin: v.FlowerWin, tai: int(v.Base), points: int(v.Points), items: int(v.DealerItems)}
			for _, p := range v.Patterns[:v.NumPatterns] {
				id := patterns[p.Pattern].ID
				seen[id]++
				got.patterns = append(got.patterns, counted{int(p.Pattern), id, int(p.Points)})
			}
			want := second.value(&w)
			if !second.is(&w, got.patterns) {
				t.Fatalf("variant %d, prices %v, %s: %v is no reading of the most tai, which are %v", i, cfg.Patterns, rulestest.Show(&w), got.patterns, want.patterns)
			}
			want.patterns, got.patterns = nil, nil
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

// TestTable compares the patterns and the preset with the table of docs/rules/taiwanese.md.
func TestTable(t *testing.T) {
	table := readTable(t)
	cfg := rulestest.Config[*taiwanese.Config](t, preset, nil)
	patterns, listings := cfg.Compile().Patterns(), cfg.Patterns.Listings()
	if len(patterns) != len(table) {
		t.Fatalf("%d patterns, want %d", len(patterns), len(table))
	}
	for i, r := range table {
		p, l := patterns[i], listings[i]
		if r.id == "dealer" {
			r.tai = 0 // a knob of its own
		}
		if p.ID != r.id || p.Native != r.native || p.Source != fmt.Sprintf("[T] 6 row %d", r.number) ||
			int(l.Listed.Closed) != r.tai || cfg.Patterns[i].IsOff() != r.off {
			t.Errorf("row %d is %+v, %+v, off %v; want %+v", r.number, p, l, cfg.Patterns[i].IsOff(), r)
		}
	}
}

// TestShapes compares the waits with the shapes the second scorer finds, and checks what
// defines shanten.
func TestShapes(t *testing.T) {
	m := handgen.New(2, 5)
	for _, prices := range []map[string]any{nil, {"lik_gu": 8}} {
		cfg := rulestest.Config[*taiwanese.Config](t, preset, map[string]any{"patterns": prices})
		second := oracle{cfg, readTable(t)}
		scorer := cfg.Compile()
		for range rulestest.Sample(200, 3000) {
			w := win(m)
			w.Flags = 0
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

// TestMostTai holds that no random hand has more tai than Check takes for the most.
func TestMostTai(t *testing.T) {
	m := handgen.New(3, 5)
	for _, v := range variants {
		cfg := rulestest.Config[*taiwanese.Config](t, preset, v)
		cfg.FanCap = ruleset.NoLimit
		scorer := cfg.Compile()
		reached := 0
		for range rulestest.Sample(3000, 40_000) {
			w := win(m)
			var value ruleset.Value
			scorer.Value(&w, &value)
			reached = max(reached, int(value.Base))
		}
		cfg.MinWin = reached
		if p := cfg.Check(); len(p) > 0 {
			t.Errorf("%v: a hand has %d tai, but %v", v, reached, p)
		}
	}
}

// hands returns winning hands, none of them by flowers.
func hands(n int) []ruleset.Win {
	m := handgen.New(4, 5)
	return rulestest.Wins(n, func() ruleset.Win { return win(m) })
}

// TestNoAllocations holds the scorer to what the table needs.
func TestNoAllocations(t *testing.T) {
	rulestest.NoAllocations(t, rulestest.Rules(t, preset, map[string]any{"liability": []any{"big_three_dragons"}}), hands(50))
}

func BenchmarkValue(b *testing.B) {
	rulestest.BenchmarkValue(b, rulestest.Rules(b, preset, nil), hands(1024))
}
