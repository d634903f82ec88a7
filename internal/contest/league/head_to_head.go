package league

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// headCell is a pair of bots in the matrix.
type headCell struct {
	Text, Title string
	Shade       template.CSS
}

// headPage writes how often each bot finishes ahead of each other one at the same table, with
// errors by duplicate sets.
func (s *Site) headPage(w io.Writer) error {
	type row struct {
		Place      int
		Name, Link string
		Cells      []headCell
	}
	x := s.currentSeason()
	var rows []row
	for i := range x.Bots {
		a := &x.Bots[i]
		if a.figures == nil {
			break
		}
		r := row{Place: i + 1, Name: s.names[a.bot.ID], Link: s.links[a.Name]}
		for j := range x.Bots {
			b := &x.Bots[j]
			if b.figures == nil {
				break
			}
			p := s.headToHead.Pair(int(x.index[a.bot.ID]), int(x.index[b.bot.ID]))
			if i == j || p.State == strength.NotMet {
				r.Cells = append(r.Cells, headCell{Text: "–"})
				continue
			}
			title := fmt.Sprintf("%s ahead of %s: %s, %s", r.Name, s.names[b.bot.ID], p.AheadText(), digits.Count(p.Sets, "duplicate set"))
			if p.State == strength.FewSets {
				r.Cells = append(r.Cells, headCell{Text: "·", Title: fmt.Sprintf("%s of at least %d", title, strength.LeastSets)})
				continue
			}
			share := float64(p.Ahead.Value)
			color := "#1b9e5a"
			if share < 0.5 {
				color = "#c9503c"
			}
			r.Cells = append(r.Cells, headCell{
				Text: digits.Fixed(100*share, 0), Title: title,
				Shade: template.CSS(fmt.Sprintf("color-mix(in srgb, %s %.0f%%, transparent)", color, min(200*math.Abs(share-0.5), 60))),
			})
		}
		rows = append(rows, r)
	}
	return s.writePage(w, "heads", headsFile, findings.NewText("title.Head to head"), []findings.Text{findings.NewText("league.percent", x.title())}, map[string]any{"Rows": rows})
}
