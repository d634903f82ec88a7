// Package mcr is the family of the Chinese official rules, the Mahjong
// Competition Rules: its knobs, the 81 fan, the shapes with knitted tiles,
// payments and table points.
//
// Comments cite SEED, the Chinese text of 2009, GB06, the English edition of 2006,
// and ZH14, the Chinese edition of 2014, by article or by number of the fan. Where the texts are silent or differ, the reading taken
// has a number of its own, D1 to D25; docs/rules/mcr.md lists them.
package mcr

import (
	_ "embed" // the words of the knobs

	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed knobwords.go
var knobWords string

func init() { ruleset.RegisterWords(knobWords) }

// Family is the family of the Chinese official rules.
var Family = ruleset.Family{
	Name: "mcr", Title: "MCR",
	New: func() ruleset.Config {
		// A replacement tile that empties the wall is the last tile too, and the
		// discard after it the last discard (D22).
		return &Config{Flow: ruleset.Flow{LastTileAfterKan: true, LastDiscardAfterKan: true}}
	},
	Traits:    ruleset.Traits{Scale: 40, HandSpread: 50, Margin: 15, CaseWords: "flowers after_flower last_copy heavenly"},
	FlowKnobs: `discard_origin_hidden forfeit_points`,
	Undefined: map[string]string{
		"seats":          "a table has four players",
		"furiten":        "no rule text says what it would forbid; river_lock and pass_lock are off",
		"illegal_action": "illegal actions are always refused; forfeit_points says what a player pays whose agent insists",
	},
}
