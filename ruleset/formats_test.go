package ruleset

import (
	"reflect"
	"testing"
)

// formConfig has a knob of each form that is written in a way of its own.
type formConfig struct {
	Flow
	Growth Halves        `knob:"growth" range:"1,10"`
	Value  OpenConcealed `knob:"value" range:"1,100"`
	Flags  wordFlags     `knob:"flags"`
}

type wordFlags [3]bool

func (wordFlags) Values() []string { return []string{"a", "b", "c"} }
func (wordFlags) IsSet()           {}

func (c *formConfig) Common() *Flow   { return &c.Flow }
func (*formConfig) Check() []Problem  { return nil }
func (c *formConfig) Compile() Scorer { return nil }

// TestForms sets knobs, reads them back as files write them, and refuses what
// they do not take.
func TestForms(t *testing.T) {
	family := Family{Name: "forms", New: func() Config { return new(formConfig) }}
	cfg := family.New().(*formConfig)
	knobs := map[string]Knob{}
	for _, k := range family.Knobs(cfg) {
		knobs[k.Key] = k
	}
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
		{"value", 8, "8", OpenConcealed{8, 8}},
		{"value", []any{8, int64(15)}, "[8, 15]", OpenConcealed{8, 15}},
		{"value", []any{8, 8}, "8", OpenConcealed{8, 8}},
		{"value", []any{8}, "", nil},
		{"value", []any{8, 101}, "", nil},
		{"value", 0, "", nil},
		{"value", "8", "", nil},
		{"flags", []any{"c", "a"}, `["a", "c"]`, wordFlags{true, false, true}},
		{"flags", []any{}, "[]", wordFlags{}},
		{"flags", []any{"a", "a"}, "", nil},
		{"flags", []any{"d"}, "", nil},
	} {
		k := knobs[c.key]
		err := k.Set(c.value)
		if (err == nil) != (c.text != "") {
			t.Errorf("%s = %v: %v", c.key, c.value, err)
		}
		if err == nil && (k.Text() != c.text || !reflect.DeepEqual(k.value.Interface(), c.want)) {
			t.Errorf("%s = %v: %s, %v, want %s, %v", c.key, c.value, k.Text(), k.value, c.text, c.want)
		}
	}
}
