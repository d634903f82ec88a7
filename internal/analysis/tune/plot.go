package tune

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
)

// plot draws the trade-off between the first two targets: the distance of each trial from them,
// with a line through the Pareto front. For a single target the second axis is the number of
// changed knobs. Trials that lack a figure are in no place.
func (s *Search) plot(r *Result) (*picture.Picture, error) {
	p := picture.NewPlot("Distance from the targets: each mark is a ruleset")
	y := min(1, len(s.Targets))
	coordinate := func(t *Trial, i int) float64 {
		switch {
		case i == len(s.Targets):
			return float64(s.changed(t.Candidate))
		case s.Targets[i].inPercent():
			return 100 * s.Targets[i].Distance(t.Measured[i].Value)
		}
		return s.Targets[i].Distance(t.Measured[i].Value)
	}
	label := func(i int) string {
		switch {
		case i == len(s.Targets):
			return "knobs changed"
		case s.Targets[i].inPercent():
			return s.Targets[i].Text + ", missed by pp"
		}
		return s.Targets[i].Text + ", missed by"
	}
	p.X.Label.Text, p.Y.Label.Text = label(0), label(y)
	var few, many, base, all, front plotter.XYs
	add := func(list *plotter.XYs, t *Trial) {
		if at := (plotter.XY{X: coordinate(t, 0), Y: coordinate(t, y)}); !math.IsInf(at.X+at.Y, 1) {
			*list = append(*list, at)
		}
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		add(&all, t)
		if t.Matches == s.Matches {
			add(&many, t)
		} else {
			add(&few, t)
		}
	}
	add(&base, &r.Start)
	// The front of these two targets alone, not of all.
	for _, at := range all {
		if !slices.ContainsFunc(all, func(o plotter.XY) bool { return o.X <= at.X && o.Y <= at.Y && o != at }) {
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
		{"all matches", many, picture.Glyph(0)},
		{"base ruleset", base, draw.GlyphStyle{Color: picture.Color(4), Radius: vg.Points(3.5), Shape: draw.BoxGlyph{}}},
	} {
		if len(set.points) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(set.points)
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle = set.style
		p.Add(marks)
		p.Legend.Add(set.label, marks)
	}
	if len(front) > 0 {
		line, err := plotter.NewLine(front)
		if err != nil {
			return nil, err
		}
		line.Color = picture.Color(2)
		p.Add(line)
		p.Legend.Add("trade-off", line)
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		if a.Max < a.Min { // nothing is drawn
			a.Min, a.Max = 0, 1
		}
		if a.Max == a.Min {
			a.Max++ // otherwise all ticks have the same label
		}
		room := 0.02 * (a.Max - a.Min)
		a.Min, a.Max = a.Min-room, a.Max+room
	}
	// The legend is above the marks.
	p.Y.Max += 0.35 * (p.Y.Max - p.Y.Min)
	return &picture.Picture{Name: "tradeoff", Title: p.Title.Text, Plot: p, Width: 7 * vg.Inch, Height: 4 * vg.Inch}, nil
}
