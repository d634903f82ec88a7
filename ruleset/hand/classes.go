package hand

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Sizes of the tables. A class is the index of one of the different costs: 187 of a
// suit, 11 more of the honors, and 130 more of several suits together.
const (
	suitClasses = 198
	numClasses  = 328

	suitCodes  = 1953125 // 5^9
	honorCodes = 78125   // 5^7

	// Code indexes are masked instead of checked.
	suitMask  = 1<<21 - 1
	honorMask = 1<<17 - 1
)

var (
	suitClass  [suitMask + 1]uint8
	honorClass [honorMask + 1]uint8

	// combined[a][b] is the class of tiles of class a, one suit, together with
	// tiles of class b.
	combined [256][numClasses]uint16
	// shantens[n][a][b] is the shanten toward n sets and a pair of two groups
	// of tiles of classes a and b.
	shantens [MaxSets + 1][numClasses][numClasses]int8
)

func init() {
	walks := decodeWalks(suitWalks)
	fill(walks.suitClasses, suitClass[:suitCodes])
	fill(walks.honorClasses, honorClass[:honorCodes])
	fill(walks.suitWaits, suitWaits[:suitCodes])
	fill(walks.honorWaits, honorWaits[:honorCodes])

	all := walks.costs
	// Every start of a program pays for these tables, in a browser several times as much, so a small table of
	// hashes stands for a map.
	var index [1024]uint16 // for hashes of costs, and those after them: a class, plus one
	id := func(c costs) uint16 {
		at := (c[0]*0x9e3779b97f4a7c15 ^ c[1]) * 0x9e3779b97f4a7c15 >> 54
		for ; index[at] != 0; at = (at + 1) % row(len(index)) {
			if n := index[at] - 1; all[n] == c {
				return n
			}
		}
		all = append(all, c)
		index[at] = uint16(len(all))
		return uint16(len(all) - 1)
	}
	all = all[:0]
	for _, c := range walks.costs {
		id(c)
	}
	// parts are for a class of several suits that of one of them and that of the others.
	var parts [numClasses][2]uint16
	for b := 0; b < len(all); b++ { // grows until all sums are known
		for a := range suitClasses {
			if a < b && b < suitClasses {
				combined[a][b] = combined[b][a]
				continue
			}
			if b >= suitClasses { // (a + others) + one may be known, where the order of sums does not matter
				one := parts[b][0]
				if sum := combined[a][parts[b][1]]; int(sum) < b {
					combined[a][b] = combined[one][sum]
					continue
				}
			}
			n := len(all)
			combined[a][b] = id(all[a].combine(all[b]))
			if len(all) > n {
				parts[n] = [2]uint16{uint16(a), uint16(b)}
			}
		}
	}
	for a := range all {
		fillShantens(all, a)
	}
}

// fillShantens fills the entries of class a with those up to it. It is a function of its own, since a browser
// makes no loop faster while it runs.
func fillShantens(all []costs, a int) {
	for b := range a + 1 {
		var need row
		if b < suitClasses { // the sum has it
			need = all[combined[b][a]][1]
		} else {
			need = all[a].withPair(all[b])
		}
		for n := range shantens {
			s := int8(need.at(n) - 1)
			shantens[n][a][b], shantens[n][b][a] = s, s
		}
	}
}

// Classes are the classes of the four suits of a hand. Two suits of one class
// need the same tiles for any number of sets with or without a pair, so classes
// are all that the shanten of a standard shape depends on. When a tile is drawn or
// discarded, ClassOf gives the new class of its suit.
type Classes [4]uint8

// ClassOf returns the class of a suit whose counts have the given code; see
// Hand.Code.
func ClassOf(s tile.Suit, code uint32) uint8 {
	if s == tile.Honors {
		return honorClass[code&honorMask]
	}
	return suitClass[code&suitMask]
}

// Classes returns the classes of the four suits of the hand.
func (h *Hand) Classes() Classes {
	return Classes{
		suitClass[h.codes[0]&suitMask],
		suitClass[h.codes[1]&suitMask],
		suitClass[h.codes[2]&suitMask],
		honorClass[h.codes[3]&honorMask],
	}
}

