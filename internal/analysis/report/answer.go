package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
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

	// sentence is the change without values, the noun of a figure that did not change; values
	// are the figures of both datasets, and said is the whole.
	sentence, values, said findings.Text
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

	title findings.Text
}

// Sentences returns a sentence for each of Priced, Bounded and Same that has statements.
func (a *Answer) Sentences() (list []findings.Text) {
	for _, sort := range []struct {
		id   string
		list []Statement
	}{{"answer.priced", a.Priced}, {"answer.bounded", a.Bounded}, {"answer.same", a.Same}} {
		var names []findings.Text
		for i := range sort.list {
			names = append(names, sort.list[i].Said())
		}
		if len(names) > 0 {
			list = append(list, findings.NewText(sort.id, names))
		}
	}
	return list
}

// Said returns the sentence in all languages.
func (s *Statement) Said() findings.Text { return s.said }

// Heading returns the title in all languages.
func (a *Answer) Heading() findings.Text { return a.title }

// Adapted describes the adaptation to the ruleset, nil if that was not measured.
func (a *Answer) Adapted() []string { return DescribeAdaptation(a.Adaptation) }

// mostNamed is the largest number of changed knobs that are the title of an answer.
const mostNamed = 4

// answer returns the effects of a dataset's ruleset compared with the first.
func (r *Report) answer(dataset int) Answer {
	d := &r.Datasets[dataset]
	a := Answer{Dataset: dataset, Changes: d.Changes, Effects: []Statement{}, Priced: []Statement{}, Bounded: []Statement{}, Same: []Statement{}}
	a.title = findings.NewText("beside", d.Ruleset, r.Datasets[0].Ruleset)
	if n := len(d.Changes); n > 0 && n <= mostNamed {
		a.title = a.changes()
	}
	a.Title = a.title.String()
	for _, c := range r.ClearComparisons(dataset) {
		_, ok := phraseOf(c.Key)
		switch {
		case !ok:
		case a.prices(c):
			a.Priced = append(a.Priced, r.effect(c))
		default:
			a.Effects = append(a.Effects, r.effect(c))
		}
	}
	for _, list := range [][]Statement{a.Effects, a.Priced} {
		slices.SortStableFunc(list, func(x, y Statement) int { return cmp.Compare(y.Magnitude(), x.Magnitude()) })
	}
	for _, k := range stats.Headlines {
		c := r.Comparison(dataset, k)
		id, ok := phraseOf(k)
		if c == nil || !ok || !c.P.Known() || c.Clear() {
			continue
		}
		noun := r.nounOf(k)
		if c.Error == 0 {
			a.Same = append(a.Same, Statement{k, noun.String(), 0, c.Difference, noun, findings.Text{}, noun})
			continue
		}
		text := findings.NewText("answer.few", noun)
		if bound, _ := r.bound(c); bound.ID != "" {
			text = findings.NewText("answer.bound"+per(id), noun, bound)
		}
		a.Bounded = append(a.Bounded, Statement{k, text.String(), r.size(c), c.Difference, noun, findings.Text{}, text})
	}
	return a
}

// per returns the end of the entry of a bound by what it is for each of, empty for figures that need no word of it.
func per(id string) string {
	switch {
	case boundOf(id) == "bound":
		return ""
	case strings.HasPrefix(id, "match."):
		return ".match"
	}
	return ".hand"
}

func (a *Answer) changes() findings.Text {
	var list []findings.Text
	for _, c := range a.Changes {
		list = append(list, findings.NewText("change", c.Knob, c.To, c.From))
	}
	return findings.NewText("", list)
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

// inPercent reports whether a change of a figure is given in percent of the figure: lengths of
// matches and values of wins, whose sizes depend on the ruleset.
func inPercent(k stats.Key, base *stats.Figure) bool {
	return base.Value > 0 && (k.Section == stats.SectionMatch && k.Name == "hands" || k.Section == stats.SectionWin && base.Unit == stats.Points)
}

// amount returns a difference with its unit, and with its interval unless low equals high.
func amount(c *stats.Comparison, base *stats.Figure, value, low, high float64) findings.Text {
	scale, sign := c.Unit.Scale()
	unit := string(c.Unit)
	switch {
	case inPercent(c.Key, base):
		scale, unit = 100/math.Abs(base.Value), "percent"
	case sign != "":
		unit = "pp"
	case c.Unit == stats.Rank:
		unit = "ranks"
	}
	places := digits.Places(scale * c.Error)
	interval := ""
	if low < high {
		interval = " [" + digits.Fixed(scale*low, places) + ", " + digits.Fixed(scale*high, places) + "]"
	}
	return findings.NewText("unit."+unit, digits.Fixed(scale*value, places), interval)
}

// effect returns the statement of a clear difference.
func (r *Report) effect(c *stats.Comparison) Statement {
	base, other := r.Datasets[0].Figure(c.Key), r.Datasets[c.Dataset].Figure(c.Key)
	value, low, high := c.Difference.Absolute()
	s := Statement{Key: c.Key, Size: r.size(c), Difference: c.Difference}
	s.sentence = r.sentenceOf(c.Key, amount(c, base, value, low, high), c.Value > 0)
	s.values = findings.NewText("instead", plainValue(other, c.Error), plainValue(base, c.Error))
	if ratio := other.Value / base.Value; base.Value > 0 && other.Value > 0 && c.Unit != stats.Gap && c.Unit != stats.Placement && (ratio >= 1.5 || ratio <= 1/1.5) {
		s.values.ID = "instead.times"
		s.values.Args = append(s.values.Args, strconv.FormatFloat(ratio, 'g', 2, 64))
	}
	s.said = findings.NewText("under", s.sentence, s.values)
	s.Text = s.said.String()
	return s
}

// plainValue returns a figure without its interval, with the decimals that an error supports.
func plainValue(f *stats.Figure, err float64) string {
	text := (&stats.Estimate{Value: f.Value, Error: err}).Rounded(f.Unit)
	return strings.Replace(text, "%", " %", 1)
}
