// Package taiwanese is the family of Taiwanese mahjong (台灣麻將) with sixteen tiles: its knobs,
// 40 patterns whose tai add up, base and tai stakes, and the dealer item with its repeats. The
// shapes, the readings and most of the patterns are those of package hktw.
//
// Comments cite [T], the rules as docs/rules/taiwanese.md puts them together, by its sections.
// Amounts of payments are in half points, as in hktw.
package taiwanese

import (
	_ "embed" // the words of the knobs

	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed knobwords.go
var knobWords string

func init() { ruleset.RegisterWords(knobWords) }

// Family is the family of Taiwanese mahjong.
var Family = ruleset.Family{
	Name: "taiwanese", Title: "Taiwanese",
	New: func() ruleset.Config {
		return &Config{Flow: ruleset.Flow{
			HalfPoints: true, FirstWins: ruleset.GoAroundWins, LastTileAfterKan: true,
			LastDiscardAfterKan: true, FlowersAtOnce: true,
		}}
	},
	Traits: ruleset.Traits{
		Scale: 100, HandSpread: 105, Margin: 15, CountsTai: true,
		CaseWords: `flowers dealer dealer_streak liable ready ready_early ready_earth ready_heaven after_flower
			heavenly earthly human flower_win_7 flower_win_8`,
	},
	FlowKnobs: `
		ready_tiers ready_within earthly_scope flower_win_eight flower_win_seven_rob_one flower_win_optional
		flower_win_in_opening di_points award_seven_rob_one_di award_eight_flowers_di`,
	Undefined: map[string]string{
		"seat_wind_from":           "the wind of a seat is counted from the dealer",
		"pull_enabled":             "every win is paid at once; debts are the game of family hktw",
		"concealed_self_draw_mode": "patterns.concealed_self_draw = \"off\" lets concealed and self_draw add up",
		"di_base_points":           "it is base_points here",
		"false_win_penalty":        "illegal actions are always refused, so there is nothing to punish",
	},
}
