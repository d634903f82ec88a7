package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
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
	// chance is the chance that he wins on a discard of each kind, not zero if weighed.
	chance  [tile.NumKinds]float64
	weighed bool

	// What follows is what loss was found from, in the circumstances of the stamp: what
	// is lost to a usual hand, and to one with his melds and flowers.
	stamp    uint32
	numMelds int
	melds    [hand.MaxMelds]hand.Meld
	flowers  uint8
	typical  float64
	shows    float64
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
		t := &e.threats[i]
		t.player, t.chair, t.loss = v.At(i+1), e.Me.Next(i+1), 0
		if t.weighed {
			t.weighed = false
			clear(t.chance[:])
		}
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
	// by is what each player discarded since, same those whose hand was what it is now.
	var by, safe [sim.NumPlayers]tile.Set
	note := func(p sim.Player) { safe[p&3] = by[(p+1)&3] | by[(p+2)&3] | by[(p+3)&3] }
	same := sim.Players(0xf) &^ e.player.Bit()
	for i := v.NumDiscards() - 1; i >= 0 && same != 0; i-- {
		p, f, marks := v.DiscardMarks(i)
		if marks&sim.DiscardDrawn == 0 && same.Has(p) {
			note(p)
			same &^= p.Bit()
		}
		if !f.IsFlower() {
			by[p&3] |= f.Kind().Bit()
		}
	}
	for ; same != 0; same = same.Rest() {
		note(same.First())
	}
	lock := e.book.Rules.RiverLock != ruleset.LockOff
	for i := range e.threats {
		t := &e.threats[i]
		if t.safe = safe[t.player&3]; lock {
			t.safe |= e.rivers[t.player]
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
	if t.stamp != e.stamp {
		t.stamp, t.typical, t.numMelds = e.stamp, e.lost(&e.typical, t.chair), 0
	}
	loss := t.typical
	if v.Ready(t.player) == sim.NotReady {
		loss = float64(loss * e.weights[cheap])
	}
	n := v.NumMelds(t.player)
	if n == 0 {
		return loss
	}
	var melds [hand.MaxMelds]hand.Meld
	for i := range n {
		melds[i] = v.Meld(t.player, i)
	}
	if flowers := v.Flowers(t.player); n != t.numMelds || melds != t.melds || flowers != t.flowers {
		t.numMelds, t.melds, t.flowers = n, melds, flowers
		t.shows = math.Inf(-1)
		if e.show(t) {
			t.shows = -e.settle(t.chair, e.Me)
		}
	}
	return max(loss, t.shows)
}

// lost returns the units that the viewer pays for giving the player of a chair the
// tile for a hand of a value.
func (e *evaluator) lost(v *ruleset.Value, chair ruleset.Chair) float64 {
	*e.Value() = *v
	return -e.settle(chair, e.Me)
}

// plainSets are the lowest kinds of sequences that are worth nothing together.
var plainSets = [hand.MaxSets]tile.Kind{10, 21, 4, 14, 1}

// show makes what the melds of t are worth with plain sets and a pair
// what is settled, and reports whether such a hand may win.
func (e *evaluator) show(t *threat) bool {
	w := &e.shown
	w.NumMelds, w.Reds = 0, 0
	for _, m := range t.melds[:t.numMelds] {
		if m.Kind == tile.NoKind {
			continue // a hidden kan counts as a plain set
		}
		w.Melds[w.NumMelds] = m
		w.NumMelds++
		w.Reds += m.Reds
	}
	w.Hand = hand.Hand{}
	for _, k := range plainSets[:e.book.Rules.HandSize/3-int(w.NumMelds)] {
		w.Hand.AddSet(hand.Sequence(k))
	}
	w.Tile = 26
	w.Hand.Add(w.Tile)
	w.Hand.Add(w.Tile)
	w.SeatWind, w.RoundWind, w.Flowers = tile.Wind(t.chair), e.Win.RoundWind, t.flowers
	w.Indicators, w.NumIndicators = e.Win.Indicators, e.Win.NumIndicators
	return e.Score(w)
}

// weigh adds the danger of each kind: of all the waits that t may have, in how
// many it is wanted. What cannot be waited for weighs nothing, which is added like
// the rest: which it is nobody foretells, a processor neither.
func (e *evaluator) weigh(t *threat) {
	weights := &e.weights
	clear(e.waits[:])
	total := 0.0
	safe, own := t.safe, e.rivers[t.player]
	oneSide, middle := [2]float64{weights[waitOneSide]}, [2]float64{weights[waitMiddle]}
	// Of two sides by whether they hold one of his own and whether one is safe.
	twoSides := [4]float64{weights[waitTwoSides], weights[waitOwn]}
	for first := tile.Kind(0); first < tile.East; first += 9 {
		left, w := (*[9]int8)(e.Unseen[first:]), (*[9]float64)(e.waits[first:])
		safe, own := safe>>first, own>>first
		blocked, own := safe<<1|safe>>2, own<<1|own>>2
		between := func(r int) {
			weight := float64(middle[safe>>(r+1)&1] * float64(left[r]) * float64(left[r+2]))
			total += weight
			w[r+1] += weight
		}
		edge := float64(oneSide[safe>>2&1] * (float64(left[0]) * float64(left[1])))
		total += edge
		w[2] += edge
		between(0)
		for r := 1; r < 7; r++ {
			weight := float64(twoSides[blocked>>r&1<<1|own>>r&1] * (float64(left[r]) * float64(left[r+1])))
			total += weight
			w[r-1] += weight
			w[r+2] += weight
			between(r)
		}
		edge = float64(oneSide[safe>>6&1] * (float64(left[7]) * float64(left[8])))
		total += edge
		w[6] += edge
	}
	var alone [5]float64 // by how many are unseen
	for i := range alone {
		n := float64(i)
		alone[i] = float64(weights[waitPair]*n*(n-1)/2) + float64(weights[waitSingle]*n)
	}
	w := &e.waits
	for kinds := tile.All &^ safe; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		weight := alone[e.Unseen[k]]
		total += weight
		w[k] += weight
	}
	if total == 0 {
		return
	}
	t.weighed = true
	sum, n := 0.0, 0
	for kinds := tile.All &^ safe; kinds != 0; kinds = kinds.Rest() {
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
