package heuristic

import (
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// unquestioned returns the answer in an own turn in which there is nothing to
// weigh up, or NoAction: flowers are exposed, and who is ready goes on.
func unquestioned(v sim.View, legal *sim.ActionSet) sim.Action {
	// Flowers are exposed at once, so one that cannot be has just been drawn.
	if flowers := kinds(legal, sim.ActFlower); flowers != 0 {
		return sim.ActFlower + sim.Action(flowers.First())
	}
	if v.Drawn().IsFlower() {
		return sim.ActDiscardDrawn
	}
	if v.Ready(v.Player()) == sim.NotReady {
		return sim.NoAction
	}
	// A kan that is legal now leaves the waits as they are.
	if closed := kinds(legal, sim.ActClosedKan); closed != 0 {
		return sim.ActClosedKan + sim.Action(closed.First())
	}
	return sim.ActDiscardDrawn
}

// calls yields the ways to call pon or chi of a discard of kind k, with as many
// red fives as can be used: the action, the meld and the two own tiles.
func calls(legal *sim.ActionSet, k tile.Kind, yield func(call sim.Action, m hand.Meld, a, b tile.Kind)) {
	for a := sim.ActPon + 2; a >= sim.ActPon; a-- {
		if legal.Has(a) {
			yield(a, hand.Meld{Type: hand.Pon, Kind: k, From: sim.NumPlayers - 1}, k, k)
			break
		}
	}
	for place := range sim.Action(3) {
		a := sim.ActChiRed + place
		if !legal.Has(a) {
			a = sim.ActChi + place
		}
		if !legal.Has(a) {
			continue
		}
		low := k - tile.Kind(place)
		own := [...][2]tile.Kind{{low + 1, low + 2}, {low, low + 2}, {low, low + 1}}[place]
		yield(a, hand.Meld{Type: hand.Chi, Kind: low, Claimed: uint8(place), From: sim.NumPlayers - 1}, own[0], own[1])
	}
}
