package ruleset

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// TestSameRoundThrower names who is responsible for a tile of kind 0 that chair 2
// gave to chair 0.
func TestSameRoundThrower(t *testing.T) {
	type thrown struct {
		chair Chair
		kind  tile.Kind
	}
	for _, c := range []struct {
		name string
		log  []thrown // latest first
		want Chair
	}{
		{"no discard, a kan robbed", nil, 2},
		{"the discard itself", []thrown{{2, 0}}, 2},
		{"an earlier one", []thrown{{2, 0}, {1, 0}, {0, 5}}, 1},
		{"an earlier one before a robbed kan", []thrown{{1, 0}, {0, 5}}, 1},
		{"the earliest of several", []thrown{{2, 0}, {1, 0}, {3, 0}}, 3},
		{"before the winner's last discard", []thrown{{2, 0}, {0, 5}, {1, 0}}, 2},
		{"the winner", []thrown{{2, 0}, {1, 0}, {0, 0}}, NoChair},
		{"the winner, before his last discard", []thrown{{2, 0}, {0, 5}, {0, 0}}, 2},
		{"the winner by a call in between", []thrown{{2, 0}, {1, 4}, {0, 7}, {3, 0}, {0, 0}}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var chair Chair
			allocs := testing.AllocsPerRun(20, func() {
				chair = ResponsibleDiscarder(0, 2, 0, func(yield func(Chair, tile.Kind) bool) {
					for _, d := range c.log {
						if !yield(d.chair, d.kind) {
							return
						}
					}
				})
			})
			if chair != c.want || allocs > 0 {
				t.Errorf("chair %d with %v allocations, want %d with none", chair, allocs, c.want)
			}
		})
	}
}
