package heuristic

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim/aim"
)

// maxChosen is the number of aims that are followed at a time.
const maxChosen = 4

// chosen is an aim worth following from a position.
type chosen struct {
	*rewarded
	need     aim.Need
	distance int
	// closed and open are what it is worth in units, closed or opened from now
	// on; of an open hand closed counts.
	closed, open float64
	outlook      float64
	// narrowClosed and narrowOpen tell whether a closed and an open hand cannot do with
	// any sets.
	narrowClosed, narrowOpen bool
}

// narrow reports whether an open or closed hand cannot do with any sets.
func (c *chosen) narrow(open bool) bool {
	if open {
		return c.narrowOpen
	}
	return c.narrowClosed
}

// choose fills e.chosen with the aims that promise most from p.
func (e *evaluator) choose(p *aim.Position) {
	e.numChosen = 0
	nearest := aim.Hopeless
	list := e.fitting.Of(p)
	for i := range list {
		a, n := &e.aims[list[i].Index], &list[i].Need
		// Aims far behind the nearest hand are not worth a closer look.
		if n.Sets > 0 && n.Lacking(&p.Hand) > nearest+1 || a.Kinds != tile.All && p.FarAtLeast(a.Aim) > nearest+2 {
			continue
		}
		d := e.book.Distance(p, a.Aim, n)
		if d > nearest+2 {
			continue
		}
		c := chosen{rewarded: a, need: *n, distance: d, closed: a.closed, open: a.open}
		if c.narrowClosed, c.narrowOpen = a.closed == 0, a.open == 0; a.Class != aim.Plain {
			c.narrowClosed = a.Shape != aim.Standard || a.Kinds != tile.All || n.Sets > 0
			c.narrowOpen = c.narrowClosed
		}
		if p.Open {
			c.closed = a.open
		}
		switch a.Class {
		case aim.Plain:
			nearest = d
			fallthrough
		case aim.OtherShape:
			// No example tells what these are worth.
			e.appraise(p, &c)
		}
		e.insert(p, &c)
	}
	e.keepPromising()
	for i := range e.numChosen {
		if c := &e.chosen[i]; c.Class != aim.Plain && c.Class != aim.OtherShape {
			e.appraise(p, c)
		}
	}
	e.keepPromising()
}

// appraise finds what the aim is worth to p, and its outlook.
func (e *evaluator) appraise(p *aim.Position, c *chosen) {
	c.closed, c.open = 0, 0
	if e.Find(p, c.Aim) {
		c.closed = e.completed(p, c.Aim, false)
		if e.style.calls && !p.Open && (c.rewarded.open > 0 || c.Class == aim.Plain) {
			c.open = e.completed(p, c.Aim, true)
		}
	}
	c.outlook = e.outlook(p, c, c.distance, usual(c.distance, c.narrow(p.Open)))
}

// insert puts an aim among the chosen if it promises enough; of a class only the
// best is kept.
func (e *evaluator) insert(p *aim.Position, c *chosen) {
	c.outlook = e.outlook(p, c, c.distance, usual(c.distance, c.narrow(p.Open)))
	place := e.numChosen
	for i := range e.numChosen {
		other := &e.chosen[i]
		if other.Class == c.Class {
			place = i
			break
		}
		if e.numChosen == maxChosen && (place == maxChosen || other.outlook < e.chosen[place].outlook) {
			place = i
		}
	}
	if place == e.numChosen {
		e.numChosen++
	} else if e.chosen[place].outlook >= c.outlook {
		return
	}
	e.chosen[place] = *c
}

// keepPromising drops the chosen aims that promise little beside the best.
func (e *evaluator) keepPromising() {
	most := 0.0
	for i := range e.numChosen {
		most = max(most, e.chosen[i].outlook)
	}
	n := 0
	for i := range e.numChosen {
		if e.chosen[i].outlook > e.weights[promising]*most {
			e.chosen[n] = e.chosen[i]
			n++
		}
	}
	e.numChosen = n
}

// outlook returns the units a hand can be expected to win by an aim at a distance
// with the given number of unseen useful tiles.
func (e *evaluator) outlook(p *aim.Position, c *chosen, distance, live int) float64 {
	value := float64(e.chances.of(e.threatened, c.narrow(p.Open), distance, live, e.draws) * c.closed)
	if c.open > 0 {
		value = max(value, float64(e.chances.of(e.threatened, c.narrow(true), distance, live, e.draws)*c.open))
	}
	return value
}

// prospects are the units a hand can be expected to win by its best aim, and by
// all added together.
type prospects struct{ best, sum float64 }

func (p *prospects) add(value float64) {
	p.best = max(p.best, value)
	p.sum += value
}

// hopeOf returns what a hand of these prospects is worth. Other aims than the best count in part:
// only one will be reached, but each may turn out to be the nearest.
func (e *evaluator) hopeOf(p *prospects) float64 {
	return p.best + float64(e.weights[otherAims]*(p.sum-p.best))
}

// hope returns the units that p, which has no tile too many, can be expected to
// win by the chosen aims.
func (e *evaluator) hope(p *aim.Position) float64 {
	var all prospects
	if waits := e.liveWaits(p); waits != 0 {
		all.add(e.readyHope(p, waits))
	}
	for i := range e.numChosen {
		c := &e.chosen[i]
		n, ok := p.Need(c.Aim)
		if !ok {
			continue
		}
		if d := e.book.Distance(p, c.Aim, &n); d > 0 { // or else the waits have told
			all.add(e.outlook(p, c, d, e.Live(e.book.Joining(p, c.Aim, &n, d, tile.All))))
		}
	}
	return e.hopeOf(&all)
}

