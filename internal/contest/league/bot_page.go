package league

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// The page of a bot has all its versions: ratings, history, style, forfeits, time, and the
// results against the others.

// figure is a figure of a bot with its name.
type figure struct{ Name, Text string }

// botPage writes the page of a bot with all its versions. id is that of the first.
func (s *Site) botPage(w io.Writer, id int64) error {
	var versions []Bot // the newest first
	name := findID(s.bots, id).Name
	for _, b := range slices.Backward(s.bots) {
		if b.Name == name {
			versions = append(versions, b)
		}
	}
	x := s.currentSeason()
	standing := map[int64]*Standing{}
	for i := range x.Bots {
		standing[x.Bots[i].bot.ID] = &x.Bots[i]
	}
	unit := float64(s.league.rules.Rules().Unit())
	table := &page.Table{Title: "versions", Head: []string{"version", "rating", "places", "matches", "forfeits", "since", "retired"}}
	style := &page.Table{Title: "style", Head: []string{"version", "hands", "won", "by self-draw", "deal-in", "ready", "called", "points a match", "placement points", "ms a decision"}}
	if !s.o.Anonymous {
		table.Head = append(table.Head, "fingerprint")
	}
	var lines []page.Series
	for i := range versions {
		b := &versions[i]
		cells := []string{"-", "-", "0", "0"}
		if p := standing[b.ID]; p != nil && p.figures != nil {
			f := p.figures
			cells = []string{ratingText(p), placesText(p), fmt.Sprint(p.Matches), fmt.Sprint(p.Forfeits)}
			share := func(n int64) string {
				if f.Hands == 0 {
					return "-"
				}
				return digits.Fixed(100*float64(n)/float64(f.Hands), 1) + "%"
			}
			time := "-"
			if f.Timed > 0 {
				time = digits.Fixed(float64(f.Nanoseconds)/float64(f.Timed)/1e6, 3)
			}
			n := float64(f.Matches)
			style.Rows = append(style.Rows, page.Row{Label: s.names[b.ID], Cells: []string{
				fmt.Sprint(f.Hands), share(f.Wins), share(f.SelfDraws), share(f.DealIns), share(f.Readies), share(f.Calls),
				digits.Fixed(float64(f.Points)/n/unit, 1), digits.Fixed(float64(f.Placement)/n/ruleset.PlacementUnit, 2), time,
			}})
			if len(lines) < 5 {
				lines = append(lines, s.seriesOf(b.ID, len(lines) == 0))
			}
		}
		cells = append(cells, b.Added, cmp.Or(b.Retired, "plays"))
		if !s.o.Anonymous {
			cells = append(cells, fmt.Sprintf("%.16s", b.Fingerprint))
		}
		table.Rows = append(table.Rows, page.Row{Label: s.names[b.ID], Cells: cells})
	}
	newest := &versions[0]
	data := map[string]any{"Versions": table, "Style1": style, "Against": s.against(newest, x), "Chart": page.NewLineChart("Rating as matches were added", "matches", "Elo", lines), "Figures": s.figures(standing[newest.ID])}
	if len(style.Rows) == 0 {
		data["Style1"] = (*page.Table)(nil)
	}
	return s.writePage(w, "bot", botFile(id), findings.PlainText(s.names[newest.ID]), []findings.Text{s.subtitle(newest)}, data)
}

// figures returns the figures at the top of the page of a bot. p is nil without a place.
func (s *Site) figures(p *Standing) []figure {
	if p == nil || p.figures == nil {
		return []figure{{"matches of the season", "0"}}
	}
	return []figure{
		{"rating", digits.Fixed(float64(p.Rating), 0)},
		{"95 % interval", intervalText(p)},
		{"places", placesText(p)},
		{"matches", fmt.Sprint(p.Matches)},
		{"first", digits.Fixed(100*p.Places[0], 1) + "%"},
		{"last", digits.Fixed(100*p.Places[len(p.Places)-1], 1) + "%"},
		{"forfeits", fmt.Sprint(p.Forfeits)},
	}
}

// against returns the results of a bot against the others, nil if it has not played.
func (s *Site) against(b *Bot, x *Standings) *page.Table {
	own, ok := x.index[b.ID]
	if !ok {
		return nil
	}
	t := &page.Table{Title: "against the others", Head: []string{"opponent", "ahead", "duplicate sets", "rating"}}
	for i := range x.Bots {
		o := &x.Bots[i]
		if o.bot.ID == b.ID || o.figures == nil {
			continue
		}
		p := s.headToHead.Pair(int(own), int(x.index[o.bot.ID]))
		if p.State == strength.NotMet {
			continue
		}
		t.Rows = append(t.Rows, page.Row{Label: s.names[o.bot.ID], Cells: []string{
			p.AheadText(), fmt.Sprint(p.Sets), digits.Fixed(float64(o.Rating), 0),
		}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
