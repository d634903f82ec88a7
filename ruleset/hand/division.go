package hand

import (
	"cmp"
	"slices"

	"github.com/jansou/jansou/ruleset/tile"
)

// Set is one set of a division, a sequence or a triplet.
type Set uint8

const tripletFlag Set = 0x40

// Triplet returns the triplet of kind k.
func Triplet(k tile.Kind) Set { return Set(k) | tripletFlag }

// Sequence returns the sequence whose lowest kind is k.
func Sequence(k tile.Kind) Set { return Set(k) }

// Kind returns the kind of a triplet, the lowest kind of a sequence.
func (s Set) Kind() tile.Kind { return tile.Kind(s &^ tripletFlag) }

// IsTriplet reports whether s is a triplet.
func (s Set) IsTriplet() bool { return s&tripletFlag != 0 }

// IsSequence reports whether s is a sequence.
func (s Set) IsSequence() bool { return s&tripletFlag == 0 }

// Kinds returns the kinds of the tiles of s.
func (s Set) Kinds() tile.Set {
	if s.IsTriplet() {
		return s.Kind().Bit()
	}
	return 7 * s.Kind().Bit()
}

// String returns the tiles of s, such as 234m or 777z.
func (s Set) String() string {
	f := tile.Face(s.Kind())
	if s.IsTriplet() {
		return tile.FormatFaces([]tile.Face{f, f, f})
	}
	return tile.FormatFaces([]tile.Face{f, f + 1, f + 2})
}

// Division is one way to divide a complete hand into sets and a pair.
type Division struct {
	// Sets holds N sets by ascending kind, a triplet before the sequences of its
	// kind; the others are zero.
	Sets [MaxSets]Set
	N    uint8
	Pair tile.Kind
}

// MaxDivisions is the largest number of divisions of one hand. Of seventeen tiles
// 11122233344456777m has six.
const MaxDivisions = 6

// divided is a way to divide some tiles into sets: the sets in the low bytes,
// their number above them, and on top whether it is the last way for these tiles.
type divided uint64

const (
	dividedEach  divided = 1 << (8 * MaxSets) / 0xff // one in the byte of each set
	dividedSets          = 0xff * dividedEach
	dividedCount         = 8 * MaxSets
	lastDivided  divided = 1 << 63
)

func (d divided) count() int { return int(d >> dividedCount & 0xf) }

// raised returns d with n added to the kind of each set.
func (d divided) raised(n int) divided {
	return d + divided(n)*(dividedEach>>(8*(MaxSets-d.count())))
}

// and returns the sets of d followed by those of e.
func (d divided) and(e divided) divided {
	n := d.count()
	return d&dividedSets | e&dividedSets<<(8*n) | divided(n+e.count())<<dividedCount
}

// division returns d with a pair.
func (d divided) division(pair tile.Kind) (v Division) {
	for i := range v.Sets {
		v.Sets[i] = Set(d >> (8 * i))
	}
	v.N = uint8(d.count())
	v.Pair = pair
	return v
}

var (
	// suitDivided holds the ways to divide a suit, those of one code together.
	suitDivided []divided
	// suitDividedAt is where those of each code begin, 0 if there is none.
	suitDividedAt [suitMask + 1]uint16
)

func init() {
	type way struct {
		code uint32
		sets divided
	}
	var ways []way
	eachChoice(9, true, 4, func(c *choice) {
		var sets divided
		for _, s := range c.sets {
			sets = sets.and(1<<dividedCount | divided(s))
		}
		ways = append(ways, way{c.code, sets})
	})
	slices.SortStableFunc(ways, func(a, b way) int { return cmp.Compare(a.code, b.code) })

	suitDivided = make([]divided, 1, len(ways)+1)
	for i, w := range ways {
		if i == 0 || ways[i-1].code != w.code {
			suitDividedAt[w.code] = uint16(len(suitDivided))
		}
		if i+1 == len(ways) || ways[i+1].code != w.code {
			w.sets |= lastDivided
		}
		suitDivided = append(suitDivided, w.sets)
	}
}

// Divisions writes to dst all different ways to divide a hand of 3*sets+2 tiles
// into sets sets and a pair, by ascending pair, and returns their number: none
// for a hand that is not complete.
func (h *Hand) Divisions(sets int, dst *[MaxDivisions]Division) int {
	if int(h.n) != 3*sets+2 {
		return 0
	}
	suit, ok := h.pairSuit()
	if !ok {
		return 0
	}
	var honors divided
	for kinds := h.held[2] & tile.HonorSet; kinds != 0; kinds = kinds.Rest() {
		honors = honors.and(1<<dividedCount | divided(Triplet(kinds.First())))
	}
	pairs := h.held[1] &^ (h.held[2] & tile.HonorSet) & (tile.Ranks << (9 * suit))
	n := 0
	for ; pairs != 0; pairs = pairs.Rest() {
		n = h.divide(pairs.First(), honors, dst, n)
	}
	return n
}

// divide writes the divisions of a complete hand whose pair is of kind pair to
// dst from place n on, and returns the place after the last. The triplets of
// honors are the same in all.
func (h *Hand) divide(pair tile.Kind, honors divided, dst *[MaxDivisions]Division, n int) int {
	codes := h.codes
	codes[pair.Suit()&3] -= 2 * pow5[pair]
	at0 := suitDividedAt[codes[0]&suitMask]
	at1 := suitDividedAt[codes[1]&suitMask]
	at2 := suitDividedAt[codes[2]&suitMask]
	if at0 == 0 || at1 == 0 || at2 == 0 {
		return n
	}
	for last0 := divided(0); last0 == 0; at0++ {
		way0 := suitDivided[at0]
		last0 = way0 & lastDivided
		at1 := at1
		for last1 := divided(0); last1 == 0; at1++ {
			way1 := suitDivided[at1]
			last1 = way1 & lastDivided
			way1 = way0.and(way1.raised(9))
			at2 := at2
			for last2 := divided(0); last2 == 0; at2++ {
				way2 := suitDivided[at2]
				last2 = way2 & lastDivided
				dst[n] = way1.and(way2.raised(18)).and(honors).division(pair)
				n++
			}
		}
	}
	return n
}
