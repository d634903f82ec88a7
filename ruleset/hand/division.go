package hand

import (
	"iter"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
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

// Division is one way to divide a complete hand into sets and a pair. It is small
// enough to be passed in registers.
type Division struct {
	// Pair is the kind of the pair.
	Pair tile.Kind
	// Each word has a set of suited kinds in its lowest suitsBits bits and a set of
	// kinds above them, in the order of its name. A sequence counts by its lowest kind;
	// runs2 are those of which there are two or more.
	runsAndTriplets, runs2And3, pairAndRuns4 uint64
}

// Triplets returns the kinds of the triplets.
func (d Division) Triplets() tile.Set { return tile.Set(d.runsAndTriplets >> suitsBits) }

// Runs returns the lowest kinds of the sequences.
func (d Division) Runs() tile.Set { return tile.Set(d.runsAndTriplets) & tile.Suited }

// RunsTwice returns the lowest kinds of sequences of which there are two or more.
func (d Division) RunsTwice() tile.Set { return tile.Set(d.runs2And3) & tile.Suited }

// AddRuns adds all sequences, by their lowest kinds, to c.
func (d Division) AddRuns(c *tile.Copies) {
	c.Add(d.Runs())
	if d.RunsTwice() != 0 {
		c.Add(d.RunsTwice())
		c.Add(tile.Set(d.runs2And3 >> suitsBits))
		c.Add(tile.Set(d.pairAndRuns4 >> suitsBits))
	}
}

// way is a way to divide the tiles of a suit into sets, or into sets and a pair: six
// fields with a bit for each rank. Those that go into one half of a word when three
// suits are put together lie apart as far as three suits are wide.
type way uint64

// The fields of a way. Below the first four are the lowest ranks of sequences of
// which there is more than none, one, two and three.
const (
	wayRuns     = 0
	wayRuns2    = rankBits
	wayPair     = 2 * rankBits
	wayTriplets = 3 * rankBits
	wayRuns3    = 4 * rankBits
	wayRuns4    = 5 * rankBits
	// lastWay marks the last way for its tiles.
	lastWay way = 1 << (6 * rankBits)

	rankBits  = 9
	suitsBits = 3 * rankBits
)

var (
	// ways are the ways to divide a suit, those of one code together, from 1 on.
	ways [1 << 16]way
	// waysAt is the index in ways of the first one of each code, 0 if there is none.
	waysAt [suitMask + 1]uint16
)

func init() {
	// The ways are listed, and those of one code linked by their indices in the list,
	// which count from 1. Then each linked list is copied to consecutive places.
	type listed struct {
		way
		code    uint32
		before  uint16
		written bool
	}
	list := make([]listed, 1, 1<<16)
	eachWay(func(code uint32, w way) {
		list = append(list, listed{way: w, code: code, before: waysAt[code]})
		waysAt[code] = uint16(len(list) - 1)
	})
	n := uint16(0)
	for i := len(list) - 1; i > 0; i-- {
		if list[i].written {
			continue
		}
		waysAt[list[i].code] = n + 1
		for at := uint16(i); at != 0; at = list[at].before {
			n++
			ways[n] = list[at].way
			list[at].written = true
		}
		ways[n] |= lastWay
	}
}

// eachWay calls visit with every way to divide a suit and the code of its tiles.
func eachWay(visit func(uint32, way)) {
	eachChoice(rankBits, true, 4, func(c *choice) {
		var w way
		for i, s := range c.sets {
			field := wayTriplets
			if s.IsSequence() {
				field = wayRuns
				for j := i; j > 0 && c.sets[j-1] == s; j-- {
					field = [...]int{wayRuns2, wayRuns3, wayRuns4}[i-j]
				}
			}
			w |= 1 << (field + int(s.Kind()))
		}
		visit(c.code, w)
		for r, n := range c.counts {
			if n <= 2 {
				visit(c.code+2*pow5[r], w|1<<(wayPair+r))
			}
		}
	})
}

// together returns a field of the ways for three suits in the low half of a word and
// the field suitsBits above it in the high one.
func together(a, b, c way, field int) uint64 {
	const both = (1<<rankBits - 1) | (1<<rankBits-1)<<suitsBits
	return uint64(a>>field&both | b>>field&both<<rankBits | c>>field&both<<(2*rankBits))
}

// Divisions returns all different ways to divide a hand of 3*sets+2 tiles into sets
// sets and a pair: none for a hand that is not complete.
func (h *Hand) Divisions(sets int) iter.Seq[Division] {
	return func(yield func(Division) bool) { h.divide(sets, yield) }
}

func (h *Hand) divide(sets int, yield func(Division) bool) {
	at0, at1, at2 := waysAt[h.codes[0]&suitMask], waysAt[h.codes[1]&suitMask], waysAt[h.codes[2]&suitMask]
	honors := h.held[2] & tile.HonorSet
	honorPair := h.held[1] & tile.HonorSet &^ honors
	odd := (h.held[0]&^h.held[1] | h.held[3]) & tile.HonorSet
	if int(h.n) != 3*sets+2 || at0 == 0 || at1 == 0 || at2 == 0 || odd != 0 {
		return
	}
	from1, from2 := at1, at2
	for {
		a, b, c := ways[at0], ways[at1], ways[at2]
		d := Division{
			runsAndTriplets: together(a, b, c, wayRuns) | uint64(honors)<<suitsBits,
			runs2And3:       together(a, b, c, wayRuns2),
			pairAndRuns4:    together(a, b, c, wayPair),
		}
		pair := tile.Set(d.pairAndRuns4)&tile.Suited | honorPair
		if pair.Rest() != 0 || pair == 0 {
			return // each suit may have a pair of its own
		}
		d.Pair = pair.First()
		if !yield(d) || a&b&c&lastWay != 0 {
			return
		}
		// The ways of the suits count up like the digits of a number.
		switch {
		case c&lastWay == 0:
			at2++
		case b&lastWay == 0:
			at1, at2 = at1+1, from2
		default:
			at0, at1, at2 = at0+1, from1, from2
		}
	}
}
