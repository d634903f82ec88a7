package heuristic

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// selfDrawn is the part of all wins that are self-draws.
const selfDrawn = 0.35

// worthOf returns the units that p wins when it is completed by the aim in a
// likely way; 0 if that may not win. With open, a set that a closed hand still
// lacks is claimed.
func (e *evaluator) worthOf(p *position, a *aim, open bool) float64 {
	if !e.complete(p, a) {
		return 0
	}
	return e.completed(p, a, open)
}

// complete finds the sets with which p makes the aim. It reports whether there
// are enough tiles for them.
func (e *evaluator) complete(p *position, a *aim) bool {
	return a.shape == sevenPairs || a.shape == otherShape || e.completeSets(p, a)
}

// completed returns the units that p wins with what complete has found.
func (e *evaluator) completed(p *position, a *aim, open bool) float64 {
	w := &e.win
	w.Hand = hand.Hand{}
	w.Melds, w.NumMelds = p.melds, uint8(p.numMelds)
	switch a.shape {
	case sevenPairs:
		e.completePairs(p)
	case otherShape:
		e.completeOther(p)
	default:
		for kinds := a.knitted; kinds != 0; kinds = kinds.Rest() {
			w.Hand.Add(kinds.First())
		}
		e.put(p, open)
	}
	w.Flags = e.closedFlags
	if p.open || open {
		w.Flags = e.openFlags
	}
	w.Reds = e.redsIn(w)
	w.SelfDraw = false
	return e.gain()
}

// completion is sets and a pair near to the tiles held, and how many tiles each
// set lacks.
type completion struct {
	sets    [hand.MaxSets]hand.Set
	lacking [hand.MaxSets]int
	n       int
	pair    tile.Kind
	dead    bool // a lacking tile is not to be had
}

// take moves the tiles of a set from h into c; those lacking come from e.spare.
func (e *evaluator) take(c *completion, h *hand.Hand, set hand.Set) {
	k := set.Kind()
	kinds := [3]tile.Kind{k, k, k}
	if set.IsSequence() {
		kinds = [3]tile.Kind{k, k + 1, k + 2}
	}
	for _, k := range kinds {
		if h.Count(k) > 0 {
			h.Remove(k)
		} else {
			e.spare[k]--
			c.lacking[c.n]++
			c.dead = c.dead || e.spare[k] < 0
		}
	}
	c.sets[c.n] = set
	c.n++
}

// runStarts are the lowest kinds of all sequences.
const runStarts tile.Set = 0x7f | 0x7f<<9 | 0x7f<<18

// completeSets puts into e.sets the sets with which p makes the aim, one by one
// those that lack least. It reports whether there are enough tiles for them.
func (e *evaluator) completeSets(p *position, a *aim) bool {
	c := &e.sets
	*c = completion{}
	h := p.hand
	sets := p.sets
	e.spare = e.unseen
	if a.knitted != 0 {
		sets -= 3
		for kinds := a.knitted; kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			if h.Count(k) > 0 {
				h.Remove(k)
			} else {
				e.spare[k]--
				c.dead = c.dead || e.spare[k] < 0
			}
		}
	}
	for _, set := range a.sets[:a.numSets] {
		if !p.hasMeld(set) {
			e.take(c, &h, set)
		}
	}
	runs := a.kinds & (a.kinds >> 1) & (a.kinds >> 2) & runStarts
	triplets := a.kinds
	switch a.shape {
	case tripletsAll:
		runs = 0
	case terminals:
		runs &= edges
		triplets &= tile.Orphans
	}
	for c.n < sets {
		set, ok := e.nextSet(&h, runs, triplets)
		if !ok {
			return false
		}
		e.take(c, &h, set)
	}
	return !c.dead && e.choosePair(c, &h, triplets)
}

