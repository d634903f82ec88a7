package league

import (
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/sparrowhall/sparrowhall/internal/contest/standings"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// headCell is a pair of bots in the matrix.
type headCell struct {
	Text, Title string
	Shade       template.CSS
}

// notCompared is the state of two bots that have met in too few duplicate sets for an interval.
const notCompared = "not compared"

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
			share, half, sets := s.headToHead.Share(x.index[a.bot.ID], x.index[b.bot.ID])
			if i == j || sets == 0 {
				r.Cells = append(r.Cells, headCell{Text: "–"})
				continue
			}
			if math.IsNaN(half) {
				r.Cells = append(r.Cells, headCell{Text: "·", Title: fmt.Sprintf("%s and %s: %s after %.0f duplicate sets of at least %d", r.Name, s.names[b.bot.ID], notCompared, sets, standings.LeastSets)})
				continue
			}
			color := "#1b9e5a"
			if share < 0.5 {
				color = "#c9503c"
			}
			r.Cells = append(r.Cells, headCell{
				Text:  digits.Fixed(100*share, 0),
				Title: fmt.Sprintf("%s ahead of %s in %s%% ± %s of %.0f duplicate sets", r.Name, s.names[b.bot.ID], digits.Fixed(100*share, 1), digits.Fixed(100*half, 1), sets),
				Shade: template.CSS(fmt.Sprintf("color-mix(in srgb, %s %.0f%%, transparent)", color, min(200*math.Abs(share-0.5), 60))),
			})
		}
		rows = append(rows, r)
	}
	return s.writePage(w, "heads", headsFile, "Head to head", []string{x.title() + ", in percent"}, map[string]any{"Rows": rows})
}
