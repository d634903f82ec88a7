package heuristic

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// forecast is the result of looking one draw ahead from a hand at shanten 1: which tenpai
// hands it may become and what these are worth.
type forecast struct {
	known       bool
	shanten     int
	ukeireKinds tile.Set // kinds that lower the shanten to sets and a pair
	// ukeire is the number of unseen tiles that make the hand tenpai; nextUkeire the sum
	// over them of the winning tiles left after the best discard.
	ukeire, nextUkeire int
	goodDraws          int // tiles of ukeire that lead to goodWait winning tiles or more
	// growth is the chance to win of the tenpai hands relative to that of typical ones; 1 if
	// unknown.
	growth float64
	// winEV is the EV of winning in units by the EVs of the tenpai hands; at other shanten
	// that of the candidate.
	winEV float64
}

// goodWait is the number of unseen winning tiles of a good wait.
const goodWait = 5

// tenpaiCache is a direct-mapped cache of the EVs of tenpai hands during one decision.
type tenpaiCache struct {
	hands [512]cachedTenpai
	stamp uint32
}

// cachedTenpai is the EV in units of a hand. It is valid while its stamp is that of the cache.
type cachedTenpai struct {
	codes [tile.Honors + 1]uint32
	stamp uint32
	drawn tile.Kind
	ev    float64
}

// lookAhead returns the forecast of a candidate. It is computed once.
func (x *Expert) lookAhead(a *candidate) *forecast {
	f, p := &a.forecast, &a.after
	if f.known {
		return f
	}
	*f = forecast{known: true, growth: 1, winEV: a.winEV}
	f.shanten, f.ukeireKinds = x.value.book.Rules.Shanten(&p.Hand, p.NumMelds), p.Hand.Ukeire(p.Sets)
	if f.shanten != 1 {
		return f
	}
	var useful, pairs tile.Set
	if p.Hand.Shanten(p.Sets) == 1 {
		useful = f.ukeireKinds
	}
	if p.NumMelds == 0 && p.Hand.Len() == 13 && p.Hand.PairsShanten() == 1 {
		pairs = p.Hand.PairsUkeire()
	}
	useful |= pairs
	if f.ukeire = x.value.completion.CountUnseen(useful); f.ukeire == 0 {
		return f
	}
	// Tenpai is reached after some of the draws.
	draws := max(x.value.table.draws/2, 1)
	if a.discard == tile.NoKind || p.NumMelds != x.value.now.NumMelds {
		// The same concealed tiles have another EV with other melds.
		x.tenpaiCache.stamp++
		defer func() { x.tenpaiCache.stamp++ }()
	}
	chances, evs := 0.0, 0.0
	then := &x.value.then
	*then = *p
	for ; useful != 0; useful = useful.Rest() {
		k := useful.First()
		n := int(x.value.completion.Unseen[k])
		if n == 0 {
			continue
		}
		then.Hand.Add(k)
		x.value.completion.Unseen[k]--
		most, ev := 0, 0.0
		if pairs.Has(k) {
			for odd := then.Hand.Kinds()&^then.Hand.AtLeast(2) | then.Hand.AtLeast(3); odd != 0; odd = odd.Rest() {
				ev = max(ev, x.tenpaiEVAfter(then, k, odd.First(), a, draws))
			}
		}
		// None if k only completes pairs.
		for _, d := range x.value.discards[:then.Hand.ReadyDiscards(then.Sets, &x.value.discards)] {
			live := x.value.completion.CountUnseen(d.Ukeire)
			if d.Ukeire.Has(k) {
				live--
			}
			most = max(most, live)
			ev = max(ev, x.tenpaiEVAfter(then, k, d.Kind, a, draws))
		}
		x.value.completion.Unseen[k]++
		then.Hand.Remove(k)
		f.nextUkeire += n * most
		if most >= goodWait {
			f.goodDraws += n
		}
		chances += float64(float64(n) * x.value.winChances.at(x.value.dealIn.threatened, false, 0, most, draws))
		evs += float64(float64(n) * ev)
	}
	typical := float64(f.ukeire) * x.value.winChances.at(x.value.dealIn.threatened, false, 0, int(meanUkeire[0]), draws)
	f.growth = chances / typical
	f.winEV = float64(x.value.winChances.at(x.value.dealIn.threatened, false, 1, f.ukeire, x.value.table.draws)*evs) / typical
	return f
}

// tenpaiEVAfter returns the EV in units of p after drawing a tile and discarding kind k, which
// comes after the discard of the candidate; 0 if it is not tenpai then.
func (x *Expert) tenpaiEVAfter(p *aim.Position, drawn, k tile.Kind, a *candidate, draws int) float64 {
	p.Hand.Remove(k)
	codes := handCodes(&p.Hand)
	at := &x.tenpaiCache.hands[mix(&codes, uint32(drawn))>>23]
	if at.stamp != x.tenpaiCache.stamp || at.drawn != drawn || at.codes != codes {
		*at = cachedTenpai{codes: codes, stamp: x.tenpaiCache.stamp, drawn: drawn}
		if waits := x.value.waits(p); waits != 0 {
			left := x.value.table.draws
			x.value.table.draws, x.value.pendingDiscard = draws, k.Bit()|kindSet(a.discard)
			at.ev = x.value.tenpaiEV(p, waits)
			x.value.table.draws, x.value.pendingDiscard = left, 0
		}
	}
	p.Hand.Add(k)
	return at.ev
}
