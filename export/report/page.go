package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	pages "github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("report").Funcs(template.FuncMap{"cell": pages.Cell}).Parse(pageText))

// pagePicture is a picture as it stands in the page.
type pagePicture struct {
	SVG  template.HTML
	Note string
}

// pageSection is a heading with the tables below it; Lead is the table that speaks
// of all datasets, the others have a heading each.
type pageSection struct {
	ID, Title string
	Lead      *Table
	Tables    []pageTable
}

// pageTable is a table of one dataset.
type pageTable struct {
	Table
	Of string
}

// sections puts tables whose titles begin alike, up to a colon, under one heading.
func sections(tables []Table) (list []pageSection) {
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

// pageDataset is a dataset as it stands in the head of the page.
type pageDataset struct {
	Label, Agents string
	Ruleset       string
	Seed          string
	Matches       uint64
	Complete      bool
}

// HTML writes the report as one page that needs nothing else.
func (r *Report) HTML(w io.Writer, pictures []Picture) error {
	data := struct {
		Title    string
		Style    template.CSS
		Script   template.JS
		Datasets []pageDataset
		Compared int
		Paired   bool
		Pictures []pagePicture
		Answers  []Answer
		// Adaptation is that to the first dataset, whose name is First.
		Adaptation *Adaptation
		First      string
		Effects    *pageSection // what differs, if there are several datasets
		Sections   []pageSection
	}{Style: pages.Style, Script: pages.Sort, Sections: sections(r.Tables()), Compared: r.Compared(), Answers: r.Answers, Adaptation: r.Adaptation, First: r.Label(0)}
	if len(r.Datasets) > 1 {
		data.Effects, data.Sections = &data.Sections[0], data.Sections[1:]
	}
	var labels []string
	for i := range r.Datasets {
		d := &r.Datasets[i]
		labels = append(labels, r.Label(i))
		data.Datasets = append(data.Datasets, pageDataset{
			r.Label(i), plain.Line(strings.Join(d.Agents, ", ")), plain.Line(d.Ruleset), strings.TrimPrefix(d.SeedText(), "seed "), d.Matches, d.Complete,
		})
	}
	data.Title = strings.Join(labels, " · ")
	for _, c := range r.Comparisons {
		data.Paired = data.Paired || c.Paired
	}
	for i := range pictures {
		text, err := pictures[i].svg()
		if err != nil {
			return err
		}
		data.Pictures = append(data.Pictures, pagePicture{template.HTML(text), pictures[i].Note})
	}
	return page.Execute(&plain.Writer{W: w}, data)
}

// Compared returns how many comparisons were made together.
func (r *Report) Compared() int {
	n := 0
	for i := range r.Comparisons {
		if r.Comparisons[i].P.Known() {
			n++
		}
	}
	return n
}
