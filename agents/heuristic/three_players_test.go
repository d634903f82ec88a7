package heuristic_test

import (
	"math"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestThreePlayers plays the same walls with one player in each seat in turn among two
// weaker ones. Its lead, the mean difference of final points, must be above zero; with
// SPARROWHALL_LONG so must its 95 % interval. No answer may be illegal.
func TestThreePlayers(t *testing.T) {
	for _, c := range []struct {
		one, others string
		sets        int
	}{{"greedy", "random", 5}, {"value", "greedy", 30}, {"expert", "greedy", 30}} {
		long := os.Getenv("SPARROWHALL_LONG") != ""
		if long {
			c.sets *= 25
		}
		t.Run(c.one, func(t *testing.T) {
			t.Parallel()
			r, err := configs.Load("../../ruleset/riichi/testdata/tenhou_sanma.toml")
			if err != nil {
				t.Fatal(err)
			}
			var m sim.Match
			sum, squares, norths := 0.0, 0.0, 0
			for i := range c.sets {
				m.Seed = sim.MatchSeed(1, uint64(i))
				lead := 0.0
				for p := range 3 {
					m.Play(r, lineup(t, 1<<p, c.one, c.others))
					if len(m.Forfeits) > 0 {
						t.Fatalf("illegal answers: %+v", m.Forfeits)
					}
					final := m.Final.Points
					lead += float64(final[p]) - float64(final[0]+final[1]+final[2]-final[p])/2
					for _, e := range m.Events {
						if e.Type == sim.EvKitaDone {
							norths++
						}
					}
				}
				sum += lead / 3
				squares += lead * lead / 9
			}
			n := float64(c.sets)
			mean := sum / n
			half := 1.96 * math.Sqrt((squares/n-mean*mean)/(n-1))
			t.Logf("lead %.0f ± %.0f points in %d sets of three matches, %d Norths set aside", mean, half, c.sets, norths)
			if mean <= 0 || long && mean <= half || norths == 0 {
				t.Errorf("no lead, or no North set aside")
			}
		})
	}
}
