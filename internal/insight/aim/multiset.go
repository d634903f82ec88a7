package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// multiset is a multiset of tiles: element i holds the kinds with more than i copies.
type multiset [4]tile.Set

func multisetOf(h *hand.Hand) multiset {
	return multiset{h.Kinds(), h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)}
}

func (h *multiset) count(k tile.Kind) int {
	return int(h[0]>>k&1 + h[1]>>k&1 + h[2]>>k&1 + h[3]>>k&1)
}

// takeEach removes a tile of each of the kinds, all of which h must have.
func (h *multiset) takeEach(kinds tile.Set) {
	h[0] = h[0]&^kinds | h[1]&kinds
	h[1] = h[1]&^kinds | h[2]&kinds
	h[2] = h[2]&^kinds | h[3]&kinds
	h[3] &^= kinds
}

// takeRun removes the tiles of the sequence from kind k that h has, and returns the
// kinds it lacks.
func (h *multiset) takeRun(k tile.Kind) (lacking tile.Set) {
	run := 7 * k.Bit()
	lacking = run &^ h[0]
	h.takeEach(run & h[0])
	return lacking
}

// takeTriplet removes up to three tiles of kind k, and returns how many are missing
// from a triplet.
func (h *multiset) takeTriplet(k tile.Kind) int {
	lacking := max(3-h.count(k), 0)
	bit := k.Bit()
	h[0] = h[0]&^bit | h[3]&bit
	h[1] &^= bit
	h[2] &^= bit
	h[3] &^= bit
	return lacking
}
