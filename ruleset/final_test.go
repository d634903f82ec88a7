package ruleset_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestRankByPoints ranks by points; who has as many shares the rank or comes after
// those who sat before.
func TestRankByPoints(t *testing.T) {
	for _, c := range []struct {
		points         [4]int32
		shared, bySeat [4]int
	}{
		{[4]int32{4, 1, 3, 2}, [4]int{1, 4, 2, 3}, [4]int{1, 4, 2, 3}},
		{[4]int32{2, 3, 2, 3}, [4]int{3, 1, 3, 1}, [4]int{3, 1, 4, 2}},
		{[4]int32{-5, -5, -5, -5}, [4]int{1, 1, 1, 1}, [4]int{1, 2, 3, 4}},
	} {
		for bySeat, want := range map[bool][4]int{false: c.shared, true: c.bySeat} {
			f := ruleset.Final{Points: c.points}
			f.RankByPoints(bySeat)
			for p := range want {
				if int(f.Rank[p]) != want[p] {
					t.Errorf("%v by seat %v: ranks %v, want %v", c.points, bySeat, f.Rank, want)
				}
			}
		}
	}
}
