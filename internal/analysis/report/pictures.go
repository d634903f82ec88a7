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

	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/picture"
)

// Pictures draws the report.
func (r *Report) Pictures() ([]picture.Picture, error) {
	b := &painter{r: r}
	all := make([]int, len(r.Datasets))
	for i := range all {
		all[i] = i
	}
	families := b.families()
	together := family{datasets: all}
	var winds []string
	for _, f := range families {
		b.seats(f)
		b.dots(f, "winds", "Points a hand, by wind", "points", keysOf(stats.SectionDealer, "points", b.winds(f)))
		if more := b.winds(f); len(more) > len(winds) {
			winds = more
		}
	}
	b.dots(together, "wins", "Hands won, by wind", "share of the hands", keysOf(stats.SectionDealer, "win", winds))
	var ends []stats.Key
	for _, name := range []string{"self_draw", "discard", "rob", "rob_kita", "flower", "exhausted", "aborted"} {
		k := stats.Key{Section: stats.SectionHand, Name: name}
		if slices.ContainsFunc(r.Datasets, func(s stats.Summary) bool { f := s.Figure(k); return f != nil && f.Sum > 0 }) {
			ends = append(ends, k)
		}
	}
	b.dots(together, "ends", "How hands end", "share of the hands", ends)
	for i := range r.Datasets {
		b.agents(i)
	}
	for _, f := range families {
		b.lines(f, "final_points", "Points of the players at the end", "points")
		b.lines(f, "win_value", "Value of won hands", "points")
	}
	b.lines(together, "win_turn", "Turns until a hand is won", "turns")
	for _, f := range families {
		b.patterns(f)
	}
	b.changes()
	b.curves()
	b.skill()
	return b.pictures, b.err
}

// family is the datasets that share pictures of points: those of one family of rules and
// number of players. name is empty if there is only one family.
type family struct {
	name     string
	datasets []int
}

func (b *painter) families() (list []family) {
	for i := range b.r.Datasets {
		name := b.r.Datasets[i].Family
		if b.r.Datasets[i].Seats == 3 {
			name += "_three_players"
		}
		at := slices.IndexFunc(list, func(f family) bool { return f.name == name })
		if at < 0 {
			at = len(list)
			list = append(list, family{name: name})
		}
		list[at].datasets = append(list[at].datasets, i)
	}
	if len(list) == 1 {
		list[0].name = ""
	}
	return list
}

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
	return title + ": " + stats.Label(f.name)
}

// painter collects pictures and the first error.
type painter struct {
	r        *Report
	pictures []picture.Picture
	err      error
}

func (b *painter) try(err error) bool {
	if b.err == nil {
		b.err = err
	}
	return err == nil
}

// symlog is a scale that is linear around 0 and logarithmic beyond 1 and -1, so that small and
// large changes can be read together.
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

// signedTicks returns ticks at 0 and at the given multiples of the powers of ten and of their
// negatives.
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

// intervals are the points of a series with their intervals.
type intervals struct {
	plotter.XYs
	plotter.XErrors
}

// rows draws a picture with a row for each figure, and in it a mark with an interval for each
// series. values[i][j] is the estimate of row j in series i, nil if there is none.
func (b *painter) rows(name, title, unit, note string, rows, series []string, values [][]*stats.Estimate) {
	p := picture.NewPlot(title)
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
		p.X.Tick.Marker = picture.Ticks{Percent: true}
	}
	var spots []picture.Spot
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
			spots = append(spots, picture.Spot{XY: marks.XYs[len(marks.XYs)-1], Before: strings.TrimPrefix(series[i]+", ", ", "), Name: rows[j], After: ": " + tooltip(e, share)})
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
		dots.GlyphStyle = picture.Glyph(i)
		bars.LineStyle.Color, bars.LineStyle.Width = picture.Color(i), vg.Points(1.5)
		p.Add(bars, dots)
		if len(series) > 1 {
			p.Legend.Add(series[i], dots)
		}
	}
	height := vg.Length(1+legend+float64(len(rows))*perRow) * vg.Inch
	b.pictures = append(b.pictures, picture.Picture{Name: name, Title: title, Note: note, Plot: p, Width: picture.Width, Height: height, Spots: spots})
}

