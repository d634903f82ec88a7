package hand

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

func TestWaits(t *testing.T) {
	tests := []struct {
		hand string
		sets int
		want string
	}{
		{"123m456p789s1112z", 4, "2z"},
		{"123m456p789s1122z", 4, "12z"},
		{"1112345678999p", 4, "123456789p"},
		{"23456m", 1, ""}, // of another size
		{"2345678m", 2, "258m"},
		{"1111z", 1, "1z"}, // a fifth East
		{"123456789m1111z", 4, "1z"},
		{"1111234m", 2, "14m"},
		{"1111m2222p3333s4z", 4, ""},
		{"5m", 0, "5m"},
		{"1112223334445z", 4, "5z"},
		{"123456789m123456p5z", 5, "5z"},
		{"147m258p369s1234z", 4, ""},
	}
	for _, tt := range tests {
		h := read(t, tt.hand)
		if got := h.Waits(tt.sets).String(); got != tt.want {
			t.Errorf("%s: Waits(%d) = %q, want %q", tt.hand, tt.sets, got, tt.want)
		}
	}
}

func TestWaitsAgainstSlow(t *testing.T) {
	eachHand(t, sample(4000, 1_000_000), 1, func(t *testing.T, h *Hand, sets int) {
		if got, want := h.Waits(sets), slowWaits(h.Counts(), sets); got != want {
			t.Errorf("Waits(%d) = %v, want %v", sets, got, want)
		}
	})
}

// String returns the sets by ascending kind, a triplet before the sequences of its
// kind, and the pair.
func (d Division) String() string {
	sets, runs := []Set{}, tile.Copies{}
	d.AddRuns(&runs)
	for k := range tile.Kind(tile.NumKinds) {
		if d.Triplets().Has(k) {
			sets = append(sets, Triplet(k))
		}
		for range runs.Count(k) {
			sets = append(sets, Sequence(k))
		}
	}
	return fmt.Sprintf("%v+%v%v", sets, d.Pair, d.Pair)
}

func number(divisions iter.Seq[Division]) (n int) {
	for range divisions {
		n++
	}
	return n
}

// sorted returns divisions in the order of their text.
func sorted(divisions iter.Seq[Division]) []Division {
	return slices.SortedFunc(divisions, func(a, b Division) int { return strings.Compare(a.String(), b.String()) })
}

func TestDivisions(t *testing.T) {
	tests := []struct {
		hand string
		sets int
		want string
	}{
		{"234m55m", 1, "[[234m]+5m5m]"},
		{"22334455m", 2, "[[234m 234m]+5m5m [345m 345m]+2m2m]"},
		{"222333444m55z", 3, "[[222m 333m 444m]+5z5z [234m 234m 234m]+5z5z]"},
		{"111m234p555s66677z", 4, "[[111m 234p 555s 666z]+7z7z]"},
		{"1112m", 1, "[]"},
		{"123m456p789s11223z", 4, "[]"},
		{"22223333444455m", 4, "[[222m 234m 333m 444m]+5m5m [234m 234m 234m 234m]+5m5m [234m 234m 345m 345m]+2m2m]"},
		{"234m22p33s44z", 2, "[]"}, // pairs as many tiles as sets and a pair
		{"5555z", 1, "[]"},
		{"33z", 0, "[[]+3z3z]"},
	}
	for _, tt := range tests {
		h := read(t, tt.hand)
		if got := fmt.Sprint(sorted(h.Divisions(tt.sets))); got != tt.want {
			t.Errorf("%s: Divisions(%d) = %s, want %s", tt.hand, tt.sets, got, tt.want)
		}
	}
}

func TestDivisionsAgainstSlow(t *testing.T) {
	complete := 0
	eachHand(t, sample(10_000, 2_000_000), 2, func(t *testing.T, h *Hand, sets int) {
		got, want := sorted(h.Divisions(sets)), sorted(slices.Values(slowDivisions(h.Counts(), sets)))
		if !slices.Equal(got, want) {
			t.Errorf("Divisions(%d) = %v, want %v", sets, got, want)
		}
		if h.Complete(sets) != (len(want) > 0) || (h.Shanten(sets) < 0) != (len(want) > 0) {
			t.Errorf("Complete %v, Shanten %d, but %d divisions", h.Complete(sets), h.Shanten(sets), len(want))
		}
		if len(want) > 0 {
			complete++
		}
	})
	if complete < sample(500, 100_000) {
		t.Errorf("only %d complete hands", complete)
	}
}
