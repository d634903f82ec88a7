package main

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// colors are those of the kinds of players, and of the ways in which a hand ends; people
// with any colour vision can distinguish them (Okabe and Ito, Color universal design,
// 2008).
var colors = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0xb0, 0xb0, 0xb0, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
}

func (s *study) drawPictures() error {
	for _, p := range []struct {
		name string
		draw func() ([][]*plot.Plot, vg.Length, error)
	}{
		{"winds", s.drawWinds},
		{"ends", s.drawEnds},
		{"turns", s.drawTurns},
		{"values", s.drawValues},
		{"patterns", s.drawPatterns},
		{"skill", s.drawSkill},
	} {
		plots, height, err := p.draw()
		if err != nil {
			return fmt.Errorf("picture %s: %w", p.name, err)
		}
		if err := savePNG(filepath.Join(s.docs, "study", p.name+".png"), plots, height); err != nil {
			return err
		}
	}
	return nil
}

// savePNG writes panels in rows of equal size.
func savePNG(path string, plots [][]*plot.Plot, height vg.Length) error {
	const width, gap = 8 * vg.Inch, 10
	img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(132))
	c := draw.New(img)
	tiles := draw.Tiles{
		Rows: len(plots), Cols: len(plots[0]),
		PadX: gap, PadY: gap, PadTop: gap, PadBottom: gap, PadLeft: gap, PadRight: gap,
	}
	canvases := plot.Align(plots, tiles, c)
	for i, row := range plots {
		for j, p := range row {
			if p != nil {
				p.Draw(canvases[i][j])
			}
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
		style.Font.Size = font.Length(9)
	}
	p.Title.TextStyle.Font.Size = font.Length(10)
	p.BackgroundColor = color.White
	p.Legend.Top = true
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	return p
}

// marks are points with intervals along one axis.
type marks struct {
	plotter.XYs
	plotter.XErrors
	plotter.YErrors
}

func (m *marks) add(x, y, xHalf, yHalf float64) {
	m.XYs = append(m.XYs, plotter.XY{X: x, Y: y})
	m.XErrors = append(m.XErrors, struct{ Low, High float64 }{xHalf, xHalf})
	m.YErrors = append(m.YErrors, struct{ Low, High float64 }{yHalf, yHalf})
}

// dots adds points with their intervals, in the colour and shape of a series.
func dots(p *plot.Plot, m *marks, series int, name string, line bool) error {
	shape := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}}[series%2]
	points, err := plotter.NewScatter(m.XYs)
	if err != nil {
		return err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: colors[series], Radius: vg.Points(2.5), Shape: shape}
	across, err := plotter.NewXErrorBars(m)
	if err != nil {
		return err
	}
	along, err := plotter.NewYErrorBars(m)
	if err != nil {
		return err
	}
	across.LineStyle.Color, along.LineStyle.Color = colors[series], colors[series]
	across.CapWidth, along.CapWidth = 0, 0
	across.LineStyle.Width, along.LineStyle.Width = vg.Points(1.3), vg.Points(1.3)
	if line {
		l, err := plotter.NewLine(m.XYs)
		if err != nil {
			return err
		}
		l.Color = colors[series]
		p.Add(l)
	}
	p.Add(across, along, points)
	if name != "" {
		p.Legend.Add(name, points)
	}
	return nil
}

// steps are ticks at round numbers, with a sign after each.
type steps struct {
	step float64
	sign string
}

// Ticks implements plot.Ticker.
func (s steps) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for n := math.Ceil(low / s.step); n*s.step <= high+s.step/1e6; n++ {
		x := n*s.step + 0 // no -0
		ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprintf("%g%s", x, s.sign)})
	}
	return ticks
}

// panels makes a panel for each of some rulesets, so many in a row.
func panels(names []string, columns int, one func(i int, name string) (*plot.Plot, error)) ([][]*plot.Plot, error) {
	var rows [][]*plot.Plot
	for i, name := range names {
		p, err := one(slices.Index(rulesets, name), name)
		if err != nil {
			return nil, err
		}
		if i%columns == 0 {
			rows = append(rows, make([]*plot.Plot, columns))
		}
		rows[i/columns][i%columns] = p
	}
	return rows, nil
}

