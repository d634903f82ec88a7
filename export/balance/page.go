package balance

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	pages "github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/export/report"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("balance").Funcs(template.FuncMap{"cell": pages.Cell}).Parse(pageText))

// strip is a figure as a line from the least to the most, with a mark for each preset.
type strip struct {
	*Beside
	// Least and Most are the ends of the line; the places are in percent of it.
	Least, Most      string
	At, From, Length float64
	Marks            []mark
	// Says is the strip in words.
	Says string
}

type mark struct {
	At   float64
	Name string
	Text string
}

// stripOf returns the strip of a figure.
func stripOf(b *Beside, ruleset string) strip {
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
	short := func(x float64) string { return (&Figure{Value: x, Error: b.Error, Unit: b.Unit}).Short() }
	s := strip{Beside: b, Least: short(least), Most: short(most), At: at(b.Value), From: at(low), Length: at(high) - at(low)}
	s.Says = fmt.Sprintf("%s: %s has %s, presets %s", b.Name, ruleset, b.Figure.Text(), b.Range())
	for _, p := range b.Presets {
		s.Marks = append(s.Marks, mark{at(p.Value), plain.Line(p.Name), p.Text})
	}
	return s
}

// HTML writes the view beside the presets as one page that needs nothing else.
func (v *View) HTML(w io.Writer, presets []View) error {
	type section struct {
		Title  Group
		Strips []strip
	}
	list := v.Beside(presets)
	var sections []section
	for i := range list {
		b := &list[i]
		if n := len(sections); n == 0 || sections[n-1].Title != b.Group {
			sections = append(sections, section{Title: b.Group})
		}
		last := &sections[len(sections)-1]
		last.Strips = append(last.Strips, stripOf(b, plain.Line(v.Ruleset)))
	}
	all := report.Table{Title: "All figures", Head: []string{"figure", plain.Line(v.Ruleset)}}
	for i := range presets {
		all.Head = append(all.Head, plain.Line(presets[i].Ruleset))
	}
	for i := range v.Figures {
		f := &v.Figures[i]
		row := report.Row{Label: f.Name, About: f.About, Cells: []string{f.Text()}}
		for j := range presets {
			text := "-"
			if g := presets[j].Figure(f.Name); g != nil {
				text = g.Text()
			}
			row.Cells = append(row.Cells, text)
		}
		all.Rows = append(all.Rows, row)
	}
	return page.Execute(&plain.Writer{W: w}, map[string]any{
		"Title": "Balance of " + plain.Line(v.Ruleset), "Played": v.Played(), "Remarks": v.Remarks(list), "Sections": sections,
		"All": all, "Prices": v.PriceTable(), "Offered": v.OfferTable(), "Adapted": v.Adapted(), "Style": pages.Style, "Sort": pages.Sort,
	})
}

// Played says what was played.
func (v *View) Played() string {
	return fmt.Sprintf("%s (family %s), seed %d: %d matches of four equal players (value), %d in which expert, value, greedy and random change seats at the same walls, and %d of expert, value, value without defence, and greedy. Intervals are of 95 %%.",
		plain.Line(v.Ruleset), v.Family, v.Seed, v.Matches, v.Matches, v.Matches)
}

// PriceTable returns the patterns whose price is far from that of patterns as rare.
func (v *View) PriceTable() *report.Table {
	return report.PriceTable("Price and rarity", v.Ruleset, v.Prices, false)
}

// OfferTable does the same with how rare they are among what players are offered.
func (v *View) OfferTable() *report.Table {
	return report.PriceTable("Price and what is offered", v.Ruleset, v.Offered, true)
}

// Adapted says in sentences what a player makes of the ruleset who has adapted to it, nil
// if none did.
func (v *View) Adapted() []string {
	if v.Adaptation == nil {
		return nil
	}
	return v.Adaptation.Sentences()
}
