package heuristic

import (
	"math"

	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/perceptron"
)

// InputsVersion is that of the inputs below; a network is for one of them.
const InputsVersion = 1

// The inputs of the network: places of what stands for each kind of tile, then what is
// told of the situation, then of the action.
const (
	atHand     = 0                      // by number held and kind, after the action
	atSeen     = 4 * tile.NumKinds      // by kind: how many lie open
	atDora     = atSeen + tile.NumKinds // by kind: how many dora a tile of it counts
	atValued   = atDora + tile.NumKinds // by honor: whether a triplet of it is worth something by itself
	situation0 = atValued + 7

	ownInputs      = 48
	opponentInputs = 20
	action0        = situation0 + ownInputs + (sim.NumPlayers-1)*opponentInputs

	planInputs   = 40
	tileInputs   = 24
	dangerInputs = 24
	// NumInputs is the number of inputs of an expert's network.
	NumInputs = action0 + planInputs + tileInputs + (sim.NumPlayers-1)*dangerInputs
)

const one = perceptron.One

// inputs is a list of inputs under construction: next is the place of the next one.
type inputs struct {
	list [256]perceptron.Input
	n    int
	next int
}

// put tells the next input.
func (c *inputs) put(n int) {
	if n != 0 {
		c.at(c.next, n)
	}
	c.next++
}

// at tells the input of a place.
func (c *inputs) at(place, n int) {
	c.list[c.n] = perceptron.Input{At: uint16(place), Value: int8(max(-127, min(n, 127)))}
	c.n++
}

func (c *inputs) flag(b bool) {
	if b {
		c.at(c.next, one)
	}
	c.next++
}

// oneOf tells which of n inputs holds; none if i is not below n.
func (c *inputs) oneOf(i, n int) {
	if i >= 0 && i < n {
		c.at(c.next+i, one)
	}
	c.next += n
}

// begin empties the list and goes to a place.
func (c *inputs) begin(place int) { c.n, c.next = 0, place }

// skipTo goes to a place; all before it must have been told.
func (c *inputs) skipTo(place int) {
	if c.next > place {
		panic("heuristic: more inputs than there is room for")
	}
	c.next = place
}

func (c *inputs) all() []perceptron.Input { return c.list[:c.n] }

// amount returns units as a multiple of a part of the scale.
func (x *Expert) amount(units, part float64) int {
	return int(math.Round(float64(max(-4, min(units/(float64(x.scale)*part), 4)) * one)))
}

// describe writes what all actions have in common into x.situation.
func (x *Expert) describe(v sim.View) {
	c := &x.common
	c.begin(atHand)
	x.described = true
	x.readRuns(v)
	me := v.Player()
	p := &x.now
	for n := 1; n <= 4; n++ {
		for kinds := p.Hand.AtLeast(n); kinds != 0; kinds = kinds.Rest() {
			c.at(atHand+(n-1)*tile.NumKinds+int(kinds.First()), one)
		}
	}
	for k := range x.Unseen {
		if seen := 4 - int(x.Unseen[k]) - p.Hand.Count(tile.Kind(k)); seen > 0 {
			c.at(atSeen+k, seen*one/4)
		}
		if x.Dora[k] > 0 {
			c.at(atDora+k, int(x.Dora[k])*one)
		}
	}
	c.next = atValued
	for k := tile.East; k <= tile.Red; k++ {
		c.flag(x.valued(k))
	}
	c.skipTo(situation0)

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
	c.skipTo(situation0 + ownInputs)
	for i := range x.threats {
		x.describeOpponent(v, &x.threats[i], points[me])
		c.skipTo(situation0 + ownInputs + (i+1)*opponentInputs)
	}
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

// describeOpponent tells what is known of another player.
func (x *Expert) describeOpponent(v sim.View, t *threat, points int32) {
	c, q := &x.common, t.player
	declared := v.Ready(q) != sim.NotReady
	c.flag(declared)
	c.flag(declared && v.OneShot(q))
	c.put(int(math.Round(float64(t.ready * one))))
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
	c.put(int(x.drawnInARow[q]) * one / 4)
	c.put(x.amount(float64(points-v.Points()[q]), 4))
	if t.ready >= x.weights[unlikely] {
		safe := x.now.Hand.Kinds() & t.safe
		c.put(safe.Len() * one / 5)
		c.flag(safe == 0)
		c.flag(safe.Len() == 1)
	}
}

// readRuns notes how many tiles each player has discarded in a row as he drew them.
func (x *Expert) readRuns(v sim.View) {
	x.drawnInARow = [sim.NumPlayers]int8{}
	for i := range v.NumDiscards() {
		p, _, marks := v.DiscardMarks(i)
		if marks&sim.DiscardDrawn != 0 {
			x.drawnInARow[p&3]++
		} else {
			x.drawnInARow[p&3] = 0
		}
	}
}

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
	c, p, r := &x.act, &a.after, x.book.Rules
	c.begin(action0)
	// Tiles that have left the hand.
	before, after := x.now.Hand.Counts(), p.Hand.Counts()
	for kinds := x.now.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		for n := after[k]; n < before[k]; n++ {
			c.at(atHand+int(n)*tile.NumKinds+int(k), -one)
		}
	}
	c.oneOf(sortOf(a.action), numSorts)
	c.put(x.amount(a.hope, 0.5))
	c.put(x.amount(a.hope, 0.1))
	c.put(x.amount(a.risk, 0.125))
	c.put(x.amount(a.risk, 0.02))
	c.put(int(math.Round(float64(a.chance * 8 * one))))
	c.put(x.amount(a.total, 0.5))
	c.put(x.amount(a.total-x.list[0].total, 0.25))
	c.put(x.amount(a.total-x.list[0].total, 0.025))
	c.flag(a == &x.list[0])
	shanten := r.Shanten(&p.Hand, p.NumMelds)
	c.oneOf(shanten+1, 7)
	c.flag(shanten > x.shanten)
	c.flag(shanten < x.shanten)
	useful := p.Hand.Useful(p.Sets)
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
	c.skipTo(action0 + planInputs)
	if k := a.discard; k != tile.NoKind {
		x.describeDiscard(v, a)
	}
	c.skipTo(action0 + planInputs + tileInputs)
	for i := range x.threats {
		x.describeDanger(v, &x.threats[i], a)
		c.skipTo(action0 + planInputs + tileInputs + (i+1)*dangerInputs)
	}
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
			c.at(c.next+numDangers+class, max(int(math.Round(float64(t.ready*one))), 1))
		}
	}
	c.next += 2 * numDangers
	safe := a.after.Hand.Kinds() & t.safe
	c.put(safe.Len() * one / 5)
	c.flag(safe == 0)
	c.flag(declared && safe == 0)
}

// AlikeInputs returns the orders of the inputs in which suits have changed places: place
// i of a list goes to order[i]. The first changes nothing.
func AlikeInputs() [][]uint16 {
	var orders [][]uint16
	for _, suits := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		order := make([]uint16, NumInputs)
		for i := range order {
			order[i] = uint16(i)
			if i < atValued {
				if k := i % tile.NumKinds; k < int(tile.East) {
					order[i] = uint16(i - k + 9*suits[k/9] + k%9)
				}
			}
		}
		orders = append(orders, order)
	}
	return orders
}
