// Package hktw is the family of Hong Kong-style Taiwanese rules with sixteen
// tiles: its knobs, a hundred fan, the payments, and the pull, by which wins are
// carried as debts that grow or shrink.
//
// Comments cite [H], the league rules of the Hong Kong Mahjong Association for
// this game (港式台牌聯賽規則), by the sections of docs/rules/hktw.md. Amounts of
// payments and debts are in half points.
package hktw

import (
	_ "embed" // the words of the knobs

	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed knobwords.go
var knobWords string

func init() { ruleset.RegisterWords(knobWords) }

// Family is the Hong Kong-style Taiwanese family.
var Family = ruleset.Family{
	Name: "hktw", Title: "Hong Kong-style Taiwanese",
	New: func() ruleset.Config {
		return &Config{Flow: ruleset.Flow{
			HalfPoints: true, FirstWins: ruleset.GoAroundWins, LastTileAfterKan: true,
			LastDiscardAfterKan: true, FlowersAtOnce: true,
		}}
	},
	Traits: ruleset.Traits{
		Scale: 40, HandSpread: 67, Margin: 15,
		CaseWords: `flowers dealer dealer_streak ippatsu ready ready_human ready_earth ready_heaven after_flower last_copy
			sole_live heavenly earthly human double_win triple_win flower_win_7 flower_win_8 river tail_draws`,
	},
	FlowKnobs: `
		discard_origin_hidden ready_initial_window ready_tiers one_shot_broken_by win_pass_on_flower_decline
		flower_win_eight flower_win_seven_rob_one flower_win_optional
		flower_win_in_opening di_points award_grass_di award_grass_once
		award_grass_and_set_together award_flower_set_di award_seven_rob_one_di
		award_eight_flowers_di award_concealed_kong_di award_concealed_kong_escalates
		award_chase_outer_di award_chase_inner_di chase_scope pull_cut_after
		early_counts_winning_discard early_counts_called_tiles true_last_mode`,
	Undefined: map[string]string{
		"penalties_enabled":          "illegal actions are always refused, so there is nothing to punish",
		"liability":                  "the rules know no liability, and no text says what it would be",
		"discard_payment":            "the discarder pays the whole hand; no text says how it would be shared",
		"self_draw_payment":          "each opponent pays the whole hand; no text says how it would be split",
		"lik_gu_pair_258":            "none of the seven pairs is the pair, and no text says which would count",
		"absorb_unavoidable_singles": "no text says which of the fan counted for each tile or meld is the unavoidable one",
		"use_flowers":                "flowers is \"forced\" or \"none\"",
		"win_pass":                   "pass_lock and pass_lock_ends say it",
		"fan_enabled":                "the table patterns says \"off\" of the fan that do not exist",
	},
}
