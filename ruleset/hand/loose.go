package hand

// looseBound[i] is what the shanten of a hand of 13 tiles, or of three, six, nine or
// twelve fewer, towards sets and a pair is at least if i of the tiles are loose.
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

// ShantenLowerBound returns a number that Shanten, of a hand without a drawn tile and for
// however many sets, is never below. It reads no table that could be far away in
// memory; of a hand of tiles that do not fit together it is seldom much lower.
func (h *Hand) ShantenLowerBound() int {
	loose := h.held[0] &^ h.held[1] &^ h.held[0].Neighbors()
	return int(looseBound[min(loose.Len(), len(looseBound)-1)])
}
