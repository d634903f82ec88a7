package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Disagreement says by how much the effect of a ruleset is another where other agents
// play.
type Disagreement struct {
	// Field is the number of the report that is compared with number 0, Dataset that of
	// the ruleset in both.
	Field   int `json:"field"`
	Dataset int `json:"dataset"`
	Key
	Meaning
	// Difference is the effect in that field less the effect in the first.
	Difference
}

// Disagreements compares the effects of the same rulesets in several fields of agents,
// headline by headline. The fields are taken as independent, which is too careful where
// they share their walls; probabilities are corrected for the number of all of these
// comparisons by Holm's method.
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
				d := Difference{Value: b.Value - a.Value, Error: math.Hypot(a.Error, b.Error), P: 1, Low: summary.Missing, High: summary.Missing}
				if d.Error > 0 {
					d.P = summary.Number(2 * distuv.UnitNormal.Survival(math.Abs(d.Value)/d.Error))
					half := interval.Normal * d.Error
					d.Low, d.High = summary.Number(d.Value-half), summary.Number(d.Value+half)
				}
				list = append(list, Disagreement{i, n, k, a.Meaning, d})
			}
		}
	}
	var differences []*Difference
	for i := range list {
		differences = append(differences, &list[i].Difference)
	}
	Adjust(differences)
	return list
}
