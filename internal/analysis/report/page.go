package report

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

//go:embed page.html
var pageText string

var pageTemplate = findings.NewPage("report", pageText)

// pageSection is a heading with the tables below it. Lead is the table of all datasets;
// the others have a heading each.
type pageSection struct {
	ID, Title string
	Lead      *page.Table
	Tables    []pageTable
}

// pageTable is a table of one dataset.
type pageTable struct {
	page.Table
	Of string
}

// sections puts tables whose titles have the same text before a colon under one heading.
func sections(tables []page.Table) (list []pageSection) {
	for _, t := range tables {
		title, of, shared := strings.Cut(t.Title, ": ")
		if len(list) == 0 || list[len(list)-1].Title != title {
			list = append(list, pageSection{ID: fmt.Sprintf("s%d", len(list)), Title: title})
		}
		last := &list[len(list)-1]
		if !shared {
			last.Lead = &t
			continue
		}
		last.Tables = append(last.Tables, pageTable{t, of})
	}
	return list
}

// pageDataset is a row of the table of datasets at the top of the page.
type pageDataset struct {
	Label, Ruleset string
	Source         findings.Text
	Matches        uint64
	Complete       bool
}

// HTML writes the report as one page that loads nothing.
func (r *Report) HTML(w io.Writer, pictures []picture.Picture) error {
	family := r.Family()
	data := map[string]any{
		"Style": page.Style, "Script": page.Sort, "SummaryScript": findings.Script, "Summary": r.Summary().Sections(family), // in each language
		"Answers": r.Answers, "Adapted": DescribeAdaptation(r.Adaptation), "First": r.Label(0), "Compared": r.Compared(),
		"Paired": slices.ContainsFunc(r.Comparisons, func(c stats.Comparison) bool { return c.Paired }),
	}
	list := sections(r.Tables())
	if len(r.Datasets) > 1 {
		data["Effects"], list = &list[0], list[1:]
	}
	data["Sections"] = list
	var labels []string
	var datasets []pageDataset
	for i := range r.Datasets {
		d := &r.Datasets[i]
		labels = append(labels, r.Label(i))
		datasets = append(datasets, pageDataset{r.Label(i), sanitize.Line(d.Ruleset), sourceText(d), d.Matches, d.Complete})
	}
	title := findings.PlainText(strings.Join(labels, " · "))
	if n := len(labels) - 1; n > 2 {
		title = findings.NewText("title.and", labels[0], n)
	}
	var made []string
	for i := range r.Datasets {
		d := &r.Datasets[i]
		if text := release.Rules(d.Ruleset, d.Hash); !slices.Contains(made, text) {
			made = append(made, text)
		}
	}
	data["Made"] = release.Made(sim.EngineVersion, append(made, sourceText(&r.Datasets[0]).String(), r.Command)...)
	data["Datasets"], data["Title"], data["Heading"] = datasets, title.String(), title.HTML()
	var drawn []*picture.Picture
	for i := range pictures {
		drawn = append(drawn, &pictures[i])
	}
	data["Pictures"] = drawn
	return pageTemplate.Execute(w, "report", family, data)
}

// Family returns the family of the rulesets, empty if there are several.
func (r *Report) Family() string {
	family := r.Datasets[0].Family
	if slices.ContainsFunc(r.Datasets, func(s stats.Summary) bool { return s.Family != family }) {
		return ""
	}
	return family
}

// Compared returns the number of comparisons that were tested together.
func (r *Report) Compared() int {
	n := 0
	for i := range r.Comparisons {
		if r.Comparisons[i].P.Known() {
			n++
		}
	}
	return n
}
