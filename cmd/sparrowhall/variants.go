package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// variants returns the ruleset as it is, then those with knobs changed.
func (o *sweepOptions) variants(base *configs.Ruleset) ([]*configs.Ruleset, error) {
	var sets [][]change
	for _, text := range o.knobs {
		list, err := o.changes(base, text, false)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if o.cross {
				for _, s := range sets {
					if !slices.ContainsFunc(s, func(d change) bool { return d.key == c.key }) {
						sets = append(sets, append(slices.Clone(s), c))
					}
				}
			}
			sets = append(sets, []change{c})
		}
	}
	list := []*configs.Ruleset{base}
	add := func(flag string, r *configs.Ruleset) error {
		i := slices.IndexFunc(list, func(q *configs.Ruleset) bool { return q.Hash() == r.Hash() })
		switch {
		case i == 0:
			return usagef("%s %s: %s is so already", flag, r.Name, base.Name)
		case i > 0:
			return usagef("%s %s: the same ruleset as %s", flag, r.Name, list[i].Name)
		}
		list = append(list, r)
		return nil
	}
	for _, set := range sets {
		r, err := o.changed(set)
		if err != nil {
			return nil, usagef("--knob: %w", err)
		}
		if err := add("--knob", r); err != nil {
			return nil, err
		}
	}
	for _, file := range o.files {
		r, err := configs.Open(file)
		if err != nil {
			return nil, err
		}
		if r.Family != base.Family {
			return nil, usagef("--variant %s: it is of family %s, %s of family %s; report compares datasets of several", r.Name, r.Family.Name, base.Name, base.Family.Name)
		}
		if err := add("--variant", r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// change is a knob and its new value.
type change struct {
	key   string
	value any
}

// changed returns the ruleset with some knobs changed, named by them.
func (o *playOptions) changed(set []change) (*configs.Ruleset, error) {
	overrides := map[string]any{}
	var names []string
	for _, c := range set {
		overrides[c.key] = c.value
		names = append(names, fmt.Sprintf("%s=%v", c.key, c.value))
	}
	r, err := configs.Change(o.ruleset, overrides)
	if err != nil {
		return nil, err
	}
	r.Name = strings.Join(names, ", ")
	return r, nil
}

// changes reads the text after --knob: values, or a key for all values that go with
// the rest of the ruleset. The value that the ruleset has is left out unless all are
// asked for.
func (o *playOptions) changes(base *configs.Ruleset, text string, all bool) ([]change, error) {
	key, value, given := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if m := numberRange.FindStringSubmatch(value); given && m != nil {
		return o.valuesOf(base, key, m, all)
	}
	if given {
		var list []change
		texts := splitValues(value)
		k, known := ruleset.FindKnob(base.Knobs(), key)
		for _, one := range texts {
			v := decodeValue(one)
			if all || len(texts) == 1 || !known || fmt.Sprint(k.Value()) != fmt.Sprint(v) {
				list = append(list, change{key, v})
			}
		}
		return list, nil
	}
	k, ok := ruleset.FindKnob(base.Knobs(), key)
	if !ok {
		_, err := o.changed([]change{{key, value}})
		return nil, usagef("--knob: %w", err)
	}
	var list []change
	for _, v := range k.Choices() {
		c := change{key, v}
		if _, err := o.changed([]change{c}); err == nil && (all || v != k.Value()) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, usagef("--knob %s: no other value can be listed; name one: --knob %s=VALUE", key, key)
	}
	return list, nil
}

// decodeValue reads a value as in a ruleset file, or a word without quotes.
func decodeValue(text string) any {
	var decoded map[string]any
	if err := toml.Unmarshal([]byte("value = "+text), &decoded); err != nil || len(decoded) != 1 {
		return text
	}
	return decoded["value"]
}

// splitValues splits a text at the commas that stand in no brackets or quotes.
func splitValues(text string) (list []string) {
	depth, from, quoted := 0, 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			list = append(list, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(list, strings.TrimSpace(text[from:]))
}

// numberRange is a range of values of a knob: from..to, or from..to:step.
var numberRange = regexp.MustCompile(`^(-?\d+)\.\.(-?\d+)(?::(-?\d+))?$`)

// mostInRange is the largest number of values of a range: each is a variant.
const mostInRange = 100

// valuesOf returns the values of a range, but the one that the ruleset has unless all
// are asked for.
func (o *playOptions) valuesOf(base *configs.Ruleset, key string, parts []string, all bool) ([]change, error) {
	var numbers [3]int64
	for i, text := range parts[1:] {
		if text == "" {
			text = "1"
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, usagef("--knob %s=%s: %s is too large", key, parts[0], text)
		}
		numbers[i] = n
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case step < 1 || from > to:
		return nil, usagef("--knob %s=%s: allowed: from..to or from..to:step, ascending, such as 4..12:2", key, parts[0])
	case (to-from)/step >= mostInRange:
		return nil, usagef("--knob %s=%s: %d values; at most %d: make the step larger", key, parts[0], (to-from)/step+1, mostInRange)
	}
	var list []change
	for n := from; n <= to; n += step {
		if k, ok := ruleset.FindKnob(base.Knobs(), key); all || !ok || fmt.Sprint(k.Value()) != fmt.Sprint(n) {
			list = append(list, change{key, n})
		}
	}
	if len(list) == 0 {
		return nil, usagef("--knob %s=%s: %s is so already", key, parts[0], base.Name)
	}
	return list, nil
}
