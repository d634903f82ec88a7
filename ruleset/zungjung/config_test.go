package zungjung_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset/zungjung"
)

// TestPresetsDiffer holds the presets to the knobs in which the two texts differ.
func TestPresetsDiffer(t *testing.T) {
	universal := rulestest.Config[*zungjung.Config](t, "universal", nil)
	zungJung := rulestest.Config[*zungjung.Config](t, "zung_jung", nil)
	var differ []string
	knobs := zungjung.Family.Knobs(zungJung)
	for i, k := range zungjung.Family.Knobs(universal) {
		if k.Text() != knobs[i].Text() {
			differ = append(differ, k.Key)
		}
	}
	slices.Sort(differ)
	want := []string{"chicken_points", "deal_turn", "kan_on_fresh_pon", "pass_lock", "river_lock", "same_round_immunity"}
	if !slices.Equal(differ, want) {
		t.Errorf("the presets differ in %v, want %v", differ, want)
	}
}

// TestCheck changes one knob of a preset to a value that the family cannot be
// played with.
func TestCheck(t *testing.T) {
	rulestest.Unplayable(t, "universal", map[string]any{
		"hand_size":            16,
		"flowers":              "forced",
		"walls":                "per_seat",
		"replacement_from":     "front",
		"dealer_extra_tile":    "drawn",
		"last_tile_when":       "next_wall_empty",
		"kan_min_wall":         0,
		"kan_needs_next_wall":  true,
		"dealer_stays_on_draw": "ready",
		"multi_win":            "all_abort_on_triple",
		"rob_closed_kan":       "always",
		"ready":                "ding",
		"placement":            []any{3, 1, -1, -3},
		"placement_tie":        "high",
	})
}

// TestLeastValue changes min_win to the most points of a hand, and to one more.
func TestLeastValue(t *testing.T) {
	for _, test := range []struct {
		knobs map[string]any
		most  int // of a hand
	}{
		{nil, 480}, // nine gates
		{map[string]any{"listed_limit": "none"}, 320},
		{map[string]any{"compound_limit": 600}, 600},
		{map[string]any{"chicken_points": 700}, 700},
		{map[string]any{"listed_limit": 200, "patterns": map[string]any{"value_honor": 220}}, 880}, // four triplets
	} {
		for over := range 2 {
			cfg := rulestest.Config[*zungjung.Config](t, "universal", test.knobs)
			cfg.MinWin = test.most + over
			if p := cfg.Check(); len(p) != over {
				t.Errorf("%v, min_win = %d: problems %v, want %d", test.knobs, cfg.MinWin, p, over)
			}
		}
	}
}

// TestKnobValues refuses values that the knobs of the family's own types do not
// take.
func TestKnobValues(t *testing.T) {
	for key, value := range map[string]any{
		"patterns":       map[string]any{"pinfu": 3},
		"compound_limit": 0,
		"payoff_scheme":  "nothing",
		"chicken_points": -1,
	} {
		if _, err := configs.LoadWith("universal", map[string]any{key: value}); err == nil {
			t.Errorf("%s = %v is taken", key, value)
		}
	}
}
