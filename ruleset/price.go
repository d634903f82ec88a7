package ruleset

import (
	"fmt"
	"reflect"
	"strings"
)

// Price is what a ruleset says that a pattern is worth: in a closed and in an
// open hand (riichi), or made of concealed sets alone and otherwise (hktw). The
// zero Price leaves what the rule text lists.
type Price struct{ Closed, Open int16 }

// PriceOff is the price of a pattern that does not exist.
var PriceOff = Price{-1, -1}

// IsOff reports whether the pattern does not exist.
func (p Price) IsOff() bool { return p.Closed < 0 }

// IsGiven reports whether the ruleset gives the pattern a price of its own.
func (p Price) IsGiven() bool { return p.Closed > 0 }

// Listing is what the knob "patterns" of a family has to know of a pattern. A
// family lists its patterns, in the order of Scorer.Patterns, by a method
// Listings of the array of prices in its Config.
type Listing struct {
	// ID is the pattern's name in files.
	ID string
	// Listed is what the rule text gives; Open is 0 for a pattern that an open
	// hand does not have, and both are 0 where another knob gives the value.
	Listed Price
	// Split reports that closed and open may be priced apart; Open may then be as
	// low as MinOpen.
	Split   bool
	MinOpen int
	// Max is the highest price, in the unit of the pattern: han, multiples of a
	// yakuman, fan or points.
	Max int
}

const (
	priceOff    = "off"
	priceListed = "listed"
)

// priceFormat is the format of the price of one pattern.
type priceFormat struct{ Listing }

func (f priceFormat) allowed() string {
	s := fmt.Sprintf("integer 1..%d, ", f.Max)
	if f.Split {
		s += "a list of two, closed and open, "
	}
	return s + fmt.Sprintf("%q or %q", priceOff, priceListed)
}

func (f priceFormat) decode(v any, dst reflect.Value) error {
	if s, ok := v.(string); ok {
		switch s {
		case priceOff:
			dst.Set(reflect.ValueOf(PriceOff))
		case priceListed:
			dst.SetZero()
		default:
			return fmt.Errorf("%s is no price", text(v))
		}
		return nil
	}
	closed, open := any(v), any(v)
	if list, ok := v.([]any); ok {
		if !f.Split {
			return fmt.Errorf("%s: the pattern has one price", text(v))
		}
		if len(list) != 2 {
			return fmt.Errorf("%s has %d elements", text(v), len(list))
		}
		closed, open = list[0], list[1]
	}
	if err := (bounds{lo: 1, hi: int64(f.Max)}).decode(closed, dst.Field(0)); err != nil {
		return err
	}
	return bounds{lo: int64(f.MinOpen), hi: int64(f.Max)}.decode(open, dst.Field(1))
}

func (priceFormat) encode(src reflect.Value) any {
	switch p := src.Interface().(Price); {
	case p.IsOff():
		return priceOff
	case !p.IsGiven():
		return priceListed
	case p.Closed == p.Open:
		return int64(p.Closed)
	default:
		return []any{int64(p.Closed), int64(p.Open)}
	}
}

// pricesFormat is the format of the prices of all patterns of a family, of which
// those that are as listed are left out.
type pricesFormat struct {
	tableFormat
	list []Listing
}

func newPricesFormat(list []Listing) pricesFormat {
	ids := make([]string, len(list))
	for i, l := range list {
		ids[i] = l.ID
	}
	return pricesFormat{tableFormat{ids, func(i int) format { return priceFormat{list[i]} }}, list}
}

func (pricesFormat) allowed() string {
	return `table of patterns and their prices, "off" for those that do not exist; see docs/patterns.md`
}

// Prices returns, for the knob "patterns", a knob for the price of each pattern,
// with the key patterns.ID, in the order of Scorer.Patterns; nil for all others.
// A file that gives some prices leaves the others as they are in its base.
func (k Knob) Prices() []Knob {
	f, ok := k.format.(pricesFormat)
	if !ok {
		return nil
	}
	list := make([]Knob, len(f.list))
	for i, l := range f.list {
		format := priceFormat{l}
		list[i] = Knob{
			Key: k.Key + "." + l.ID, Doc: "price of the pattern", Allowed: format.allowed(), Family: k.Family,
			Scoring: k.Scoring, format: format, value: k.value.Index(i),
		}
	}
	return list
}

// Listings describes the patterns whose prices the knob holds; nil for knobs other
// than "patterns".
func (k Knob) Listings() []Listing {
	f, _ := k.format.(pricesFormat)
	return f.list
}

// Describe returns the knob's value as Text does, and of a price as listed also the price:
// "listed" (24).
func (k Knob) Describe() string {
	f, ok := k.format.(priceFormat)
	switch p := f.Listed; {
	case !ok || k.IsSet() || p == Price{}:
		return k.Text()
	case p.Open == p.Closed || p.Open == 0:
		return fmt.Sprintf("%s (%d)", k.Text(), p.Closed)
	default:
		return fmt.Sprintf("%s (%d, %d)", k.Text(), p.Closed, p.Open)
	}
}

// IsSet reports whether the knob has another than the zero value of its type; of
// the price of a pattern, whether the ruleset gives one.
func (k Knob) IsSet() bool { return !k.value.IsZero() }

// FindKnob returns the knob of that key, or the price of a pattern by its key
// patterns.ID; false if there is none.
func FindKnob(knobs []Knob, key string) (Knob, bool) {
	table, _, isPrice := strings.Cut(key, ".")
	for _, k := range knobs {
		if k.Key == key {
			return k, true
		}
		if isPrice && k.Key == table {
			return FindKnob(k.Prices(), key)
		}
	}
	return Knob{}, false
}
