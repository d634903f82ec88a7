package ruleset

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Knob is one knob of a family, bound to the configuration that holds its
// value.
type Knob struct {
	// Key is the knob's name in configuration files.
	Key string
	// Spec lists the names the rule texts use for it where they differ.
	Spec []string
	// Doc says in a phrase what it means.
	Doc string
	// Allowed describes the values it takes, such as "integer 0..20".
	Allowed string
	// Family is the name of the family for a knob that not all families have,
	// empty for a knob of all.
	Family string
	// Scoring reports whether the knob is one of values and payments.
	Scoring bool
	// Words are the words of a knob that takes one, or a set, of them; nil for other knobs.
	Words []Word

	format format
	value  reflect.Value
}

// Knobs returns the knobs of the family in the order their fields are declared,
// bound to cfg, which f.New has made. Knobs of other families are left out, and those of
// three players where cfg has four. It panics if a field's tags or type are no schema.
func (f *Family) Knobs(cfg Config) []Knob {
	root := reflect.ValueOf(cfg).Elem()
	f.described.Do(func() { f.fields = f.describe(root.Type()) })
	seats := cfg.Common().NumSeats()
	var knobs []Knob
	for _, field := range f.fields {
		if field.three && seats != 3 {
			continue
		}
		k := field.Knob
		k.value = root.FieldByIndex(field.index)
		if list, ok := k.format.(listFormat); ok && field.perSeat {
			list.n = seats
			k.format, k.Allowed = list, list.allowed()
		}
		knobs = append(knobs, k)
	}
	return knobs
}

// NewThree is New for three players. The family may not have them.
func (f *Family) NewThree() Config {
	cfg := f.New()
	cfg.Common().Seats = ThreeSeats
	return cfg
}

// SetSeats sets the knob seats, on which it depends what other knobs there are. The error
// is a [Problem]; three is refused by families that only four can play.
func (f *Family) SetSeats(cfg Config, v any) error {
	three := f.NewThree()
	k, ok := FindKnob(f.Knobs(three), "seats")
	flow := cfg.Common()
	switch {
	case !ok:
		return Problem{Key: "seats", Message: fmt.Sprintf("rulesets of family %s are for four players: leave it out", f.Name)}
	case k.Set(v) != nil:
		return k.Set(v)
	case flow.Seats == ThreeSeats && three.Common().Seats == FourSeats:
		return Problem{Key: "seats", Message: "the base is for three players; allowed: 3, or leave it out"}
	}
	flow.Seats = three.Common().Seats
	return nil
}

// field is a knob that is not bound to a configuration, and its place in one.
type field struct {
	Knob
	index []int
	// three is set for knobs of three players, perSeat for lists with an element for each
	// player.
	three, perSeat bool
}

// describe returns the family's knobs among the fields of its configuration. Knobs
// of Flow with the tag optional are left out unless FlowKnobs lists them. It panics
// if FlowKnobs lists another key.
func (f *Family) describe(config reflect.Type) (fields []field) {
	listed := strings.Fields(f.FlowKnobs)
	for _, v := range reflect.VisibleFields(config) {
		key, ok := v.Tag.Lookup("knob")
		if !ok {
			continue
		}
		family := ""
		if len(v.Index) == 1 {
			family = f.Name
		} else if v.Tag.Get("optional") != "" {
			i := slices.Index(listed, key)
			if i < 0 {
				continue
			}
			family, listed = f.Name, slices.Delete(listed, i, i+1)
		}
		format := newFormat(v.Type, v.Tag)
		fields = append(fields, field{Knob{
			Key: key, Spec: strings.Fields(v.Tag.Get("spec")), Doc: v.Tag.Get("doc"),
			Allowed: format.allowed(), Family: family,
			Scoring: len(v.Index) == 1 || v.Tag.Get("scoring") != "", Words: wordsOf(v.Type), format: format,
		}, v.Index, v.Tag.Get("three") != "", v.Tag.Get("seats") != ""})
	}
	if len(listed) > 0 {
		panic(fmt.Sprintf("ruleset: family %s: FlowKnobs lists %q, which are no optional knobs of Flow", f.Name, listed))
	}
	return fields
}

