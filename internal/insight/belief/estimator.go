// Package belief estimates hidden information from what is visible: how likely each
// other player is tenpai, wins on a discard and by how much, and where each unseen tile
// is likely to be. The estimates come from a small network for each family that was
// fitted to self-play.
//
//	var e belief.Estimator
//	e.Observe(view)
//	if e.HasNetwork() {
//		tenpai := e.EvaluatePlayer(p)
//		chance, loss := e.DealIn(p, kind)
//		...
//
// All arithmetic is in integers.
package belief

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Estimator estimates the hidden information at a decision. The zero value is ready for
// Observe.
type Estimator struct {
	rules  *ruleset.Rules
	view   sim.View
	unseen [tile.NumKinds]int8
	hand   hand.Hand
	dora   [tile.NumKinds]uint8
	rivers [sim.NumPlayers]tile.Set
	// discards are those of the players; under rules with furiten a player's own river is
	// safe too. lines are the two-sided waits that are possible for them.
	discards [sim.NumPlayers]DiscardHistory
	lines    [sim.NumPlayers]tile.Set
	draws    int                 // left to each player, about
	net      *perceptron.Network // of the rules, nil if there is none
	list     perceptron.InputList
	sums     [sim.NumPlayers]perceptron.Sums
}

// Observe takes the state of the hand from the viewer.
func (r *Estimator) Observe(v sim.View) {
	if r.rules != v.Rules() {
		r.rules = v.Rules()
		r.net = networkOf(r.rules)
	}
	r.view, r.hand = v, v.Hand()
	var live tile.Set
	for k := range r.unseen {
		if r.unseen[k] = int8(v.Unseen(tile.Kind(k))); r.unseen[k] > 0 {
			live |= tile.Kind(k).Bit()
		}
	}
	clear(r.dora[:])
	if r.rules.Dora {
		for i := range v.NumIndicators() {
			r.dora[r.rules.DoraOf(v.Indicator(i).Kind())]++
		}
	}
	r.draws = v.TilesLeft()
	if r.rules.Walls == ruleset.SharedWall {
		seats := r.rules.NumSeats()
		r.draws = (r.draws + seats - 1) / seats
	}
	ReadDiscardHistories(v.Masked(), &r.discards)
	for p := range sim.Player(sim.NumPlayers) {
		r.rivers[p] = v.River(p)
		d := &r.discards[p]
		if r.rules.RiverLock != ruleset.LockOff {
			d.Safe |= r.rivers[p]
		}
		r.lines[p] = TwoSidedWaits(d.Safe, live)
	}
}

// SafeKinds returns the kinds on which player p cannot win: those discarded since the
// player's hand last changed, and those that the player's own discards forbid.
func (r *Estimator) SafeKinds(p sim.Player) tile.Set { return r.discards[p&3].Safe }
