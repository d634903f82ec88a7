package hand

import (
	_ "embed"
	"encoding/binary"
)

// walk is a finite automaton that reads the counts of the ranks of a suit, highest first,
// and ends in its class. walk[i][state][held] is the next state if held tiles of the i-th
// rank are held. The first state is 0; after the lowest rank the states are classes.
type walk [][][5]uint16

// suitWalk is the minimal walk of a suit with sequences. It takes long to find, so a test
// finds it and, with -update, writes the file. Numbers are little-endian: for each rank the number of states and what
// they have, 16 bits each, then the costs of the classes, a pair of 64 bits each.
//
//go:generate go test . -run TestSuitWalk -update
//go:embed suit.walk
var suitWalk string

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
