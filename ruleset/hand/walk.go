package hand

import (
	_ "embed"
	"encoding/binary"
)

// walk is a finite automaton that reads the counts of the ranks of a suit, highest first,
// and ends in a value, such as its class. walk[i][state][held] is the next state if held tiles of
// the i-th rank are held. The first state is 0; after the lowest rank the states are values.
type walk [][][5]uint16

// walks are the minimal walks of suits with sequences and of honors, and the costs of the classes in
// which the first two end.
type walks struct {
	suitClasses, honorClasses, suitWaits, honorWaits walk

	costs []costs
}

// suitWalks has the walks. They take long to find, so a test finds them and, with -update, writes the file.
// Numbers are little-endian: for each rank the number of states and what they have, 16 bits each, and for
// each class a pair of 64 bits.
//
//go:generate go test . -run TestWalks -update
//go:embed suit.walk
var suitWalks string

func decodeWalks(text string) (all walks) {
	data := []byte(text)
	read := func(ranks int) (w walk) {
		for range ranks {
			steps := make([][5]uint16, binary.LittleEndian.Uint16(data))
			data = data[2:]
			for i := range steps {
				for held := range steps[i] {
					steps[i][held] = binary.LittleEndian.Uint16(data[10*i+2*held:])
				}
			}
			data = data[10*len(steps):]
			w = append(w, steps)
		}
		return w
	}
	all.suitClasses, all.honorClasses, all.suitWaits, all.honorWaits = read(9), read(7), read(9), read(7)
	for ; len(data) > 0; data = data[16:] {
		all.costs = append(all.costs, costs{row(binary.LittleEndian.Uint64(data)), row(binary.LittleEndian.Uint64(data[8:]))})
	}
	return all
}

// fill writes the value of each code of the ranks to dst.
func fill[T uint8 | waitEntry](w walk, dst []T) {
	blocks := make([][][]T, len(w)) // of the states after some ranks: the values of all codes that follow
	for i := range w {
		blocks[i] = make([][]T, len(w[i]))
	}
	// States are few, so most blocks are copies.
	var visit func(rank int, state uint16, dst []T)
	visit = func(rank int, state uint16, dst []T) {
		switch block := blocks[rank][state]; {
		case block != nil:
			copy(dst, block)
			return
		case rank == len(w)-1:
			for held, value := range w[rank][state] {
				dst[held] = T(value)
			}
		default:
			size := len(dst) / 5
			for held, next := range w[rank][state] {
				visit(rank+1, next, dst[held*size:(held+1)*size])
			}
		}
		blocks[rank][state] = dst
	}
	visit(0, 0, dst)
}
