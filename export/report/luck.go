package report

import (
	"io"
	"slices"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// Luck returns what the figures of agents say of points and placement points, of the
// luck in them and of the rest, agent by agent; none where luck was not measured.
func (s *Summary) Luck() (list []Figure) {
	names := []string{"points", PointsLuck, PointsLessLuck, "placement", PlacementLuck, PlacementLessLuck}
	for _, f := range s.Figures {
		if f.Section == sectionAgent && slices.Contains(names, f.Name) {
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

// luckRow is the luck of a player in a hand.
type luckRow struct {
	match  uint64
	hand   uint64
	player int
	agent  string
	luck   *export.Luck
	unit   int
}

// WriteLuck writes the luck of the players in the hands of a dataset, measured with
// hands, as an Arrow IPC file.
func WriteLuck(w io.WriteSeeker, d *export.Dataset, list []export.MatchLuck) error {
	var rows []luckRow
	unit := d.Rules().Unit()
	for match, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		hands := list[match[0].Match-d.First()].Hands
		for h := range hands {
			for p, m := range match {
				rows = append(rows, luckRow{m.Match, uint64(h), p, d.Manifest.Agents[m.Agent], &hands[h], unit})
			}
		}
	}
	return writeArrow(w, []arrowColumn[luckRow]{
		wholeColumn("match", "number of the match in its run", func(r *luckRow) uint64 { return r.match }),
		wholeColumn("hand", "number of the hand in the match, from 0", func(r *luckRow) uint64 { return r.hand }),
		wholeColumn("player", "player, 0 to 3", func(r *luckRow) uint64 { return uint64(r.player) }),
		textColumn("agent", "agent that played for the player", func(r *luckRow) string { return r.agent }),
		numberColumn("points", "points that the tiles brought beyond what could be expected", func(r *luckRow) export.Number {
			return export.Number(float64(r.luck.Points[r.player]) / chance.LuckUnit / float64(r.unit))
		}),
		numberColumn("placement", "placement points that they brought", func(r *luckRow) export.Number {
			return export.Number(float64(r.luck.Places[r.player]) / chance.LuckUnit)
		}),
	}, rows)
}
