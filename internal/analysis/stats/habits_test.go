package stats

import (
	"math"
	"strings"
	"testing"
)

// Rates are told apart as chance allows, and a rate that is twice as often is not called
// more than that.
func TestHabits(t *testing.T) {
	h := &habits{seats: 4, names: []string{"alike", "more", "seldom", "never", "never by others", "dominant"}, hands: 1000}
	h.counts = [][2]int{{100, 300}, {200, 300}, {0, 2}, {0, 0}, {30, 0}, {300, 300}}
	list := h.list()
	var got []string
	for _, x := range list {
		got = append(got, x.Name)
	}
	if strings.Join(got, ", ") != "never by others, dominant, more" || !list[0].Dominant() || !list[1].Dominant() || list[2].Dominant() {
		t.Errorf("%q: %+v", got, list)
	}
	if list[1].Pattern != true || list[2].Rate != 0.2 || math.Abs(list[2].Others-0.1) > 1e-12 {
		t.Errorf("%+v", list[2])
	}
	// Exactly twice as often by chance more than that, one in twenty times.
	above := 0
	for a := range 1001 {
		if atLeast(a, 1000, 0.4) < 0.05 {
			above++
		}
	}
	if first := 1001 - above; first < 420 || first > 432 || atLeast(0, 10, 0.4) != 1 || math.Abs(atLeast(10, 10, 0.5)-math.Exp2(-10)) > 1e-12 {
		t.Errorf("from %d of 1000 on it is clear", 1001-above)
	}
}
