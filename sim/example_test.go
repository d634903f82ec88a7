package sim_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tsumogiri passes every claim and discards what it draws.
type tsumogiri struct{}

func (tsumogiri) Act(v sim.View) sim.Action {
	legal := v.Legal()
	return sim.DefaultAction(&legal)
}

// A match is a function of the rules, its seed and the agents.
func ExampleMatch_Play() {
	rules, err := configs.Load("ema_2016")
	if err != nil {
		fmt.Println(err)
		return
	}
	match := sim.Match{Seed: 1}
	match.Play(rules, &[sim.NumPlayers]sim.Agent{tsumogiri{}, tsumogiri{}, tsumogiri{}, tsumogiri{}})
	fmt.Println(len(match.Hands), "hands")
	fmt.Println("points", match.Final.Points)
	fmt.Println("ranks ", match.Final.Rank)

	again := sim.Match{Seed: 1}
	if err := again.Replay(rules, match.Actions, match.Forfeited); err != nil {
		fmt.Println(err)
	}
	fmt.Println("replayed alike:", again.Final == match.Final)
	// Output:
	// 8 hands
	// points [30000 30000 30000 30000]
	// ranks  [1 1 1 1]
	// replayed alike: true
}

// The loop over a match: the table yields the player who must answer, refuses what is not
// legal, and plays on by itself to the next choice.
func ExampleTable() {
	rules, err := configs.Load("ema_2016")
	if err != nil {
		fmt.Println(err)
		return
	}
	table := sim.NewTable(rules, 1)
	var events []sim.Event
	for !table.Over() {
		events = table.StartHand(events)
		for player := range table.RestOfHand() {
			answer, err := sim.Ask(tsumogiri{}, table.View(player))
			if err != nil {
				fmt.Println(err) // and the answer is the default
			}
			if events, err = table.Step(player, answer, events); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	fmt.Println(table.Hands(), "hands,", len(events), "events, points", table.Points())

	_, err = table.Step(2, sim.ActWin, nil)
	fmt.Println(err)
	// Output:
	// 8 hands, 1318 events, points [30000 30000 30000 30000]
	// sim: player was not asked
}

// A view is what one player sees; it reads without allocating.
func ExampleView() {
	rules, err := configs.Load("ema_2016")
	if err != nil {
		fmt.Println(err)
		return
	}
	table := sim.NewTable(rules, 1)
	table.StartHand(nil)
	player := table.Asked().First()
	view := table.View(player)
	hand, legal := view.Hand(), view.Legal()
	fmt.Printf("player %d, seat %v: %d tiles of the kinds %v, drew %v\n", player, view.SeatWind(player), hand.Len(), hand.Kinds(), view.Drawn())
	fmt.Println(view.TilesLeft(), "tiles left, indicator", view.Indicator(0))
	fmt.Println(legal.Len(), "legal actions, the first:", legal.First())
	// Output:
	// player 0, seat E: 14 tiles of the kinds 5689m2348p23678s2z, drew 2z
	// 69 tiles left, indicator 6m
	// 14 legal actions, the first: discard 5m
}
