package ruleset

import (
	"iter"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// ResponsibleDiscarder returns the chair that pays for a win under same-round immunity
// ([Z] 4.3). The win is on a tile of kind k that chair from discarded or offered to a
// robbed kan. Responsible is the first chair to discard that kind since the winner's last
// discard, that discard included. If the winner has not discarded, the whole hand counts.
// The result is NoChair if that chair is the winner.
//
// latestFirst yields the hand's discards from the last to the first, claimed ones
// included. Whether it begins with the winning tile itself makes no difference.
func ResponsibleDiscarder(winner, from Chair, k tile.Kind, latestFirst iter.Seq2[Chair, tile.Kind]) Chair {
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
