package hktw

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// chows are sequences by their lowest kind: all of them, and those that are
// concealed.
type chows struct{ all, hidden tile.Copies }

// composition is a standard reading: five sets and a pair, one of which the
// winning tile completed.
type composition struct {
	chows  chows
	pungs  tile.Set
	pair   tile.Kind
	hidden int  // concealed pungs, and kans that count as such
	single bool // the winning tile completed the pair or the inside of a sequence
	pung   bool // it completed a pung
}

// divide considers all readings of a division into sets and a pair: the winning
// tile may have completed any of them that holds its kind.
func (e *evaluation) divide(d hand.Division, best *reading) {
	// Which place the tile took decides waits and what is open ([H] 4.1). The places of a declared
	// meld are not among them: d divides the concealed tiles alone.
	t := e.win.Tile.Bit()
	if d.Pair == e.win.Tile {
		e.compose(d, 0, 0, best)
	}
	if pung := d.Triplets() & t; pung != 0 {
		e.compose(d, 0, pung, best)
	}
	// Lowest kinds of the sequences that hold the tile: it may be the first, second or third.
	for starts := d.Runs() & (t | t>>1 | t>>2); starts != 0; starts = starts.Rest() {
		e.compose(d, starts.First().Bit(), 0, best)
	}
}

// compose considers the reading in which the winning tile completed the given chow
// or pung, or the pair where it is neither.
func (e *evaluation) compose(d hand.Division, chow, pung tile.Set, best *reading) {
	c := composition{
		chows: e.chows, pungs: e.pungs | d.Triplets(), pair: d.Pair, hidden: e.hidden + d.Triplets().Len(),
		single: chow|pung == 0, pung: pung != 0,
	}
	d.AddRuns(&c.chows.all)
	d.AddRuns(&c.chows.hidden)
	if !e.win.SelfDraw && e.scorer.knobs.DiscardOpensMeld { // [H] 4.2
		// A set that a discard completed is open, and with it the combinations that it takes part
		// in.
		c.chows.hidden.Remove(chow)
		c.hidden -= pung.Len()
	}
	if chow != 0 {
		k := chow.First()
		in := e.win.Tile - k
		// The middle, the third of 1-2-3 and the first of 7-8-9 wait for one kind ([H] 4.5.8).
		c.single = in == 1 || in == 2 && k.Rank() == 0 || in == 0 && k.Rank() == 6
	}
	// What can be ruled out by a glance at a set of kinds is not called: this runs for each place of
	// the winning tile in each division.
	t := e.sets
	e.countGroups(&t, &c)
	if c.chows.all[0] != 0 {
		e.countChows(&t, &c)
	}
	if c.pungs != 0 {
		e.countPungs(&t, &c)
	}
	if e.quads != 0 {
		e.countReturns(&t, &c)
	}
	t.addIf(c.pair < tile.East && (c.pair.Rank()%3 == 1), pair258)
	t.addIf(c.pung, pungWait)
	if c.single {
		e.countSingle(&t)
	}
	e.consider(&t, best)
}

// countSingle counts a wait for a single place: one that no other kind could have
// filled, or one of several.
func (e *evaluation) countSingle(t *fanCount) {
	if e.isOnlyWait() {
		t.add(trueSingle)
	} else {
		t.add(fakeSingle)
	}
}

// countGroups counts what the sets and the pair as groups make ([H] 4.5.5).
func (e *evaluation) countGroups(t *fanCount, c *composition) {
	chows := c.chows.all[0]
	groups := c.pungs | c.pair.Bit()
	// Sequences 1-2-3 and 7-8-9 alone have a terminal.
	if chows&^tile.EdgeSequences == 0 && groups&^tile.Orphans == 0 {
		e.countOutside(t)
	}
	// Ranks common to all suited groups, and the number of these. A sequence has three ranks, so
	// the common ranks of several are an intersection; honors are exempt ([H] 4.5.5).
	common, n := tile.Ranks, 0
	for i := range 3 {
		starts, others := chows>>(9*i)&tile.Ranks, groups>>(9*i)&tile.Ranks
		for ; starts != 0; starts &= starts - 1 {
			common &= 7 * (starts & -starts)
		}
		for ; others != 0; others &= others - 1 {
			common &= others & -others
		}
	}
	// Equal sequences are several groups of one kind.
	for _, copies := range c.chows.all {
		n += copies.Len()
	}
	n += (groups & tile.Suited).Len()
	if common != 0 && n > 0 {
		e.countCommonRank(t, n)
	}
	if types(e.held) == allTypes {
		// Five melds of five types are one of each.
		big := types(chows|c.pungs) == allTypes
		e.countTypes(t, big)
	}
}

