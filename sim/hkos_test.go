package sim_test

import "testing"

// The variations of the preset. The referee knows the first kind; of the others only the
// invariants hold that all rules share.
var (
	hkosKnobs = []knobs{
		{"replacement_order": "linear"},
		{"deal": "sequential"},
		{"deal_turn": "backward"},
		{"dead_wall": 14},
		{"rounds": 1},
		{"rounds": 3, "hands_per_round": 2},
		{"max_hands": 5},
		{"dealer_stays_on_draw": "never"},
		{"dealer_stays_on_win": "never"},
		{"last_dealer_plays_on": false, "rounds": 1},
		{"chi_from": "any"},
		{"swap_ban": "same_tile"},
		{"swap_ban": "same_and_other_end"},
		{"kan_after_claim": false},
		{"kan_on_fresh_pon": true},
		{"kan_min_wall": 3},
		{"max_kans": 2},
		{"closed_kan_visible": false},
		{"last_discard_claims": "all"},
		{"multi_win": "all"},
		{"multi_win": "all", "dealer_stays_on_win": "alone"},
		{"rob_added_kan": false},
		{"rob_closed_kan": "never"},
		{"river_lock": "kind"},
		{"pass_lock": "hand"},
		{"pass_lock": "kind", "pass_lock_ends": "own_draw"},
		{"pass_lock": "kind", "pass_lock_set_by": "shape"},
		{"pon_pass": "own_draw"},
		{"min_win": 0},
		{"min_win": 1, "flowers_count_for_min": false},
		{"min_win": 8},
		{"flowers": "none", "min_win": 2},
		{"flower_win_seven": false},
		{"flower_win_eight": false},
		{"flower_win_optional": false},
		{"flower_win_in_opening": false},
		{"opening_flowers": "round_robin"},
		{"points_table": "full_spicy"},
		{"points_cap": "none", "limit_exclusive": false},
		{"rob_payment": "self_draw_all", "points_cap": 8},
		{"self_draw_multiplier": 1},
		{"starting_points": -50},
	}
	otherHkosKnobs = []knobs{
		{"discarder_share": 2, "other_share": 1},
		{"dealer_factor": 2},
		{"liability": []any{"twelve_tiles_one_suit", "nine_tiles_one_suit", "four_kong", "kan_draw"}},
		{"liability_scope": "all_wins", "liability_counts_closed_kan": true},
		{"rob_closed_kan": "always"},
		{"round_wind": "random"},
		{"placement_tie": "seat_order"},
		{"tobi": "below_zero", "starting_points": 500},
		{"points_table": []any{1, 1, 1, 1, 2, 4, 4, 8, 8, 8, 16, 16, 16, 32}, "points_cap": 13},
	}
)

// TestHkosKnobs plays matches under every variation, and under several at once.
func TestHkosKnobs(t *testing.T) { playKnobs(t, "hk_old_style", hkosKnobs, otherHkosKnobs) }
