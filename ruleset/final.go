package ruleset

// ScoreByPoints ranks the players by points, with equal points as the knob placement_tie says.
// Their final scores are their points.
func (f *Final) ScoreByPoints(flow *Flow) {
	f.RankByPoints(flow.PlacementTie == TieSeatOrder)
	for p, points := range f.Points {
		// The unit divides PlacementUnit; the product of points and PlacementUnit may overflow.
		f.Placement[p] = Placement(points) * Placement(PlacementUnit/flow.Unit())
	}
}

// RankByPoints fills in the ranks by points alone. Equal points share the better
// rank or, with bySeat, rank by distance from the first dealer.
func (f *Final) RankByPoints(bySeat bool) {
	for p, points := range f.Points {
		f.Rank[p] = 1
		for q, other := range f.Points {
			if other > points || other == points && q < p && bySeat {
				f.Rank[p]++
			}
		}
	}
}
