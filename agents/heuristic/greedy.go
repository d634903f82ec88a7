package heuristic

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// greedy goes for the nearest hand that may win, by the widest way. It measures
// a position by one number, the distance: the tile exchanges until the hand is
// ready, over all shapes of the family or, where a shape alone may not win, over
// the plans of its hand. It discards for the least distance and then for the
// most unseen tiles that lower it; it calls when that lowers the distance,
// declares ready and wins whenever it may, and never defends.
type greedy struct {
	rules *ruleset.Rules
	worth worth
	// now is the position of the decision, then what a call would make of it.
	now, then position
	// What follows is scratch. A Scorer is called through an interface, so what
	// it is given must not stand on the stack.
	rest     hand.Hand
	discards [hand.MaxDiscards]hand.Discard
}

// NewGreedy returns a player who goes for the nearest hand that may win.
func NewGreedy() sim.Agent { return new(greedy) }

// position is a player's tiles and the ways in which they may win.
type position struct {
	hand     hand.Hand
	melds    [hand.MaxMelds]hand.Meld
	numMelds int
	sets     int // concealed sets of the complete hand
	open     bool
	value    tile.Set // kinds of which a triplet makes any hand a winning one
	plans    [maxPlans]plan
	numPlans int
}

// lay moves n concealed tiles of each kind into a new meld.
func (p *position) lay(m hand.Meld, n int, kinds ...tile.Kind) {
	for _, k := range kinds {
		for range n {
			p.hand.Remove(k)
		}
	}
	p.melds[p.numMelds] = m
	p.numMelds++
	p.sets--
	p.open = p.open || m.IsOpen()
}

// greedyFor is what greedy never lets go.
var greedyFor = [...]sim.Action{sim.ActWin, sim.ActFlowerWin, sim.ActReadyNow, sim.ActTenpai, sim.ActEndMatch}

// Act implements sim.Agent.
func (g *greedy) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for _, a := range greedyFor {
		if legal.Has(a) {
			return a
		}
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		return g.turn(v, &legal)
	case sim.PhaseClaim:
		return g.claim(v, &legal)
	}
	return sim.DefaultAction(&legal)
}

// look takes in the position of the viewer.
func (g *greedy) look(v sim.View) {
	if r := v.Rules(); g.rules != r {
		g.rules, g.worth = r, worthOf(r)
	}
	p, me := &g.now, v.Player()
	p.hand = v.Hand()
	p.numMelds = v.NumMelds(me)
	for i := range p.numMelds {
		p.melds[i] = v.Meld(me, i)
	}
	p.sets = g.rules.HandSize/3 - p.numMelds
	p.open = v.IsOpen(me)
	p.value = g.worth.value(v)
	g.makePlans(v, p)
}

// tooFar is the shanten from which a hand of nine kinds is given up.
const tooFar = 3

// turn answers in a turn of its own.
func (g *greedy) turn(v sim.View, legal *sim.ActionSet) sim.Action {
	if a := unquestioned(v, legal); a != sim.NoAction {
		return a
	}
	drawn := v.Drawn()
	closed, added := kinds(legal, sim.ActClosedKan), kinds(legal, sim.ActAddedKan)
	g.look(v)
	if legal.Has(sim.ActNineKinds) && g.rules.Shanten(&g.now.hand, 0) >= tooFar {
		return sim.ActNineKinds
	}
	if closed|added != 0 {
		if a := g.kan(v, closed, added); a != sim.NoAction {
			return a
		}
	}
	first, last := sim.ActReady, sim.ActReadyDrawn
	allowed := discardable(legal, first, last, drawn)
	if allowed == 0 {
		first, last = sim.ActDiscard, sim.ActDiscardDrawn
		allowed = discardable(legal, first, last, drawn)
	}
	return discard(legal, first, last, drawn, g.choose(v, &g.now, allowed).kind)
}

// kinds returns the kinds of the legal actions first+kind.
func kinds(legal *sim.ActionSet, first sim.Action) tile.Set {
	word, bit := first>>6, first&63
	bits := legal[word] >> bit
	if int(word)+1 < len(legal) {
		bits |= legal[word+1] << (64 - bit)
	}
	return tile.Set(bits) & tile.All
}

