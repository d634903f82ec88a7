package luck_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Example measures the luck of a match and subtracts it from the result.
func Example() {
	rules, err := configs.Load("universal")
	if err != nil {
		panic(err)
	}
	newGreedy, err := agents.New("greedy")
	if err != nil {
		panic(err)
	}
	var players [sim.NumPlayers]sim.Agent
	for p := range players {
		players[p] = newGreedy()
	}
	match := sim.Match{Seed: 1}
	match.Play(rules, &players)

	v, err := luck.ValueFunctionFor(rules)
	if err != nil {
		panic(err)
	}
	c := luck.NewControlVariate(rules, v)
	var sum luck.Points
	if err := c.FollowMatch(&match, func(_ sim.Event, l luck.Points) { sum.Add(&l) }); err != nil {
		panic(err)
	}
	for p, points := range match.Final.Points[:rules.NumSeats()] {
		l := int(sum[p] / luck.Unit)
		fmt.Printf("player %d: points %d, luck %d, without luck %d\n", p, points, l, int(points)-l)
	}
	// Output:
	// player 0: points -75, luck 67, without luck -142
	// player 1: points 45, luck 5, without luck 40
	// player 2: points 65, luck -34, without luck 99
	// player 3: points -35, luck -38, without luck 3
}
