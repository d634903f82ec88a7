package heuristic

import (
	"math"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// Where the rules pay those who are ready when the wall is exhausted, a hand that can no
// longer win may still be made ready, or kept so.

// lateDraws is the most own draws left at which that is looked at. With four it costs what
// it brings.
const lateDraws = 3

// paysReady reports whether being ready when the wall is exhausted is paid for.
func paysReady(r *ruleset.Rules) bool {
	end := ruleset.Settlement{Ready: 1}
	r.Drawn(&end)
	return end.NumPayments > 0
}

// late reports whether it is worth a look whether the hand will be ready when the wall is
// exhausted.
func (x *Expert) late() bool { return x.readyPays && x.draws <= lateDraws }

// leavingReady returns those of the kinds whose discard leaves p, which has a tile too
// many, ready in any shape.
func (x *Expert) leavingReady(p *aim.Position, kinds tile.Set) (leaving tile.Set) {
	for kinds &= p.Hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		p.Hand.Remove(k)
		if x.book.Rules.Shanten(&p.Hand, p.NumMelds) <= 0 {
			leaving |= k.Bit()
		}
		p.Hand.Add(k)
	}
	return leaving
}

// keepingReady returns the discard of the kinds that promises most of those that leave p
// ready; NoKind if none does.
func (x *Expert) keepingReady(p *aim.Position, kinds tile.Set) tile.Kind {
	best, most := tile.NoKind, math.Inf(-1)
	for leaving := x.leavingReady(p, kinds); leaving != 0; leaving = leaving.Rest() {
		if k := leaving.First(); x.totals[k] > most {
			best, most = k, x.totals[k]
		}
	}
	return best
}

// callToBeReady returns the discard that follows a chi or pon by which a hand becomes ready
// that was not; no kind if it does not. x.then is the position between them.
func (x *Expert) callToBeReady(call *aim.Call) tile.Kind {
	e, p := &x.evaluator, &x.then
	if e.book.Rules.Shanten(&e.now.Hand, e.now.NumMelds) <= 0 {
		return tile.NoKind
	}
	*p = e.now
	p.Call(call)
	kinds := x.leavingReady(p, p.Discardable(call, e.book.Rules))
	if kinds == 0 {
		return tile.NoKind
	}
	chosen, n := e.chosen, e.numChosen
	e.choose(p)
	k, _ := e.best(p, kinds)
	e.chosen, e.numChosen = chosen, n
	return k
}
