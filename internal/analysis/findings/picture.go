package findings

import (
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
)

// Picture shows a value with its interval on a line, among other values.
type Picture struct {
	// Value is the value; Low and High are its 95 % interval, both equal to Value if there is
	// none.
	Value, Low, High float64
	// Marks are other values, such as those of presets, each with its name.
	Marks []Mark
	// Lines are labeled places of the line, such as no change.
	Lines []Mark
	// Band is a target range; it is empty where both ends are equal. Its ends may be infinite.
	Band [2]float64
	// Text returns a number of the scale as text, for its ends.
	Text func(x float64) string
	// From and To are the ends of the line, which [Align] sets.
	From, To float64
}

// Mark is a place on the line of a picture.
type Mark struct {
	// At is the value, Name its label.
	At   float64
	Name Text
}

// Align gives pictures the same scale, from the least to the greatest of their values, so that the
// ends of the scale are possible values.
func Align(pictures ...*Picture) {
	from, to := math.Inf(1), math.Inf(-1)
	note := func(list ...float64) {
		for _, x := range list {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				from, to = min(from, x), max(to, x)
			}
		}
	}
	for _, p := range pictures {
		note(p.Value, p.Low, p.High)
		if p.Band[0] < p.Band[1] {
			note(p.Band[:]...)
		}
		for _, m := range append(p.Marks[:len(p.Marks):len(p.Marks)], p.Lines...) {
			note(m.At)
		}
	}
	if from == to {
		from, to = from-1, to+1
	}
	for _, p := range pictures {
		p.From, p.To = from, to
	}
}

// Strip returns the picture for a page in a language, with a text that describes it to screen
// readers.
func (p *Picture) Strip(language, described string) template.HTML {
	d := picture.NewPlot("")
	d.HideY()
	// A mark at an end has room, or the plot would move the line for it.
	room := (p.To - p.From) / 30
	d.X.Min, d.X.Max, d.Y.Min, d.Y.Max = p.From-room, p.To+room, -1, 1
	d.X.LineStyle.Width, d.X.Tick.Length, d.X.Padding = 0, 0, 0
	d.X.Tick.Label.Font.Size = 9
	ends := []plot.Tick{{Value: p.From}, {Value: p.To}}
	if p.Text != nil {
		ends[0].Label, ends[1].Label = p.Text(p.From), p.Text(p.To)
	}
	d.X.Tick.Marker = plot.ConstantTicks(ends)
	line := func(c color.Color, width vg.Length, x0, y0, x1, y1 float64) {
		d.Add(&plotter.Line{XYs: plotter.XYs{{X: p.clip(x0), Y: y0}, {X: p.clip(x1), Y: y1}}, LineStyle: draw.LineStyle{Color: c, Width: width}})
	}
	if p.Band[0] < p.Band[1] {
		line(picture.Band, vg.Points(13), p.Band[0], 0, p.Band[1], 0)
	}
	line(dim, vg.Points(0.75), p.From, 0, p.To, 0)
	height := vg.Points(40)
	if len(p.Lines) > 0 {
		height, d.Y.Max = vg.Points(54), 3
	}
	for _, m := range p.Lines {
		line(dim, vg.Points(1.5), m.At, -1, m.At, 1)
		style := d.X.Tick.Label
		if style.YAlign = draw.YBottom; p.clip(m.At) > (p.From+p.To)/2 {
			style.XAlign = draw.XRight
		} else {
			style.XAlign = draw.XLeft
		}
		d.Add(&plotter.Labels{XYs: plotter.XYs{{X: p.clip(m.At), Y: 1.2}}, Labels: []string{m.Name.Translate(language)}, TextStyle: []text.Style{style}})
	}
	marks := func(shape draw.GlyphDrawer, c color.Color, at ...plotter.XY) {
		d.Add(&plotter.Scatter{XYs: at, GlyphStyle: draw.GlyphStyle{Color: c, Radius: vg.Points(3.5), Shape: shape}})
	}
	var spots []picture.Spot
	for _, m := range p.Marks {
		spots = append(spots, picture.Spot{XY: plotter.XY{X: p.clip(m.At)}, Name: m.Name.Translate(language)})
		marks(draw.RingGlyph{}, dim, spots[len(spots)-1].XY)
	}
	line(pale, vg.Points(5), p.Low, 0, p.High, 0)
	marks(draw.BoxGlyph{}, picture.Color(4), plotter.XY{X: p.clip(p.Value)})
	strip := picture.Picture{Title: described, Plot: d, Width: 3.6 * vg.Inch, Height: height, Spots: spots}
	return strip.HTML(func(_, name, _ string) string {
		if name == described {
			return Say(described).attribute("")
		}
		return "" // a name, or in the language
	})
}

// clip returns the nearest value of the scale: a band may have no end, and a value may be no number.
func (p *Picture) clip(x float64) float64 {
	if math.IsNaN(x) {
		return p.From
	}
	return min(max(x, p.From), p.To)
}

// dim is the color of what a value is compared with, pale that of its interval: half of the
// strength of the fifth series.
var dim, pale = color.Gray{0x60}, color.RGBA{0xea, 0xae, 0x80, 0xff}
