package standings

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
)

// After Swiss rounds, in which agents of different strength have met different opponents,
// the standings follow the ratings; otherwise placement points. Ranks count from 1.
func TestOrder(t *testing.T) {
	strength := []float64{1.2, 1.1, 1, 0.9, -0.9, -1, -1.1, -1.2}
	for _, p := range []arena.Plan{
		{Seed: 1, Agents: len(strength), Selection: arena.Swiss, Seatings: arena.Rotations(4), Rounds: 2, SetsPerTable: 4 * arena.SwissSets(4)},
		{Seed: 1, Agents: len(strength), Selection: arena.SampledLineups, Seatings: arena.Rotations(4), Rounds: 16},
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
		rating := slices.IsSortedFunc(s.Agents, func(a, b Agent) int { return int(b.PlackettLuce.Value - a.PlackettLuce.Value) })
		placement := slices.IsSortedFunc(s.Agents, func(a, b Agent) int { return int(100 * (b.Placement.Value - a.Placement.Value)) })
		if swiss := p.Selection == arena.Swiss; rating != swiss && swiss || placement == swiss {
			t.Errorf("%s: in the order of ratings %v, of placement points %v", p.Selection, rating, placement)
		}
		if strong := s.Agents[:4]; p.Selection == arena.Swiss && slices.ContainsFunc(strong, func(a Agent) bool { return a.Number > 3 }) {
			t.Errorf("the strong agents are not the first four: %+v", s.Agents)
		}
	}
}
