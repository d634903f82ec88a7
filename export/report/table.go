package report

import (
	"cmp"
	"slices"
	"strings"
)

// Table is a part of a report as rows of text: a figure a row, a dataset a
// column.
type Table struct {
	Title string
	Note  string
	Head  []string
	Rows  [][]string
}

var titles = map[string]string{
	sectionMatch: "Matches", sectionSeat: "Seats", sectionDealer: "Dealer and winds", sectionHand: "Hands", sectionWin: "Wins",
	sectionAgent: "Agents", sectionPattern: "Patterns", sectionLedger: "Awards and debts",
}

// Tables returns the whole report as text.
func (r *Report) Tables() []Table {
	var list []Table
	if len(r.Datasets) > 1 {
		list = append(list, r.Effects())
	}
	for _, section := range Sections {
		keys := r.keys(section)
		if len(keys) == 0 {
			continue
		}
		switch section {
		case sectionAgent, sectionSeat:
			list = append(list, r.transposed(section, keys)...)
		case sectionPattern:
			list = append(list, r.patternTables()...)
		default:
			list = append(list, r.section(titles[section], keys))
		}
	}
	list = append(list, r.distributionTables()...)
	return append(list, r.skillTables()...)
}

// keys returns the figures of a section of which some dataset has a case.
func (r *Report) keys(section string) []Key {
	var keys []Key
	seen := map[Key]bool{}
	for i := range r.Datasets {
		for _, f := range r.Datasets[i].Figures {
			if f.Section == section && f.Count > 0 && !seen[f.Key] {
				seen[f.Key] = true
				keys = append(keys, f.Key)
			}
		}
	}
	return keys
}

// about returns what a figure says, and its unit.
func (r *Report) about(k Key) (string, Unit) {
	for i := range r.Datasets {
		if f := r.Datasets[i].Figure(k); f != nil {
			return f.About, f.Unit
		}
	}
	return "", ""
}

// section returns a table of figures with a column for each dataset and each
// comparison with the first.
func (r *Report) section(title string, keys []Key) Table {
	t := Table{Title: title, Head: []string{"figure", "unit"}}
	for i := range r.Datasets {
		t.Head = append(t.Head, r.Label(i), "cases")
		if i > 0 {
			t.Head = append(t.Head, "difference from "+r.Label(0))
		}
	}
	for _, k := range keys {
		name := strings.ReplaceAll(k.Name, "_", " ")
		if k.Of != "" {
			name += ", " + k.Of
		}
		about, unit := r.about(k)
		if unit == Share {
			about = "share of " + about
		}
		row := []string{name + ": " + about, string(unit)}
		for i := range r.Datasets {
			row = append(row, r.cells(i, k)...)
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
		text := "-"
		if c := r.Comparison(i, k); c != nil {
			text = c.Text(c.Unit)
		}
		cells = append(cells, text)
	}
	return cells
}

// transposed returns a table for each dataset with what the figures are of as
// columns.
func (r *Report) transposed(section string, keys []Key) []Table {
	var list []Table
	for i := range r.Datasets {
		d := &r.Datasets[i]
		t := Table{Title: titles[section], Head: []string{"figure", "unit"}}
		if len(r.Datasets) > 1 {
			t.Title += ": " + r.Label(i)
		}
		var names, of []string
		for _, k := range keys {
			if d.Figure(k) == nil {
				continue
			}
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
			if !slices.Contains(of, k.Of) {
				of = append(of, k.Of)
			}
		}
		t.Head = append(t.Head, of...)
		for _, name := range names {
			var row []string
			for _, o := range of {
				f := d.Figure(Key{section, name, o})
				if f == nil {
					row = append(row, "-")
					continue
				}
				if row == nil {
					row = []string{strings.ReplaceAll(name, "_", " ") + ": " + f.About, string(f.Unit)}
				}
				row = append(row, f.Text(f.Unit))
			}
			t.Rows = append(t.Rows, row)
		}
		cases := []string{"matches: cases", "matches"}
		for _, o := range of {
			if f := d.Figure(Key{section, "rank", o}); f != nil {
				cases = append(cases, f.CountText())
			}
		}
		t.Rows = append(t.Rows, cases)
		list = append(list, t)
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
			Title: titles[sectionPattern],
			Note:  "Frequency is the share of the wins that hold a pattern, value share its part of the worth of all patterns of all wins.",
			Head:  []string{"pattern", "wins", "frequency", "value share", "value of the wins"},
		}
		if len(r.Datasets) > 1 {
			t.Title += ": " + r.Label(i)
		}
		if i > 0 {
			t.Head = append(t.Head, "frequency, difference from "+r.Label(0))
		}
		var held []Figure
		for _, f := range d.Figures {
			if f.Section == sectionPattern && f.Name == "frequency" && f.Sum > 0 {
				held = append(held, f)
			}
		}
		slices.SortStableFunc(held, func(a, b Figure) int { return cmp.Compare(b.Sum, a.Sum) })
		for _, f := range held {
			wins := Estimate{Count: f.Sum}
			row := []string{f.Of, wins.CountText(), f.Text(Share)}
			for _, name := range []string{"value_share", "win_value"} {
				g := d.Figure(Key{sectionPattern, name, f.Of})
				row = append(row, g.Text(g.Unit))
			}
			if i > 0 {
				row = append(row, r.cells(i, f.Key)[2])
			}
			t.Rows = append(t.Rows, row)
		}
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// distributionTables returns the quantiles of distributions.
func (r *Report) distributionTables() []Table {
	t := Table{
		Title: "Distributions", Note: "The intervals of quantiles take the cases as independent.",
		Head: []string{"distribution", "cases", "5 %", "25 %", "median", "75 %", "95 %"},
	}
	for i := range r.Datasets {
		for _, d := range r.Datasets[i].Distributions {
			name := d.About
			if len(r.Datasets) > 1 {
				name += ", " + r.Label(i)
			}
			row := []string{name, (&Estimate{Count: float64(d.Count)}).CountText()}
			for _, q := range d.Quantiles {
				row = append(row, q.Text())
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return []Table{t}
}

// skillTables returns what is skill and what is luck.
func (r *Report) skillTables() []Table {
	parts := Table{
		Title: "Luck and skill",
		Note:  "Parts of the variance of one player's placement points in one match; without duplicate walls the luck of play holds that of the walls.",
		Head:  []string{"dataset", "sets", "matches a set", "skill", "luck of the walls", "luck of play"},
	}
	pairs := Table{
		Title: "Telling agents apart",
		Note:  "How many matches show the difference at 5 % with a power of 80 %, played as in the dataset.",
		Head:  []string{"dataset", "agents", "difference in placement points", "deviation of a match", "of a match in a set", "matches needed"},
	}
	number := func(n Number) string {
		if !n.Known() {
			return "-"
		}
		return fixed(float64(n), 2)
	}
	for i := range r.Datasets {
		s := r.Datasets[i].Skill
		if s == nil {
			continue
		}
		parts.Rows = append(parts.Rows, []string{
			r.Label(i), (&Estimate{Count: float64(s.Sets)}).CountText(), (&Estimate{Count: float64(s.SetMatches)}).CountText(),
			s.Skill.Text(), s.Walls.Text(), s.Rest.Text(),
		})
		for _, p := range s.Pairs {
			pairs.Rows = append(pairs.Rows, []string{
				r.Label(i), p.A + " - " + p.B, p.Difference.Text(Placement), number(p.Deviation), number(p.PairedDeviation), p.NeededText(),
			})
		}
	}
	if len(parts.Rows) == 0 {
		return nil
	}
	return []Table{parts, pairs}
}
