package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Keys returns the keys of all figures of a dataset with hands, in the order of a report.
func Keys(rules *ruleset.Rules, agents []string) []Key {
	var list []Key
	for _, d := range newTally(rules, agents, true, false).defs {
		list = append(list, d.Key)
	}
	return list
}

// Units returns the units of the figures of a dataset with hands.
func Units(rules *ruleset.Rules, agents []string) map[Key]Unit {
	units := map[Key]Unit{}
	for _, d := range newTally(rules, agents, true, false).defs {
		units[d.Key] = d.Unit
	}
	return units
}

// FindKey returns the figure among keys that a user names, by its name, such as won, or by
// its [Key.Path] where several have the name, such as seat.points:east. The error names the
// nearest figures, or those of that name.
func FindKey(keys []Key, name string) (Key, error) {
	var found []Key
	var all []string
	for _, k := range keys {
		short := strings.TrimPrefix(k.Path(), k.Section+".")
		switch name {
		case k.Path():
			return k, nil
		case short, k.Name:
			found = append(found, k)
		}
		all = append(all, k.Path())
	}
	// A figure of the whole dataset comes before those of a seat, agent or pattern.
	if slices.ContainsFunc(found, func(k Key) bool { return k.Of == "" }) {
		found = slices.DeleteFunc(found, func(k Key) bool { return k.Of != "" })
	}
	switch len(found) {
	case 0:
		return Key{}, fmt.Errorf("there is no figure %q; nearest: %s", name, strings.Join(suggest.Nearest(name, all, 5), ", "))
	case 1:
		return found[0], nil
	}
	var names []string
	for _, k := range found[:min(len(found), 8)] {
		names = append(names, k.Path())
	}
	return Key{}, fmt.Errorf("%q may be several figures: %s", name, strings.Join(names, ", "))
}

// Path returns the text by which FindKey finds the figure: section.name or section.name:of.
func (k Key) Path() string {
	if k.Of == "" {
		return k.Section + "." + k.Name
	}
	return k.Section + "." + k.Name + ":" + k.Of
}

// Curve is the response of a figure to a numeric knob.
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
	// Low and High are the 95 % interval of the difference from the first dataset, added to
	// the value there. At the first dataset itself both are Value.
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`
}

// mostCurves is the number of figures that have curves if the user names none.
const mostCurves = 4

// DrawCurves sets Curves to those of some figures, or if keys is empty to those of the
// headlines that change most clearly. Each numeric knob that is the only change in two
// datasets or more has a curve.
func (r *Results) DrawCurves(keys []Key) {
	if len(keys) == 0 {
		for _, k := range r.ClearKeys(len(r.Comparisons)) {
			if slices.Contains(Headlines, k) && len(keys) < mostCurves {
				keys = append(keys, k)
			}
		}
	}
	r.Curves = nil
	for _, knob := range r.numericKnobs() {
		for _, k := range keys {
			c := Curve{Knob: knob, Key: k, Unit: r.Meaning(k).Unit}
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

// numericKnobs returns the numeric knobs that are the only change of some dataset.
func (r *Results) numericKnobs() (list []string) {
	for i := range r.Datasets {
		if c := r.Datasets[i].Changes; len(c) == 1 && !slices.Contains(list, c[0].Knob) {
			if _, ok := c[0].numbers(); ok {
				list = append(list, c[0].Knob)
			}
		}
	}
	return list
}

// numbers returns From and To as numbers; ok is false if they are not.
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

// curvePoint returns the figure of dataset i, which must be the first or differ from it by
// one knob alone; otherwise ok is false.
func (r *Results) curvePoint(i int, knob string, k Key) (p CurvePoint, ok bool) {
	base := r.Datasets[0].Figure(k)
	if base == nil || base.Count == 0 {
		return p, false
	}
	p = CurvePoint{Dataset: i, Value: base.Value, Low: interval.Number(base.Value), High: interval.Number(base.Value)}
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
	case c.Low.Known() && base.Unit == Share && p.Value > 0 && p.Value < 1:
		// The interval of a share with the error of the difference stays between 0 and 1.
		p.Low, p.High = interval.AroundShare(p.Value, interval.Effective(p.Value, c.Error, float64(base.Clusters-1)))
	case c.Low.Known():
		p.Low += c.Low
		p.High += c.High
		if base.Unit == Share {
			p.Low, p.High = max(p.Low, 0), min(p.High, 1)
		}
	case c.Value != 0:
		p.Low, p.High = interval.Missing, interval.Missing
	}
	return p, ok
}
