package hkos_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestCheck changes one knob of the preset to a value that the family cannot be played with.
func TestCheck(t *testing.T) {
	rulestest.Unplayable(t, preset, map[string]any{
		"hand_size":            16,
		"flowers":              "optional",
		"last_flower":          "discard",
		"walls":                "per_seat",
		"dealer_extra_tile":    "drawn",
		"last_tile_when":       "next_wall_empty",
		"kan_needs_next_wall":  true,
		"dealer_stays_on_draw": "ready",
		"multi_win":            "all_abort_on_triple",
		"ready":                "ding",
		"placement":            []any{3, 1, -1, -3},
		"placement_tie":        "high",
		"self_draw_multiplier": 0,
		"discarder_share":      0,
	})
}

// TestRefusals holds what is refused, and the remedy that the error names.
func TestRefusals(t *testing.T) {
	rulestest.Refused(t, preset, []struct{ Lines, Want string }{
		{"points_table = []", "points_table: a list of 0 entries; allowed: \"none\", \"half_spicy\" or \"full_spicy\", or a list of 1 to 101 integers 0..1000000"},
		{"points_table = [1, 2, 4, 8, 4]", "points_table: the table falls from 8 to 4 at 4"},
		{"points_table = [1, 2, 4, 8, \"none\"]", "points_table: the entry for 4: \"none\" is not an integer"},
		{"points_table = [1, 2, 4, 8, 16.5]", "points_table: the entry for 4: 16.5 is not an integer"},
		{"points_table = [1, 2, 4, 8, 9999999999]", "points_table: the entry for 4: 9999999999 is out of range"},
		{"points_table = [1, 2, 4, -8]", "points_table: the entry for 3: -8 is out of range"},
		{"points_table = \"mild\"", "points_table: \"mild\" is not one of its words; allowed: \"none\", \"half_spicy\" or"},
		{"points_table = [0, 0, 0, 0, 1]", "points_table: 3 faan are worth nothing, but min_win = 3 lets them win"},
		{"points_table = [0]", "points_table: 3 faan are worth nothing"},
		{"points_cap = 2", "points_cap: 2 is below min_win = 3, so that no hand could win; at least 3, or \"none\""},
		{"min_win = 11", "below min_win = 11"},
		{"points_table = \"full_spicy\"\npoints_cap = 30", "points_cap: 30: the table passes 1000000 beyond 19 faan; at most 19, \"none\" for that, or a list"},
		{"points_cap = 50", "points_cap: 50: the table passes 1000000 beyond 35 faan"},
		{"min_win = 99\npoints_cap = \"none\"", "min_win: 99: no hand has more than 39 faan that count toward it; at most 39"},
		{"min_win = 40\npoints_cap = \"none\"", "min_win: 40: no hand has more than 39 faan"},
		{"min_win = 36\npoints_cap = \"none\"\nflowers_count_for_min = false", "min_win: 36: no hand has more than 35 faan"},
		{"flower_win_seven = true\n[patterns]\nseven_flowers = \"off\"", "flower_win_seven: true, but the win is worth nothing"},
		{"fan_cap = 10", "fan_cap: is a knob of family hktw, taiwanese; allowed: the knobs of family hkos"},
		{"honba_value = 300", "honba_value: is a knob of family riichi"},
		{"half_gun = true", "half_gun: rulesets have no such knob: half gun is discarder_share = 2 and other_share = 1"},
	})
}

// TestPointsTables compares the tables of shares with the printed ones ([K] 7.2).
func TestPointsTables(t *testing.T) {
	half := []int32{1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384}
	full := []int32{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}
	table := ruleset.PointsTable{Curve: ruleset.HalfSpicy}
	if got := table.Shares(4, 13); !slices.Equal(got, half) {
		t.Errorf("half spicy %v, want %v", got, half)
	}
	table.Curve = ruleset.FullSpicy
	if got := table.Shares(4, 13); !slices.Equal(got, full) {
		t.Errorf("full spicy %v, want %v", got, full)
	}
	table.Curve = ruleset.NoTable
	if got := table.Shares(4, 13); len(got) != 14 || got[3] != 3 || got[13] != 13 {
		t.Errorf("no table %v, want the faan", got)
	}
	table = ruleset.PointsTable{List: [ruleset.MaxPointsTable]int32{3, 4, 5}, Len: 3}
	if got := table.Shares(4, 13); !slices.Equal(got, []int32{3, 4, 5}) {
		t.Errorf("a list gives %v", got)
	}
}
