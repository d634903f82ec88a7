package hktw_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
)

// TestCheck changes one knob of the preset to a value that the family cannot be
// played with.
func TestCheck(t *testing.T) {
	rulestest.Unplayable(t, "hkma_hktw", map[string]any{
		"hand_size":            13,
		"flowers":              "optional",
		"last_flower":          "discard",
		"walls":                "per_seat",
		"last_tile_when":       "next_wall_empty",
		"kan_needs_next_wall":  true,
		"seat_rotation":        "mcr_table",
		"dealer_stays_on_draw": "ready",
		"multi_win":            "all_abort_on_triple",
		"ready":                "riichi",
		"placement":            []any{3, 1, -1, -3},
		"placement_tie":        "high",
	})
}

// TestCheckTailChain refuses values that outgrow what a value can hold.
func TestCheckTailChain(t *testing.T) {
	for formula, ok := range map[string]bool{"linear10": true, "double5": false} {
		_, err := configs.LoadWith("hkma_hktw", map[string]any{
			"tail_chain_formula": formula, "patterns": map[string]any{"tail_chain": 31},
		})
		if (err == nil) != ok {
			t.Errorf("%s: %v", formula, err)
		}
	}
}

// TestCheckPrices refuses an open value above the concealed one, and two values
// of a fan that has one.
func TestCheckPrices(t *testing.T) {
	for id, values := range map[string][]any{"kong": {1, 2}, "all_pungs": {60, 30}} {
		if _, err := configs.LoadWith("hkma_hktw", map[string]any{"patterns": map[string]any{id: values}}); err == nil {
			t.Errorf("%s = %v is taken", id, values)
		}
	}
}

// TestKnobValues refuses values that the knobs of the family's own types do not
// take.
func TestKnobValues(t *testing.T) {
	for key, value := range map[string]any{
		"patterns":         map[string]any{"pinfu": 3},
		"pull_growth":      1.25,
		"award_grass_di":   -0.5,
		"disjoint_min_gap": 5,
		"single_count":     "half_overlap",
	} {
		if _, err := configs.LoadWith("hkma_hktw", map[string]any{key: value}); err == nil {
			t.Errorf("%s = %v is taken", key, value)
		}
	}
}
