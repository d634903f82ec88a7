package record

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ClaimEvent returns the event of type t, a chi, pon or open kan, that claims the discard
// f of giver with own tiles. The caller sets its Player. ok is false if the tiles do not
// form such a meld.
func ClaimEvent(t sim.EventType, giver sim.Player, f tile.Face, own []tile.Face) (e sim.Event, ok bool) {
	e = sim.Event{Type: t, Tile: f}
	reds := 0
	kinds := []tile.Kind{f.Kind()}
	for _, o := range own {
		if o.IsRed() {
			reds++
		}
		kinds = append(kinds, o.Kind())
	}
	slices.Sort(kinds)
	same := kinds[0] == kinds[len(kinds)-1]
	place := 0
	switch t {
	case sim.EvChi:
		if len(kinds) != 3 || kinds[0].IsHonor() || kinds[0].Rank() > 6 || kinds[1] != kinds[0]+1 || kinds[2] != kinds[0]+2 {
			return e, false
		}
		place = int(f.Kind() - kinds[0])
	case sim.EvPon:
		if !same || len(kinds) != 3 {
			return e, false
		}
	case sim.EvOpenKan:
		if !same || len(kinds) != 4 {
			return e, false
		}
	default:
		return e, false
	}
	e.Detail = sim.PackCall(giver, place, reds)
	return e, true
}
