package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// plainWidth is the width of the output in characters where there is no terminal, so that the
// same command prints the same everywhere.
const plainWidth = 80

// printer prints text in lines that fit the output. Its methods return no errors: Flush returns
// the first one.
type printer struct {
	*bufio.Writer
	width int // of the terminal in characters, or plainWidth
}

func newPrinter(w io.Writer) *printer {
	p := &printer{bufio.NewWriter(w), plainWidth}
	if s, ok := w.(*sanitize.Writer); ok {
		w = s.W
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			p.width = width
		}
	}
	return p
}

// printf prints formatted text as it is.
func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func (p *printer) paragraph(format string, args ...any) {
	p.printf("%s\n", wrap(fmt.Sprintf(format, args...), p.width))
}

// paragraphs prints paragraphs and an empty line.
func (p *printer) paragraphs(list ...string) {
	for _, text := range append(list, "") {
		p.paragraph("%s", text)
	}
}

// item prints an item of a list, whose further lines are indented.
func (p *printer) item(text string) {
	p.printf("%s\n", strings.ReplaceAll(wrap("- "+text, p.width-2), "\n", "\n  "))
}

// table prints a table in columns that fit, without its title and note.
func (p *printer) table(t *page.Table) { p.printf("%s\n", strings.Join(t.Lines(p.width), "\n")) }

// tables prints tables with their titles and notes.
func (p *printer) tables(list ...page.Table) {
	for i := range list {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("%s\n", strings.ToUpper(list[i].Title))
		p.table(&list[i])
		if list[i].Note != "" {
			p.paragraph("%s", list[i].Note)
		}
	}
}

func (p *printer) summary(s *findings.Summary) {
	for _, part := range s.Parts() {
		p.printf("%s\n", strings.ToUpper(part.Title))
		for _, line := range part.Lines {
			p.item(line)
		}
		if part.Table != nil {
			p.printf("\n")
			p.table(part.Table)
		}
		p.printf("\n")
	}
}

// aligned prints rows of equal length in aligned columns, however wide they are.
func (p *printer) aligned(rows [][]string) {
	table := page.Table{Head: rows[0]}
	for _, row := range rows[1:] {
		table.Rows = append(table.Rows, page.Row{Label: row[0], Cells: row[1:]})
	}
	for _, line := range table.Lines(math.MaxInt) {
		p.printf("%s\n", line)
	}
}

// printResult prints the result of a verb: v as JSON, or what text prints.
func printResult(cmd *cobra.Command, asJSON bool, v any, text func(p *printer)) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), v)
	}
	p := newPrinter(cmd.OutOrStdout())
	text(p)
	return p.Flush()
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
		switch n := uniseg.StringWidth(word); {
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

func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
