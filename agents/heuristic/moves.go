package heuristic

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/sim"
)

// unquestioned returns the answer in an own turn in which there is nothing to
// weigh up, or NoAction: flowers are exposed, and who is ready goes on.
func unquestioned(v sim.View, legal *sim.ActionSet) sim.Action {
	// Flowers are exposed at once, so one that cannot be has just been drawn.
	if flowers := legal.Flowers(); flowers != 0 {
		return sim.ActFlower + sim.Action(bits.TrailingZeros8(flowers))
	}
	if v.Drawn().IsFlower() {
		return sim.ActDiscardDrawn
	}
	if v.Ready(v.Player()) == sim.NotReady {
		return sim.NoAction
	}
	// A kan that is legal now leaves the waits as they are.
	if closed := legal.Kinds(sim.ActClosedKan); closed != 0 {
		return sim.ActClosedKan + sim.Action(closed.First())
	}
	return sim.ActDiscardDrawn
}
