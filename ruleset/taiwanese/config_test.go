package taiwanese_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
)

// TestCheck changes one knob of the preset to a value that the family cannot be
// played with.
func TestCheck(t *testing.T) {
	rulestest.Unplayable(t, preset, map[string]any{
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
		"ready_tiers":          "hkma",
		"ready_within":         8,
		"one_shot":             true,
		"placement":            []any{3, 1, -1, -3},
		"placement_tie":        "high",
		"base_points":          0,
		"min_win":              900,
	})
}

// TestRefusals holds what is refused, and the remedy that the error names.
func TestRefusals(t *testing.T) {
	rulestest.Refused(t, preset, []struct{ Lines, Want string }{
		{"base_points = 0", "base_points: 0: a hand without tai would win nothing; at least 1, or min_win = 1"},
		{"base_points = 10001", "base_points: 10001 is out of range"},
		{"tai_points = 0", "tai_points: 0 is out of range"},
		{"min_win = 5\nfan_cap = 4", "fan_cap: 4 is below min_win = 5, so that no hand could win; at least 5, or \"none\""},
		{"min_win = 900", "min_win: 900: no hand has more than "},
		{"pinghu_conditions = [\"no_kans\"]", "pinghu_conditions: "},
		{"pinghu_conditions = [\"no_honors\", \"no_honors\"]", "pinghu_conditions: "},
		{"liability = [\"twelve_tiles\"]", "liability: "},
		{"ready_within = 8", "ready_within: 8, but such a declaration is worth nothing: patterns.ready_early is \"off\"; 0, or a price"},
		{"ready = \"none\"\nready_within = 8\n[patterns]\nready_early = 8", "ready_within: 8, but ready = \"none\" lets no player declare"},
		{"[patterns]\ntwo_flower_sets = \"off\"", "flower_win_eight: true, but the win is worth nothing"},
		{"[patterns]\nseven_rob_one = \"off\"", "flower_win_seven_rob_one: true, but the win is worth nothing"},
		{"[patterns]\nself_draw = 101", "patterns.self_draw: "},
		{"[patterns]\nbig_chicken = 10", "big_chicken"},
		{"pull_growth = 2", "pull_growth: is a knob of family hktw; allowed: the knobs of family taiwanese"},
		{"points_cap = 10", "points_cap: is a knob of family mcr, hkos; allowed: the knobs of family taiwanese"},
		{"honba_value = 300", "honba_value: is a knob of family riichi"},
		{"seat_wind_from = \"wall_break\"", "seat_wind_from: rulesets have no such knob: the wind of a seat is counted from the dealer"},
	})
}
