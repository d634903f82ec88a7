package hand

import (
	_ "embed"
	"encoding/binary"
)

// walk is a way to the class of a suit, from its highest rank down: walk[i][state]
// has the states after the i-th rank if 0 to 4 tiles of it are held, beginning with
// state 0. After the lowest rank they are classes.
type walk [][][5]uint16

// suitWalk is the walk of a suit with sequences, with the fewest states there can
// be. It takes so long to find that a test does it, which writes the file with
// -update. Numbers are little-endian: for each rank the number of states and what
// they have, 16 bits each, then the costs of the classes, a pair of 64 bits each.
//
//go:generate go test . -run TestSuitWalk -update
//go:embed suit.walk
var suitWalk string

// decodeWalk returns the walk of the file and the costs of its classes.
func decodeWalk(text string) (w walk, classes []costs) {
	data := []byte(text)
	next := func() uint16 {
		x := binary.LittleEndian.Uint16(data)
		data = data[2:]
		return x
	}
	for range 9 {
		steps := make([][5]uint16, next())
		for i := range steps {
			for held := range steps[i] {
				steps[i][held] = next()
			}
		}
		w = append(w, steps)
	}
	for ; len(data) > 0; data = data[16:] {
		classes = append(classes, costs{row(binary.LittleEndian.Uint64(data)), row(binary.LittleEndian.Uint64(data[8:]))})
	}
	return w, classes
}

// newWalk finds a walk over the given number of ranks, following equal states only
// once. id returns the classes.
func newWalk(ranks int, sequences bool, id func(costs) uint16) (w walk) {
	level := []partial{begin()}
	for rank := ranks - 1; rank >= 0; rank-- {
		states := map[partial]uint16{}
		var next []partial
		steps := make([][5]uint16, len(level))
		for i := range level {
			for held := range 5 {
				to := level[i].walk(held, sequences && rank >= 2)
				n, known := states[to]
				if !known {
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

// fill writes the class of each code of the ranks to dst.
func (w walk) fill(dst []uint8) {
	states := []uint16{0} // of each code of the ranks walked
	last := len(w) - 1
	for _, steps := range w[:last] {
		longer := make([]uint16, 0, 5*len(states))
		for _, s := range states {
			longer = append(longer, steps[s][:]...)
		}
		states = longer
	}
	for i, s := range states {
		for held, class := range w[last][s] {
			dst[5*i+held] = uint8(class)
		}
	}
}
