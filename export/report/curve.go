package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/nearest"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Keys returns the figures that a report has of a dataset with hands, in its order.
func Keys(rules *ruleset.Rules, agents []string) []Key {
	var list []Key
	for _, d := range newTally(rules, agents, true, false).defs {
		list = append(list, d.Key)
	}
	return list
}

// Units returns what those figures are measured in.
func Units(rules *ruleset.Rules, agents []string) map[Key]Unit {
	units := map[Key]Unit{}
	for _, d := range newTally(rules, agents, true, false).defs {
		units[d.Key] = d.Unit
	}
	return units
}

// FindKey returns the one of some figures that a user names: by its name, such as won,
// or with its section and whom it is of where several have the name, such as
// seat.points:east. The error names the nearest figures, or those of that name.
func FindKey(keys []Key, name string) (Key, error) {
	var found []Key
	var all []string
	for _, k := range keys {
		short := strings.TrimPrefix(k.name(), k.Section+".")
		switch name {
		case k.name():
			return k, nil
		case short, k.Name:
			found = append(found, k)
		}
		all = append(all, k.name())
	}
	// The figure of all comes before those of somebody.
	if i := slices.IndexFunc(found, func(k Key) bool { return k.Of == "" }); i >= 0 {
		rest := slices.DeleteFunc(slices.Clone(found), func(k Key) bool { return k.Of != "" })
		if len(rest) == 1 {
			return rest[0], nil
		}
		found = rest
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		var names []string
		for _, k := range found[:min(len(found), 8)] {
			names = append(names, k.name())
		}
		return Key{}, fmt.Errorf("%q may be several figures: %s", name, strings.Join(names, ", "))
	}
	return Key{}, fmt.Errorf("there is no figure %q; nearest: %s", name, strings.Join(nearest.To(name, all, 5), ", "))
}

// name returns what FindKey takes for the figure.
func (k Key) name() string {
	if k.Of == "" {
		return k.Section + "." + k.Name
	}
	return k.Section + "." + k.Name + ":" + k.Of
}

// Curve says how a figure follows a knob that takes numbers.
type Curve struct {
	Knob string `json:"knob"`
	Key
	Unit Unit `json:"unit"`
	// Points are in ascending order of the knob.
	Points []CurvePoint `json:"points"`
}

// CurvePoint is a figure at a value of a knob.
type CurvePoint struct {
	// Knob is the value of the knob, Dataset the number of the dataset that has it, Value
	// the figure there.
	Knob    float64 `json:"knob"`
	Dataset int     `json:"dataset"`
	Value   float64 `json:"value"`
	// Low and High are the band: the value in the first dataset and the interval of the
	// difference from it. At the value of the first dataset the band has no width.
	Low  export.Number `json:"low"`
	High export.Number `json:"high"`
}

// mostCurves is how many figures curves are of if none are chosen.
const mostCurves = 4

// DrawCurves fills Curves with those of some figures, or without any with those of the
// headlines that change most clearly. There is a curve for each knob with numbers which
// alone is changed in two datasets or more.
func (r *Report) DrawCurves(keys []Key) {
	if len(keys) == 0 {
		for _, k := range r.Clear(len(r.Comparisons)) {
			if slices.Contains(Headlines, k) && len(keys) < mostCurves {
				keys = append(keys, k)
			}
		}
	}
	r.Curves = nil
	for _, knob := range r.numericKnobs() {
		for _, k := range keys {
			c := Curve{Knob: knob, Key: k, Unit: r.meaning(k).Unit}
			for i := range r.Datasets {
				if p, ok := r.curvePoint(i, knob, k); ok {
					c.Points = append(c.Points, p)
				}
			}
			slices.SortFunc(c.Points, func(a, b CurvePoint) int { return cmp.Compare(a.Knob, b.Knob) })
			if len(c.Points) > 2 {
				r.Curves = append(r.Curves, c)
			}
		}
	}
}

// numericKnobs returns the knobs with numbers that alone are changed in some dataset.
func (r *Report) numericKnobs() (list []string) {
	for i := range r.Datasets {
		if c := r.Datasets[i].Changes; len(c) == 1 && !slices.Contains(list, c[0].Knob) {
			if _, ok := c[0].numbers(); ok {
				list = append(list, c[0].Knob)
			}
		}
	}
	return list
}

// numbers returns both values as numbers, if they are.
func (c Change) numbers() (n [2]float64, ok bool) {
	for i, text := range [2]string{c.From, c.To} {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return n, false
		}
		n[i] = x
	}
	return n, true
}

