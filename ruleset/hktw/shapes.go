package hktw

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

const (
	handSize = 17 // with the winning tile
	numSets  = 5
	// orphansExtra is the number of tiles besides one of each orphan.
	orphansExtra = 4
)

// Waits returns the kinds that complete five sets and a pair, a lik gu, sixteen
// disjoint tiles, or thirteen orphans with a set in the hand ([H] 4.1, 5). What a
// single kan laid down adds is left to KanWaits.
func (s *Scorer) Waits(h *hand.Hand, melds int) tile.Set {
	waits := h.Waits(numSets - melds)
	// The special forms need all sixteen tiles concealed ([H] 5).
	if melds > 0 || h.Len() != handSize-1 {
		return waits
	}
	if s.pairs {
		waits |= s.likGuWaits(h)
	}
	if s.disjoints {
		waits |= s.disjointWaits(h)
	}
	if s.orphans {
		waits |= orphansWaits(h)
	}
	return waits
}

// Shanten returns the least distance to any of the shapes; what a single kan laid
// down adds is left to KanShanten.
func (s *Scorer) Shanten(h *hand.Hand, melds int) int {
	n := h.Shanten(numSets - melds)
	if melds > 0 {
		return n
	}
	if s.pairs {
		n = min(n, s.likGuShanten(h))
	}
	if s.disjoints {
		n = min(n, s.disjointShanten(h))
	}
	// Thirteen orphans cost most to look for. No extra tiles can bring a hand with few of them near
	// enough.
	if kinds := (h.Kinds() & tile.Orphans).Len(); s.orphans && handSize-1-kinds-orphansExtra < n {
		n = min(n, orphansShanten(h))
	}
	return n
}

// ShantenLowerBound is that of sets and a pair for hands with melds that leave no other shape,
// and says nothing of others.
func (s *Scorer) ShantenLowerBound(h *hand.Hand, melds []hand.Meld) int {
	if len(melds) == 0 && (s.pairs || s.disjoints || s.orphans) || len(melds) == 1 && s.mayBeExtra(melds[0]) {
		// Shanten of the other shapes has no cheap bound, and -1 is below all.
		return -1
	}
	return h.ShantenLowerBound()
}

// KanWaits returns the kinds that complete thirteen orphans whose extra meld is
// the only meld, a kan; none unless it may be that.
func (s *Scorer) KanWaits(h *hand.Hand, kan hand.Meld) tile.Set {
	if !s.mayBeExtra(kan) {
		return 0
	}
	return h.OrphansWaits()
}

// KanShanten returns the distance to such a hand, or more than any hand has.
func (s *Scorer) KanShanten(h *hand.Hand, kan hand.Meld) int {
	if !s.mayBeExtra(kan) {
		return handSize
	}
	return h.OrphansShanten()
}

// mayBeExtra reports whether a meld may be the extra one of thirteen orphans ([H]
// 5.3): an added kan was a pon.
func (s *Scorer) mayBeExtra(m hand.Meld) bool {
	return m.Type == hand.ClosedKan && s.knobs.OrphansKong != OrphansKongNone ||
		m.Type == hand.OpenKan && s.knobs.OrphansKong == OrphansKongAny
}

// waits returns all kinds that complete the hand with the given melds.
func (s *Scorer) waits(h *hand.Hand, melds []hand.Meld) tile.Set {
	waits := s.Waits(h, len(melds))
	if len(melds) == 1 {
		waits |= s.KanWaits(h, melds[0])
	}
	return waits
}

// likGuShanten returns the distance to seven pairs and a triplet ([H] 5.1). The
// triplet is put where most tiles of the hand stay of use, and the pairs on kinds
// that have two tiles for one, then on those that have one.
func (s *Scorer) likGuShanten(h *hand.Hand) int {
	two, three, four := h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)
	single := h.Kinds() &^ two
	pairs, halves := two.Len(), single.Len()
	if s.knobs.LikGuQuads {
		pairs += four.Len()
		halves += (three &^ four).Len()
	}
	// The triplet is tried from nothing, from one, two and three tiles of a kind; the tiles it
	// takes no longer make a pair.
	kept := likGuPairs(pairs, halves)
	if single != 0 {
		kept = max(kept, 1+likGuPairs(pairs, halves-1))
	}
	if two&^three != 0 {
		kept = max(kept, 2+likGuPairs(pairs-1, halves))
	}
	switch {
	case !s.knobs.LikGuQuads && three != 0:
		kept = max(kept, 3+likGuPairs(pairs-1, halves))
	case three&^four != 0:
		kept = max(kept, 3+likGuPairs(pairs-1, halves-1))
	case four != 0:
		kept = max(kept, 3+likGuPairs(pairs-2, halves))
	}
	return handSize - 1 - kept
}

// likGuPairs returns how many tiles seven pairs keep of so many pairs and halves
// of pairs.
func likGuPairs(pairs, halves int) int {
	pairs = min(pairs, 7)
	return 2*pairs + min(halves, 7-pairs)
}

// likGuWaits returns the kinds that complete a lik gu of 16 tiles.
func (s *Scorer) likGuWaits(h *hand.Hand) tile.Set {
	two, three, four := h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)
	singles, triplets := h.Kinds()&^two, three&^four
	switch {
	// The fourth tile is of no use then, so sixteen tiles with it are not one short.
	case !s.knobs.LikGuQuads && four != 0:
		return 0
	case singles == 0 && triplets == 0: // eight pairs
		return two &^ three
	// Either triplet becomes two pairs, and the other stays.
	case singles == 0 && triplets.Len() == 2 && s.knobs.LikGuQuads:
		return triplets
	case singles.Len() == 1 && triplets.Len() == 1:
		return singles
	}
	return 0
}

