package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Completion makes a likely complete hand of a position, to estimate its value. Use
// NewCompletion to make one, then Observe a view or set the exported fields.
type Completion struct {
	// Unseen is the number of tiles of each kind that may still come, Dora how many dora
	// each tile of a kind counts.
	Unseen [tile.NumKinds]int8
	Dora   [tile.NumKinds]uint8
	// Reds is the number of concealed red fives of each suit. MeldedReds is the number in the
	// first Melded melds; melds after those are made of concealed tiles.
	Reds       [3]uint8
	MeldedReds uint8
	Melded     int
	// ClosedFlags and OpenFlags are the flags of a win with a closed and an open hand.
	ClosedFlags, OpenFlags ruleset.Flags
	// Win is the hand that MakeWin or MakeWait made. Observe sets its winds, flowers and
	// indicators.
	Win ruleset.Win

	rules *ruleset.Rules
	tally tile.Tally          // of Unseen at the last Observe
	spare [tile.NumKinds]int8 // unseen tiles that no set found has used
	found foundSets
}

// foundSets is the sets and the pair of a likely hand, and how many tiles each set lacks.
type foundSets struct {
	sets    [hand.MaxSets]hand.Set
	lacking [hand.MaxSets]int
	n       int
	pair    tile.Kind
	dead    bool // no tile of a kind that is lacking is unseen
}

// NewCompletion returns a Completion for a South player in an East round, without dora
// and without unseen tiles. Its wins are declared ready if the rules allow it.
func NewCompletion(r *ruleset.Rules) *Completion {
	c := &Completion{rules: r, Win: ruleset.Win{SeatWind: 1, Discards: ruleset.NoCount}}
	switch {
	case r.Ready == ruleset.Riichi:
		c.ClosedFlags = ruleset.FlagRiichi
	case r.Ready == ruleset.Ding:
		c.ClosedFlags = ruleset.FlagReady
		if !r.ReadyClosedOnly {
			c.OpenFlags = ruleset.FlagReady
		}
	}
	return c
}

// Observe reads the state of the hand from a view.
func (c *Completion) Observe(v sim.View) {
	me := v.Player()
	unseen := v.UnseenCounts()
	for k, n := range unseen {
		c.Unseen[k] = int8(n)
	}
	c.tally = tile.TallyOf(&unseen)
	c.Reds = v.Reds()
	c.MeldedReds, c.Melded = 0, v.NumMelds(me)
	for i := range c.Melded {
		c.MeldedReds += v.Meld(me, i).Reds
	}
	w := &c.Win
	w.SeatWind, w.RoundWind, w.Flowers = v.SeatWind(me), v.RoundWind(), v.Flowers(me)
	w.Norths = uint8(v.Norths(me))
	clear(c.Dora[:])
	if c.rules.Dora {
		w.NumIndicators = uint8(v.NumIndicators())
		for i := range v.NumIndicators() {
			w.Indicators[i] = v.Indicator(i).Kind()
			c.Dora[c.rules.DoraOf(w.Indicators[i])]++
		}
	}
}

// CountUnseen returns the number of tiles of the kinds that were unseen at the last
// Observe.
func (c *Completion) CountUnseen(kinds tile.Set) int { return c.tally.Of(kinds) }

// UnseenKinds returns the kinds with an unseen tile at the last Observe.
func (c *Completion) UnseenKinds() tile.Set { return c.tally.Kinds() }

// MakeWait sets Win to the hand of p, which is without a drawn tile, completed by a
// discard of kind k.
func (c *Completion) MakeWait(p *Position, k tile.Kind) {
	w := &c.Win
	w.Hand = p.Hand
	w.Hand.Add(k)
	w.Tile, w.SelfDraw = k, false
	c.addMelds(p, p.Open)
	w.Reds = c.reds()
}

// addMelds puts the melds of p into Win, and the flags of an open or closed hand.
func (c *Completion) addMelds(p *Position, open bool) {
	w := &c.Win
	w.Melds, w.NumMelds = p.Melds, uint8(p.NumMelds)
	w.Flags = c.ClosedFlags
	if open {
		w.Flags = c.OpenFlags
	}
}

// reds returns the number of red fives that Win holds.
func (c *Completion) reds() uint8 {
	n := c.MeldedReds
	for s, reds := range c.Reds {
		if reds == 0 {
			continue
		}
		five := tile.Kind(9*s + 4)
		held := c.Win.Hand.Count(five)
		for _, m := range c.Win.Melds[min(c.Melded, int(c.Win.NumMelds)):c.Win.NumMelds] {
			held += m.Count(five)
		}
		n += min(reds, uint8(held))
	}
	return n
}