// discardable returns the kinds that the actions from first, of faces, to last,
// of the drawn tile, may discard.
func discardable(legal *sim.ActionSet, first, last sim.Action, drawn tile.Face) tile.Set {
	set := kinds(legal, first)
	for s := tile.Characters; s < tile.Honors; s++ {
		if red := tile.RedOf(s); legal.Has(first + sim.Action(red)) {
			set |= red.Kind().Bit()
		}
	}
	if legal.Has(last) {
		set |= drawn.Kind().Bit()
	}
	return set
}

// discard returns the action among those from first to last that discards a
// tile of kind k: no red five if there is another, and the drawn tile rather
// than its like.
func discard(legal *sim.ActionSet, first, last sim.Action, drawn tile.Face, k tile.Kind) sim.Action {
	isDrawn, held := drawn.Kind() == k, first+sim.Action(k)
	switch {
	case isDrawn && !drawn.IsRed():
		return last
	case legal.Has(held):
		return held
	case isDrawn:
		return last
	}
	return first + sim.Action(tile.RedOf(k.Suit()))
}

// kan returns a closed or added kan that leaves the hand no farther, or
// NoAction.
func (g *greedy) kan(v sim.View, closed, added tile.Set) sim.Action {
	before := max(g.distance(&g.now), 0)
	for ; closed != 0; closed = closed.Rest() {
		k := closed.First()
		g.then = g.now
		g.then.lay(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
		g.makePlans(v, &g.then)
		if g.distance(&g.then) <= before {
			return sim.ActClosedKan + sim.Action(k)
		}
	}
	for ; added != 0; added = added.Rest() {
		k := added.First()
		g.then = g.now
		g.then.hand.Remove(k)
		if g.distance(&g.then) <= before {
			return sim.ActAddedKan + sim.Action(k)
		}
	}
	return sim.NoAction
}

// claim answers to a discard. A kan, which draws another tile, may leave the
// distance as it is, provided the hand is open already.
func (g *greedy) claim(v sim.View, legal *sim.ActionSet) sim.Action {
	g.look(v)
	before := g.distance(&g.now)
	// To be taken a call must better this: it must lower the distance.
	best, action := choice{distance: before - 1, live: -1}, sim.ActPass
	k := v.Window().Kind()
	calls(legal, k, func(call sim.Action, m hand.Meld, a, b tile.Kind) {
		if c := g.call(v, before, m, a, b); c.betters(best) {
			best, action = c, call
		}
	})
	if action == sim.ActPass && g.now.open && legal.Has(sim.ActOpenKan) {
		g.then = g.now
		g.then.lay(hand.Meld{Type: hand.OpenKan, Kind: k}, 3, k)
		g.makePlans(v, &g.then)
		if g.distance(&g.then) <= before {
			return sim.ActOpenKan
		}
	}
	return action
}

// call returns the discard after a chi or pon with two own tiles; one that does
// not lower the distance may come without a kind.
func (g *greedy) call(v sim.View, before int, m hand.Meld, a, b tile.Kind) choice {
	p := &g.then
	*p = g.now
	p.lay(m, 1, a, b)
	if d := g.rules.Shanten(&p.hand, p.numMelds); d >= before {
		return choice{distance: d}
	}
	g.makePlans(v, p)
	return g.choose(v, p, p.hand.Kinds()&^ruleset.SwapBanned(m, g.rules.SwapBan))
}

// choice is a discard: the distance of the hand it leaves and the number of
// unseen tiles that lower it.
type choice struct {
	kind           tile.Kind
	distance, live int
}

// betters reports whether c is to be preferred to d.
func (c choice) betters(d choice) bool {
	return c.distance < d.distance || c.distance == d.distance && c.live > d.live
}

// choose returns the best discard of the allowed kinds, one of which must be
// held.
func (g *greedy) choose(v sim.View, p *position, allowed tile.Set) choice {
	pl, d := g.nearest(p)
	held := p.hand.Kinds()
	allowed &= held
	n := 0
	switch useless := held &^ pl.kinds; {
	case useless&allowed != 0:
		n = g.tryUseless(p, pl, d, useless&allowed)
	case useless == 0 && pl.isShape() && p.hand.Shanten(p.sets)+pl.far == d:
		n = g.keepAllowed(p.hand.BestDiscards(p.sets, &g.discards), allowed)
	}
	if n == 0 {
		n = g.tryAll(p, pl, allowed)
	}
	return g.widest(v, p, pl, g.discards[:n])
}

// tryUseless notes the discards of kinds that the plan cannot use: they leave
// the distance d and all that is useful.
func (g *greedy) tryUseless(p *position, pl *plan, d int, kinds tile.Set) int {
	useful := g.useful(p, pl, d, pl.kinds)
	n := 0
	for ; kinds != 0; kinds = kinds.Rest() {
		g.discards[n] = hand.Discard{Kind: kinds.First(), Shanten: int8(d), Useful: useful}
		n++
	}
	return n
}

// keepAllowed drops the discards, of n noted, that are not allowed.
func (g *greedy) keepAllowed(n int, allowed tile.Set) int {
	kept := 0
	for _, d := range g.discards[:n] {
		if allowed.Has(d.Kind) {
			g.discards[kept] = d
			kept++
		}
	}
	return kept
}

// tryAll notes the allowed discards after which the plan is nearest.
func (g *greedy) tryAll(p *position, pl *plan, allowed tile.Set) int {
	n, least := 0, hopeless
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		p.hand.Remove(k)
		d := g.toward(p, pl)
		p.hand.Add(k)
		if d < least {
			n, least = 0, d
		}
		if d == least {
			g.discards[n] = hand.Discard{Kind: k, Shanten: int8(d)}
			n++
		}
	}
	among := pl.kinds
	if pl.goal != anyShape {
		// What helps the hand with a tile less helps the whole one, too.
		among = g.useful(p, pl, least, among)
	}
	for i := range g.discards[:n] {
		d := &g.discards[i]
		p.hand.Remove(d.Kind)
		d.Useful = g.useful(p, pl, least, among)
		p.hand.Add(d.Kind)
	}
	return n
}

