package hktw

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Variant is what a family that shares this scorer has otherwise than Hong Kong-style Taiwanese:
// the shapes, the readings and the fan are the same, but not what they count and imply.
//
//	s := hktw.New(&hktw.Config{Flow: flow}, hktw.Variant{Fan: []hktw.Priced{{ID: "self_draw", Value: 1}}})
type Variant struct {
	// Fan lists the fan that exist. There are three more than in the catalog: seat_wind,
	// prevalent_wind and dragon_pung.
	Fan []Priced
	// EachCounts lets flower count each flower and honor_pung each pung of honors, whatever
	// sets they make. Eight flowers of a hand that is not won by them are two sets.
	EachCounts bool
	// SetKeepsProper lets the flowers of a set count proper_flower.
	SetKeepsProper bool
	// HonorSetsKeep lets the pungs of dragon and wind combinations count by themselves.
	HonorSetsKeep bool
	// ConcealedWithSelfDraw lets concealed_self_draw count only where concealed would, and
	// self_draw elsewhere.
	ConcealedWithSelfDraw bool
	// AllChows is what all_chows needs besides five chows.
	AllChows ChowConditions
}

// Priced is a fan of a Variant: what it counts, and the fan that do not count beside it. Sets of
// flowers, winds and dragons take their parts away without listing them.
type Priced struct {
	// ID is the name of the fan.
	ID string
	// Value is what it counts.
	Value int16
	// Implies lists the names of the fan that do not count beside it.
	Implies []string
}

// ChowConditions is a set of conditions of all_chows.
type ChowConditions uint8

// Members of ChowConditions.
const (
	ChowsNoFlowers ChowConditions = 1 << iota // no flower
	ChowsNoHonors                             // no pair of honors
	ChowsTwoSided                             // a chow completed at either end, and a wait for several kinds
	ChowsDiscard                              // no self-draw
)

// hold reports whether a reading of five chows fulfills the conditions.
func (s ChowConditions) hold(e *evaluation, c *composition) bool {
	return s == 0 ||
		(s&ChowsNoFlowers == 0 || e.win.Flowers == 0) &&
			(s&ChowsNoHonors == 0 || c.pair < tile.East) &&
			(s&ChowsDiscard == 0 || !e.win.SelfDraw) &&
			(s&ChowsTwoSided == 0 || !c.single && !e.isOnlyWait())
}

// extras are the ids of the fan that only a Variant has, in their order.
var extras = []string{"seat_wind", "prevalent_wind", "dragon_pung"}

// Fan returns the index of a fan of the catalog or of a Variant, which values refer to. It
// panics if there is none of that id.
func Fan(id string) int {
	for i := range patterns {
		if patterns[i].ID == id {
			return i
		}
	}
	i := slices.Index(extras, id)
	if i < 0 {
		panic("hktw: no fan " + id)
	}
	return numFans + i
}

// New returns the scorer of a variant. Of the knobs it heeds those of the value of a hand and
// of the dealer item, but for patterns and no_compounding.
func New(c *Config, v Variant) *Scorer {
	rules := *c
	rules.NoCompounding = true
	for id := range rules.Patterns {
		rules.Patterns[id] = ruleset.PriceOff
	}
	for _, f := range v.Fan {
		if id := Fan(f.ID); id < numFans {
			rules.Patterns[id] = ruleset.Price{Closed: f.Value, Open: f.Value}
		}
	}
	s := rules.scorer()
	s.variant = v
	for _, f := range v.Fan {
		id := Fan(f.ID)
		s.exists.add(id)
		s.values[id] = price{f.Value, f.Value}
		for _, other := range f.Implies {
			s.absorbed[id].add(Fan(other))
			s.absorbers.add(id)
		}
	}
	return s
}
