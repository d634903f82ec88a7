package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// foreseen is what an expert sees when it looks one useful tile ahead, from a hand that
// is one exchange from ready.
type foreseen struct {
	known bool
	// shanten is that of where it is, useful the kinds that bring it nearer to sets and a
	// pair.
	shanten int
	useful  tile.Set
	// live is how many useful tiles are unseen, accepts the same after each of these and
	// the discard that leaves most, all together.
	live, accepts int
	// good is how many of the useful tiles leave at least goodWait.
	good int
	// growth is how good the ready hands that come of it are beside usual ones; 1 if
	// that is not known.
	growth float64
	// gains are the units that the hand can be expected to win by what the ready hands
	// are worth that it may become, or else hope.
	gains float64
}

// goodWait is how many unseen tiles complete a hand that is well ready.
const goodWait = 5

// ahead is where foresight remembers what ready hands promise during a decision; hands
// that share a place push each other out.
type ahead struct {
	ready [512]readyHand
	stamp uint32
}

// readyHand is what a hand promises. It holds for the decision of the stamp.
type readyHand struct {
	codes [tile.Honors + 1]uint32
	stamp uint32
	drawn tile.Kind
	hope  float64
}

// foresee returns what a look ahead tells of an action.
func (x *Expert) foresee(a *considered) *foreseen {
	f, p := &a.ahead, &a.after
	if f.known {
		return f
	}
	*f = foreseen{known: true, growth: 1, gains: a.hope}
	f.shanten, f.useful = x.book.Rules.Shanten(&p.Hand, p.NumMelds), p.Hand.Useful(p.Sets)
	if f.shanten != 1 {
		return f
	}
	var useful, pairs tile.Set
	if p.Hand.Shanten(p.Sets) == 1 {
		useful = f.useful
	}
	if p.NumMelds == 0 && p.Hand.Len() == 13 && p.Hand.PairsShanten() == 1 {
		pairs = p.Hand.PairsUseful()
	}
	useful |= pairs
	if f.live = x.Live(useful); f.live == 0 {
		return f
	}
	// Ready is reached after some of the draws.
	draws := max(x.draws/2, 1)
	if a.discard == tile.NoKind || p.NumMelds != x.now.NumMelds {
		// The same tiles are worth something else beside other melds and discards.
		x.ahead.stamp++
		defer func() { x.ahead.stamp++ }()
	}
	sum, hopes := 0.0, 0.0
	then := &x.then
	*then = *p
	for ; useful != 0; useful = useful.Rest() {
		k := useful.First()
		n := int(x.Unseen[k])
		if n == 0 {
			continue
		}
		then.Hand.Add(k)
		x.Unseen[k]--
		most, hope := 0, 0.0
		list := x.discards[:then.Hand.ReadyDiscards(then.Sets, &x.discards)] // none if only pairs come nearer
		if pairs.Has(k) {
			for odd := then.Hand.Kinds()&^then.Hand.AtLeast(2) | then.Hand.AtLeast(3); odd != 0; odd = odd.Rest() {
				hope = max(hope, x.readyAfter(then, k, odd.First(), a, draws))
			}
		}
		for _, d := range list {
			live := x.Live(d.Useful)
			if d.Useful.Has(k) {
				live--
			}
			most = max(most, live)
			hope = max(hope, x.readyAfter(then, k, d.Kind, a, draws))
		}
		x.Unseen[k]++
		then.Hand.Remove(k)
		f.accepts += n * most
		if most >= goodWait {
			f.good += n
		}
		sum += float64(float64(n) * x.chances.of(x.threatened, false, 0, most, draws))
		hopes += float64(float64(n) * hope)
	}
	all := float64(f.live) * x.chances.of(x.threatened, false, 0, int(usualLive[0]), draws)
	f.growth = sum / all
	f.gains = float64(x.chances.of(x.threatened, false, 1, f.live, x.draws)*hopes) / all
	return f
}

// readyAfter returns the units that a position can be expected to win when it has drawn a
// tile and gives up one of kind k after what an action gave up; 0 if it is not ready then.
func (x *Expert) readyAfter(p *aim.Position, drawn, k tile.Kind, a *considered, draws int) float64 {
	p.Hand.Remove(k)
	h := &p.Hand
	codes := [...]uint32{h.Code(0), h.Code(1), h.Code(2), h.Code(tile.Honors)}
	at := &x.ahead.ready[(codes[0]*0x9e3779b1^codes[1]*0x85ebca77^codes[2]*0xc2b2ae3d^codes[3]*0x27d4eb2f)>>23]
	if at.stamp != x.ahead.stamp || at.drawn != drawn || at.codes != codes {
		*at = readyHand{codes: codes, stamp: x.ahead.stamp, drawn: drawn}
		if waits := x.liveWaits(p); waits != 0 {
			left := x.draws
			x.draws, x.dropped = draws, k.Bit()|maskOf(a.discard)
			at.hope = x.readyHope(p, waits)
			x.draws, x.dropped = left, 0
		}
	}
	p.Hand.Add(k)
	return at.hope
}
