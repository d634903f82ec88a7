// Package chart holds the chart library of all pages, as texts:
//
//	page := "<style>" + chart.Style + "</style><script>" + chart.Script + "</script>"
//
// The folder uplot holds uPlot 1.6.32 by Leon Sorokin (MIT license), as published, so
// that a page is one file and loads nothing. The browser build has this package, but not package
// page, whose templates would make its program larger and its start slower.
package chart

import _ "embed"

var (
	//go:embed uplot/uPlot.iife.min.js
	uplot string
	//go:embed chart.js
	chart string
	// Style is the style sheet of uPlot.
	//
	//go:embed uplot/uPlot.min.css
	Style string
)

// Script defines lineChart, which draws a chart of lines by uPlot.
var Script = uplot + "\n" + chart
