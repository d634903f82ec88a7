package stats

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Change is a knob whose value differs from that of the first dataset.
type Change struct {
	Knob string `json:"knob"`
	// From is the value in the first dataset, To the other one, as in a ruleset file but
	// without quotes.
	From string `json:"from"`
	To   string `json:"to"`
	// Scoring reports whether the knob is one of values and payments, so that it moves
	// amounts of points whatever is played.
	Scoring bool `json:"scoring,omitempty"`
}

// Abolishes reports whether a pattern exists in one of the rulesets only.
func (c *Change) Abolishes(pattern string) bool {
	return c.Knob == "patterns."+pattern && (c.From == "off" || c.To == "off")
}

// String returns the change as text, such as "min_win = 6 instead of 8".
func (c Change) String() string { return c.Knob + " = " + c.To + " instead of " + c.From }

// changesFrom returns the knobs in which the ruleset differs from that of the first dataset,
// in alphabetical order; nil if they are of different families. Prices of patterns that only
// one of them has are compared with "listed".
func (p *datasetSums) changesFrom(first *datasetSums) []Change {
	a, b := first.Run.Ruleset, p.Run.Ruleset
	if a.Family != b.Family {
		return nil
	}
	var list []Change
	var knobs []ruleset.Knob
	if f := configs.FamilyNamed(a.Family); f != nil {
		knobs = f.Knobs(f.New())
	}
	add := func(key, from, to string) {
		k, _ := ruleset.FindKnob(knobs, key)
		list = append(list, Change{key, from, to, k.Scoring})
	}
	for _, key := range slices.Sorted(maps.Keys(a.Knobs)) {
		x, y := a.Knobs[key], b.Knobs[key]
		prices, ok := x.(map[string]any)
		if !ok {
			if from, to := knobText(x), knobText(y); from != to {
				add(key, from, to)
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
				add(key+"."+id, from, to)
			}
		}
	}
	return list
}

// knobText returns the value of a knob as in a ruleset file, but without quotes.
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