// countOutside counts groups that all have a terminal or an honor.
func (e *evaluation) countOutside(t *fanCount) {
	honors, suited := e.held&tile.HonorSet, e.held&tile.Suited
	t.addIf(honors == 0, pureOutside)
	t.addIf(honors != 0 && suited != 0, mixedOutside)
}

// countCommonRank counts a rank that so many groups, all the suited ones, share.
func (e *evaluation) countCommonRank(t *fanCount, groups int) {
	if e.held&tile.HonorSet == 0 {
		t.add(pureCommonRank)
	} else {
		t.addIf(groups >= e.scorer.knobs.CommonRankGroups, mixedCommonRank)
	}
}

// countTypes counts all five types, and both colors of flowers with them.
func (e *evaluation) countTypes(t *fanCount, big bool) {
	five, seven := smallFiveTypes, smallSevenTypes
	if big {
		five, seven = bigFiveTypes, bigSevenTypes
	}
	t.add(five)
	t.addIf(e.bothColors(), seven)
}

// bothColors reports whether a season and a plant are held.
func (e *evaluation) bothColors() bool {
	return e.win.Flowers&seasons != 0 && e.win.Flowers&plants != 0
}

// countPair counts a fan of two sequences for each allowed instance; see
// countThree.
func (e *evaluation) countPair(t *fanCount, id int, c *chows, a, b tile.Kind) {
	n, m := c.all.Count(a), c.all.Count(b)
	// By single count each sequence takes part in one instance; otherwise every pair counts ([H]
	// 4.3).
	if e.scorer.knobs.SingleCount == SingleCountSameFan {
		t.addTimes(id, min(n, m), 0)
	} else {
		t.addTimes(id, n*m, 0)
	}
}

// countThree counts a fan of three sequences for each allowed instance: by single
// count two instances must differ in two sequences ([H] 4.3).
func (e *evaluation) countThree(t *fanCount, id int, c *chows, a, b, d tile.Kind) {
	// Where any two instances differ in two sequences, two places decide the third. So there are as
	// many as the least product of two places.
	times := func(sets *tile.Copies) int {
		i, j, k := sets.Count(a), sets.Count(b), sets.Count(d)
		if e.scorer.knobs.SingleCount == SingleCountSameFan {
			return min(i*j, i*k, j*k)
		}
		return i * j * k
	}
	t.addTimes(id, times(&c.all), times(&c.hidden))
}

// From a kind of characters to that of the same rank in another suit.
const (
	dots   tile.Kind = 9
	bamboo tile.Kind = 18
)

// suitOrders are the ways to give three ranks a suit each, as offsets from characters.
var suitOrders = [6][3]tile.Kind{
	{0, dots, bamboo}, {0, bamboo, dots}, {dots, 0, bamboo}, {dots, bamboo, 0}, {bamboo, 0, dots}, {bamboo, dots, 0},
}

// countChows counts the combinations of sequences ([H] 4.5.6).
func (e *evaluation) countChows(t *fanCount, c *composition) {
	all := c.chows.all[0]
	// Without any pung or kan, called or not.
	if c.pungs == 0 {
		t.addIf((c.pair < tile.East || !e.scorer.knobs.AllChowsSuitedPair) && e.scorer.variant.AllChows.hold(e, c), allChows)
		t.addIf(e.held&tile.HonorSet == 0 && e.win.Flowers == 0, grandAllChows)
	}
	e.countIdentical(t, &c.chows.all)
	if all&(all-1) == 0 {
		return // one kind of sequence at most combines with nothing
	}
	// Ranks that start a sequence in two suits at least.
	for starts := (all&(all>>dots) | all&(all>>bamboo) | all>>dots&(all>>bamboo)) & tile.Ranks; starts != 0; starts = starts.Rest() {
		k := starts.First()
		if all>>k&(all>>(k+dots))&(all>>(k+bamboo))&1 != 0 {
			e.countThree(t, mixedTripleChows, &c.chows, k, k+dots, k+bamboo)
			// Only its own pairs, which no table over a whole reading could say.
			if e.absorbs(mixedTripleChows) {
				continue
			}
		}
		e.countPair(t, mixedPairChows, &c.chows, k, k+dots)
		e.countPair(t, mixedPairChows, &c.chows, k, k+bamboo)
		e.countPair(t, mixedPairChows, &c.chows, k+dots, k+bamboo)
	}
	// 1-2-3 and 7-8-9 of a suit, whose lowest kinds are six apart.
	for ends := all & (all >> 6) & tile.Ones; ends != 0; ends = ends.Rest() {
		k := ends.First()
		if all.Has(k + 3) {
			e.countThree(t, pureStraight, &c.chows, k, k+3, k+6)
			if e.absorbs(pureStraight) {
				continue
			}
		}
		e.countPair(t, terminalChows, &c.chows, k, k+6)
	}
	// No sequence begins with an 8 or 9, so the shifts do not run on into the next suit.
	for starts := all & (all >> 1) & (all >> 2); starts != 0; starts = starts.Rest() {
		k := starts.First()
		e.countThree(t, pureSteps, &c.chows, k, k+1, k+2)
	}
	for starts := all & (all >> 2) & (all >> 4); starts != 0; starts = starts.Rest() {
		k := starts.First()
		e.countThree(t, linkedChain, &c.chows, k, k+2, k+4)
	}
	ranks := (all | all>>dots | all>>bamboo) & tile.Ranks
	e.countMixed(t, mixedStraight, &c.chows, ranks&(ranks>>3)&(ranks>>6), 3)
	e.countMixed(t, mixedSteps, &c.chows, ranks&(ranks>>1)&(ranks>>2), 1)
}

