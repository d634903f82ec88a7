package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sparrowhall/sparrowhall/internal/plain"
)

// Table is a part of a report as text.
type Table struct {
	// Title is a line, Note a sentence below the table, empty if there is nothing to
	// say.
	Title string
	Note  string
	// Head has the titles of the column of labels and of the cells.
	Head []string
	Rows []Row
}

// Row is a row of a table: a label, what it means, and a cell for each further
// column.
type Row struct {
	Label string
	// About may be empty.
	About string
	// Cells has one text for each column.
	Cells []string
}

// Lines returns the table as lines of text of at most width characters where its
// columns allow that: columns that find no room follow below, with the labels
// again.
func (t *Table) Lines(width int) []string {
	rows := [][]string{plain.Lines(t.Head)}
	for _, r := range t.Rows {
		rows = append(rows, plain.Lines(append([]string{r.Label}, r.Cells...)))
	}
	widths := make([]int, len(t.Head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
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
			n := utf8.RuneCountInString(row[0])
			for i := first; i < last; i++ {
				b.WriteString(strings.Repeat(" ", pad+gap-n))
				b.WriteString(row[i])
				pad, n = widths[i], utf8.RuneCountInString(row[i])
			}
			lines = append(lines, strings.TrimRight(b.String(), " "))
		}
		first = last
	}
	return lines
}

var titles = map[string]string{
	sectionMatch: "Matches", sectionSeat: "Seats at the start", sectionDealer: "Dealer and winds", sectionHand: "Hands", sectionWin: "Wins",
	sectionAgent: "Agents", sectionPattern: "Patterns", sectionLedger: "Awards and debts",
}

// Tables returns the whole report as text.
func (r *Report) Tables() []Table {
	var list []Table
	if len(r.Datasets) > 1 {
		list = append(list, r.Effects()...)
	}
	if t := r.ContrastTable(); len(t.Rows) > 0 {
		list = append(list, t)
	}
	list = append(list, r.CurveTables()...)
	for _, section := range Sections {
		if section == sectionPattern {
			list = append(list, r.patternTables()...)
			list = append(list, r.priceTables()...)
			continue
		}
		if keys := r.keys(section); len(keys) > 0 {
			list = append(list, r.plainTable(section, keys))
		}
		list = append(list, r.crossTables(section)...)
	}
	list = append(list, r.distributionTable())
	return append(list, r.skillTables()...)
}

// keys returns the figures of a section that are of all and of which some dataset
// has a case.
func (r *Report) keys(section string) []Key {
	var keys []Key
	for i := range r.Datasets {
		for _, f := range r.Datasets[i].Figures {
			if f.Section == section && f.Of == "" && f.Count > 0 && !slices.Contains(keys, f.Key) {
				keys = append(keys, f.Key)
			}
		}
	}
	return keys
}

// meaning returns what a figure says.
func (r *Report) meaning(k Key) Meaning {
	for i := range r.Datasets {
		if f := r.Datasets[i].Figure(k); f != nil {
			return f.Meaning
		}
	}
	return Meaning{}
}

// label names a figure.
func label(name string) string { return strings.ReplaceAll(name, "_", " ") }

// about says what a figure means.
func (m *Meaning) about() string {
	if m.Unit == Share {
		return "share of " + m.About
	}
	return m.About
}

