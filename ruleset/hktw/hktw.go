// Package hktw is the family of Hong Kong-style Taiwanese rules with sixteen
// tiles: its knobs, a hundred fan, the payments, and the pull, by which wins are
// carried as debts that grow or shrink.
//
// Comments cite [H], the league rules of the Hong Kong Mahjong Association for
// this game (港式台牌聯賽規則), by the sections of docs/rules/hktw.md. Amounts of
// payments and debts are in half points.
package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

// Family is the Hong Kong-style Taiwanese family.
var Family = ruleset.Family{
	Name: "hktw",
	New: func() ruleset.Config {
		return &Config{Flow: ruleset.Flow{
			HalfPoints:          true,
			FirstWins:           ruleset.GoAroundWins,
			LastTileAfterKan:    true,
			LastDiscardAfterKan: true,
			FlowersAtOnce:       true,
		}}
	},
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
