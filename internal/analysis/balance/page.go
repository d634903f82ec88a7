package balance

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

//go:embed page.html
var pageText string

var pageTemplate = findings.NewPage("balance", pageText)

// row is a figure with its picture.
type row struct {
	*Comparison
	Row   page.Row
	Strip template.HTML
}

// HTML writes the profile and its comparison with presets as one page that loads nothing. The
// command made it.
func (v *Profile) HTML(w io.Writer, presets []Profile, command string) error {
	type section struct {
		Title Group
		Rows  []row
	}
	list := v.Compare(presets)
	var sections []section
	pictures := make([]findings.Picture, len(list))
	for i := range list {
		pictures[i] = list[i].picture()
	}
	alignRows(list, pictures)
	for i := range list {
		b := &list[i]
		if n := len(sections); n == 0 || sections[n-1].Title != b.Group {
			sections = append(sections, section{Title: b.Group})
		}
		last := &sections[len(sections)-1]
		described := fmt.Sprintf("%s: %s has %s, presets %s", b.Name, sanitize.Line(v.Ruleset), b.Figure.Text(), b.Range())
		last.Rows = append(last.Rows, row{b, page.Row{Label: b.Name, About: b.About}, pictures[i].Strip(findings.Languages[0], described)})
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
	title := findings.NewText("title.balance", v.Ruleset)
	return pageTemplate.Execute(w, "balance", v.Family, map[string]any{
		"Title": title.String(), "Heading": title.HTML(), "Played": v.Played(), "Summary": v.Summary(list, presets).Sections(v.Family), "SummaryScript": findings.Script, "Seats": SeatRemarks(list), "Sections": sections,
		"Beside": BesideTable(list), "All": all, "Prices": v.PriceTable(), "Offered": v.OfferTable(), "Adapted": v.DescribeAdaptation(), "Style": page.Style, "Sort": page.Sort,
		"Made": release.Made(v.Engine, release.Rules(v.Ruleset, v.Hash), fmt.Sprintf("seed %d", v.Seed), command),
	})
}

// alignRows gives the rows that are compared with each other, the parts of luck and skill and the
// seats, a common scale, and each other row its own.
func alignRows(list []Comparison, pictures []findings.Picture) {
	type scale struct {
		group Group
		unit  stats.Unit
	}
	shared := map[scale][]*findings.Picture{}
	for i := range list {
		b, p := &list[i], &pictures[i]
		if b.Group == Skill && b.Unit == stats.Share || b.Group == Seats {
			key := scale{b.Group, b.Unit}
			shared[key] = append(shared[key], p)
			continue
		}
		findings.Align(p)
	}
	for _, list := range shared {
		findings.Align(list...)
	}
}

// Played returns a sentence on the rulesets, players and matches.
func (v *Profile) Played() string {
	fields := Fields(v.Players)
	return fmt.Sprintf("%s (family %s), seed %d: %d matches of equal players (value), %d duplicate matches of %s, and %d of %s. Intervals are of 95 %%.",
		sanitize.Line(v.Ruleset), v.Family, v.Seed, v.Matches, v.Matches, fields[1].list(), v.Matches, fields[2].list())
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

// DescribeAdaptation describes a player tuned for the ruleset, nil if there is none.
func (v *Profile) DescribeAdaptation() []string { return report.DescribeAdaptation(v.Adaptation) }
