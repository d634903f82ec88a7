package sim_test

import "testing"

// The variations of the preset. The referee knows the first kind; of the others only the
// invariants hold that all rules share.
var (
	taiwaneseKnobs = []knobs{
		{"replacement_order": "linear"},
		{"deal": "sequential"},
		{"deal_turn": "backward"},
		{"dealer_extra_tile": "drawn"},
		{"dead_wall": 0},
		{"exhausted_when": "empty_draw"},
		{"rounds": 1},
		{"rounds": 3, "hands_per_round": 2},
		{"max_hands": 5},
		{"dealer_stays_on_draw": "never"},
		{"dealer_stays_on_win": "never"},
		{"counter_on_shared_win": "reset", "multi_win": "all"},
		{"last_dealer_plays_on": false, "rounds": 1},
		{"chi_from": "any"},
		{"swap_ban": "same_tile"},
		{"swap_ban": "same_and_other_end"},
		{"kan_after_claim": true},
		{"kan_after_claim": true, "kan_on_fresh_pon": true},
		{"kan_min_wall": 3},
		{"max_kans": 2},
		{"closed_kan_visible": true},
		{"last_discard_claims": "all"},
		{"multi_win": "all"},
		{"multi_win": "all", "dealer_stays_on_win": "alone"},
		{"rob_added_kan": false},
		{"rob_closed_kan": "always"},
		{"ready": "none", "ready_within": 0},
		{"ready_closed_only": false},
		{"ready_kan": "waits_same"},
		{"ready_tiers": "off"},
		{"ready_tiers": "first_discard"},
		{"ready": "ding", "ready_within": 8, "patterns": knobs{"ready_early": 8}},
		{"ready": "ding", "ready_within": 16, "ready_tiers": "off", "patterns": knobs{"ready_early": 8}},
		{"live_wait": "none"},
		{"river_lock": "kind"},
		{"pass_lock": "off"},
		{"pass_lock": "kind", "pass_lock_ends": "own_discard"},
		{"pass_lock_on_own_draw": true, "pass_lock_blocks_self_draw": true},
		{"pass_lock_final_when_ready": true},
		{"pon_pass": "own_draw"},
		{"earthly_scope": "dealer_discard"},
		{"flowers": "none"},
		{"flower_win_eight": false},
		{"flower_win_seven_rob_one": false},
		{"flower_win_optional": true},
		{"flower_win_in_opening": false},
		{"opening_flowers": "round_robin"},
		{"flower_win_eight": false, "di_points": 10, "award_eight_flowers_di": 8},
		{"flower_win_optional": true, "di_points": 5, "award_seven_rob_one_di": 4},
		{"base_points": 100},
		{"starting_points": -50},
	}
	otherTaiwaneseKnobs = []knobs{
		{"tai_points": 20},
		{"dealer_item": 2, "dealer_item_per_repeat": 1},
		{"min_win": 3},
		{"fan_cap": 8},
		{"liability": []any{"big_three_dragons", "big_four_winds", "fifteen_tiles_one_suit"}},
		{"liability": []any{"big_three_dragons"}, "liability_scope": "self_draw", "liability_counts_closed_kan": true},
		{"patterns": knobs{"lik_gu": 8, "ready_early": 8}},
		{"round_wind": "random"},
		{"placement_tie": "seat_order"},
	}
)

// TestTaiwaneseKnobs plays matches under every variation, and under several at once.
func TestTaiwaneseKnobs(t *testing.T) {
	playKnobs(t, "taiwanese", taiwaneseKnobs, otherTaiwaneseKnobs)
}
