package ruleset_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestChairs goes round the table.
func TestChairs(t *testing.T) {
	for c := range ruleset.Chair(4) {
		for n := range 9 {
			if got, want := c.Next(n), (int(c)+n)%4; int(got) != want {
				t.Errorf("chair %d, %d later: %d, want %d", c, n, got, want)
			}
		}
	}
}

// TestUnit counts units per point, and writes amounts of them as points.
func TestUnit(t *testing.T) {
	for half, want := range map[bool]struct {
		unit int
		text string
	}{false: {1, "5"}, true: {2, "2.5"}} {
		f := ruleset.Flow{HalfPoints: half}
		if got := f.Unit(); got != want.unit {
			t.Errorf("half points %v: %d units, want %d", half, got, want.unit)
		}
		if got := f.PointsText(5); got != want.text {
			t.Errorf("half points %v: five units are %q, want %q", half, got, want.text)
		}
	}
}
