package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// MaxConsidered is the largest number of actions that an Expert considers at a
// decision.
const MaxConsidered = 24

// considered is an action that an expert considers, with what value thinks of it.
type considered struct {
	action sim.Action
	// discard is the kind it discards, after a call if it is one; NoKind for a pass
	// or kan.
	discard tile.Kind
	// hope, risk and total are those of sim.Candidate in units, chance that to deal
	// in.
	hope, risk, chance, total float64
	// after is the position that the action leads to, without a tile too many.
	after aim.Position
	// ready tells that it is there to be ready when the wall is exhausted.
	ready bool
	// brings is what the network says, in 1/OutputUnit of the scale.
	brings int64
	ahead  foreseen
	// danger is the chance that somebody who has declared ready wins on the discard.
	danger int32
}

// Of the discards that promise most by value's reckoning, and of those that risk
// least or hope for most, so many are considered.
const (
	mostPromising = 3
	leastRisky    = 2
	mostHopeful   = 1
)

// consider fills x.list[:x.n] with the actions worth a second look, first the one
// that value would play; with one action or none where there is nothing to weigh up.
// It returns what to play if the list is empty.
func (x *Expert) consider(v sim.View) sim.Action {
	x.n, x.described = 0, false
	legal := v.Legal()
	if a, ok := sure(&legal); ok {
		return a
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		if a := unquestioned(v, &legal); a != sim.NoAction {
			return a
		}
		x.lookAt(v)
		if legal.Has(sim.ActNineKinds) && x.book.Rules.Shanten(&x.now.Hand, 0) >= tooFar {
			return sim.ActNineKinds
		}
		x.considerTurn(v, &legal)
		return x.list[0].action
	case sim.PhaseClaim:
		x.lookAt(v)
		x.considerClaim(v, &legal)
		return x.list[0].action
	}
	return sim.DefaultAction(&legal)
}

// add appends an action to the list.
func (x *Expert) add(a sim.Action, k tile.Kind) *considered {
	c := &x.list[x.n]
	x.n++
	*c = considered{action: a, discard: k}
	return c
}

// considerTurn lists discards, ready and silent, and kans.
func (x *Expert) considerTurn(v sim.View, legal *sim.ActionSet) {
	e := &x.evaluator
	p := &e.now
	e.choose(p)
	quiet, declaring := aim.DiscardsOf(legal, v.Drawn(), false), aim.DiscardsOf(legal, v.Drawn(), true)
	mayHide, ready := quiet.Kinds(), declaring.Kinds()
	best, value := e.best(p, mayHide|ready)
	kinds := x.worthConsidering(p, best, (mayHide|ready)&p.Hand.Kinds())
	closed, added := legal.Kinds(sim.ActClosedKan), legal.Kinds(sim.ActAddedKan)
	choice := sim.NoAction
	if closed|added != 0 {
		choice = e.kan(closed, added, value)
	}
	for ; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		declare := ready.Has(k) && (!mayHide.Has(k) || e.declares(k))
		for _, d := range [...]struct {
			discards *aim.Discards
			may, own bool
		}{{&quiet, mayHide.Has(k), !declare}, {&declaring, ready.Has(k), declare}} {
			if !d.may {
				continue
			}
			c := x.add(d.discards.Of(k), k)
			c.hope, c.risk, c.chance = e.hopeOf(&e.after[k]), e.risk[k], e.chance[k]
			c.total = x.totals[k]
			c.ready = k == x.keptReady
			c.after = *p
			c.after.Hand.Remove(k)
			if k == best && d.own && choice == sim.NoAction {
				choice = c.action
			}
		}
	}
	if choice.IsDiscard() {
		x.first(choice)
		x.dropHopeless()
	}
	for ; closed != 0; closed = closed.Rest() {
		k := closed.First()
		e.then = *p
		e.then.Lay(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
		x.keep(sim.ActClosedKan + sim.Action(k))
	}
	for ; added != 0; added = added.Rest() {
		k := added.First()
		e.then = *p
		e.then.Hand.Remove(k)
		x.keep(sim.ActAddedKan + sim.Action(k))
	}
	x.first(choice)
}

// By so much, in multiples of the scale, a discard must promise less than the first where
// nobody threatens, or must promise less and risk more than some other, to be left out.
const (
	clearlyLess            = 0.03
	lessHopeful, moreRisky = 0.02, 0.005
)