// nextSet returns the set that lacks least of the tiles h: a complete one, or the
// one for which most tiles are unseen.
func (e *evaluator) nextSet(h *hand.Hand, runs, triplets tile.Set) (best hand.Set, ok bool) {
	low, pairs, threes := h.Kinds(), h.AtLeast(2), h.AtLeast(3)&triplets
	mid, high := low>>1, low>>2
	full := low & mid & high & runs
	switch {
	case threes&tile.HonorSet != 0:
		return hand.Triplet((threes & tile.HonorSet).First()), true
	case full != 0:
		return hand.Sequence(full.First()), true
	case threes != 0:
		return hand.Triplet(threes.First()), true
	}
	most := 0
	try := func(set hand.Set, score int) {
		if score > most {
			best, most = set, score
		}
	}
	// Dora weigh as much as a tile more, two-sided waits as much as the tiles of
	// the other side.
	const twoSides = 2
	for two := (low&mid | low&high | mid&high) & runs; two != 0; two = two.Rest() {
		k := two.First()
		lacking, sides := k, twoSides
		switch {
		case !high.Has(k):
			lacking = k + 2
		case !mid.Has(k):
			lacking, sides = k+1, 0
		}
		if lacking.Rank()%8 == 0 {
			sides = 0
		}
		if n := int(e.spare[lacking]); n > 0 {
			try(hand.Sequence(k), n+int(e.dora[lacking])+sides)
		}
	}
	if pairs.Len() > 1 || most == 0 { // one is kept for the pair
		for twos := pairs & triplets; twos != 0; twos = twos.Rest() {
			if k := twos.First(); e.spare[k] > 0 {
				try(hand.Triplet(k), int(e.spare[k])+int(e.dora[k]))
			}
		}
	}
	for one := (low | mid | high) & runs; most == 0 && one != 0; one = one.Rest() {
		if n := e.fewest(h, one.First()); n > 0 {
			best, most = hand.Sequence(one.First()), n
		}
	}
	for one := low & triplets; most == 0 && one != 0; one = one.Rest() {
		if k := one.First(); e.spare[k] > 1 {
			best, most = hand.Triplet(k), 1
		}
	}
	for ; most == 0 && runs != 0; runs = runs.Rest() {
		try(hand.Sequence(runs.First()), e.fewest(h, runs.First()))
	}
	for ; most == 0 && triplets != 0; triplets = triplets.Rest() {
		if k := triplets.First(); e.spare[k] > 2 {
			best, most = hand.Triplet(k), 1
		}
	}
	return best, most > 0
}

// copies returns how many tiles of kind k are in h or to spare.
func (e *evaluator) copies(h *hand.Hand, k tile.Kind) int { return h.Count(k) + int(e.spare[k]) }

// fewest returns the least of that among the kinds of the sequence from k.
func (e *evaluator) fewest(h *hand.Hand, k tile.Kind) int {
	return min(e.copies(h, k), e.copies(h, k+1), e.copies(h, k+2))
}

// choosePair chooses the pair of c from h, or else from the unseen tiles.
func (e *evaluator) choosePair(c *completion, h *hand.Hand, kinds tile.Set) bool {
	if pairs := h.AtLeast(2) & kinds; pairs != 0 {
		c.pair = pairs.First()
		return true
	}
	for _, among := range [...]tile.Set{h.Kinds() & kinds, kinds} {
		most := 1
		for ; among != 0; among = among.Rest() {
			if n := e.copies(h, among.First()); n > most {
				c.pair, most = among.First(), n
			}
		}
		if most > 1 {
			return true
		}
	}
	return false
}

// put adds e.sets to e.win; with open, a set that lacks a tile is melded.
func (e *evaluator) put(p *position, open bool) {
	w, c := &e.win, &e.sets
	claim := -1
	if open && !p.open {
		for i := range c.n {
			if claim < 0 || c.lacking[i] > c.lacking[claim] {
				claim = i
			}
		}
	}
	w.Tile = c.pair
	w.Hand.Add(c.pair)
	w.Hand.Add(c.pair)
	fewest := 3
	for i, set := range c.sets[:c.n] {
		k := set.Kind()
		m := hand.Meld{Type: hand.Pon, Kind: k, From: sim.NumPlayers - 1}
		kinds := [3]tile.Kind{k, k, k}
		if set.IsSequence() {
			m.Type = hand.Chi
			kinds = [3]tile.Kind{k, k + 1, k + 2}
		}
		if i == claim {
			w.Melds[w.NumMelds] = m
			w.NumMelds++
			continue
		}
		for _, k := range kinds {
			w.Hand.Add(k)
		}
		// The set that lacks least is completed last.
		if n := c.lacking[i]; n > 0 && n < fewest {
			fewest = n
			w.Tile = kinds[0]
			for _, k := range kinds {
				if p.hand.Count(k) == 0 {
					w.Tile = k
				}
			}
		}
	}
}

