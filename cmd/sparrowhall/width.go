package main

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// plainWidth is the width of what is printed in characters where there is no terminal,
// so that the same command prints the same everywhere.
const plainWidth = 80

// widthOf returns how wide what is written to w may be: as wide as a terminal is.
func widthOf(w io.Writer) int {
	if p, ok := w.(*plain.Writer); ok {
		w = p.W
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return plainWidth
}

// wrap breaks a paragraph into lines of at most width characters where its words
// allow that.
func wrap(text string, width int) string {
	var b strings.Builder
	room := 0
	for i, word := range strings.Fields(text) {
		switch n := utf8.RuneCountInString(word); {
		case i == 0:
			room = width - n
		case room > n:
			b.WriteByte(' ')
			room -= n + 1
		default:
			b.WriteByte('\n')
			room = width - n
		}
		b.WriteString(word)
	}
	return b.String()
}

// printParagraph writes a paragraph in lines that fit.
func printParagraph(w io.Writer, text string) error {
	_, err := io.WriteString(w, wrap(text, widthOf(w))+"\n")
	return err
}

// printTable writes a table in columns that fit.
func printTable(w io.Writer, t *report.Table) error {
	_, err := io.WriteString(w, strings.Join(t.Lines(widthOf(w)), "\n")+"\n")
	return err
}

// writeRows writes rows, the first of which is the head, in columns that fit.
func writeRows(w io.Writer, rows [][]string) error {
	t := report.Table{Head: rows[0]}
	for _, row := range rows[1:] {
		t.Rows = append(t.Rows, report.Row{Label: row[0], Cells: row[1:]})
	}
	return printTable(w, &t)
}

// printTables writes tables with their titles and notes.
func printTables(w io.Writer, tables []report.Table) error {
	for i := range tables {
		t := &tables[i]
		title := strings.ToUpper(t.Title) + "\n"
		if i > 0 {
			title = "\n" + title
		}
		if _, err := io.WriteString(w, title); err != nil {
			return err
		}
		if err := printTable(w, t); err != nil {
			return err
		}
		if t.Note == "" {
			continue
		}
		if err := printParagraph(w, t.Note); err != nil {
			return err
		}
	}
	return nil
}
