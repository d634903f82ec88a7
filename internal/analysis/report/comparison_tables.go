package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// mostEffects is the largest number of figures of a dataset in Effects besides the headlines.
const mostEffects = 20

// Effects returns tables of the differences between datasets. The first holds the
// headlines: the figure of the first dataset and the differences of the others from it.
// Each other dataset that clearly differs from the first has a table of the figures in
// which it does, the clearest first.
func (r *Report) Effects() []page.Table {
	t := page.Table{Title: "Differences", Head: []string{"figure", r.Label(0)}}
	for i := range r.Datasets[1:] {
		t.Head = append(t.Head, r.Label(i+1))
	}
	for _, k := range stats.Headlines {
		f := r.Datasets[0].Figure(k)
		if f == nil || f.Count == 0 {
			continue
		}
		row := page.Row{Label: k.String(), About: f.Describe(), Cells: []string{f.Text(f.Unit)}}
		for i := range r.Datasets[1:] {
			row.Cells = append(row.Cells, r.differenceText(i+1, k))
		}
		t.Rows = append(t.Rows, row)
	}
	list := []page.Table{t}
	for i := 1; i < len(r.Datasets); i++ {
		if t := r.effectsOf(i); len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// effectsOf returns the table of the figures other than the headlines in which a dataset
// clearly differs from the first.
func (r *Report) effectsOf(dataset int) page.Table {
	t := page.Table{
		Title: "Differences: " + r.Label(dataset),
		Head:  []string{"figure", r.Label(0), r.Label(dataset), "difference"},
	}
	more := 0
	for _, c := range r.ClearComparisons(dataset) {
		switch {
		case slices.Contains(stats.Headlines, c.Key):
		case len(t.Rows) == mostEffects:
			more++
		default:
			row := page.Row{Label: c.Key.String(), About: c.Describe()}
			for _, i := range []int{0, dataset} {
				f := r.Datasets[i].Figure(c.Key)
				row.Cells = append(row.Cells, f.Text(f.Unit))
			}
			row.Cells = append(row.Cells, c.Text(c.Unit))
			t.Rows = append(t.Rows, row)
		}
	}
	if more > 0 {
		t.Note = fmt.Sprintf("%d more figures differ clearly; --json has all.", more)
	}
	return t
}

// ContrastTable returns the table of the contrasts that are clear, or of which one of the
// changes has a clear effect; it may have no rows.
func (r *Report) ContrastTable() page.Table {
	t := page.Table{
		Title: "Together and apart",
		Note:  "What two changes do together beyond what each does alone; * is clear at 5 % among all contrasts together (Holm). Those that are not are listed where a change alone is clear.",
		Head:  []string{"figure", "each alone", "", "together", "beyond"},
	}
	for i := range r.Contrasts {
		c := &r.Contrasts[i]
		var cells []string
		clear := c.Clear()
		for _, n := range []int{c.Apart[0], c.Apart[1], c.Together} {
			x := r.Comparison(n, c.Key)
			cells = append(cells, x.Text(x.Unit))
			clear = clear || x.Clear()
		}
		if clear {
			t.Rows = append(t.Rows, page.Row{Label: c.Key.String() + ", " + r.Label(c.Together), Cells: append(cells, c.Text(c.Unit))})
		}
	}
	return t
}

// DisagreementTable returns the table of the effects on headlines that clearly depend on the
// agents. Its note has the number of effects compared.
func DisagreementTable(fields []*Report) page.Table {
	list := Disagreements(fields)
	t := page.Table{
		Title: "Does it depend on who plays?",
		Head:  []string{"effect on", sanitize.Line(strings.Join(fields[0].Datasets[0].Agents, ",")), "with others", "difference"},
	}
	for i := range list {
		d := &list[i]
		if !d.Clear() {
			continue
		}
		a, b := fields[0].Comparison(d.Dataset, d.Key), fields[d.Field].Comparison(d.Dataset, d.Key)
		t.Rows = append(t.Rows, page.Row{
			Label: d.Key.String() + ", " + fields[0].Label(d.Dataset),
			About: "others: " + sanitize.Line(strings.Join(fields[d.Field].Datasets[0].Agents, ",")),
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
			names = append(names, sanitize.Line(strings.Join(r.Datasets[0].Agents, ",")))
		}
		t.Note += " The others are, in this order, " + strings.Join(slices.Compact(names), "; ") + "."
	}
	return t
}

// Disagreements compares the effects of the rulesets between fields of agents; see
// [stats.Disagreements].
func Disagreements(fields []*Report) []stats.Disagreement {
	results := make([]*stats.Results, len(fields))
	for i, r := range fields {
		results[i] = r.Results
	}
	return stats.Disagreements(results)
}
