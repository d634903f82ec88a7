package ruleset

import (
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
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
