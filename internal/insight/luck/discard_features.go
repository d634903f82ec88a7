package luck

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// The features of a discard. Their order is that of the weights in the files, which are fitted
// to it: a feature that is added, moved or computed otherwise wants a new Version and new files.
// A model of the discards is linear in them, so what is not linear, such as being the best, has a
// feature of its own.
const (
	// Width: how far the hand is after the discard, and how many tiles bring it nearer. They are
	// zero for a discard after which it is farther than need be.
	featNearest      = iota // it keeps the least distance to the plan
	featUkeire              // its share of the most ukeire of such a discard
	featUkeireSquare        // the same squared
	featMostUkeire          // it has the most
	featNearMost            // how far above seven eighths of the most

	featDrawn // it is the tile drawn

	// Kind: one of these at most.
	featValued   // an honor of value to the player
	featGuest    // another honor
	featTerminal // a one or nine
	featNextEdge // a two or eight

	featDora    // how often it is a dora
	featRedFive // it can only be a red five
	featPair    // it breaks a pair
	featTriplet // or a triplet

	featNeighbors   // kinds of the hand within two ranks
	featOtherSuit   // of a suit other than one of seven tiles or more, more the longer that is
	featValuable    // it keeps the least distance to the most valuable aim
	featValuableFar // the same, more the nearer that is
	featMuchFarther // it is more than one exchange farther than need be
	featUnseen      // tiles of the kind that the player cannot see

	// Danger from players who have declared ready; zero without one. The first two are of safe
	// tiles, the others of tiles that are not.
	featSafe          // no such player can win on it
	featSafeFar       // the same, more the farther the hand is from tenpai
	featHonorUnseen   // an honor, more with more of them unseen
	featNoTwoSided    // a suited tile in no two-sided wait
	featOneTwoSided   // in one
	featBothTwoSided  // in one on either side
	featDangerFar     // more the farther the hand is from tenpai
	featDangerTenpai  // the hand is tenpai
	featDangerNearest // it keeps the least distance, more the farther that is

	// Danger from players with open hands.
	featOpenDanger       // one of them has not discarded it
	featOpenDangerFar    // the same, more the farther the hand is from tenpai
	featOpenDangerSimple // the same of a simple

	// NumDiscardFeatures is the number of features of a discard.
	NumDiscardFeatures
)

// DiscardFeatures are the features of a possible discard, in multiples of 1/InputUnit.
type DiscardFeatures struct {
	Kind     tile.Kind
	Features [NumDiscardFeatures]int16
}

// discards are the possible discards of a hand with their features.
type discards struct {
	list [hand.MaxDiscards]DiscardFeatures
	n    int
}

// discardForecast is the predicted discard of the player in turn.
type discardForecast struct {
	before hand.Hand // the hand before the discard; empty without a drawn tile
	drawn  tile.Kind
	// discard is the likeliest kind, NoKind if there is none.
	discard tile.Kind
	odds    kindChances
}

// kindChances are the probabilities that a discard is of each kind.
type kindChances struct {
	chances [tile.NumKinds]int16 // in 1/chanceUnit
	likely  tile.Set             // kinds with a probability above zero
}

// chanceUnit is the fixed-point scale of probabilities.
const chanceUnit = 1024

// probability returns the probability that the discard is of some kinds, in 1/chanceUnit.
func (t *kindChances) probability(kinds tile.Set) int {
	n := 0
	for kinds &= t.likely; kinds != 0; kinds = kinds.Rest() {
		n += int(t.chances[kinds.First()])
	}
	return n
}

// setCertain sets the discard to kind k with probability 1.
func (t *discardForecast) setCertain(k tile.Kind) {
	t.discard, t.odds.likely = k, k.Bit()
	t.odds.chances[k] = chanceUnit
}

