package ruleset_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// parlor is a family with a knob of every type.
type parlor struct {
	ruleset.Flow
	Tea     bool          `knob:"tea" doc:"tea is served"`
	Tables  int           `knob:"tables" spec:"zhuo takubu" range:"1,40" doc:"number of tables"`
	Closing hour          `knob:"closing" doc:"when the doors close"`
	Snacks  snacks        `knob:"snacks" doc:"what there is to eat"`
	Fee     fees          `knob:"fee" doc:"fee by table size"`
	Lamps   [2]hour       `knob:"lamps" doc:"lamps on and off"`
	Notes   string        // no knob
	Credit  ruleset.Limit `knob:"credit" range:"0,500" doc:"credit given"`
}

type (
	hour   uint8
	snacks uint8
	fees   [2]ruleset.Placement
)

func init() {
	ruleset.RegisterWords(`package ruleset_test
	_ hour = iota // noon: 12
	_ // dusk: 18
	_ // midnight: 24
	_ snacks = iota // nuts: salted
	_ // noodles: fried
	_ // plums: sour
`)
}

func (snacks) IsSet()       {}
func (fees) Keys() []string { return []string{"3", "4"} }

func (p *parlor) Check() []ruleset.Problem { return nil }
func (p *parlor) Compile() ruleset.Scorer  { return nil }

var parlorFamily = ruleset.Family{
	Name: "parlor",
	New:  func() ruleset.Config { return new(parlor) },
}

func knob(t *testing.T, cfg ruleset.Config, key string) ruleset.Knob {
	t.Helper()
	for _, k := range parlorFamily.Knobs(cfg) {
		if k.Key == key {
			return k
		}
	}
	t.Fatalf("no knob %s", key)
	return ruleset.Knob{}
}

func TestKnobsDescribeFields(t *testing.T) {
	k := knob(t, parlorFamily.New(), "tables")
	if k.Doc != "number of tables" || k.Family != "parlor" || !cmp.Equal(k.Spec, []string{"zhuo", "takubu"}) {
		t.Errorf("tables is described as %+v", k)
	}
	if k := knob(t, parlorFamily.New(), "flowers"); k.Family != "" {
		t.Errorf("flowers is said to belong to %s alone", k.Family)
	}
}

func TestKnobsLeaveOutOtherFamilies(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range parlorFamily.Knobs(parlorFamily.New()) {
		if k.Family != "" && k.Family != "parlor" {
			t.Errorf("%s of family %s is among the knobs of parlor", k.Key, k.Family)
		}
		if seen[k.Key] {
			t.Errorf("%s is there twice", k.Key)
		}
		seen[k.Key] = true
	}
	if seen["aka_dora"] {
		t.Error("aka_dora of riichi is among the knobs of parlor")
	}
}

func TestKnobAllowed(t *testing.T) {
	for key, want := range map[string]string{
		"tea":         "true or false",
		"tables":      "integer 1..40",
		"closing":     `"noon", "dusk" or "midnight"`,
		"snacks":      `list of "nuts", "noodles" or "plums"`,
		"fee":         "table with keys of 3, 4: decimal -100000..100000 in steps of 0.025",
		"lamps":       `list of 2: "noon", "dusk" or "midnight"`,
		"credit":      `integer 0..500 or "none"`,
		"last_flower": `"discard" or "reveal"`,
		"placement":   "list of 4: decimal -100000..100000 in steps of 0.025",
	} {
		if got := knob(t, parlorFamily.New(), key).Allowed; got != want {
			t.Errorf("%s: allowed %s, want %s", key, got, want)
		}
	}
}

