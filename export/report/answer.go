package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim/respond"
)

// Change is a knob in which the ruleset of a dataset differs from that of the first.
type Change struct {
	Knob string `json:"knob"`
	// From is the value in the first dataset, To the other, as in a ruleset file but
	// for the quotes of words.
	From string `json:"from"`
	To   string `json:"to"`
}

// String returns the change in words.
func (c Change) String() string { return c.Knob + " = " + c.To + " instead of " + c.From }

// changesFrom returns the knobs in which a ruleset differs from another, as manifests
// hold them, in alphabetical order; nil if they are of different families.
func (p *part) changesFrom(first *part) []Change {
	a, b := first.Run.Ruleset, p.Run.Ruleset
	if a.Family != b.Family {
		return nil
	}
	var list []Change
	for _, key := range slices.Sorted(maps.Keys(a.Knobs)) {
		x, y := a.Knobs[key], b.Knobs[key]
		prices, ok := x.(map[string]any)
		if !ok {
			if from, to := knobText(x), knobText(y); from != to {
				list = append(list, Change{key, from, to})
			}
			continue
		}
		others, _ := y.(map[string]any)
		ids := slices.Concat(slices.Collect(maps.Keys(prices)), slices.Collect(maps.Keys(others)))
		slices.Sort(ids)
		price := func(table map[string]any, id string) string {
			if v, given := table[id]; given {
				return knobText(v)
			}
			return "listed"
		}
		for _, id := range slices.Compact(ids) {
			if from, to := price(prices, id), price(others, id); from != to {
				list = append(list, Change{key + "." + id, from, to})
			}
		}
	}
	return list
}

