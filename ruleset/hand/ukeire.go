package hand

import (
	"bytes"
	_ "embed"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Ukeire returns the kinds of which one more tile lowers the shanten toward
// sets sets and a pair of a hand of 3*sets+1 tiles; none for a hand of another
// size. A kind of which the hand holds all four is not among them.
func (h *Hand) Ukeire(sets int) tile.Set {
	if int(h.n) != 3*sets+1 {
		return 0
	}
	return ukeire(&h.codes, sets)
}

// UkeireOf returns those of the given kinds of which one more tile lowers
// ShantenOf(kinds, sets). A kind of which the hand holds all four is not among
// them.
func (h *Hand) UkeireOf(kinds tile.Set, sets int) tile.Set {
	codes := h.codesOf(kinds)
	return ukeire(&codes, sets) & kinds
}

// MaxDiscards is the largest number of different kinds in a hand.
const MaxDiscards = maxTiles

// Discard is the result of discarding a tile of a kind.
type Discard struct {
	Kind tile.Kind
	// Shanten is that of the tiles left, 0 ready.
	Shanten int8
	// Ukeire is the kinds whose draw then lowers Shanten.
	Ukeire tile.Set
}

// Discards writes to dst the result of each discard of a hand of 3*sets+2 tiles, kinds in
// ascending order, and returns their number. It is 0 for a hand of another size.
func (h *Hand) Discards(sets int, dst *[MaxDiscards]Discard) int {
	return h.discards(sets, maxTiles, dst) // no shanten is above
}

// BestDiscards is Discards for those kinds alone after which the shanten is the
// least possible.
func (h *Hand) BestDiscards(sets int, dst *[MaxDiscards]Discard) int {
	// The nearest complete hand leaves out a tile, except when it is reached.
	return h.discards(sets, max(h.Shanten(sets), 0), dst)
}

// DiscardsOf is Discards for the tiles of some kinds alone; see ShantenOf and UkeireOf. It
// tries the kinds of tried, all of them held and part of kinds, and keeps those that leave
// at most maxShanten. It writes them to dst in ascending order and returns their number.
func (h *Hand) DiscardsOf(kinds, tried tile.Set, sets, maxShanten int, dst *[MaxDiscards]Discard) int {
	codes := h.codesOf(kinds)
	n := discards(&codes, tried, sets, maxShanten, dst)
	for i := range dst[:n] {
		dst[i].Ukeire &= kinds
	}
	return n
}

// discards writes the discards that leave at most maxShanten.
func (h *Hand) discards(sets, maxShanten int, dst *[MaxDiscards]Discard) int {
	if int(h.n) != 3*sets+2 {
		return 0
	}
	return discards(&h.codes, h.held[0], sets, maxShanten, dst)
}

// discards does the same for tried kinds of suits with the given codes.
func discards(codes *[4]uint32, tried tile.Set, sets, maxShanten int, dst *[MaxDiscards]Discard) int {
	g, ok := growths(codes)
	if !ok {
		return discardsOneByOne(codes, tried, sets, maxShanten, dst)
	}
	c := [4]uint8{g[0].class(), g[1].class(), g[2].class(), g[3].class()}
	// For each suit the class of the three others together.
	low, high := combined[c[0]][c[1]], combined[c[2]][c[3]]
	rest := [4]uint16{combined[c[1]][high], combined[c[0]][high], combined[c[3]][low], combined[c[2]][low]}
	// First the kinds to keep, without a branch, which no predictor could predict.
	var classes [MaxDiscards]uint8
	n := 0
	for kinds := tried; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		s := k.Suit() & 3
		class := ClassOf(s, codes[s]-pow5[k])
		shanten := shantens[sets][rest[s]][class]
		dst[n].Kind, dst[n].Shanten, classes[n] = k, shanten, class
		n += int(^uint(maxShanten-int(shanten)) >> (bits.UintSize - 1))
	}
	table := loweringOf(sets)
	// The ukeire of the other suits depends on the suit of the discard and on the class that
	// this suit has without it, which are often the same for several discards.
	var elsewhere tile.Set
	last := -1
	for i := range dst[:n] {
		d, class := &dst[i], classes[i]
		s := d.Kind.Suit() & 3
		if key := int(s)<<8 | int(class); key != last {
			last = key
			// The other suit of its pair, and the other pair of suits.
			mate, left, right := s^1, s&2^2, s&2^3
			others, pair := combined[c[left]][c[right]], combined[class][c[mate]]
			elsewhere = g[mate].ranks(table[combined[class][others]][c[mate]])<<(9*mate) |
				g[left].ranks(table[combined[c[right]][pair]][c[left]])<<(9*left) |
				g[right].ranks(table[combined[c[left]][pair]][c[right]])<<(9*right)
		}
		d.Ukeire = growthOf(s, codes[s]-pow5[d.Kind]).ranks(table[rest[s]][class])<<(9*s) | elsewhere
	}
	return n
}

