// Package uplot holds uPlot 1.6.32 by Leon Sorokin (MIT licence, in this folder),
// which draws the charts of the pages. It is here as it was published, so that a
// page is one file and loads nothing.
package uplot

import _ "embed"

// Script defines uPlot for the scripts of a page.
//
//go:embed uPlot.iife.min.js
var Script string

// Style is the style sheet that belongs to it.
//
//go:embed uPlot.min.css
var Style string
