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
// SPARROWHALL_LONG so must its 95 % interval, and that of its mean rank must be below 2. No
// answer may be illegal.
func TestThreePlayers(t *testing.T) {
	type meeting struct {
		one, others, ruleset string
		sets                 int
	}
	const tenhou, soul = "tenhou_sanma", "mahjong_soul_sanma"
	meetings := []meeting{{"greedy", "random", tenhou, 5}, {"value", "greedy", tenhou, 30}, {"expert", "greedy", tenhou, 30}}
	long := os.Getenv("SPARROWHALL_LONG") != ""
	if long {
		// This lead takes many matches to see.
		meetings = append(meetings, meeting{"expert", "value", tenhou, 40}, meeting{"expert", "value", soul, 40})
	}
	for _, c := range meetings {
		if long {
			c.sets *= 25
		}
		t.Run(c.one+" "+c.others+" "+c.ruleset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.Load(c.ruleset)
			if err != nil {
				t.Fatal(err)
			}
			var m sim.Match
			var points, ranks mean
			norths := 0
			for i := range c.sets {
				m.Seed = sim.MatchSeed(1, uint64(i))
				lead, rank := 0.0, 0.0
				for p := range 3 {
					m.Play(r, lineup(t, 1<<p, c.one, c.others))
					if len(m.Forfeits) > 0 {
						t.Fatalf("illegal answers: %+v", m.Forfeits)
					}
					final := m.Final.Points
					lead += float64(final[p]) - float64(final[0]+final[1]+final[2]-final[p])/2
					rank += float64(m.Final.Rank[p])
					for _, e := range m.Events {
						if e.Type == sim.EvKitaDone {
							norths++
						}
					}
				}
				points.add(lead / 3)
				ranks.add(rank / 3)
			}
			lead, half := points.interval()
			rank, halfRank := ranks.interval()
			t.Logf("lead %.0f ± %.0f points, mean rank %.3f ± %.3f in %d sets of three matches, %d Norths set aside", lead, half, rank, halfRank, c.sets, norths)
			if lead <= 0 || long && (lead <= half || rank+halfRank >= 2) || norths == 0 {
				t.Errorf("no lead, or no North set aside")
			}
		})
	}
}

// mean is the mean of numbers.
type mean struct{ n, sum, squares float64 }

func (m *mean) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

func (m *mean) interval() (mean, half float64) {
	mean = m.sum / m.n
	return mean, 1.96 * math.Sqrt((m.squares/m.n-mean*mean)/(m.n-1))
}
