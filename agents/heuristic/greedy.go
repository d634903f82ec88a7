package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// greedy goes for the nearest hand that may win, by the widest way. It measures
// a position by one number, the distance: the tile exchanges until the hand is
// ready, over all shapes of the family or, where a shape alone may not win, over
// the plans of its hand. It discards for the least distance and then for the
// most unseen tiles that lower it; it calls when that lowers the distance,
// declares ready and wins whenever it may, and never defends.
type greedy struct {
	book    *aim.Book
	fitting *aim.Fitting // of the aims that are sufficient
	// honors are those of which a triplet makes any hand a winning one.
	honors tile.Set
	left   tile.Tally // the unseen tiles
	// now is the position of the decision, then what a call would make of it.
	now, then position
	// What follows is scratch.
	calls    [aim.MaxCalls]aim.Call
	discards [hand.MaxDiscards]hand.Discard
}

// NewGreedy returns a player who goes for the nearest hand that may win.
func NewGreedy() sim.Agent { return new(greedy) }

// sureActions are what the players of this package never let go. Which comes first
// does not matter: no phase offers two of them.
var sureActions = func() (s sim.ActionSet) {
	for _, a := range [...]sim.Action{sim.ActWin, sim.ActFlowerWin, sim.ActReadyNow, sim.ActTenpai, sim.ActEndMatch} {
		s.Add(a)
	}
	return s
}()

// sure returns what the players of this package never let go, if it is legal.
func sure(legal *sim.ActionSet) (a sim.Action, ok bool) {
	both := sim.ActionSet{legal[0] & sureActions[0], legal[1] & sureActions[1], legal[2] & sureActions[2]}
	a = both.First()
	return a, a != sim.NoAction
}

// Act implements sim.Agent.
func (g *greedy) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if a, ok := sure(&legal); ok {
		return a
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
	if r := v.Rules(); g.book == nil || g.book.Rules != r {
		g.book = aim.Study(r)
		aims := make([]*aim.Aim, len(g.book.Sufficient))
		for i := range aims {
			aims[i] = &g.book.Sufficient[i]
		}
		g.fitting = aim.NewFitting(aims, r.HandSize/3)
	}
	g.now.Look(v)
	g.honors = g.book.Honors(v.SeatWind(v.Player()), v.RoundWind())
	unseen := v.UnseenCounts()
	g.left = tile.TallyOf(&unseen)
	g.makePlans(&g.now)
}

// tooFar is the shanten from which a hand of nine kinds is given up.
const tooFar = 3

// turn answers in a turn of its own.
func (g *greedy) turn(v sim.View, legal *sim.ActionSet) sim.Action {
	if a := unquestioned(v, legal); a != sim.NoAction {
		return a
	}
	closed, added := legal.Kinds(sim.ActClosedKan), legal.Kinds(sim.ActAddedKan)
	g.look(v)
	if legal.Has(sim.ActNineKinds) && g.book.Rules.Shanten(&g.now.Hand, 0) >= tooFar {
		return sim.ActNineKinds
	}
	if closed|added != 0 {
		if a := g.kan(v, closed, added); a != sim.NoAction {
			return a
		}
	}
	discards := aim.DiscardsOf(legal, v.Drawn(), true)
	allowed := discards.Kinds()
	if allowed == 0 {
		discards = aim.DiscardsOf(legal, v.Drawn(), false)
		allowed = discards.Kinds()
	}
	return discards.Of(g.choose(v, &g.now, allowed).kind)
}

