package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sparrowhall/sparrowhall/export/page"
	"github.com/sparrowhall/sparrowhall/export/stats"
	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Pictures draws the report.
func (r *Report) Pictures() ([]page.Picture, error) {
	b := &painter{r: r}
	all := make([]int, len(r.Datasets))
	for i := range all {
		all[i] = i
	}
	families := b.families()
	for _, f := range families {
		b.seats(f)
		b.dots(f, "stats.Winds", "Points a hand, by wind", "points", stats.SectionDealer, "points", stats.Winds[:])
	}
	b.dots(family{of: all}, "wins", "Hands won, by wind", "share of the hands", stats.SectionDealer, "win", stats.Winds[:])
	b.dots(family{of: all}, "ends", "How hands end", "share of the hands", stats.SectionHand, "", []string{"self_draw", "discard", "rob", "flower", "exhausted", "aborted"})
	for i := range r.Datasets {
		b.agents(i)
	}
	for _, f := range families {
		b.lines(f, "final_points", "Points of the players at the end", "points")
		b.lines(f, "win_value", "Value of won hands", "points")
	}
	b.lines(family{of: all}, "win_turn", "Turns until a hand is won", "turns")
	for _, f := range families {
		b.patterns(f)
	}
	b.changes()
	b.curves()
	b.skill()
	return b.pictures, b.err
}

// family is the datasets of a family of rules. Those of different families do not
// share pictures of points; name is empty where there is one family alone.
type family struct {
	name string
	of   []int
}

func (b *painter) families() (list []family) {
	for i := range b.r.Datasets {
		name := b.r.Datasets[i].Family
		at := slices.IndexFunc(list, func(f family) bool { return f.name == name })
		if at < 0 {
			at = len(list)
			list = append(list, family{name: name})
		}
		list[at].of = append(list[at].of, i)
	}
	if len(list) == 1 {
		list[0].name = ""
	}
	return list
}

// file and title tell a picture of the family from others.
func (f *family) file(name string) string {
	if f.name == "" {
		return name
	}
	return name + "_" + f.name
}

func (f *family) title(title string) string {
	if f.name == "" {
		return title
	}
	return title + ": " + f.name
}

