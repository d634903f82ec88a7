package report

import (
	"cmp"
	"regexp"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/pages/page"
	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// CurveTables returns the curves as text, a table for each knob.
func (r *Report) CurveTables() (list []page.Table) {
	for i := range r.Curves {
		c := &r.Curves[i]
		title := "Response to " + sanitize.Line(c.Knob)
		if len(list) == 0 || list[len(list)-1].Title != title {
			t := page.Table{Title: title, Head: []string{c.Knob}, Note: "The intervals are those of the difference from " + r.Label(0) + "."}
			for _, p := range c.Points {
				t.Rows = append(t.Rows, page.Row{Label: digits.Exact(p.Knob)})
			}
			list = append(list, t)
		}
		t := &list[len(list)-1]
		t.Head = append(t.Head, c.Key.String())
		for j, p := range c.Points {
			e := stats.Estimate{Value: p.Value, Count: 1, Low: p.Low, High: p.High}
			if p.Low.Known() {
				e.Error = float64(p.High-p.Low) / 4
			}
			cell := e.Text(c.Unit)
			if p.Dataset == 0 {
				cell = r.Datasets[0].Figure(c.Key).Rounded(c.Unit)
			}
			t.Rows[j].Cells = append(t.Rows[j].Cells, cell)
		}
	}
	return list
}

// unusual matches characters that are replaced in file names.
var unusual = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// curves draws the curves with their bands.
func (b *painter) curves() {
	for i := range b.r.Curves {
		c := &b.r.Curves[i]
		title := c.Key.String() + " by " + c.Knob
		p := picture.NewPlot(title)
		p.X.Label.Text = c.Knob
		p.Y.Label.Text = string(c.Unit)
		if c.Unit == stats.Share || c.Unit == stats.Gap {
			p.Y.Tick.Marker = picture.Ticks{Percent: true}
		}
		var line, above, below plotter.XYs
		var spots []picture.Spot
		for _, at := range c.Points {
			xy := plotter.XY{X: at.Knob, Y: at.Value}
			line = append(line, xy)
			e := stats.Estimate{Value: at.Value, Low: at.Low, High: at.High}
			spots = append(spots, picture.Spot{XY: xy, Name: c.Knob + " = " + digits.Exact(at.Knob) + ": " + tooltip(&e, c.Unit == stats.Share || c.Unit == stats.Gap)})
			if at.Low.Known() {
				above = append(above, plotter.XY{X: at.Knob, Y: float64(at.High)})
				below = append(below, plotter.XY{X: at.Knob, Y: float64(at.Low)})
			}
		}
		slices.Reverse(below)
		band, err := plotter.NewPolygon(append(above, below...))
		drawn, points, errLine := plotter.NewLinePoints(line)
		if !b.try(cmp.Or(err, errLine)) {
			return
		}
		band.Color, band.LineStyle.Width = picture.Band, 0
		drawn.Color, drawn.Width = picture.Color(0), vg.Points(1.5)
		points.GlyphStyle = picture.Glyph(0)
		p.Add(band, drawn, points)
		b.pictures = append(b.pictures, picture.Picture{
			Name: "curve_" + unusual.ReplaceAllString(c.Knob+"_"+c.Key.Path(), "_"), Title: title,
			Note: "The band is the 95 % interval of the difference from " + b.r.Label(0) + ", where it has no width.",
			Plot: p, Width: picture.Width, Height: 3.4 * vg.Inch, Spots: spots,
		})
	}
}
