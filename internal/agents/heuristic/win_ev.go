package heuristic

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// evByUkeire is the EV of winning by an aim at a distance, in units, as a function of the
// ukeire: the number of unseen tiles that lower the distance.
type evByUkeire struct {
	byClosed, byOpen *chancesByUkeire
	restricted       bool
	closed, open     float64
}

func (e *evaluator) evByUkeire(p *aim.Position, c *followedAim, distance int) evByUkeire {
	restricted := c.restricted(p.Open)
	return evByUkeire{
		e.winChances.byUkeire(e.dealIn.threatened, restricted, distance, e.table.draws),
		e.winChances.byUkeire(e.dealIn.threatened, c.restrictedOpen, distance, e.table.draws),
		restricted, c.closed, c.open,
	}
}

// at returns the EV with a given ukeire: the better of staying closed and opening.
func (o *evByUkeire) at(ukeire int) float64 {
	value := float64(o.byClosed.at(ukeire) * o.closed)
	if o.open > 0 {
		value = max(value, float64(o.byOpen.at(ukeire)*o.open))
	}
	return value
}

func (o evByUkeire) typical(distance int) float64 { return o.at(typicalUkeire(distance, o.restricted)) }

// aimValues are the EVs of one hand by several aims: the highest, and their sum.
type aimValues struct{ best, sum float64 }

func (p *aimValues) add(value float64) {
	p.best = max(p.best, value)
	p.sum += value
}

// combine returns the EV of a hand by all its aims. Only one aim will be reached, but each
// may turn out to be the nearest, so the others count in part.
func (e *evaluator) combine(p *aimValues) float64 {
	return p.best + float64(e.weights[otherAims]*(p.sum-p.best))
}

// winEV returns the EV in units of winning with p by the followed aims; p is to draw next.
func (e *evaluator) winEV(p *aim.Position) float64 {
	var all aimValues
	if waits := e.waits(p); waits != 0 {
		all.add(e.tenpaiEV(p, waits))
	}
	for i := range e.numFollowed {
		c := &e.followed[i]
		n, ok := p.Need(c.rewarded.aim)
		if !ok {
			continue
		}
		if d := e.book.Distance(p, c.rewarded.aim, &n); d > 0 { // tenpai is in all already
			o := e.evByUkeire(p, c, d)
			all.add(o.at(e.completion.CountUnseen(e.book.ConnectedUkeire(p, c.rewarded.aim, &n, d, tile.All))))
		}
	}
	return e.combine(&all)
}

// evaluateDiscards fills afterDiscard for the allowed kinds, all of them in p, which is to
// discard and whose aims are followed.
func (e *evaluator) evaluateDiscards(p *aim.Position, allowed tile.Set) {
	mayBeTenpai := e.book.Rules.Shanten(&p.Hand, p.NumMelds) <= 0
	for kinds := allowed; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		e.afterDiscard[k] = aimValues{}
		if !mayBeTenpai {
			continue
		}
		p.Hand.Remove(k)
		if waits := e.waits(p); waits != 0 {
			e.pendingDiscard = k.Bit()
			e.afterDiscard[k].add(e.tenpaiEV(p, waits))
		}
		p.Hand.Add(k)
	}
	e.pendingDiscard = 0
	for i := range e.numFollowed {
		c := &e.followed[i]
		switch {
		case c.rewarded.aim.Shape != aim.Standard:
			e.evaluateShape(p, c, allowed)
		case c.rewarded.aim.Kinds == tile.All && c.need.Sets == 0:
			e.evaluatePlain(p, c, allowed)
		default:
			e.evaluateSets(p, c, allowed)
		}
	}
}

// evaluatePlain adds the EVs after the discards by an aim at any sets and a pair.
func (e *evaluator) evaluatePlain(p *aim.Position, c *followedAim, allowed tile.Set) {
	d := max(c.distance, 0)
	rest := allowed
	o := e.evByUkeire(p, c, d)
	for _, after := range e.discards[:p.Hand.BestDiscards(p.Sets, &e.discards)] {
		if d > 0 && allowed.Has(after.Kind) {
			e.afterDiscard[after.Kind].add(o.at(e.completion.CountUnseen(after.Ukeire)))
		}
		rest &^= after.Kind.Bit()
	}
	farther := e.evByUkeire(p, c, d+1).typical(d + 1)
	for ; rest != 0; rest = rest.Rest() {
		e.afterDiscard[rest.First()].add(farther)
	}
}

