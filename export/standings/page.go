package standings

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/sparrowhall/sparrowhall/export"
	pages "github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/internal/uplot"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("tournament").Funcs(template.FuncMap{"cell": pages.Cell}).Parse(pageText))

// Page is a tournament as a web page that needs nothing else.
type Page struct {
	// Title says whose tournament it is.
	Title string
	// Facts are sentences on what was played and how certain the order is.
	Facts []string
	// Standings and Ahead are tables, the first row the head and the first cell of
	// each row its label. Of Ahead the other cells are shares in percent.
	Standings, Ahead [][]string
	// Luck, if not nil, is a table of the agents' results, of the luck in them, and of the
	// rest.
	Luck [][]string
	// Course has the standings as matches were added; see [Course].
	Course []*Standings
}

// line is how the rating of an agent went.
type line struct {
	Name   string          `json:"name"`
	Rating []export.Number `json:"rating"`
	Low    []export.Number `json:"low"`
	High   []export.Number `json:"high"`
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var matches []uint64
	lines := make([]line, len(p.Course[len(p.Course)-1].Agents))
	for _, s := range p.Course {
		matches = append(matches, s.Matches)
		for _, a := range s.Agents {
			l, e := &lines[a.Number], a.PlackettLuce
			l.Name = a.Name
			l.Rating, l.Low, l.High = append(l.Rating, e.Value), append(l.Low, e.Low), append(l.High, e.High)
		}
	}
	return page.Execute(w, map[string]any{
		"Page": p, "Matches": matches, "Lines": lines,
		"Style": pages.Style + template.CSS(uplot.Style), "Sort": pages.Sort, "Chart": template.JS(uplot.Script),
	})
}
