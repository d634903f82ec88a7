package strength

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
)

// Where agents have met different opponents the standings follow the ratings; otherwise placement
// points. Ranks count from 1.
func TestOrder(t *testing.T) {
	strength := []float64{1.2, 1.1, 1, 0.9, -0.9, -1, -1.1, -1.2}
	for _, p := range []arena.Plan{
		{Seed: 1, Agents: len(strength), Selection: arena.Swiss, Seatings: arena.Rotations(4), Rounds: 2, SetsPerTable: 4 * arena.SwissSets(4)},
		{Seed: 1, Agents: len(strength), Selection: arena.SampledLineups, Seatings: arena.Rotations(4), Rounds: 16},
		{Seed: 1, Agents: len(strength), Selection: arena.EveryLineup, Seatings: arena.Rotations(4), Rounds: 4},
	} {
		run, tally := newTournament(t, p)
		w := &world{strength: strength, luck: gumbel}
		w.play(run, 5, func(rows []schema.MatchRow) {
			tally.Add(rows)
			run.Tournament.Add(rows)
		})
		s, err := tally.Compute()
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range s.Agents {
			if a.Rank != i+1 {
				t.Errorf("%s: agent %d in place %d has rank %d", p.Selection, a.Number, i+1, a.Rank)
			}
		}
		byRating := p.Selection != arena.EveryLineup
		rating := slices.IsSortedFunc(s.Agents, func(a, b Agent) int { return int(100 * (b.Rating.Value - a.Rating.Value)) })
		placement := slices.IsSortedFunc(s.Agents, func(a, b Agent) int { return int(100 * (b.Placement.Value - a.Placement.Value)) })
		if byRating && !rating || !byRating && !placement {
			t.Errorf("%s: in the order of ratings %v, of placement points %v", p.Selection, rating, placement)
		}
		if strong := s.Agents[:4]; slices.ContainsFunc(strong, func(a Agent) bool { return a.Number > 3 }) {
			t.Errorf("the strong agents are not the first four: %+v", s.Agents)
		}
	}
}
