package sim

import "github.com/jansou/jansou/ruleset"

// DealtPlace returns the place in a shared wall of the i-th tile dealt to chair
// c, from 0 up to the size of a hand. Ordinary draws, the dealer's extra tile
// first, follow from place NumPlayers x size on.
func DealtPlace(r *ruleset.Flow, dealer, c ruleset.Chair, i int) int {
	j := int(c-dealer) & 3
	if r.DealTurn == ruleset.Backward {
		j = int(dealer-c) & 3
	}
	if r.Deal == ruleset.Sequential {
		return j*r.HandSize + i
	}
	if pass := i / 4; pass < r.HandSize/4 {
		return pass*16 + j*4 + i%4
	}
	return r.HandSize/4*16 + j
}

// ReplacementPlace returns the place in a shared wall of the i-th replacement
// tile, from 0, where they come from the tail.
func ReplacementPlace(r *ruleset.Flow, i int) int {
	return replacementIndex(r.ReplacementOrder, SetSize(r), i)
}

// IndicatorPlace returns the place in the wall of the i-th dora indicator, from
// 0. The ura indicator is the next tile.
func IndicatorPlace(i int) int { return indicatorIndex(i) }