// weighDiscards fills e.after for the allowed kinds, all of them held by p, which
// has a tile too many and for which e.chosen was chosen.
func (e *evaluator) weighDiscards(p *aim.Position, allowed tile.Set) {
	ready := e.book.Rules.Shanten(&p.Hand, p.NumMelds) <= 0
	for kinds := allowed; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		e.after[k] = prospects{}
		if !ready {
			continue
		}
		p.Hand.Remove(k)
		if waits := e.liveWaits(p); waits != 0 {
			e.dropped = k.Bit()
			e.after[k].add(e.readyHope(p, waits))
		}
		p.Hand.Add(k)
	}
	e.dropped = 0
	for i := range e.numChosen {
		c := &e.chosen[i]
		switch {
		case c.Shape != aim.Standard:
			e.weighShape(p, c, allowed)
		case c.Kinds == tile.All && c.need.Sets == 0:
			e.weighPlain(p, c, allowed)
		default:
			e.weighSets(p, c, allowed)
		}
	}
}

// weighPlain adds what an aim at any sets and a pair promises after the discards.
func (e *evaluator) weighPlain(p *aim.Position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	rest := allowed
	for _, after := range e.discards[:p.Hand.BestDiscards(p.Sets, &e.discards)] {
		if d > 0 && allowed.Has(after.Kind) {
			e.after[after.Kind].add(e.outlook(p, c, d, e.Live(after.Useful)))
		}
		rest &^= after.Kind.Bit()
	}
	farther := e.outlook(p, c, d+1, usual(d+1, c.narrow(p.Open)))
	for ; rest != 0; rest = rest.Rest() {
		e.after[rest.First()].add(farther)
	}
}

// weighSets does the same for an aim at certain sets or kinds.
func (e *evaluator) weighSets(p *aim.Position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.outlook(p, c, d+1, usual(d+1, c.narrow(p.Open)))
	rest, lacking := c.need.Take(p.Hand)
	missing := c.need.Missing(&p.Hand)
	sets := p.Sets - c.need.Sets
	// What helps the hand with a tile less helps the whole one, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.book.Joining(p, c.Aim, &c.need, d, tile.All)
	}
	keeping := func(useful, spare tile.Set) float64 {
		if d == 0 {
			return 0 // the waits have told
		}
		return e.outlook(p, c, d, e.Live((missing|useful&aim.Near(spare))&among))
	}
	spare := rest.Kinds()
	without := func(k tile.Kind) tile.Set {
		if rest.Count(k) == 1 {
			return spare &^ k.Bit()
		}
		return spare
	}
	if useless := allowed &^ c.Kinds; useless != 0 {
		value := farther
		if lacking+rest.ShantenOf(c.Kinds, sets) <= d {
			value = keeping(rest.UsefulOf(c.Kinds, sets), without(useless.First()))
		}
		for ; useless != 0; useless = useless.Rest() {
			e.after[useless.First()].add(value)
		}
	}
	allowed &= c.Kinds
	if c.distance < 0 {
		return // complete, so ready without any tile
	}
	// What is needed for one of the sets leads farther.
	for _, after := range e.discards[:rest.DiscardsOf(c.Kinds, allowed&spare, sets, d-lacking, &e.discards)] {
		e.after[after.Kind].add(keeping(after.Useful, without(after.Kind)))
		allowed &^= after.Kind.Bit()
	}
	for ; allowed != 0; allowed = allowed.Rest() {
		e.after[allowed.First()].add(farther)
	}
}

// weighShape does the same for an aim at another shape.
func (e *evaluator) weighShape(p *aim.Position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.outlook(p, c, d+1, usual(d+1, c.narrow(p.Open)))
	without, known := 0.0, false // a tile of a kind that the aim cannot use
	// What helps the hand with a tile less helps the whole one, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.book.Joining(p, c.Aim, &c.need, d, tile.All)
	}
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		if known && !c.Kinds.Has(k) {
			e.after[k].add(without)
			continue
		}
		p.Hand.Remove(k)
		value := farther
		if e.book.Distance(p, c.Aim, &c.need) <= d {
			value = 0 // the waits have told
			if d > 0 {
				value = e.outlook(p, c, d, e.Live(e.book.Joining(p, c.Aim, &c.need, d, among)))
			}
		}
		p.Hand.Add(k)
		if !c.Kinds.Has(k) {
			without, known = value, true
		}
		e.after[k].add(value)
	}
}

// liveWaits returns the kinds that complete p, without those it holds all of.
func (e *evaluator) liveWaits(p *aim.Position) tile.Set {
	return e.book.Rules.Waits(&p.Hand, p.NumMelds) &^ p.Hand.AtLeast(4)
}

// readyHope returns the units that a ready hand can be expected to win, each of
// its waits at its worth.
func (e *evaluator) readyHope(p *aim.Position, waits tile.Set) float64 {
	w := &e.Win
	var locked tile.Set // no win on a discard of these
	switch own := (e.rivers[e.player] | e.dropped) & waits; {
	case e.book.Rules.RiverLock == ruleset.LockKind:
		locked = own
	case e.book.Rules.RiverLock == ruleset.LockHand && own != 0:
		locked = waits
	}
	sum, live := 0.0, 0.0
	for ; waits != 0; waits = waits.Rest() {
		k := waits.First()
		n := float64(e.Unseen[k])
		if n == 0 {
			continue
		}
		e.Wait(p, k)
		gain := e.gain()
		if gain == 0 {
			w.SelfDraw = true
			if gain = e.gain(); gain == 0 {
				continue
			}
			n = float64(n * selfDrawn)
		} else if locked.Has(k) {
			n = float64(n * selfDrawn)
		}
		sum += float64(n * gain)
		live += n
	}
	if live == 0 {
		return 0
	}
	return float64(sum / live * e.chances.of(e.threatened, false, 0, max(int(live+0.5), 1), e.draws))
}
