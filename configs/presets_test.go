package configs

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
)

// Source: riichi specification, section 6.3 (presets in machine-readable form).
const riichiPresets = "testdata/riichi.jsonl"

// renamed gives for the knobs of the riichi specification that are called
// otherwise here the key and, where they differ too, the words.
var renamed = map[string]struct {
	key   string
	words map[string]any
}{
	"match_winds":                {"rounds", nil},
	"uma":                        {"placement", nil},
	"uma_tie":                    {"placement_tie", nil},
	"renchan":                    {"dealer_stays_on_draw", map[string]any{"agari": "never", "tenpai": "ready", "always": "always"}},
	"honba_on_noten_dealer_draw": {"counter_on_draw_passed", map[string]any{"increment": "plus_one", "keep": "keep", "reset": "reset"}},
	"kuikae_forbidden":           {"swap_ban", map[string]any{"none": "none", "genbutsu": "same_tile", "genbutsu_and_suji": "same_and_other_end"}},
	"kan_on_last_draw":           {"kan_min_wall", map[string]any{"false": 1.0, "true": 0.0}},
	"max_kans_per_hand":          {"max_kans", nil},
	"multi_ron":                  {"multi_win", map[string]any{"head_bump": "nearest", "all": "all", "all_abort_on_triple": "all_abort_on_triple"}},
	"chankan_ankan_kokushi":      {"rob_closed_kan", map[string]any{"false": "never", "true": "orphans"}},
	"min_yaku_han":               {"min_win", nil},
	"riichi_ankan":               {"ready_kan", nil},
	"karaten_scope":              {"live_wait", nil},
	"ippatsu":                    {"one_shot", nil},
	"temp_furiten_clears":        {"pass_lock_ends", nil},
	"yakuless_pass_sets_furiten": {"pass_lock_set_by", map[string]any{"true": "shape", "false": "legal_win"}},
}

// riichiAlways is what the specification's section 6.1 says of every preset, and
// the knobs of other families at what riichi does.
var riichiAlways = map[string]any{
	"hand_size":                  13.0,
	"flowers":                    "none",
	"last_flower":                "discard",
	"opening_flowers":            "seat_complete",
	"walls":                      "shared",
	"dead_wall":                  14.0,
	"replacement_from":           "tail",
	"replacement_order":          "top_first",
	"deal":                       "blocks",
	"deal_turn":                  "forward",
	"dealer_extra_tile":          "dealt",
	"last_tile_when":             "wall_empty",
	"exhausted_when":             "last_discard",
	"hands_per_round":            4.0,
	"round_wind":                 "by_round",
	"seat_rotation":              "none",
	"dealer_stays_on_win":        "any",
	"counter_on_shared_win":      "plus_one",
	"counter_on_draw_kept":       "plus_one",
	"last_dealer_plays_on":       true,
	"max_hands":                  0.0,
	"chi_from":                   "left",
	"kan_after_claim":            false,
	"kan_on_fresh_pon":           false,
	"kan_needs_next_wall":        false,
	"closed_kan_visible":         true,
	"last_discard_claims":        "win_only",
	"rob_added_kan":              true,
	"ready":                      "riichi",
	"ready_closed_only":          true,
	"river_lock":                 "hand",
	"pass_lock":                  "hand",
	"pass_lock_on_own_draw":      false,
	"pass_lock_on_rob":           true,
	"pass_lock_blocks_self_draw": false,
	"pass_lock_final_when_ready": true,
	"pass_lock_from_deal":        true,
	"locks_block_rob":            true,
	"pon_pass":                   "off",
	"points_table":               "none",
	"dealer_factor":              2.0,
	"ron_payment":                "discarder",
	"patterns":                   map[string]any{},
}

// TestRiichiPresets compares every knob of every riichi preset with the
// specification.
func TestRiichiPresets(t *testing.T) {
	file, err := os.Open(riichiPresets)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	full := map[string]map[string]any{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var spec map[string]any
		if err := json.Unmarshal(lines.Bytes(), &spec); err != nil {
			t.Fatal(err)
		}
		name := spec["preset"].(string)
		delete(spec, "preset")
		want := map[string]any{}
		base, overlay := spec["base"].(string)
		if overlay {
			maps.Copy(want, full[base])
			delete(spec, "base")
		} else {
			maps.Copy(want, riichiAlways)
			for key := range riichi.Family.Undefined {
				if _, ok := spec[key]; !ok {
					t.Errorf("%s: the specification has no knob %s that could be undefined", name, key)
				}
			}
		}
		for key, v := range spec {
			if _, ok := riichi.Family.Undefined[key]; ok {
				continue
			}
			if v == nil {
				v = "none"
			}
			if to, ok := renamed[key]; ok {
				key = to.key
				if to.words != nil {
					word, ok := to.words[fmt.Sprint(v)]
					if !ok {
						t.Fatalf("%s: no word for %s = %v", name, key, v)
					}
					v = word
				}
			}
			want[key] = v
		}
		full[name] = want

		r, err := Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if r.Base != base {
			t.Errorf("%s: base %q, want %q", name, r.Base, base)
		}
		got := map[string]any{}
		for _, k := range r.Knobs() {
			// By way of JSON, so that numbers are alike.
			text, err := json.Marshal(k.Value())
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatal(err)
			}
			got[k.Key] = v
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the specification (-):\n%s", name, diff)
		}
	}
	var names []string
	for _, name := range Names() {
		if r, err := Open(name); err == nil && r.Family.Name == "riichi" && r.Config.Common().NumSeats() == ruleset.NumPlayers {
			names = append(names, name)
		}
	}
	if len(names) != len(full) {
		t.Errorf("there are presets %v; the specification has %d", names, len(full))
	}
}

// TestThreePlayerPresets compares the presets of three players with the specification of
// three-player riichi, section 14.3.
func TestThreePlayerPresets(t *testing.T) {
	f, err := os.Open("testdata/three_players.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	presets := 0
	for s := bufio.NewScanner(f); s.Scan(); presets++ {
		var spec map[string]any
		if err := json.Unmarshal(s.Bytes(), &spec); err != nil {
			t.Fatal(err)
		}
		r, err := Open(spec["preset"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if r.Base != spec["base"] {
			t.Errorf("%s: base %q, want %q", r.Name, r.Base, spec["base"])
		}
		delete(spec, "preset")
		delete(spec, "base")
		for _, k := range r.Knobs() {
			want, ok := spec[k.Key]
			if !ok {
				continue
			}
			delete(spec, k.Key)
			if got := fmt.Sprint(k.Value()); got != fmt.Sprint(want) {
				t.Errorf("%s: %s = %s, want %v", r.Name, k.Key, got, want)
			}
		}
		for key, want := range spec {
			t.Errorf("%s: no knob %s, which is to be %v", r.Name, key, want)
		}
	}
	if presets != 2 {
		t.Errorf("%d presets", presets)
	}
}
