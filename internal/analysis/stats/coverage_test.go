package stats

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
)

// long tells whether the long samples of the tests are wanted.
var long = os.Getenv("SPARROWHALL_LONG") != ""

// population is matches that samples are drawn from: of each figure the amount and
// the cases of each match.
type population struct {
	sums *datasetSums // of the dataset, without matches
	defs []definition
	y, x [][]float64 // by match, then by figure
}

// populate plays matches under a ruleset with knobs changed.
func populate(t *testing.T, ruleset string, knobs map[string]any, matches uint64, names ...string) *population {
	t.Helper()
	rules, err := configs.Change(ruleset, knobs)
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{Ruleset: rules, Seed: 11, Matches: matches, Agents: names, Record: schema.Hands, FileMatches: dataset.DefaultFileMatches}
	dir := filepath.Join(t.TempDir(), "population")
	exporttest.Play(t, run, dir)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := newSource(dir, d, false)
	defer s.stop()
	p := &population{sums: s.sums, defs: s.tally.defs}
	for {
		n, err := s.readCluster()
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return p
		}
		p.y, p.x = append(p.y, slices.Clone(s.tally.y)), append(p.x, slices.Clone(s.tally.x))
	}
}

func (p *population) ratio(figure int) float64 {
	var s ratioSums
	for m := range p.y {
		s.add(p.y[m][figure], p.x[m][figure])
	}
	return s.ratio()
}

func (p *population) sample(figure int, matches []int) *ratioSums {
	var n int
	var y, x, yy, xy, xx, yyy, yyx, yxx, xxx float64
	for _, m := range matches {
		a, b := p.y[m][figure], p.x[m][figure]
		if b != 0 {
			n++
		}
		y, x, yy, xy, xx = y+a, x+b, yy+a*a, xy+a*b, xx+b*b
		yyy, yyx, yxx, xxx = yyy+a*a*a, yyx+a*a*b, yxx+a*b*b, xxx+b*b*b
	}
	s := newRatioSums(p.defs[figure].kind())
	s.N = n
	if c := s.Cubes; c != nil {
		c.YYY.add(yyy)
		c.YYX.add(yyx)
		c.YXX.add(yxx)
		c.XXX.add(xxx)
	}
	s.Y.add(y)
	s.X.add(x)
	s.YY.add(yy)
	s.XY.add(xy)
	s.XX.add(xx)
	return &s
}

// sampleJoint returns what the same matches of two populations have in common.
func sampleJoint(p, q *population, figure int, matches []int) *crossSums {
	j := &crossSums{}
	var yy, yx, xy, xx, moved float64
	for _, m := range matches {
		y1, x1, y2, x2 := p.y[m][figure], p.x[m][figure], q.y[m][figure], q.x[m][figure]
		yy, yx, xy, xx = yy+y1*y2, yx+y1*x2, xy+x1*y2, xx+x1*x2
		if y1 != y2 || x1 != x2 {
			j.Changed++
			moved += max(x2-x1, x1-x2)
		}
	}
	j.YY.add(yy)
	j.YX.add(yx)
	j.XY.add(xy)
	j.XX.add(xx)
	j.Moved.add(moved)
	return j
}

// cover counts how often intervals hold the truth.
type cover struct {
	key                   string
	printed, held, trials int
	stars                 int // clear where the truth is to the other side, or nothing
}

func (c *cover) note(low, high interval.Number, truth float64) {
	c.trials++
	if low.Known() {
		c.printed++
		const off = 1e-9
		if float64(low)-off <= truth && truth <= float64(high)+off {
			c.held++
		}
	}
}

// coverageRow is what the figures of a section come to.
type coverageRow struct {
	what    string
	figures []*cover
}

// line returns the row for a table: how many figures had an interval, how often those
// held in the mean, and how often the worst did.
func (r *coverageRow) line() (text string, worst float64, mean float64) {
	printed, held, n := 0, 0, 0
	worst = 1
	name := ""
	for _, c := range r.figures {
		if c.printed == 0 {
			continue
		}
		n++
		printed += c.printed
		held += c.held
		if share := 1 - float64(c.printed-c.held)/float64(c.trials); share < worst {
			worst, name = share, c.key
		}
	}
	mean = float64(held) / float64(max(printed, 1))
	return fmt.Sprintf("| %s | %d | %.3f | %.3f | %s |", r.what, n, mean, worst, name), worst, mean
}