// decays[i] is e to the power of -i/16, in 1/65536.
var decays = func() (list [160]int32) {
	n := int64(1 << 16)
	for i := range list {
		list[i] = int32(n)
		n = n * 3940184 >> 22 // e to the power of -1/16, in 1/2^22
	}
	return list
}()

// setProbabilities sets the probabilities of the discards under a model (softmax).
func (t *discardForecast) setProbabilities(d *discards, m *discardModel) {
	var score [hand.MaxDiscards]int32
	best := 0
	for i := range d.list[:d.n] {
		score[i] = m.score(&d.list[i])
		if score[i] > score[best] {
			best = i
		}
	}
	t.discard = d.list[best].Kind
	// All scores are compared with the best, so that exponents are never positive and the sum of
	// weights, at least that of the best, is no zero to divide by.
	var weights [hand.MaxDiscards]int32
	total := int32(0)
	for i := range d.list[:d.n] {
		// From 1/16384 to 1/16. Ten natural units below the best the weight is nothing. Weights are
		// in 1/16384, which leaves room for the product with chanceUnit.
		if far := (score[best] - score[i]) >> 10; far < int32(len(decays)) {
			weights[i] = decays[far] >> 2
		}
		total += weights[i]
	}
	for i, w := range weights[:d.n] {
		// Rounded down: the sum may fall short of one, and no discard of no likelihood costs time
		// later.
		if n := int16(w * chanceUnit / total); n > 0 {
			k := d.list[i].Kind
			t.odds.chances[k] = n
			t.odds.likely |= k.Bit()
		}
	}
}

// lateDiscards is the number of discards, eight of each of four players, after which two melds are
// taken for a tenpai hand. It and flushTiles belong to the fitted features.
const lateDiscards = 32

// flushTiles is the number of tiles of a suit from which a hand may become a flush.
const flushTiles = 7

// discardFeatures writes the features of the discards of the mover, who has a drawn
// tile.
func (s *State) discardFeatures(d *discards, sc *winScratch) {
	p := s.mover
	st := &s.seats[p]
	unseen := s.unseenBy(p)
	before := &st.summary // without the drawn tile
	// A State knows all hands, but a player discards by what it sees. So nothing below reads the
	// concealed tiles of others but by unseen, which counts them with the wall.
	var far, live [tile.NumKinds]int8
	least, most := s.discardsTowardPlan(st, before, &unseen, &far, &live, sc)
	valuableFar, valuableLeast := s.discardsTowardValuable(st, before, sc)
	// Beyond three the distance says no more about how careful a player is.
	shanten := min(least, 3)
	var suits [3]int
	for suit := range suits {
		for kinds := st.hand.Kinds() & tile.SuitSet(tile.Suit(suit)); kinds != 0; kinds = kinds.Rest() {
			suits[suit] += st.hand.Count(kinds.First())
		}
	}
	widest := max(suits[0], suits[1], suits[2])
	valued := s.valuedKinds(p)
	var threats, openers tile.Set // kinds not safe against them
	ready := 0
	for i := 1; i < s.rules.NumSeats(); i++ {
		q := &s.seats[s.playerAfter(p, i)]
		switch {
		case q.ready:
			ready++
			threats |= tile.All &^ (q.river | q.passed)
		case q.n >= 3 || q.n == 2 && s.discards > lateDiscards: // likely tenpai
			openers |= tile.All &^ q.river
		}
	}
	drawn := s.drawn.Kind()
	d.n = 0
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		x := &d.list[d.n]
		d.n++
		*x = DiscardFeatures{Kind: k}
		f := &x.Features
		n := st.hand.Count(k)
		if far[k] == least {
			share := int16(one) // no tile helps, so all such discards are equally wide
			if most > 0 {
				share = int16(int(live[k]) * one / most)
			}
			f[featNearest], f[featUkeire] = one, share
			f[featUkeireSquare] = share * share / one
			if share == one {
				f[featMostUkeire] = one
			}
			// A hinge: the last eighth of the share may count otherwise than the rest.
			f[featNearMost] = int16(max(0, int(share)-one*7/8))
		}
		if k == drawn {
			f[featDrawn] = one
		}
		switch {
		case valued.Has(k):
			f[featValued] = one
		case k.IsHonor():
			f[featGuest] = one
		case tile.Orphans.Has(k):
			f[featTerminal] = one
		case min(k.Rank(), 8-k.Rank()) == 1:
			f[featNextEdge] = one
		}
		if dora := s.dora[k]; dora > 0 {
			f[featDora] = int16(dora) * one
		}
		// With a plain five beside it the red one stays: see discardLikeliest.
		if k.IsFive() && int(st.reds[k.Suit()]) == n {
			f[featRedFive] = one
		}
		switch {
		case n >= 3:
			f[featTriplet] = one
		case n == 2:
			f[featPair] = one
		}
		f[featNeighbors] = int16((aim.Neighbors(k.Bit()) & st.hand.Kinds() &^ k.Bit()).Len()) * one / 4
		if !k.IsHonor() && suits[k.Suit()] < widest && widest >= flushTiles {
			f[featOtherSuit] = int16(widest-flushTiles+1) * one / 4
		}
		if valuableLeast < hopeless && valuableFar[k] == valuableLeast {
			f[featValuable] = one
			f[featValuableFar] = one / int16(1+valuableLeast)
		}
		if far[k] > least+1 {
			f[featMuchFarther] = one
		}
		f[featUnseen] = int16(unseen[k]) * one / 4
		if ready > 0 {
			s.dangerFeatures(k, threats, &unseen, shanten, far[k] == least, f)
		}
		if openers.Has(k) {
			f[featOpenDanger] = one
			f[featOpenDangerFar] = int16(shanten) * one / 2
		}
		if tile.Simples.Has(k) && openers.Has(k) {
			f[featOpenDangerSimple] = one
		}
	}
}