// widest returns the best of discards that leave the same distance.
func (g *greedy) widest(v sim.View, p *position, pl *plan, discards []hand.Discard) choice {
	var all tile.Set
	for _, d := range discards {
		all |= d.Useful
	}
	// unseen[i] holds the kinds whose number of unseen tiles has bit i set.
	var unseen [3]tile.Set
	for set := all & pl.kinds; set != 0; set = set.Rest() {
		k := set.First()
		n := v.Unseen(k)
		for i := range unseen {
			unseen[i] |= tile.Set(n>>i&1) << k
		}
	}
	var best choice
	for i, d := range discards {
		live := 0
		for j, kinds := range unseen {
			live += (d.Useful & kinds).Len() << j
		}
		switch {
		case i == 0 || live > best.live:
			best = choice{d.Kind, int(d.Shanten) + pl.far, live}
		case live == best.live && g.keep(v, p, d.Kind) < g.keep(v, p, best.kind):
			best.kind = d.Kind
		}
	}
	return best
}

// keep tells what a tile of kind k is worth to a hand that has no need of it:
// dora and red fives most, then what neighbours may join, honors least.
func (g *greedy) keep(v sim.View, p *position, k tile.Kind) int {
	const bonus = 8
	n := 0
	switch {
	case p.value.Has(k):
		n = 1
	case !k.IsHonor():
		n = 2 + min(k.Rank(), 8-k.Rank(), 3)
	}
	if v.Rules().Dora {
		for i := range v.NumIndicators() {
			if v.Indicator(i).Kind().Next() == k {
				n += bonus
			}
		}
	}
	if k.IsFive() && int(v.Reds()[k.Suit()]) == p.hand.Count(k) {
		n += bonus
	}
	return n
}
