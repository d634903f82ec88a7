package stats

import (
	"slices"
)

// Luck returns the figures of agents for points and placement points, of the
// luck in them and of the rest, agent by agent; none where luck was not measured.
func (s *Summary) Luck() (list []Figure) {
	names := []string{"points", PointsLuck, PointsLessLuck, "placement", PlacementLuck, PlacementLessLuck}
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
