package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// plainWidth is the width of the output in characters where there is no terminal, so that the
// same command prints the same everywhere.
const plainWidth = 80

// widthOf returns the width of the terminal that w is, or plainWidth.
func widthOf(w io.Writer) int {
	if p, ok := w.(*sanitize.Writer); ok {
		w = p.W
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return plainWidth
}

// rawOutput returns the output of a command for bytes that are not text.
func rawOutput(cmd *cobra.Command) io.Writer {
	w := cmd.OutOrStdout()
	if p, ok := w.(*sanitize.Writer); ok {
		return p.W
	}
	return w
}

// wrap breaks a paragraph into lines of at most width characters. A longer word has a line of
// its own.
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

// wrapItem wraps the text of an item of a list, whose further lines are indented.
func wrapItem(text string, width int) string {
	return strings.ReplaceAll(wrap("- "+text, width-2), "\n", "\n  ")
}

// printParagraph writes a paragraph in lines that fit.
func printParagraph(w io.Writer, text string) error {
	_, err := io.WriteString(w, wrap(text, widthOf(w))+"\n")
	return err
}

// printTable writes a table in columns that fit.
func printTable(w io.Writer, t *page.Table) error {
	_, err := io.WriteString(w, strings.Join(t.Lines(widthOf(w)), "\n")+"\n")
	return err
}

// printRows writes rows, the first of which is the head, in columns that fit.
func printRows(w io.Writer, rows [][]string) error {
	return printTable(w, page.NewTable("", rows))
}

// printTables writes tables with their titles and notes.
func printTables(w io.Writer, tables []page.Table) error {
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

// printAligned writes rows in aligned columns, however wide they are.
func printAligned(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(sanitize.Lines(row), "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// decimal returns a number with some decimals. Zero has no sign.
func decimal(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}
