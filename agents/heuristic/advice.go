package heuristic

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// Advise implements sim.Adviser: the discards and kans of an own turn, the calls
// that bring the hand nearer and passing. Where there is nothing to weigh up its
// answer comes without figures.
func (e *evaluator) Advise(v sim.View, dst []sim.Candidate) []sim.Candidate {
	choice, first := e.Act(v), len(dst)
	legal := v.Legal()
	if e.weighs(v, &legal) {
		switch v.Phase() {
		case sim.PhaseTurn:
			dst = e.adviseTurn(v, &legal, dst)
		case sim.PhaseClaim:
			dst = e.adviseClaim(v, &legal, dst)
		}
	}
	return arrange(dst, first, choice)
}

// arrange puts what is advised from first on in order: the choice first, which is added
// if it is not there, then the others, the best first.
func arrange(dst []sim.Candidate, first int, choice sim.Action) []sim.Candidate {
	list := dst[first:]
	slices.SortFunc(list, func(a, b sim.Candidate) int {
		if a.Action == choice || b.Action == choice {
			return cmp.Compare(index(b.Action == choice), index(a.Action == choice))
		}
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Action, b.Action))
	})
	if len(list) == 0 || list[0].Action != choice {
		dst = slices.Insert(dst, first, sim.Candidate{Action: choice})
	}
	return dst
}

// weighs reports whether Act weighs actions up at a decision.
func (e *evaluator) weighs(v sim.View, legal *sim.ActionSet) bool {
	if _, ok := sure(legal); ok {
		return false
	}
	return v.Phase() == sim.PhaseTurn && unquestioned(v, legal) == sim.NoAction ||
		v.Phase() == sim.PhaseClaim && e.style.calls
}

// thousandths returns an amount in thousandths.
func thousandths(units float64) int64 { return int64(math.Round(float64(1000 * units))) }

// adviseTurn lists the discards and kans of a turn that Act has looked at.
func (e *evaluator) adviseTurn(v sim.View, legal *sim.ActionSet, dst []sim.Candidate) []sim.Candidate {
	p, r := &e.now, e.book.Rules
	quiet, declaring := aim.DiscardsOf(legal, v.Drawn(), false), aim.DiscardsOf(legal, v.Drawn(), true)
	mayHide, ready := quiet.Kinds(), declaring.Kinds()
	e.choose(p)
	e.best(p, mayHide|ready)
	cost := e.toCome(r.Shanten(&p.Hand, p.NumMelds))
	for kinds := mayHide | ready; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		a := quiet.Of(k)
		if ready.Has(k) && (!mayHide.Has(k) || e.declares(k)) {
			a = declaring.Of(k)
		}
		dst = append(dst, e.discarding(p, a, k, cost))
	}
	for closed := legal.Kinds(sim.ActClosedKan); closed != 0; closed = closed.Rest() {
		k := closed.First()
		e.then = *p
		e.then.Lay(hand.Meld{Type: hand.ClosedKan, Kind: k}, 4, k)
		dst = append(dst, e.keeping(sim.ActClosedKan+sim.Action(k), &e.then))
	}
	for added := legal.Kinds(sim.ActAddedKan); added != 0; added = added.Rest() {
		k := added.First()
		e.then = *p
		e.then.Hand.Remove(k)
		dst = append(dst, e.keeping(sim.ActAddedKan+sim.Action(k), &e.then))
	}
	return dst
}

// adviseClaim lists passing and the calls that bring the hand nearer.
func (e *evaluator) adviseClaim(v sim.View, legal *sim.ActionSet, dst []sim.Candidate) []sim.Candidate {
	e.choose(&e.now)
	pass := e.keeping(sim.ActPass, &e.now)
	pass.Total = thousandths(e.going(e.hope(&e.now), e.book.Rules.Shanten(&e.now.Hand, e.now.NumMelds)))
	dst = append(dst, pass)
	for i := range aim.Calls(legal, v.Window().Kind(), &e.calls) {
		call := &e.calls[i]
		k, value := e.call(call)
		if k == tile.NoKind {
			continue
		}
		c := e.discarding(&e.then, call.Action, k, e.toCome(e.book.Rules.Shanten(&e.then.Hand, e.then.NumMelds)))
		c.Total = thousandths(value)
		dst = append(dst, c)
	}
	return dst
}

// discarding returns the candidate that leads to the discard of kind k of p, whose
// discards are weighed; cost is that of the discards to come.
func (e *evaluator) discarding(p *aim.Position, a sim.Action, k tile.Kind, cost float64) sim.Candidate {
	c := sim.Candidate{
		Action: a,
		DealIn: int32(math.Round(float64(1e6 * e.chance[k]))),
		Hope:   thousandths(e.hopeOf(&e.after[k])),
		Risk:   thousandths(e.risk[k]),
		Total:  thousandths(e.promise(p, k, cost)),
	}
	p.Hand.Remove(k)
	c.Shanten = int8(e.book.Rules.Shanten(&p.Hand, p.NumMelds))
	p.Hand.Add(k)
	return c
}

// keeping returns the candidate that leads to p without a discard.
func (e *evaluator) keeping(a sim.Action, p *aim.Position) sim.Candidate {
	hope := thousandths(e.hope(p))
	return sim.Candidate{Action: a, Shanten: int8(e.book.Rules.Shanten(&p.Hand, p.NumMelds)), Hope: hope, Total: hope}
}