// painter collects pictures and the first error.
type painter struct {
	r        *Report
	pictures []page.Picture
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

// symlog is a scale that is linear around zero and logarithmic beyond one, to
// both sides, so that small and large changes can be seen together.
type symlog struct{}

func (symlog) of(x float64) float64 { return math.Asinh(x) }

// Normalize implements plot.Normalizer.
func (s symlog) Normalize(low, high, x float64) float64 {
	return (s.of(x) - s.of(low)) / (s.of(high) - s.of(low))
}

// Ticks implements plot.Ticker: two ticks a decade, or three where these would be few.
func (symlog) Ticks(low, high float64) []plot.Tick {
	const fewest = 5
	if ticks := signedTicks(low, high, 1, 3); len(ticks) >= fewest {
		return ticks
	}
	return signedTicks(low, high, 1, 2, 5)
}

// signedTicks has ticks at zero and at so many times each power of ten, to both sides.
func signedTicks(low, high float64, times ...float64) (ticks []plot.Tick) {
	add := func(x float64) {
		if x >= low && x <= high {
			ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'f', -1, 64)})
		}
	}
	add(0)
	for power := 1.0; power <= max(-low, high); power *= 10 {
		for _, n := range times {
			add(-n * power)
			add(n * power)
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
func (b *painter) rows(name, title, unit, note string, rows, series []string, values [][]*stats.Estimate) {
	p := page.NewPlot(title)
	b.fillRows(p, name, title, unit, note, rows, series, values)
	room := 0.03 * (p.X.Max - p.X.Min)
	p.X.Min -= room
	p.X.Max += room
}

// fillRows draws rows into a plot whose axes are set.
func (b *painter) fillRows(p *plot.Plot, name, title, unit, note string, rows, series []string, values [][]*stats.Estimate) {
	p.X.Label.Text = unit
	share := strings.HasPrefix(unit, "share")
	if share {
		p.X.Tick.Marker = page.Ticks{Percent: true}
	}
	var spots []page.Spot
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
			spots = append(spots, page.Spot{XY: marks.XYs[len(marks.XYs)-1], Text: strings.TrimPrefix(series[i]+", ", ", ") + rows[j] + ": " + words(e, share)})
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
		dots.GlyphStyle = page.Glyph(i)
		bars.LineStyle.Color, bars.LineStyle.Width = page.Color(i), vg.Points(1.5)
		p.Add(bars, dots)
		if len(series) > 1 {
			p.Legend.Add(series[i], dots)
		}
	}
	height := vg.Length(1+legend+float64(len(rows))*perRow) * vg.Inch
	b.pictures = append(b.pictures, page.Picture{Name: name, Title: title, Note: note, Plot: p, Width: page.Width, Height: height, Spots: spots})
}

// words tells an estimate with its interval.
func words(e *stats.Estimate, share bool) string {
	tell := func(x float64) string {
		switch {
		case share:
			return fmt.Sprintf("%.3g%%", 100*x)
		case math.Abs(x) >= 1000:
			return fmt.Sprintf("%.0f", x)
		}
		return fmt.Sprintf("%.4g", x)
	}
	if !e.Low.Known() {
		return tell(e.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", tell(e.Value), tell(float64(e.Low)), tell(float64(e.High)))
}

// seats draws what the seats at the start are worth: the points at the end over
// those of all four.
func (b *painter) seats(f family) {
	rows, series, values := stats.Winds[:], []string(nil), [][]*stats.Estimate(nil)
	for _, i := range f.of {
		var row []*stats.Estimate
		mean := 0.0
		for _, wind := range stats.Winds {
			e := b.r.Datasets[i].Figure(stats.Key{Section: stats.SectionSeat, Name: "points", Of: wind}).Estimate
			mean += e.Value / sim.NumPlayers
			row = append(row, &e)
		}
		for _, e := range row {
			e.Value -= mean
			e.Low -= summary.Number(mean)
			e.High -= summary.Number(mean)
		}
		series, values = append(series, b.label(i)), append(values, row)
	}
	b.rows(f.file("seats"), f.title("Points at the end over the mean, by seat at the start"), "points", estimates, rows, series, values)
}

// estimates says how to read a picture of rows.
const estimates = "Marks are estimates, lines their 95 % intervals."

// dots draws figures of a section of some datasets: of every name in of, or
// without a name the figures that are named by of.
func (b *painter) dots(f family, file, title, unit, section, name string, of []string) {
	if name == "" {
		// What never happened needs no row.
		of = slices.DeleteFunc(slices.Clone(of), func(o string) bool {
			return !slices.ContainsFunc(f.of, func(i int) bool {
				figure := b.r.Datasets[i].Figure(stats.Key{Section: section, Name: o})
				return figure != nil && figure.Sum > 0
			})
		})
	}
	var labels, series []string
	for _, o := range of {
		labels = append(labels, stats.Label(o))
	}
	var values [][]*stats.Estimate
	found := false
	for _, i := range f.of {
		series = append(series, b.label(i))
		row := make([]*stats.Estimate, len(of))
		for j, o := range of {
			key := stats.Key{Section: section, Name: name, Of: o}
			if name == "" {
				key = stats.Key{Section: section, Name: o}
			}
			if f := b.r.Datasets[i].Figure(key); f != nil && f.Count > 0 {
				row[j], found = &f.Estimate, true
			}
		}
		values = append(values, row)
	}
	if found {
		b.rows(f.file(file), f.title(title), unit, estimates, labels, series, values)
	}
}

// agents draws the placement points of the agents of a dataset.
func (b *painter) agents(i int) {
	s := &b.r.Datasets[i]
	var names []string
	var values []*stats.Estimate
	for j := range s.Figures {
		if f := &s.Figures[j]; f.Section == stats.SectionAgent && f.Name == "placement" && f.Count > 0 {
			names = append(names, f.Of)
			values = append(values, &f.Estimate)
		}
	}
	if len(names) < 2 {
		return
	}
	file, title := "agents", "Placement points of the agents"
	if len(b.r.Datasets) > 1 {
		file, title = fmt.Sprintf("agents_%d", i+1), title+": "+b.label(i)
	}
	b.rows(file, title, "placement points a match", estimates, names, []string{""}, [][]*stats.Estimate{values})
}

// lines draws a distribution of some datasets.
func (b *painter) lines(f family, name, title, unit string) {
	p := page.NewPlot(f.title(title))
	p.X.Label.Text = unit
	p.Y.Min = 0
	p.Y.Tick.Marker = page.Ticks{Percent: true}
	var spots []page.Spot
	// Bars of different widths are made comparable: those that fit into the widest are
	// put together to such bars, and shares are of the widest.
	widest := 0.0
	for _, i := range f.of {
		if d := b.r.Datasets[i].Distribution(name); d != nil && d.Count > 0 {
			widest = max(widest, d.Bars[0].To-d.Bars[0].From)
		}
	}
	p.Y.Label.Text = fmt.Sprintf("share in %g %s", widest, unit)
	if widest == 1 {
		p.Y.Label.Text = "share in 1 " + strings.TrimSuffix(unit, "s")
	}
	for n, i := range f.of {
		d := b.r.Datasets[i].Distribution(name)
		if d == nil || d.Count == 0 {
			continue
		}
		var xy plotter.XYs
		bars := widened(d.Bars, widest)
		scale := widest / (bars[0].To - bars[0].From)
		end := bars[0].From
		for _, bar := range bars {
			if bar.From > end {
				xy = append(xy, plotter.XY{X: end, Y: 0}, plotter.XY{X: bar.From, Y: 0})
			}
			xy = append(xy, plotter.XY{X: bar.From, Y: bar.Share * scale}, plotter.XY{X: bar.To, Y: bar.Share * scale})
			end = bar.To
			spots = append(spots, page.Spot{
				XY:   plotter.XY{X: (bar.From + bar.To) / 2, Y: bar.Share * scale},
				Text: fmt.Sprintf("%s, %s to %s: %.3g%%", b.label(i), digits.Exact(bar.From), digits.Exact(bar.To), 100*bar.Share),
			})
		}
		line, err := plotter.NewLine(xy)
		if !b.try(err) {
			return
		}
		line.Color, line.Width, line.Dashes = page.Color(n), vg.Points(1.5), page.Dashes(n)
		p.Add(line)
		if len(f.of) > 1 {
			p.Legend.Add(b.label(i), line)
		}
	}
	if len(f.of) > 1 {
		p.Y.Max *= 1 + 0.08*float64(len(f.of))
	}
	if widest > 0 {
		b.pictures = append(b.pictures, page.Picture{
			Name: f.file(name), Title: f.title(title), Note: "The outermost bars include everything beyond them.",
			Plot: p, Width: page.Width, Height: 3.4 * vg.Inch, Spots: spots,
		})
	}
}

// widened puts bars together to bars of a width, if that is a multiple of theirs, and
// returns them as they are if it is not.
func widened(bars []stats.Bar, width float64) []stats.Bar {
	if math.Mod(width, bars[0].To-bars[0].From) != 0 {
		return bars
	}
	var list []stats.Bar
	for _, b := range bars {
		from := width * math.Floor(b.From/width)
		if n := len(list); n == 0 || list[n-1].From != from {
			list = append(list, stats.Bar{From: from, To: from + width})
		}
		last := &list[len(list)-1]
		last.Count += b.Count
		last.Share += b.Share
	}
	return list
}

// mostPatterns is how many patterns a picture shows.
const mostPatterns = 24

// patterns draws the most frequent patterns of some datasets together.
func (b *painter) patterns(f family) {
	share := map[string]float64{}
	for _, i := range f.of {
		for _, g := range b.r.Datasets[i].Figures {
			if g.Section == stats.SectionPattern && g.Name == "frequency" && g.Sum > 0 {
				share[g.Of] = max(share[g.Of], g.Value)
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(share), func(x, y string) int {
		return cmp.Or(cmp.Compare(share[y], share[x]), cmp.Compare(x, y))
	})
	names = names[:min(len(names), mostPatterns)]
	b.dots(f, "patterns", "The most frequent patterns", "share of the wins that hold it", stats.SectionPattern, "frequency", names)
}

// mostChanges is how many differences a picture shows.
const mostChanges = 24

// changes draws the clearest differences from the first dataset.
func (b *painter) changes() {
	list := slices.DeleteFunc(b.r.Clear(2*mostChanges), func(k stats.Key) bool {
		// Of what is about zero there are no percents.
		f := b.r.Datasets[0].Figure(k)
		return f.Unit == stats.Gap || f.Unit == stats.Placement || f.Value <= 0 || k.Section == stats.SectionDealer && f.Unit == stats.Points
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
	values := make([][]*stats.Estimate, len(series))
	for _, key := range list {
		rows = append(rows, key.String())
		for i := range series {
			c := b.r.Comparison(i+1, key)
			base := b.r.Datasets[0].Figure(key)
			var e *stats.Estimate
			if c != nil && c.Low.Known() {
				scale := 100 / math.Abs(base.Value)
				e = &stats.Estimate{Value: c.Value * scale, Low: c.Low * summary.Number(scale), High: c.High * summary.Number(scale)}
			}
			values[i] = append(values[i], e)
		}
	}
	title := "What differs most clearly from " + b.label(0)
	p := page.NewPlot(title)
	p.X.Scale, p.X.Tick.Marker = symlog{}, symlog{}
	b.fillRows(p, "changes", title, "change in percent, logarithmic beyond 1 %",
		"The figures with the smallest corrected probabilities; marks are differences in percent of the figure of the first dataset, lines their 95 % intervals. The scale is logarithmic beyond 1 %.", rows, series, values)
}

// skill draws where the variance of the ranks comes from, which compares rulesets whose placement
// points differ.
func (b *painter) skill() {
	parts := []string{"skill", "luck of the walls", "luck of play"}
	var series []string
	var values [][]*stats.Estimate
	for i := range b.r.Datasets {
		s := b.r.Datasets[i].SkillByRank
		if s == nil {
			continue
		}
		series = append(series, b.label(i))
		var row []*stats.Estimate
		for _, c := range []*stats.Component{&s.Skill, &s.Walls, &s.Rest} {
			var e *stats.Estimate
			if c.Share.Known() {
				e = &stats.Estimate{Value: float64(c.Share), Low: c.Low, High: c.High}
			}
			row = append(row, e)
		}
		values = append(values, row)
	}
	if len(series) > 0 {
		b.rows("skill", "Where the variance of a match comes from", "share of the variance of ranks",
			"Without duplicate walls the luck of play holds that of the walls.", parts, series, values)
	}
}
