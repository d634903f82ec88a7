package importing

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// variant is the rules of some records, or the error of a record without possible rules.
type variant struct {
	ruleset *configs.Ruleset
	rules   *ruleset.Rules
	name    string
	err     error
	// notes are the knobs that the records state otherwise than Options.Ruleset, which wins.
	notes []record.Difference
}

// variants caches the rules that records name.
type variants struct {
	// base is the preset of records that name none; fixed is Options.Ruleset.
	base  string
	fixed *configs.Ruleset

	mu    sync.Mutex
	cache map[string]*variant
}

// find returns the rules of a record. The error is that of a record of another number of players
// than Options.Ruleset is for, or of rules that no match can have.
func (s *variants) find(g *record.Game) (*variant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(g.Ruleset, g.Seats, g.Knobs) // in the order of the keys
	v := s.cache[key]
	if v == nil {
		v = s.make(g)
		s.cache[key] = v
	}
	return v, v.err
}

func (s *variants) make(g *record.Game) *variant {
	v := &variant{ruleset: s.fixed}
	preset := cmp.Or(g.Ruleset, s.base)
	if s.fixed == nil {
		v.ruleset, v.err = configs.Change(preset, withOka(preset, g.Knobs))
	} else if v.err = g.CheckSeats(s.fixed.Rules()); v.err == nil {
		v.notes = otherKnobs(s.fixed, g.Knobs)
	}
	if v.err != nil {
		return v
	}
	v.rules = v.ruleset.Rules()
	if v.name = v.ruleset.Name; s.fixed == nil {
		var base *configs.Ruleset
		if base, v.err = configs.Open(preset); v.err == nil {
			v.name = strings.Join(append([]string{v.name}, changes(base, v.ruleset)...), "-")
		}
	}
	return v
}

// withOka adds the knobs that follow from changed starting points: return_points, which are at
// least as many, and the oka.
func withOka(base string, knobs map[string]any) map[string]any {
	r, err := configs.Open(base)
	start, ok := knobs["starting_points"].(int64)
	if err != nil || !ok {
		return knobs
	}
	var back int64
	for _, k := range r.Knobs() {
		if k.Key == "return_points" {
			back, _ = k.Value().(int64)
		}
	}
	if back = max(back, start); back == 0 {
		return knobs
	}
	const thousand = 1000
	players := int64(r.Config.Common().NumSeats())
	knobs = maps.Clone(knobs)
	knobs["return_points"] = back
	knobs["oka"] = float64(players*(back-start)) / thousand
	return knobs
}

// changes lists the knobs in which a ruleset differs from its base, such as
// "aka_dora=0,0,0", in the form of a folder name.
func changes(base, r *configs.Ruleset) (list []string) {
	for _, d := range configs.Diff(base, r) {
		list = append(list, d.Knob+"="+strings.NewReplacer("[", "", "]", "", " ", "", `"`, "", "/", "_").Replace(d.TextB))
	}
	return list
}

// otherKnobs returns a note for each knob that a record states otherwise than the ruleset under
// which it is imported. What the user names wins: a lobby's settings say little about a record
// whose hands are played by other rules, and every difference in play is reported anyway.
func otherKnobs(r *configs.Ruleset, knobs map[string]any) (notes []record.Difference) {
	has := map[string]any{}
	for _, k := range r.Knobs() {
		has[k.Key] = k.Value()
	}
	for _, key := range slices.Sorted(maps.Keys(knobs)) {
		if !reflect.DeepEqual(has[key], knobs[key]) {
			notes = append(notes, record.Difference{
				Hand: -1, Note: true, Message: fmt.Sprintf("the record states %s = %v; %s has %v, which was used", key, knobs[key], r.Name, has[key]),
			})
		}
	}
	return notes
}