// Set gives the knob a value as TOML or JSON decodes it: a bool, int, int64,
// float64, string, []any or map[string]any. If the value is of the wrong type
// or out of range, the error is a [Problem] that says so and what is allowed,
// and the configuration is unchanged.
func (k Knob) Set(v any) error {
	n := reflect.New(k.value.Type()).Elem()
	if err := k.format.decode(v, n); err != nil {
		return Problem{Key: k.Key, Message: fmt.Sprintf("%v; allowed: %s", err, k.Allowed)}
	}
	k.value.Set(n)
	return nil
}

// Value returns the knob's value in a form that Set takes: a bool, int64,
// float64, string, []any or map[string]any.
func (k Knob) Value() any { return k.format.encode(k.value) }

// Text returns the knob's value as TOML. Equal values have equal texts.
func (k Knob) Text() string { return text(k.Value()) }

// Choices returns all values of a knob that is on or off or one of some words, in
// the form that Set takes: of the price of a pattern its words; nil for other
// knobs.
func (k Knob) Choices() []any {
	switch f := k.format.(type) {
	case boolFormat:
		return []any{false, true}
	case wordFormat:
		list := make([]any, len(f.words))
		for i, w := range f.words {
			list[i] = w
		}
		return list
	case priceFormat:
		return []any{priceListed, priceOff}
	}
	return nil
}

// Error returns the key and the message.
func (p Problem) Error() string { return p.Key + ": " + p.Message }

// Hash returns the SHA-256 of the family and all its knobs, written as the lines
// of a file in the order of their keys. Names and comments do not enter, nor does
// a table of prices that gives none.
func (f *Family) Hash(cfg Config) [sha256.Size]byte {
	var lines []string
	for _, k := range f.Knobs(cfg) {
		if k.Prices() != nil && !k.IsSet() {
			continue
		}
		lines = append(lines, k.Key+" = "+k.Text()+"\n")
	}
	slices.Sort(lines)
	return sha256.Sum256([]byte("family = " + text(f.Name) + "\n" + strings.Join(lines, "")))
}

// A format converts between the values of a type of knob and their outside
// form. Errors of decode report what is wrong with the value; dst is then
// undefined.
type format interface {
	allowed() string
	decode(v any, dst reflect.Value) error
	encode(src reflect.Value) any
}

// newFormat returns the format of a field. A set of words is marked by a method IsSet and has bit
// i set for word i; arrays that name their elements do so by a method Keys, those that hold the
// prices of patterns by a method Listings.
func newFormat(t reflect.Type, tag reflect.StructTag) format {
	words := texts(wordsOf(t))
	switch zero := reflect.Zero(t).Interface().(type) {
	case Limit:
		return newLimit(tag)
	case PointsTable:
		return pointsTableFormat{wordFormat{words}}
	case Placement:
		return placementFormat
	case Seats:
		return seatsFormat{bounds{lo: 3, hi: 4}}
	case Halves:
		return decimalFormat{newBounds(tag), 2, 1}
	case interface{ Listings() []Listing }:
		return newPricesFormat(zero.Listings())
	case interface{ IsSet() }:
		return setFormat{words}
	case interface{ Keys() []string }:
		elem := newFormat(t.Elem(), tag)
		return tableFormat{zero.Keys(), func(int) format { return elem }}
	}
	switch t.Kind() {
	case reflect.Uint8:
		if len(words) > 0 {
			return wordFormat{words}
		}
	case reflect.Bool:
		return boolFormat{}
	case reflect.Int:
		return newBounds(tag)
	case reflect.Array:
		return listFormat{t.Len(), newFormat(t.Elem(), tag)}
	}
	panic("ruleset: no knob can be of type " + t.String())
}

type boolFormat struct{}

func (boolFormat) allowed() string { return "true or false" }

func (boolFormat) decode(v any, dst reflect.Value) error {
	b, ok := v.(bool)
	if !ok {
		return fmt.Errorf("%s is neither true nor false", text(v))
	}
	dst.SetBool(b)
	return nil
}

