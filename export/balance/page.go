package balance

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

//go:embed page.html
var pageText string

var pageTemplate = page.New("balance", pageText)

// strip is a figure drawn on a line from the least to the largest value, with a mark for
// each preset.
type strip struct {
	*Comparison
	// Least and Most are the labels of the ends of the line. At is the position of the figure,
	// From and Length are those of its interval, all in percent of the line.
	Least, Most      string
	At, From, Length float64
	Marks            []mark
	// Says is the strip as a sentence.
	Says string
}

// mark is the figure of a preset on a strip, at a position in percent of the line.
type mark struct {
	At   float64
	Name string
	Text string
}

// stripOf returns the strip of a figure.
func stripOf(b *Comparison, ruleset string) strip {
	low, high := b.Value, b.Value
	if b.Low.Known() {
		low, high = float64(b.Low), float64(b.High)
	}
	least, most := low, high
	if n := len(b.Presets); n > 0 {
		least, most = min(low, b.Presets[0].Value), max(high, b.Presets[n-1].Value)
	}
	at := func(x float64) float64 {
		if most == least {
			return 50
		}
		return 100 * (x - least) / (most - least)
	}
	short := func(x float64) string { return (&Figure{Value: x, Error: b.Error, Unit: b.Unit}).short() }
	s := strip{Comparison: b, Least: short(least), Most: short(most), At: at(b.Value), From: at(low), Length: at(high) - at(low)}
	s.Says = fmt.Sprintf("%s: %s has %s, presets %s", b.Name, ruleset, b.Figure.Text(), b.Range())
	for _, p := range b.Presets {
		s.Marks = append(s.Marks, mark{at(p.Value), sanitize.Line(p.Name), p.Text})
	}
	return s
}

// HTML writes the profile and its comparison with presets as one page that loads nothing.
func (v *Profile) HTML(w io.Writer, presets []Profile) error {
	type section struct {
		Title  Group
		Strips []strip
	}
	list := v.Compare(presets)
	var sections []section
	for i := range list {
		b := &list[i]
		if n := len(sections); n == 0 || sections[n-1].Title != b.Group {
			sections = append(sections, section{Title: b.Group})
		}
		last := &sections[len(sections)-1]
		last.Strips = append(last.Strips, stripOf(b, sanitize.Line(v.Ruleset)))
	}
	all := page.Table{Title: "All figures", Head: []string{"figure", sanitize.Line(v.Ruleset)}}
	for i := range presets {
		all.Head = append(all.Head, sanitize.Line(presets[i].Ruleset))
	}
	for i := range v.Figures {
		f := &v.Figures[i]
		row := page.Row{Label: f.Name, About: f.About, Cells: []string{f.Text()}}
		for j := range presets {
			text := "-"
			if g := presets[j].Figure(f.Name); g != nil {
				text = g.Text()
			}
			row.Cells = append(row.Cells, text)
		}
		all.Rows = append(all.Rows, row)
	}
	return page.Execute(w, pageTemplate, map[string]any{
		"Title": "Balance of " + sanitize.Line(v.Ruleset), "Played": v.Played(), "Remarks": Remarks(list), "Sections": sections,
		"All": all, "Prices": v.PriceTable(), "Offered": v.OfferTable(), "Adapted": v.Adapted(), "Style": page.Style, "Sort": page.Sort,
	})
}

// Played returns a sentence on what was played.
func (v *Profile) Played() string {
	return fmt.Sprintf("%s (family %s), seed %d: %d matches of four equal players (value), %d duplicate matches of expert, value, greedy and random, and %d of expert, value, value without defence, and greedy. Intervals are of 95 %%.",
		sanitize.Line(v.Ruleset), v.Family, v.Seed, v.Matches, v.Matches, v.Matches)
}

// PriceTable returns the table of the prices of patterns and their rarity among wins.
func (v *Profile) PriceTable() *page.Table {
	return report.PriceTable("Price and rarity", v.Ruleset, v.Prices, false)
}

// OfferTable returns the table of the prices of patterns and how rarely they come within
// reach.
func (v *Profile) OfferTable() *page.Table {
	return report.PriceTable("Price and what is offered", v.Ruleset, v.Offered, true)
}

// Adapted describes a player tuned for the ruleset, nil if there is none.
func (v *Profile) Adapted() []string { return report.DescribeAdaptation(v.Adaptation) }
