package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// LuckTables returns, for each dataset whose luck was measured, a table of the results, luck and
// luck-adjusted results of its agents. result, if not nil, returns the text of a result, which
// replaces that of the report.
func (r *Report) LuckTables(result func(agent, name string) string) (list []page.Table) {
	for i := range r.Datasets {
		s := &r.Datasets[i]
		if sameAgents(s) {
			continue // what one seat gains another loses: all that is left is rounding
		}
		t := page.Table{Title: r.of("Luck of the agents", i), Head: []string{"", "result", "luck", "luck-adjusted"}}
		var sums []string
		for _, of := range [...]struct{ name, luck, adjusted string }{
			{"points", stats.PointsLuck, stats.AdjustedPoints},
			{"placement", stats.PlacementLuck, stats.AdjustedPlacement},
		} {
			for n, agent := range s.Agents {
				figure := func(name string) *stats.Figure {
					return s.Figure(stats.Key{Section: stats.SectionAgent, Name: name, Of: agent})
				}
				luck := figure(of.luck)
				if luck == nil || slices.Contains(s.Agents[:n], agent) {
					continue
				}
				played, adjusted := figure(of.name), figure(of.adjusted)
				text := played.Text(played.Unit)
				if result != nil {
					text = result(agent, of.name)
				}
				if of.luck == stats.PointsLuck {
					sums = append(sums, fmt.Sprintf("%s %+.0f (%.0f)", sanitize.Line(agent), luck.Sum, luck.Count))
				}
				t.Rows = append(t.Rows, page.Row{
					Label: sanitize.Line(agent) + ", " + of.name, Cells: []string{text, luck.Text(luck.Unit), adjusted.Text(adjusted.Unit)},
				})
			}
		}
		if len(t.Rows) == 0 {
			continue
		}
		t.Note = fmt.Sprintf("Means of a match with 95 %% intervals. Sums of luck in points, and numbers of seats, over %s: %s.", digits.Count(s.Matches, "match"), strings.Join(sums, ", "))
		list = append(list, t)
	}
	return list
}
