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

// TestScoreByPoints scores as many points as 32 bits hold in placement points, also where points
// are halves.
func TestScoreByPoints(t *testing.T) {
	for _, flow := range []ruleset.Flow{{}, {HalfPoints: true}} {
		most := int32(17_800_000 * flow.Unit())
		f := ruleset.Final{Points: [4]int32{most, 0, 0, -most}}
		f.ScoreByPoints(&flow)
		if want := ruleset.Placement(17_800_000 * ruleset.PlacementUnit); f.Placement != [4]ruleset.Placement{want, 0, 0, -want} {
			t.Errorf("half points %v: %v, want %v", flow.HalfPoints, f.Placement, want)
		}
	}
}
