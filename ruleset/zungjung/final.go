package zungjung

import "github.com/sparrowhall/sparrowhall/ruleset"

// Final ranks the players by points; equal points share the better rank, or rank
// by distance from the first dealer under seat_order. The final score of a player
// is his points ([S] 2.11).
func (s *scorer) Final(f *ruleset.Final) {
	f.RankByPoints(s.PlacementTie == ruleset.TieSeatOrder)
	for p, points := range f.Points {
		f.Placement[p] = ruleset.Placement(points) * ruleset.PlacementUnit
	}
}
