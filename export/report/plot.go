package report

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is a plot of a report.
type Picture struct {
	// Name is the name of its file without extension, Title what it shows.
	Name, Title string
	// Note says how to read it.
	Note          string
	plot          *plot.Plot
	width, height vg.Length
}

// pictureWidth is the width of pictures; their height depends on what they show.
const pictureWidth = 7.5 * vg.Inch

// series are told apart by colours that people with any colour vision can tell
// apart: Okabe and Ito, Color universal design, 2008.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0x80, 0x80, 0x80, 0xff},
}

func colorOf(i int) color.Color { return palette[i%len(palette)] }

// SVG writes the picture as SVG.
func (p *Picture) SVG(w io.Writer) error {
	c := vgsvg.New(p.width, p.height)
	p.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// draw leaves a margin, which plots have none of.
func (p *Picture) draw(c draw.Canvas) {
	p.plot.Draw(draw.Crop(c, margin, -margin, margin, -margin))
}

const margin = 8 * vg.Inch / 72

// PNG writes the picture as PNG.
func (p *Picture) PNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(144))}
	p.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// Pictures draws the report.
func (r *Report) Pictures() ([]Picture, error) {
	b := &painter{r: r}
	b.dots("seats", "Points at the end, by seat at the start", "points", sectionSeat, "points", winds[:], nil)
	b.dots("winds", "Points a hand, by wind", "points", sectionDealer, "hand_points", winds[:], nil)
	b.dots("ends", "How hands end", "share of the hands", sectionHand, "", []string{"self_draw", "discard", "rob", "flower", "exhausted", "aborted"}, nil)
	for i := range r.Datasets {
		b.agents(i)
	}
	b.lines("final_points", "Points of the players at the end", "points")
	b.lines("win_value", "Value of won hands", "points")
	b.lines("win_turn", "Turns until a hand is won", "turn")
	b.patterns()
	b.changes()
	b.skill()
	return b.pictures, b.err
}

// painter collects pictures and the first error.
type painter struct {
	r        *Report
	pictures []Picture
	err      error
}

func (b *painter) try(err error) bool {
	if b.err == nil {
		b.err = err
	}
	return err == nil
}

// label names a dataset in a legend.
func (b *painter) label(i int) string { return b.r.Label(i) }

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size = font.Length(13)
	p.X.Tick.Marker, p.Y.Tick.Marker = labelled{}, labelled{}
	p.Title.Padding = vg.Points(6)
	p.BackgroundColor = color.White
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Gray{0xe0}
	grid.Horizontal.Color = color.Gray{0xe0}
	p.Add(grid)
	return p
}

// labelled gives every tick its number.
type labelled struct{}

// Ticks implements plot.Ticker.
func (labelled) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		ticks[i].Label = strconv.FormatFloat(ticks[i].Value, 'g', 6, 64)
	}
	return ticks
}

// symlog is a scale that is linear around zero and logarithmic beyond one, to
// both sides, so that small and large changes can be seen together.
type symlog struct{}

func (symlog) of(x float64) float64 { return math.Asinh(x) }

// Normalize implements plot.Normalizer.
func (s symlog) Normalize(low, high, x float64) float64 {
	return (s.of(x) - s.of(low)) / (s.of(high) - s.of(low))
}

// Ticks implements plot.Ticker.
func (symlog) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, size := range [...]float64{0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000} {
		for _, x := range [...]float64{-size, size} {
			if x >= low && x <= high && (size != 0 || len(ticks) == 0) {
				ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x+0, 'f', -1, 64)})
			}
		}
	}
	return ticks
}

// intervals are points with intervals of one series.
type intervals struct {
	plotter.XYs
	plotter.XErrors
}

// rows draws a figure a row, a mark a dataset, with its interval. values[i][j] is
// the estimate of row j in series i, nil where there is none.
func (b *painter) rows(name, title, unit, note string, rows, series []string, values [][]*Estimate) {
	p := newPlot(title)
	b.fillRows(p, name, title, unit, note, rows, series, values)
}