// growth is what a suit becomes with one more tile of each rank. All suits of a
// class can grow into at most thirteen other classes, its successors. The words
// hold a lane of nine bits, a bit a rank, for each successor, seven in the first
// and six in the second, which has the class of the suit in its high byte. Ranks
// in no lane leave the class as it is or have all four tiles.
type growth [2]uint64

const (
	rankLanes   = 0x0040_2010_0804_0201 // the first bit of seven lanes
	successors  = 13
	growthClass = 56
	hasGrowth   = 1 << (growthClass - 1) // set in the second word of every growth in the tables
)

// entry is a growth in the tables, which is computed when it is first read. The second word is
// written last, so that a reader who finds hasGrowth in it has both.
type entry [2]atomic.Uint64

var (
	suitGrowth  [suitMask + 1]entry
	honorGrowth [honorMask + 1]entry

	// lowering[n][a][b] is the set of those successors of class b that lower the
	// shanten toward n sets and a pair when the rest of the hand has class a.
	lowering [MaxSets + 1]atomic.Pointer[loweringTable]
)

type loweringTable [numClasses][suitClasses]uint16

// growthOf returns the growth of a suit, without hasGrowth if it has more tiles than fewTiles.
func growthOf(s tile.Suit, code uint32) growth {
	e := &suitGrowth[code&suitMask]
	if s == tile.Honors {
		e = &honorGrowth[code&honorMask]
	}
	second := e[1].Load()
	if second == 0 {
		return e.fill(s, code)
	}
	return growth{e[0].Load(), second}
}

// growths returns the growths of the suits, and whether all have one.
func growths(codes *[4]uint32) (g [4]growth, ok bool) {
	g = [4]growth{growthOf(0, codes[0]), growthOf(1, codes[1]), growthOf(2, codes[2]), growthOf(tile.Honors, codes[3])}
	return g, g[0][1]&g[1][1]&g[2][1]&g[3][1]&hasGrowth != 0
}

// ukeire returns the kinds that lower the shanten of suits with the given codes.
func ukeire(codes *[4]uint32, sets int) tile.Set {
	g, ok := growths(codes)
	if !ok {
		return ukeireOneByOne(codes, sets)
	}
	table := loweringOf(sets)
	c0, c1, c2, c3 := g[0].class(), g[1].class(), g[2].class(), g[3].class()
	low, high := combined[c0][c1], combined[c3][c2]
	return g[0].ranks(table[combined[c1][high]][c0]) |
		g[1].ranks(table[combined[c0][high]][c1])<<9 |
		g[2].ranks(table[combined[c3][low]][c2])<<18 |
		g[3].ranks(table[combined[c2][low]][c3])<<27
}

// fewTiles is the largest number of tiles of a suit that has a growth: a hand of fourteen. Only a
// hand of seventeen may have more of one suit, which is rare, and whose classes would have more
// successors.
const fewTiles = 14

