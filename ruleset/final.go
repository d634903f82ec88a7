package ruleset

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
