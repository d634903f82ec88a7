package heuristic

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Advise implements sim.Adviser. It lists the discards and kans of an own turn, and for a
// claim passing and the calls that lower the distance. Where there is no choice the only
// candidate is the answer of Act, without figures.
func (e *evaluator) Advise(v sim.View, dst []sim.Candidate) []sim.Candidate {
	v = v.Masked()
	choice, first := e.Act(v), len(dst)
	legal := v.Legal()
	if _, ok := winOrForced(&legal); !ok {
		switch v.Phase() {
		case sim.PhaseTurn:
			if forcedInTurn(v, &legal) == sim.NoAction {
				dst = e.adviseTurn(v, &legal, dst)
			}
		case sim.PhaseClaim:
			if e.features.calls {
				dst = e.adviseClaim(v, &legal, dst)
			}
		}
	}
	return sortCandidates(dst, first, choice)
}

// sortCandidates sorts dst[first:] in descending order of Total, but with choice first,
// which is added if it is missing.
func sortCandidates(dst []sim.Candidate, first int, choice sim.Action) []sim.Candidate {
	list := dst[first:]
	slices.SortFunc(list, func(a, b sim.Candidate) int {
		if a.Action == choice || b.Action == choice {
			return cmp.Compare(boolIndex(b.Action == choice), boolIndex(a.Action == choice))
		}
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Action, b.Action))
	})
	if len(list) == 0 || list[0].Action != choice {
		dst = slices.Insert(dst, first, sim.Candidate{Action: choice})
	}
	return dst
}

func thousandths(units float64) int64 { return int64(math.Round(float64(1000 * units))) }

// adviseTurn appends the discards and kans of a turn whose view Act has read.
func (e *evaluator) adviseTurn(v sim.View, legal *sim.ActionSet, dst []sim.Candidate) []sim.Candidate {
	d := discardActionsOf(v, legal)
	e.followAims(&e.now)
	e.bestDiscard(&e.now, d.kinds())
	for kinds := d.kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		dst = append(dst, e.discardCandidate(e.discardAction(&d, k), &e.now, k))
	}
	for _, a := range e.kans(legal) {
		e.layKan(a)
		dst = append(dst, e.candidateWithoutDiscard(a, &e.then))
	}
	return dst
}

// adviseClaim appends passing and the calls that lower the distance.
func (e *evaluator) adviseClaim(v sim.View, legal *sim.ActionSet, dst []sim.Candidate) []sim.Candidate {
	e.followAims(&e.now)
	pass := e.candidateWithoutDiscard(sim.ActPass, &e.now)
	pass.Total = thousandths(e.pursuitEV(e.winEV(&e.now), e.book.Rules.Shanten(&e.now.Hand, e.now.NumMelds)))
	dst = append(dst, pass)
	for i := range aim.FindCalls(legal, v.ClaimableTile().Kind(), &e.calls) {
		call := &e.calls[i]
		if k, _ := e.evaluateCall(call); k != tile.NoKind {
			dst = append(dst, e.discardCandidate(call.Action, &e.then, k))
		}
	}
	return dst
}

// discardCandidate returns the candidate of an action after which kind k is discarded from
// p, whose discards are evaluated.
func (e *evaluator) discardCandidate(a sim.Action, p *aim.Position, k tile.Kind) sim.Candidate {
	p.Hand.Remove(k)
	defer p.Hand.Add(k)
	return e.candidateOf(a, p, e.dealIn.dealInRate[k], e.discardWinEV[k], e.dealIn.dealInCost[k], e.discardTotal[k])
}

// candidateOf returns the candidate of an action that leads to p: the chance to deal in, and
// EVs in units.
func (e *evaluator) candidateOf(a sim.Action, p *aim.Position, dealInRate, winEV, dealInCost, total float64) sim.Candidate {
	return sim.Candidate{
		Action: a, Shanten: int8(e.book.Rules.Shanten(&p.Hand, p.NumMelds)), DealIn: int32(math.Round(float64(1e6 * dealInRate))),
		Gain: thousandths(winEV), Risk: thousandths(dealInCost), Total: thousandths(total),
	}
}

func (e *evaluator) candidateWithoutDiscard(a sim.Action, p *aim.Position) sim.Candidate {
	gain := e.winEV(p)
	return e.candidateOf(a, p, 0, gain, 0, gain)
}