// plainTable returns a table of figures with a column for each dataset and each
// comparison with the first.
func (r *Report) plainTable(section string, keys []Key) Table {
	t := Table{Title: titles[section], Head: []string{"figure"}}
	for i := range r.Datasets {
		t.Head = append(t.Head, r.Label(i), "cases")
		if i > 0 {
			t.Head = append(t.Head, "difference")
		}
	}
	for _, k := range keys {
		m := r.meaning(k)
		row := Row{Label: label(k.Name), About: m.about()}
		for i := range r.Datasets {
			row.Cells = append(row.Cells, r.cells(i, k)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cells returns a figure of a dataset, its cases, and how it differs from the
// first dataset.
func (r *Report) cells(i int, k Key) []string {
	cells := []string{"-", "0"}
	if f := r.Datasets[i].Figure(k); f != nil {
		cells = []string{f.Text(f.Unit), f.CountText()}
	}
	if i > 0 {
		cells = append(cells, r.differenceText(i, k))
	}
	return cells
}

func (r *Report) differenceText(i int, k Key) string {
	if c := r.Comparison(i, k); c != nil {
		return c.Text(c.Unit)
	}
	return "-"
}

// of returns the title of a table of a dataset.
func (r *Report) of(title string, i int) string {
	if len(r.Datasets) > 1 {
		return title + ": " + r.Label(i)
	}
	return title
}

// crossTables returns a table for each dataset of the figures of a section that
// are of seats, winds or agents, which are the columns.
func (r *Report) crossTables(section string) []Table {
	var list []Table
	for i := range r.Datasets {
		d := &r.Datasets[i]
		t := Table{Title: r.of(titles[section], i), Head: []string{"figure"}}
		var names []string
		figures := map[string][]*Figure{}
		for j := range d.Figures {
			f := &d.Figures[j]
			if f.Section != section || f.Of == "" || f.Name == "forfeit" && d.forfeits() == 0 {
				continue
			}
			if !slices.Contains(t.Head, f.Of) {
				t.Head = append(t.Head, f.Of)
			}
			if figures[f.Name] == nil {
				names = append(names, f.Name)
			}
			figures[f.Name] = append(figures[f.Name], f)
		}
		for n, name := range names {
			of := figures[name]
			row := Row{Label: label(name), About: of[0].about()}
			counts := Row{Label: "  of " + of[0].Per}
			for _, f := range of {
				row.Cells = append(row.Cells, f.Text(f.Unit))
				counts.Cells = append(counts.Cells, f.CountText())
			}
			t.Rows = append(t.Rows, row)
			if n == len(names)-1 || figures[names[n+1]][0].Per != of[0].Per {
				t.Rows = append(t.Rows, counts)
			}
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// patternTables returns a table of patterns for each dataset, the most frequent
// first.
func (r *Report) patternTables() []Table {
	var list []Table
	for i := range r.Datasets {
		d := &r.Datasets[i]
		t := Table{
			Title: r.of(titles[sectionPattern], i),
			Note:  "Frequency is the share of the wins that hold a pattern; value share is its part of the value of all wins, each divided among its patterns by what they count.",
			Head:  []string{"pattern", "wins", "frequency", "value share", "value of the wins"},
		}
		if i > 0 {
			t.Head = append(t.Head, "difference of frequency")
		}
		var held []Figure
		for _, f := range d.Figures {
			if f.Section == sectionPattern && f.Name == "frequency" && f.Sum > 0 {
				held = append(held, f)
			}
		}
		slices.SortStableFunc(held, func(a, b Figure) int { return cmp.Compare(b.Sum, a.Sum) })
		for _, f := range held {
			row := Row{Label: f.Of, Cells: []string{whole(f.Sum), f.Text(Share)}}
			for _, name := range []string{"value_share", "win_value"} {
				g := d.Figure(Key{sectionPattern, name, f.Of})
				row.Cells = append(row.Cells, g.Text(g.Unit))
			}
			if i > 0 {
				row.Cells = append(row.Cells, r.differenceText(i, f.Key))
			}
			t.Rows = append(t.Rows, row)
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// distributionTable returns the quantiles of the distributions.
func (r *Report) distributionTable() Table {
	t := Table{Title: "Distributions", Note: "The intervals of quantiles take the cases as independent.", Head: []string{"distribution", "cases"}}
	for _, p := range parts {
		t.Head = append(t.Head, strconv.FormatFloat(100*p, 'f', -1, 64)+" %")
	}
	for _, first := range r.Datasets[0].Distributions {
		for i := range r.Datasets {
			d := r.Datasets[i].Distribution(first.Name)
			if d == nil || d.Count == 0 {
				continue
			}
			row := Row{Label: r.of(label(d.Name), i), About: d.About, Cells: []string{whole(float64(d.Count))}}
			for _, q := range d.Quantiles {
				row.Cells = append(row.Cells, q.Text())
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// skillOf is an analysis and what it is of.
type skillOf struct {
	what string
	*Skill
}

// skills returns the analyses of a dataset, none where nobody can be told apart.
func (s *Summary) skills() []skillOf {
	if s.Skill == nil {
		return nil
	}
	return []skillOf{{"ranks", s.SkillByRank}, {"placement points", s.Skill}}
}

// skillTables returns what is skill and what is luck.
func (r *Report) skillTables() []Table {
	components := Table{
		Title: "Luck and skill",
		Note:  "Parts of the variance of one player's rank and of his placement points in one match: those of ranks compare rulesets whose placement points differ; without duplicate walls the luck of play holds that of the walls.",
		Head:  []string{"of", "sets", "matches a set", "skill", "luck of the walls", "luck of play"},
	}
	pairs := Table{
		Title: "Telling agents apart",
		Note:  "How many matches show the difference in placement points at 5 % with a power of 80 %: as played, and where every match has walls of its own.",
		Head:  []string{"agents", "difference", "matches needed", "on own walls", "deviation", "in a set"},
	}
	for i := range r.Datasets {
		s := r.Datasets[i].Skill
		if s == nil {
			continue
		}
		for _, of := range r.Datasets[i].skills() {
			components.Rows = append(components.Rows, Row{Label: r.of(of.what, i), Cells: []string{
				strconv.Itoa(of.Sets), strconv.Itoa(of.SetMatches), of.Skill.Skill.Text(), of.Walls.Text(), of.Rest.Text(),
			}})
		}
		for j := range s.Pairs {
			p := &s.Pairs[j]
			pairs.Rows = append(pairs.Rows, Row{Label: r.of(p.A+" - "+p.B, i), Cells: []string{
				p.Difference.Text(Placement), p.NeededText(), matchesText(p.NeededAlone), numberText(p.Deviation), numberText(p.PairedDeviation),
			}})
		}
	}
	if len(components.Rows) == 0 {
		return nil
	}
	return []Table{components, pairs}
}
