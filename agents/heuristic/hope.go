package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim/aim"
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
	e.numChosen, e.places = 0, [aim.NumClasses]uint8{}
	list := e.fitting.Of(p)
	// The first is the plain one, which all melds leave possible. Aims far behind it are
	// not worth a closer look.
	nearest := e.try(p, &list[0], aim.Hopeless)
	for _, i := range e.fitting.Reachable(p, list, nearest) {
		e.try(p, &list[i], nearest)
	}
	e.keepPromising()
	for i := range e.numChosen {
		if c := &e.chosen[i]; c.Class != aim.Plain && c.Class != aim.OtherShape {
			c.closed, c.open = e.worth(p, c.rewarded)
			c.outlook = e.outlooks(p, c, c.distance).usual(c.distance)
		}
	}
	e.keepPromising()
}

// try takes a fitting aim among the chosen if it is not far behind the nearest hand and
// promises enough; of a class only the best is kept. It returns how far the aim is.
func (e *evaluator) try(p *aim.Position, fit *aim.Fit, nearest int) int {
	a, n := &e.aims[fit.Index], &fit.Need
	d := e.book.Distance(p, a.Aim, n)
	if d > nearest+2 {
		return d
	}
	c := &e.tried
	c.rewarded, c.distance = a, d
	c.closed, c.open = a.closed, a.open
	if c.narrowClosed, c.narrowOpen = a.closed == 0, a.open == 0; a.Class != aim.Plain {
		c.narrowClosed = a.Shape != aim.Standard || a.Kinds != tile.All || n.Sets > 0
		c.narrowOpen = c.narrowClosed
	}
	if p.Open {
		c.closed = a.open
	}
	if a.Class == aim.Plain || a.Class == aim.OtherShape {
		// No example tells what these are worth.
		c.closed, c.open = e.worth(p, a)
	}
	c.outlook = e.outlooks(p, c, d).usual(d)
	place := int(e.places[a.Class]) - 1
	if place < 0 {
		place = e.leastChosen()
	}
	if place == e.numChosen {
		e.numChosen++
	} else if other := &e.chosen[place]; other.outlook < c.outlook {
		e.places[other.Class] = 0
	} else {
		return d
	}
	e.places[a.Class] = uint8(place + 1)
	c.need = *n
	e.chosen[place] = *c
	return d
}

// leastChosen returns the place of an aim not yet chosen: a free one, or that of the
// chosen aim that promises least.
func (e *evaluator) leastChosen() int {
	place := e.numChosen
	if place < maxChosen {
		return place
	}
	place = 0
	for i := range e.chosen {
		if e.chosen[i].outlook < e.chosen[place].outlook {
			place = i
		}
	}
	return place
}

// worth finds what an aim is worth to p, closed and open.
func (e *evaluator) worth(p *aim.Position, a *rewarded) (closed, open float64) {
	if e.Find(p, a.Aim) {
		closed = e.completed(p, a.Aim, false)
		if e.style.calls && !p.Open && (a.open > 0 || a.Class == aim.Plain) {
			open = e.completed(p, a.Aim, true)
		}
	}
	return closed, open
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
			if n != i {
				e.chosen[n] = e.chosen[i]
			}
			n++
		}
	}
	e.numChosen = n
}

// outlooks are the units a hand can be expected to win by an aim at a distance, closed
// and open, by the number of unseen useful tiles.
type outlooks struct {
	byClosed, byOpen *chancesByLive
	narrow           bool
	closed, open     float64
}

// outlooks returns those of p by a chosen aim.
func (e *evaluator) outlooks(p *aim.Position, c *chosen, distance int) outlooks {
	narrow := c.narrow(p.Open)
	return outlooks{
		e.chances.far(e.threatened, narrow, distance, e.draws),
		e.chances.far(e.threatened, c.narrowOpen, distance, e.draws),
		narrow, c.closed, c.open,
	}
}

// of returns the outlook with a number of useful tiles.
func (o *outlooks) of(live int) float64 {
	value := float64(o.byClosed.of(live) * o.closed)
	if o.open > 0 {
		value = max(value, float64(o.byOpen.of(live)*o.open))
	}
	return value
}

// usual returns the outlook with as many useful tiles as hands usually have that are so
// far away.
func (o outlooks) usual(distance int) float64 { return o.of(usual(distance, o.narrow)) }

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
			o := e.outlooks(p, c, d)
			all.add(o.of(e.Live(e.book.Joining(p, c.Aim, &n, d, tile.All))))
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
	o := e.outlooks(p, c, d)
	for _, after := range e.discards[:p.Hand.BestDiscards(p.Sets, &e.discards)] {
		if d > 0 && allowed.Has(after.Kind) {
			e.after[after.Kind].add(o.of(e.Live(after.Useful)))
		}
		rest &^= after.Kind.Bit()
	}
	farther := e.outlooks(p, c, d+1).usual(d + 1)
	for ; rest != 0; rest = rest.Rest() {
		e.after[rest.First()].add(farther)
	}
}

// weighSets does the same for an aim at certain sets or kinds.
func (e *evaluator) weighSets(p *aim.Position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.outlooks(p, c, d+1).usual(d + 1)
	rest, lacking := c.need.Take(p.Hand)
	missing := c.need.Missing(&p.Hand)
	sets := p.Sets - c.need.Sets
	// What helps the hand with a tile less helps the whole one, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.book.Joining(p, c.Aim, &c.need, d, tile.All)
	}
	o := e.outlooks(p, c, d)
	keeping := func(useful, spare tile.Set) float64 {
		if d == 0 {
			return 0 // the waits have told
		}
		return o.of(e.Live((missing | useful&aim.Near(spare)) & among))
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
	farther := e.outlooks(p, c, d+1).usual(d + 1)
	without, known := 0.0, false // a tile of a kind that the aim cannot use
	// What helps the hand with a tile less helps the whole one, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.book.Joining(p, c.Aim, &c.need, d, tile.All)
	}
	o := e.outlooks(p, c, d)
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
				value = o.of(e.Live(e.book.Joining(p, c.Aim, &c.need, d, among)))
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