// ukeireOneByOne is ukeire by the definition.
func ukeireOneByOne(codes *[4]uint32, sets int) (ukeire tile.Set) {
	now := shantenOf(codes, sets)
	for kinds := tile.All; kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		more := *codes
		code := &more[k.Suit()&3]
		if *code/pow5[k]%5 == 4 {
			continue
		}
		if *code += pow5[k]; shantenOf(&more, sets) < now {
			ukeire |= k.Bit()
		}
	}
	return ukeire
}

// discardsOneByOne is discards by the definition.
func discardsOneByOne(codes *[4]uint32, tried tile.Set, sets, maxShanten int, dst *[MaxDiscards]Discard) int {
	n := 0
	for ; tried != 0; tried = tried.Rest() {
		k := tried.First()
		less := *codes
		less[k.Suit()&3] -= pow5[k]
		if shanten := shantenOf(&less, sets); shanten <= maxShanten {
			dst[n] = Discard{k, int8(shanten), ukeireOneByOne(&less, sets)}
			n++
		}
	}
	return n
}

func (g growth) class() uint8 { return uint8(g[1] >> growthClass) }

// ranks returns the ranks that lead to one of the given successors.
func (g growth) ranks(to uint16) tile.Set {
	lanes := g[0]&laneMask(uint64(to)&0x7f) | g[1]&laneMask(uint64(to)>>7)
	lanes |= lanes >> 36
	lanes |= lanes >> 18
	lanes |= lanes >> 9
	return tile.Set(lanes & ranksMask)
}

// laneMask returns all bits of the lanes whose numbers are in the seven-bit set.
func laneMask(set uint64) uint64 {
	return set * 0x0001_0101_0101_0101 & rankLanes * ranksMask
}

// successorLists has the successors of each class, in the order of their lanes, and 0xff after the last one.
// It takes long to find, so a test finds it and, with -update, writes the file.
//
//go:generate go test . -run TestSuccessors -update
//go:embed suit.successors
var successorLists string

// successorLanes[class][next] is the first bit of the lane of a successor, counted through both words
// of a growth, and 128 where a class leads to itself.
var successorLanes = sync.OnceValue(func() *[suitClasses][suitClasses]uint8 {
	lanes := new([suitClasses][suitClasses]uint8)
	for class := range lanes {
		for i, next := range successorsOf(class) {
			lanes[class][next] = uint8(i/7*64 + i%7*9)
		}
		lanes[class][class] = 128
	}
	return lanes
})

func successorsOf(class int) []byte {
	list, _, _ := bytes.Cut([]byte(successorLists[class*successors:][:successors]), []byte{0xff})
	return list
}

// fill computes a growth, and keeps it if the suit has few tiles.
func (e *entry) fill(s tile.Suit, code uint32) growth {
	ranks := 9
	if s == tile.Honors {
		ranks = 7
	}
	tiles := uint32(0)
	for left := code; left != 0; left /= 5 {
		tiles += left % 5
	}
	if tiles > fewTiles {
		return growth{}
	}
	class := ClassOf(s, code)
	lanes := &successorLanes()[class]
	var words [3]uint64 // the last one collects the ranks that leave the class as it is
	for r, left := 0, code; r < ranks; r, left = r+1, left/5 {
		if left%5 < 4 {
			at := lanes[ClassOf(s, code+pow5[r])]
			words[at>>6] |= 1 << (at&63 + uint8(r))
		}
	}
	words[1] |= uint64(class)<<growthClass | hasGrowth
	e[0].Store(words[0])
	e[1].Store(words[1])
	return growth{words[0], words[1]}
}

// loweringOf returns the table for a number of sets, which is computed when it is first used.
func loweringOf(sets int) *loweringTable {
	if t := lowering[sets].Load(); t != nil {
		return t
	}
	t := new(loweringTable)
	for class := range suitClasses {
		for i, next := range successorsOf(class) {
			for rest := range t {
				if shanten := &shantens[sets][rest]; shanten[next] < shanten[class] {
					t[rest][class] |= 1 << i
				}
			}
		}
	}
	lowering[sets].Store(t)
	return t
}
