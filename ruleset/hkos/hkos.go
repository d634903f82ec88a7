// Package hkos is the family of Hong Kong Old Style (港式舊章): its knobs, 36 patterns whose
// faan add up, the table from faan to points, payments and liability.
//
// Comments cite [K], the rules as docs/rules/hkos.md puts them together, by its sections.
package hkos

import (
	_ "embed" // the words of the knobs

	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed knobwords.go
var knobWords string

func init() { ruleset.RegisterWords(knobWords) }

// Family is the family of Hong Kong Old Style.
var Family = ruleset.Family{
	Name: "hkos", Title: "Hong Kong Old Style",
	New: func() ruleset.Config {
		return &Config{Flow: ruleset.Flow{
			FirstWins: ruleset.GoAroundWins, LastTileAfterKan: true, LastDiscardAfterKan: true,
			FlowersAtOnce: true,
		}}
	},
	Traits: ruleset.Traits{
		Scale: 60, HandSpread: 67, Margin: 15, DoublingPrices: true, CountsFaan: true,
		CaseWords: `flowers liable after_flower after_two_kans heavenly earthly human flower_win_7 flower_win_8`,
	},
	FlowKnobs: `tobi flower_win_seven flower_win_eight flower_win_optional flower_win_in_opening`,
	Undefined: map[string]string{
		"pao_multiple":      "of two liable players the one who became so first pays",
		"false_win_penalty": "illegal actions are always refused, so there is nothing to punish",
		"half_gun":          "half gun is discarder_share = 2 and other_share = 1",
	},
}
