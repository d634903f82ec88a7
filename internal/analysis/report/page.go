package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

//go:embed page.html
var pageText string

var pageTemplate = findings.NewPage("report", pageText)

// pagePicture is a picture of the page and its caption.
type pagePicture struct {
	SVG  template.HTML
	Note string
}

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
	Source         string
	Matches        uint64
	Complete       bool
}

// pageAnswer is an answer with its sentences.
type pageAnswer struct {
	*Answer
	Adapted []string
}

// HTML writes the report as one page that loads nothing.
func (r *Report) HTML(w io.Writer, pictures []page.Picture) error {
	data := struct {
		Title   string
		Heading template.HTML
		Style   template.CSS
		Script  template.JS
		// Summary is the summary in each language.
		Summary       []findings.Section
		SummaryScript template.JS
		Datasets      []pageDataset
		Compared      int
		Paired        bool
		Pictures      []pagePicture
		Answers       []pageAnswer
		// Adapted describes the adaptation to the first dataset's ruleset, First.
		Adapted  []string
		First    string
		Effects  *pageSection // the differences, if there are several datasets
		Sections []pageSection
	}{Style: page.Style, Script: page.Sort, Summary: r.Summary().Sections(), SummaryScript: findings.Script, Sections: sections(r.Tables()), Compared: r.Compared(), Adapted: DescribeAdaptation(r.Adaptation), First: r.Label(0)}
	for i := range r.Answers {
		data.Answers = append(data.Answers, pageAnswer{&r.Answers[i], DescribeAdaptation(r.Answers[i].Adaptation)})
	}
	if len(r.Datasets) > 1 {
		data.Effects, data.Sections = &data.Sections[0], data.Sections[1:]
	}
	var labels []string
	for i := range r.Datasets {
		d := &r.Datasets[i]
		labels = append(labels, r.Label(i))
		data.Datasets = append(data.Datasets, pageDataset{r.Label(i), sanitize.Line(d.Ruleset), sourceText(d).String(), d.Matches, d.Complete})
	}
	title := findings.PlainText(strings.Join(labels, " · "))
	if n := len(labels) - 1; n > 2 {
		title = findings.NewText("title.and", labels[0], n)
	}
	data.Title, data.Heading = title.String(), title.HTML()
	for _, c := range r.Comparisons {
		data.Paired = data.Paired || c.Paired
	}
	for i := range pictures {
		svg, err := pictures[i].HTML()
		if err != nil {
			return err
		}
		data.Pictures = append(data.Pictures, pagePicture{svg, pictures[i].Note})
	}
	return page.Execute(w, pageTemplate, data)
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