// fillRows draws rows into a plot whose axes are set.
func (b *painter) fillRows(p *plot.Plot, name, title, unit, note string, rows, series []string, values [][]*Estimate) {
	p.X.Label.Text = unit
	ticks := make([]plot.Tick, len(rows))
	for j, row := range rows {
		ticks[j] = plot.Tick{Value: float64(len(rows) - 1 - j), Label: row}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length = 0
	p.Y.LineStyle.Width = 0
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	perRow := math.Max(0.24, 0.1*float64(len(series)))
	legend := 0.0
	if len(series) > 1 {
		// The legend stands above the first row.
		legend = 0.19 * float64(len(series))
		p.Y.Max += legend / perRow
	}
	for i := range series {
		var marks intervals
		for j := range rows {
			e := values[i][j]
			if e == nil {
				continue
			}
			off := 0.0
			if len(series) > 1 {
				off = 0.3 - 0.6*float64(i)/float64(len(series)-1)
			}
			low, high := 0.0, 0.0
			if e.Low.Known() {
				low, high = e.Value-float64(e.Low), float64(e.High)-e.Value
			}
			marks.XYs = append(marks.XYs, plotter.XY{X: e.Value, Y: float64(len(rows)-1-j) + off})
			marks.XErrors = append(marks.XErrors, struct{ Low, High float64 }{low, high})
		}
		if len(marks.XYs) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(marks.XYs)
		bars, errBars := plotter.NewXErrorBars(marks)
		if !b.try(cmp.Or(err, errBars)) {
			return
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: colorOf(i), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
		bars.LineStyle.Color, bars.LineStyle.Width = colorOf(i), vg.Points(1.5)
		p.Add(bars, dots)
		if len(series) > 1 {
			p.Legend.Add(series[i], dots)
		}
	}
	height := vg.Length(1+legend+float64(len(rows))*perRow) * vg.Inch
	b.pictures = append(b.pictures, Picture{name, title, note, p, pictureWidth, height})
}

// dots draws figures of a section of all datasets: of every name in of, or
// without a name the figures that are named by of.
func (b *painter) dots(file, title, unit, section, name string, of []string, labels []string) {
	if labels == nil {
		labels = of
	}
	var series []string
	var values [][]*Estimate
	found := false
	for i := range b.r.Datasets {
		series = append(series, b.label(i))
		row := make([]*Estimate, len(of))
		for j, o := range of {
			key := Key{section, name, o}
			if name == "" {
				key = Key{section, o, ""}
			}
			if f := b.r.Datasets[i].Figure(key); f != nil && f.Count > 0 {
				row[j], found = &f.Estimate, true
			}
		}
		values = append(values, row)
	}
	if found {
		b.rows(file, title, unit, "Marks are estimates, lines their 95 % intervals.", labels, series, values)
	}
}

// agents draws the placement points of the agents of a dataset.
func (b *painter) agents(i int) {
	s := &b.r.Datasets[i]
	var names []string
	var values []*Estimate
	for j := range s.Figures {
		if f := &s.Figures[j]; f.Section == sectionAgent && f.Name == "placement" && f.Count > 0 {
			names = append(names, f.Of)
			values = append(values, &f.Estimate)
		}
	}
	file, title := "agents", "Placement points of the agents"
	if len(b.r.Datasets) > 1 {
		file, title = fmt.Sprintf("agents_%d", i+1), title+": "+b.label(i)
	}
	b.rows(file, title, "placement points a match", "Marks are estimates, lines their 95 % intervals.", names, []string{""}, [][]*Estimate{values})
}

// lines draws a distribution of all datasets.
func (b *painter) lines(name, title, unit string) {
	p := newPlot(title)
	p.X.Label.Text = unit
	p.Y.Min = 0
	// Bars of different widths are made comparable: shares are of the widest.
	widest := 0.0
	for i := range b.r.Datasets {
		if d := b.r.Datasets[i].Distribution(name); d != nil && d.Count > 0 {
			widest = max(widest, d.Bars[0].To-d.Bars[0].From)
		}
	}
	p.Y.Label.Text = fmt.Sprintf("share in %g %ss", widest, strings.TrimSuffix(unit, "s"))
	for i := range b.r.Datasets {
		d := b.r.Datasets[i].Distribution(name)
		if d == nil || d.Count == 0 {
			continue
		}
		var xy plotter.XYs
		scale := widest / (d.Bars[0].To - d.Bars[0].From)
		end := d.Bars[0].From
		for _, bar := range d.Bars {
			if bar.From > end {
				xy = append(xy, plotter.XY{X: end, Y: 0}, plotter.XY{X: bar.From, Y: 0})
			}
			xy = append(xy, plotter.XY{X: bar.From, Y: bar.Share * scale}, plotter.XY{X: bar.To, Y: bar.Share * scale})
			end = bar.To
		}
		line, err := plotter.NewLine(xy)
		if !b.try(err) {
			return
		}
		line.Color, line.Width = colorOf(i), vg.Points(1.5)
		p.Add(line)
		if len(b.r.Datasets) > 1 {
			p.Legend.Add(b.label(i), line)
		}
	}
	if len(b.r.Datasets) > 1 {
		p.Y.Max *= 1 + 0.08*float64(len(b.r.Datasets))
	}
	if widest > 0 {
		b.pictures = append(b.pictures, Picture{name, title, "The outermost bars hold what lies beyond them as well.", p, pictureWidth, 3.4 * vg.Inch})
	}
}

// mostPatterns is how many patterns a picture shows.
const mostPatterns = 24

// patterns draws the most frequent patterns, those of the datasets together.
func (b *painter) patterns() {
	share := map[string]float64{}
	for i := range b.r.Datasets {
		for _, f := range b.r.Datasets[i].Figures {
			if f.Section == sectionPattern && f.Name == "frequency" && f.Sum > 0 {
				share[f.Of] = max(share[f.Of], f.Value)
			}
		}
	}
	var names []string
	for name := range share {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(share[y], share[x]), cmp.Compare(x, y)) })
	names = names[:min(len(names), mostPatterns)]
	b.dots("patterns", "The most frequent patterns", "share of the wins that hold it", sectionPattern, "frequency", names, nil)
}