// completePairs puts the seven pairs nearest to p into e.win.
func (e *evaluator) completePairs(p *position) {
	w := &e.win
	n := 0
	add := func(kinds tile.Set) {
		for ; kinds != 0 && n < 7; kinds = kinds.Rest() {
			w.Tile = kinds.First()
			w.Hand.Add(w.Tile)
			w.Hand.Add(w.Tile)
			n++
		}
	}
	pairs := p.hand.AtLeast(2)
	add(pairs)
	var byUnseen [4]tile.Set
	for kinds := p.hand.Kinds() &^ pairs; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		byUnseen[e.unseen[k]&3] |= k.Bit()
	}
	for i := len(byUnseen) - 1; i >= 0; i-- {
		add(byUnseen[i])
	}
	add(tile.All &^ w.Hand.Kinds())
}

// completeOther puts a complete hand into e.win that p reaches by exchanging
// tiles one after another.
func (e *evaluator) completeOther(p *position) {
	w := &e.win
	w.Hand = p.hand
	d := e.rules.Shanten(&w.Hand, p.numMelds)
	for kinds := tile.All &^ p.hand.AtLeast(4); d >= 0 && kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		w.Hand.Add(k)
		if e.rules.Shanten(&w.Hand, p.numMelds) < d {
			d--
			w.Tile = k
		} else {
			w.Hand.Remove(k)
		}
	}
	for kinds := w.Hand.Kinds(); kinds != 0 && w.Hand.Len() > 3*p.sets+2; {
		k := kinds.First()
		w.Hand.Remove(k)
		useless := e.rules.Shanten(&w.Hand, p.numMelds) <= d
		if !useless {
			w.Hand.Add(k)
		}
		if !useless || w.Hand.Count(k) == 0 {
			kinds = kinds.Rest()
		}
	}
}

// gain returns the units that the win in e.win brings the viewer, debts and what
// he is spared included; 0 if it may not win.
func (e *evaluator) gain() float64 {
	v := &e.settlement.Winners[0].Value
	e.rules.Value(&e.win, v)
	if !v.OK {
		return 0
	}
	if !e.style.worth {
		*v = e.typical
	}
	onDiscard := 0.0
	if e.owing {
		for i := 1; i < sim.NumPlayers; i++ {
			onDiscard += e.settle(e.me, e.me.Next(i)) / (sim.NumPlayers - 1)
		}
	} else {
		// Without debts it does not matter much who pays.
		onDiscard = e.settle(e.me, e.me.Next(2))
	}
	return (1-selfDrawn)*onDiscard + selfDrawn*e.settle(e.me, ruleset.NoChair) + e.relief
}

// usualLoss returns the units that the viewer pays on average for a win among
// the others.
func (e *evaluator) usualLoss() float64 {
	e.settlement.Winners[0].Value = e.typical
	winner := e.me.Next(1)
	return -(1-selfDrawn)*e.settle(winner, e.me.Next(2)) - selfDrawn*e.settle(winner, ruleset.NoChair)
}

// settle returns the units that the viewer gains, owed ones included, when the
// value in e.settlement wins off from or, if that is NoChair, by self-draw.
func (e *evaluator) settle(winner, from ruleset.Chair) float64 {
	s := &e.settlement
	w := &s.Winners[0]
	s.NumPayments, s.From = 0, from
	w.Chair, w.Responsible = winner, from
	if e.debts {
		s.Ledger = e.ledger
	}
	e.rules.Settle(s)
	units := int32(0)
	for _, p := range s.Payments[:s.NumPayments] {
		switch e.me {
		case p.To:
			units += p.Amount
		case p.From:
			units -= p.Amount
		}
	}
	for c := ruleset.Chair(0); e.debts && c < sim.NumPlayers; c++ {
		units += s.Ledger[e.me][c].Points - e.ledger[e.me][c].Points
		units -= s.Ledger[c][e.me].Points - e.ledger[c][e.me].Points
	}
	return float64(units)
}
