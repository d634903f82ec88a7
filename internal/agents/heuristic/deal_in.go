package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// dealIn is the danger of discards: for each kind the chance to deal into any player
// (dealInRate) and the expected loss by that in units (dealInCost).
type dealIn struct {
	dealInRate, dealInCost [tile.NumKinds]float64
	meanDealInCost         float64                // of a discard drawn at random
	threatened             bool                   // a player is probably tenpai
	waitWeight             [tile.NumKinds]float64 // scratch memory of addDanger
}

// threat is another player, who may be tenpai.
type threat struct {
	player sim.Player
	chair  ruleset.Chair
	tenpai float64 // chance
	// dealInLoss is the cost in units of dealing into this player.
	dealInLoss float64
	// safe are the kinds that the player cannot win on.
	safe tile.Set
	// winRate is the chance that the player wins on a discard of each kind; zero unless
	// weighed.
	winRate [tile.NumKinds]float64
	weighed bool

	// What dealInLoss was computed from, valid for the stamp of the win cache: the losses
	// to a typical hand, and to one with the player's melds and flowers.
	stamp       uint32
	numMelds    int
	melds       [hand.MaxMelds]hand.Meld
	flowers     uint8
	typicalLoss float64
	meldsLoss   float64
}

// others returns the threats of the other players, the next one first.
func (e *evaluator) others() []threat { return e.threats[:e.book.Rules.NumSeats()-1] }

// observeThreats computes the danger of discards from what the other players show.
func (e *evaluator) observeThreats(v sim.View) {
	clear(e.dealIn.dealInRate[:])
	clear(e.dealIn.dealInCost[:])
	e.dealIn.meanDealInCost, e.dealIn.threatened = 0, false
	if !e.features.defense {
		return
	}
	others := e.others()
	for i := range others {
		t := &others[i]
		t.player, t.chair, t.dealInLoss = v.PlayerAfter(i+1), e.book.Rules.NextChair(e.stakes.Context.Me, i+1), 0
		if t.weighed {
			t.weighed = false
			clear(t.winRate[:])
		}
	}
	e.observeSafeTiles(v)
	for i := range others {
		t := &others[i]
		if t.tenpai = e.tenpaiChance(v, t.player); t.tenpai < e.weights[noThreatBelow] {
			continue
		}
		e.dealIn.threatened = e.dealIn.threatened || t.tenpai > e.weights[threatAbove]
		// The mean loss to wins of others is paid without dealing in, too.
		if t.dealInLoss = e.lossTo(v, t) - e.table.sparedLoss; t.dealInLoss > 0 {
			e.addDanger(t)
		}
	}
}

// observeSafeTiles sets the safe kinds of all threats: those that other players discarded
// since the threat's hand last changed, and its own discards where furiten applies.
func (e *evaluator) observeSafeTiles(v sim.View) {
	// The log is read backwards: recent is what each player has discarded since, same are
	// the players whose hands have not changed since.
	var recent, safe [sim.NumPlayers]tile.Set
	note := func(p sim.Player) { safe[p&3] = recent[(p+1)&3] | recent[(p+2)&3] | recent[(p+3)&3] }
	same := sim.Players(0xf) &^ e.table.player.Bit()
	for i := v.NumDiscards() - 1; i >= 0 && same != 0; i-- {
		p, f, marks := v.DrawnDiscardMarks(i)
		if marks&sim.DiscardDrawn == 0 && same.Has(p) {
			note(p)
			same &^= p.Bit()
		}
		if !f.IsFlower() {
			recent[p&3] |= f.Kind().Bit()
		}
	}
	for ; same != 0; same = same.Rest() {
		note(same.First())
	}
	furiten := e.book.Rules.RiverLock != ruleset.LockOff
	others := e.others()
	for i := range others {
		t := &others[i]
		if t.safe = safe[t.player&3]; furiten {
			t.safe |= e.table.rivers[t.player]
		}
	}
}

// tenpaiChance returns the chance that player p is tenpai: 1 once declared, and otherwise
// higher with fewer concealed sets and more turns played.
func (e *evaluator) tenpaiChance(v sim.View, p sim.Player) float64 {
	if v.Ready(p) != sim.NotReady {
		return 1
	}
	// By the number of concealed sets; from one set on for each turn played.
	perTurn := [...]float64{0.9, 0.06, 0.04, 0.022, 0.012, 0.012}
	concealed := e.book.Rules.HandSize/3 - v.NumMelds(p)
	turns := float64(v.NumDiscards()) / float64(e.book.Rules.NumSeats())
	switch {
	case concealed == 0:
		return perTurn[0]
	case e.book.Rules.Ready == ruleset.Riichi && !v.IsOpen(p):
		return 0 // a closed tenpai hand would be declared
	}
	const most = 0.85
	return min(float64(perTurn[concealed]*turns), most)
}

