// Package heuristic holds the players that decide by rules of thumb: random, tsumogiri,
// greedy, value and expert, which corrects value by a small network. Results are published
// against them, so their play is pinned by signatures.
//
// Each implements [sim.Agent]:
//
//	newAgent, err := heuristic.NewValue("defence=off,pushed=0.5")
//	agent := newAgent()
//	action := agent.Act(view) // of table.View(player)
//
// Amounts are in units of the ruleset: points, in hktw half points. The expected value
// (EV) of a discard is winEV, what its hand can be expected to win, less dealInCost, what
// the discard can be expected to lose. docs/agents.md describes all players.
package heuristic

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// random plays a legal action drawn uniformly.
type random struct{}

// NewRandom returns a player that draws each action uniformly from the legal ones, with
// the random stream of the decision.
func NewRandom() sim.Agent { return new(random) }

// Act implements sim.Agent.
func (*random) Act(v sim.View) sim.Action { return v.RandomAction() }

// tsumogiri discards every tile it draws.
type tsumogiri struct{}

// NewTsumogiri returns a player that discards every tile it draws and never calls. It
// wins when it can and shows a tenpai hand, so it completes only hands dealt tenpai.
func NewTsumogiri() sim.Agent { return tsumogiri{} }

// Act implements sim.Agent.
func (tsumogiri) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for _, a := range [...]sim.Action{sim.ActWin, sim.ActTenpai} {
		if legal.Has(a) {
			return a
		}
	}
	return sim.DefaultAction(&legal)
}

// alwaysTaken are the actions that greedy, value and expert take whenever they are legal.
// No phase offers two of them.
var alwaysTaken = func() (s sim.ActionSet) {
	for _, a := range [...]sim.Action{sim.ActWin, sim.ActFlowerWin, sim.ActReadyNow, sim.ActTenpai, sim.ActEndMatch} {
		s.Add(a)
	}
	return s
}()

func winOrForced(legal *sim.ActionSet) (a sim.Action, ok bool) {
	both := sim.ActionSet{legal[0] & alwaysTaken[0], legal[1] & alwaysTaken[1], legal[2] & alwaysTaken[2]}
	a = both.First()
	return a, a != sim.NoAction
}

// forcedInTurn returns the action in an own turn without alternatives, or NoAction:
// flowers are exposed, and a player who has declared ready discards the drawn tile.
func forcedInTurn(v sim.View, legal *sim.ActionSet) sim.Action {
	// Flowers are exposed at once, so one that cannot be has just been drawn.
	if flowers := legal.Flowers(); flowers != 0 {
		return sim.ActFlower + sim.Action(bits.TrailingZeros8(flowers))
	}
	if v.Drawn().IsFlower() {
		return sim.ActDiscardDrawn
	}
	if legal.Has(sim.ActKita) && !needsNorth(v) {
		return sim.ActKita
	}
	if v.Ready(v.Player()) == sim.NotReady {
		return sim.NoAction
	}
	// A closed kan that is legal after declaring ready keeps the waits.
	if closed := legal.Kinds(sim.ActClosedKan); closed != 0 {
		return sim.ActClosedKan + sim.Action(closed.First())
	}
	return sim.ActDiscardDrawn
}

// needsNorth reports whether the hand is near thirteen orphans, the one hand that a single
// North is worth more to than the bonus han and the draw that it brings when set aside.
func needsNorth(v sim.View) bool {
	const near = 10 // kinds of terminals and honors
	h := v.Hand()
	return v.NumMelds(v.Player()) == 0 && h.Count(tile.North) == 1 && (h.Kinds()&tile.Orphans).Len() >= near
}
