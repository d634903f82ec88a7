package env

import "testing"

func TestPlaysAlone(t *testing.T) {
	for _, c := range []struct {
		lively, processors, pieces int
		want                       bool
	}{
		{0, 4, 8, false},
		{1, 1, 4, false}, // nobody else asks
		{1, 4, 1, false},
		{2, 4, 4, true},   // not worth waking workers for
		{2, 4, 16, false}, // both may use what is left
		{2, 2, 16, true},  // nothing is left
		{3, 4, 64, true},
		{3, 16, 64, false},
		{8, 64, 16, true},
	} {
		if got := playsAlone(c.lively, c.processors, c.pieces); got != c.want {
			t.Errorf("playsAlone(%d, %d, %d) = %v", c.lively, c.processors, c.pieces, got)
		}
	}
}