// ClassesOf returns the classes of the suits of a hand with the given number of
// tiles, 0..4, of each kind.
func ClassesOf(counts *[tile.NumKinds]uint8) Classes {
	return Classes{
		suitClass[suitCode((*[9]uint8)(counts[0:]))&suitMask],
		suitClass[suitCode((*[9]uint8)(counts[9:]))&suitMask],
		suitClass[suitCode((*[9]uint8)(counts[18:]))&suitMask],
		honorClass[honorCode(counts)&honorMask],
	}
}

// honorCode returns the code of the honors. They end the array, so their eight bytes
// begin with 9s.
func honorCode(counts *[tile.NumKinds]uint8) uint32 {
	return code8(binary.LittleEndian.Uint64(counts[26:]) >> 8)
}

func suitCode(counts *[9]uint8) uint32 {
	return code8(binary.LittleEndian.Uint64(counts[:])) + uint32(counts[8])*390625
}

// code8 returns the base-5 code of eight counts, a byte each.
func code8(counts uint64) uint32 {
	const (
		bytes = 0x00ff_00ff_00ff_00ff
		words = 0x0000_ffff_0000_ffff
	)
	counts = counts&bytes + counts>>8&bytes*5
	counts = counts&words + counts>>16&words*25
	return uint32(counts) + uint32(counts>>32)*625
}

// Shanten returns the shanten of a hand of 3*sets+1 or 3*sets+2 tiles toward sets sets,
// 0..MaxSets, and a pair. It is one less than the number of tiles to exchange until the hand
// is complete: -1 complete, 0 ready. The complete hand uses no kind more than four times.
// Melds and tiles seen elsewhere are not considered.
func (c Classes) Shanten(sets int) int { return shanten(c[0], c[1], c[2], c[3], sets) }

// shanten returns the shanten of suits of the given classes. They are four arguments
// rather than an array: the processor would stall on a load of the whole array right after
// the stores of its elements.
func shanten(c0, c1, c2, c3 uint8, sets int) int {
	a := combined[c0][c1]
	b := combined[c3][c2]
	return int(shantens[sets][a][b])
}

func shantenOf(codes *[4]uint32, sets int) int {
	return shanten(
		suitClass[codes[0]&suitMask], suitClass[codes[1]&suitMask],
		suitClass[codes[2]&suitMask], honorClass[codes[3]&honorMask], sets)
}

// Shanten returns the shanten of the hand toward sets sets and a pair; see
// Classes.Shanten.
func (h *Hand) Shanten(sets int) int { return shantenOf(&h.codes, sets) }

// codesOf returns the codes of the suits without the tiles of other kinds.
func (h *Hand) codesOf(kinds tile.Set) [4]uint32 {
	codes := h.codes
	others := h.held[0] &^ kinds
	for s := range codes { // whole suits at once
		if suit := tile.SuitSet(tile.Suit(s)); kinds&suit == 0 {
			codes[s] = 0
			others &^= suit
		}
	}
	for ; others != 0; others = others.Rest() {
		k := others.First()
		codes[k.Suit()&3] -= uint32(h.counts[k]) * pow5[k]
	}
	return codes
}

// ShantenOf returns the shanten toward sets sets and a pair of the tiles of the given
// kinds alone, as if the others were not held. The hand may have any number of tiles: it
// draws those it is short of. See Classes.Shanten.
func (h *Hand) ShantenOf(kinds tile.Set, sets int) int {
	if h.held[0]&^kinds == 0 {
		return h.Shanten(sets)
	}
	codes := h.codesOf(kinds)
	return shantenOf(&codes, sets)
}

// ShantenWithout is ShantenOf with some tiles set aside, as far as they are held. These are
// one of each kind of taken[0], a second of each kind of taken[1], and a third of each kind
// of taken[2]. Each set is part of the one before.
func (h *Hand) ShantenWithout(taken *[3]tile.Set, kinds tile.Set, sets int) int {
	codes := h.codesOf(kinds)
	for i, set := range taken {
		for set &= h.held[i] & kinds; set != 0; set = set.Rest() {
			k := set.First()
			codes[k.Suit()&3] -= pow5[k]
		}
	}
	return shantenOf(&codes, sets)
}
