package ruleset

import (
	"iter"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// SameRoundThrower returns the chair responsible for a win on a tile of kind k
// that chair from threw, or offered to a kan that was robbed, under same-round
// immunity ([Z] 4.3): the first chair to throw that kind since the winner's last
// discard, that discard included, or in the whole hand if the winner has not
// discarded. It is NoChair if that is the winner.
//
// latestFirst yields the hand's discards from the last to the first, claimed ones
// included. Whether it begins with the winning tile itself makes no difference.
func SameRoundThrower(winner, from Chair, k tile.Kind, latestFirst iter.Seq2[Chair, tile.Kind]) Chair {
	first := from
	for c, thrown := range latestFirst {
		if thrown == k {
			first = c
		}
		if c == winner {
			break
		}
	}
	if first == winner {
		return NoChair
	}
	return first
}
