package hand

import (
	"encoding/binary"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite suit.walk")

// minimal returns the walk in which states that lead to the same classes are one,
// numbered by their first places.
func (w walk) minimal() walk {
	same := make(walk, len(w))
	var states []uint16 // what the states after a rank have become
	for i := len(w) - 1; i >= 0; i-- {
		known := map[[5]uint16]uint16{}
		become := make([]uint16, len(w[i]))
		for s, step := range w[i] {
			if states != nil {
				for held := range step {
					step[held] = states[step[held]]
				}
			}
			n, ok := known[step]
			if !ok {
				n = uint16(len(known))
				known[step] = n
				same[i] = append(same[i], step)
			}
			become[s] = n
		}
		states = become
	}
	return same
}

// The file is what the slow search finds.
func TestSuitWalk(t *testing.T) {
	var all []costs
	ids := map[costs]uint16{}
	w := newWalk(9, true, func(c costs) uint16 {
		n, known := ids[c]
		if !known {
			n = uint16(len(all))
			ids[c] = n
			all = append(all, c)
		}
		return n
	})
	var data []byte
	for _, steps := range w.minimal() {
		data = binary.LittleEndian.AppendUint16(data, uint16(len(steps)))
		for _, step := range steps {
			for _, s := range step {
				data = binary.LittleEndian.AppendUint16(data, s)
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
	if string(data) != suitWalk {
		t.Error("suit.walk is out of date; run go generate ./ruleset/hand")
	}
	// The walk before states were joined leads to the same classes.
	want := make([]uint8, len(suitClass))
	w.fill(want)
	if string(want) != string(suitClass[:]) {
		t.Error("the classes are others")
	}
}
