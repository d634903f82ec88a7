package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// sorts of actions.
const (
	discards = iota
	declares
	chis
	pons
	openKans
	closedKans
	addedKans
	passes
	numSorts
)

func sortOf(a sim.Action) int {
	switch {
	case a == sim.ActPass:
		return passes
	case a.IsDiscard() && a.DeclaresReady():
		return declares
	case a.IsDiscard():
		return discards
	case a < sim.ActPon:
		return chis
	case a < sim.ActOpenKan:
		return pons
	case a == sim.ActOpenKan:
		return openKans
	case a < sim.ActAddedKan:
		return closedKans
	}
	return addedKans
}

// describeAction writes what is told of an action into x.act.
func (x *Expert) describeAction(v sim.View, a *considered) {
	c, p := &x.act, &a.after
	c.begin(action0)
	c.oneOf(sortOf(a.action), numSorts)
	c.put(x.amount(a.hope, 0.5))
	c.put(x.amount(a.hope, 0.1))
	c.put(x.amount(a.risk, 0.125))
	c.put(x.amount(a.risk, 0.02))
	c.put(whole(a.chance * 8 * one))
	c.put(x.amount(a.total, 0.5))
	c.put(x.amount(a.total-x.list[0].total, 0.25))
	c.put(x.amount(a.total-x.list[0].total, 0.025))
	c.flag(a == &x.list[0])
	f := x.foresee(a)
	shanten, useful := f.shanten, f.useful
	c.oneOf(shanten+1, 7)
	c.flag(shanten > x.shanten)
	c.flag(shanten < x.shanten)
	live := x.Live(useful)
	if shanten <= 0 {
		waits := x.liveWaits(p)
		live = x.Live(waits)
		c.put(live * one / 6)
		c.put(waits.Len() * one / 3)
		c.flag(waits&(x.rivers[x.player]|maskOf(a.discard)) != 0)
		c.next += 3
	} else {
		c.next += 3
		c.put(live * one / 24)
		c.put(useful.Len() * one / 8)
		c.flag(live <= 6)
	}
	c.put((p.Hand.AtLeast(2).Len() - 2) * one / 2)
	c.put(p.Hand.AtLeast(3).Len() * one)
	c.put((p.Hand.Kinds() & tile.HonorSet &^ p.Hand.AtLeast(2)).Len() * one / 2)
	c.flag(p.Open && !x.now.Open)
	first := &x.list[0]
	c.put(x.amount(a.hope-first.hope, 0.05))
	c.put(x.amount(a.risk-first.risk, 0.02))
	chance := x.chances.of(x.threatened, false, shanten, live, x.draws)
	c.put(whole(chance * 2 * one))
	if chance > 0 {
		c.put(x.amount(a.hope/chance, 0.5))
	} else {
		c.next++
	}
	x.describeAhead(a, chance)
	x.describeShape(p)
	c.skipTo(action0 + planInputs)
	if k := a.discard; k != tile.NoKind {
		x.describeDiscard(v, a)
	}
	c.skipTo(action0 + planInputs + tileInputs)
	for i := range x.threats {
		x.describeDanger(v, &x.threats[i], a)
		c.skipTo(action0 + planInputs + tileInputs + (i+1)*dangerInputs)
	}
	x.describeBeliefs(v, a)
}

// describeAhead tells what a look ahead shows.
func (x *Expert) describeAhead(a *considered, chance float64) {
	c, f, first := &x.act, x.foresee(a), x.foresee(&x.list[0])
	if f.live > 0 {
		c.put(f.accepts * one / (8 * f.live))
		c.put(f.good * one / f.live)
		c.put(f.accepts * one / 120)
	} else {
		c.next += 3
	}
	c.put(x.amount(f.gains, 0.5))
	c.put(x.amount(f.gains, 0.1))
	c.put(x.amount(f.gains-first.gains, 0.25))
	c.put(x.amount(f.gains-first.gains, 0.025))
	c.put(x.amount(f.gains-a.hope, 0.1))
	if chance > 0 {
		c.put(x.amount(f.gains/chance, 0.5))
	} else {
		c.next++
	}
	c.put(whole(max(-2, min(2*(f.growth-1), 2)) * one))
	c.put(x.amount(float64(a.hope*(f.growth-1)), 0.02))
}

// describeShape tells what the tiles of a position look like.
func (x *Expert) describeShape(p *aim.Position) {
	var suits [4]int
	dora, other := 0, 0
	valuedPairs, valuedTriplets := 0, 0
	for kinds := p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		n := p.Hand.Count(k)
		suits[k.Suit()] += n
		dora += n * int(x.Dora[k])
		if !tile.Simples.Has(k) {
			other += n
		}
		if k.IsHonor() && n >= 2 && x.valued(k) {
			if n == 2 {
				valuedPairs++
			} else {
				valuedTriplets++
			}
		}
	}
	for i := range p.NumMelds {
		m := &p.Melds[i]
		suits[m.Kind.Suit()] += 3
		if m.Type == hand.Chi {
			for j := range tile.Kind(3) {
				dora += int(x.Dora[m.Kind+j])
				if !tile.Simples.Has(m.Kind + j) {
					other++
				}
			}
			continue
		}
		dora += 3 * int(x.Dora[m.Kind])
		if !tile.Simples.Has(m.Kind) {
			other += 3
		}
		if m.Kind.IsHonor() && x.valued(m.Kind) {
			valuedTriplets++
		}
	}
	c := &x.act
	c.put(dora * one / 3)
	c.put(other * one / 4)
	c.flag(other == 0)
	c.put((max(suits[0], suits[1], suits[2]) + suits[3] - 7) * one / 4)
	c.put(valuedPairs * one)
	c.put(valuedTriplets * one)
}

