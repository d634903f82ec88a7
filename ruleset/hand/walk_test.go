package hand

import (
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

var update = flag.Bool("update", false, "rewrite suit.walk")

// minimalWalk returns the smallest walk to the values of the codes of some ranks. States are numbered by
// their first places.
func minimalWalk[T uint8 | waitEntry](values []T) (w walk) {
	states := make([]uint16, len(values))
	for code, value := range values {
		states[code] = uint16(value)
	}
	for len(states) > 1 {
		known := map[[5]uint16]uint16{}
		var steps [][5]uint16
		shorter := make([]uint16, len(states)/5)
		for i := range shorter {
			step := [5]uint16(states[5*i:])
			n, ok := known[step]
			if !ok {
				n = uint16(len(steps))
				known[step] = n
				steps = append(steps, step)
			}
			shorter[i] = n
		}
		w = append(w, steps)
		states = shorter
	}
	slices.Reverse(w)
	return w
}

// The file is what the slow search finds, and leads to the same tables.
func TestWalks(t *testing.T) {
	var all []costs
	ids := map[costs]uint16{}
	id := func(c costs) uint16 {
		n, known := ids[c]
		if !known {
			n = uint16(len(all))
			ids[c] = n
			all = append(all, c)
		}
		return n
	}
	suits, honors := make([]uint8, suitCodes), make([]uint8, honorCodes)
	fill(newWalk(9, true, id), suits)
	fill(newWalk(7, false, id), honors)
	suitEntries, honorEntries := make([]waitEntry, suitCodes), make([]waitEntry, honorCodes)
	fillWaits(suitEntries, 9, true)
	fillWaits(honorEntries, 7, false)
	var data []byte
	for _, w := range []walk{minimalWalk(suits), minimalWalk(honors), minimalWalk(suitEntries), minimalWalk(honorEntries)} {
		for _, steps := range w {
			data = binary.LittleEndian.AppendUint16(data, uint16(len(steps)))
			for _, step := range steps {
				for _, s := range step {
					data = binary.LittleEndian.AppendUint16(data, s)
				}
			}
		}
	}
	for _, c := range all {
		data = binary.LittleEndian.AppendUint64(data, uint64(c[0]))
		data = binary.LittleEndian.AppendUint64(data, uint64(c[1]))
	}
	if *update {
		if err := os.WriteFile("suit.walk", data, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != suitWalks {
		t.Error("suit.walk is out of date; run go generate ./ruleset/hand")
	}
	if !slices.Equal(suits, suitClass[:suitCodes]) || !slices.Equal(honors, honorClass[:honorCodes]) {
		t.Error("the classes are others")
	}
	if !slices.Equal(suitEntries, suitWaits[:suitCodes]) || !slices.Equal(honorEntries, honorWaits[:honorCodes]) {
		t.Error("the waits are others")
	}
}

// The file has the classes to which a tile can lead from each class.
func TestSuccessors(t *testing.T) {
	var leads [suitClasses][suitClasses]bool
	visit := func(classes []uint8, ranks int) {
		for code := range classes {
			tiles := 0
			for left := code; left > 0; left /= 5 {
				tiles += left % 5
			}
			for r := range ranks {
				if weight := int(pow5[r]); tiles <= fewTiles && code/weight%5 < 4 {
					leads[classes[code]][classes[code+weight]] = true
				}
			}
		}
	}
	visit(suitClass[:suitCodes], 9)
	visit(honorClass[:honorCodes], 7)
	var data []byte
	for class := range leads {
		list := make([]byte, 0, successors)
		for next, ok := range leads[class] {
			if ok && next != class {
				list = append(list, byte(next))
			}
		}
		for len(list) < successors {
			list = append(list, 0xff)
		}
		data = append(data, list...)
	}
	if *update {
		if err := os.WriteFile("suit.successors", data, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != successorLists {
		t.Error("suit.successors is out of date; run go generate ./ruleset/hand")
	}
}

// walkState is the state of a walk over the ranks of a suit from one end to the
// other. It has a row of costs by whether the pair is made, and by how many sequences
// began two ranks back and one rank back. Three equal sequences are three triplets, so two are enough.
type walkState [2][3][3]row

// costsOf returns the costs of the ranks walked, without unfinished sequences.
func (p *walkState) costsOf() costs { return costs{p[0][0][0], p[1][0][0]} }

// startState returns the state before the first rank.
func startState() (p walkState) {
	p = deadState
	p[0][0][0] = noWay - unreachable
	return p
}

// deadState is the state in which no number of sets is possible.
var deadState = func() (p walkState) {
	for pair := range p {
		for a := range p[pair] {
			for b := range p[pair][a] {
				p[pair][a][b] = noWay
			}
		}
	}
	return p
}()

// walk returns the state after a rank of which held tiles are held, where
// sequences may or may not begin.
func (p *walkState) walk(held int, beginnings bool) walkState {
	next := deadState
	most := 0
	if beginnings {
		most = 2
	}
	for pair := range 2 {
		for a := range 3 {
			for b := range 3 {
				from := p[pair][a][b]
				if from == noWay {
					continue
				}
				for c := range most + 1 {
					for triplets := range 2 {
						for newPair := range 2 - pair {
							used := a + b + c + 3*triplets + 2*newPair
							if used > 4 {
								break
							}
							to := &next[pair+newPair][b][c]
							*to = to.min(from.withSets(c + triplets).plus(max(0, used-held)))
						}
					}
				}
			}
		}
	}
	return next
}

// newWalk builds a walk over the given number of ranks, with equal states merged. id returns the classes.
func newWalk(ranks int, sequences bool, id func(costs) uint16) (w walk) {
	level := []walkState{startState()}
	for rank := ranks - 1; rank >= 0; rank-- {
		states := map[walkState]uint16{}
		var next []walkState
		steps := make([][5]uint16, len(level))
		for i := range level {
			for held := range 5 {
				to := level[i].walk(held, sequences && rank >= 2)
				n, ok := states[to]
				if !ok {
					n = uint16(len(next))
					states[to] = n
					next = append(next, to)
				}
				steps[i][held] = n
			}
		}
		w = append(w, steps)
		level = next
	}
	classes := make([]uint16, len(level))
	for i := range level {
		classes[i] = id(level[i].costsOf())
	}
	last := w[ranks-1]
	for i := range last {
		for held, state := range last[i] {
			last[i][held] = classes[state]
		}
	}
	return w
}

// fillWaits writes the entries of a suit; those of suits that are neither
// complete nor one tile short of it stay zero.
func fillWaits(dst []waitEntry, ranks int, sequences bool) {
	note := func(c *choice, weight waitEntry) {
		if c.fifths != 0 {
			if fifth := c.fifths.First(); c.fifths.Rest() == 0 && c.counts[fifth] == 5 {
				dst[c.code-pow5[fifth]] |= 1 << fifth
			}
			return
		}
		if dst[c.code].weight() != 0 {
			return // these tiles have come in other sets
		}
		dst[c.code] |= weight << weightShift
		for left := c.held; left != 0; left = left.Rest() {
			r := left.First()
			dst[c.code-pow5[r]] |= 1 << r
		}
	}
	eachChoice(ranks, sequences, 5, func(c *choice) {
		note(c, setsWeight)
		for r := range ranks {
			c.add(r, 2)
			note(c, pairWeight)
			c.add(r, -2)
		}
	})
}

// choice is some sets of one suit: their tiles by rank, the code of these, and
// the sets with ranks in place of kinds, in ascending order.
type choice struct {
	counts [9]int
	code   uint32
	sets   []Set
	// held are the ranks with tiles, fifths those with more than four.
	held, fifths tile.Set
}

func (c *choice) add(rank, n int) {
	bit := tile.Kind(rank).Bit()
	c.counts[rank] += n
	c.held &^= bit
	c.fifths &^= bit
	if c.counts[rank] > 0 {
		c.held |= bit
	}
	if c.counts[rank] > 4 {
		c.fifths |= bit
	}
	c.code += uint32(n) * pow5[rank]
}

// eachChoice calls visit with every choice of up to MaxSets sets of a suit that
// has at most copies tiles of a rank. The choice is valid during the call.
func eachChoice(ranks int, sequences bool, copies int, visit func(*choice)) {
	var c choice
	// extend adds sets to the choice: set 2r is the triplet, 2r+1 the sequence
	// of rank r, and none comes before first.
	var extend func(first int)
	extend = func(first int) {
		visit(&c)
		if len(c.sets) == MaxSets {
			return
		}
		for i := first; i < 2*ranks; i++ {
			r := i / 2
			set, width, height := Triplet(tile.Kind(r)), 1, 3
			if i%2 == 1 {
				set, width, height = Sequence(tile.Kind(r)), 3, 1
			}
			if r+width > ranks || width > 1 && !sequences || slices.Max(c.counts[r:r+width])+height > copies {
				continue
			}
			for w := range width {
				c.add(r+w, height)
			}
			c.sets = append(c.sets, set)
			extend(i)
			c.sets = c.sets[:len(c.sets)-1]
			for w := range width {
				c.add(r+w, -height)
			}
		}
	}
	extend(0)
}
