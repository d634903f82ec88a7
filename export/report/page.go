package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("report").Parse(pageText))

// pagePicture is a picture as it stands in the page.
type pagePicture struct {
	SVG  template.HTML
	Note string
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
		Datasets []pageDataset
		Compared int
		Paired   bool
		Pictures []pagePicture
		Tables   []Table
	}{Tables: r.Tables(), Compared: r.Compared()}
	var labels []string
	for i := range r.Datasets {
		d := &r.Datasets[i]
		labels = append(labels, r.Label(i))
		data.Datasets = append(data.Datasets, pageDataset{
			r.Label(i), strings.Join(d.Agents, ", "), d.Ruleset, strings.TrimPrefix(d.SeedText(), "seed "), d.Matches, d.Complete,
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
	return page.Execute(w, data)
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
