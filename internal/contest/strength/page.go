package strength

import (
	_ "embed"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

//go:embed page.html
var pageText string

var pageTemplate = findings.NewPage("tournament", pageText)

// Page is a tournament as a web page that loads nothing.
type Page struct {
	// Title is the headline.
	Title findings.Text
	// Facts are sentences on what was played and how certain the order is.
	Facts []findings.Text
	// Standings and Ahead are tables with a row for each agent. The cells of Ahead are
	// shares in percent.
	Standings, Ahead *page.Table
	// Luck is a table of the agents' results, luck and luck-adjusted results, or nil.
	Luck *page.Table
	// Family is the family of the ruleset. Made is what made the page.
	Family, Made string
	// Course has the standings after each part of the matches; see [Course].
	Course []*Standings
}

// line is the rating of an agent, with its interval, at each of the standings of the course.
type line struct {
	Name   string            `json:"name"`
	Rating []interval.Number `json:"rating"`
	Low    []interval.Number `json:"low"`
	High   []interval.Number `json:"high"`
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var matches []uint64
	var lines []line
	for _, s := range p.Course {
		if lines == nil {
			lines = make([]line, len(s.Agents))
		}
		matches = append(matches, s.Matches)
		for _, a := range s.Agents {
			// By the number of the agent: the order of the standings changes from look to look.
			l, e := &lines[a.Number], a.Rating
			l.Name = a.Name
			l.Rating, l.Low, l.High = append(l.Rating, e.Value), append(l.Low, e.Low), append(l.High, e.High)
		}
	}
	course := &page.LineChart{Label: "Ratings of the agents as matches were added. The numbers are in the table below.", X: "matches", Y: "Elo"}
	for _, l := range lines {
		x := page.Series{Name: l.Name}
		for i := range matches {
			x.X = append(x.X, float64(matches[i]))
			x.Y, x.Low, x.High = append(x.Y, float64(l.Rating[i])), append(x.Low, float64(l.Low[i])), append(x.High, float64(l.High[i]))
		}
		course.Lines = append(course.Lines, x)
	}
	return pageTemplate.Execute(w, "tournament", p.Family, map[string]any{
		"Page": p, "Matches": matches, "Lines": lines,
		"Style": page.Style + page.ChartStyle, "Sort": page.Sort, "Script": findings.Script, "Chart": page.ChartScript, "Course": course,
	})
}
