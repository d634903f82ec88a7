package arena_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/sim"
)

func schedule(t *testing.T, p arena.Plan) *arena.Schedule {
	t.Helper()
	s, err := arena.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var plans = []arena.Plan{
	{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: arena.Rotations(4), Rounds: 5},
	{Seed: 1, Agents: 4, Selection: arena.EveryLineup, Seatings: arena.Permutations(4), Rounds: 2},
	{Seed: 2, Agents: 7, Selection: arena.EveryLineup, Seatings: arena.Rotations(4), Rounds: 3},
	{Seed: 3, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: arena.Rotations(4), Rounds: 4},
	{Seed: 3, Agents: 3, Selection: arena.EveryLineup, Repeats: true, Seatings: arena.Rotations(4), Rounds: 2},
	{Seed: 3, Agents: 5, Selection: arena.EveryLineup, Repeats: true, Seatings: arena.Rotations(4), Rounds: 2},
	{Seed: 4, Agents: 4, Selection: arena.SampledLineups, Seatings: arena.Rotations(4), Rounds: 3},
	{Seed: 4, Agents: 9, Selection: arena.SampledLineups, Seatings: arena.Rotations(4), Rounds: 6},
	{Seed: 4, Agents: 64, Selection: arena.SampledLineups, Seatings: arena.Permutations(4), Rounds: 1},
	{Seats: 3, Seed: 1, Agents: 3, Selection: arena.EveryLineup, Seatings: arena.Rotations(3), Rounds: 5},
	{Seats: 3, Seed: 1, Agents: 5, Selection: arena.EveryLineup, Seatings: arena.Permutations(3), Rounds: 2},
	{Seats: 3, Seed: 3, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: arena.Rotations(3), Rounds: 4},
	{Seats: 3, Seed: 3, Agents: 4, Selection: arena.EveryLineup, Repeats: true, Seatings: arena.Rotations(3), Rounds: 2},
	{Seats: 3, Seed: 4, Agents: 9, Selection: arena.SampledLineups, Seatings: arena.Rotations(3), Rounds: 6},
	{Seats: 3, Seed: 4, Agents: 7, Selection: arena.SampledLineups, Seatings: arena.Permutations(3), Rounds: 2},
}

// TestBalance checks that in every wall set each agent has every seat equally
// often at the same walls, no seating comes twice, and in every round each agent
// plays as often as the others.
func TestBalance(t *testing.T) {
	for _, p := range plans {
		s := schedule(t, p)
		name := fmt.Sprintf("%+v", p)
		seeds := map[uint64]bool{}
		for round := range p.Rounds {
			places := make([]int, p.Agents)
			lineups := map[[4]uint8]int{}
			for i := range s.SetsPerRound() {
				set := round*s.SetsPerRound() + i
				first := set * uint64(p.Seatings)
				seed, lineup := s.Match(first)
				if seed != sim.MatchSeed(p.Seed, set) || seeds[seed] {
					t.Fatalf("%s: set %d has seed %d", name, set, seed)
				}
				seeds[seed] = true
				seats := map[uint8][4]int{}
				seatings := map[[4]uint8]bool{}
				for r := range uint64(p.Seatings) {
					again, agents := s.Match(first + r)
					gotSet, gotSeating := s.SetAndSeating(first + r)
					if again != seed || gotSet != set || gotSeating != int(r) || seatings[agents] {
						t.Fatalf("%s: set %d, seating %d: %v, seed %d, place %d %d", name, set, r, agents, again, gotSet, gotSeating)
					}
					seatings[agents] = true
					if s.NumSeats() == 3 && agents[3] != 0 {
						t.Fatalf("%s: set %d, seating %d: agents %v at a table of three", name, set, r, agents)
					}
					for seat, a := range agents[:s.NumSeats()] {
						n := seats[a]
						n[seat]++
						seats[a] = n
					}
				}
				for a, n := range seats {
					if want := [4]int{n[0], n[0], n[0], n[0]}; !slices.Equal(n[:s.NumSeats()], want[:s.NumSeats()]) {
						t.Fatalf("%s: set %d: agent %d has the seats %v", name, set, a, n)
					}
					places[a] += n[0]
				}
				slices.Sort(lineup[:s.NumSeats()])
				if different := len(slices.Compact(slices.Clone(lineup[:s.NumSeats()]))); different < 2 || !p.Repeats && different < s.NumSeats() {
					t.Fatalf("%s: lineup %v", name, lineup)
				}
				lineups[lineup]++
			}
			for a, n := range places {
				if n != places[0] || n == 0 {
					t.Errorf("%s: round %d: agent %d plays %d times, agent 0 %d", name, round, a, n, places[0])
				}
			}
			if p.Selection == arena.EveryLineup && uint64(len(lineups)) != s.SetsPerRound() {
				t.Errorf("%s: %d lineups in %d sets", name, len(lineups), s.SetsPerRound())
			}
		}
	}
}

func TestCounts(t *testing.T) {
	for i, want := range []uint64{5, 2, 3 * 35, 4 * 3, 2 * 12, 2 * (70 - 5), 3 * 4, 6 * 9, 64, 5, 2 * 10, 4 * 2, 2 * (20 - 4), 6 * 9, 2 * 7} {
		s := schedule(t, plans[i])
		if s.Sets() != want || s.Matches() != want*uint64(plans[i].Seatings) {
			t.Errorf("%+v: %d sets, %d matches, want %d sets", plans[i], s.Sets(), s.Matches(), want)
		}
	}
}

// TestSingle checks that the first agent has one seat in each lineup, and every seat at the
// same walls.
func TestSingle(t *testing.T) {
	for agents, want := range map[int]string{
		2: "[[0 1 1 1]]",
		3: "[[0 1 1 1] [0 1 1 2] [0 1 2 2] [0 2 2 2]]",
		5: "[[0 1 2 3] [0 1 2 4] [0 1 3 4] [0 2 3 4]]",
	} {
		s := schedule(t, arena.Plan{
			Seed: 6, Agents: agents, Selection: arena.FirstAgainstOthers, Repeats: agents < 4, Seatings: arena.Rotations(4), Rounds: 2,
		})
		var lineups [][4]uint8
		for set := range s.SetsPerRound() {
			var seats sim.Players
			for r := range uint64(4) {
				_, agents := s.Match(set*4 + r)
				seats |= sim.Player(slices.Index(agents[:], 0)).Bit()
				if r == 0 {
					slices.Sort(agents[:])
					lineups = append(lineups, agents)
				}
			}
			if seats != 15 {
				t.Errorf("%d agents: set %d: the first agent has the seats %04b", agents, set, seats)
			}
		}
		if got := fmt.Sprint(lineups); got != want {
			t.Errorf("%d agents: %s, want %s", agents, got, want)
		}
	}
}

// TestSampled checks that different opponents meet in different rounds.
func TestSampled(t *testing.T) {
	s := schedule(t, arena.Plan{Seed: 5, Agents: 8, Selection: arena.SampledLineups, Seatings: arena.Rotations(4), Rounds: 200})
	met := map[[2]uint8]int{}
	for set := range s.Sets() {
		_, lineup := s.Match(set * 4)
		slices.Sort(lineup[:])
		for i, a := range lineup {
			for _, b := range lineup[i+1:] {
				met[[2]uint8{a, b}]++
			}
		}
	}
	// 1,600 lineups with 6 pairs each, 28 pairs: 343 meetings a pair.
	for a := range uint8(8) {
		for b := a + 1; b < 8; b++ {
			if n := met[[2]uint8{a, b}]; n < 250 || n > 440 {
				t.Errorf("agents %d and %d meet %d times", a, b, n)
			}
		}
	}
}

// TestPinned holds what a schedule draws, so that a tournament can be continued by
// a later version.
func TestPinned(t *testing.T) {
	for _, c := range []struct {
		plan arena.Plan
		want string
	}{
		{plans[2], "[3 2 0 1] [4 0 2 1] [1 5 2 0]"},
		{plans[7], "[5 3 8 0] [6 8 4 3] [7 4 1 8]"},
	} {
		s := schedule(t, c.plan)
		var got []string
		for set := range uint64(3) {
			_, agents := s.Match(set * uint64(c.plan.Seatings))
			got = append(got, fmt.Sprint(agents))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%+v: %s, want %s", c.plan, g, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	good := plans[2]
	for want, change := range map[string]func(p *arena.Plan){
		"a tournament has 2 to 64 agents, not 1":                                               func(p *arena.Plan) { p.Agents = 1 },
		"a tournament has 2 to 64 agents, not 65":                                              func(p *arena.Plan) { p.Agents = 65 },
		`unknown selection "some"; allowed: every, single, sampled, `:                          func(p *arena.Plan) { p.Selection = "some" },
		"5 seatings; allowed: 4 rotations or all 24 permutations":                              func(p *arena.Plan) { p.Seatings = 5 },
		"3 agents cannot fill a table of four unless they sit there more than once":            func(p *arena.Plan) { p.Agents = 3 },
		`agents sit at a table more than once in the selections "every" and "single" only`:     func(p *arena.Plan) { p.Repeats, p.Selection = true, arena.SampledLineups },
		"24 seatings need four different agents":                                               func(p *arena.Plan) { p.Repeats, p.Seatings = true, arena.Permutations(4) },
		"2 players at a table; allowed: 3 and 4":                                               func(p *arena.Plan) { p.Seats = 2 },
		"4 seatings; allowed: 3 rotations or all 6 permutations":                               func(p *arena.Plan) { p.Seats = 3 },
		"2 agents cannot fill a table of three unless they sit there more than once":           func(p *arena.Plan) { p.Seats, p.Seatings, p.Agents = 3, 3, 2 },
		"0 rounds; at least 1 must be played":                                                  func(p *arena.Plan) { p.Rounds = 0 },
		"18446744073709551615 rounds of 35 duplicate sets are too many; allowed: 2^62 matches": func(p *arena.Plan) { p.Rounds = 1<<64 - 1 },
		"100000000000000000 rounds of 35 duplicate sets are too many; allowed: 2^62 matches":   func(p *arena.Plan) { p.Rounds = 1e17 },
	} {
		p := good
		change(&p)
		if _, err := arena.New(p); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, p := range []arena.Plan{plans[2], plans[7]} {
		b.Run(string(p.Selection), func(b *testing.B) {
			s, err := arena.New(p)
			if err != nil {
				b.Fatal(err)
			}
			for i := uint64(0); b.Loop(); i++ {
				s.Match(i % s.Matches())
			}
		})
	}
}

// Listed plays the lineups of its plan in their order, each for its number of duplicate sets,
// and refuses lineups that cannot be played.
func TestListed(t *testing.T) {
	plan := arena.Plan{
		Seed: 7, Agents: 5, Selection: arena.ListedLineups, Seatings: arena.Rotations(4), Rounds: 1, SetsPerTable: 2,
		Lineups: [][sim.NumPlayers]uint8{{0, 1, 2, 3}, {0, 0, 4, 4}},
	}
	s := schedule(t, plan)
	if s.Matches() != 2*2*4 {
		t.Fatalf("%d matches", s.Matches())
	}
	seatings := map[[4]uint8]int{}
	for i := range s.Matches() {
		_, agents := s.Match(i)
		seatings[agents]++
		slices.Sort(agents[:])
		if want := plan.Lineups[i/8]; agents != want {
			t.Errorf("match %d: %v, want %v", i, agents, want)
		}
	}
	if n := seatings[[4]uint8{0, 4, 0, 4}]; n > 0 {
		t.Errorf("a seating that repeats after two rotations: %d times", n)
	}
	for want, change := range map[string]func(*arena.Plan){
		"0 lineups":                  func(p *arena.Plan) { p.Lineups = nil },
		"lineup 1: agents [0 1 2 9]": func(p *arena.Plan) { p.Lineups = [][sim.NumPlayers]uint8{{0, 1, 2, 9}} },
		"lineup 1: agents [1 1 1 1]": func(p *arena.Plan) { p.Lineups = [][sim.NumPlayers]uint8{{1, 1, 1, 1}} },
		"24 seatings":                func(p *arena.Plan) { p.Seatings = 24 },
		"2 lineups; selection":       func(p *arena.Plan) { p.Selection, p.SetsPerTable = arena.EveryLineup, 0 },
		"0 duplicate sets per table": func(p *arena.Plan) { p.SetsPerTable = 0 },
	} {
		p := plan
		change(&p)
		if _, err := arena.New(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
