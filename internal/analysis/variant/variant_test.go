package variant_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
)

// TestFlag checks that a shell passes a change to --knob as it is.
func TestFlag(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{int64(2), "k=2"},
		{"nearest", "k=nearest"},
		{[]any{30.5, int64(-30)}, "'k=[30.5,-30]'"},
		{map[string]any{"2": int64(1), "1": 0.5}, "'k={1=0.5,2=1}'"},
	} {
		if got := (variant.Change{Key: "k", Value: c.value}).Flag(); got != c.want {
			t.Errorf("%v: %s, want %s", c.value, got, c.want)
		}
	}
}
