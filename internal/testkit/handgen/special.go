package handgen

import (
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// KindOf returns a kind of a set, each as likely as another.
func KindOf(rng *rand.Rand, s tile.Set) tile.Kind {
	for n := rng.IntN(s.Len()); n > 0; n-- {
		s = s.Rest()
	}
	return s.First()
}

// AddOrphans adds thirteen orphans to h, one of them twice.
func AddOrphans(rng *rand.Rand, h *hand.Hand) {
	for s := tile.Orphans; s != 0; s = s.Rest() {
		h.Add(s.First())
	}
	h.Add(KindOf(rng, tile.Orphans))
}

// AddNineGates adds the thirteen tiles of nine gates in a suit to h, and one more of it.
func AddNineGates(rng *rand.Rand, h *hand.Hand) {
	first := tile.Kind(9 * rng.IntN(3))
	for r, n := range [9]int{3, 1, 1, 1, 1, 1, 1, 1, 3} {
		for range n {
			h.Add(first + tile.Kind(r))
		}
	}
	h.Add(first + tile.Kind(rng.IntN(9)))
}
