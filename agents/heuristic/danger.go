package heuristic

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// dangers is what discards may cost.
type dangers struct {
	// chance is the chance that a discard of each kind is won on, risk the units
	// lost by that on average; push is the risk of a discard at random.
	chance, risk [tile.NumKinds]float64
	push         float64
	threatened   bool                   // somebody is ready, as far as one can tell
	waits        [tile.NumKinds]float64 // how many waits of a player want each kind
}

// threat is another player who may wait for a tile.
type threat struct {
	player sim.Player
	chair  ruleset.Chair
	// ready is the chance that he does, loss what it costs to give him that tile,
	// in units.
	ready, loss float64
	// safe are the kinds he does not wait for or may not win on.
	safe tile.Set
	// chance is the chance that he wins on a discard of each kind.
	chance [tile.NumKinds]float64
}

// survey takes in what the other players threaten.
func (e *evaluator) survey(v sim.View) {
	clear(e.chance[:])
	clear(e.risk[:])
	e.push, e.threatened = 0, false
	if !e.style.defence {
		return
	}
	for i := range e.threats {
		e.threats[i] = threat{player: v.At(i + 1), chair: e.Me.Next(i + 1)}
	}
	e.readDiscards(v)
	for i := range e.threats {
		t := &e.threats[i]
		if t.ready = e.readiness(v, t.player); t.ready < e.weights[unlikely] {
			continue
		}
		e.threatened = e.threatened || t.ready > e.weights[likely]
		// What is lost anyway when others win is no loss.
		if t.loss = e.loss(v, t) - e.relief; t.loss > 0 {
			e.weigh(t)
		}
	}
}

// readDiscards notes the kinds that each other player does not wait for: those
// that went by since his hand last changed, for he would have won on them, and
// his own where these forbid him to win.
func (e *evaluator) readDiscards(v sim.View) {
	same := sim.Players(0xf) &^ e.player.Bit() // those whose hand was what it is now
	for i := v.NumDiscards() - 1; i >= 0 && same != 0; i-- {
		d := v.Discard(i)
		if !d.Drawn {
			same &^= d.Player.Bit()
		}
		if d.Tile.IsFlower() {
			continue
		}
		for j := range e.threats {
			if t := &e.threats[j]; same.Has(t.player) && t.player != d.Player {
				t.safe |= d.Tile.Kind().Bit()
			}
		}
	}
	if e.book.Rules.RiverLock != ruleset.LockOff {
		for i := range e.threats {
			e.threats[i].safe |= e.rivers[e.threats[i].player]
		}
	}
}

// readiness returns the chance that player p waits for a tile: certain once
// declared, and otherwise the likelier the fewer sets he hides and the later it
// is.
func (e *evaluator) readiness(v sim.View, p sim.Player) float64 {
	if v.Ready(p) != sim.NotReady {
		return 1
	}
	// The chance for each go-around, by the number of hidden sets.
	perTurn := [...]float64{0.9, 0.06, 0.04, 0.022, 0.012, 0.012}
	hidden := e.book.Rules.HandSize/3 - v.NumMelds(p)
	turns := float64(v.NumDiscards()) / sim.NumPlayers
	switch {
	case hidden == 0:
		return perTurn[0]
	case e.book.Rules.Ready == ruleset.Riichi && !v.IsOpen(p):
		return 0 // or he would have declared
	}
	const most = 0.85
	return min(float64(perTurn[hidden]*turns), most)
}

// loss returns the units that the viewer pays for giving t the winning tile: for
// a usual hand, or for what his melds show if that is more.
func (e *evaluator) loss(v sim.View, t *threat) float64 {
	*e.Value() = e.typical
	loss := -e.settle(t.chair, e.Me)
	if v.Ready(t.player) == sim.NotReady {
		loss = float64(loss * e.weights[cheap])
	}
	if v.NumMelds(t.player) > 0 && e.show(v, t) {
		loss = max(loss, -e.settle(t.chair, e.Me))
	}
	return loss
}

// plainSets are the lowest kinds of sequences that are worth nothing together.
var plainSets = [hand.MaxSets]tile.Kind{10, 21, 4, 14, 1}

// show makes what the melds of t are worth with plain sets and a pair
// what is settled, and reports whether such a hand may win.
func (e *evaluator) show(v sim.View, t *threat) bool {
	w := &e.shown
	w.NumMelds, w.Reds = 0, 0
	for i := range v.NumMelds(t.player) {
		m := v.Meld(t.player, i)
		if m.Kind == tile.NoKind {
			continue // a hidden kan counts as a plain set
		}
		w.Melds[w.NumMelds] = m
		w.NumMelds++
		w.Reds += m.Reds
	}
	w.Hand = hand.Hand{}
	for _, k := range plainSets[:e.book.Rules.HandSize/3-int(w.NumMelds)] {
		for i := range tile.Kind(3) {
			w.Hand.Add(k + i)
		}
	}
	w.Tile = 26
	w.Hand.Add(w.Tile)
	w.Hand.Add(w.Tile)
	w.SeatWind, w.RoundWind, w.Flowers = tile.Wind(t.chair), e.Win.RoundWind, v.Flowers(t.player)
	w.Indicators, w.NumIndicators = e.Win.Indicators, e.Win.NumIndicators
	return e.Score(w)
}

// weigh adds the danger of each kind: of all the waits that t may have, in how
// many it is wanted.
func (e *evaluator) weigh(t *threat) {
	w, weights := &e.waits, &e.weights
	clear(w[:])
	total := 0.0
	wait := func(weight float64, a, b tile.Kind) {
		total += weight
		w[a] += weight
		if b != a {
			w[b] += weight
		}
	}
	own := e.rivers[t.player]
	for first := tile.Kind(0); first < tile.East; first += 9 {
		for r := range tile.Kind(8) {
			k := first + r
			ways := float64(e.Unseen[k]) * float64(e.Unseen[k+1])
			switch {
			case r == 0:
				if !t.safe.Has(k + 2) {
					wait(float64(weights[waitOneSide]*ways), k+2, k+2)
				}
			case r == 7:
				if !t.safe.Has(k - 1) {
					wait(float64(weights[waitOneSide]*ways), k-1, k-1)
				}
			case t.safe.Has(k-1) || t.safe.Has(k+2):
			case own.Has(k-1) || own.Has(k+2):
				wait(float64(weights[waitOwn]*ways), k-1, k+2)
			default:
				wait(float64(weights[waitTwoSides]*ways), k-1, k+2)
			}
			if r < 7 && !t.safe.Has(k+1) {
				wait(float64(weights[waitMiddle]*float64(e.Unseen[k])*float64(e.Unseen[k+2])), k+1, k+1)
			}
		}
	}
	for kinds := tile.All &^ t.safe; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		n := float64(e.Unseen[k])
		wait(float64(weights[waitPair]*n*(n-1)/2)+float64(weights[waitSingle]*n), k, k)
	}
	if total == 0 {
		return
	}
	sum, n := 0.0, 0
	for kinds := tile.All &^ t.safe; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		chance := t.ready * w[k] / total
		t.chance[k] = chance
		e.chance[k] += chance
		e.risk[k] += float64(chance * t.loss)
		sum += float64(chance * t.loss)
		n++
	}
	e.push += sum / float64(n)
}
