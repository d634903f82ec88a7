package record

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Pay moves the points of an EvPay. Writers of logs tell besides what a hand brings to
// the players: all of it but the stick of who declares riichi, which is gone before.
// To the pot and out of it nobody else pays or is paid.
func Pay(e sim.Event, points, brings *[sim.NumPlayers]int32) {
	from, to, amount, reason := e.Pay()
	move := func(p sim.Player, amount int32) {
		if p >= sim.NumPlayers {
			return
		}
		points[p] += amount
		if reason != ruleset.ForRiichi {
			brings[p] += amount
		}
	}
	move(from, -amount)
	move(to, amount)
}