// knobText returns the value of a knob as people write it: words without quotes.
func knobText(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		list := make([]string, len(v))
		for i, x := range v {
			list[i] = knobText(x)
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// Statement is a figure of an answer in words.
type Statement struct {
	Key
	// Text is the sentence, without a full stop.
	Text string `json:"text"`
	// Size is the difference in standard deviations of the figure in a single match, or
	// wall set, of the first dataset: a scale on which figures can be put in order.
	Size float64 `json:"size"`
	Difference
}

// Magnitude returns the size whatever the direction.
func (s *Statement) Magnitude() float64 { return math.Abs(s.Size) }

// Answer says in sentences what a ruleset changes.
type Answer struct {
	// Dataset is the number of the dataset that is compared with number 0.
	Dataset int `json:"dataset"`
	// Title names the change, Changes are its knobs.
	Title   string   `json:"title"`
	Changes []Change `json:"changes,omitempty"`
	// Effects are what changes clearly among all comparisons, the largest first.
	Effects []Statement `json:"effects"`
	// Bounded are the headlines that do not change clearly, with the bound that the
	// interval gives.
	Bounded []Statement `json:"bounded"`
	// Same are the headlines that are the same in every match.
	Same []Statement `json:"same"`
	// Response says whether the players answer otherwise, nil if that was not tried.
	Response *respond.Response `json:"response,omitempty"`
	// Adaptation says what players make of it who adapt, nil if that was not tried.
	Adaptation *Adaptation `json:"adaptation,omitempty"`
}

// Sentences returns what did not change, a sentence for each sort.
func (a *Answer) Sentences() (list []string) {
	for _, sort := range []struct {
		lead string
		list []Statement
	}{{"Not shown to change: ", a.Bounded}, {"The same in every match: ", a.Same}} {
		var names []string
		for _, s := range sort.list {
			names = append(names, s.Text)
		}
		if len(names) > 0 {
			list = append(list, sort.lead+strings.Join(names, ", ")+".")
		}
	}
	return list
}

// answers returns an answer for each further dataset of the family of the first. It
// speaks of the figures that say most; tables have the others.
func (r *Report) answers() []Answer {
	var list []Answer
	for i := 1; i < len(r.Datasets); i++ {
		if r.Datasets[i].Family == r.Datasets[0].Family {
			list = append(list, r.answer(i))
		}
	}
	return list
}

// mostNamed is how many knobs the title of an answer names.
const mostNamed = 4

func (r *Report) answer(dataset int) Answer {
	d := &r.Datasets[dataset]
	a := Answer{Dataset: dataset, Changes: d.Changes, Effects: []Statement{}, Bounded: []Statement{}, Same: []Statement{}, Title: plain.Line(d.Ruleset + " beside " + r.Datasets[0].Ruleset)}
	if n := len(d.Changes); n > 0 && n <= mostNamed {
		var names []string
		for _, c := range d.Changes {
			names = append(names, c.String())
		}
		a.Title = plain.Line(strings.Join(names, ", "))
	}
	for _, c := range r.clear(dataset) {
		if p, ok := phraseOf(c.Key); ok {
			a.Effects = append(a.Effects, r.effect(c, p))
		}
	}
	slices.SortStableFunc(a.Effects, func(x, y Statement) int { return cmp.Compare(y.Magnitude(), x.Magnitude()) })
	for _, k := range Headlines {
		c := r.Comparison(dataset, k)
		p, ok := phraseOf(k)
		if c == nil || !ok || !c.P.Known() || c.Clear() {
			continue
		}
		if c.Error == 0 {
			a.Same = append(a.Same, Statement{k, p.of(k), 0, c.Difference})
			continue
		}
		text := p.of(k) + " (too few matches differ)"
		if c.Low.Known() {
			bound := math.Max(math.Abs(float64(c.Low)), math.Abs(float64(c.High)))
			text = p.of(k) + " (by " + c.amount(r.Datasets[0].Figure(k), bound, bound, bound) + " at most)"
		}
		a.Bounded = append(a.Bounded, Statement{k, text, r.size(c), c.Difference})
	}
	return a
}

// size returns a difference in deviations of a single cluster of the first dataset, or
// of the other where the figure never varied in the first.
func (r *Report) size(c *Comparison) float64 {
	for _, i := range []int{0, c.Dataset} {
		f := r.Datasets[i].Figure(c.Key)
		if spread := f.Error * math.Sqrt(float64(f.Clusters)); spread > 0 {
			return c.Value / spread
		}
	}
	return 0
}

// relative tells whether a figure changes by a part of itself rather than by an
// amount.
func (k Key) relative() bool { return k.Section == sectionMatch && k.Name == "hands" }

// amount writes how large a difference is, from low to high.
func (c *Comparison) amount(base *Figure, value, low, high float64) string {
	scale, unit := 1.0, " "+string(c.Unit)
	switch {
	case c.relative() && base.Value != 0:
		scale, unit = 100/math.Abs(base.Value), " %"
	case c.Unit == Share || c.Unit == Gap:
		scale, unit = 100, " pp"
	case c.Unit == Rank:
		unit = " ranks"
	}
	digits := decimals(scale * c.Error)
	text := fixed(scale*value, digits) + unit
	if low < high {
		text += " [" + fixed(scale*low, digits) + ", " + fixed(scale*high, digits) + "]"
	}
	return text
}

// effect returns the sentence for a clear difference.
func (r *Report) effect(c *Comparison, p phrase) Statement {
	base, other := r.Datasets[0].Figure(c.Key), r.Datasets[c.Dataset].Figure(c.Key)
	up := c.Value > 0
	value, low, high := c.Value, float64(c.Low), float64(c.High)
	if !up {
		value, low, high = -value, -high, -low
	}
	text := p.say(c.Key, c.amount(base, value, low, high), up)
	text += ": " + plainValue(other, c.Error) + " instead of " + plainValue(base, c.Error)
	if ratio := other.Value / base.Value; base.Value > 0 && other.Value > 0 && c.Unit != Gap && c.Unit != Placement && (ratio >= 1.5 || ratio <= 1/1.5) {
		text += ", " + strconv.FormatFloat(ratio, 'g', 2, 64) + " times as much"
	}
	return Statement{c.Key, text, r.size(c), c.Difference}
}

// plainValue writes a figure without its interval, to the decimals of an error.
func plainValue(f *Figure, err float64) string {
	switch f.Unit {
	case Share:
		return fixed(100*f.Value, decimals(100*err)) + " %"
	case Gap:
		return fixed(100*f.Value, decimals(100*err)) + " pp"
	}
	return fixed(f.Value, decimals(err))
}
