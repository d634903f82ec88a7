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
