package heuristic

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
)

// maxChosen is the number of aims that are followed at a time.
const maxChosen = 4

// chosen is an aim worth following from a position.
type chosen struct {
	*aim
	need     need
	distance int
	// closed and open are what it is worth in units, closed or opened from now
	// on; of an open hand closed counts.
	closed, open float64
	outlook      float64
}

// narrow reports whether an open or closed hand cannot do with any sets.
func (c *chosen) narrow(open bool) bool {
	switch {
	case c.class != plainClass:
		return c.shape != standard || c.kinds != tile.All || c.need.sets > 0
	case open:
		return c.aim.open == 0
	}
	return c.aim.closed == 0
}

// choose fills e.chosen with the aims that promise most from p.
func (e *evaluator) choose(p *position) {
	e.numChosen = 0
	nearest := hopeless
	for i := range e.aims {
		a := &e.aims[i]
		n := &a.need
		if p.numMelds > 0 {
			var ok bool
			if e.need, ok = p.needOf(a); !ok || !p.fits(a) {
				continue
			}
			n = &e.need
		}
		// Aims far behind the nearest hand are not worth a closer look.
		if n.sets > 0 && n.lacking(&p.hand) > nearest+1 || a.kinds != tile.All && p.farAtLeast(a) > nearest+2 {
			continue
		}
		d := e.distance(p, a, n)
		if d > nearest+2 {
			continue
		}
		c := chosen{aim: a, need: *n, distance: d, closed: a.closed, open: a.open}
		if p.open {
			c.closed = a.open
		}
		switch a.class {
		case plainClass:
			nearest = d
			fallthrough
		case otherClass:
			// No example tells what these are worth.
			e.appraise(p, &c)
		}
		e.insert(p, &c)
	}
	e.keepPromising()
	for i := range e.numChosen {
		if c := &e.chosen[i]; c.class != plainClass && c.class != otherClass {
			e.appraise(p, c)
		}
	}
	e.keepPromising()
}

// appraise finds what the aim is worth to p, and its outlook.
func (e *evaluator) appraise(p *position, c *chosen) {
	c.closed, c.open = 0, 0
	if e.complete(p, c.aim) {
		c.closed = e.completed(p, c.aim, false)
		if e.style.calls && !p.open && (c.aim.open > 0 || c.class == plainClass) {
			c.open = e.completed(p, c.aim, true)
		}
	}
	c.outlook = e.outlook(p, c, c.distance, usual(c.distance, c.narrow(p.open)))
}

