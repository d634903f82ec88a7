package heuristic

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Classes of actions.
const (
	classDiscard = iota
	classReady
	classChi
	classPon
	classOpenKan
	classClosedKan
	classAddedKan
	classPass
	numActionClasses
)

func actionClass(a sim.Action) int {
	// By the order of the ids: chis, pons, open kan, closed kans, added kans.
	switch {
	case a == sim.ActPass:
		return classPass
	case a.IsDiscard() && a.DeclaresReady():
		return classReady
	case a.IsDiscard():
		return classDiscard
	case a < sim.ActPon:
		return classChi
	case a < sim.ActOpenKan:
		return classPon
	case a == sim.ActOpenKan:
		return classOpenKan
	case a < sim.ActAddedKan:
		return classClosedKan
	}
	return classAddedKan
}

func (x *Expert) encodeAction(v sim.View, a *candidate) {
	// The order of the inputs is the layout of the fitted networks. TestInputsPinned holds it; a
	// change of order, number or scale wants another InputsVersion and networks fitted to that.
	//
	// An input has 8 bits and is clamped to 4 times its part of the scale. So amounts come twice:
	// by a large part that separates great ones, and by a small part for small ones. Counts are over
	// a number that is large for them, which is what 1 stands for.
	c, p := &x.actionInputs, &a.after
	c.Begin(actionBegin)
	c.OneHot(actionClass(a.action), numActionClasses)
	c.Put(x.scaled(a.winEV, 0.5))
	c.Put(x.scaled(a.winEV, 0.1))
	c.Put(x.scaled(a.dealInCost, 0.125))
	c.Put(x.scaled(a.dealInCost, 0.02))
	c.Put(rounded(a.dealInRate * 8 * one))
	c.Put(x.scaled(a.total, 0.5))
	// The network compares: what it predicts has no meaning but by differences of candidates. Those
	// to candidate 0, the choice of value, are given rather than left to be learned.
	c.Put(x.scaled(a.total-x.candidates[0].total, 0.25))
	c.Put(x.scaled(a.total-x.candidates[0].total, 0.025))
	c.Flag(a == &x.candidates[0])
	// The hand after the action: distance, ukeire, pairs.
	f := x.lookAhead(a)
	shanten, useful := f.shanten, f.ukeireKinds
	c.OneHot(shanten+1, 7) // from complete, -1, to five away
	c.Flag(shanten > x.shanten)
	c.Flag(shanten < x.shanten)
	// A tile that wins and a tile that brings a hand nearer differ in worth, so waits and ukeire have
	// inputs of their own, of which the others stay zero.
	live := x.value.completion.CountUnseen(useful)
	if shanten <= 0 {
		waits := x.value.waits(p)
		live = x.value.completion.CountUnseen(waits)
		c.Put(live * one / 6)
		c.Put(waits.Len() * one / 3)
		c.Flag(waits&(x.value.table.rivers[x.value.table.player]|kindSet(a.discard)) != 0)
		c.Skip(3)
	} else {
		c.Skip(3)
		c.Put(live * one / 24)
		c.Put(useful.Len() * one / 8)
		c.Flag(live <= 6)
	}
	// Centered where hands usually are: an input of 8 bits has few values to spare.
	c.Put((p.Hand.AtLeast(2).Len() - 2) * one / 2)
	c.Put(p.Hand.AtLeast(3).Len() * one)
	c.Put((p.Hand.Kinds() & tile.HonorSet &^ p.Hand.AtLeast(2)).Len() * one / 2)
	c.Flag(p.Open && !x.value.now.Open)
	// Differences to what value plays, of the two parts of the total.
	first := &x.candidates[0]
	c.Put(x.scaled(a.winEV-first.winEV, 0.05))
	c.Put(x.scaled(a.dealInCost-first.dealInCost, 0.02))
	// The EV is a chance times a worth: both are given, since a product cannot be taken apart by a
	// layer of sums.
	chance := x.value.winChances.at(x.value.dealIn.threatened, false, shanten, live, x.value.table.draws)
	c.Put(rounded(chance * 2 * one))
	if chance > 0 {
		c.Put(x.scaled(a.winEV/chance, 0.5))
	} else {
		c.Skip(1)
	}
	x.encodeForecast(a, chance)
	x.encodeTiles(p)
	c.SkipTo(actionBegin + handInputs)
	if k := a.discard; k != tile.NoKind {
		x.encodeDiscard(v, a)
	}
	c.SkipTo(actionBegin + handInputs + discardInputs)
	for i := range x.value.others() {
		x.encodeDanger(v, &x.value.threats[i], a)
		c.SkipTo(actionBegin + handInputs + discardInputs + (i+1)*dangerInputs)
	}
	x.encodeWinBeliefs(v, a)
}

