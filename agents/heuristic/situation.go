package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// describe writes what all actions have in common into x.situation.
func (x *Expert) describe(v sim.View) {
	c := &x.common
	c.begin(0)
	x.described = true
	x.readLog(v)
	x.believe(v)
	x.ahead.stamp++
	me := v.Player()
	p := &x.now
	for k := tile.East; k <= tile.Red; k++ {
		c.flag(x.valued(k))
	}
	points := v.Points()
	r := x.book.Rules
	claim := v.Phase() == sim.PhaseClaim
	c.flag(claim)
	c.flag(!claim && v.Drawn() == tile.NoFace)
	c.put(x.draws * one / 18)
	c.flag(x.draws <= 1)
	c.flag(x.draws <= 3)
	c.flag(x.draws <= 6)
	c.flag(x.draws >= 13)
	hands := x.handsLeft(v)
	c.flag(v.Dealer() == me)
	c.put(hands * one / 8)
	c.flag(hands == 0)
	c.flag(hands == 1)
	c.flag(hands >= 4)
	c.put(v.Counter() * one / 4)
	c.put(v.Deposits() * one / 2)
	rank, above, below := 0, math.Inf(1), math.Inf(1)
	for i := 1; i < sim.NumPlayers; i++ {
		q := v.At(i)
		gap := float64(points[me] - points[q])
		if gap < 0 {
			rank++
			above = min(above, -gap)
		} else {
			below = min(below, gap)
		}
	}
	c.oneOf(rank, sim.NumPlayers)
	c.put(x.amount(above, 2))
	c.put(x.amount(below, 2))
	last := hands <= 1
	c.flag(last && rank == 0)
	c.flag(last && rank == 3)
	if last {
		c.put(x.amount(above, 1))
		c.put(x.amount(below, 1))
	} else {
		c.next += 2
	}
	shanten := r.Shanten(&p.Hand, p.NumMelds)
	x.shanten = shanten
	c.oneOf(shanten+1, 7)
	c.flag(p.Open)
	c.put(p.NumMelds * one / 2)
	c.put(x.amount(x.push, 0.125))
	c.flag(x.threatened)
	c.put(x.amount(x.relief, 0.5))
	hope := 0.0
	for i := range x.list[:x.n] {
		hope = max(hope, x.list[i].hope)
	}
	c.put(x.amount(hope, 0.5))
	c.put(x.amount(hope, 0.1))
	dora, reds := 0, 0
	for kinds := p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		dora += int(x.Dora[kinds.First()]) * p.Hand.Count(kinds.First())
	}
	for _, n := range x.Reds {
		reds += int(n)
	}
	c.put((dora + reds) * one / 3)
	safeOfAll := tile.All
	for i := range x.threats {
		if x.threats[i].ready >= x.weights[unlikely] {
			safeOfAll &= x.threats[i].safe
		}
	}
	c.put((p.Hand.Kinds() & safeOfAll).Len() * one / 5)
	x.describeAims()
	doraLeft := 0
	for k, n := range x.Dora {
		doraLeft += int(n) * int(x.Unseen[k])
	}
	c.put(doraLeft * one / 4)
	x.spread = 0.8 * math.Sqrt(float64(hands+1))
	c.skipTo(ownInputs)
	for i := range x.threats {
		x.describeOpponent(v, &x.threats[i], points[me])
		c.skipTo(ownInputs + (i+1)*opponentInputs)
	}
	x.describeReadiness()
}

// handsLeft returns how many hands are to be played after this one if no dealer stays.
func (x *Expert) handsLeft(v sim.View) int {
	r := x.book.Rules
	return max((r.Rounds-v.Round())*r.HandsPerRound-1-v.DealsPassed(), 0)
}

// valued reports whether a triplet of an honor is worth something to the viewer.
func (x *Expert) valued(k tile.Kind) bool {
	w := &x.Win
	return tile.Dragons.Has(k) || k == w.SeatWind.Kind() || k == w.RoundWind.Kind()
}

// middle are the kinds that tell most when they are discarded early.
const middle = tile.Ones * 0b001111100

// lines returns the lower ends of the waits at two sides that t may have.
func (x *Expert) lines(t *threat) tile.Set {
	open, live := tile.All&^t.safe, x.Left()
	return open & (open >> 3) & (live >> 1) & (live >> 2) & (tile.Ones * 0b111111)
}

