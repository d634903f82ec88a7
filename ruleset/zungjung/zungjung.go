// Package zungjung is the family of Zung Jung rules: its knobs, 44 patterns,
// limits, payment schemes and standings.
//
// Comments cite [S], the rules of Universal Mahjong (通用麻將規則), and [Z],
// Zung Jung v3.3 by Alan Kwan, by the sections of docs/rules/zungjung.md.
package zungjung

import (
	_ "embed" // the words of the knobs

	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed knobwords.go
var knobWords string

func init() { ruleset.RegisterWords(knobWords) }

// Family is the Zung Jung family.
var Family = ruleset.Family{
	Name: "zungjung", Title: "Zung Jung",
	New: func() ruleset.Config {
		// A replacement tile that leaves nothing to draw is the seabed tile, and
		// the discard after it the riverbed tile ([S] 2.7).
		return &Config{Flow: ruleset.Flow{
			FirstWins: ruleset.DealtWins, LastTileAfterKan: true, LastDiscardAfterKan: true,
		}}
	},
	Traits:    ruleset.Traits{Scale: 60, HandSpread: 40, Margin: 15, CaseWords: "responsible heavenly earthly human"},
	FlowKnobs: `same_round_immunity blessings_void_after_east_kong`,
	Undefined: map[string]string{
		"initial_seating":   "the caller decides who sits where; the engine draws no seats",
		"freedom_of_count":  "the best reading always counts; there is no player to choose another",
		"draw_payments":     "the texts know no payment for a drawn hand",
		"penalty_tiles":     "illegal actions are always refused, so no tile can become a penalty tile",
		"kong_on_last_tile": "a kan without a drawable tile would take one of the king tiles, which never move; kan_min_wall is at least 1",
	},
}