// FindSets chooses the sets of a likely hand of p for the aim, greedily by what they
// lack. It reports whether there are enough unseen tiles for them. p may have a drawn
// tile.
func (c *Completion) FindSets(p *Position, a *Aim) bool {
	switch a.Shape {
	case SevenPairs, Other, Irregular:
		return true // MakeWin chooses the tiles
	}
	f := &c.found
	*f = foundSets{}
	h := multisetOf(&p.Hand)
	sets := p.Sets
	c.spare = c.Unseen
	if a.Knitted != 0 {
		sets -= 3
		c.spend(a.Knitted &^ h[0])
		h.takeEach(a.Knitted & h[0])
	}
	for _, set := range a.Sets[:a.NumSets] {
		if !p.hasMeld(set) {
			c.take(&h, set)
		}
	}
	runs := a.Kinds & (a.Kinds >> 1) & (a.Kinds >> 2) & tile.Sequences
	triplets := a.Kinds
	switch a.Shape {
	case Triplets:
		runs = 0
	case Terminals:
		runs &= tile.EdgeSequences
		triplets &= tile.Orphans
	}
	for f.n < sets {
		set, ok := c.nextSet(&h, runs, triplets)
		if !ok {
			return false
		}
		c.take(&h, set)
	}
	return !f.dead && c.choosePair(&h, triplets)
}

// MakeWin sets Win to the hand that FindSets found for p and the aim, won on a discard.
// If open is true and the hand is closed, it claims a set that lacks a tile.
func (c *Completion) MakeWin(p *Position, a *Aim, open bool) {
	w := &c.Win
	w.Hand = hand.Hand{}
	c.addMelds(p, p.Open || open)
	switch a.Shape {
	case SevenPairs:
		c.makePairs(p)
	case Other, Irregular:
		c.makeOther(p)
	default:
		for kinds := a.Knitted; kinds != 0; kinds = kinds.Rest() {
			w.Hand.Add(kinds.First())
		}
		c.makeSets(p, open)
	}
	w.Reds = c.reds()
	w.SelfDraw = false
}

// take adds a set to those found: with its tiles in h, and the missing ones from c.spare.
func (c *Completion) take(h *multiset, set hand.Set) {
	f := &c.found
	if k := set.Kind(); set.IsSequence() {
		lacking := h.takeRun(k)
		f.lacking[f.n] = lacking.Len()
		c.spend(lacking)
	} else if n := h.takeTriplet(k); n > 0 {
		f.lacking[f.n] = n
		c.spare[k] -= int8(n)
		f.dead = f.dead || c.spare[k] < 0
	}
	f.sets[f.n] = set
	f.n++
}

// spend removes a tile of each of the kinds from c.spare.
func (c *Completion) spend(kinds tile.Set) {
	for ; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		c.spare[k]--
		c.found.dead = c.found.dead || c.spare[k] < 0
	}
}

// nextSet returns the set that lacks the fewest of the tiles h: a complete one, or the
// one with the most unseen tiles to complete it.
func (c *Completion) nextSet(h *multiset, runs, triplets tile.Set) (best hand.Set, ok bool) {
	low, pairs, threes := h[0], h[1], h[2]&triplets
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
	// A dora weighs as much as one more unseen tile, a two-sided wait as much as two.
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
		if n := int(c.spare[lacking]); n > 0 {
			try(hand.Sequence(k), n+int(c.Dora[lacking])+sides)
		}
	}
	if pairs.Len() > 1 || most == 0 { // one pair is kept as the head
		for twos := pairs & triplets; twos != 0; twos = twos.Rest() {
			if k := twos.First(); c.spare[k] > 0 {
				try(hand.Triplet(k), int(c.spare[k])+int(c.Dora[k]))
			}
		}
	}
	for one := (low | mid | high) & runs; most == 0 && one != 0; one = one.Rest() {
		if n := c.fewest(h, one.First()); n > 0 {
			best, most = hand.Sequence(one.First()), n
		}
	}
	for one := low & triplets; most == 0 && one != 0; one = one.Rest() {
		if k := one.First(); c.spare[k] > 1 {
			best, most = hand.Triplet(k), 1
		}
	}
	for ; most == 0 && runs != 0; runs = runs.Rest() {
		try(hand.Sequence(runs.First()), c.fewest(h, runs.First()))
	}
	for ; most == 0 && triplets != 0; triplets = triplets.Rest() {
		if k := triplets.First(); c.spare[k] > 2 {
			best, most = hand.Triplet(k), 1
		}
	}
	return best, most > 0
}