// insert puts an aim among the chosen if it promises enough; of a class only the
// best is kept.
func (e *evaluator) insert(p *position, c *chosen) {
	c.outlook = e.outlook(p, c, c.distance, usual(c.distance, c.narrow(p.open)))
	place := e.numChosen
	for i := range e.numChosen {
		other := &e.chosen[i]
		if other.class == c.class {
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
		if e.chosen[i].outlook > promising*most {
			e.chosen[n] = e.chosen[i]
			n++
		}
	}
	e.numChosen = n
}

// outlook returns the units a hand can be expected to win by an aim at a distance
// with the given number of unseen useful tiles.
func (e *evaluator) outlook(p *position, c *chosen, distance, live int) float64 {
	value := e.chances.of(e.threatened, c.narrow(p.open), distance, live, e.draws) * c.closed
	if c.open > 0 {
		value = max(value, e.chances.of(e.threatened, c.narrow(true), distance, live, e.draws)*c.open)
	}
	return value
}

// live returns the number of unseen tiles of the kinds.
func (e *evaluator) live(kinds tile.Set) int {
	n := 0
	for ; kinds != 0; kinds = kinds.Rest() {
		n += int(e.unseen[kinds.First()])
	}
	return n
}

// prospects are the units a hand can be expected to win by its best aim, and by
// all added together.
type prospects struct{ best, sum float64 }

func (p *prospects) add(value float64) {
	p.best = max(p.best, value)
	p.sum += value
}

// hope returns what the hand is worth. Other aims than the best count in part:
// only one will be reached, but each may turn out to be the nearest.
func (p *prospects) hope() float64 { return p.best + otherAims*(p.sum-p.best) }

// hope returns the units that p, which has no tile too many, can be expected to
// win by the chosen aims.
func (e *evaluator) hope(p *position) float64 {
	var all prospects
	if waits := e.liveWaits(p); waits != 0 {
		all.add(e.readyHope(p, waits))
	}
	for i := range e.numChosen {
		c := &e.chosen[i]
		var ok bool
		if e.need, ok = p.needOf(c.aim); !ok || !p.fits(c.aim) {
			continue
		}
		if d := e.distance(p, c.aim, &e.need); d > 0 { // or else the waits have told
			all.add(e.outlook(p, c, d, e.live(e.useful(p, c.aim, &e.need, d, tile.All))))
		}
	}
	return all.hope()
}

// weighDiscards fills e.after for the allowed kinds, all of them held by p, which
// has a tile too many and for which e.chosen was chosen.
func (e *evaluator) weighDiscards(p *position, allowed tile.Set) {
	ready := e.rules.Shanten(&p.hand, p.numMelds) <= 0
	for kinds := allowed; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		e.after[k] = prospects{}
		if !ready {
			continue
		}
		p.hand.Remove(k)
		if waits := e.liveWaits(p); waits != 0 {
			e.dropped = k.Bit()
			e.after[k].add(e.readyHope(p, waits))
		}
		p.hand.Add(k)
	}
	e.dropped = 0
	for i := range e.numChosen {
		c := &e.chosen[i]
		switch {
		case c.shape != standard:
			e.weighShape(p, c, allowed)
		case c.kinds == tile.All && c.need.sets == 0:
			e.weighPlain(p, c, allowed)
		default:
			e.weighSets(p, c, allowed)
		}
	}
}

// weighPlain adds what an aim at any sets and a pair promises after the discards.
func (e *evaluator) weighPlain(p *position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	rest := allowed
	for _, after := range e.discards[:p.hand.BestDiscards(p.sets, &e.discards)] {
		if d > 0 && allowed.Has(after.Kind) {
			e.after[after.Kind].add(e.outlook(p, c, d, e.live(after.Useful)))
		}
		rest &^= after.Kind.Bit()
	}
	farther := e.outlook(p, c, d+1, usual(d+1, c.narrow(p.open)))
	for ; rest != 0; rest = rest.Rest() {
		e.after[rest.First()].add(farther)
	}
}

// weighSets does the same for an aim at certain sets or kinds.
func (e *evaluator) weighSets(p *position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.outlook(p, c, d+1, usual(d+1, c.narrow(p.open)))
	rest, lacking := c.need.taken(p.hand)
	missing := c.need.kinds[0]&^p.hand.AtLeast(1) | c.need.kinds[1]&^p.hand.AtLeast(2) | c.need.kinds[2]&^p.hand.AtLeast(3)
	sets, code := p.sets-c.need.sets, codesOf(&rest, c.kinds)
	classes := code.classes()
	// What helps the hand with a tile less helps the whole one, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.useful(p, c.aim, &c.need, d, tile.All)
	}
	keeping := func(kinds tile.Set) float64 {
		if d == 0 {
			return 0 // the waits have told
		}
		return e.outlook(p, c, d, e.live(missing&among|code.useful(sets, among&near(kinds))))
	}
	spare := rest.Kinds()
	without := func(k tile.Kind) tile.Set {
		if rest.Count(k) == 1 {
			return spare &^ k.Bit()
		}
		return spare
	}
	if useless := allowed &^ c.kinds; useless != 0 {
		value := farther
		if lacking+classes.Shanten(sets) <= d {
			value = keeping(without(useless.First()))
		}
		for ; useless != 0; useless = useless.Rest() {
			e.after[useless.First()].add(value)
		}
	}
	for allowed &= c.kinds; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		value := farther
		if c.distance < 0 {
			value = 0 // complete, so ready without any tile
		} else if spare.Has(k) { // and not needed for one of the sets
			s := k.Suit() & 3
			class := classes[s]
			code[s] -= pow5[k.Rank()]
			classes[s] = hand.ClassOf(k.Suit(), code[s])
			if lacking+classes.Shanten(sets) <= d {
				value = keeping(without(k))
			}
			code[s] += pow5[k.Rank()]
			classes[s] = class
		}
		e.after[k].add(value)
	}
}

