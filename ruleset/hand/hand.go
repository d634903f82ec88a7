// Package hand holds a player's tiles and computes their shape by table lookup: whether they
// are complete, their waits, their shanten and ukeire, and how they divide into sets. Ukeire
// are the kinds whose draw lowers the shanten.
//
// Shapes here are those all families share: sets and a pair, seven pairs,
// thirteen orphans. A family's own shapes are in its package and use the same
// Hand.
package hand

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// Hand is the concealed tiles of one player counted by kind, with the derived
// values by which the tables are indexed. The zero value is an empty hand. It is a
// plain value: copying it copies the hand.
type Hand struct {
	counts [tile.NumKinds]uint8
	n      uint8
	held   tile.Copies
	codes  [4]uint32 // base-5 code of each suit's counts, lowest rank first
}

// pow5 is the weight of a kind inside the code of its suit.
var pow5 = func() (p [tile.NumKinds]uint32) {
	for k := range p {
		p[k] = 1
		for range k % 9 {
			p[k] *= 5
		}
	}
	return p
}()

// Add puts one tile of kind k into the hand, which must hold fewer than four.
func (h *Hand) Add(k tile.Kind) {
	c := h.counts[k]
	h.held[c&3] |= k.Bit()
	h.counts[k] = c + 1
	h.codes[k.Suit()&3] += pow5[k]
	h.n++
}

// AddSet puts the three tiles of a set into the hand, which must have room
// for them: it holds at most four of a kind.
func (h *Hand) AddSet(s Set) {
	k := s.Kind()
	if s.IsTriplet() {
		h.counts[k] += 3
		for range 3 {
			h.held.Add(k.Bit())
		}
		h.codes[k.Suit()&3] += 3 * pow5[k]
		h.n += 3
		return
	}
	h.counts[k]++
	h.counts[k+1]++
	h.counts[k+2]++
	h.held.Add(7 * k.Bit())
	h.codes[k.Suit()&3] += 31 * pow5[k]
	h.n += 3
}

// Remove takes one tile of kind k out of the hand, which must hold one.
func (h *Hand) Remove(k tile.Kind) {
	c := h.counts[k] - 1
	h.held[c&3] &^= k.Bit()
	h.counts[k] = c
	h.codes[k.Suit()&3] -= pow5[k]
	h.n--
}

// Count returns how many tiles of kind k are held, 0..4.
func (h *Hand) Count(k tile.Kind) int { return int(h.counts[k]) }

// Counts returns the number of tiles held of every kind.
func (h *Hand) Counts() *[tile.NumKinds]uint8 { return &h.counts }

// Len returns the number of tiles held.
func (h *Hand) Len() int { return int(h.n) }

// Kinds returns the kinds held.
func (h *Hand) Kinds() tile.Set { return h.held[0] }

// AtLeast returns the kinds of which at least n tiles are held, n in 1..4.
func (h *Hand) AtLeast(n int) tile.Set { return h.held[(n-1)&3] }

// Code returns the counts of suit s as a number in base 5, the lowest rank first.
// Tables are indexed by it; see ClassOf.
func (h *Hand) Code(s tile.Suit) uint32 { return h.codes[s&3] }

// FromCounts returns the hand with the given number of tiles, 0..4, of each kind.
func FromCounts(counts *[tile.NumKinds]uint8) (h Hand) {
	h.fill(counts)
	return h
}

// fill makes h the hand with the given counts. It stores whole words, as they will be loaded:
// the processor would stall on a load of a word right after stores of its halves.
func (h *Hand) fill(counts *[tile.NumKinds]uint8) {
	h.counts = *counts
	h.codes[0] = suitCode((*[9]uint8)(counts[0:]))
	h.codes[1] = suitCode((*[9]uint8)(counts[9:]))
	h.codes[2] = suitCode((*[9]uint8)(counts[18:]))
	h.codes[3] = honorCode(counts)
	t := tile.TallyOf(counts)
	one, two, four := t[0], t[1], t[2]
	h.held[0] = one | two | four
	h.held[1] = two | four
	h.held[2] = one&two | four
	h.held[3] = four
	h.n = uint8(one.Len() + 2*two.Len() + 4*four.Len())
}