// curvePoint returns the figure of a dataset that differs from the first by a knob
// alone, or of the first.
func (r *Report) curvePoint(i int, knob string, k Key) (p CurvePoint, ok bool) {
	base := r.Datasets[0].Figure(k)
	if base == nil || base.Count == 0 {
		return p, false
	}
	p = CurvePoint{Dataset: i, Value: base.Value, Low: export.Number(base.Value), High: export.Number(base.Value)}
	if i == 0 {
		for j := range r.Datasets {
			if c := r.Datasets[j].Changes; len(c) == 1 && c[0].Knob == knob {
				n, ok := c[0].numbers()
				p.Knob = n[0]
				return p, ok
			}
		}
		return p, false
	}
	changes, c := r.Datasets[i].Changes, r.Comparison(i, k)
	if len(changes) != 1 || changes[0].Knob != knob || c == nil {
		return p, false
	}
	n, ok := changes[0].numbers()
	p.Knob, p.Value = n[1], base.Value+c.Value
	switch {
	case c.Low.Known():
		p.Low += c.Low
		p.High += c.High
	case c.Value != 0:
		p.Low, p.High = export.Missing, export.Missing
	}
	return p, ok
}

// CurveTables returns the curves as text, a table for each knob.
func (r *Report) CurveTables() (list []Table) {
	for i := range r.Curves {
		c := &r.Curves[i]
		title := "Response to " + plain.Line(c.Knob)
		if len(list) == 0 || list[len(list)-1].Title != title {
			t := Table{Title: title, Head: []string{c.Knob}, Note: "The intervals are those of the difference from " + r.Label(0) + "."}
			for _, p := range c.Points {
				t.Rows = append(t.Rows, Row{Label: short(p.Knob)})
			}
			list = append(list, t)
		}
		t := &list[len(list)-1]
		t.Head = append(t.Head, c.Key.String())
		for j, p := range c.Points {
			e := Estimate{Value: p.Value, Count: 1, Low: p.Low, High: p.High}
			if p.Low.Known() {
				e.Error = float64(p.High-p.Low) / 4
			}
			if p.Dataset == 0 {
				e = r.Datasets[0].Figure(c.Key).Estimate
				e.Low = export.Missing
				e.Value = rounded(e.Value, e.Error, c.Unit)
			}
			t.Rows[j].Cells = append(t.Rows[j].Cells, e.Text(c.Unit))
		}
	}
	return list
}

// rounded returns a figure to the decimals that its error leaves.
func rounded(x, err float64, u Unit) float64 {
	scale := 1.0
	if u == Share || u == Gap {
		scale = 100
	}
	n, _ := strconv.ParseFloat(fixed(scale*x, decimals(scale*err)), 64)
	return n / scale
}

// unusual is what names of files do without.
var unusual = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// curves draws the curves with their bands.
func (b *painter) curves() {
	for i := range b.r.Curves {
		c := &b.r.Curves[i]
		title := c.Key.String() + " by " + c.Knob
		p := newPlot(title)
		p.X.Label.Text = c.Knob
		p.Y.Label.Text = string(c.Unit)
		if c.Unit == Share || c.Unit == Gap {
			p.Y.Tick.Marker = labelled{percent: true}
		}
		var line, above, below plotter.XYs
		var spots []spot
		for _, at := range c.Points {
			xy := plotter.XY{X: at.Knob, Y: at.Value}
			line = append(line, xy)
			e := Estimate{Value: at.Value, Low: at.Low, High: at.High}
			spots = append(spots, spot{xy, c.Knob + " = " + short(at.Knob) + ": " + e.words(c.Unit == Share || c.Unit == Gap)})
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
		band.Color, band.LineStyle.Width = bandColor, 0
		drawn.Color, drawn.Width = colorOf(0), vg.Points(1.5)
		points.GlyphStyle = draw.GlyphStyle{Color: colorOf(0), Radius: vg.Points(3), Shape: shapeOf(0)}
		p.Add(band, drawn, points)
		b.pictures = append(b.pictures, Picture{
			"curve_" + unusual.ReplaceAllString(c.Knob+"_"+c.Key.name(), "_"), title,
			"The band is the 95 % interval of the difference from " + b.label(0) + ", where it has no width.",
			p, pictureWidth, 3.4 * vg.Inch, spots,
		})
	}
}
