package chance

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// NumHabits is the number of figures by which a discard is judged how likely it is.
const NumHabits = 32

// Discard is a discard that could be made, by figures in multiples of InputUnit.
type Discard struct {
	Kind    tile.Kind
	Figures [NumHabits]int16
}

// discards are those of a hand.
type discards struct {
	list [hand.MaxDiscards]Discard
	n    int
}

// turn is what a player in turn is about to do.
type turn struct {
	had   hand.Hand // his tiles before he discards; empty where he has no drawn tile
	drawn tile.Kind
	// discard is the kind he is most likely to discard, NoKind where there is none.
	discard tile.Kind
	// chances are how likely each kind is, in units of chance; likely are those that
	// are likely at all.
	chances [tile.NumKinds]int16
	likely  tile.Set
}

// chanceUnit stands for certainty.
const chanceUnit = 1024

// on returns how likely the discard is one of some kinds, in units of chance.
func (t *turn) on(kinds tile.Set) int {
	n := 0
	for kinds &= t.likely; kinds != 0; kinds = kinds.Rest() {
		n += int(t.chances[kinds.First()])
	}
	return n
}

// surely is a turn in which the discard is known.
func (t *turn) surely(k tile.Kind) {
	t.discard, t.likely = k, k.Bit()
	t.chances[k] = chanceUnit
}

// decays[i] is e to the power of -i/16, in 1/65536.
var decays = func() (list [160]int32) {
	n := int64(1 << 16)
	for i := range list {
		list[i] = int32(n)
		n = n * 3940184 >> 22 // e to the power of -1/16 in 1/2^22
	}
	return list
}()

// weigh fills in how likely the discards are of somebody of that manner.
func (t *turn) weigh(d *discards, way *manner) {
	var score [hand.MaxDiscards]int32
	best := 0
	for i := range d.list[:d.n] {
		score[i] = way.score(&d.list[i])
		if score[i] > score[best] {
			best = i
		}
	}
	t.discard = d.list[best].Kind
	var weights [hand.MaxDiscards]int32
	total := int32(0)
	for i := range d.list[:d.n] {
		// From 1/64 of 1/256 to 1/16.
		if far := (score[best] - score[i]) >> 10; far < int32(len(decays)) {
			weights[i] = decays[far] >> 2
		}
		total += weights[i]
	}
	for i, w := range weights[:d.n] {
		if n := int16(w * chanceUnit / total); n > 0 {
			k := d.list[i].Kind
			t.chances[k] = n
			t.likely |= k.Bit()
		}
	}
}

// figures writes how the discards of the mover's hand, which has a drawn tile, look.
func (s *State) figures(d *discards, sc *score) {
	p := s.mover
	st := &s.seats[p]
	unseen := s.unseenBy(p)
	before := &st.outlook // without the drawn tile
	var far, live [tile.NumKinds]int8
	least, most := s.weighPlan(st, before, &unseen, &far, &live, sc)
	dearFar, dearLeast := s.weighDear(st, before, sc)
	shanten := min(least, 3)
	var suits [3]int
	for suit := range suits {
		for kinds := st.hand.Kinds() & tile.SuitSet(tile.Suit(suit)); kinds != 0; kinds = kinds.Rest() {
			suits[suit] += st.hand.Count(kinds.First())
		}
	}
	widest := max(suits[0], suits[1], suits[2])
	valued := s.valuedKinds(p)
	var threats, openers tile.Set // what is not safe against them
	ready := 0
	for i := 1; i < sim.NumPlayers; i++ {
		q := &s.seats[s.after(p, i)]
		switch {
		case q.ready:
			ready++
			threats |= tile.All &^ (q.river | q.passed)
		case q.n >= 3 || q.n == 2 && s.discards > 32:
			openers |= tile.All &^ q.river
		}
	}
	drawn := s.drawn.Kind()
	d.n = 0
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		x := &d.list[d.n]
		d.n++
		*x = Discard{Kind: k}
		f := &x.Figures
		n := st.hand.Count(k)
		if far[k] == least {
			share := int16(one)
			if most > 0 {
				share = int16(int(live[k]) * one / most)
			}
			f[0], f[1] = one, share
			f[2] = share * share / one
			if share == one {
				f[3] = one
			}
			f[4] = int16(max(0, int(share)-one*7/8))
		}
		if k == drawn {
			f[5] = one
		}
		switch {
		case valued.Has(k):
			f[6] = one
		case k.IsHonor():
			f[7] = one
		case tile.Orphans.Has(k):
			f[8] = one
		case min(k.Rank(), 8-k.Rank()) == 1:
			f[9] = one
		}
		if dora := s.dora[k]; dora > 0 {
			f[10] = int16(dora) * one
		}
		if k.IsFive() && int(st.reds[k.Suit()]) == n {
			f[11] = one
		}
		switch {
		case n >= 3:
			f[13] = one
		case n == 2:
			f[12] = one
		}
		f[14] = int16((aim.Near(k.Bit()) & st.hand.Kinds() &^ k.Bit()).Len()) * one / 4
		if !k.IsHonor() && suits[k.Suit()] < widest && widest >= 7 {
			f[15] = int16(widest-6) * one / 4
		}
		if dearLeast < hopeless {
			if dearFar[k] == dearLeast {
				f[16] = one
				f[17] = one / int16(1+dearLeast)
			}
		}
		if far[k] > least+1 {
			f[18] = one
		}
		f[19] = int16(unseen[k]) * one / 4
		if ready > 0 {
			s.dangers(k, threats, &unseen, shanten, far[k] == least, f)
		}
		if openers.Has(k) {
			f[29] = one
			f[30] = int16(shanten) * one / 2
		}
		if tile.Simples.Has(k) && openers.Has(k) {
			f[31] = one
		}
	}
}