// kan returns a closed or added kan that leaves the hand no farther, or
// NoAction.
func (g *greedy) kan(v sim.View, closed, added tile.Set) sim.Action {
	before := max(g.distance(&g.now), 0)
	for ; closed != 0; closed = closed.Rest() {
		k := closed.First()
		g.then.Position = g.now.Position
		g.then.Lay(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
		g.makePlans(&g.then)
		if g.distance(&g.then) <= before {
			return sim.ActClosedKan + sim.Action(k)
		}
	}
	for ; added != 0; added = added.Rest() {
		k := added.First()
		g.then = g.now
		g.then.Hand.Remove(k)
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
	for i := range aim.Calls(legal, k, &g.calls) {
		call := &g.calls[i]
		if c := g.call(v, before, call); c.betters(best) {
			best, action = c, call.Action
		}
	}
	if action == sim.ActPass && g.now.Open && legal.Has(sim.ActOpenKan) {
		g.then.Position = g.now.Position
		g.then.Lay(hand.Meld{Type: hand.OpenKan, Kind: k}, 3, k)
		g.makePlans(&g.then)
		if g.distance(&g.then) <= before {
			return sim.ActOpenKan
		}
	}
	return action
}

// call returns the discard after a chi or pon; one that does not lower the distance
// may come without a kind.
func (g *greedy) call(v sim.View, before int, call *aim.Call) choice {
	p := &g.then
	p.Position = g.now.Position
	p.Call(call)
	if d := g.book.Rules.Shanten(&p.Hand, p.NumMelds); d >= before {
		return choice{distance: d}
	}
	g.makePlans(p)
	return g.choose(v, p, p.Discardable(call, g.book.Rules))
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
	held := p.Hand.Kinds()
	allowed &= held
	n := 0
	switch useless := held &^ pl.Kinds; {
	case useless&allowed != 0:
		n = g.tryUseless(p, pl, d, useless&allowed)
	case useless == 0 && pl.isShape() && p.Hand.Shanten(p.Sets)+pl.far == d:
		if n = p.Hand.BestDiscards(p.Sets, &g.discards); allowed != held {
			n = g.keepAllowed(n, allowed)
		}
	}
	if n == 0 && pl.Shape == aim.Standard {
		n = g.trySpare(p, pl, d-pl.far, allowed)
	}
	if n == 0 {
		n = g.tryAll(p, pl, allowed)
	}
	return g.widest(v, p, pl, g.discards[:n])
}

// tryUseless notes the discards of kinds that the plan cannot use: they leave
// the distance d and all that is useful.
func (g *greedy) tryUseless(p *position, pl *plan, d int, kinds tile.Set) int {
	useful := g.useful(p, pl, d, pl.Kinds)
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

// trySpare notes the allowed discards that leave the distance d of a plan of sets and a
// pair, if there are any.
func (g *greedy) trySpare(p *position, pl *plan, d int, allowed tile.Set) int {
	// Without a tile that it needs for one of its sets the hand is farther.
	rest, lacking := pl.need.Take(p.Hand)
	n := rest.DiscardsOf(pl.Kinds, allowed&rest.Kinds(), p.Sets-pl.need.Sets, d-lacking, &g.discards)
	if n == 0 {
		return 0
	}
	missing, among := pl.need.Missing(&p.Hand), g.useful(p, pl, d, pl.Kinds)
	for i := range g.discards[:n] {
		after := &g.discards[i]
		after.Shanten, after.Useful = int8(d), missing|after.Useful&among
	}
	return n
}

// tryAll notes the allowed discards after which the plan is nearest.
func (g *greedy) tryAll(p *position, pl *plan, allowed tile.Set) int {
	n, least := 0, aim.Hopeless
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		p.Hand.Remove(k)
		d := g.toward(p, pl)
		p.Hand.Add(k)
		if d < least {
			n, least = 0, d
		}
		if d == least {
			g.discards[n] = hand.Discard{Kind: k, Shanten: int8(d)}
			n++
		}
	}
	among := g.book.UsefulAfter(&p.Position, pl.Aim, &pl.need, least, pl.Kinds)
	for i := range g.discards[:n] {
		d := &g.discards[i]
		p.Hand.Remove(d.Kind)
		d.Useful = g.useful(p, pl, least, among)
		p.Hand.Add(d.Kind)
	}
	return n
}

// widest returns the best of discards that leave the same distance.
func (g *greedy) widest(v sim.View, p *position, pl *plan, discards []hand.Discard) choice {
	best, kept := choice{live: -1}, -1 // what keep tells of the best, -1 if it was not asked
	for i := range discards {
		d := &discards[i]
		live := g.left.Of(d.Useful & pl.Kinds)
		if live < best.live {
			continue
		}
		keep := -1
		if live == best.live {
			if kept < 0 {
				kept = g.keep(v, p, best.kind)
			}
			if keep = g.keep(v, p, d.Kind); keep >= kept {
				continue
			}
		}
		best, kept = choice{d.Kind, int(d.Shanten) + pl.far, live}, keep
	}
	return best
}

// keep tells what a tile of kind k is worth to a hand that has no need of it:
// dora and red fives most, then what neighbours may join, honors least.
func (g *greedy) keep(v sim.View, p *position, k tile.Kind) int {
	const bonus = 8
	n := 0
	switch {
	case g.honors.Has(k):
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
	if k.IsFive() && int(v.Reds()[k.Suit()]) == p.Hand.Count(k) {
		n += bonus
	}
	return n
}