// mostChanges is how many differences a picture shows.
const mostChanges = 24

// changes draws the clearest differences from the first dataset.
func (b *painter) changes() {
	list := slices.DeleteFunc(b.r.Clear(2*mostChanges), func(k Key) bool {
		f := b.r.Datasets[0].Figure(k)
		return f.Value == 0
	})
	list = list[:min(len(list), mostChanges)]
	if len(list) == 0 {
		return
	}
	var rows []string
	series := make([]string, len(b.r.Datasets)-1)
	for i := range series {
		series[i] = b.label(i + 1)
	}
	values := make([][]*Estimate, len(series))
	for _, key := range list {
		rows = append(rows, key.String())
		for i := range series {
			c := b.r.Comparison(i+1, key)
			base := b.r.Datasets[0].Figure(key)
			var e *Estimate
			if c != nil && c.Low.Known() {
				scale := 100 / math.Abs(base.Value)
				e = &Estimate{Value: c.Value * scale, Low: c.Low * Number(scale), High: c.High * Number(scale)}
			}
			values[i] = append(values[i], e)
		}
	}
	title := "What differs most clearly from " + b.label(0)
	p := newPlot(title)
	p.X.Scale, p.X.Tick.Marker = symlog{}, symlog{}
	b.fillRows(p, "changes", title, "change in percent",
		"The figures with the smallest corrected probabilities; marks are differences in percent of the figure of the first dataset, lines their 95 % intervals. The scale is logarithmic beyond 1 %.", rows, series, values)
}

// skill draws where the variance of the placement points comes from.
func (b *painter) skill() {
	parts := []string{"skill", "luck of the walls", "luck of play"}
	var series []string
	var values [][]*Estimate
	for i := range b.r.Datasets {
		s := b.r.Datasets[i].Skill
		if s == nil {
			continue
		}
		series = append(series, b.label(i))
		var row []*Estimate
		for _, c := range []*Component{&s.Skill, &s.Walls, &s.Rest} {
			var e *Estimate
			if c.Share.Known() {
				e = &Estimate{Value: float64(c.Share), Low: c.Low, High: c.High}
			}
			row = append(row, e)
		}
		values = append(values, row)
	}
	if len(series) > 0 {
		b.rows("skill", "Where the variance of a match comes from", "share of the variance of placement points",
			"Without duplicate walls the luck of play holds that of the walls.", parts, series, values)
	}
}

// svg returns a picture as text to stand in a page.
func (p *Picture) svg() (string, error) {
	var b bytes.Buffer
	if err := p.SVG(&b); err != nil {
		return "", err
	}
	_, text, _ := bytes.Cut(b.Bytes(), []byte("<svg"))
	return "<svg" + string(text), nil
}