// encodeForecast encodes the look one draw ahead; chance is the chance to win by ukeire alone.
func (x *Expert) encodeForecast(a *candidate, chance float64) {
	c, f, first := &x.actionInputs, x.lookAhead(a), x.lookAhead(&x.candidates[0])
	if f.ukeire > 0 { // at shanten 1 alone
		// What a mean useful draw leaves to win on, the share of draws to a good wait, and the sum of
		// the first, which is high for a hand that is wide now and then.
		c.Put(f.nextUkeire * one / (8 * f.ukeire))
		c.Put(f.goodDraws * one / f.ukeire)
		c.Put(f.nextUkeire * one / 120)
	} else {
		c.Skip(3)
	}
	c.Put(x.scaled(f.winEV, 0.5))
	c.Put(x.scaled(f.winEV, 0.1))
	c.Put(x.scaled(f.winEV-first.winEV, 0.25))
	c.Put(x.scaled(f.winEV-first.winEV, 0.025))
	c.Put(x.scaled(f.winEV-a.winEV, 0.1))
	if chance > 0 {
		c.Put(x.scaled(f.winEV/chance, 0.5))
	} else {
		c.Skip(1)
	}
	// Growth is a factor, and its input the part beyond 1, limited since a hand of little worth may
	// multiply it.
	c.Put(rounded(max(-2, min(2*(f.growth-1), 2)) * one))
	c.Put(x.scaled(float64(a.winEV*(f.growth-1)), 0.02))
}

// encodeTiles encodes dora, suits and value tiles of the hand after the action.
func (x *Expert) encodeTiles(p *aim.Position) {
	var suits [4]int
	dora, orphans := 0, 0
	valuedPairs, valuedTriplets := 0, 0
	for kinds := p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		n := p.Hand.Count(k)
		suits[k.Suit()] += n
		dora += n * int(x.value.completion.Dora[k])
		if !tile.Simples.Has(k) {
			orphans += n
		}
		if k.IsHonor() && n >= 2 && x.isValueTile(k) {
			if n == 2 {
				valuedPairs++
			} else {
				valuedTriplets++
			}
		}
	}
	// A kan counts as a triplet: that is its part of the hand's sets.
	for i := range p.NumMelds {
		m := &p.Melds[i]
		suits[m.Kind.Suit()] += 3
		if m.Type == hand.Chi {
			for j := range tile.Kind(3) {
				dora += int(x.value.completion.Dora[m.Kind+j])
				if !tile.Simples.Has(m.Kind + j) {
					orphans++
				}
			}
			continue
		}
		dora += 3 * int(x.value.completion.Dora[m.Kind])
		if !tile.Simples.Has(m.Kind) {
			orphans += 3
		}
		if m.Kind.IsHonor() && x.isValueTile(m.Kind) {
			valuedTriplets++
		}
	}
	c := &x.actionInputs
	c.Put(dora * one / 3)
	c.Put(orphans * one / 4)
	c.Flag(orphans == 0)
	// Tiles of the longest suit and honors, seven of which are usual: more is a flush in the
	// making.
	c.Put((max(suits[0], suits[1], suits[2]) + suits[tile.Honors] - 7) * one / 4)
	c.Put(valuedPairs * one)
	c.Put(valuedTriplets * one)
}

func (x *Expert) encodeDiscard(v sim.View, a *candidate) {
	c, p, k := &x.actionInputs, &a.after, a.discard
	if k.IsHonor() {
		c.Flag(x.isValueTile(k))
		c.Flag(!x.isValueTile(k))
		c.Skip(4) // the place in the suit
	} else {
		c.Skip(2)
		// The place in the suit from its nearer end, in which the ends of a suit are alike.
		c.OneHot(min(k.Rank(), 8-k.Rank(), 3), 4)
	}
	c.Put(int(x.value.completion.Dora[k]) * one)
	// More reds were held than fives are left, so a red five is discarded.
	c.Flag(k.IsFive() && int(x.value.completion.Reds[k.Suit()]) > p.Hand.Count(k))
	c.Flag(v.Drawn().Kind() == k)
	c.Put((4 - int(x.value.completion.Unseen[k])) * one / 4)
	c.OneHot(p.Hand.Count(k)-1, 3)
	if !k.IsHonor() {
		rank := k.Rank()
		// Two inputs for each neighbor, one beyond it: the same number at the end of a suit, where
		// they are skipped, so that each keeps its place.
		for _, d := range [...]int{-2, -1, 1, 2} {
			if at := rank + d; at >= 0 && at < 9 {
				n := tile.Kind(int(k) + d)
				c.Put(min(p.Hand.Count(n), 2) * one / 2)
				if d*d == 1 {
					c.Put(int(x.value.completion.Dora[n]) * one)
				}
			} else {
				c.Skip(1)
				if d*d == 1 {
					c.Skip(1)
				}
			}
		}
	}
}

const numDangerClasses = 10