// lossTo returns the units that the viewer pays for dealing into t: to a typical hand, or
// to one with its melds if that is more.
func (e *evaluator) lossTo(v sim.View, t *threat) float64 {
	if t.stamp != e.wins.stamp {
		*e.stakes.Value() = e.typicalWin
		t.stamp, t.typicalLoss, t.numMelds = e.wins.stamp, -e.settle(t.chair, e.stakes.Context.Me), 0
	}
	loss := t.typicalLoss
	if v.Ready(t.player) == sim.NotReady {
		loss = float64(loss * e.weights[undeclaredWorth])
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
		t.meldsLoss = math.Inf(-1)
		if e.scoreMelds(t) {
			t.meldsLoss = -e.settle(t.chair, e.stakes.Context.Me)
		}
	}
	return max(loss, t.meldsLoss)
}

// fillerSets are the lowest kinds of sequences that score nothing together.
var fillerSets = [hand.MaxSets]tile.Kind{10, 21, 4, 14, 1}

// scoreMelds sets e.Value() to that of the melds of t with filler sets and a pair, and
// reports whether such a hand may win.
func (e *evaluator) scoreMelds(t *threat) bool {
	w := &e.shownWin
	w.NumMelds, w.Reds = 0, 0
	for _, m := range t.melds[:t.numMelds] {
		if m.Kind == tile.NoKind {
			continue // a hidden kan counts as a filler set
		}
		w.Melds[w.NumMelds] = m
		w.NumMelds++
		w.Reds += m.Reds
	}
	w.Hand = hand.Hand{}
	for _, k := range fillerSets[:e.book.Rules.HandSize/3-int(w.NumMelds)] {
		w.Hand.AddSet(hand.Sequence(k))
	}
	w.Tile = 26
	w.Hand.Add(w.Tile)
	w.Hand.Add(w.Tile)
	w.SeatWind, w.RoundWind, w.Flowers = tile.Wind(t.chair), e.completion.Win.RoundWind, t.flowers
	w.Indicators, w.NumIndicators = e.completion.Win.Indicators, e.completion.Win.NumIndicators
	return e.stakes.Score(w)
}

// addDanger adds the danger of each kind against t. It weighs all waits that t may have,
// by how many ways the unseen tiles form them and by a weight for their form. A kind's
// danger is its share of the total. Impossible waits are added with weight 0 rather than
// skipped: the branch would be unpredictable.
func (e *evaluator) addDanger(t *threat) {
	weights := &e.weights
	clear(e.dealIn.waitWeight[:])
	total := 0.0
	safe, own := t.safe, e.table.rivers[t.player]
	// Indexed by whether the tile is safe.
	oneSide, middle := [2]float64{weights[waitOneSide]}, [2]float64{weights[waitMiddle]}
	// Indexed by whether one end is in t's own river and whether one end is safe.
	twoSides := [4]float64{weights[waitTwoSides], weights[waitOwn]}
	for first := tile.Kind(0); first < tile.East; first += 9 {
		left, w := (*[9]int8)(e.completion.Unseen[first:]), (*[9]float64)(e.dealIn.waitWeight[first:])
		safe, own := safe>>first, own>>first
		blocked, own := safe<<1|safe>>2, own<<1|own>>2
		between := func(r int) {
			weight := float64(middle[safe>>(r+1)&1] * float64(left[r]) * float64(left[r+2]))
			total += weight
			w[r+1] += weight
		}
		// By the lower of two tiles held: 1-2 waits for a 3 alone, 8-9 for a 7, others for both ends.
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
	var alone [5]float64 // waits on two pairs and on a single tile, by how many are unseen
	for i := range alone {
		n := float64(i)
		alone[i] = float64(weights[waitPair]*n*(n-1)/2) + float64(weights[waitSingle]*n)
	}
	w := &e.dealIn.waitWeight
	for kinds := tile.All &^ safe; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		weight := alone[e.completion.Unseen[k]]
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
		rate := t.tenpai * w[k] / total
		t.winRate[k] = rate
		e.dealIn.dealInRate[k] += rate
		e.dealIn.dealInCost[k] += float64(rate * t.dealInLoss)
		sum += float64(rate * t.dealInLoss)
		n++
	}
	e.dealIn.meanDealInCost += sum / float64(n)
}