// TestCoverageOfFigures draws samples of real matches from a population of them, and
// holds that the intervals of a report cover what the population has: of every figure,
// however rare, alone, in pairs of matches under two rulesets, and between two samples.
// With -v it prints the table of docs/research/measurements.md.
func TestCoverageOfFigures(t *testing.T) {
	matches, trials, size, least := uint64(256), 50, 150, 0.8
	if long {
		least = 0.91
		matches, trials, size = 8192, 1000, 500
	}
	names := []string{"value", "greedy", "value", "greedy"}
	base := populate(t, "ema_2016", nil, matches, names...)
	variants := []*population{
		populate(t, "ema_2016", map[string]any{"tobi": "below_zero"}, matches, names...),
		populate(t, "ema_2016", map[string]any{"multi_win": "nearest"}, matches, names...),
	}
	figures := make([]cover, len(base.defs))
	apart := make([]cover, len(base.defs))
	pairs := make([][]cover, len(variants))
	truth := make([]float64, len(base.defs))
	truths := make([][]float64, len(variants))
	for v := range variants {
		pairs[v], truths[v] = make([]cover, len(base.defs)), make([]float64, len(base.defs))
	}
	for i, d := range base.defs {
		truth[i] = base.ratio(i)
		figures[i].key, apart[i].key = d.Key.String(), d.Key.String()
		for v, q := range variants {
			truths[v][i] = q.ratio(i) - truth[i]
			pairs[v][i].key = d.Key.String()
		}
	}
	r := rand.New(rand.NewPCG(5, 8))
	draw := func() []int {
		list := make([]int, size)
		for i := range list {
			list[i] = r.IntN(int(matches))
		}
		slices.Sort(list)
		return list
	}
	for range trials {
		one, other := draw(), draw()
		for i, d := range base.defs {
			a := base.sample(i, one)
			e := a.estimate(d.kind())
			figures[i].note(e.Low, e.High, truth[i])
			for v, q := range variants {
				diff := difference(a, q.sample(i, one), sampleJoint(base, q, i, one), d.kind())
				pairs[v][i].note(diff.Low, diff.High, truths[v][i])
				if diff.P < 0.001 && diff.Value*truths[v][i] <= 0 {
					pairs[v][i].stars++
				}
			}
			diff := difference(a, variants[0].sample(i, other), nil, d.kind())
			apart[i].note(diff.Low, diff.High, truths[0][i])
		}
	}
	var rows []coverageRow
	for _, section := range Sections {
		row := coverageRow{what: section}
		for i, d := range base.defs {
			if d.Section == section {
				row.figures = append(row.figures, &figures[i])
			}
		}
		if len(row.figures) > 0 {
			rows = append(rows, row)
		}
	}
	for v, what := range []string{"differences in pairs, `tobi = below_zero`", "differences in pairs, `multi_win = nearest`"} {
		row := coverageRow{what: what}
		for i := range pairs[v] {
			row.figures = append(row.figures, &pairs[v][i])
			if s := &pairs[v][i]; float64(s.stars) > 0.01*float64(trials) {
				t.Errorf("%s, %s: clear to the wrong side in %d of %d samples", what, s.key, s.stars, s.trials)
			}
		}
		rows = append(rows, row)
	}
	row := coverageRow{what: "differences of independent samples"}
	for i := range apart {
		row.figures = append(row.figures, &apart[i])
	}
	rows = append(rows, row)
	for _, row := range rows {
		line, worst, mean := row.line()
		t.Log(line)
		if long {
			slices.SortFunc(row.figures, func(a, b *cover) int { return cmp.Compare(b.printed-b.held, a.printed-a.held) })
			for _, c := range row.figures[:min(6, len(row.figures))] {
				t.Logf("    %s: printed %d, held %d of %d", c.key, c.printed, c.held, c.trials)
			}
		}
		if mean < 0.93 || worst < least {
			t.Errorf("%s: intervals cover in %.3f of the cases, the worst in %.3f", row.what, mean, worst)
		}
	}
}