// countMixed counts a fan of three sequences in three suits whose first ranks are x, x+step and
// x+2*step for each x in starts. With step 0 all orders of the suits would be the same sequences.
func (e *evaluation) countMixed(t *fanCount, id int, c *chows, starts tile.Set, step tile.Kind) {
	for ; starts != 0; starts = starts.Rest() {
		x := starts.First()
		for _, suits := range suitOrders {
			e.countThree(t, id, c, suits[0]+x, suits[1]+x+step, suits[2]+x+2*step)
		}
	}
}

// countIdentical counts equal sequences: identical_chows for each that is held
// twice, unless two of them make double_identical_chows.
func (e *evaluation) countIdentical(t *fanCount, all *tile.Copies) {
	twice := all[1]
	if twice == 0 {
		return
	}
	t.addIf(all[2] != 0, tripleIdenticalChows)
	t.addIf(all[3] != 0, quadIdenticalChows)
	// Two kinds twice are four of five sequences, so a third cannot be added ([H] 4.5.6).
	if twice.Len() == 2 && (e.scorer.knobs.DoubleIdentical == IdenticalAny || twice.First().Suit() != twice.Rest().First().Suit()) {
		t.add(doubleIdenticalChows)
		if e.scorer.exists.has(doubleIdenticalChows) {
			return
		}
	}
	// Only the kind itself: another one held twice still counts, which no table over a whole
	// reading could say.
	if e.absorbs(tripleIdenticalChows) {
		twice &^= all[2]
	} else if e.absorbs(quadIdenticalChows) {
		twice &^= all[3]
	}
	t.addTimes(identicalChows, twice.Len(), 0)
}

// countPungs counts the combinations of pungs ([H] 4.5.7).
func (e *evaluation) countPungs(t *fanCount, c *composition) {
	if c.chows.all[0] == 0 {
		t.add(allPungs)
	}
	for n := c.hidden; n >= 2; n-- { // of those that are off the next lower one counts
		if id := concealedPungs2 - 2 + n; e.scorer.exists.has(id) {
			t.add(id)
			break
		}
	}
	// Beside it concealed_pungs_5 counts too, unless the table of absorption drops it.
	if c.hidden == numSets && e.kans == 0 && (e.win.SelfDraw || !e.scorer.knobs.PureConcealedSelfDraw) {
		t.add(pureConcealedPungs)
	}
	if pungs := c.pungs & tile.Suited; pungs != 0 {
		e.countLinked(t, pungs, c.pair)
		e.countSame(t, pungs, c.pair)
		e.countMixedLinked(t, pungs, c.pair)
		t.addTimes(terminalPungs, (pungs & (pungs >> 8) & tile.Ones).Len(), 0)
	}
}

// countLinked counts pungs of neighboring ranks in one suit, with or without the
// pair.
func (e *evaluation) countLinked(t *fanCount, pungs tile.Set, pair tile.Kind) {
	// Ranks 1 to 8 alone: the 9 of a suit and the 1 of the next are neighbors as bits.
	two := pungs & (pungs >> 1) & (tile.Ones * 0xff)
	three := pungs & (pungs >> 1) & (pungs >> 2) & tile.Sequences
	t.addTimes(linkedPungs3, three.Len(), 0)
	if e.absorbs(linkedPungs3) { // only the pairs within, as in countSame
		two &^= three | three<<1
	}
	if pair < tile.East {
		with := pungs | pair.Bit()
		small := with & (with >> 1) & (with >> 2) & tile.Sequences &^ three
		t.addTimes(smallLinkedPungs3, small.Len(), 0)
		if e.absorbs(smallLinkedPungs3) {
			two &^= small | small<<1
		}
	}
	t.addTimes(linkedPungs2, two.Len(), 0)
}

