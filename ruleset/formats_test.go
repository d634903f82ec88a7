package ruleset

import (
	"crypto/sha256"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// formConfig has a knob of each form that is written in a way of its own.
type formConfig struct {
	Flow
	Growth   Halves     `knob:"growth" range:"1,10"`
	Flags    wordFlags  `knob:"flags"`
	Patterns formPrices `knob:"patterns"`
}

type formPrices [3]Price

func (formPrices) Listings() []Listing {
	return []Listing{
		{ID: "pair", Listed: Price{3, 2}, Split: true, Max: 9},
		{ID: "one", Listed: Price{1, 1}, MinOpen: 1, Max: 9},
		{ID: "other", Listed: Price{1, 1}, MinOpen: 1, Max: 9},
	}
}

type wordFlags uint8

func (wordFlags) IsSet() {}

func init() {
	RegisterWords("package ruleset\n\t_ wordFlags = iota // a: A\n\t_ // b: B\n\t_ // c: C\n")
}

func (*formConfig) Check() []Problem  { return nil }
func (c *formConfig) Compile() Scorer { return nil }

// zeroConfig has knobs whose zero value stands for another number than 0.
type zeroConfig struct {
	formConfig
	Factor int   `knob:"factor" range:"1,4" zero:"2"`
	Cap    Limit `knob:"cap" range:"1,9" zero:"none"`
}

// TestZero writes and reads knobs whose zero value stands for another number than 0.
func TestZero(t *testing.T) {
	family := Family{Name: "zeros", New: func() Config { return new(zeroConfig) }}
	c := new(zeroConfig)
	for key, texts := range map[string][]any{"factor": {int64(2), int64(1), int64(4)}, "cap": {"none", int64(1), int64(9)}} {
		k, ok := FindKnob(family.Knobs(c), key)
		if !ok || k.Value() != texts[0] {
			t.Errorf("%s: the zero value is %v, want %v", key, k.Value(), texts[0])
		}
		for _, v := range texts {
			if err := k.Set(v); err != nil || k.Value() != v {
				t.Errorf("%s: %v is %v: %v", key, v, k.Value(), err)
			}
		}
		for _, v := range []any{int64(0), int64(10), "many"} {
			if k.Set(v) == nil || k.Value() != texts[2] {
				t.Errorf("%s: %v is set", key, v)
			}
		}
		if err := k.Set(texts[0]); err != nil {
			t.Error(err)
		}
	}
	if *c != (zeroConfig{}) {
		t.Errorf("%+v is not the zero value", c)
	}
}

// TestChoices tells apart the knobs of which all values can be listed.
func TestChoices(t *testing.T) {
	family := Family{Name: "forms", New: func() Config { return new(formConfig) }}
	knobs := family.Knobs(family.New())
	for key, want := range map[string][]any{
		"last_dealer_plays_on": {false, true}, "last_flower": {"discard", "reveal"}, "patterns.one": {"listed", "off"}, "growth": nil, "flags": nil, "patterns": nil,
	} {
		k, ok := FindKnob(knobs, key)
		if !ok {
			t.Fatal(key)
		}
		if got := k.Choices(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

// A knob of halves has whole numbers as such, as files write them.
func TestHalves(t *testing.T) {
	family := Family{Name: "forms", New: func() Config { return new(formConfig) }}
	k, _ := FindKnob(family.Knobs(family.New()), "growth")
	for value, want := range map[float64]any{2: int64(2), 2.5: 2.5} {
		if err := k.Set(value); err != nil || k.Value() != want {
			t.Errorf("%v: %v, %v, want %v", value, err, k.Value(), want)
		}
	}
}

// A hash is that of the lines of a file, in which a table of prices stands if it
// gives any: datasets hold it, so it stays what it is.
func TestHashOfLines(t *testing.T) {
	family := Family{Name: "forms", New: func() Config { return new(formConfig) }}
	cfg := family.New().(*formConfig)
	own := map[string]bool{"growth": true, "flags": true, "patterns": true}
	var common []string // lines of the knobs that all families have
	for _, k := range family.Knobs(cfg) {
		if !own[k.Key] {
			common = append(common, k.Key+" = "+k.Text()+"\n")
		}
	}
	for _, c := range []struct {
		prices formPrices
		lines  []string
	}{
		{formPrices{}, []string{"flags = []\n", "growth = 0\n"}},
		{formPrices{{}, {2, 2}}, []string{"flags = []\n", "growth = 0\n", "patterns = { one = 2 }\n"}},
	} {
		cfg.Patterns = c.prices
		lines := slices.Concat(common, c.lines)
		slices.Sort(lines)
		if got := family.Hash(cfg); got != sha256.Sum256([]byte("family = \"forms\"\n"+strings.Join(lines, ""))) {
			t.Errorf("%v: the hash is not that of %q", c.prices, c.lines)
		}
	}
}

// TestForms sets knobs, reads them back as files write them, and refuses what
// they do not take.
func TestForms(t *testing.T) {
	family := Family{Name: "forms", New: func() Config { return new(formConfig) }}
	cfg := family.New().(*formConfig)
	knobs := family.Knobs(cfg)
	for _, c := range []struct {
		key   string
		value any
		text  string // empty if it is refused
		want  any
	}{
		{"growth", 1.5, "1.5", Halves(3)},
		{"growth", int64(2), "2", Halves(4)},
		{"growth", 10, "10", Halves(20)},
		{"growth", 1.25, "", nil},
		{"growth", 0.5, "", nil},
		{"growth", 10.5, "", nil},
		{"growth", "1.5", "", nil},
		{"patterns", map[string]any{"pair": 4, "one": "off"}, `{ one = "off", pair = 4 }`, formPrices{{4, 4}, PriceOff, {}}},
		{"patterns", map[string]any{"pair": []any{4.0, int64(0)}, "one": "listed"}, "{ pair = [4, 0] }", formPrices{{4, 0}, {}, {}}},
		{"patterns", map[string]any{}, "{}", formPrices{}},
		{"patterns", map[string]any{"one": 1, "pair": 9}, "{ one = 1, pair = 9 }", formPrices{{9, 9}, {1, 1}, {}}},
		{"patterns", map[string]any{"one": []any{2, 1}}, "", nil},
		{"patterns", map[string]any{"pair": []any{2}}, "", nil},
		{"patterns", map[string]any{"pair": []any{0, 1}}, "", nil},
		{"patterns", map[string]any{"pair": 0}, "", nil},
		{"patterns", map[string]any{"one": 10}, "", nil},
		{"patterns", map[string]any{"one": 1.5}, "", nil},
		{"patterns", map[string]any{"one": "none"}, "", nil},
		{"patterns", map[string]any{"two": 1}, "", nil},
		{"patterns", []any{"one"}, "", nil},
		{"patterns.other", 2, "2", Price{2, 2}},
		{"patterns.other", "off", `"off"`, PriceOff},
		{"patterns.other", "listed", `"listed"`, Price{}},
		{"flags", []any{"c", "a"}, `["a", "c"]`, wordFlags(0b101)},
		{"flags", []any{}, "[]", wordFlags(0)},
		{"flags", []any{"a", "a"}, "", nil},
		{"flags", []any{"d"}, "", nil},
	} {
		k, ok := FindKnob(knobs, c.key)
		if !ok {
			t.Fatal(c.key)
		}
		err := k.Set(c.value)
		if (err == nil) != (c.text != "") {
			t.Errorf("%s = %v: %v", c.key, c.value, err)
		}
		if err == nil && (k.Text() != c.text || !reflect.DeepEqual(k.value.Interface(), c.want)) {
			t.Errorf("%s = %v: %s, %v, want %s, %v", c.key, c.value, k.Text(), k.value, c.text, c.want)
		}
	}
}
