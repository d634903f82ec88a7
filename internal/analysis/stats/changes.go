package stats

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Change is a knob whose value differs from that of the first dataset.
type Change struct {
	Knob string `json:"knob"`
	// From is the value in the first dataset, To the other one, as in a ruleset file but
	// without quotes.
	From string `json:"from"`
	To   string `json:"to"`
	// Scoring reports whether the knob is one of values and payments, so that it moves
	// amounts of points whatever is played.
	Scoring bool `json:"scoring,omitempty"`
}

// changesFrom returns the knobs in which the ruleset differs from that of the first dataset,
// in alphabetical order; nil if they are of different families. Prices of patterns that only
// one of them has are compared with "listed".
func (p *datasetSums) changesFrom(first *datasetSums) []Change {
	a, errA := first.Run.ReadRuleset()
	b, errB := p.Run.ReadRuleset()
	if errA != nil || errB != nil || a.Family != b.Family {
		return nil
	}
	var list []Change
	knobs := a.Knobs()
	for _, d := range configs.Diff(a, b) {
		k, _ := ruleset.FindKnob(knobs, d.Knob)
		list = append(list, Change{d.Knob, strings.ReplaceAll(d.ShownA, `"`, ""), strings.ReplaceAll(d.ShownB, `"`, ""), k.Scoring})
	}
	slices.SortFunc(list, func(a, b Change) int { return cmp.Compare(a.Knob, b.Knob) })
	return list
}