// countSame counts pungs of one rank in several suits, with or without the pair.
func (e *evaluation) countSame(t *fanCount, pungs tile.Set, pair tile.Kind) {
	// Ranks of the pungs in each suit, so that suits meet by &.
	a, b, c := pungs&tile.Ranks, pungs>>dots&tile.Ranks, pungs>>bamboo&tile.Ranks
	three := a & b & c
	t.addTimes(samePungs3, three.Len(), 0)
	// Ranks of which a higher fan takes the pairs away. The table of absorption is for whole readings:
	// it would drop the pair of another rank as well.
	taken := tile.Set(0)
	if e.absorbs(samePungs3) {
		taken = three
	}
	// The rank in all three suits lacks exactly the pair.
	if pair < tile.East && (tile.Ones<<pair.Rank())&^pungs == pair.Bit() {
		t.add(smallSamePungs3)
		if e.absorbs(smallSamePungs3) {
			taken |= 1 << pair.Rank()
		}
	}
	t.addTimes(samePungs2, (a&b&^taken).Len()+(a&c&^taken).Len()+(b&c&^taken).Len(), 0)
}

// countMixedLinked counts pungs of neighboring ranks in three suits, with or
// without the pair.
func (e *evaluation) countMixedLinked(t *fanCount, pungs tile.Set, pair tile.Kind) {
	// With the pair there is a second fan for two pungs and the pair, and the first comes before
	// it.
	with := pungs
	if pair < tile.East {
		with |= pair.Bit()
	}
	ranks := (with | with>>dots | with>>bamboo) & tile.Ranks
	for starts := ranks & (ranks >> 1) & (ranks >> 2); starts != 0; starts = starts.Rest() {
		x := starts.First()
		for _, suits := range suitOrders {
			three := tile.Set(1)<<(suits[0]+x) | 1<<(suits[1]+x+1) | 1<<(suits[2]+x+2)
			switch {
			case three&^pungs == 0:
				t.add(mixedLinkedPungs)
			case three&^with == 0:
				t.add(smallMixedLinkedPungs)
			}
		}
	}
}

// returns counts kinds of which all four are held in several groups: those in two, three and
// four groups.
type returns [3]struct{ open, concealed int }

// add notes a kind in so many groups.
func (r *returns) add(groups int, concealed bool) {
	if concealed {
		r[groups-2].concealed++
	} else {
		r[groups-2].open++
	}
}

// countReturns counts the four-returns of a standard reading ([H] 4.5.8).
func (e *evaluation) countReturns(t *fanCount, c *composition) {
	var r returns
	open := e.openKinds(c)
	for quads := e.quads; quads != 0; quads = quads.Rest() {
		k := quads.First()
		// A pung leaves one tile for a sequence, a pair two. Otherwise each is in one of its own.
		groups := 4
		switch {
		case c.pungs.Has(k):
			groups = 2
		case c.pair == k:
			groups = 3
		}
		r.add(groups, !open.Has(k))
	}
	e.addReturns(t, &r)
}

// openKinds returns the kinds whose returns would be open: those of open melds,
// and that of a winning discard.
func (e *evaluation) openKinds(c *composition) tile.Set {
	var starts tile.Set
	for i, all := range c.chows.all {
		starts |= all &^ c.chows.hidden[i]
	}
	return starts | starts<<1 | starts<<2 | e.pungs | e.discarded()
}

// discarded returns the kind of a winning discard.
func (e *evaluation) discarded() tile.Set {
	if e.win.SelfDraw {
		return 0
	}
	return e.win.Tile.Bit()
}

// addReturns counts the returns, and two or more of them together.
func (e *evaluation) addReturns(t *fanCount, r *returns) {
	open, n := 0, 0
	for _, kinds := range r {
		open += kinds.open
		n += kinds.open + kinds.concealed
	}
	// Two returns are a fan of their own, which stands in place of both or beside them ([H] 4.5.8).
	if n < 2 || e.scorer.knobs.EightReturn == ReturnsAdd {
		for i, kinds := range r {
			t.addTimes(returnTwo+i, kinds.open+kinds.concealed, kinds.concealed)
		}
	}
	switch {
	case n == 2 && open == 0:
		t.addTimes(eightReturn, 1, 1)
	case n == 2:
		t.add(eightReturn)
	case n > 2:
		t.add(twelveReturn)
	}
}
