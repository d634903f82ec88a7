// Package riichi is the family of riichi rules: its knobs, yaku, fu, limits,
// payments, liability and final scores.
//
// Comments cite S4, the EMA Riichi Rules of 2016 in their Chinese edition, EN,
// their English edition, and S0, the league rules of the Hong Kong Mahjong
// Association as revised on 30 March 2025, by chapter.
package riichi

import "github.com/sparrowhall/sparrowhall/ruleset"

// Family is the riichi family.
var Family = ruleset.Family{
	Name: "riichi",
	New: func() ruleset.Config {
		return &Config{Flow: ruleset.Flow{Dora: true}}
	},
	Undefined: map[string]string{
		"atozuke":                "no rule text says what forbidding it would mean; a yaku may always be fixed by the winning tile",
		"infraction_mode":        "illegal actions are always refused",
		"chombo_final_score":     "illegal actions are always refused, so a chombo cannot happen",
		"chombo_redeal_min_wall": "illegal actions are always refused, so a chombo cannot happen",
	},
}
