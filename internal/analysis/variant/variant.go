// Package variant parses changes of knobs, such as min_win=4..12:2, and builds the
// rulesets that have them: the variants of a sweep and the candidates of a tuning.
//
//	s := variant.Source{Path: "mcr_2006", Ruleset: mcr}
//	list, err := s.Variants([]string{"min_win=4..12:2", "flower_points=0"}, false)
package variant

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Source is the ruleset that variants differ from.
type Source struct {
	// Path is the preset or file that Ruleset was opened from.
	Path    string
	Ruleset *configs.Ruleset
}

// Change is a knob and its new value.
type Change struct {
	// Key names the knob, and Value is of the type that a ruleset file gives it.
	Key   string
	Value any
}

// String returns KEY=VALUE.
func (c Change) String() string { return fmt.Sprintf("%s=%v", c.Key, c.Value) }

// Flag returns the change as a shell passes it to --knob, lists and tables in quotes.
func (c Change) Flag() string {
	switch v := c.Value.(type) {
	case []any:
		return fmt.Sprintf("'%s=[%s]'", c.Key, values(v))
	case map[string]any:
		var list []any
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, fmt.Sprintf("%s=%v", key, v[key]))
		}
		return fmt.Sprintf("'%s={%s}'", c.Key, values(list))
	}
	return c.String()
}

// values returns values separated by commas.
func values(list []any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ",")
}

// Name returns the changes separated by commas, which is the name of the ruleset with them.
func Name(changes []Change) string {
	var names []string
	for _, c := range changes {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

// Apply returns the ruleset with some knobs changed.
func (s *Source) Apply(changes []Change) (*configs.Ruleset, error) {
	overrides := map[string]any{}
	for _, c := range changes {
		overrides[c.Key] = c.Value
	}
	r, err := s.Ruleset.Changed(overrides)
	if err != nil {
		return nil, err
	}
	r.Name = Name(changes)
	return r, nil
}

// Variants returns a ruleset for each change that the texts contain; see [Source.Parse].
// With cross it returns all combinations of changes of different knobs as well.
func (s *Source) Variants(texts []string, cross bool) ([]*configs.Ruleset, error) {
	var sets [][]Change
	for _, text := range texts {
		list, err := s.Parse(text, false)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if cross {
				for _, set := range sets {
					if !slices.ContainsFunc(set, func(d Change) bool { return d.Key == c.Key }) {
						sets = append(sets, append(slices.Clone(set), c))
					}
				}
			}
			sets = append(sets, []Change{c})
		}
	}
	var list []*configs.Ruleset
	for _, set := range sets {
		r, err := s.Apply(set)
		if err != nil {
			return nil, err
		}
		if list, err = s.Append(list, r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Append appends a ruleset to variants. It is an error if its family or number of players
// differs from that of the source, or if the source or another variant has the same rules.
func (s *Source) Append(variants []*configs.Ruleset, r *configs.Ruleset) ([]*configs.Ruleset, error) {
	base := s.Ruleset
	if r.Family != base.Family {
		return nil, fmt.Errorf("%s: it is of family %s, %s of family %s; report compares datasets of several families", r.Name, r.Family.Name, base.Name, base.Family.Name)
	}
	if a, b := r.Config.Common().NumSeats(), base.Config.Common().NumSeats(); a != b {
		return nil, fmt.Errorf("%s: it is for %d players, %s for %d; report compares datasets of both", r.Name, a, base.Name, b)
	}
	if base.Hash() == r.Hash() {
		return nil, fmt.Errorf("%s: %s has these rules already", r.Name, base.Name)
	}
	for _, q := range variants {
		if q.Hash() == r.Hash() {
			return nil, fmt.Errorf("%s: the same rules as %s", r.Name, q.Name)
		}
	}
	return append(variants, r), nil
}

// Parse returns the changes that a text lists: KEY=VALUE,VALUE, KEY=FROM..TO:STEP for a range
// of whole numbers, or KEY alone for all values that fit the rest of the ruleset. Values are
// written as in a ruleset file, where quotes may be left out. Unless all is set, a list or
// range leaves out the value that the ruleset has.
func (s *Source) Parse(text string, all bool) ([]Change, error) {
	key, value, hasValue := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if m := numberRange.FindStringSubmatch(value); hasValue && m != nil {
		return s.parseRange(key, m, all)
	}
	k, isKnob := ruleset.FindKnob(s.Ruleset.Knobs(), key)
	var list []Change
	switch {
	case hasValue:
		texts := splitValues(value)
		for _, one := range texts {
			v := decodeValue(one)
			if all || len(texts) == 1 || !isKnob || fmt.Sprint(k.Value()) != fmt.Sprint(v) {
				list = append(list, Change{key, v})
			}
		}
		return s.differing(list, text)
	case !isKnob:
		_, err := s.Apply([]Change{{key, value}}) // it names the nearest knobs
		return nil, err
	}
	for _, v := range k.Choices() {
		c := Change{key, v}
		if _, err := s.Apply([]Change{c}); err == nil && (all || v != k.Value()) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: its values cannot be listed; name one: %s=VALUE", key, key)
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

// splitValues splits a text at the commas outside brackets and quotes.
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

// numberRange matches from..to and from..to:step.
var numberRange = regexp.MustCompile(`^(-?\d+)\.\.(-?\d+)(?::(-?\d+))?$`)

// maxRange is the largest number of values of a range: each is a variant.
const maxRange = 100

// parseRange returns the values of a range whose text and numbers are parts.
func (s *Source) parseRange(key string, parts []string, all bool) ([]Change, error) {
	text := key + "=" + parts[0]
	var numbers [3]int64
	for i, part := range parts[1:] {
		if part == "" {
			part = "1"
		}
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: %s is too large", text, part)
		}
		numbers[i] = n
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case step < 1 || from > to:
		return nil, fmt.Errorf("%s: allowed: from..to or from..to:step, ascending, such as 4..12:2", text)
	case (to-from)/step >= maxRange:
		return nil, fmt.Errorf("%s: %d values; at most %d: make the step larger", text, (to-from)/step+1, maxRange)
	}
	k, isKnob := ruleset.FindKnob(s.Ruleset.Knobs(), key)
	var list []Change
	for n := from; n <= to; n += step {
		if all || !isKnob || fmt.Sprint(k.Value()) != fmt.Sprint(n) {
			list = append(list, Change{key, n})
		}
	}
	return s.differing(list, text)
}

// differing returns the changes of a text, which must have a value that the ruleset lacks.
func (s *Source) differing(list []Change, text string) ([]Change, error) {
	if len(list) == 0 {
		return nil, errors.New(text + ": " + s.Ruleset.Name + " has this value already")
	}
	return list, nil
}
