package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

// Final ranks the players by points, and their final scores are the points. Equal
// points share the better rank, or rank by distance from the first dealer under
// seat_order.
func (s *scorer) Final(f *ruleset.Final) {
	f.RankByPoints(s.PlacementTie == ruleset.TieSeatOrder)
	for p, points := range f.Points {
		f.Placement[p] = ruleset.Placement(points) * (ruleset.PlacementUnit / units)
	}
}
