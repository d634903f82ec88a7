package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
)

var titles = map[string]string{
	stats.SectionMatch: "Matches", stats.SectionSeat: "Seats at the start", stats.SectionDealer: "Dealer and winds", stats.SectionHand: "Hands", stats.SectionWin: "Wins",
	stats.SectionAgent: "Agents", stats.SectionPattern: "Patterns", stats.SectionLedger: "Awards and debts",
}

// Tables returns the whole report as text.
func (r *Report) Tables() []page.Table {
	var list []page.Table
	if len(r.Datasets) > 1 {
		list = append(list, r.Effects()...)
	}
	if t := r.ContrastTable(); len(t.Rows) > 0 {
		list = append(list, t)
	}
	list = append(list, r.CurveTables()...)
	list = append(list, r.LuckTables(nil)...)
	for _, section := range stats.Sections {
		if section == stats.SectionPattern {
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

// keys returns the figures of a section that concern the whole dataset, and that some dataset
// has cases of.
func (r *Report) keys(section string) []stats.Key {
	var keys []stats.Key
	for i := range r.Datasets {
		for _, f := range r.Datasets[i].Figures {
			if f.Section == section && f.Of == "" && f.Count > 0 && !slices.Contains(keys, f.Key) {
				keys = append(keys, f.Key)
			}
		}
	}
	return keys
}

// plainTable returns a table of figures with a column for each dataset and each
// comparison with the first.
func (r *Report) plainTable(section string, keys []stats.Key) page.Table {
	t := page.Table{Title: titles[section], Head: []string{"figure"}}
	for i := range r.Datasets {
		t.Head = append(t.Head, r.Label(i), "cases")
		if i > 0 {
			t.Head = append(t.Head, "difference")
		}
	}
	for _, k := range keys {
		m := r.Meaning(k)
		row := page.Row{Label: stats.Label(k.Name), About: m.Describe()}
		for i := range r.Datasets {
			row.Cells = append(row.Cells, r.cells(i, k)...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cells returns a figure of a dataset, its cases, and how it differs from the
// first dataset.
func (r *Report) cells(i int, k stats.Key) []string {
	cells := []string{"-", "0"}
	if f := r.Datasets[i].Figure(k); f != nil {
		cells = []string{f.Text(f.Unit), f.CountText()}
	}
	if i > 0 {
		cells = append(cells, r.differenceText(i, k))
	}
	return cells
}

func (r *Report) differenceText(i int, k stats.Key) string {
	if c := r.Comparison(i, k); c != nil {
		return c.Text(c.Unit)
	}
	return "-"
}

// of returns the title of a table of dataset i: with its label if there are several datasets.
func (r *Report) of(title string, i int) string {
	if len(r.Datasets) > 1 {
		return title + ": " + r.Label(i)
	}
	return title
}

// crossTables returns for each dataset a table of the figures of a section that concern seats,
// winds or agents, with a column for each of these.
func (r *Report) crossTables(section string) []page.Table {
	var list []page.Table
	for i := range r.Datasets {
		d := &r.Datasets[i]
		t := page.Table{Title: r.of(titles[section], i), Head: []string{"figure"}}
		var names []string
		figures := map[string][]*stats.Figure{}
		for j := range d.Figures {
			f := &d.Figures[j]
			if f.Section != section || f.Of == "" || f.Name == "forfeit" && d.Figure(stats.Key{Section: stats.SectionMatch, Name: "forfeits"}).Sum == 0 {
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
			row := page.Row{Label: stats.Label(name), About: of[0].Describe()}
			counts := page.Row{Label: "  of " + of[0].Per}
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
func (r *Report) patternTables() []page.Table {
	var list []page.Table
	for i := range r.Datasets {
		d := &r.Datasets[i]
		t := page.Table{
			Title: r.of(titles[stats.SectionPattern], i),
			Note:  "Frequency is the share of the wins that hold a pattern; value share is its part of the value of all wins, each divided among its patterns by what they count.",
			Head:  []string{"pattern", "wins", "frequency", "value share", "value of the wins"},
		}
		if i > 0 {
			t.Head = append(t.Head, "difference of frequency")
		}
		var held []stats.Figure
		for _, f := range d.Figures {
			if f.Section == stats.SectionPattern && f.Name == "frequency" && f.Sum > 0 {
				held = append(held, f)
			}
		}
		slices.SortStableFunc(held, func(a, b stats.Figure) int { return cmp.Compare(b.Sum, a.Sum) })
		for _, f := range held {
			row := page.Row{Label: f.Of, Cells: []string{digits.Exact(f.Sum), f.Text(stats.Share)}}
			for _, name := range []string{"value_share", "win_value"} {
				g := d.Figure(stats.Key{Section: stats.SectionPattern, Name: name, Of: f.Of})
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

func (r *Report) distributionTable() page.Table {
	t := page.Table{Title: "Distributions", Note: "The intervals of quantiles take the cases as independent.", Head: []string{"distribution", "cases"}}
	for _, p := range stats.QuantileParts {
		t.Head = append(t.Head, strconv.FormatFloat(100*p, 'f', -1, 64)+" %")
	}
	for _, first := range r.Datasets[0].Distributions {
		for i := range r.Datasets {
			d := r.Datasets[i].Distribution(first.Name)
			if d == nil || d.Count == 0 {
				continue
			}
			row := page.Row{Label: r.of(stats.Label(d.Name), i), About: d.About, Cells: []string{digits.Exact(float64(d.Count))}}
			for _, q := range d.Quantiles {
				row.Cells = append(row.Cells, q.Text())
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// skillOf is an analysis of variance of ranks or placement points.
type skillOf struct {
	what string // ranks or placement points
	*stats.Skill
}

// skills returns the analyses of a dataset, none if all its agents are the same.
func skills(s *stats.Summary) []skillOf {
	if s.Skill == nil {
		return nil
	}
	return []skillOf{{"ranks", s.SkillByRank}, {"placement points", s.Skill}}
}

// skillTables returns the tables of the components of skill and luck, and of pairs of agents.
func (r *Report) skillTables() []page.Table {
	components := page.Table{
		Title: "Luck and skill",
		Note:  "Parts of the variance of one player's rank and of his placement points in one match: those of ranks compare rulesets whose placement points differ; without duplicate walls the luck of play holds that of the walls.",
		Head:  []string{"of", "sets", "matches a set", "skill", "luck of the walls", "luck of play"},
	}
	pairs := page.Table{
		Title: "Telling agents apart",
		Note:  "How many matches show the difference in placement points at 5 % with a power of 80 %: as played, and where every match has walls of its own.",
		Head:  []string{"agents", "difference", "matches needed", "on own walls", "deviation", "in a set"},
	}
	for i := range r.Datasets {
		s := r.Datasets[i].Skill
		if s == nil {
			continue
		}
		for _, of := range skills(&r.Datasets[i]) {
			components.Rows = append(components.Rows, page.Row{Label: r.of(of.what, i), Cells: []string{
				strconv.Itoa(of.Sets), strconv.Itoa(of.SetMatches), of.Skill.Skill.Text(), of.Walls.Text(), of.Rest.Text(),
			}})
		}
		for j := range s.Pairs {
			p := &s.Pairs[j]
			pairs.Rows = append(pairs.Rows, page.Row{Label: r.of(p.A+" - "+p.B, i), Cells: []string{
				p.Difference.Text(stats.Placement), neededText(p), matchesText(p.NeededAlone), numberText(p.Deviation), numberText(p.PairedDeviation),
			}})
		}
	}
	if len(components.Rows) == 0 {
		return nil
	}
	return []page.Table{components, pairs}
}

// numberText returns a number with two decimals, "-" if it is missing.
func numberText(n interval.Number) string {
	if !n.Known() {
		return "-"
	}
	return digits.Fixed(float64(n), 2)
}

// matchesText returns a number of matches, "∞" if it is missing.
func matchesText(n interval.Number) string {
	if !n.Known() || math.IsInf(float64(n), 0) {
		return "∞"
	}
	return strconv.FormatFloat(float64(n), 'f', 0, 64)
}

// neededText returns the number of matches that show the difference, with its interval if it has one.
func neededText(p *stats.Pair) string {
	switch {
	case !p.Needed.Known():
		return "-"
	case !p.NeededLow.Known():
		return matchesText(p.Needed)
	}
	return matchesText(p.Needed) + " [" + matchesText(p.NeededLow) + ", " + matchesText(p.NeededHigh) + "]"
}
