package heuristic

import (
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
)

// aim is a kind of hand worth going for: what it is made of, and sets it holds
// among others.
type aim struct {
	shape shape
	kinds tile.Set
	// sets[:numSets] are held; knitted tiles, one of each kind, stand in the place
	// of three sets.
	sets    [3]hand.Set
	numSets uint8
	knitted tile.Set
	// need is what a hand without melds has to make of them.
	need need
	// class tells aims of which one excludes the other at a time: the nearest is
	// enough.
	class class
	// closed and open are what an example is worth, in units; 0 if it may not win.
	closed, open float64
}

// canOpen reports whether a hand with melds may have the aim.
func (a *aim) canOpen() bool {
	return a.shape != sevenPairs && a.shape != otherShape && a.knitted == 0
}

// shape is what the sets and the pair of an aim look like.
type shape uint8

const (
	standard    shape = iota // any sets and a pair
	tripletsAll              // triplets and a pair
	terminals                // a terminal or honor in every set and the pair
	sevenPairs               // no sets at all
	otherShape               // a shape of the family that is none of these
)

// class groups aims.
type class uint8

const (
	plainClass class = iota
	simplesClass
	halfFlushClass
	fullFlushClass
	bandClass
	tripletsClass
	terminalsClass
	pairsClass
	otherClass
	honorClass
	runsClass
	shiftedClass
	knittedClass
)

// reversible are the kinds that look the same upside down.
const reversible tile.Set = 0b110011111<<9 | 0b110111010<<18 | 1<<tile.White

// everyAim lists the aims of all families.
func everyAim() []aim {
	aims := []aim{
		{kinds: tile.All},
		{kinds: tile.Simples, class: simplesClass},
		{kinds: reversible, class: bandClass},
		{shape: tripletsAll, kinds: tile.All, class: tripletsClass},
		{shape: terminals, kinds: edges | edges<<1 | edges<<2 | tile.HonorSet, class: terminalsClass},
		{shape: sevenPairs, kinds: tile.All, class: pairsClass},
		{shape: otherShape, kinds: tile.All, class: otherClass},
	}
	for s := tile.Characters; s < tile.Honors; s++ {
		aims = append(aims,
			aim{kinds: tile.SuitSet(s) | tile.HonorSet, class: halfFlushClass},
			aim{kinds: tile.SuitSet(s), class: fullFlushClass})
	}
	for _, ranks := range [...]tile.Set{0b1111, 0b1111 << 5} {
		aims = append(aims, aim{kinds: ranks | ranks<<9 | ranks<<18, class: bandClass})
	}
	holding := func(c class, sets ...hand.Set) {
		a := aim{kinds: tile.All, class: c, numSets: uint8(len(sets))}
		copy(a.sets[:], sets)
		aims = append(aims, a)
	}
	for k := tile.East; k < tile.NumKinds; k++ {
		holding(honorClass, hand.Triplet(k))
	}
	run := func(s, rank int) hand.Set { return hand.Sequence(tile.Kind(9*s + rank)) }
	for s := range 3 {
		holding(runsClass, run(s, 0), run(s, 3), run(s, 6))
		for step := 1; step <= 2; step++ {
			for r := 0; r+2*step < 7; r++ {
				holding(shiftedClass, run(s, r), run(s, r+step), run(s, r+2*step))
			}
		}
	}
	for r := range 7 {
		holding(runsClass, run(0, r), run(1, r), run(2, r))
	}
	for _, of := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		holding(runsClass, run(of[0], 0), run(of[1], 3), run(of[2], 6))
		for r := range 5 {
			holding(shiftedClass, run(of[0], r), run(of[1], r+1), run(of[2], r+2))
		}
		const third tile.Set = 1<<0 | 1<<3 | 1<<6
		knitted := third<<(9*of[0]) | third<<(9*of[1]+1) | third<<(9*of[2]+2)
		aims = append(aims, aim{kinds: tile.All, knitted: knitted, class: knittedClass})
	}
	return aims
}

// need is what a position still has to make of the sets of an aim: the kinds it
// takes at least one, two and three tiles of, and the number of sets.
type need struct {
	kinds [3]tile.Set
	sets  int
}

// lacking returns how many of the tiles are not held.
func (n *need) lacking(h *hand.Hand) int {
	return (n.kinds[0] &^ h.AtLeast(1)).Len() + (n.kinds[1] &^ h.AtLeast(2)).Len() + (n.kinds[2] &^ h.AtLeast(3)).Len()
}

// add puts a tile of each of the kinds into n.
func (n *need) add(kinds tile.Set) {
	n.kinds[2] |= n.kinds[1] & kinds
	n.kinds[1] |= n.kinds[0] & kinds
	n.kinds[0] |= kinds
}

