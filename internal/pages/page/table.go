package page

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// Table is a table of a page, or of printed text.
type Table struct {
	// Title is a line, Note a sentence about the table, which may be empty.
	Title string
	Note  string
	// Head has the title of the column of labels and those of the columns of cells.
	Head []string
	Rows []Row
}

// Row is a row of a table.
type Row struct {
	// Label is the first cell, About an explanation below it, which may be empty.
	Label, About string
	// Cells has the text of each further column.
	Cells []string
}

// Lines returns the table as lines of at most width characters where its columns allow
// that. Columns that do not fit follow below, with the labels again.
func (t *Table) Lines(width int) []string {
	rows := [][]string{sanitize.Lines(t.Head)}
	for _, r := range t.Rows {
		rows = append(rows, sanitize.Lines(append([]string{r.Label}, r.Cells...)))
	}
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	gap, needed := 2, -2
	for _, w := range widths {
		needed += gap + w
	}
	if needed > width {
		gap = 1
	}
	var lines []string
	for first := 1; first < len(widths); {
		last, room := first, width-widths[0]
		for last < len(widths) && (last == first || room >= gap+widths[last]) {
			room -= gap + widths[last]
			last++
		}
		if first > 1 {
			lines = append(lines, "")
		}
		for _, row := range rows {
			var b strings.Builder
			pad := widths[0]
			b.WriteString(row[0])
			n := uniseg.StringWidth(row[0])
			for i := first; i < last; i++ {
				b.WriteString(strings.Repeat(" ", pad+gap-n))
				b.WriteString(row[i])
				pad, n = widths[i], uniseg.StringWidth(row[i])
			}
			lines = append(lines, strings.TrimRight(b.String(), " "))
		}
		first = last
	}
	return lines
}
