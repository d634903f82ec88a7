package heuristic_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// TestLevels plays the same walls with a player of each level in each seat in turn among three of
// the level below. Its mean rank must be better than that of all players, in all families where
// SPARROWHALL_LONG is set, and then with its 95 % interval.
func TestLevels(t *testing.T) {
	presets, sets := []string{"tenhou"}, 12
	long := os.Getenv("SPARROWHALL_LONG") != ""
	if long {
		presets, sets = []string{"tenhou", "mcr_2006", "zung_jung", "hkma_hktw", "hk_old_style", "taiwanese", "tenhou_sanma"}, 120
	}
	for _, preset := range presets {
		for level := 2; level <= 5; level++ {
			t.Run(fmt.Sprintf("%s level %d", preset, level), func(t *testing.T) {
				t.Parallel()
				r := load(t, preset)
				spec, below := fmt.Sprintf("expert:level=%d", level), fmt.Sprintf("expert:level=%d", level-1)
				var m sim.Match
				var ranks mean
				for i := range sets {
					m.Seed = sim.MatchSeed(1, uint64(i))
					rank := 0.0
					for p := range r.NumSeats() {
						m.Play(r, lineup(t, 1<<p, spec, below))
						rank += float64(m.Final.Rank[p])
					}
					ranks.add(rank / float64(r.NumSeats()))
				}
				rank, half := ranks.interval()
				even := float64(r.NumSeats()+1) / 2
				t.Logf("mean rank %.3f ± %.3f among the level below, in %d sets", rank, half, sets)
				if rank >= even || long && rank+half >= even {
					t.Errorf("level %d does not lead", level)
				}
			})
		}
	}
}
