package mcr

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// knitted are the six ways to give 147, 258 and 369 to the three suits: the nine
// kinds of a knitted straight. triples holds the ranks of each suit: 0 for 147,
// 1 for 258, 2 for 369.
var knitted = func() (bodies [6]struct {
	kinds   tile.Set
	triples [3]uint8
},
) {
	for i, t := range [...][3]uint8{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		bodies[i].triples = t
		for suit, first := range t {
			bodies[i].kinds |= triple147 << first << (9 * suit)
		}
	}
	return bodies
}()

// triple147 are the ranks 1, 4 and 7 of the first suit.
const triple147 tile.Set = 1<<0 | 1<<3 | 1<<6

// body returns the nine kinds of a knitted straight that are all among kinds,
// or none. No hand holds two knitted straights.
func body(kinds tile.Set) tile.Set {
	for i := range knitted {
		if b := knitted[i].kinds; b&^kinds == 0 {
			return b
		}
	}
	return 0
}

// without returns the hand less one tile of each of the kinds, which it holds.
func without(h *hand.Hand, kinds tile.Set) hand.Hand {
	rest := *h
	for ; kinds != 0; kinds = kinds.Rest() {
		rest.Remove(kinds.First())
	}
	return rest
}

// Waits returns the kinds that complete one of the shapes (SEED 3.7.2; GB06 3.8.1, fan 35):
//   - four sets and a pair, seven pairs, thirteen orphans;
//   - a knitted straight with a set and a pair;
//   - fourteen different honors and knitted tiles.
func (s *scorer) Waits(h *hand.Hand, melds int) tile.Set {
	waits := h.Waits(4 - melds)
	if melds > 1 {
		return waits
	}
	if melds == 0 {
		if s.pairs {
			waits |= s.pairsWaits(h)
		}
		if s.orphans {
			waits |= h.OrphansWaits()
		}
		if s.honors {
			waits |= honorsAndKnittedWaits(h)
		}
	}
	if s.straight {
		waits |= knittedStraightWaits(h, 1-melds)
	}
	return waits
}

func (s *scorer) pairsWaits(h *hand.Hand) tile.Set {
	if s.knobs.PairsQuads {
		return h.PairsQuadsWaits()
	}
	return h.PairsWaits()
}

func (s *scorer) pairsShanten(h *hand.Hand) int {
	if s.knobs.PairsQuads {
		return h.PairsQuadsShanten()
	}
	return h.PairsShanten()
}

// honorsAndKnittedWaits returns the kinds that complete a hand of 13 tiles to
// honors and knitted tiles: three or none.
func honorsAndKnittedWaits(h *hand.Hand) tile.Set {
	if h.Len() != 13 || h.Kinds().Len() != 13 {
		return 0
	}
	for i := range knitted {
		if all := knitted[i].kinds | tile.HonorSet; h.Kinds()&^all == 0 {
			return all &^ h.Kinds()
		}
	}
	return 0
}

// honorsAndKnittedShanten returns the shanten of a hand of 13 or 14 tiles toward
// honors and knitted tiles.
func honorsAndKnittedShanten(h *hand.Hand) int {
	most := 0
	for i := range knitted {
		most = max(most, (h.Kinds() & (knitted[i].kinds | tile.HonorSet)).Len())
	}
	return 13 - most
}

// knittedStraightWaits returns the kinds that complete a hand to a knitted
// straight, the given number of sets, 0 or 1, and a pair.
func knittedStraightWaits(h *hand.Hand, sets int) tile.Set {
	if h.Len() != 10+3*sets {
		return 0
	}
	var waits tile.Set
	for i := range knitted {
		kinds := knitted[i].kinds
		missing := kinds &^ h.Kinds()
		if missing&(missing-1) != 0 {
			continue
		}
		rest := without(h, kinds&^missing)
		if missing == 0 {
			waits |= rest.Waits(sets)
		} else if rest.Complete(sets) {
			waits |= missing
		}
	}
	return waits
}

// Shanten returns the least distance to any of the shapes.
func (s *scorer) Shanten(h *hand.Hand, melds int) int {
	best := h.Shanten(4 - melds)
	if melds > 1 {
		return best
	}
	if melds == 0 {
		if s.pairs {
			best = min(best, s.pairsShanten(h))
		}
		if s.orphans {
			best = min(best, h.OrphansShanten())
		}
		if s.honors {
			best = min(best, honorsAndKnittedShanten(h))
		}
	}
	if s.straight {
		best = knittedStraightShanten(h, 1-melds, best)
	}
	return best
}

// ShantenLowerBound is that of sets and a pair for hands with melds that leave no other shape,
// and says nothing of others.
func (s *scorer) ShantenLowerBound(h *hand.Hand, melds []hand.Meld) int {
	if len(melds) < 2 {
		return -1
	}
	return h.ShantenLowerBound()
}

// knittedStraightShanten returns the shanten toward a knitted straight, the
// given number of sets, 0 or 1, and a pair, or most if that is not higher. The
// body takes no tile from set and pair that they could not do without, and no
// kind is needed more than four times: once for the body and three times at most
// for the others.
func knittedStraightShanten(h *hand.Hand, sets, most int) int {
	held := h.Kinds()
	var classes [3][3]uint8 // of each suit less each triple
	var known [3][3]bool
	for i := range knitted {
		b := &knitted[i]
		missing := 9 - (held & b.kinds).Len()
		if missing > most {
			continue
		}
		rest := hand.Classes{3: hand.ClassOf(tile.Honors, h.Code(tile.Honors))}
		for suit, triple := range b.triples {
			triple %= 3
			if !known[suit][triple] {
				taken := held >> (9 * suit) & (triple147 << triple)
				code := h.Code(tile.Suit(suit)) - knittedCode[taken&0x1ff]
				classes[suit][triple] = hand.ClassOf(tile.Suit(suit), code)
				known[suit][triple] = true
			}
			rest[suit] = classes[suit][triple]
		}
		most = min(most, missing+rest.Shanten(sets))
	}
	return most
}

// knittedCode is the code of one tile of each of a set of ranks; see
// hand.Hand.Code.
var knittedCode = func() (codes [512]uint32) {
	for ranks := range codes {
		var h hand.Hand
		for set := tile.Set(ranks); set != 0; set = set.Rest() {
			h.Add(set.First())
		}
		codes[ranks] = h.Code(tile.Characters)
	}
	return codes
}()
