// Package page holds what the pages of reports, tournaments and viewers share: the style
// sheet, tables, and the chart library.
//
// Names of agents and rulesets come from files of other people. [Execute] writes them and
// replaces all characters that are not printable with escapes:
//
//	var page = page.New("report", text) // text calls {{template "table" .}}
//	err := page.Execute(w, page, data)
//
// The folder uplot holds uPlot 1.6.32 by Leon Sorokin (MIT license), as published, so
// that a page is one file and loads nothing.
package page

import (
	_ "embed"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

var (
	//go:embed style.css
	style string
	//go:embed sort.js
	sort string
	//go:embed table.html
	table string
	//go:embed uplot/uPlot.iife.min.js
	uplot string
	//go:embed uplot/uPlot.min.css
	chartStyle string
	//go:embed chart.html
	chartTemplate string
	//go:embed chart.js
	chart string
)

var (
	// Style is the style sheet, in a light and a dark scheme.
	Style = template.CSS(style)
	// Sort is a script that sorts a table by the column whose head is clicked.
	Sort = template.JS(sort)
	// Chart is the script that defines lineChart, which draws a chart of lines by uPlot.
	Chart = template.JS(uplot + "\n" + chart)
	// ChartScript is Chart and the script that draws every [LineChart] of a page; it comes last.
	ChartScript = Chart + `
for (const box of document.querySelectorAll(".chart")) {
  const chart = JSON.parse(box.firstElementChild.textContent);
  lineChart(box, () => chart);
}`
	// ChartStyle is the style sheet of uPlot.
	ChartStyle = template.CSS(chartStyle)
)

// policy is what the headers of a served page say, for pages that are opened from a folder or served
// by another program: they load nothing from elsewhere, and requests do not have their address.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">`

// Guard returns the text of a page with a policy after its character set.
func Guard(text string) string {
	const charset = `<meta charset="utf-8">`
	return strings.Replace(text, charset, charset+"\n"+policy, 1)
}

// New parses the template of a page, with the policy of [Guard]. It may use the template "table" for a [Table],
// "chart" for a [LineChart], and the functions cell, which keeps an interval on one line, label, which lets names break
// between their words, and those of more. The table says its heads and explanations by
// said, which is label unless more has it.
func New(name, text string, more template.FuncMap) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{"cell": cell, "label": Label, "said": Label}).Funcs(more).Parse(table + chartTemplate + Guard(text)))
}

// Execute writes a page. Characters that are not printable become escapes.
func Execute(w io.Writer, t *template.Template, data any) error {
	return t.Execute(&sanitize.Writer{W: w}, data)
}

// labelBreaks inserts opportunities for a line break after the signs between the words of
// names, such as value:calls=off and three_similar_sequences.
var labelBreaks = regexp.MustCompile(`[_:=,/]`)

// Label returns text in which names may break between their words.
func Label(text string) template.HTML {
	return template.HTML(labelBreaks.ReplaceAllString(template.HTMLEscapeString(text), "$0<wbr>"))
}

func cell(text string) template.HTML {
	figure, interval, found := strings.Cut(text, " [")
	if !found {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(template.HTMLEscapeString(figure) + " <span>[" + template.HTMLEscapeString(interval) + "</span>")
}
