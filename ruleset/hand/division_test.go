package hand

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jansou/jansou/ruleset/tile"
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

func (d Division) String() string {
	return fmt.Sprintf("%v+%v%v", d.Sets[:d.N], d.Pair, d.Pair)
}

func TestDivisions(t *testing.T) {
	tests := []struct {
		hand string
		sets int
		want string
	}{
		{"234m55m", 1, "[[234m]+5m5m]"},
		{"22334455m", 2, "[[345m 345m]+2m2m [234m 234m]+5m5m]"},
		{"222333444m55z", 3, "[[222m 333m 444m]+5z5z [234m 234m 234m]+5z5z]"},
		{"111m234p555s66677z", 4, "[[111m 234p 555s 666z]+7z7z]"},
		{"1112m", 1, "[]"},
		{"123m456p789s11223z", 4, "[]"},
		{"33z", 0, "[[]+3z3z]"},
	}
	for _, tt := range tests {
		h := read(t, tt.hand)
		var dst [MaxDivisions]Division
		if got := fmt.Sprint(dst[:h.Divisions(tt.sets, &dst)]); got != tt.want {
			t.Errorf("%s: Divisions(%d) = %s, want %s", tt.hand, tt.sets, got, tt.want)
		}
	}
}

func TestDivisionsAgainstSlow(t *testing.T) {
	complete := 0
	eachHand(t, sample(10_000, 2_000_000), 2, func(t *testing.T, h *Hand, sets int) {
		var dst [MaxDivisions]Division
		got, want := dst[:h.Divisions(sets, &dst)], slowDivisions(h.Counts(), sets)
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

// TestMaxDivisions derives MaxDivisions. The divisions of a hand are those of
// the suit with the pair times those of the others, so the most a hand can have
// follow from the most that each number of sets of one suit can have, with a
// pair and without. Honors have one.
func TestMaxDivisions(t *testing.T) {
	var alone, paired [MaxSets + 1]int
	seen := map[uint32]bool{}
	eachChoice(9, true, 4, func(c *choice) {
		sets := len(c.sets)
		count := func(most *int, pair tile.Kind) {
			var tiles counts
			for r, n := range c.counts {
				tiles[r] = uint8(n)
			}
			tiles[pair] += 2
			*most = max(*most, len(slowDivisions(&tiles, sets)))
		}
		if !seen[c.code] {
			seen[c.code] = true
			count(&alone[sets], tile.East)
		}
		for r := range tile.Kind(9) {
			if code := c.code + 2*pow5[r]; c.counts[r] <= 2 && !seen[code] {
				seen[code] = true
				count(&paired[sets], r)
			}
		}
	})
	most := 0
	for p := range MaxSets + 1 {
		for a := range MaxSets + 1 - p {
			for b := range MaxSets + 1 - p - a {
				most = max(most, paired[p]*alone[a]*alone[b])
			}
		}
	}
	if most != MaxDivisions {
		t.Errorf("a hand can have %d divisions, MaxDivisions is %d", most, MaxDivisions)
	}

	h := read(t, "11122233344456777m")
	var dst [MaxDivisions]Division
	if n := h.Divisions(MaxSets, &dst); n != MaxDivisions {
		t.Errorf("%s has %d divisions, want %d", text(&h), n, MaxDivisions)
	}
}
