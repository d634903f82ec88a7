package report

import (
	"fmt"
	"strconv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// priceTables returns a table of prices against rarity for each dataset.
func (r *Report) priceTables() (list []page.Table) {
	for i := range r.Datasets {
		if d := &r.Datasets[i]; len(d.Prices) > 0 {
			list = append(list, *PriceTable(r.of("Price and rarity", i), d.Ruleset, d.Prices, false))
		}
	}
	for i := range r.Datasets {
		if d := &r.Datasets[i]; len(d.Offered) > 0 {
			list = append(list, *PriceTable(r.of("Price and what is offered", i), d.Ruleset, d.Offered, true))
		}
	}
	return list
}

// PriceTable returns a table of the prices of a ruleset's patterns against their rarity:
// among the wins, or among what players are offered.
func PriceTable(title, ruleset string, prices []stats.PatternPrice, offered bool) *page.Table {
	t := &page.Table{
		Title: title,
		Note: "The line gives the price of patterns that are as rare among the wins; off by is the distance of a price from it in robust standard deviations, above 0 if it is dearer. " +
			"Players aim at patterns by their prices, so measure a new price before you adopt it.",
		Head: []string{"pattern", "price", "wins", "frequency", "on the line", "off by", "suggested"},
	}
	cases := "one win in %.0f holds it"
	if offered {
		t.Note = "The line gives the price of patterns that are offered as seldom: that is, come within an exchange of a waiting hand in as few hands of players, whether they aim at them or not. " +
			"Off by is the distance of a price from it in robust standard deviations, above 0 if it is dearer."
		t.Head[2] = "hands"
		cases = "one hand of a player in %.0f offers it"
	}
	if len(prices) == 0 {
		t.Note = "Too few patterns have enough cases to fit a line to their prices."
		return t
	}
	first := ""
	for _, p := range prices {
		suggested := ""
		if p.Suggested > 0 {
			suggested = strconv.Itoa(p.Suggested)
			if first == "" {
				dear := "cheap"
				if p.Off > 0 {
					dear = "dear"
				}
				first = fmt.Sprintf(" %s is the most %s for how rare it is: "+cases+", it counts %d, and others as rare count %.1f. Tried by: sparrowhall sweep --ruleset %s --knob patterns.%s=%d",
					p.Pattern, dear, 1/p.Frequency, p.Price, p.Line, sanitize.Line(ruleset), p.Pattern, p.Suggested)
			}
		}
		t.Rows = append(t.Rows, page.Row{Label: p.Pattern, Cells: []string{
			strconv.Itoa(p.Price), digits.Exact(p.Cases), digits.Fixed(100*p.Frequency, 2) + "%", digits.Fixed(p.Line, 1), digits.Signed(p.Off, 1), suggested,
		}})
	}
	if first == "" {
		t.Head = t.Head[:len(t.Head)-1]
		for i := range t.Rows {
			t.Rows[i].Cells = t.Rows[i].Cells[:len(t.Head)-1]
		}
		first = " No price is far enough from the line to suggest another one, or rarer patterns are not dearer."
	}
	t.Note += first
	return t
}
