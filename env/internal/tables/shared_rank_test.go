package tables

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestSharedRank ends matches of every preset with random points, many of them equal: players
// with equal final points have the same mean rank, and the means sum to that of all ranks.
func TestSharedRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range configs.Names() {
		rules, err := configs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		seats := rules.NumSeats()
		for range 2_000 {
			f := ruleset.Final{Deposits: rng.IntN(4), Rounds: rules.Rounds}
			for p := range seats {
				f.Points[p] = 1000 * rng.Int32N(4)
			}
			rules.Final(&f)
			for p := range seats {
				f.Points[p] += f.Share[p]
			}
			var shared [ruleset.NumPlayers]uint8
			sum := 0
			for p := range seats {
				shared[p] = sharedRank(&f, seats, sim.Player(p))
				sum += int(shared[p])
			}
			if sum != seats*(seats+1) {
				t.Fatalf("%s, points %v, ranks %v: twice the shared ranks are %v, which sum to %d", name, f.Points, f.Rank, shared, sum)
			}
			for p := range seats {
				for q := range seats {
					if f.Points[p] == f.Points[q] && shared[p] != shared[q] || f.Rank[p] < f.Rank[q] && shared[p] > shared[q] {
						t.Fatalf("%s, points %v, ranks %v: twice the shared ranks are %v", name, f.Points, f.Rank, shared)
					}
				}
			}
		}
	}
}
