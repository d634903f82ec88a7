package hand

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// Shapes are the complete hands of games with thirteen tiles: four sets and a pair, and those
// of the irregular shapes that a ruleset has. A scorer that embeds it has the methods of
// [ruleset.Scorer] about shapes.
type Shapes struct {
	// Pairs reports whether seven pairs are a hand, Quads whether four equal tiles are two
	// of them. Orphans reports whether thirteen orphans are one.
	Pairs, Quads, Orphans bool
}

// Waits returns the kinds that complete a hand with the given number of melds.
func (s *Shapes) Waits(h *Hand, melds int) tile.Set {
	waits := h.Waits(4 - melds)
	if melds > 0 {
		return waits
	}
	switch {
	case !s.Pairs:
	case s.Quads:
		waits |= h.PairsQuadsWaits()
	default:
		waits |= h.PairsWaits()
	}
	if s.Orphans {
		waits |= h.OrphansWaits()
	}
	return waits
}

// Shanten returns the least shanten toward any of the shapes.
func (s *Shapes) Shanten(h *Hand, melds int) int {
	n := h.Shanten(4 - melds)
	if melds > 0 {
		return n
	}
	return s.leastShanten(n, h)
}

// ShantenLowerBound is Shanten with a bound for sets and a pair. It does not need the melds:
// few tiles are far from seven pairs and thirteen orphans in any case.
func (s *Shapes) ShantenLowerBound(h *Hand, _ []Meld) int {
	return s.leastShanten(h.ShantenLowerBound(), h)
}

// leastShanten returns the least of n and the shanten toward the irregular shapes.
func (s *Shapes) leastShanten(n int, h *Hand) int {
	switch {
	case !s.Pairs:
	case s.Quads:
		n = min(n, h.PairsQuadsShanten())
	default:
		n = min(n, h.PairsShanten())
	}
	if s.Orphans {
		n = min(n, h.OrphansShanten())
	}
	return n
}

// Irregular returns the least shanten toward the shapes other than sets and a pair, and the kinds
// whose draw lowers it. Without such shapes it is more than any hand has.
func (s *Shapes) Irregular(h *Hand, melds int) (shanten int, ukeire tile.Set) {
	shanten = maxTiles
	if melds > 0 {
		return shanten, 0
	}
	switch {
	case !s.Pairs:
	case s.Quads:
		shanten, ukeire = h.PairsQuadsShanten(), h.pairsQuadsUkeire()
	default:
		shanten, ukeire = h.PairsShanten(), h.PairsUkeire()
	}
	if s.Orphans {
		switch n := h.OrphansShanten(); {
		case n < shanten:
			shanten, ukeire = n, h.OrphansUkeire()
		case n == shanten:
			ukeire |= h.OrphansUkeire()
		}
	}
	return shanten, ukeire
}

// IsPairs reports whether a hand without melds is seven pairs, where the ruleset has them.
func (s *Shapes) IsPairs(h *Hand) bool {
	return s.Pairs && h.n == 14 && (h.PairsShanten() < 0 || s.Quads && h.PairsQuadsShanten() < 0)
}

// IsOrphans reports whether a hand without melds is thirteen orphans, where the ruleset has
// them.
func (s *Shapes) IsOrphans(h *Hand) bool { return s.Orphans && h.n == 14 && h.OrphansShanten() < 0 }

// NineGates reports whether a hand without melds is 1112345678999 of a suit and one more tile
// of it, and whether it is pure: 1112345678999 without the winning tile.
func (h *Hand) NineGates(won tile.Kind) (gates, pure bool) {
	kinds := h.held[0]
	if h.n != 14 || kinds.Len() != 9 || !kinds.InOneSuit() || (h.held[2]&tile.Terminals).Len() != 2 {
		return false, false
	}
	surplus := uint8(2)
	if tile.Terminals.Has(won) {
		surplus = 4
	}
	return true, h.counts[won] == surplus
}
