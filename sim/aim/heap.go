package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// heap is tiles without order: heap[i] holds the kinds of which there are more than i.
type heap [4]tile.Set

func heapOf(h *hand.Hand) heap { return heap{h.Kinds(), h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)} }

// count returns how many tiles of kind k there are.
func (h *heap) count(k tile.Kind) int {
	return int(h[0]>>k&1 + h[1]>>k&1 + h[2]>>k&1 + h[3]>>k&1)
}

// takeEach takes a tile of each of the kinds, all of which there are.
func (h *heap) takeEach(kinds tile.Set) {
	h[0] = h[0]&^kinds | h[1]&kinds
	h[1] = h[1]&^kinds | h[2]&kinds
	h[2] = h[2]&^kinds | h[3]&kinds
	h[3] &^= kinds
}

// takeRun takes the tiles of the sequence that begins with k as far as there are any,
// and returns the kinds that are lacking.
func (h *heap) takeRun(k tile.Kind) (lacking tile.Set) {
	run := 7 * k.Bit()
	lacking = run &^ h[0]
	h.takeEach(run & h[0])
	return lacking
}

// takeTriplet takes three tiles of kind k as far as there are any, and returns how many
// are lacking.
func (h *heap) takeTriplet(k tile.Kind) int {
	lacking := max(3-h.count(k), 0)
	bit := k.Bit()
	h[0] = h[0]&^bit | h[3]&bit
	h[1] &^= bit
	h[2] &^= bit
	h[3] &^= bit
	return lacking
}
