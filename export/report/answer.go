package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/export/stats"
	"github.com/sparrowhall/sparrowhall/insight/policydiff"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

// Statement is a change of a figure as a sentence.
type Statement struct {
	stats.Key
	// Text is the sentence, without a full stop.
	Text string `json:"text"`
	// Size is the difference in standard deviations of the figure in a single match, or
	// duplicate set, of the first dataset. It makes different figures comparable.
	Size float64 `json:"size"`
	stats.Difference
}

// Magnitude returns the absolute value of Size.
func (s *Statement) Magnitude() float64 { return math.Abs(s.Size) }

// Answer is the effects of a ruleset in sentences.
type Answer struct {
	// Dataset is the number of the dataset that is compared with number 0.
	Dataset int `json:"dataset"`
	// Title names the change, Changes are its knobs.
	Title   string         `json:"title"`
	Changes []stats.Change `json:"changes,omitempty"`
	// Effects are the figures that change clearly among all comparisons, the largest first.
	Effects []Statement `json:"effects"`
	// Priced are clear differences that follow at least in part from the rule text itself:
	// amounts of points where a change is one of values and payments, and events, such as
	// patterns, that one of the rulesets excludes.
	Priced []Statement `json:"priced"`
	// Bounded are the headlines that do not change clearly, with the larger end of the
	// interval as a bound.
	Bounded []Statement `json:"bounded"`
	// Same are the headlines that are the same in every match.
	Same []Statement `json:"same"`
	// Response is how often the agents decide differently, nil if that was not measured.
	Response *policydiff.Difference `json:"response,omitempty"`
	// Adaptation is the result of a tuned player, nil if that was not measured.
	Adaptation *stats.Adaptation `json:"adaptation,omitempty"`
}

// Sentences returns a sentence for each of Priced, Bounded and Same that has statements.
func (a *Answer) Sentences() (list []string) {
	for _, sort := range []struct {
		lead, between string
		list          []Statement
	}{
		{"From the rule text itself, at least in part: ", "; ", a.Priced},
		{"Not shown to change: ", ", ", a.Bounded},
		{"The same in every match: ", ", ", a.Same},
	} {
		var names []string
		for _, s := range sort.list {
			names = append(names, s.Text)
		}
		if len(names) > 0 {
			list = append(list, sort.lead+strings.Join(names, sort.between)+".")
		}
	}
	return list
}

// mostNamed is the largest number of changed knobs that are the title of an answer.
const mostNamed = 4

// answer returns the effects of a dataset's ruleset compared with the first.
func (r *Report) answer(dataset int) Answer {
	d := &r.Datasets[dataset]
	a := Answer{Dataset: dataset, Changes: d.Changes, Effects: []Statement{}, Priced: []Statement{}, Bounded: []Statement{}, Same: []Statement{}, Title: sanitize.Line(d.Ruleset + " beside " + r.Datasets[0].Ruleset)}
	if n := len(d.Changes); n > 0 && n <= mostNamed {
		var names []string
		for _, c := range d.Changes {
			names = append(names, c.String())
		}
		a.Title = sanitize.Line(strings.Join(names, ", "))
	}
	for _, c := range r.ClearComparisons(dataset) {
		p, ok := phraseOf(c.Key)
		switch {
		case !ok:
		case a.prices(c):
			a.Priced = append(a.Priced, r.effect(c, p))
		default:
			a.Effects = append(a.Effects, r.effect(c, p))
		}
	}
	for _, list := range [][]Statement{a.Effects, a.Priced} {
		slices.SortStableFunc(list, func(x, y Statement) int { return cmp.Compare(y.Magnitude(), x.Magnitude()) })
	}
	for _, k := range stats.Headlines {
		c := r.Comparison(dataset, k)
		p, ok := phraseOf(k)
		if c == nil || !ok || !c.P.Known() || c.Clear() {
			continue
		}
		if c.Error == 0 {
			a.Same = append(a.Same, Statement{k, p.nounOf(k), 0, c.Difference})
			continue
		}
		text := p.nounOf(k) + " (too few matches differ)"
		if c.Low.Known() {
			bound := math.Max(math.Abs(float64(c.Low)), math.Abs(float64(c.High)))
			text = p.nounOf(k) + " (by " + amount(c, r.Datasets[0].Figure(k), bound, bound, bound) + " at most)"
		}
		a.Bounded = append(a.Bounded, Statement{k, text, r.size(c), c.Difference})
	}
	return a
}

// prices reports whether the changes themselves move a figure, whatever is played.
func (a *Answer) prices(c *stats.Comparison) bool {
	points := c.Unit == stats.Points || c.Unit == stats.Placement
	return c.Excluded || points && slices.ContainsFunc(a.Changes, func(change stats.Change) bool { return change.Scoring })
}

// size returns a difference in standard deviations of a single cluster: in the first dataset,
// or in the other if the figure never varies in the first.
func (r *Report) size(c *stats.Comparison) float64 {
	for _, i := range []int{0, c.Dataset} {
		f := r.Datasets[i].Figure(c.Key)
		if spread := f.Error * math.Sqrt(float64(f.Clusters)); spread > 0 {
			return c.Value / spread
		}
	}
	return 0
}

// amount returns a difference with its unit, and with its interval unless low equals high.
func amount(c *stats.Comparison, base *stats.Figure, value, low, high float64) string {
	scale, sign := c.Unit.Scale()
	unit := " " + string(c.Unit)
	switch {
	case c.Section == stats.SectionMatch && c.Name == "hands" && base.Value != 0: // in percent of the figure
		scale, unit = 100/math.Abs(base.Value), " %"
	case sign != "":
		unit = " pp"
	case c.Unit == stats.Rank:
		unit = " ranks"
	}
	places := digits.Places(scale * c.Error)
	text := digits.Fixed(scale*value, places) + unit
	if low < high {
		text += " [" + digits.Fixed(scale*low, places) + ", " + digits.Fixed(scale*high, places) + "]"
	}
	return text
}

// effect returns the statement of a clear difference.
func (r *Report) effect(c *stats.Comparison, p phrase) Statement {
	base, other := r.Datasets[0].Figure(c.Key), r.Datasets[c.Dataset].Figure(c.Key)
	up := c.Value > 0
	value, low, high := c.Value, float64(c.Low), float64(c.High)
	if !up {
		value, low, high = -value, -high, -low
	}
	text := p.sentenceOf(c.Key, amount(c, base, value, low, high), up)
	text += ": " + plainValue(other, c.Error) + " instead of " + plainValue(base, c.Error)
	if ratio := other.Value / base.Value; base.Value > 0 && other.Value > 0 && c.Unit != stats.Gap && c.Unit != stats.Placement && (ratio >= 1.5 || ratio <= 1/1.5) {
		text += ", " + strconv.FormatFloat(ratio, 'g', 2, 64) + " times as much"
	}
	return Statement{c.Key, text, r.size(c), c.Difference}
}

// plainValue returns a figure without its interval, with the decimals that an error supports.
func plainValue(f *stats.Figure, err float64) string {
	text := (&stats.Estimate{Value: f.Value, Error: err}).Rounded(f.Unit)
	return strings.Replace(text, "%", " %", 1)
}
