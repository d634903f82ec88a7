package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Disagreement is the difference of the effects that a ruleset has on a figure with two sets
// of agents.
type Disagreement struct {
	// Field is the number of the results that are compared with number 0, Dataset is the
	// number of the ruleset in both.
	Field   int `json:"field"`
	Dataset int `json:"dataset"`
	Key
	Meaning
	// Difference is the effect in that field minus the effect in the first.
	Difference
}

// Disagreements compares the effects of the same rulesets in several fields of agents,
// headline by headline. It treats the fields as independent, which is conservative where
// they share their walls, and corrects probabilities for the number of comparisons by Holm's
// method.
func Disagreements(fields []*Results) []Disagreement {
	var list []Disagreement
	for i, r := range fields {
		if i == 0 {
			continue
		}
		for n := 1; n < min(len(fields[0].Datasets), len(r.Datasets)); n++ {
			for _, k := range Headlines {
				a, b := fields[0].Comparison(n, k), r.Comparison(n, k)
				if a == nil || b == nil || !a.P.Known() || !b.P.Known() {
					continue
				}
				d := noDifference()
				d.Value, d.Error, d.P = b.Value-a.Value, math.Hypot(a.Error, b.Error), 1
				if d.Error > 0 {
					d.P = interval.Number(2 * distuv.UnitNormal.Survival(math.Abs(d.Value)/d.Error))
					d.Low, d.High = interval.Around(d.Value, interval.Normal*d.Error)
				}
				list = append(list, Disagreement{i, n, k, a.Meaning, d})
			}
		}
	}
	AdjustAll(list, func(d *Disagreement) *Difference { return &d.Difference })
	return list
}
