package ruleset

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// KanShapes is implemented by a Scorer with shapes in which the only meld of a
// player may be a kan. Its Waits and Shanten, which know the number of melds
// alone, leave these out. The methods allocate nothing.
type KanShapes interface {
	// KanWaits returns the kinds that complete such a shape, to be added to
	// Waits.
	KanWaits(h *hand.Hand, kan hand.Meld) tile.Set
	// KanShanten returns the distance to such a shape, of which and of Shanten
	// the lesser counts.
	KanShanten(h *hand.Hand, kan hand.Meld) int
}

// HandWaits returns the kinds that complete a shape together with the concealed
// tiles h and the given melds, even kinds of which all four copies are held.
func (r *Rules) HandWaits(h *hand.Hand, melds []hand.Meld) tile.Set {
	waits := r.Waits(h, len(melds))
	if len(melds) == 1 && melds[0].Type.IsKan() {
		if s, ok := r.Scorer.(KanShapes); ok {
			waits |= s.KanWaits(h, melds[0])
		}
	}
	return waits
}

// HandShanten returns the distance of the concealed tiles h with the given melds
// from ready over all shapes of the family: 0 ready, -1 complete.
func (r *Rules) HandShanten(h *hand.Hand, melds []hand.Meld) int {
	shanten := r.Shanten(h, len(melds))
	if len(melds) == 1 && melds[0].Type.IsKan() {
		if s, ok := r.Scorer.(KanShapes); ok {
			shanten = min(shanten, s.KanShanten(h, melds[0]))
		}
	}
	return shanten
}
