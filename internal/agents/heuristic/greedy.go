package heuristic

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// greedy goes for the nearest hand that may win. Its measure is the distance: the shanten
// or, where a complete shape alone may not win, that of the nearest plan. It discards for
// the least distance, then for the most ukeire, calls when that lowers the distance, and
// declares ready and wins whenever it may. It never defends.
type greedy struct {
	book    *aim.Book
	fitting *aim.AimFilter // of the aims that suffice to win
	honors  tile.Set       // of which a triplet suffices to win
	unseen  tile.Tally
	// now is the position of the decision, then the one after a call or kan.
	now, then plannedPosition
	// Scratch memory.
	calls    [aim.MaxCalls]aim.Call
	discards [hand.MaxDiscards]hand.Discard
}

// NewGreedy returns a player that goes for the nearest hand that may win.
func NewGreedy() sim.Agent { return new(greedy) }

// Act implements sim.Agent.
func (g *greedy) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if a, ok := winOrForced(&legal); ok {
		return a
	}
	switch v.Phase() {
	case sim.PhaseTurn:
		return g.actInTurn(v, &legal)
	case sim.PhaseClaim:
		return g.actOnDiscard(v, &legal)
	}
	return sim.DefaultAction(&legal)
}

// observe reads the position of the viewer and the unseen tiles.
func (g *greedy) observe(v sim.View) {
	if r := v.Rules(); g.book == nil || g.book.Rules != r {
		g.book = aim.NewBook(r)
		aims := make([]*aim.Aim, len(g.book.Sufficient))
		for i := range aims {
			aims[i] = &g.book.Sufficient[i]
		}
		g.fitting = aim.NewAimFilter(aims, r.HandSize/3)
	}
	g.now.position.Observe(v)
	g.honors = g.book.Honors(v.SeatWind(v.Player()), v.RoundWind())
	unseen := v.UnseenCounts()
	g.unseen = tile.TallyOf(&unseen)
	g.listPlans(&g.now)
}

// nineKindsShanten is the shanten from which a hand of nine kinds of terminals is aborted.
const nineKindsShanten = 3

func (g *greedy) actInTurn(v sim.View, legal *sim.ActionSet) sim.Action {
	if a := forcedInTurn(v, legal); a != sim.NoAction {
		return a
	}
	closed, added := legal.Kinds(sim.ActClosedKan), legal.Kinds(sim.ActAddedKan)
	g.observe(v)
	if legal.Has(sim.ActNineKinds) && g.book.Rules.Shanten(&g.now.position.Hand, 0) >= nineKindsShanten {
		return sim.ActNineKinds
	}
	if closed|added != 0 {
		if a := g.chooseKan(closed, added); a != sim.NoAction {
			return a
		}
	}
	discards := aim.NewDiscardActions(legal, v.Drawn(), true)
	allowed := discards.Kinds()
	if allowed == 0 {
		discards = aim.NewDiscardActions(legal, v.Drawn(), false)
		allowed = discards.Kinds()
	}
	return discards.Action(g.chooseDiscard(v, &g.now, allowed).kind)
}

// chooseKan returns the first closed or added kan that does not raise the distance, or
// NoAction.
func (g *greedy) chooseKan(closed, added tile.Set) sim.Action {
	before := max(g.distance(&g.now), 0)
	for ; closed != 0; closed = closed.Rest() {
		k := closed.First()
		if g.distanceAfterKan(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4) <= before {
			return sim.ActClosedKan + sim.Action(k)
		}
	}
	for ; added != 0; added = added.Rest() {
		k := added.First()
		g.then = g.now
		g.then.position.Hand.Remove(k)
		if g.distance(&g.then) <= before {
			return sim.ActAddedKan + sim.Action(k)
		}
	}
	return sim.NoAction
}

// distanceAfterKan returns the distance after laying down a closed or open kan with n tiles
// from the hand.
func (g *greedy) distanceAfterKan(m hand.Meld, n int) int {
	g.then.position = g.now.position
	g.then.position.AddMeld(m, n, m.Kind)
	g.listPlans(&g.then)
	return g.distance(&g.then)
}

// actOnDiscard chooses the call of another player's discard, or passes. An open kan, which
// draws another tile, need not lower the distance if the hand is open already.
func (g *greedy) actOnDiscard(v sim.View, legal *sim.ActionSet) sim.Action {
	g.observe(v)
	before := g.distance(&g.now)
	// A call must lower the distance.
	best, action := choice{distance: before - 1, ukeire: -1}, sim.ActPass
	k := v.ClaimableTile().Kind()
	for i := range aim.FindCalls(legal, k, &g.calls) {
		call := &g.calls[i]
		if c := g.evaluateCall(v, before, call); c.beats(best) {
			best, action = c, call.Action
		}
	}
	if action == sim.ActPass && g.now.position.Open && legal.Has(sim.ActOpenKan) &&
		g.distanceAfterKan(hand.Meld{Type: hand.OpenKan, Kind: k}, 3) <= before {
		return sim.ActOpenKan
	}
	return action
}

