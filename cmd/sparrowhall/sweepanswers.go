package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// printEffects prints what the variants of a sweep do.
func printEffects(w io.Writer, r *report.Report) error {
	first := &r.Datasets[0]
	head := fmt.Sprintf("%s, seed %d, %d matches of each variant, agents %s", plain.Line(first.Ruleset), first.Seed, first.Matches, plain.Line(strings.Join(first.Agents, ", ")))
	notes := fmt.Sprintf("Differences are those of matches in pairs, with 95 %% intervals; * is clear at 5 %% among all %d comparisons together (Holm).", r.Compared())
	for _, text := range []string{head, notes, ""} {
		if err := printParagraph(w, text); err != nil {
			return err
		}
	}
	if a := r.Adaptation; a != nil {
		if err := printLines(w, append([]string{r.Label(0) + " as it is:"}, a.Sentences()...), 0); err != nil {
			return err
		}
	}
	for i := range r.Answers {
		if err := printAnswer(w, &r.Answers[i]); err != nil {
			return err
		}
	}
	tables := r.Effects()[:1]
	if t := r.ContrastTable(); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	return printTables(w, append(tables, r.CurveTables()...))
}

// mostSaid is how many effects of a variant are printed.
const mostSaid = 12

// printAnswer prints what a variant changes, so that it finds room on a screen.
func printAnswer(w io.Writer, a *report.Answer) error {
	lines := []string{a.Title + ":"}
	for i, e := range a.Effects {
		if i == mostSaid {
			lines = append(lines, fmt.Sprintf("- and %d more effects, which --json and the page of --out tell", len(a.Effects)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("- %s (%.2fσ)", e.Text, e.Magnitude()))
	}
	if len(a.Effects) == 0 {
		lines = append(lines, "- nothing changes clearly")
	}
	said := len(lines) - 1
	if a.Response != nil {
		lines = append(lines, a.Response.String())
	}
	if a.Adaptation != nil {
		lines = append(lines, a.Adaptation.Sentences()...)
	}
	return printLines(w, append(lines, a.Sentences()...), said)
}

// printLines prints lines that fit and an empty one; after the first, as many as are said
// are those of a list.
func printLines(w io.Writer, lines []string, said int) error {
	for i, line := range lines {
		if i > 0 && i <= said {
			line = strings.ReplaceAll(wrap(line, widthOf(w)-2), "\n", "\n  ")
		} else {
			line = wrap(line, widthOf(w))
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}