// dropHopeless leaves out the discards of the list that the network would hardly ever
// choose.
func (x *Expert) dropHopeless() {
	scale := float64(x.scale)
	n := 1
	for i := 1; i < x.n; i++ {
		c := &x.list[i]
		hopeless := false
		if c.ready {
			// It hopes for no win.
		} else if x.push == 0 {
			hopeless = x.list[0].total-c.total > clearlyLess*scale
		} else {
			for j := range x.list[:x.n] {
				o := &x.list[j]
				if o.hope-c.hope > lessHopeful*scale && c.risk-o.risk > moreRisky*scale {
					hopeless = true
					break
				}
			}
		}
		if !hopeless {
			x.list[n] = *c
			n++
		}
	}
	x.n = n
}

// keep appends an action that leads to x.then without a discard.
func (x *Expert) keep(a sim.Action) {
	if x.n == len(x.list) {
		return
	}
	c := x.add(a, tile.NoKind)
	c.hope = x.hope(&x.then)
	c.total = c.hope
	c.after = x.then
}

// worthConsidering returns the kinds whose discard is considered: the best and
// others that promise much, risk little or hope for much.
func (x *Expert) worthConsidering(p *aim.Position, best tile.Kind, kinds tile.Set) tile.Set {
	e := &x.evaluator
	distance := e.book.Rules.Shanten(&p.Hand, p.NumMelds)
	cost := e.toCome(distance)
	for rest := kinds; rest != 0; rest = rest.Rest() {
		k := rest.First()
		x.totals[k] = e.promise(p, k, cost)
	}
	chosen := best.Bit()
	take := func(n int, worth func(tile.Kind) float64) {
		for range n {
			most, which := math.Inf(-1), tile.NoKind
			for rest := kinds &^ chosen; rest != 0; rest = rest.Rest() {
				if w := worth(rest.First()); w > most {
					most, which = w, rest.First()
				}
			}
			if which == tile.NoKind {
				return
			}
			chosen |= which.Bit()
		}
	}
	take(mostPromising-1, func(k tile.Kind) float64 { return x.totals[k] })
	if e.push > 0 {
		take(leastRisky, func(k tile.Kind) float64 { return x.totals[k]/1000 - e.risk[k] })
		take(mostHopeful, func(k tile.Kind) float64 { return e.hopeOf(&e.after[k]) })
	}
	if x.keptReady = tile.NoKind; distance <= 0 && x.late() {
		x.keptReady = x.keepingReady(p, kinds)
		chosen |= maskOf(x.keptReady)
	}
	return chosen
}

// considerClaim lists passing, the calls that bring the hand nearer and an open kan, and
// late calls that make it ready.
func (x *Expert) considerClaim(v sim.View, legal *sim.ActionSet) {
	e := &x.evaluator
	e.choose(&e.now)
	pass := x.add(sim.ActPass, tile.NoKind)
	most, choice := math.Inf(-1), sim.ActPass
	if !e.style.calls {
		return
	}
	for i := range aim.Calls(legal, v.Window().Kind(), &e.calls) {
		call := &e.calls[i]
		k, total := e.call(call)
		late := k == tile.NoKind && x.late()
		if late {
			k, total = x.callToBeReady(call), 0 // it comes no nearer to a win
		}
		if k == tile.NoKind {
			continue
		}
		c := x.add(call.Action, k)
		c.ready = late
		c.hope, c.risk, c.chance, c.total = e.hopeOf(&e.after[k]), e.risk[k], e.chance[k], total
		c.after = e.then
		c.after.Hand.Remove(k)
		if total > most {
			most, choice = total, call.Action
		}
	}
	if legal.Has(sim.ActOpenKan) {
		k := v.Window().Kind()
		e.then = e.now
		e.then.Lay(hand.Meld{Type: hand.OpenKan, Kind: k, From: sim.NumPlayers - 1}, 3, k)
		x.keep(sim.ActOpenKan)
	}
	if x.n == 1 {
		return
	}
	pass.after, pass.hope = x.now, x.hope(&x.now)
	pass.total = e.going(pass.hope, e.book.Rules.Shanten(&e.now.Hand, e.now.NumMelds))
	if most <= float64(e.weights[callMargin]*pass.total) {
		choice = sim.ActPass
	}
	x.first(choice)
}

// first moves an action of the list to its front.
func (x *Expert) first(a sim.Action) {
	for i := range x.list[:x.n] {
		if x.list[i].action == a {
			x.list[0], x.list[i] = x.list[i], x.list[0]
			return
		}
	}
}
