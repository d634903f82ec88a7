package digits_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/digits"
)

// TestFixed holds that no zero has a sign.
func TestFixed(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{{-0.4, 0, "0"}, {-0.6, 0, "-1"}, {-0.004, 2, "0.00"}, {1234.5, 1, "1234.5"}, {-10, 0, "-10"}} {
		if got := digits.Fixed(c.x, c.decimals); got != c.want {
			t.Errorf("%v: %q, want %q", c.x, got, c.want)
		}
	}
}

// TestCount holds that one thing is in the singular.
func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 matches": digits.Count(0, "match"), "1 match": digits.Count(1, "match"), "2 matches": digits.Count(int64(2), "match"),
		"1 duplicate set": digits.Count(uint64(1), "duplicate set"), "11 agents": digits.Count(11, "agent"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
