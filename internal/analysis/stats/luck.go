package stats

import (
	"slices"
)

// Luck returns the figures of points, placement points, their luck, and the luck-adjusted
// ones, agent by agent; none if luck was not measured.
func (s *Summary) Luck() (list []Figure) {
	names := []string{"points", PointsLuck, AdjustedPoints, "placement", PlacementLuck, AdjustedPlacement}
	for _, f := range s.Figures {
		if f.Section == SectionAgent && slices.Contains(names, f.Name) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Figure) int {
		return slices.Index(s.Agents, a.Of) - slices.Index(s.Agents, b.Of)
	})
	if !slices.ContainsFunc(list, func(f Figure) bool { return f.Name == PointsLuck }) {
		return nil
	}
	return list
}