// weighShape does the same for an aim at another shape.
func (e *evaluator) weighShape(p *position, c *chosen, allowed tile.Set) {
	d := max(c.distance, 0)
	farther := e.outlook(p, c, d+1, usual(d+1, c.narrow(p.open)))
	without, known := 0.0, false // a tile of a kind that the aim cannot use
	// What helps the hand with a tile less helps the whole one, too.
	among := tile.Set(0)
	if d > 0 {
		among = e.useful(p, c.aim, &c.need, d, tile.All)
	}
	for ; allowed != 0; allowed = allowed.Rest() {
		k := allowed.First()
		if known && !c.kinds.Has(k) {
			e.after[k].add(without)
			continue
		}
		p.hand.Remove(k)
		value := farther
		if e.distance(p, c.aim, &c.need) <= d {
			value = 0 // the waits have told
			if d > 0 {
				value = e.outlook(p, c, d, e.live(e.useful(p, c.aim, &c.need, d, among)))
			}
		}
		p.hand.Add(k)
		if !c.kinds.Has(k) {
			without, known = value, true
		}
		e.after[k].add(value)
	}
}

// liveWaits returns the kinds that complete p, without those it holds all of.
func (e *evaluator) liveWaits(p *position) tile.Set {
	return e.rules.Waits(&p.hand, p.numMelds) &^ p.hand.AtLeast(4)
}

// readyHope returns the units that a ready hand can be expected to win, each of
// its waits at its worth.
func (e *evaluator) readyHope(p *position, waits tile.Set) float64 {
	w := &e.win
	w.Melds, w.NumMelds = p.melds, uint8(p.numMelds)
	w.Flags = e.closedFlags
	if p.open {
		w.Flags = e.openFlags
	}
	var locked tile.Set // no win on a discard of these
	switch own := (e.rivers[e.player] | e.dropped) & waits; {
	case e.rules.RiverLock == ruleset.LockKind:
		locked = own
	case e.rules.RiverLock == ruleset.LockHand && own != 0:
		locked = waits
	}
	sum, live := 0.0, 0.0
	for ; waits != 0; waits = waits.Rest() {
		k := waits.First()
		n := float64(e.unseen[k])
		if n == 0 {
			continue
		}
		w.Hand = p.hand
		w.Hand.Add(k)
		w.Tile, w.SelfDraw = k, false
		w.Reds = e.redsIn(w)
		gain := e.gain()
		if gain == 0 {
			w.SelfDraw = true
			if gain = e.gain(); gain == 0 {
				continue
			}
			n *= selfDrawn
		} else if locked.Has(k) {
			n *= selfDrawn
		}
		sum += n * gain
		live += n
	}
	if live == 0 {
		return 0
	}
	return sum / live * e.chances.of(e.threatened, false, 0, max(int(live+0.5), 1), e.draws)
}

// redsIn returns how many red fives the complete hand of w holds.
func (e *evaluator) redsIn(w *ruleset.Win) uint8 {
	n := e.meldedReds
	for s, reds := range e.reds {
		if reds == 0 {
			continue
		}
		five := tile.Kind(9*s + 4)
		held := w.Hand.Count(five)
		for _, m := range w.Melds[min(e.now.numMelds, int(w.NumMelds)):w.NumMelds] {
			held += m.Count(five)
		}
		n += min(reds, uint8(held))
	}
	return n
}