// disjointSuit is what the ranks held of a suit are good for.
type disjointSuit struct {
	// kept is the largest number of them that lie far enough apart, useful all
	// ranks that are part of so many, lacking those that would make one more.
	kept            uint8
	useful, lacking uint16
}

// disjointSuits returns the entries of all sets of ranks.
func disjointSuits(gap int) (table [512]disjointSuit) {
	for a := 0; a < 9; a++ {
		for b := a + gap; b < 9; b++ {
			for c := b + gap; c < 9; c++ {
				ranks := uint16(1<<a | 1<<b | 1<<c)
				for held := range uint16(len(table)) {
					e := &table[held]
					kept := uint8(bits.OnesCount16(held & ranks))
					if kept > e.kept {
						*e = disjointSuit{kept: kept}
					}
					if kept == e.kept {
						e.useful |= held & ranks
						e.lacking |= ranks &^ held
					}
				}
			}
		}
	}
	return table
}

// disjoint returns the entries of the three suits.
func (s *Scorer) disjoint(h *hand.Hand) (a, b, c *disjointSuit) {
	k := h.Kinds()
	return &s.disjointSuits[k&tile.Ranks], &s.disjointSuits[k>>dots&tile.Ranks], &s.disjointSuits[k>>bamboo&tile.Ranks]
}

// disjointShanten returns the distance to all honors and three ranks of each suit,
// one of these kinds doubled ([H] 5.2).
func (s *Scorer) disjointShanten(h *hand.Hand) int {
	a, b, c := s.disjoint(h)
	kept := (h.Kinds() & tile.HonorSet).Len() + int(a.kept+b.kept+c.kept)
	useful := tile.HonorSet
	if s.knobs.DisjointPair == DisjointAny {
		useful |= tile.Set(a.useful) | tile.Set(b.useful)<<dots | tile.Set(c.useful)<<bamboo
	}
	if h.AtLeast(2)&useful != 0 {
		kept++
	}
	return handSize - 1 - kept
}

// disjointWaits returns the kinds that complete sixteen disjoint tiles.
func (s *Scorer) disjointWaits(h *hand.Hand) tile.Set {
	if s.disjointShanten(h) != 0 {
		return 0
	}
	// All sixteen are different, so any of them may be doubled, or honors alone by the knob.
	if h.AtLeast(2) == 0 {
		if s.knobs.DisjointPair == DisjointHonor {
			return tile.HonorSet
		}
		return h.Kinds()
	}
	if honors := tile.HonorSet &^ h.Kinds(); honors != 0 {
		return honors
	}
	var waits tile.Set
	a, b, c := s.disjoint(h)
	for i, e := range [...]*disjointSuit{a, b, c} {
		if e.kept < 3 {
			waits |= tile.Set(e.lacking) << (9 * i)
		}
	}
	return waits
}

// spare is the tiles of a hand beyond one of each orphan: the kinds of which there
// are at least one, two and three.
type spare [3]tile.Set

func spareOf(h *hand.Hand) (r spare) {
	for i := range r {
		r[i] = h.AtLeast(i+2)&tile.Orphans | h.AtLeast(i+1)&tile.Simples
	}
	return r
}

// orphansShanten returns the distance to thirteen orphans, one of them doubled,
// and a set ([H] 5.3).
func orphansShanten(h *hand.Hand) int {
	r := spareOf(h)
	return handSize - 1 - (h.Kinds() & tile.Orphans).Len() - r.kept()
}

// kept returns how many of these tiles a set and the double of an orphan use, at
// most orphansExtra.
func (r *spare) kept() int {
	most := 0
	if r[0]&tile.Orphans != 0 {
		most = 1
	}
	// As a pung, then as a sequence; the double of an orphan comes from what is left.
	for kinds := r[0]; kinds != 0; kinds = kinds.Rest() {
		bit := kinds & -kinds
		used := 1
		if r[1]&bit != 0 {
			used++
		}
		if r[2]&bit != 0 {
			used++
		}
		most = max(most, used+r.double(r[0]&^bit))
	}
	for starts := (r[0] | r[0]>>1 | r[0]>>2) & tile.Sequences; starts != 0; starts = starts.Rest() {
		chow := 7 * (starts & -starts)
		most = max(most, (r[0]&chow).Len()+r.double(r[0]&^chow|r[1]&chow))
	}
	return most
}

// double returns 1 if an orphan is among the tiles left.
func (*spare) double(left tile.Set) int {
	if left&tile.Orphans != 0 {
		return 1
	}
	return 0
}

// orphansWaits returns the kinds that complete thirteen orphans and a set of 16
// tiles.
func orphansWaits(h *hand.Hand) tile.Set {
	missing := tile.Orphans &^ h.Kinds()
	if missing.Len() > 1 {
		return 0
	}
	r := spareOf(h)
	if missing != 0 {
		if r.kept() == orphansExtra {
			return missing
		}
		return 0
	}
	// Thirteen orphans and three more tiles: two of these become a set by the tile, the third
	// doubles an orphan, or all three are a set.
	var rest [3]tile.Set
	n := 0
	for _, kinds := range r {
		for ; kinds != 0 && n < len(rest); kinds = kinds.Rest() {
			rest[n] = kinds & -kinds
			n++
		}
	}
	var waits tile.Set
	for i, double := range rest {
		a, b := rest[(i+1)%3], rest[(i+2)%3]
		var set tile.Set // kinds that make a set of a and b
		if a == b {
			set = a
		} else {
			set = (a | b).ChiKinds()
		}
		if set&double != 0 {
			waits |= tile.Orphans
		}
		if double&tile.Orphans != 0 {
			waits |= set
		}
	}
	return waits
}