// dangerClass returns the class of danger of kind k against t:
//
//	0       safe
//	1 to 3  an honor with three, two or at most one unseen
//	4 to 6  a suited tile in no possible two-sided wait: 1 or 9, 2 or 8, others
//	7, 8    in one possible two-sided wait: 1, 2, 8 or 9, others
//	9       in two
func (x *Expert) dangerClass(t *threat, k tile.Kind) int {
	if t.safe.Has(k) {
		return 0
	}
	if k.IsHonor() {
		// Three unseen or more is class 1, two class 2, at most one class 3.
		return 4 - max(1, min(int(x.value.completion.Unseen[k]), 3))
	}
	rank, ways := k.Rank(), 0
	// A two-sided wait on k and k-3 is possible unless k-3 is safe or one of the two tiles between
	// is used up.
	if rank >= 3 && !t.safe.Has(k-3) && x.value.completion.Unseen[k-1] > 0 && x.value.completion.Unseen[k-2] > 0 {
		ways++
	}
	if rank <= 5 && !t.safe.Has(k+3) && x.value.completion.Unseen[k+1] > 0 && x.value.completion.Unseen[k+2] > 0 {
		ways++
	}
	edge := min(rank, 8-rank)
	switch {
	case ways == 0:
		return 4 + min(edge, 2)
	case ways == 1 && edge < 2:
		return 7
	case ways == 1:
		return 8
	}
	return 9
}

// encodeDanger encodes the danger of a candidate against an opponent, and the safe tiles it
// keeps.
func (x *Expert) encodeDanger(v sim.View, t *threat, a *candidate) {
	c := &x.actionInputs
	declared := v.Ready(t.player) != sim.NotReady
	if t.tenpai < x.value.weights[noThreatBelow] {
		return // the caller skips its inputs
	}
	// A declared hand and one that is only likely tenpai have classes of their own, the second by
	// its chance. That is at least 1, for zero would say that nothing is discarded.
	if a.discard != tile.NoKind {
		class := x.dangerClass(t, a.discard)
		if declared {
			c.PutAhead(class, one)
		} else {
			c.PutAhead(numDangerClasses+class, max(rounded(t.tenpai*one), 1))
		}
	}
	// PutAhead has written into the places that follow, which are passed over here.
	c.Skip(2 * numDangerClasses)
	safe := a.after.Hand.Kinds() & t.safe
	c.Put(safe.Len() * one / 5)
	c.Flag(safe == 0)
	c.Flag(declared && safe == 0)
	n := 0
	for ; safe != 0; safe = safe.Rest() {
		n += a.after.Hand.Count(safe.First())
	}
	c.Put(n * one / 6)
	if k := a.discard; k != tile.NoKind && !t.safe.Has(k) {
		c.Put(rounded(t.winRate[k] * 8 * one))
		c.Put(x.scaled(float64(t.winRate[k]*t.dealInLoss), 0.05))
		x.encodeNearbyDiscards(t, k)
	}
}

// encodeNearbyDiscards encodes what t discarded near a kind that is not safe.
func (x *Expert) encodeNearbyDiscards(t *threat, k tile.Kind) {
	c, past := &x.actionInputs, &x.discardHistories[t.player]
	c.Flag(x.value.completion.Dora[k] > 0)
	if k.IsHonor() {
		c.Flag(x.value.completion.Unseen[k] >= 3)
		c.Skip(10) // as many as a suited kind has below
		return
	}
	suit := tile.SuitSet(k.Suit())
	around := func(d tile.Kind) (near tile.Set) {
		if k.Rank() >= int(d) {
			near = (k - d).Bit()
		}
		if k.Rank()+int(d) < 9 {
			near |= (k + d).Bit()
		}
		return near
	}
	next, second := around(1), around(2)
	c.Skip(1) // that of an honor
	c.Flag(past.Early&next != 0)
	c.Flag(past.Early&second != 0)
	c.Flag(past.ReadyKind != tile.NoKind && (next | second).Has(past.ReadyKind))
	river := x.value.table.rivers[t.player]
	c.Put((river & suit).Len() * one / 4)
	c.Flag(river&suit == 0)
	dora := false
	for kinds := (next | second); kinds != 0; kinds = kinds.Rest() {
		if x.value.completion.Dora[kinds.First()] > 0 {
			dora = true
		}
	}
	c.Flag(dora)
	// The share of the two-sided waits still possible that are on k, and whether one tile is all that
	// the rarest of them has left.
	lines := belief.TwoSidedWaits(t.safe, x.value.completion.UnseenKinds())
	n := lines.Len()
	own := 0
	few := 4 // copies of a kind
	if lines.Has(k) {
		own++
		few = min(few, int(x.value.completion.Unseen[k+1]), int(x.value.completion.Unseen[k+2]))
	}
	if k.Rank() >= 3 && lines.Has(k-3) {
		own++
		few = min(few, int(x.value.completion.Unseen[k-1]), int(x.value.completion.Unseen[k-2]))
	}
	if own > 0 {
		c.Put(own * one / n)
		c.Flag(few == 1)
	} else {
		c.Skip(2)
	}
	c.Put(int(x.value.completion.Unseen[k]) * one / 4)
}