// needOf returns what p still has to make for the aim, and whether its melds
// leave that possible.
func (p *position) needOf(a *aim) (n need, ok bool) {
	if a.knitted != 0 {
		return need{[3]tile.Set{a.knitted}, 3}, p.sets >= 3
	}
	for _, set := range a.sets[:a.numSets] {
		if p.hasMeld(set) {
			continue
		}
		n.sets++
		if set.IsSequence() {
			n.add(7 * set.Kind().Bit())
			continue
		}
		for i := range n.kinds {
			n.kinds[i] |= set.Kind().Bit()
		}
	}
	return n, n.sets <= p.sets
}

// hasMeld reports whether a meld of p is the set.
func (p *position) hasMeld(set hand.Set) bool {
	for _, m := range p.melds[:p.numMelds] {
		if m.Kind == set.Kind() && (m.Type == hand.Chi) == set.IsSequence() {
			return true
		}
	}
	return false
}

// fits reports whether the melds of p leave the aim possible as far as kinds and
// shape go.
func (p *position) fits(a *aim) bool {
	switch a.shape {
	case sevenPairs, otherShape:
		return p.numMelds == 0 || a.shape == otherShape && p.numMelds == 1
	}
	for _, m := range p.melds[:p.numMelds] {
		kinds := m.Kind.Bit()
		if m.Type == hand.Chi {
			if a.shape == tripletsAll || a.shape == terminals && edges&kinds == 0 {
				return false
			}
			kinds *= 7
		} else if a.shape == terminals && tile.Orphans&kinds == 0 {
			return false
		}
		if kinds&^a.kinds != 0 {
			return false
		}
	}
	return true
}

// taken returns the tiles of h without those an aim needs, and how many of these
// are lacking.
func (n *need) taken(h hand.Hand) (rest hand.Hand, lacking int) {
	for _, kinds := range n.kinds {
		for ; kinds != 0; kinds = kinds.Rest() {
			if k := kinds.First(); h.Count(k) > 0 {
				h.Remove(k)
			} else {
				lacking++
			}
		}
	}
	return h, lacking
}

// distance returns the distance of p to an aim: -1 complete, 0 ready.
func (e *evaluator) distance(p *position, a *aim, n *need) int {
	switch a.shape {
	case tripletsAll:
		return towardTriplets(&p.hand, p.sets)
	case terminals:
		return towardOutside(p.hand, p.sets)
	case sevenPairs:
		return p.hand.PairsShanten()
	case otherShape:
		// The scorer tells the nearest shape only, so another one is known where
		// it is nearer than those that all families share.
		if d := e.rules.Shanten(&p.hand, p.numMelds); d < p.hand.Shanten(p.sets) && (p.numMelds > 0 || d < p.hand.PairsShanten()) {
			return d
		}
		return hopeless
	}
	if n.sets == 0 {
		return shantenOf(&p.hand, a.kinds, p.sets)
	}
	rest, lacking := n.taken(p.hand)
	return lacking + shantenOf(&rest, a.kinds, p.sets-n.sets)
}

// shantenOf returns the shanten of the tiles of the given kinds.
func shantenOf(h *hand.Hand, kinds tile.Set, sets int) int {
	if h.Kinds()&^kinds == 0 {
		return h.Shanten(sets)
	}
	return codesOf(h, kinds).classes().Shanten(sets)
}

// farAtLeast returns a distance that p is not below, known from the tiles that the
// aim has any use for.
func (p *position) farAtLeast(a *aim) int {
	tiles := 0
	for n := 1; n <= 4; n++ {
		tiles += (p.hand.AtLeast(n) & a.kinds).Len()
	}
	return 3*p.sets + 1 - tiles
}

// near returns the kinds that make a pair or two tiles of a sequence with one of
// the given ones, and some others: suits are not told apart.
func near(kinds tile.Set) tile.Set {
	kinds |= kinds<<1 | kinds>>1
	return kinds | kinds<<1 | kinds>>1
}

// useful returns those of some kinds that bring p nearer to the aim than d, its
// distance.
func (e *evaluator) useful(p *position, a *aim, n *need, d int, among tile.Set) tile.Set {
	among &= a.kinds &^ p.hand.AtLeast(4)
	switch a.shape {
	case standard:
		if n.sets == 0 && a.kinds == tile.All && p.hand.Len() == 3*p.sets+1 {
			return p.hand.Useful(p.sets) & among
		}
		rest, _ := n.taken(p.hand)
		lacking := n.kinds[0]&^p.hand.AtLeast(1) | n.kinds[1]&^p.hand.AtLeast(2) | n.kinds[2]&^p.hand.AtLeast(3)
		return lacking&among | codesOf(&rest, a.kinds).useful(p.sets-n.sets, among&near(rest.Kinds()))
	case sevenPairs:
		return p.hand.PairsUseful() & among
	case otherShape:
	default:
		among &= near(p.hand.Kinds())
	}
	var useful tile.Set
	for ; among != 0; among = among.Rest() {
		k := among.First()
		p.hand.Add(k)
		if e.distance(p, a, n) < d {
			useful |= k.Bit()
		}
		p.hand.Remove(k)
	}
	return useful
}