func maskOf(k tile.Kind) tile.Set {
	if k == tile.NoKind {
		return 0
	}
	return k.Bit()
}

// describeDiscard tells what tile is discarded, and what it stands among.
func (x *Expert) describeDiscard(v sim.View, a *considered) {
	c, p, k := &x.act, &a.after, a.discard
	if k.IsHonor() {
		c.flag(x.valued(k))
		c.flag(!x.valued(k))
		c.next += 4
	} else {
		c.next += 2
		c.oneOf(min(k.Rank(), 8-k.Rank(), 3), 4)
	}
	c.put(int(x.Dora[k]) * one)
	c.flag(k.IsFive() && int(x.Reds[k.Suit()]) > p.Hand.Count(k))
	c.flag(v.Drawn().Kind() == k)
	c.put((4 - int(x.Unseen[k])) * one / 4)
	c.oneOf(p.Hand.Count(k)-1, 3)
	if !k.IsHonor() {
		rank := k.Rank()
		for _, d := range [...]int{-2, -1, 1, 2} {
			if at := rank + d; at >= 0 && at < 9 {
				n := tile.Kind(int(k) + d)
				c.put(min(p.Hand.Count(n), 2) * one / 2)
				if d*d == 1 {
					c.put(int(x.Dora[n]) * one)
				}
			} else {
				c.next++
				if d*d == 1 {
					c.next++
				}
			}
		}
	}
}

// numDangers is the number of classes of danger.
const numDangers = 10

// dangerOf returns the class of danger of kind k against t: 0 safe, 1 to 3 honors of
// which three, two or at most one are unseen, 4 to 6 suited tiles that no wait at two
// sides takes (ones, twos, others), 7 and 8 those that one takes (ones and twos,
// others), 9 those that two take.
func (x *Expert) dangerOf(t *threat, k tile.Kind) int {
	if t.safe.Has(k) {
		return 0
	}
	if k.IsHonor() {
		return 4 - max(1, min(int(x.Unseen[k]), 3))
	}
	rank, ways := k.Rank(), 0
	if rank >= 3 && !t.safe.Has(k-3) && x.Unseen[k-1] > 0 && x.Unseen[k-2] > 0 {
		ways++
	}
	if rank <= 5 && !t.safe.Has(k+3) && x.Unseen[k+1] > 0 && x.Unseen[k+2] > 0 {
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

// describeDanger tells how the action stands against another player.
func (x *Expert) describeDanger(v sim.View, t *threat, a *considered) {
	c := &x.act
	declared := v.Ready(t.player) != sim.NotReady
	if t.ready < x.weights[unlikely] {
		return
	}
	if a.discard != tile.NoKind {
		class := x.dangerOf(t, a.discard)
		if declared {
			c.at(c.next+class, one)
		} else {
			c.at(c.next+numDangers+class, max(whole(t.ready*one), 1))
		}
	}
	c.next += 2 * numDangers
	safe := a.after.Hand.Kinds() & t.safe
	c.put(safe.Len() * one / 5)
	c.flag(safe == 0)
	c.flag(declared && safe == 0)
	n := 0
	for ; safe != 0; safe = safe.Rest() {
		n += a.after.Hand.Count(safe.First())
	}
	c.put(n * one / 6)
	if k := a.discard; k != tile.NoKind && !t.safe.Has(k) {
		c.put(whole(t.chance[k] * 8 * one))
		c.put(x.amount(float64(t.chance[k]*t.loss), 0.05))
		x.describeNear(t, k)
	}
}

// describeNear tells of the discards of t near a kind that may be dangerous.
func (x *Expert) describeNear(t *threat, k tile.Kind) {
	c, past := &x.act, &x.pasts[t.player]
	c.flag(x.Dora[k] > 0)
	if k.IsHonor() {
		c.flag(x.Unseen[k] >= 3)
		c.next += 10
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
	c.next++
	c.flag(past.early&next != 0)
	c.flag(past.early&second != 0)
	c.flag(past.declaredWith != tile.NoKind && (next | second).Has(past.declaredWith))
	river := x.rivers[t.player]
	c.put((river & suit).Len() * one / 4)
	c.flag(river&suit == 0)
	dora := tile.Set(0)
	for kinds := (next | second); kinds != 0; kinds = kinds.Rest() {
		if x.Dora[kinds.First()] > 0 {
			dora = 1
		}
	}
	c.flag(dora != 0)
	lines := x.lines(t)
	n := lines.Len()
	own := 0
	few := 4
	if lines.Has(k) {
		own++
		few = min(few, int(x.Unseen[k+1]), int(x.Unseen[k+2]))
	}
	if k.Rank() >= 3 && lines.Has(k-3) {
		own++
		few = min(few, int(x.Unseen[k-1]), int(x.Unseen[k-2]))
	}
	if own > 0 {
		c.put(own * one / n)
		c.flag(few == 1)
	} else {
		c.next += 2
	}
	c.put(int(x.Unseen[k]) * one / 4)
}
