// Package page holds what the pages of reports, tournaments and viewers share: the style
// sheet, tables and charts.
//
// Names of agents and rulesets come from files of other people. [Execute] writes them and
// replaces all characters that are not printable with escapes:
//
//	var page = page.New("report", text) // text calls {{template "table" .}}
//	err := page.Execute(w, page, data)
package page

import (
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/pages/chart"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

var (
	//go:embed style.css
	style string
	//go:embed sort.js
	sort string
	//go:embed table.html
	table string
	//go:embed chart.html
	chartTemplate string
)

var (
	// Style is the style sheet, in a light and a dark scheme.
	Style = template.CSS(style)
	// Sort is a script that sorts a table by the column whose head is clicked.
	Sort = template.JS(sort)
	// ChartScript draws every [LineChart] of a page; it comes last.
	ChartScript = template.JS(chart.Script) + `
for (const box of document.querySelectorAll(".chart")) {
  const [data, x, y] = box.children, chart = JSON.parse(data.textContent);
  const said = e => (e.querySelector("[data-said]:not([hidden])") ?? e).textContent;
  lineChart(box, () => ({ ...chart, x: said(x), y: said(y) }));
}
addEventListener("hashchange", redrawCharts); // may choose another language`
	// ChartStyle is the style sheet of uPlot.
	ChartStyle = template.CSS(chart.Style)
)

// New parses the template of a page, with the policy of [sanitize.Guard]. It may use the template "table" for a [Table],
// "chart" for a [LineChart], and "made" for what made the page. Its functions are cell, which keeps an interval on one line, label, which lets names break
// between their words, and those of more. The table says its heads, notes, rows and names for screen readers by
// said, row and named, which are English unless more has them.
func New(name, text string, more template.FuncMap) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"cell": Cell, "label": Label, "said": Label,
		"row": func(_ []string, r Row) template.HTML { return Label(r.Label) },
		"named": func(text string) template.HTMLAttr {
			return template.HTMLAttr(`aria-label="` + template.HTMLEscapeString(text) + `"`)
		},
	}).Funcs(more).Parse(table + chartTemplate + sanitize.Guard(text)))
}

// Execute writes a page. Characters that are not printable become escapes.
func Execute(w io.Writer, t *template.Template, data any) error {
	return t.Execute(&sanitize.Writer{W: w}, data)
}

// labelBreaks inserts opportunities for a line break after the signs between the words of
// names, such as value:calls=off and three_similar_sequences.
var labelBreaks = regexp.MustCompile(`([_:=,/])([^ ])`)

// Label returns text in which names may break between their words.
func Label(text string) template.HTML {
	return template.HTML(labelBreaks.ReplaceAllString(template.HTMLEscapeString(text), "$1<wbr>$2"))
}

// Cell returns the text of a cell, whose interval stays on one line.
func Cell(text string) template.HTML {
	figure, interval, found := strings.Cut(text, " [")
	if !found {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(template.HTMLEscapeString(figure) + " <span>[" + template.HTMLEscapeString(interval) + "</span>")
}