func (boolFormat) encode(src reflect.Value) any { return src.Bool() }

// bounds is the format of integers between two numbers, both included. Stored is the
// difference from zero, which the zero value of the field stands for.
type bounds struct{ lo, hi, zero int64 }

func newBounds(tag reflect.StructTag) bounds {
	var b bounds
	read := func(name, text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic(fmt.Sprintf("ruleset: knob %s: %s: %v", tag.Get("knob"), name, err))
		}
		return n
	}
	lo, hi, _ := strings.Cut(tag.Get("range"), ",")
	b.lo, b.hi = read("range", lo), read("range", hi)
	if zero, ok := tag.Lookup("zero"); ok && zero != none {
		b.zero = read("zero", zero)
	}
	return b
}

func (b bounds) allowed() string { return fmt.Sprintf("integer %d..%d", b.lo, b.hi) }

func (b bounds) decode(v any, dst reflect.Value) error {
	// JSON does not distinguish 1 from 1.0. Bounds are far from where floats of integers
	// lose precision.
	x, ok := number(v)
	switch {
	case !ok || x != math.Trunc(x):
		return fmt.Errorf("%s is not an integer", text(v))
	case x < float64(b.lo) || x > float64(b.hi):
		return fmt.Errorf("%s is out of range", text(v))
	}
	dst.SetInt(int64(x) - b.zero)
	return nil
}

// number returns a decoded TOML or JSON number; ok is false for other values.
func number(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func (b bounds) encode(src reflect.Value) any { return src.Int() + b.zero }

// seatsFormat is the format of the number of players.
type seatsFormat struct{ bounds }

func (f seatsFormat) decode(v any, dst reflect.Value) error {
	var n int
	if err := f.bounds.decode(v, reflect.ValueOf(&n).Elem()); err != nil {
		return err
	}
	dst.SetUint(uint64(NumPlayers - n))
	return nil
}

func (seatsFormat) encode(src reflect.Value) any { return NumPlayers - int64(src.Uint()) }

// limitFormat is the format of integers that may be absent, which is stored as absent.
type limitFormat struct {
	bounds
	absent int64
}

const none = "none"

func newLimit(tag reflect.StructTag) limitFormat {
	if tag.Get("zero") == none {
		return limitFormat{newBounds(tag), 0}
	}
	return limitFormat{newBounds(tag), int64(NoLimit)}
}

func (f limitFormat) allowed() string { return f.bounds.allowed() + ` or "none"` }

func (f limitFormat) decode(v any, dst reflect.Value) error {
	switch s, ok := v.(string); {
	case ok && s == none:
		dst.SetInt(f.absent)
		return nil
	case ok:
		return fmt.Errorf(`%s is neither an integer nor "none"`, text(v))
	}
	return f.bounds.decode(v, dst)
}

func (f limitFormat) encode(src reflect.Value) any {
	if src.Int() == f.absent {
		return none
	}
	return src.Int()
}

// decimalFormat is the format of decimals between two whole numbers, both included, in
// steps of 1/parts. One step is stored as unit.
type decimalFormat struct {
	bounds
	parts float64
	unit  int64
}

// placementFormat is the format of placement points. A decimal is a whole number of
// Placement units if it is a whole number of 1/40, the greatest part of a point that both
// have in common.
var placementFormat = decimalFormat{bounds{lo: -100_000, hi: 100_000}, 40, PlacementUnit / 40}

func (f decimalFormat) allowed() string {
	return fmt.Sprintf("decimal %d..%d in steps of %v", f.lo, f.hi, 1/f.parts)
}

func (f decimalFormat) decode(v any, dst reflect.Value) error {
	x, ok := number(v)
	// Division rounds correctly, so this compares with what the decimal of n/parts is
	// read as.
	n := math.Round(x * f.parts)
	switch {
	case !ok:
		return fmt.Errorf("%s is not a number", text(v))
	case !(x >= float64(f.lo) && x <= float64(f.hi)):
		return fmt.Errorf("%s is out of range", text(v))
	case n/f.parts != x:
		return fmt.Errorf("%s is not a multiple of %v", text(v), 1/f.parts)
	}
	dst.SetInt(int64(n) * f.unit)
	return nil
}

func (f decimalFormat) encode(src reflect.Value) any {
	one := int64(f.parts) * f.unit
	if n := src.Int(); n%one == 0 {
		return n / one
	}
	return float64(src.Int()) / float64(one)
}

// wordFormat is the format of enumerated knobs.
type wordFormat struct{ words []string }

func (f wordFormat) allowed() string { return oneOf(f.words) }

func (f wordFormat) decode(v any, dst reflect.Value) error {
	i, err := indexOf(f.words, v)
	if err != nil {
		return err
	}
	dst.SetUint(uint64(i))
	return nil
}

func (f wordFormat) encode(src reflect.Value) any { return f.words[src.Uint()] }

// setFormat is the format of sets of words.
type setFormat struct{ words []string }

func (f setFormat) allowed() string { return "list of " + oneOf(f.words) }

func (f setFormat) decode(v any, dst reflect.Value) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s is not a list", text(v))
	}
	dst.SetZero()
	for _, v := range list {
		i, err := indexOf(f.words, v)
		if err != nil {
			return err
		}
		if dst.Uint()>>i&1 == 1 {
			return fmt.Errorf("%s is given twice", text(v))
		}
		dst.SetUint(dst.Uint() | 1<<i)
	}
	return nil
}