// evaluateSets does the same for an aim at certain sets or kinds.
func (e *evaluator) evaluateSets(p *aim.Position, c *followedAim, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.evByUkeire(p, c, d+1).typical(d + 1)
	rest, lacking := c.need.TakeFrom(p.Hand)
	missing := c.need.Missing(&p.Hand)
	sets := p.Sets - c.need.Sets
	// A tile that helps after a discard helps before it, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.book.ConnectedUkeire(p, c.rewarded.aim, &c.need, d, tile.All)
	}
	o := e.evByUkeire(p, c, d)
	keeping := func(useful, spare tile.Set) float64 {
		if d == 0 {
			return 0 // counted by tenpaiEV
		}
		return o.at(e.completion.CountUnseen((missing | useful&aim.Neighbors(spare)) & among))
	}
	spare := rest.Kinds()
	without := func(k tile.Kind) tile.Set {
		if rest.Count(k) == 1 {
			return spare &^ k.Bit()
		}
		return spare
	}
	if useless := allowed &^ c.rewarded.aim.Kinds; useless != 0 {
		value := farther
		if lacking+rest.ShantenOf(c.rewarded.aim.Kinds, sets) <= d {
			value = keeping(rest.UkeireOf(c.rewarded.aim.Kinds, sets), without(useless.First()))
		}
		for ; useless != 0; useless = useless.Rest() {
			e.afterDiscard[useless.First()].add(value)
		}
	}
	allowed &= c.rewarded.aim.Kinds
	if c.distance < 0 {
		return // complete, so tenpai without any tile
	}
	// Without a tile of one of the needed sets the hand is farther.
	for _, after := range e.discards[:rest.DiscardsOf(c.rewarded.aim.Kinds, allowed&spare, sets, d-lacking, &e.discards)] {
		e.afterDiscard[after.Kind].add(keeping(after.Ukeire, without(after.Kind)))
		allowed &^= after.Kind.Bit()
	}
	for ; allowed != 0; allowed = allowed.Rest() {
		e.afterDiscard[allowed.First()].add(farther)
	}
}

// evaluateShape does the same for an aim at another shape.
func (e *evaluator) evaluateShape(p *aim.Position, c *followedAim, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.evByUkeire(p, c, d+1).typical(d + 1)
	unusable, known := 0.0, false // EV after discarding a kind that the aim cannot use
	// A tile that helps after a discard helps before it, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.book.ConnectedUkeire(p, c.rewarded.aim, &c.need, d, tile.All)
	}
	o := e.evByUkeire(p, c, d)
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		if known && !c.rewarded.aim.Kinds.Has(k) {
			e.afterDiscard[k].add(unusable)
			continue
		}
		p.Hand.Remove(k)
		value := farther
		if e.book.Distance(p, c.rewarded.aim, &c.need) <= d {
			value = 0 // counted by tenpaiEV
			if d > 0 {
				value = o.at(e.completion.CountUnseen(e.book.ConnectedUkeire(p, c.rewarded.aim, &c.need, d, among)))
			}
		}
		p.Hand.Add(k)
		if !c.rewarded.aim.Kinds.Has(k) {
			unusable, known = value, true
		}
		e.afterDiscard[k].add(value)
	}
}

// waits returns the kinds that complete p, without those of which it holds all four.
func (e *evaluator) waits(p *aim.Position) tile.Set {
	return e.book.Rules.Waits(&p.Hand, p.NumMelds) &^ p.Hand.AtLeast(4)
}

// tenpaiEV returns the EV in units of a tenpai hand: the mean gain over its unseen winning
// tiles, times the chance to win. A wait in furiten counts as a self-draw.
func (e *evaluator) tenpaiEV(p *aim.Position, waits tile.Set) float64 {
	w := &e.completion.Win
	var furiten tile.Set
	switch own := (e.table.rivers[e.table.player] | e.pendingDiscard) & waits; {
	case e.book.Rules.RiverLock == ruleset.LockKind:
		furiten = own
	case e.book.Rules.RiverLock == ruleset.LockHand && own != 0:
		furiten = waits
	}
	sum, live := 0.0, 0.0
	for ; waits != 0; waits = waits.Rest() {
		k := waits.First()
		n := float64(e.completion.Unseen[k])
		if n == 0 {
			continue
		}
		e.completion.MakeWait(p, k)
		gain := e.winGain()
		if gain == 0 {
			w.SelfDraw = true
			if gain = e.winGain(); gain == 0 {
				continue
			}
			n = float64(n * selfDrawShare)
		} else if furiten.Has(k) {
			n = float64(n * selfDrawShare)
		}
		sum += float64(n * gain)
		live += n
	}
	if live == 0 {
		return 0
	}
	return float64(sum / live * e.winChances.at(e.dealIn.threatened, false, 0, max(int(live+0.5), 1), e.table.draws))
}
