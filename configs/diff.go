package configs

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Difference is a knob with its values in two rulesets. A value is nil, and its text "-", if the
// family of that ruleset has no such knob.
type Difference struct {
	Knob  string `json:"knob"`
	A     any    `json:"a"`
	B     any    `json:"b"`
	TextA string `json:"-"`
	TextB string `json:"-"`
	// ShownA and ShownB are the texts for people, with the price that is listed.
	ShownA string `json:"-"`
	ShownB string `json:"-"`
}

// Diff returns the knobs in which two rulesets differ, in the order of a's knobs, then of b's.
// Within a family it lists the price of each pattern by itself.
func Diff(a, b *Ruleset) []Difference {
	find := func(knobs []ruleset.Knob, key string) (any, string, string) {
		k, ok := ruleset.FindKnob(knobs, key)
		if !ok {
			return nil, "-", "-"
		}
		return k.Value(), k.Text(), k.Describe()
	}
	list := func(r *Ruleset) (list []ruleset.Knob) {
		for _, k := range r.Knobs() {
			if prices := k.Prices(); prices != nil && a.Family == b.Family {
				list = append(list, prices...)
			} else {
				list = append(list, k)
			}
		}
		return list
	}
	knobsA, knobsB := list(a), list(b)
	seen := map[string]bool{}
	differences := []Difference{}
	for _, k := range slices.Concat(knobsA, knobsB) {
		if seen[k.Key] {
			continue
		}
		seen[k.Key] = true
		d := Difference{Knob: k.Key}
		d.A, d.TextA, d.ShownA = find(knobsA, k.Key)
		d.B, d.TextB, d.ShownB = find(knobsB, k.Key)
		if d.TextA != d.TextB {
			differences = append(differences, d)
		}
	}
	return differences
}
