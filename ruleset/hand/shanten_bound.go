package hand

// looseBound[i] is the lower bound of the shanten toward sets and a pair of a hand of 13
// tiles, or of three, six, nine or twelve fewer, i of which are loose: alone in their kind and
// without neighbors.
//
// At shanten s the hand lacks s+1 tiles of the complete one it is nearest to and has s
// too many. A loose tile that is not too many is in a pair that lacks one tile or
// in a set that lacks two, and the pair is one only: (s+2)/2 such tiles at the most.
var looseBound = func() (bound [18]uint8) {
	for i := range bound {
		for s := uint8(0); int(s+(s+2)/2) < i; s++ {
			bound[i] = s + 1
		}
	}
	return bound
}()

// ShantenLowerBound returns a lower bound of Shanten for a hand without a drawn tile and any
// number of sets. It reads no large table, so it is fast. For a hand of tiles that do not fit
// together it is close.
func (h *Hand) ShantenLowerBound() int {
	loose := h.held[0] &^ h.held[1] &^ h.held[0].Neighbors()
	return int(looseBound[min(loose.Len(), len(looseBound)-1)])
}
