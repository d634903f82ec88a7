package hand

import (
	"math/bits"
	"sync"

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
	g := growths(codes)
	if isCrowded(&g) {
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
	table := &lowering[sets]
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

var (
	growthOnce  sync.Once
	suitGrowth  [suitMask + 1]growth
	honorGrowth [honorMask + 1]growth

	// lowering[n][a][b] is the set of those successors of class b that lower the
	// shanten toward n sets and a pair when the rest of the hand has class a.
	lowering [MaxSets + 1][numClasses][suitClasses]uint16
)

func growthOf(s tile.Suit, code uint32) growth {
	if s == tile.Honors {
		return honorGrowth[code&honorMask]
	}
	return suitGrowth[code&suitMask]
}

func growths(codes *[4]uint32) [4]growth {
	growthOnce.Do(fillGrowth)
	return [4]growth{
		suitGrowth[codes[0]&suitMask],
		suitGrowth[codes[1]&suitMask],
		suitGrowth[codes[2]&suitMask],
		honorGrowth[codes[3]&honorMask],
	}
}

// ukeire returns the kinds that lower the shanten of suits with the given codes.
func ukeire(codes *[4]uint32, sets int) tile.Set {
	g := growths(codes)
	if isCrowded(&g) {
		return ukeireOneByOne(codes, sets)
	}
	table := &lowering[sets]
	c0, c1, c2, c3 := g[0].class(), g[1].class(), g[2].class(), g[3].class()
	low, high := combined[c0][c1], combined[c3][c2]
	return g[0].ranks(table[combined[c1][high]][c0]) |
		g[1].ranks(table[combined[c0][high]][c1])<<9 |
		g[2].ranks(table[combined[c3][low]][c2])<<18 |
		g[3].ranks(table[combined[c2][low]][c3])<<27
}

// fewTiles is the largest number of tiles of a suit that has a growth in the tables: a hand
// of fourteen. Only a hand of seventeen may have more of one suit, which is rare, and tables
// for those would take twice as long to fill.
const fewTiles = 14

func isCrowded(suits *[4]growth) bool {
	return suits[0][1]&suits[1][1]&suits[2][1]&suits[3][1]&hasGrowth == 0
}

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

// fillGrowth builds the tables of this file.
func fillGrowth() {
	// place is the first bit of the lane of each successor of each class, counted through
	// both words. A third word collects the ranks that leave the class as it is.
	const (
		nothing = 2 * 64
		unknown = 3 * 64
	)
	var (
		count [suitClasses]int // of successors
		list  [suitClasses][successors]uint8
		place [suitClasses][suitClasses]uint8
	)
	for class := range place {
		for next := range place {
			place[class][next] = unknown
		}
		place[class][class] = nothing
	}
	fill := func(dst []growth, classes []uint8, ranks int) {
		var visit func(rank int, code uint32, full, left int)
		visit = func(rank int, code uint32, full, left int) {
			if rank >= 0 {
				for n := range min(left, 4) + 1 {
					visit(rank-1, code+uint32(n)*pow5[rank], full|n>>2<<rank, left-n)
				}
				return
			}
			class := classes[code]
			var words [3]uint64
			for r := range ranks {
				if full>>r&1 != 0 {
					continue
				}
				next := classes[code+pow5[r]]
				at := place[class][next]
				if at == unknown {
					n := count[class]
					count[class]++
					list[class][n] = next
					at = uint8(n/7*64 + n%7*9)
					place[class][next] = at
				}
				words[at>>6] |= 1 << (at&63 + uint8(r))
			}
			dst[code] = growth{words[0], words[1] | uint64(class)<<growthClass | hasGrowth}
		}
		visit(ranks-1, 0, 0, fewTiles)
	}
	fill(suitGrowth[:], suitClass[:], 9)
	fill(honorGrowth[:], honorClass[:], 7)

	for n := range lowering {
		for rest := range lowering[n] {
			shanten := &shantens[n][rest]
			for class := range suitClasses {
				for i, next := range list[class][:count[class]] {
					if shanten[next] < shanten[class] {
						lowering[n][rest][class] |= 1 << i
					}
				}
			}
		}
	}
}