// dangerFeatures writes how dangerous a discard is against players who have declared
// ready.
func (s *State) dangerFeatures(k tile.Kind, threats tile.Set, unseen *[tile.NumKinds]int8, shanten int8, keeps bool, f *[NumDiscardFeatures]int16) {
	if !threats.Has(k) {
		f[featSafe] = one
		f[featSafeFar] = int16(shanten) * one / 2
		return
	}
	// A two-sided wait on k is possible if the kind three away is not safe.
	low, high := true, true
	if !k.IsHonor() {
		low = k.Rank() >= 3 && threats.Has(k-3)
		high = k.Rank() <= 5 && threats.Has(k+3)
	}
	switch {
	case k.IsHonor():
		f[featHonorUnseen] = int16(unseen[k]) * one / 3
	case !low && !high:
		f[featNoTwoSided] = one
	case low != high:
		f[featOneTwoSided] = one
	default:
		f[featBothTwoSided] = one
	}
	f[featDangerFar] = int16(shanten) * one / 2
	if shanten == 0 {
		f[featDangerTenpai] = one
	}
	if keeps {
		f[featDangerNearest] = int16(shanten) * one / 2
	}
}

// beyondShanten is more than any distance.
const beyondShanten = 15

// discardsTowardPlan computes the distance to the plan and the number of useful tiles
// after each discard. It returns the least distance and the most tiles.
func (s *State) discardsTowardPlan(st *seat, before *handSummary, unseen, far, live *[tile.NumKinds]int8, sc *winScratch) (least int8, most int) {
	g := s.guide
	plan := before.plan
	if plan == noPlan {
		plan = anyPlan
	}
	least = beyondShanten
	if plan == anyPlan {
		sets, melds := s.sets(st), st.melds[:st.n]
		shanten := s.rules.HandShanten(&st.hand, melds)
		if shanten < 0 || st.hand.Shanten(sets) == shanten {
			var list [hand.MaxDiscards]hand.Discard
			for k := range far {
				far[k] = beyondShanten
			}
			// One look into the tables of the suits gives all discards, but of sets and a pair
			// alone. So it serves where no other shape is nearer.
			for _, x := range list[:st.hand.BestDiscards(sets, &list)] {
				n := tilesOf(x.Ukeire, unseen)
				far[x.Kind], live[x.Kind] = x.Shanten, int8(min(n, math.MaxInt8))
				least, most = x.Shanten, max(most, n)
			}
			return least, most
		}
		const alike = 34 // the features are fitted to it
		for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			st.hand.Remove(k)
			far[k] = int8(s.rules.HandShanten(&st.hand, melds))
			st.hand.Add(k)
			least = min(least, far[k])
			// Ukeire over all shapes would cost a shanten for each kind after each discard. So all
			// discards count alike but for the unseen copies: kinds with few left go first.
			live[k] = alike - unseen[k]
		}
		return least, alike
	}
	pos := s.positionOf(st, sc)
	a := g.plan(plan)
	need, _ := pos.Need(a)
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		pos.Hand.Remove(k)
		far[k] = int8(g.book.Distance(pos, a, &need))
		pos.Hand.Add(k)
		least = min(least, far[k])
	}
	// Two kinds that the plan cannot use leave the same hand for it, so the ukeire after the
	// first of them is that after all.
	useless, known := 0, false
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		if far[k] > least {
			continue
		}
		n := useless
		if !known || a.Kinds.Has(k) {
			pos.Hand.Remove(k)
			// Before the draw the ukeire was planUkeire; a drawn tile adds what connects to it.
			n = tilesOf(g.book.Ukeire(pos, a, &need, int(least), before.planUkeire|aim.Neighbors(s.drawn.Kind().Bit())), unseen)
			pos.Hand.Add(k)
		}
		if !a.Kinds.Has(k) {
			useless, known = n, true
		}
		live[k] = int8(min(n, math.MaxInt8))
		most = max(most, n)
	}
	return least, most
}

