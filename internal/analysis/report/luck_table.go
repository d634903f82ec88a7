package report

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// LuckTables returns, for each dataset whose luck was measured, a table of the results, luck and
// luck-adjusted results of its agents. result, if not nil, returns the text of a result, which
// replaces that of the report.
func (r *Report) LuckTables(result func(agent, name string) string) (list []page.Table) {
	for i := range r.Datasets {
		s := &r.Datasets[i]
		figures := s.Luck()
		if len(figures) == 0 {
			continue
		}
		t := page.Table{Title: r.of("Luck of the agents", i), Head: []string{"", "result", "luck", "luck-adjusted"}}
		var sums []string
		for _, of := range [...]struct{ name, luck, adjusted string }{
			{"points", stats.PointsLuck, stats.AdjustedPoints},
			{"placement", stats.PlacementLuck, stats.AdjustedPlacement},
		} {
			for k := range figures {
				f := &figures[k]
				if f.Name != of.name {
					continue
				}
				row := page.Row{Label: sanitize.Line(f.Of) + ", " + of.name}
				for _, name := range [...]string{of.name, of.luck, of.adjusted} {
					for n := range figures {
						if g := &figures[n]; g.Name == name && g.Of == f.Of {
							text := g.Text(g.Unit)
							if name == of.name && result != nil {
								text = result(f.Of, name)
							}
							row.Cells = append(row.Cells, text)
							if name == stats.PointsLuck {
								sums = append(sums, fmt.Sprintf("%s %+.0f points in %.0f seats", sanitize.Line(g.Of), g.Sum, g.Count))
							}
						}
					}
				}
				t.Rows = append(t.Rows, row)
			}
		}
		t.Note = fmt.Sprintf("Means of a match with 95 %% intervals. Sums of luck over %d matches: %s.", s.Matches, strings.Join(sums, ", "))
		list = append(list, t)
	}
	return list
}