// describeOpponent tells what is known of another player.
func (x *Expert) describeOpponent(v sim.View, t *threat, points int32) {
	c, q := &x.common, t.player
	declared := v.Ready(q) != sim.NotReady
	c.flag(declared)
	c.flag(declared && v.OneShot(q))
	c.put(whole(t.ready * one))
	c.put(x.amount(t.loss, 1))
	c.flag(v.Dealer() == q)
	melds := v.NumMelds(q)
	c.put(melds * one / 2)
	c.flag(v.IsOpen(q))
	suits, triplets, dora, valued := tile.Set(0), 0, 0, 0
	for i := range melds {
		m := v.Meld(q, i)
		if m.Kind == tile.NoKind {
			continue
		}
		if !m.Kind.IsHonor() {
			suits |= 1 << m.Kind.Suit()
		}
		if m.Type != hand.Chi {
			triplets++
			dora += 3 * int(x.Dora[m.Kind])
			if m.Kind.IsHonor() && (tile.Dragons.Has(m.Kind) || m.Kind == v.SeatWind(q).Kind() || m.Kind == x.Win.RoundWind.Kind()) {
				valued++
			}
		} else {
			for j := range tile.Kind(3) {
				dora += int(x.Dora[m.Kind+j])
			}
		}
		dora += int(m.Reds)
	}
	c.put(dora * one / 3)
	c.flag(valued > 0)
	c.flag(melds >= 2 && suits.Len() <= 1)
	c.flag(melds >= 2 && triplets == melds)
	c.flag(melds >= 2 && triplets == 0)
	past := &x.pasts[q]
	c.put(int(past.drawnInARow) * one / 4)
	gap := float64(points - v.Points()[q])
	c.put(x.amount(gap, 4))
	if t.ready >= x.weights[unlikely] {
		safe := x.now.Hand.Kinds() & t.safe
		c.put(safe.Len() * one / 5)
		c.flag(safe == 0)
		c.flag(safe.Len() == 1)
	} else {
		c.next += 3
	}
	z := float64(max(-4, min(gap/(float64(x.scale)*x.spread), 4)))
	c.put(whole(z * one))
	c.put(whole(one / (1 + float64(z*z))))
	c.put(int(past.fromHand) * one / 8)
	c.put(int(past.n) * one / 16)
	if declared {
		c.put((v.NumDiscards() - int(past.declaredAt)) * one / 24)
		c.flag(past.declaredWith.IsHonor())
	} else {
		c.next += 2
	}
	c.put((past.early & middle).Len() * one / 4)
	c.put(x.lines(t).Len() * one / 18)
}

// describeAims tells which aims the hand follows and what they are worth.
func (x *Expert) describeAims() {
	c := &x.common
	most, best := 0.0, -1
	for i := range x.numChosen {
		if o := x.chosen[i].outlook; o > most {
			most, best = o, i
		}
	}
	if best >= 0 {
		b := &x.chosen[best]
		c.oneOf(max(b.distance, 0), 6)
		c.put(x.amount(b.closed, 1))
		c.put(x.amount(b.open, 1))
		for i := range x.numChosen {
			a := &x.chosen[i]
			c.at(c.next+int(a.Class), max(whole(a.outlook/most*one), 1))
		}
	} else {
		c.next += 8
	}
	c.next += numClasses
}

// numClasses is the number of classes of aims.
const numClasses = int(aim.KnittedTiles) + 1

// past is what a player's discards tell.
type past struct {
	// drawnInARow is how many of the last discards had just been drawn, fromHand how
	// many of all had not.
	drawnInARow, fromHand int8
	n                     int8
	// declaredAt is the place in the log of the discard that declared ready and
	// declaredWith its kind, NoKind if there is none.
	declaredAt   int16
	declaredWith tile.Kind
	// early are the kinds of the first discards.
	early tile.Set
}

// firstDiscards is how many discards are early.
const firstDiscards = 6

// readLog takes in what each player's discards tell.
func (x *Expert) readLog(v sim.View) {
	for i := range x.pasts {
		x.pasts[i] = past{declaredWith: tile.NoKind}
	}
	for i := range v.NumDiscards() {
		p, f, marks := v.DiscardMarks(i)
		t := &x.pasts[p&3]
		if marks&sim.DiscardDrawn != 0 {
			t.drawnInARow++
		} else {
			t.drawnInARow = 0
			t.fromHand++
		}
		if f.IsFlower() {
			continue
		}
		if t.n++; t.n <= firstDiscards {
			t.early |= f.Kind().Bit()
		}
		if marks&sim.DiscardReady != 0 {
			t.declaredAt, t.declaredWith = int16(i), f.Kind()
		}
	}
}
