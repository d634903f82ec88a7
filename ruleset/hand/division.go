package hand

import (
	"iter"
	"sync"
	"sync/atomic"

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
	// ways are the ways to divide a suit, those of one code together. The first two have no code.
	ways [1 << 16]way
	// waysAt is the index in ways of the first one of each code, 0 for a code that was not divided yet.
	waysAt [suitMask + 1]atomic.Uint32

	waysLock sync.Mutex // is held while ways are added
	numWays  = uint32(noWays + 1)
)

// noWays is what waysAt has for a code that cannot be divided.
const noWays = 1

// waysOf returns the index in ways of the first one of a code, noWays if there is none.
func waysOf(code uint32) uint32 {
	if at := waysAt[code&suitMask].Load(); at != 0 {
		return at
	}
	return findWays(code)
}

// findWays lists the ways of a code when it is first divided.
func findWays(code uint32) uint32 {
	waysLock.Lock()
	defer waysLock.Unlock()
	if at := waysAt[code].Load(); at != 0 {
		return at // found meanwhile
	}
	first := numWays
	var counts [rankBits + 2]uint8 // no sequence begins in the last two ranks
	for r, left := 0, code; left > 0; r, left = r+1, left/5 {
		counts[r] = uint8(left % 5)
	}
	listWays(&counts, 0, 0, 0, 0)
	at := uint32(noWays)
	if numWays > first {
		at = first
		ways[numWays-1] |= lastWay
	}
	waysAt[code].Store(at)
	return at
}

// listWays adds the ways to divide tiles that go on from a way for the ranks below: sets of the rank so far,
// of which the last was a sequence runs times.
func listWays(counts *[rankBits + 2]uint8, rank int, w way, runs, sets int) {
	for ; rank < rankBits && counts[rank] == 0; rank++ {
		runs = 0
	}
	if rank == rankBits {
		ways[numWays] = w
		numWays++
		return
	}
	bit := way(1) << rank
	if counts[rank] == 2 && w>>wayPair&(1<<rankBits-1) == 0 {
		counts[rank] = 0
		listWays(counts, rank+1, w|bit<<wayPair, 0, sets)
		counts[rank] = 2
	}
	if sets == MaxSets {
		return
	}
	if counts[rank+1] > 0 && counts[rank+2] > 0 && rank < rankBits-2 {
		for i := range 3 {
			counts[rank+i]--
		}
		field := [...]int{wayRuns, wayRuns2, wayRuns3, wayRuns4}[runs]
		listWays(counts, rank, w|bit<<field, runs+1, sets+1)
		for i := range 3 {
			counts[rank+i]++
		}
	}
	if counts[rank] >= 3 && runs == 0 {
		counts[rank] -= 3
		listWays(counts, rank, w|bit<<wayTriplets, 0, sets+1)
		counts[rank] += 3
	}
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
	at0, at1, at2 := waysOf(h.codes[0]), waysOf(h.codes[1]), waysOf(h.codes[2])
	honors := h.held[2] & tile.HonorSet
	honorPair := h.held[1] & tile.HonorSet &^ honors
	odd := (h.held[0]&^h.held[1] | h.held[3]) & tile.HonorSet
	if int(h.n) != 3*sets+2 || at0 == noWays || at1 == noWays || at2 == noWays || odd != 0 {
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
