package hand

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// PairsWaits returns the kind that completes seven different pairs of a hand of
// 13 tiles, or none. Four equal tiles are not two pairs.
func (h *Hand) PairsWaits() tile.Set {
	if h.n == 13 && h.held[0].Len() == 7 && h.held[1].Len() == 6 {
		return h.held[0] &^ h.held[1]
	}
	return 0
}

// PairsShanten returns the shanten of a hand of 13 or 14 tiles toward seven
// different pairs: -1 complete, 0 ready, at most 6. Four equal tiles are not two
// pairs.
func (h *Hand) PairsShanten() int {
	return 6 - h.held[1].Len() + max(0, 7-h.held[0].Len())
}

// PairsUkeire returns the kinds whose draw lowers PairsShanten.
func (h *Hand) PairsUkeire() tile.Set {
	ukeire := h.held[0] &^ h.held[1]
	if h.held[0].Len() < 7 {
		// A new kind is worth as much as a new pair while kinds are too few.
		ukeire = tile.All &^ h.held[1]
	}
	return ukeire
}

// PairsQuadsWaits returns the kind that completes seven pairs of a hand of 13
// tiles when four equal tiles count as two pairs, or none.
func (h *Hand) PairsQuadsWaits() tile.Set {
	if h.n == 13 && h.PairsQuadsShanten() == 0 {
		return h.pairsQuadsUkeire()
	}
	return 0
}

// PairsQuadsShanten is PairsShanten when four equal tiles count as two pairs.
func (h *Hand) PairsQuadsShanten() int {
	return 6 - h.held[1].Len() - h.held[3].Len()
}

// pairsQuadsUkeire returns the kinds whose draw lowers PairsQuadsShanten.
func (h *Hand) pairsQuadsUkeire() tile.Set {
	return h.held[0]&^h.held[1] | h.held[2]&^h.held[3]
}

// OrphansWaits returns the kinds that complete the thirteen orphans of a hand of
// 13 tiles: one, thirteen or none.
func (h *Hand) OrphansWaits() tile.Set {
	if h.n == 13 && h.OrphansShanten() == 0 {
		return h.OrphansUkeire()
	}
	return 0
}

// OrphansShanten returns the shanten of a hand of 13 or 14 tiles toward the
// thirteen orphans: -1 complete, 0 ready, at most 13.
func (h *Hand) OrphansShanten() int {
	n := 13 - (h.held[0] & tile.Orphans).Len()
	if h.held[1]&tile.Orphans != 0 {
		n--
	}
	return n
}

// OrphansUkeire returns the kinds whose draw lowers OrphansShanten.
func (h *Hand) OrphansUkeire() tile.Set {
	if h.held[1]&tile.Orphans != 0 {
		return tile.Orphans &^ h.held[0]
	}
	return tile.Orphans
}
