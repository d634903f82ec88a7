package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/plain"
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
func Disagreements(fields []*Report) []Disagreement {
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
				d := Difference{Value: b.Value - a.Value, Error: math.Hypot(a.Error, b.Error), P: 1, Low: export.Missing, High: export.Missing}
				if d.Error > 0 {
					d.P = export.Number(2 * distuv.UnitNormal.Survival(math.Abs(d.Value)/d.Error))
					half := interval.Normal * d.Error
					d.Low, d.High = export.Number(d.Value-half), export.Number(d.Value+half)
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

// DisagreementTable returns the headlines whose effect clearly depends on who plays. Its
// note says how many were compared.
func DisagreementTable(fields []*Report) Table {
	list := Disagreements(fields)
	t := Table{
		Title: "Does it depend on who plays?",
		Head:  []string{"effect on", plain.Line(strings.Join(fields[0].Datasets[0].Agents, ",")), "with others", "difference"},
	}
	for i := range list {
		d := &list[i]
		if !d.Clear() {
			continue
		}
		a, b := fields[0].Comparison(d.Dataset, d.Key), fields[d.Field].Comparison(d.Dataset, d.Key)
		t.Rows = append(t.Rows, Row{
			Label: d.Key.String() + ", " + fields[0].Label(d.Dataset),
			About: "others: " + plain.Line(strings.Join(fields[d.Field].Datasets[0].Agents, ",")),
			Cells: []string{a.Text(a.Unit), b.Text(b.Unit), d.Text(d.Unit)},
		})
	}
	if len(t.Rows) == 0 {
		t.Note = fmt.Sprintf("No effect on a headline clearly depends on who plays, of %d compared.", len(list))
		return t
	}
	t.Note = fmt.Sprintf("Of %d effects compared, those of which it is clear at 5 %% among all of them (Holm); the fields are taken as independent.", len(list))
	if len(fields) > 2 {
		var names []string
		for _, r := range fields[1:] {
			names = append(names, plain.Line(strings.Join(r.Datasets[0].Agents, ",")))
		}
		t.Note += " The others are, in this order, " + strings.Join(slices.Compact(names), "; ") + "."
	}
	return t
}