// discardsTowardValuable computes the distance to the first valuable aim after each discard,
// and returns the least of them.
func (s *State) discardsTowardValuable(st *seat, before *handSummary, sc *winScratch) (far [tile.NumKinds]int8, least int8) {
	least = hopeless
	if before.numValuable == 0 {
		return far, least
	}
	// The first alone: features are few, and the aims behind it seldom decide a discard.
	a := &s.guide.book.Aims[before.valuable[0]]
	pos := s.positionOf(st, sc)
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
	return far, max(least, 0) // featValuableFar divides by one more
}

// discardLikeliest removes the likeliest discard of the mover, who has a drawn tile,
// and predicts the next one. A player in riichi discards the drawn tile.
func (s *State) discardLikeliest(model *discardModel, who *policies, sc *winScratch) discardForecast {
	p := s.mover
	st := &s.seats[p]
	t := discardForecast{before: st.hand, drawn: s.drawn.Kind(), discard: tile.NoKind}
	next := &s.nextDiscards[p]
	if st.ready && t.drawn != tile.NoKind {
		t.setCertain(t.drawn)
		next.setNext(&t)
	} else {
		var d discards
		s.discardFeatures(&d, sc)
		t.setProbabilities(&d, model)
		// The next discard is of the other kinds, and only the model knows how likely each is.
		// So it is set from the model's probabilities, before a known answer replaces them.
		k := who.discard(p, s.drawn)
		if k != tile.NoKind {
			t.discard = k
		}
		next.setNext(&t)
		if k != tile.NoKind {
			t = discardForecast{before: t.before, drawn: t.drawn}
			t.setCertain(k)
		}
	}
	// A kind is predicted; of a five the plain tile goes first, since the red one is worth more.
	f := tile.Face(t.discard)
	if t.discard.IsFive() && int(st.reds[t.discard.Suit()]) == st.hand.Count(t.discard) {
		f = tile.RedOf(t.discard.Suit())
	}
	s.removeTile(p, f)
	return t
}