// drawWinds shows how often each wind wins, a panel a ruleset.
func (s *study) drawWinds() ([][]*plot.Plot, vg.Length, error) {
	rows, err := panels(rulesets, 4, func(i int, name string) (*plot.Plot, error) {
		p := newPlot(name)
		for n, kind := range kinds {
			var m marks
			for w, wind := range winds {
				e, _ := s.plays[kind].figure(i, stats.Key{Section: "dealer", Name: "win", Of: wind})
				m.add(float64(w)+0.12*float64(2*n-1), 100*e.Value, 0, 196*e.Error)
			}
			legend := ""
			if i == 0 {
				legend = kind
			}
			if err := dots(p, &m, n, legend, true); err != nil {
				return nil, err
			}
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.4, 3.4, 17, 30
		p.X.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "E"}, {Value: 1, Label: "S"}, {Value: 2, Label: "W"}, {Value: 3, Label: "N"}}
		p.Y.Tick.Marker = steps{2, "%"}
		return p, nil
	})
	return rows, 4.4 * vg.Inch, err
}

// drawEnds shows how hands end as bars that fill the line.
func (s *study) drawEnds() ([][]*plot.Plot, vg.Length, error) {
	p := newPlot("How hands end")
	ways := []column{{"won by self-draw", key("hand", "self_draw")}, {"won on a discard", key("hand", "discard")}, {"empty wall", key("hand", "exhausted")}}
	n := len(rulesets) * len(kinds)
	base := make(plotter.Values, n)
	var names []string
	for i := len(rulesets) - 1; i >= 0; i-- {
		for k := len(kinds) - 1; k >= 0; k-- {
			names = append(names, rulesets[i]+", "+kinds[k])
		}
	}
	var below *plotter.BarChart
	for w := range len(ways) + 1 {
		values := make(plotter.Values, n)
		for at := range values {
			i, kind := len(rulesets)-1-at/len(kinds), kinds[len(kinds)-1-at%len(kinds)]
			if w < len(ways) {
				e, _ := s.plays[kind].figure(i, ways[w].key)
				values[at] = 100 * e.Value
			} else {
				values[at] = max(0, 100-base[at]) // what is left
			}
			base[at] += values[at]
		}
		bars, err := plotter.NewBarChart(values, vg.Points(11))
		if err != nil {
			return nil, 0, err
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, colors[w], 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		title := "otherwise"
		if w < len(ways) {
			title = ways[w].title
		}
		p.Legend.Add(title, bars)
	}
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, 100
	p.X.Tick.Marker = steps{10, "%"}
	p.Y.Max = float64(n) + 3.2 // the legend stands above the bars
	p.Legend.XOffs = -vg.Points(4)
	return [][]*plot.Plot{{p}}, 4.8 * vg.Inch, nil
}

// histogram draws the shares of cases in bins of equal width.
func histogram(p *plot.Plot, cases map[int]int, width, last, series int, name string) error {
	total := 0
	shares := map[int]float64{}
	for _, v := range slices.Sorted(maps.Keys(cases)) {
		total += cases[v]
		shares[min(v, last)/width] += float64(cases[v])
	}
	var xy plotter.XYs
	for bin := range last/width + 1 {
		y := 100 * shares[bin] / float64(max(1, total))
		xy = append(xy, plotter.XY{X: float64(bin * width), Y: y}, plotter.XY{X: float64((bin + 1) * width), Y: y})
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return err
	}
	line.Color, line.Width = colors[series], vg.Points(1.4)
	if series == 1 {
		line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	p.Add(line)
	if name != "" {
		p.Legend.Add(name, line)
	}
	return nil
}

// drawTurns shows when hands are won, in bins of one turn.
func (s *study) drawTurns() ([][]*plot.Plot, vg.Length, error) {
	rows, err := panels([]string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"}, 2, func(i int, name string) (*plot.Plot, error) {
		p := newPlot(name)
		for n, kind := range kinds {
			if err := histogram(p, s.counts[kind][i].turns, 1, 24, n, kind); err != nil {
				return nil, err
			}
		}
		p.X.Label.Text, p.Y.Label.Text = "turn of the win", "share of won hands"
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 25, 0, 16
		p.X.Tick.Marker, p.Y.Tick.Marker = steps{5, ""}, steps{4, "%"}
		return p, nil
	})
	return rows, 4.8 * vg.Inch, err
}

// drawValues shows what wins are worth in riichi, in bins of 1,000 points.
func (s *study) drawValues() ([][]*plot.Plot, vg.Length, error) {
	rows, err := panels([]string{"ema_2016", "wrc", "hkma_league_a", "tenhou"}, 2, func(i int, name string) (*plot.Plot, error) {
		p := newPlot(name)
		for n, kind := range kinds {
			if err := histogram(p, s.counts[kind][i].values, 1000, 24000, n, kind); err != nil {
				return nil, err
			}
		}
		p.X.Label.Text, p.Y.Label.Text = "value of a win, points; the last bin holds all above", "share of the wins"
		p.X.Min, p.X.Max, p.Y.Min = 0, 25000, 0
		p.Y.Max = 32
		p.X.Tick.Marker, p.Y.Tick.Marker = steps{4000, ""}, steps{8, "%"}
		return p, nil
	})
	return rows, 4.8 * vg.Inch, err
}

// mostDrawn is how many patterns a panel shows.
const mostDrawn = 12

// drawPatterns shows the most frequent patterns of a ruleset of each family.
func (s *study) drawPatterns() ([][]*plot.Plot, vg.Length, error) {
	rows, err := panels([]string{"tenhou", "mcr_2006", "universal", "hkma_hktw"}, 2, func(i int, name string) (*plot.Plot, error) {
		p := newPlot(name)
		list := s.ranked(kinds[0], i, "frequency")[:mostDrawn]
		var ticks plot.ConstantTicks
		for n, kind := range kinds {
			var m marks
			for at, one := range list {
				e, _ := s.plays[kind].figure(i, stats.Key{Section: "pattern", Name: "frequency", Of: one.id})
				y := float64(len(list) - 1 - at)
				m.add(100*e.Value, y+0.15*float64(1-2*n), 196*e.Error, 0)
				if n == 0 {
					ticks = append(ticks, plot.Tick{Value: y, Label: one.id})
				}
			}
			if err := dots(p, &m, n, kind, false); err != nil {
				return nil, err
			}
		}
		p.Y.Tick.Marker = ticks
		p.Y.Tick.Length = 0
		p.X.Tick.Marker = steps{20, "%"}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 100, -0.6, float64(len(list))-0.4
		p.X.Label.Text = "share of the wins that hold it"
		p.Legend.Top = false
		return p, nil
	})
	return rows, 6.4 * vg.Inch, err
}

// drawSkill shows how much of the variance of ranks is skill: as the rulesets are in two
// fields, and as proposed.
func (s *study) drawSkill() ([][]*plot.Plot, vg.Length, error) {
	var row []*plot.Plot
	for _, field := range []string{ableField, beginnerField} {
		title := map[string]string{ableField: "all four are able", beginnerField: "one is a beginner"}[field]
		p := newPlot("Skill, " + title)
		var is, proposed marks
		var ticks plot.ConstantTicks
		for i, name := range rulesets {
			y := float64(len(rulesets) - 1 - i)
			ticks = append(ticks, plot.Tick{Value: y, Label: name})
			e := component(s.cups[field][name], 0, skillPart, byRank)
			is.add(100*e.Value, y, 196*e.Error, 0)
			if r := s.cups[field][proposal(name)]; r != nil {
				e := component(r, 0, skillPart, byRank)
				proposed.add(100*e.Value, y-0.25, 196*e.Error, 0)
			}
		}
		if err := dots(p, &is, 0, "as it is", false); err != nil {
			return nil, 0, err
		}
		if len(proposed.XYs) > 0 {
			if err := dots(p, &proposed, 1, "as proposed", false); err != nil {
				return nil, 0, err
			}
		}
		p.Y.Tick.Marker = ticks
		p.Y.Tick.Length = 0
		p.Y.Min, p.Y.Max = -0.6, float64(len(rulesets))+0.6
		room := 0.04 * (p.X.Max - p.X.Min)
		p.X.Min, p.X.Max = p.X.Min-room, p.X.Max+room
		p.X.Label.Text = "share of the variance of ranks"
		p.X.Tick.Marker = steps{digits.NiceStep((p.X.Max - p.X.Min) / 8), "%"}
		row = append(row, p)
	}
	return [][]*plot.Plot{row}, 3.6 * vg.Inch, nil
}
