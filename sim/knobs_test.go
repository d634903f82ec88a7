package sim_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// knobs is a change of a ruleset.
type knobs map[string]any

// The variations play far from the presets. The referee knows the first kind; of
// the others only the invariants hold that all rules share.
var (
	judgedKnobs = []knobs{
		{"aka_dora": []any{2, 3, 4}},
		{"multi_win": "nearest"},
		{"multi_win": "all"},
		{"multi_win": "all_abort_on_triple"},
		{"deal": "sequential"},
		{"deal_turn": "backward"},
		{"dealer_extra_tile": "drawn"},
		{"rounds": 1},
		{"rounds": 4, "extension": "none", "score_multiplier_by_winds": knobs{"4": 2}},
		{"hands_per_round": 2},
		{"max_hands": 3},
		{"max_kans": 0},
		{"max_kans": 1},
		{"kan_dora": false},
		{"kan_dora_timing_ankan": "on_next_discard", "kan_dora_timing_open": "on_next_discard"},
		{"rob_closed_kan": "orphans"},
		{"riichi_min_live_wall": 0},
		{"riichi_min_points": 25000},
		{"riichi_furiten_allowed": false},
		{"riichi_needs_live_shape": false},
		{"live_wait": "none"},
		{"live_wait": "concealed"},
		{"ready_kan": "never"},
		{"ready_kan": "waits_same"},
		{"double_riichi_broken_by_ankan": false},
		{"one_shot": false},
		{"ready": "none"},
		{"riichi_stick": 0},
		{"riichi_stick": 5000},
		{"tenpai_declaration": "optional_in_order"},
		{"tenpai_declaration": "none"},
		{"tobi": "zero_or_below"},
		{"agari_yame": "optional", "tenpai_yame": "optional", "yame_min_points": 1},
		{"agari_yame": "auto", "yame_min_points": 1},
		{"kyuushu_kyuuhai": true, "suufon_renda": true, "suucha_riichi": true, "suukaikan": "abort"},
		{"dealer_stays_on_draw": "always"},
		{"dealer_stays_on_draw": "never", "dealer_stays_on_win": "never"},
		{"dealer_stays_on_win": "alone", "counter_on_draw_kept": "keep", "counter_on_draw_passed": "reset"},
		{"last_dealer_plays_on": false},
		{"extension": "sudden_death", "extension_target": 40000},
		{"extension": "sudden_death", "extension_target": 40000, "extension_renchan_priority": true},
		{"nagashi_mangan": "draw_bonus"},
		{"leftover_deposits": "void"},
		{"rinshan_pao": true},
		{"points_table": []any{0, 300, 400, 500, 2000}},
		{"dealer_factor": 1},
		{"dealer_factor": 3, "ron_payment": "each"},
	}
	otherKnobs = []knobs{
		{"kan_after_claim": true},
		{"kan_after_claim": true, "kan_on_fresh_pon": true, "swap_ban": "none"},
		{"kan_min_wall": 0},
		{"kan_min_wall": 3},
		{"chi_from": "any"},
		{"swap_ban": "none"},
		{"swap_ban": "same_tile"},
		{"closed_kan_visible": false},
		{"closed_kan_visible": false, "rob_closed_kan": "orphans"},
		{"last_discard_claims": "all"},
		{"river_lock": "off"},
		{"river_lock": "kind"},
		{"pass_lock": "off"},
		{"pass_lock": "kind"},
		{"pass_lock_ends": "own_draw"},
		{"pass_lock_ends": "own_discard"},
		{"pass_lock_ends": "any_call"},
		{"pass_lock_set_by": "legal_win"},
		{"pass_lock_blocks_self_draw": true, "pass_lock_on_own_draw": true},
		{"pass_lock_final_when_ready": false},
		{"pass_lock_from_deal": false},
		{"pass_lock_on_rob": false},
		{"locks_block_rob": false},
		{"rob_added_kan": false},
		{"pon_pass": "own_draw"},
		{"pon_pass": "own_discard"},
		{"rinshan_counts_as_haitei": true},
		{"houtei_after_rinshan": false},
	}
)

// TestKnobs plays matches under every variation of two presets that differ much,
// and under several variations at once.
func TestKnobs(t *testing.T) {
	for _, base := range []string{"ema_2016", "mahjong_soul"} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			for i, k := range slices.Concat(judgedKnobs, otherKnobs) {
				playVariation(t, base, k, uint64(i), i < len(judgedKnobs))
			}
		})
	}
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range sample(30, 200) {
			all := knobs{}
			for range 1 + rng.IntN(8) {
				list := judgedKnobs
				if rng.IntN(2) == 0 {
					list = otherKnobs
				}
				maps.Copy(all, list[rng.IntN(len(list))])
			}
			playVariation(t, "tenhou", all, uint64(i), false)
		}
	})
}

// playVariation plays matches under a preset with some knobs changed.
func playVariation(t *testing.T, base string, k knobs, seed uint64, judged bool) {
	t.Helper()
	overrides := knobs{}
	for key, value := range k {
		overrides[key] = tomlValue(value)
	}
	r, err := configs.LoadWith(base, overrides)
	if err != nil {
		// Contradictions are the configuration's to refuse; one alone has none.
		if judged || len(k) <= 3 {
			t.Errorf("%s with %v: %v", base, k, err)
		}
		return
	}
	if r.DealerStaysOnDraw == ruleset.StaysAlways && r.MaxHands == 0 {
		// A dealer who never loses the deal may play for long.
		overrides["max_hands"] = int64(12)
		if r, err = configs.LoadWith(base, overrides); err != nil {
			t.Fatal(err)
		}
	}
	c := newChecker(r, judged, sample(71, 29))
	for i := range sample(1, 10) {
		n := seed + uint64(i)
		if err := c.match(n, &tables[n%uint64(len(tables))]); err != nil {
			t.Errorf("%s with %v: %v", base, k, err)
			return
		}
	}
}

// tomlValue gives integers the type that a decoder gives them.
func tomlValue(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = tomlValue(v[i])
		}
		return list
	case knobs:
		table := map[string]any{}
		for key, value := range v {
			table[key] = tomlValue(value)
		}
		return table
	case string, bool, float64:
		return v
	}
	panic(fmt.Sprintf("knob value %v", v))
}
