package tune

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Space is the search space: all combinations of some values of knobs.
type Space struct {
	source variant.Source
	knobs  []knobValues
}

// knobValues is a knob and its values, ascending if all are numbers.
type knobValues struct {
	key    string
	values []any
}

// NewSpace returns the space of some changes of a ruleset; [variant.Source.Parse] describes
// their form. Each value must be legal in some combination with the others.
func NewSpace(source variant.Source, texts []string) (*Space, error) {
	s := &Space{source: source}
	for _, text := range texts {
		list, err := s.source.Parse(text, true)
		if err != nil {
			return nil, err
		}
		key := list[0].Key
		if _, ok := ruleset.FindKnob(s.source.Ruleset.Knobs(), key); !ok {
			_, err := s.source.Apply(list[:1]) // it names the nearest knobs
			return nil, err
		}
		at := slices.IndexFunc(s.knobs, func(k knobValues) bool { return k.key == key })
		if at < 0 {
			at = len(s.knobs)
			s.knobs = append(s.knobs, knobValues{key: key})
		}
		k := &s.knobs[at]
		for _, c := range list {
			if !slices.ContainsFunc(k.values, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(c.Value) }) {
				k.values = append(k.values, c.Value)
			}
		}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	for _, k := range s.knobs {
		if k.ordered() {
			slices.SortFunc(k.values, func(a, b any) int { return cmp.Compare(a.(int64), b.(int64)) })
		}
	}
	return s, nil
}

// check returns an error for a value that is legal neither alone nor with a value of another
// knob.
func (s *Space) check() error {
	for i, k := range s.knobs {
		for _, v := range k.values {
			_, err := s.source.Apply([]variant.Change{{Key: k.key, Value: v}})
			for j := 0; err != nil && j < len(s.knobs); j++ {
				for n := 0; err != nil && j != i && n < len(s.knobs[j].values); n++ {
					if _, with := s.source.Apply([]variant.Change{{Key: k.key, Value: v}, {Key: s.knobs[j].key, Value: s.knobs[j].values[n]}}); with == nil {
						err = nil
					}
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *knobValues) ordered() bool {
	return !slices.ContainsFunc(k.values, func(v any) bool { _, ok := v.(int64); return !ok })
}

// Dimensions returns the dimensions of the candidates, and the candidate of the ruleset without
// changes, with -1 for a knob whose value is not in the space.
func (s *Space) Dimensions() (list []Dimension, start Candidate) {
	for _, k := range s.knobs {
		list = append(list, Dimension{Values: len(k.values), Ordered: k.ordered()})
		now, _ := ruleset.FindKnob(s.source.Ruleset.Knobs(), k.key)
		start = append(start, slices.IndexFunc(k.values, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(now.Value()) }))
	}
	return list, start
}

func (s *Space) changes(c Candidate) (list []variant.Change) {
	for i, v := range c {
		if v >= 0 {
			list = append(list, variant.Change{Key: s.knobs[i].key, Value: s.knobs[i].values[v]})
		}
	}
	return list
}

// Ruleset returns the ruleset of a candidate.
func (s *Space) Ruleset(c Candidate) (*configs.Ruleset, error) {
	r, err := s.source.Apply(s.changes(c))
	if err == nil && r.Name == "" {
		r.Name = s.source.Ruleset.Name
	}
	return r, err
}

// Legal reports whether a candidate is a legal ruleset.
func (s *Space) Legal(c Candidate) bool {
	_, err := s.source.Apply(s.changes(c))
	return err == nil
}

// keys returns the knobs that may change.
func (s *Space) keys() (list []string) {
	for _, k := range s.knobs {
		list = append(list, k.key)
	}
	return list
}
