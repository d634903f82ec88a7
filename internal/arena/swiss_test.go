package arena_test

import (
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/sim"
)

// playSwiss plays rounds in which the agent of the lower number always wins, and returns
// the tables of each round: the agents in ascending order.
func playSwiss(t *testing.T, agents, seats int, rounds uint64) (tables [][][]uint8) {
	t.Helper()
	s := schedule(t, arena.Plan{Seats: seats, Seed: 7, Agents: agents, Selection: arena.Swiss, Seatings: arena.Rotations(seats), Rounds: rounds})
	each := arena.SwissSets(seats) * uint64(seats)
	if each%sim.BlockSize != 0 {
		t.Fatalf("a table of %d plays %d matches", seats, each)
	}
	if want := uint64(agents/seats) * each; s.MatchesPerRound() != want || s.Matches() != rounds*want {
		t.Fatalf("%d matches a round, %d in all", s.MatchesPerRound(), s.Matches())
	}
	for index := range s.Matches() {
		_, lineup := s.Match(index)
		if index%s.MatchesPerRound() == 0 {
			tables = append(tables, nil)
		}
		last := &tables[len(tables)-1]
		sorted := slices.Sorted(slices.Values(lineup[:seats]))
		if index%each == 0 {
			*last = append(*last, sorted)
		} else if !slices.Equal(sorted, (*last)[len(*last)-1]) {
			t.Fatalf("match %d: %v play at the table of %v", index, sorted, (*last)[len(*last)-1])
		}
		var placement, points [sim.NumPlayers]int32
		for p, a := range lineup[:seats] {
			place := slices.Index(sorted, a)
			placement[p], points[p] = int32(15-10*place), int32(1000-int(a))
		}
		s.AddResult(placement, points)
	}
	return tables
}

// TestSwiss holds that everybody plays as often as can be, at one table a round; that
// nobody meets again while that can be avoided; and that the best come to sit together.
func TestSwiss(t *testing.T) {
	for _, c := range [][2]int{{4, 4}, {6, 4}, {16, 4}, {19, 4}, {64, 4}, {3, 3}, {7, 3}, {16, 3}, {64, 3}} {
		agents, seats := c[0], c[1]
		rounds := uint64(6)
		tables := playSwiss(t, agents, seats, rounds)
		met := map[[2]uint8]int{}
		played := make([]int, agents)
		for round, list := range tables {
			seen := map[uint8]bool{}
			again := 0
			for _, table := range list {
				for i, a := range table {
					if seen[a] {
						t.Fatalf("%d agents, round %d: %d plays twice", agents, round, a)
					}
					seen[a] = true
					played[a]++
					for _, b := range table[i+1:] {
						again += met[[2]uint8{a, b}]
						met[[2]uint8{a, b}]++
					}
				}
			}
			if agents == 64 && again > 3*round {
				t.Errorf("round %d: %d meetings of agents that have met", round, again)
			}
		}
		if least, most := slices.Min(played), slices.Max(played); most-least > 1 {
			t.Errorf("%d agents: some play %d rounds, some %d", agents, least, most)
		}
	}
	tables := playSwiss(t, 16, 4, 3)
	if third := tables[2][0]; third[0] != 0 {
		t.Errorf("the winner of two rounds is not at the first table: %v", third)
	}
	same := playSwiss(t, 16, 4, 3)
	for round := range tables {
		for i := range tables[round] {
			if !slices.Equal(tables[round][i], same[round][i]) {
				t.Errorf("round %d differs", round)
			}
		}
	}
}

// TestSwissUnknown holds that who plays a round is not told before it is known.
func TestSwissUnknown(t *testing.T) {
	s := schedule(t, arena.Plan{Seed: 7, Agents: 8, Selection: arena.Swiss, Seatings: arena.Rotations(4), Rounds: 2})
	defer func() {
		if recover() == nil {
			t.Error("the second round has agents before the first has results")
		}
	}()
	s.Match(s.MatchesPerRound())
}