// tooltip returns an estimate with its interval, in percent for a share.
func tooltip(e *stats.Estimate, share bool) string {
	number := func(x float64) string {
		switch {
		case share:
			return fmt.Sprintf("%.3g%%", 100*x)
		case math.Abs(x) >= 1000:
			return fmt.Sprintf("%.0f", x)
		}
		return fmt.Sprintf("%.4g", x)
	}
	if !e.Low.Known() {
		return number(e.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", number(e.Value), number(float64(e.Low)), number(float64(e.High)))
}

// winds returns the names of the seats in the datasets of a family.
func (b *painter) winds(f family) []string { return b.r.Datasets[f.datasets[0]].Winds() }

// seats draws the worth of the seats at the start: the points at the end over the mean of all
// seats.
func (b *painter) seats(f family) {
	rows, series, values := b.winds(f), []string(nil), [][]*stats.Estimate(nil)
	for _, i := range f.datasets {
		var row []*stats.Estimate
		mean := 0.0
		for _, wind := range rows {
			e := b.r.Datasets[i].Figure(stats.Key{Section: stats.SectionSeat, Name: "points", Of: wind}).Estimate
			mean += e.Value / float64(len(rows))
			row = append(row, &e)
		}
		for _, e := range row {
			e.Value -= mean
			e.Low -= interval.Number(mean)
			e.High -= interval.Number(mean)
		}
		series, values = append(series, b.r.Label(i)), append(values, row)
	}
	b.rows(f.file("seats"), f.title("Points at the end over the mean, by seat at the start"), "points", estimates, rows, series, values)
}

// estimates is the note of a picture of rows.
const estimates = "Marks are estimates, lines their 95 % intervals."

// keysOf returns the keys of the figure of a name for each of some seats, winds or patterns.
func keysOf(section, name string, of []string) (keys []stats.Key) {
	for _, o := range of {
		keys = append(keys, stats.Key{Section: section, Name: name, Of: o})
	}
	return keys
}

// dots draws figures of some datasets, a row each.
func (b *painter) dots(f family, file, title, unit string, keys []stats.Key) {
	var labels, series []string
	for _, k := range keys {
		labels = append(labels, stats.Label(cmp.Or(k.Of, k.Name)))
	}
	var values [][]*stats.Estimate
	found := false
	for _, i := range f.datasets {
		series = append(series, b.r.Label(i))
		row := make([]*stats.Estimate, len(keys))
		for j, k := range keys {
			if f := b.r.Datasets[i].Figure(k); f != nil && f.Count > 0 {
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
		file, title = fmt.Sprintf("agents_%d", i+1), title+": "+b.r.Label(i)
	}
	b.rows(file, title, "placement points a match", estimates, names, []string{""}, [][]*stats.Estimate{values})
}

// lines draws a distribution of some datasets.
func (b *painter) lines(f family, name, title, unit string) {
	p := picture.NewPlot(f.title(title))
	p.X.Label.Text = unit
	p.Y.Min = 0
	p.Y.Tick.Marker = picture.Ticks{Percent: true}
	var spots []picture.Spot
	// Narrow bars are merged to the width of the widest, which theirs divides.
	widest := 0.0
	for _, i := range f.datasets {
		if d := b.r.Datasets[i].Distribution(name); d != nil && d.Count > 0 {
			widest = max(widest, d.Bars[0].To-d.Bars[0].From)
		}
	}
	p.Y.Label.Text = fmt.Sprintf("share in %g %s", widest, unit)
	if widest == 1 {
		p.Y.Label.Text = "share in 1 " + strings.TrimSuffix(unit, "s")
	}
	for n, i := range f.datasets {
		d := b.r.Datasets[i].Distribution(name)
		if d == nil || d.Count == 0 {
			continue
		}
		var xy plotter.XYs
		bars := widened(d.Bars, widest)
		end := bars[0].From
		for _, bar := range bars {
			if bar.From > end {
				xy = append(xy, plotter.XY{X: end, Y: 0}, plotter.XY{X: bar.From, Y: 0})
			}
			xy = append(xy, plotter.XY{X: bar.From, Y: bar.Share}, plotter.XY{X: bar.To, Y: bar.Share})
			end = bar.To
			spots = append(spots, picture.Spot{
				XY:   plotter.XY{X: (bar.From + bar.To) / 2, Y: bar.Share},
				Name: fmt.Sprintf("%s, %s … %s: %.3g%%", b.r.Label(i), digits.Exact(bar.From), digits.Exact(bar.To), 100*bar.Share),
			})
		}
		line, err := plotter.NewLine(xy)
		if !b.try(err) {
			return
		}
		line.Color, line.Width, line.Dashes = picture.Color(n), vg.Points(1.5), picture.Dashes(n)
		p.Add(line)
		if len(f.datasets) > 1 {
			p.Legend.Add(b.r.Label(i), line)
		}
	}
	if len(f.datasets) > 1 {
		p.Y.Max *= 1 + 0.08*float64(len(f.datasets))
	}
	if widest > 0 {
		b.pictures = append(b.pictures, picture.Picture{
			Name: f.file(name), Title: f.title(title), Note: "The outermost bars include everything beyond them.",
			Plot: p, Width: picture.Width, Height: 3.4 * vg.Inch, Spots: spots,
		})
	}
}

// widened merges bars to bars of a width, which is a multiple of their own.
func widened(bars []stats.Bar, width float64) []stats.Bar {
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

// mostPatterns is the largest number of patterns in a picture.
const mostPatterns = 24

// patterns draws the most frequent patterns of some datasets together.
func (b *painter) patterns(f family) {
	share := map[string]float64{}
	for _, i := range f.datasets {
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
	b.dots(f, "patterns", "The most frequent patterns", "share of the wins that hold it", keysOf(stats.SectionPattern, "frequency", names))
}

// mostChanges is the largest number of differences in a picture.
const mostChanges = 24

// changes draws the clearest differences from the first dataset.
func (b *painter) changes() {
	list := slices.DeleteFunc(b.r.ClearKeys(2*mostChanges), func(k stats.Key) bool {
		// Changes of figures around 0 cannot be given in percent.
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
		series[i] = b.r.Label(i + 1)
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
				e = &stats.Estimate{Value: c.Value * scale, Low: c.Low * interval.Number(scale), High: c.High * interval.Number(scale)}
			}
			values[i] = append(values[i], e)
		}
	}
	title := "What differs most clearly from " + b.r.Label(0)
	p := picture.NewPlot(title)
	p.X.Scale, p.X.Tick.Marker = symlog{}, symlog{}
	b.fillRows(p, "changes", title, "change in percent, logarithmic beyond 1 %",
		"The figures with the smallest corrected probabilities; marks are differences in percent of the figure of the first dataset, lines their 95 % intervals. The scale is logarithmic beyond 1 %.", rows, series, values)
}

// skill draws the components of the variance of ranks, which can be compared between rulesets
// with different placement points.
func (b *painter) skill() {
	parts := []string{"skill", "luck of the walls", "luck of play"}
	var series []string
	var values [][]*stats.Estimate
	for i := range b.r.Datasets {
		s := b.r.Datasets[i].SkillByRank
		if s == nil {
			continue
		}
		series = append(series, b.r.Label(i))
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