func TestKnobSet(t *testing.T) {
	for _, c := range []struct {
		key   string
		value any
		text  string
	}{
		{"tea", true, "true"},
		{"tables", int64(40), "40"},
		{"tables", 1, "1"},
		{"tables", 7.0, "7"},
		{"closing", "dusk", `"dusk"`},
		{"snacks", []any{}, "[]"},
		{"snacks", []any{"plums", "nuts"}, `["nuts", "plums"]`},
		{"fee", map[string]any{"4": 0.5}, "{ 4 = 0.5 }"},
		{"fee", map[string]any{"4": int64(2), "3": 0.025}, "{ 3 = 0.025, 4 = 2 }"},
		{"fee", map[string]any{}, "{}"},
		{"lamps", []any{"dusk", "midnight"}, `["dusk", "midnight"]`},
		{"credit", "none", `"none"`},
		{"credit", int64(0), "0"},
		{"placement", []any{int64(15), 5.0, -4.95, -15.05}, "[15, 5, -4.95, -15.05]"},
		{"placement", []any{1e5, 0.1, -0.1, -1e5}, "[100000, 0.1, -0.1, -100000]"},
	} {
		k := knob(t, parlorFamily.New(), c.key)
		if err := k.Set(c.value); err != nil {
			t.Errorf("%s = %v: %v", c.key, c.value, err)
		} else if got := k.Text(); got != c.text {
			t.Errorf("%s = %v reads back as %s, want %s", c.key, c.value, got, c.text)
		}
	}
}

func TestPlacementUnits(t *testing.T) {
	cfg := parlorFamily.New()
	if err := knob(t, cfg, "placement").Set([]any{0.05, 1.0, -0.025, -1.025}); err != nil {
		t.Fatal(err)
	}
	want := [4]ruleset.Placement{6, 120, -3, -123}
	if got := cfg.Common().Placement; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	values := []any{0.05, int64(1), -0.025, -1.025}
	if got := knob(t, cfg, "placement").Value(); !cmp.Equal(got, any(values)) {
		t.Errorf("the value is %#v, want %#v", got, values)
	}
}

func TestKnobSetRefuses(t *testing.T) {
	for _, c := range []struct {
		key     string
		value   any
		message string
	}{
		{"tea", int64(1), "1 is neither true nor false; allowed: true or false"},
		{"tea", nil, "null is neither true nor false; allowed: true or false"},
		{"tables", int64(41), "41 is out of range; allowed: integer 1..40"},
		{"tables", int64(0), "0 is out of range; allowed: integer 1..40"},
		{"tables", 1.5, "1.5 is not an integer; allowed: integer 1..40"},
		{"tables", 1e300, "1e+300 is out of range; allowed: integer 1..40"},
		{"tables", math.Inf(-1), "-Inf is out of range; allowed: integer 1..40"},
		{"tables", math.NaN(), "NaN is not an integer; allowed: integer 1..40"},
		{"tables", "none", `"none" is not an integer; allowed: integer 1..40`},
		{"credit", "some", `"some" is neither an integer nor "none"; allowed: integer 0..500 or "none"`},
		{"credit", true, `true is not an integer; allowed: integer 0..500 or "none"`},
		{"closing", "dawn", `"dawn" is not one of its words; allowed: "noon", "dusk" or "midnight"`},
		{"closing", []any{"dusk"}, `["dusk"] is not a word; allowed: "noon", "dusk" or "midnight"`},
		{"snacks", "nuts", `"nuts" is not a list; allowed: list of "nuts", "noodles" or "plums"`},
		{"snacks", []any{"nuts", "nuts"}, `"nuts" is given twice; allowed: list of "nuts", "noodles" or "plums"`},
		{"snacks", []any{"soup"}, `"soup" is not one of its words; allowed: list of "nuts", "noodles" or "plums"`},
		{"fee", map[string]any{"5": 1.0}, `"5" is not one of its keys; allowed: table with keys of 3, 4: decimal -100000..100000 in steps of 0.025`},
		{"fee", 0.5, `0.5 is not a table; allowed: table with keys of 3, 4: decimal -100000..100000 in steps of 0.025`},
		{"fee", map[string]any{"4": 0.01}, `4: 0.01 is not a multiple of 0.025; allowed: table with keys of 3, 4: decimal -100000..100000 in steps of 0.025`},
		{"placement", []any{1.0, -1.0}, `[1, -1] has 2 elements; allowed: list of 4: decimal -100000..100000 in steps of 0.025`},
		{"placement", []any{math.NaN(), 0.0, 0.0, 0.0}, `NaN is out of range; allowed: list of 4: decimal -100000..100000 in steps of 0.025`},
		{"placement", []any{100000.025, 0.0, 0.0, 0.0}, `100000.025 is out of range; allowed: list of 4: decimal -100000..100000 in steps of 0.025`},
		{"placement", []any{"1", 0.0, 0.0, 0.0}, `"1" is not a number; allowed: list of 4: decimal -100000..100000 in steps of 0.025`},
		{"placement", map[string]any{}, `{} is not a list; allowed: list of 4: decimal -100000..100000 in steps of 0.025`},
	} {
		cfg := parlorFamily.New()
		k := knob(t, cfg, c.key)
		before := parlorFamily.Hash(cfg)
		err := k.Set(c.value)
		if p, ok := errors.AsType[ruleset.Problem](err); !ok || p.Key != c.key || p.Message != c.message {
			t.Errorf("%s = %v: error %v, want %s", c.key, c.value, err, c.message)
		}
		if parlorFamily.Hash(cfg) != before {
			t.Errorf("%s = %v: refused, yet it changed the configuration", c.key, c.value)
		}
	}
}