// evaluateCall returns the discard after a chi or pon. One that does not lower the distance
// may have no kind.
func (g *greedy) evaluateCall(v sim.View, before int, call *aim.Call) choice {
	p := &g.then
	p.position = g.now.position
	p.position.ApplyCall(call)
	if d := g.book.Rules.Shanten(&p.position.Hand, p.position.NumMelds); d >= before {
		return choice{distance: d}
	}
	g.listPlans(p)
	return g.chooseDiscard(v, p, p.position.LegalDiscards(call, g.book.Rules))
}

// choice is a discard with the distance of the hand it leaves and its ukeire.
type choice struct {
	kind             tile.Kind
	distance, ukeire int
}

func (c choice) beats(d choice) bool {
	return c.distance < d.distance || c.distance == d.distance && c.ukeire > d.ukeire
}

// chooseDiscard returns the best discard of the allowed kinds, of which p holds at least one.
func (g *greedy) chooseDiscard(v sim.View, p *plannedPosition, allowed tile.Set) choice {
	pl, d := g.nearest(p)
	held := p.position.Hand.Kinds()
	allowed &= held
	n := 0
	switch useless := held &^ pl.aim.Kinds; {
	case useless&allowed != 0:
		n = g.tryUseless(p, pl, d, useless&allowed)
	case useless == 0 && pl.isShape() && p.position.Hand.Shanten(p.position.Sets)+pl.penalty == d:
		if n = p.position.Hand.BestDiscards(p.position.Sets, &g.discards); allowed != held {
			n = len(slices.DeleteFunc(g.discards[:n], func(d hand.Discard) bool { return !allowed.Has(d.Kind) }))
		}
	}
	if n == 0 && pl.aim.Shape == aim.Standard {
		n = g.trySpare(p, pl, d-pl.penalty, allowed)
	}
	if n == 0 {
		n = g.tryAll(p, pl, allowed)
	}
	return g.widest(v, p, pl, g.discards[:n])
}

// tryUseless lists the discards of kinds that the plan cannot use. They keep the distance d
// and the ukeire.
func (g *greedy) tryUseless(p *plannedPosition, pl *plan, d int, kinds tile.Set) int {
	useful := g.ukeire(p, pl, d, pl.aim.Kinds)
	n := 0
	for ; kinds != 0; kinds = kinds.Rest() {
		g.discards[n] = hand.Discard{Kind: kinds.First(), Shanten: int8(d), Ukeire: useful}
		n++
	}
	return n
}

// trySpare lists the allowed discards that keep the distance d to a plan of sets and a pair.
func (g *greedy) trySpare(p *plannedPosition, pl *plan, d int, allowed tile.Set) int {
	// Without a tile that it needs for one of its sets the hand is farther.
	rest, lacking := pl.need.TakeFrom(p.position.Hand)
	n := rest.DiscardsOf(pl.aim.Kinds, allowed&rest.Kinds(), p.position.Sets-pl.need.Sets, d-lacking, &g.discards)
	if n == 0 {
		return 0
	}
	missing, among := pl.need.Missing(&p.position.Hand), g.ukeire(p, pl, d, pl.aim.Kinds)
	for i := range g.discards[:n] {
		after := &g.discards[i]
		after.Shanten, after.Ukeire = int8(d), missing|after.Ukeire&among
	}
	return n
}

// tryAll lists the allowed discards that leave the least distance to the plan.
func (g *greedy) tryAll(p *plannedPosition, pl *plan, allowed tile.Set) int {
	n, least := 0, aim.Hopeless
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		p.position.Hand.Remove(k)
		d := g.distanceTo(p, pl)
		p.position.Hand.Add(k)
		if d < least {
			n, least = 0, d
		}
		if d == least {
			g.discards[n] = hand.Discard{Kind: k, Shanten: int8(d)}
			n++
		}
	}
	among := g.book.UkeireAfterDiscard(&p.position, pl.aim, &pl.need, least, pl.aim.Kinds)
	for i := range g.discards[:n] {
		d := &g.discards[i]
		p.position.Hand.Remove(d.Kind)
		d.Ukeire = g.ukeire(p, pl, least, among)
		p.position.Hand.Add(d.Kind)
	}
	return n
}

// widest returns the discard of the most ukeire; of equal ones that of the least keepValue.
func (g *greedy) widest(v sim.View, p *plannedPosition, pl *plan, discards []hand.Discard) choice {
	best, kept := choice{ukeire: -1}, -1 // kept is the keepValue of the best, -1 if not computed
	for i := range discards {
		d := &discards[i]
		ukeire := g.unseen.Of(d.Ukeire & pl.aim.Kinds)
		if ukeire < best.ukeire {
			continue
		}
		keep := -1
		if ukeire == best.ukeire {
			if kept < 0 {
				kept = g.keepValue(v, p, best.kind)
			}
			if keep = g.keepValue(v, p, d.Kind); keep >= kept {
				continue
			}
		}
		best, kept = choice{d.Kind, int(d.Shanten) + pl.penalty, ukeire}, keep
	}
	return best
}

// keepValue returns what a tile is worth to a hand that does not need it: most for dora and
// red fives, then by how many neighbors may join it, least for honors.
func (g *greedy) keepValue(v sim.View, p *plannedPosition, k tile.Kind) int {
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
	if k.IsFive() && int(v.Reds()[k.Suit()]) == p.position.Hand.Count(k) {
		n += bonus
	}
	return n
}