// copies returns how many tiles of kind k are in h or unseen.
func (c *Completion) copies(h *multiset, k tile.Kind) int { return h.count(k) + int(c.spare[k]) }

// fewest returns the least copies of a kind of the sequence from k.
func (c *Completion) fewest(h *multiset, k tile.Kind) int {
	return min(c.copies(h, k), c.copies(h, k+1), c.copies(h, k+2))
}

// choosePair chooses the pair from h, or else from the unseen tiles. It reports whether
// there is one.
func (c *Completion) choosePair(h *multiset, kinds tile.Set) bool {
	f := &c.found
	if pairs := h[1] & kinds; pairs != 0 {
		f.pair = pairs.First()
		return true
	}
	for _, among := range [...]tile.Set{h[0] & kinds, kinds} {
		most := 1
		for ; among != 0; among = among.Rest() {
			if n := c.copies(h, among.First()); n > most {
				f.pair, most = among.First(), n
			}
		}
		if most > 1 {
			return true
		}
	}
	return false
}

// makeSets adds the sets found to Win. If open is true, a set that lacks a tile is
// melded.
func (c *Completion) makeSets(p *Position, open bool) {
	w, f := &c.Win, &c.found
	// Sets are ordered by what they lack, then by which was found first: one number holds
	// both, branch-free.
	const places = 8
	claim := -1
	if open && !p.Open {
		most := -1
		for i := range f.n {
			most = max(most, f.lacking[i]*places+places-1-i)
		}
		if most >= 0 {
			claim = places - 1 - most%places
		}
	}
	w.Tile = f.pair
	w.Hand.Add(f.pair)
	w.Hand.Add(f.pair)
	const none = 2 * places // beyond a set that lacks two tiles
	last := uint(none)
	for i, set := range f.sets[:f.n] {
		if i == claim {
			_, w.Melds[w.NumMelds] = layOut(set)
			w.NumMelds++
			continue
		}
		w.Hand.AddSet(set)
		last = min(last, uint(f.lacking[i]-1)*places+uint(i)) // no less where nothing is lacking
	}
	// The set that lacks least is completed last, by the highest kind not held.
	if last < none {
		set := f.sets[last%places]
		w.Tile = set.Kind()
		if missing := set.Kinds() &^ p.Hand.Kinds(); missing != 0 {
			w.Tile = missing.Last()
		}
	}
}

// makePairs sets Win to the seven pairs nearest to p.
func (c *Completion) makePairs(p *Position) {
	w := &c.Win
	n := 0
	add := func(kinds tile.Set) {
		for ; kinds != 0 && n < 7; kinds = kinds.Rest() {
			w.Tile = kinds.First()
			w.Hand.Add(w.Tile)
			w.Hand.Add(w.Tile)
			n++
		}
	}
	pairs := p.Hand.AtLeast(2)
	add(pairs)
	var byUnseen [4]tile.Set
	for kinds := p.Hand.Kinds() &^ pairs; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		byUnseen[c.Unseen[k]&3] |= k.Bit()
	}
	for i := len(byUnseen) - 1; i >= 0; i-- {
		add(byUnseen[i])
	}
	add(tile.All &^ w.Hand.Kinds())
}

// makeOther sets Win to a complete hand of the nearest shape, reached by adding useful
// tiles and removing useless ones.
func (c *Completion) makeOther(p *Position) {
	w := &c.Win
	w.Hand = p.Hand
	d := c.rules.Shanten(&w.Hand, p.NumMelds)
	for kinds := tile.All &^ p.Hand.AtLeast(4); d >= 0 && kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		w.Hand.Add(k)
		if c.rules.Shanten(&w.Hand, p.NumMelds) < d {
			d--
			w.Tile = k
		} else {
			w.Hand.Remove(k)
		}
	}
	for kinds := w.Hand.Kinds(); kinds != 0 && w.Hand.Len() > 3*p.Sets+2; {
		k := kinds.First()
		w.Hand.Remove(k)
		useless := c.rules.Shanten(&w.Hand, p.NumMelds) <= d
		if !useless {
			w.Hand.Add(k)
		}
		if !useless || w.Hand.Count(k) == 0 {
			kinds = kinds.Rest()
		}
	}
}