// dangers fills in how dangerous a discard is beside players who have declared
// ready.
func (s *State) dangers(k tile.Kind, threats tile.Set, unseen *[tile.NumKinds]int8, shanten int8, keeps bool, f *[NumHabits]int16) {
	if !threats.Has(k) {
		f[20] = one
		f[21] = int16(shanten) * one / 2
		return
	}
	// What may be won on with two sides: the tile three away has not gone by.
	low, high := true, true
	if !k.IsHonor() {
		low = k.Rank() >= 3 && threats.Has(k-3)
		high = k.Rank() <= 5 && threats.Has(k+3)
	}
	switch {
	case k.IsHonor():
		f[22] = int16(unseen[k]) * one / 3
	case !low && !high:
		f[23] = one
	case low != high:
		f[24] = one
	default:
		f[25] = one
	}
	f[26] = int16(shanten) * one / 2
	if shanten == 0 {
		f[27] = one
	}
	if keeps {
		f[28] = int16(shanten) * one / 2
	}
}

// weighPlan finds how far each discard leaves the hand from the win it is nearest to,
// and with how many tiles to come; those of the least distance, and the most tiles.
func (s *State) weighPlan(st *seat, before *outlook, unseen, far, live *[tile.NumKinds]int8, sc *score) (least int8, most int) {
	g := s.guide
	plan := before.plan
	if plan == noPlan {
		plan = anyPlan
	}
	least = 15
	if plan == anyPlan {
		sets, melds := s.sets(st), st.melds[:st.n]
		shanten := s.rules.HandShanten(&st.hand, melds)
		if shanten < 0 || st.hand.Shanten(sets) == shanten {
			var list [hand.MaxDiscards]hand.Discard
			for k := range far {
				far[k] = 15
			}
			for _, x := range list[:st.hand.BestDiscards(sets, &list)] {
				n := tilesOf(x.Useful, unseen)
				far[x.Kind], live[x.Kind] = x.Shanten, int8(min(n, 127))
				least, most = x.Shanten, max(most, n)
			}
			return least, most
		}
		for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			st.hand.Remove(k)
			far[k] = int8(s.rules.HandShanten(&st.hand, melds))
			st.hand.Add(k)
			least = min(least, far[k])
			live[k] = 34 - unseen[k] // what has few copies left goes first
		}
		return least, 34
	}
	pos := s.position(st, sc)
	a := g.plan(plan)
	need, _ := pos.Need(a)
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		pos.Hand.Remove(k)
		far[k] = int8(g.book.Distance(pos, a, &need))
		pos.Hand.Add(k)
		least = min(least, far[k])
	}
	useless, known := 0, false
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		if far[k] > least {
			continue
		}
		n := useless
		if !known || a.Kinds.Has(k) {
			pos.Hand.Remove(k)
			n = tilesOf(g.book.Useful(pos, a, &need, int(least), before.toward|aim.Near(s.drawn.Kind().Bit())), unseen)
			pos.Hand.Add(k)
		}
		if !a.Kinds.Has(k) {
			useless, known = n, true
		}
		live[k] = int8(min(n, 127))
		most = max(most, n)
	}
	return least, most
}

// weighDear finds how far each discard leaves the hand from the dear one that
// promises most.
func (s *State) weighDear(st *seat, before *outlook, sc *score) (far [tile.NumKinds]int8, least int8) {
	least = hopeless
	if before.numDear == 0 {
		return far, least
	}
	a := &s.guide.book.Aims[before.dear[0]]
	pos := s.position(st, sc)
	need, ok := pos.Need(a)
	if !ok {
		return far, least
	}
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		pos.Hand.Remove(k)
		far[k] = int8(min(hopeless, s.guide.book.Distance(pos, a, &need)))
		pos.Hand.Add(k)
		least = min(least, far[k])
	}
	return far, max(least, 0)
}

// discardLikely takes the tile out of the mover's hand, which holds a drawn one, that he
// is most likely to discard, and what may go after it; players in riichi discard what
// they drew.
func (s *State) discardLikely(way *manner, who *known, sc *score) turn {
	p := s.mover
	st := &s.seats[p]
	t := turn{had: st.hand, drawn: s.drawn.Kind(), discard: tile.NoKind}
	next := &s.throws[p]
	if st.ready && t.drawn != tile.NoKind {
		t.surely(t.drawn)
		next.follow(&t)
	} else {
		var d discards
		s.figures(&d, sc)
		t.weigh(&d, way)
		k := who.discard(p, s.drawn)
		if k != tile.NoKind {
			t.discard = k
		}
		next.follow(&t)
		if k != tile.NoKind {
			t = turn{had: t.had, drawn: t.drawn}
			t.surely(k)
		}
	}
	f := tile.Face(t.discard)
	if t.discard.IsFive() && int(st.reds[t.discard.Suit()]) == st.hand.Count(t.discard) {
		f = tile.RedOf(t.discard.Suit())
	}
	s.give(p, f)
	return t
}
