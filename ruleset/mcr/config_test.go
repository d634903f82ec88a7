package mcr_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
)

// TestPresetsDiffer holds the presets to the knobs in which the book and the
// judge of Botzone differ.
func TestPresetsDiffer(t *testing.T) {
	judge := mcr.Family.Knobs(rulestest.Config[*mcr.Config](t, "botzone", nil))
	var differ []string
	for i, k := range mcr.Family.Knobs(rulestest.Config[*mcr.Config](t, "mcr_2006", nil)) {
		if k.Text() != judge[i].Text() {
			differ = append(differ, k.Key)
		}
	}
	slices.Sort(differ)
	want := []string{
		"all_green_allows_half_flush", "all_terminals_allows_double_pung", "deal", "dealer_extra_tile", "discard_origin_hidden",
		"exhausted_when", "flowers", "forfeit_points", "hands_per_round", "inevitable_tile_hog", "kan_needs_next_wall",
		"kong_concealment", "last_tile_when", "mixed_kongs_points", "placement", "replacement_from",
		"replacement_order", "round_wind", "rounds", "seat_rotation", "special_self_draw",
		"two_concealed_kongs_points", "walls",
	}
	if !slices.Equal(differ, want) {
		t.Errorf("the presets differ in %v, want %v", differ, want)
	}
}

// TestCheck finds each contradiction under the key that should change.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		key   string
		with  map[string]any
		wrong bool
	}{
		{"hand_size", map[string]any{"hand_size": 16}, true},
		{"dead_wall", map[string]any{"dead_wall": 14}, true},
		{"flowers", map[string]any{"walls": "per_seat", "replacement_from": "front"}, true},
		{"replacement_from", map[string]any{"walls": "per_seat", "flowers": "none"}, true},
		{"walls", map[string]any{"walls": "per_seat", "flowers": "none", "replacement_from": "front"}, false},
		{"multi_win", map[string]any{"multi_win": "all_abort_on_triple"}, true},
		{"multi_win", map[string]any{"multi_win": "all"}, false},
		{"rob_closed_kan", map[string]any{"rob_closed_kan": "always"}, true},
		{"rob_closed_kan", map[string]any{"rob_closed_kan": "orphans"}, false},
		{"ready", map[string]any{"ready": "ding"}, true},
		{"one_shot", map[string]any{"one_shot": true}, true},
		{"river_lock", map[string]any{"river_lock": "hand"}, true},
		{"pass_lock", map[string]any{"pass_lock": "kind"}, true},
		{"pon_pass", map[string]any{"pon_pass": "own_draw"}, true},
		{"placement", map[string]any{"placement": []any{4, 2, 1, 0.025}}, true},
		{"placement", map[string]any{"placement": []any{4, 2, 1, 0.025}, "placement_tie": "high"}, false},
		{"placement", map[string]any{"placement": []any{4, 3, 2, 1}}, false},
		{"placement", map[string]any{"placement": []any{0.05, 0.05, 0, 0}}, false},
		{"placement", map[string]any{"placement": []any{0.1, 0.025, 0, 0}}, true},
		{"placement_tie", map[string]any{"placement_tie": "seat_order"}, true},
		{"flowers", map[string]any{"flowers": "optional"}, false},
		{"points_table", map[string]any{"points_table": "half_spicy"}, true},
		{"points_table", map[string]any{"points_table": []any{0, 1}}, false},
		{"points_table", map[string]any{"points_table": []any{0, 0}, "base_points": 0}, true},
		{"points_cap", map[string]any{"points_cap": 7}, true},
		{"points_cap", map[string]any{"points_cap": 8}, false},
	} {
		_, err := configs.LoadWith("mcr_2006", c.with)
		switch {
		case !c.wrong && err != nil:
			t.Errorf("%v: %v", c.with, err)
		case c.wrong && (err == nil || !strings.HasPrefix(err.Error(), c.key+": ")):
			t.Errorf("%v: error %v, want one with %s", c.with, err, c.key)
		}
	}
}

// TestKnobs has a key for every name of the rule text, be it the same, another
// one, or one that is explained.
func TestKnobs(t *testing.T) {
	known := map[string]bool{}
	maps.Insert(known, func(yield func(string, bool) bool) {
		for key := range mcr.Family.Undefined {
			yield(key, true)
		}
		for _, k := range mcr.Family.Knobs(mcr.Family.New()) {
			for _, name := range append(k.Spec, k.Key) {
				yield(name, true)
			}
		}
	})
	for _, name := range []string{
		"seats", "initial_win_tile", "furiten", "illegal_action",
		"flower_points", "flowers_count_for_min", "base_points", "discard_payment", "starting_points",
		"two_concealed_kongs_points", "mixed_kongs_points", "special_self_draw", "kong_concealment",
		"all_green_allows_half_flush", "all_terminals_allows_double_pung", "inevitable_tile_hog",
		"nine_gates_terminal_pungs", "knitted_straight_waits", "lesser_knitted_straight", "pung_by_discard",
		"exhausted_kinds_are_waits", "seven_pairs_composition", "seven_pairs_quads", "tile_hog_honors", "chicken_hand",
	} {
		if !known[name] {
			t.Errorf("no knob and no reason for %s", name)
		}
	}
}

// TestPresetsKeepTheirText reads the presets as they are written out in full.
func TestPresetsKeepTheirText(t *testing.T) {
	for _, name := range []string{"mcr_2006", "botzone"} {
		r, err := configs.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := configs.Parse(name, []byte(r.TOML()))
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash != r.Hash() || again.Family != "mcr" || again.MinWin != 8 {
			t.Errorf("%s is not what it was: %+v", name, again.Flow)
		}
		if again.Flow.Walls == ruleset.WallPerSeat != (name == "botzone") {
			t.Errorf("%s has walls %v", name, again.Flow.Walls)
		}
	}
}

// TestLastTileAfterKan holds that a replacement tile that empties the wall is the last
// tile, and the discard after it the last discard (D22), in every ruleset.
func TestLastTileAfterKan(t *testing.T) {
	for _, name := range []string{"mcr_2006", "botzone"} {
		if f := rulestest.Config[*mcr.Config](t, name, nil).Flow; !f.LastTileAfterKan || !f.LastDiscardAfterKan {
			t.Errorf("%s: last tile %v, last discard %v", name, f.LastTileAfterKan, f.LastDiscardAfterKan)
		}
	}
}
