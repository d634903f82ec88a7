// Package page holds what the pages of reports and tournaments share.
package page

import (
	_ "embed"
	"html/template"
	"strings"
)

var (
	//go:embed style.css
	style string
	//go:embed sort.js
	sort string
)

// Style is the style sheet, light or dark as the system is. Sort makes tables sort
// by the column whose head is clicked, where that is a button.
var (
	Style = template.CSS(style)
	Sort  = template.JS(sort)
)

// Cell keeps an interval together where a figure and its interval do not fit on
// one line.
func Cell(text string) template.HTML {
	figure, interval, found := strings.Cut(text, " [")
	if !found {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(template.HTMLEscapeString(figure) + " <span>[" + template.HTMLEscapeString(interval) + "</span>")
}
