package strength_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Example rates three agents by duplicate sets in which agent 0 has one seat, and agents 1 and 2
// share the others. Agent 1 is ahead of agent 2 as often as behind it.
func Example() {
	pool, err := strength.NewPool(3)
	if err != nil {
		panic(err)
	}
	heads := strength.NewHeadToHead(3)
	places := [][sim.NumPlayers]uint8{{1, 2, 3, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}, {3, 4, 1, 2}, {1, 4, 2, 3}, {2, 3, 4, 1}}
	for number, ranks := range places {
		match := strength.Ranking{Agents: [sim.NumPlayers]uint8{0, 1, 2, 2}, Ranks: ranks, Seats: 4}
		// The same places with agents 1 and 2 exchanged make a second match of the set.
		other := match
		other.Agents = [sim.NumPlayers]uint8{0, 2, 1, 1}
		set := []strength.Ranking{match, other}
		pool.Add(number, set)
		heads.Add(set)
	}
	ratings, err := pool.Fit()
	if err != nil {
		panic(err)
	}
	for a := range 3 {
		fmt.Printf("agent %d: %s\n", a, ratings.Rating(a).Text(0))
	}
	for _, b := range []int{1, 2} {
		pair := heads.Pair(0, b)
		fmt.Printf("0 ahead of %d in %s: %s\n", b, pair.AheadText(), pair.State)
	}
	// Output:
	// agent 0: 148 [-29, 325]
	// agent 1: -74 [-163, 15]
	// agent 2: -74 [-163, 15]
	// 0 ahead of 1 in 77.8 [37.9, 97.6] %: compared
	// 0 ahead of 2 in 77.8 [37.9, 97.6] %: compared
}
