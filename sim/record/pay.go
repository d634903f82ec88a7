package record

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ApplyPayment applies an EvPay event to the points of the players and to the deltas of
// the hand. Deltas do not include riichi sticks, which logs subtract at the declaration.
func ApplyPayment(e sim.Event, points, deltas *[sim.NumPlayers]int32) {
	from, to, amount, reason := e.Pay()
	move := func(p sim.Player, amount int32) {
		if p >= sim.NumPlayers {
			return // the pot
		}
		points[p] += amount
		if reason != ruleset.ForRiichi {
			deltas[p] += amount
		}
	}
	move(from, -amount)
	move(to, amount)
}