func (f setFormat) encode(src reflect.Value) any {
	list := []any{}
	for i, w := range f.words {
		if src.Uint()>>i&1 == 1 {
			list = append(list, w)
		}
	}
	return list
}

// listFormat is the format of arrays.
type listFormat struct {
	n    int
	elem format
}

func (f listFormat) allowed() string {
	return fmt.Sprintf("list of %d: %s", f.n, f.elem.allowed())
}

func (f listFormat) decode(v any, dst reflect.Value) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s is not a list", text(v))
	}
	if len(list) != f.n {
		return fmt.Errorf("%s has %d elements", text(v), len(list))
	}
	for i, v := range list {
		if err := f.elem.decode(v, dst.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (f listFormat) encode(src reflect.Value) any {
	list := make([]any, f.n)
	for i := range list {
		list[i] = f.elem.encode(src.Index(i))
	}
	return list
}

// tableFormat is the format of arrays with named elements, of which those that
// are zero are left out. elem returns the format of the i-th element.
type tableFormat struct {
	keys []string
	elem func(i int) format
}

func (f tableFormat) allowed() string {
	return fmt.Sprintf("table with keys of %s: %s", strings.Join(f.keys, ", "), f.elem(0).allowed())
}

func (f tableFormat) decode(v any, dst reflect.Value) error {
	table, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not a table", text(v))
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		i := slices.Index(f.keys, key)
		if i < 0 {
			return fmt.Errorf("%s is not one of its keys", text(key))
		}
		if err := f.elem(i).decode(table[key], dst.Index(i)); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func (f tableFormat) encode(src reflect.Value) any {
	table := map[string]any{}
	for i, key := range f.keys {
		if elem := src.Index(i); !elem.IsZero() {
			table[key] = f.elem(i).encode(elem)
		}
	}
	return table
}

func texts(words []Word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.Text
	}
	return list
}

func indexOf(words []string, v any) (int, error) {
	s, ok := v.(string)
	if !ok {
		return 0, fmt.Errorf("%s is not a word", text(v))
	}
	i := slices.Index(words, s)
	if i < 0 {
		return 0, fmt.Errorf("%s is not one of its words", text(v))
	}
	return i, nil
}

func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// text writes a value as TOML. Values that no knob can have, which only error
// messages show, are written as they print.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		list := make([]string, len(v))
		for i, e := range v {
			list[i] = text(e)
		}
		return "[" + strings.Join(list, ", ") + "]"
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		var list []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, key+" = "+text(v[key]))
		}
		return "{ " + strings.Join(list, ", ") + " }"
	}
	return fmt.Sprint(v)
}
