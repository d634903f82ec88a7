package record

import (
	"slices"

	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// ClaimOf returns the action that makes the event of a claim.
func ClaimOf(e sim.Event) sim.Action {
	reds := sim.Action(e.Detail >> 4)
	switch e.Type {
	case sim.EvChi:
		place := sim.Action(e.Detail >> 2 & 3)
		if reds > 0 {
			return sim.ActChiRed + place
		}
		return sim.ActChi + place
	case sim.EvPon:
		return sim.ActPon + reds
	}
	return sim.ActOpenKan
}

// ClaimEvent returns the event of a claim of f with own tiles, a chi, pon or open
// kan, but for who makes it and of whom; ok is false if the tiles make none.
func ClaimEvent(t sim.EventType, f tile.Face, own []tile.Face) (e sim.Event, ok bool) {
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
	e.Detail = uint8(reds) << 4
	switch t {
	case sim.EvChi:
		if len(kinds) != 3 || kinds[0].IsHonor() || kinds[0].Rank() > 6 || kinds[1] != kinds[0]+1 || kinds[2] != kinds[0]+2 {
			return e, false
		}
		e.Detail |= uint8(f.Kind()-kinds[0]) << 2
		return e, true
	case sim.EvPon:
		return e, same && len(kinds) == 3
	case sim.EvOpenKan:
		return e, same && len(kinds) == 4
	}
	return e, false
}
