package tune

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the trade-off between the first two wishes to a file, PNG or SVG by its
// name: what each trial misses, those of the front joined by a line. Of a single wish it
// shows what is missed against the number of knobs that are changed.
func (s *Search) Plot(r *Result, path string) error {
	p := plot.New()
	p.Title.Text = "What is missed: each mark is a ruleset"
	p.BackgroundColor = color.White
	axis := func(t *Trial, i int) float64 {
		if i == len(s.Wishes) {
			return float64(s.Changed(t.Candidate))
		}
		miss := s.Wishes[i].Missed(t.Measured[i].Value)
		if s.Wishes[i].InPercent() {
			miss *= 100
		}
		return miss
	}
	x, y := 0, min(1, len(s.Wishes))
	name := func(i int) string {
		switch {
		case i == len(s.Wishes):
			return "knobs changed"
		case s.Wishes[i].InPercent():
			return fmt.Sprintf("%s, missed by pp", s.Wishes[i].Text)
		}
		return s.Wishes[i].Text + ", missed by"
	}
	p.X.Label.Text, p.Y.Label.Text = name(x), name(y)
	var few, many, front plotter.XYs
	for i := range r.Trials {
		t := &r.Trials[i]
		at := plotter.XY{X: axis(t, x), Y: axis(t, y)}
		if t.Matches == s.Matches {
			many = append(many, at)
		} else {
			few = append(few, at)
		}
	}
	// The front of these two, whatever the other wishes say.
	for i := range r.Trials {
		t := &r.Trials[i]
		at := plotter.XY{X: axis(t, x), Y: axis(t, y)}
		beaten := false
		for j := range r.Trials {
			o := plotter.XY{X: axis(&r.Trials[j], x), Y: axis(&r.Trials[j], y)}
			beaten = beaten || o.X <= at.X && o.Y <= at.Y && (o.X < at.X || o.Y < at.Y)
		}
		if !beaten {
			front = append(front, at)
		}
	}
	slices.SortFunc(front, func(a, b plotter.XY) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(b.Y, a.Y)) })
	for _, set := range []struct {
		label  string
		points plotter.XYs
		style  draw.GlyphStyle
	}{
		{"few matches", few, draw.GlyphStyle{Color: color.Gray{0x90}, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}},
		{"all matches", many, draw.GlyphStyle{Color: color.RGBA{0x00, 0x72, 0xb2, 0xff}, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}},
		{"as it is", plotter.XYs{{X: axis(&r.Start, x), Y: axis(&r.Start, y)}}, draw.GlyphStyle{Color: color.RGBA{0xd5, 0x5e, 0x00, 0xff}, Radius: vg.Points(3.5), Shape: draw.BoxGlyph{}}},
	} {
		if len(set.points) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(set.points)
		if err != nil {
			return err
		}
		marks.GlyphStyle = set.style
		p.Add(marks)
		p.Legend.Add(set.label, marks)
	}
	line, err := plotter.NewLine(front)
	if err != nil {
		return err
	}
	line.Color = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	p.Add(line)
	p.Legend.Add("trade-off", line)
	p.Legend.Top = true
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		room := math.Max(0.02*(a.Max-a.Min), 1e-9)
		a.Min, a.Max = a.Min-room, a.Max+room
	}
	return p.Save(7*vg.Inch, 4*vg.Inch, path)
}