// values draws a value that the knob takes.
func values(k ruleset.Knob) *rapid.Generator[any] {
	decimal := rapid.Map(rapid.IntRange(-4_000_000, 4_000_000), func(n int) any { return float64(n) / 40 })
	word := rapid.SampledFrom([]any{"noon", "dusk", "midnight"})
	switch k.Key {
	case "tea":
		return rapid.Bool().AsAny()
	case "tables":
		return rapid.Int64Range(1, 40).AsAny()
	case "closing":
		return word
	case "lamps":
		return rapid.SliceOfN(word, 2, 2).AsAny()
	case "snacks":
		return rapid.SliceOfDistinct(rapid.SampledFrom([]any{"nuts", "noodles", "plums"}), rapid.ID).AsAny()
	case "fee":
		return rapid.MapOfN(rapid.SampledFrom(fees{}.Keys()), decimal, 0, 2).AsAny()
	case "credit":
		return rapid.OneOf(rapid.Int64Range(0, 500).AsAny(), rapid.Just[any]("none"))
	case "placement":
		return rapid.SliceOfN(decimal, 4, 4).AsAny()
	}
	return nil
}

// What a knob says its value is sets another knob to the same.
func TestKnobValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := parlorFamily.New(), parlorFamily.New()
		to := parlorFamily.Knobs(b)
		for i, k := range parlorFamily.Knobs(a) {
			g := values(k)
			if g == nil {
				continue
			}
			if err := k.Set(g.Draw(t, k.Key)); err != nil {
				t.Fatal(err)
			}
			if err := to[i].Set(k.Value()); err != nil {
				t.Fatal(err)
			}
			if k.Text() != to[i].Text() {
				t.Fatalf("%s: %s became %s", k.Key, k.Text(), to[i].Text())
			}
		}
		if !cmp.Equal(a, b) || parlorFamily.Hash(a) != parlorFamily.Hash(b) {
			t.Fatalf("configurations differ: %v", cmp.Diff(a, b))
		}
	})
}

func TestHash(t *testing.T) {
	type word struct{ key, text string }
	seen := map[[32]byte]word{}
	note := func(key, text string, cfg ruleset.Config) {
		h := parlorFamily.Hash(cfg)
		if other, ok := seen[h]; ok {
			t.Errorf("%s = %s has the hash of %s = %s", key, text, other.key, other.text)
		}
		seen[h] = word{key, text}
	}
	note("", "", parlorFamily.New())
	for i, zero := range parlorFamily.Knobs(parlorFamily.New()) {
		cfg := parlorFamily.New()
		k := parlorFamily.Knobs(cfg)[i]
		for _, v := range []any{true, int64(13), "kind", "midnight", []any{"plums"}, "all", "any", "hand"} {
			if k.Set(v) == nil && k.Text() != zero.Text() {
				note(k.Key, k.Text(), cfg)
				break
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d knobs tried", len(seen))
	}
	other := ruleset.Family{Name: "salon", New: parlorFamily.New}
	if _, ok := seen[other.Hash(other.New())]; ok {
		t.Error("another family has the same hash")
	}
}

func ExampleKnob_Set() {
	cfg := parlorFamily.New()
	for _, k := range parlorFamily.Knobs(cfg) {
		if k.Key == "kan_min_wall" {
			fmt.Println(k.Set(int64(9)))
		}
	}
	// Output: kan_min_wall: 9 is out of range; allowed: integer 0..4
}
