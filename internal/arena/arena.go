// Package arena schedules tournaments: which agents play, with which walls, and in which
// seats.
//
//	schedule, err := arena.New(arena.Plan{
//		Seed: 1, Agents: 8, Selection: arena.SampledLineups, Seatings: arena.Rotations(4), Rounds: 100,
//	})
//	seed, agents := schedule.Match(0)
//
// Tournaments are duplicate tournaments, as in duplicate bridge. A duplicate set is the
// walls of one match, played by the same agents in several seatings. Every agent
// plays every seat equally often, so that the luck of the deal is the same for all.
package arena

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Selection is a method of selecting the lineups, the agents that play together: as many
// as a table has players.
type Selection string

const (
	// EveryLineup plays each combination of agents for one duplicate set a round.
	EveryLineup Selection = "every"
	// FirstAgainstOthers plays each combination of the first agent, which has one seat, and others for
	// one duplicate set a round: it measures that agent against the others.
	FirstAgainstOthers Selection = "single"
	// SampledLineups draws as many lineups a round as there are agents; every agent is once in
	// each place of one.
	SampledLineups Selection = "sampled"
	// Swiss draws the first round. Later rounds pair agents that are close in the
	// standings and have met least often. Each table of a round plays
	// [Plan.SetsPerTable] duplicate sets.
	// The lineups of a round follow from the results of the rounds before; see
	// [Schedule.AddResult].
	Swiss Selection = "swiss"
	// ListedLineups plays the lineups of [Plan.Lineups] in their order, each for
	// [Plan.SetsPerTable] duplicate sets.
	ListedLineups Selection = "listed"
	// RecordedLineups is ListedLineups with the seats as they are listed, not drawn: those of
	// matches that were played elsewhere.
	RecordedLineups Selection = "recorded"
)

// selections are all of them, in the order of messages.
var selections = []Selection{EveryLineup, FirstAgainstOthers, SampledLineups, Swiss, ListedLineups, RecordedLineups}

// MaxAgents is the largest number of agents of a tournament.
const MaxAgents = 64

// Rotations returns the number of rotations of one seating of 3 or 4 agents. The seating is
// drawn for each duplicate set.
func Rotations(seats int) int { return seats }

// Permutations returns the number of all seatings of 3 or 4 agents.
func Permutations(seats int) int { return len(permutations[seats]) }

// Plan has the parameters of a Schedule.
type Plan struct {
	// Seed is the seed of the run: duplicate set n has the walls of match n of a run with
	// that seed.
	Seed uint64
	// Secret, if not nil, replaces Seed for the walls, but not for lineups and seats.
	Secret *sim.Secret
	// Seats is the number of players at a table, 3 or 4; 0 stands for 4.
	Seats int
	// Agents is the number of agents, from 2 to MaxAgents.
	Agents    int
	Selection Selection
	// Repeats also selects lineups that have an agent more than once, with at least two
	// different agents. Fewer agents than seats need it.
	Repeats bool
	// Seatings is Rotations or Permutations of the seats, or 1 for ListedLineups and
	// RecordedLineups: a duplicate set is then one match.
	Seatings int
	// Rounds is the number of rounds, at least 1.
	Rounds uint64
	// SetsPerTable is the number of duplicate sets that a table plays in a round of Swiss: a
	// multiple of [SwissSets], or 0 for that number. In a round of lineups of a list it is any
	// number from 1.
	SetsPerTable uint64
	// Lineups are the lineups of a round of ListedLineups or RecordedLineups, nil for other
	// selections. An agent may occur more than once, but not alone.
	Lineups [][sim.NumPlayers]uint8
}

// lists reports whether the lineups of the plan are those of a list.
func (p *Plan) lists() bool { return p.Selection == ListedLineups || p.Selection == RecordedLineups }

// Schedule is the sequence of the matches of a tournament: round by round, within a round
// by duplicate set, within a set by seating. It implements [sim.Schedule].
type Schedule struct {
	Plan Plan
	// lineups are the lineups of a round of EveryLineup or FirstAgainstOthers, ascending, or of ListedLineups.
	lineups [][sim.NumPlayers]uint8
	swiss   *swiss // nil except for Swiss
}

// New returns the schedule of a plan. The error names the invalid parameter.
func New(p Plan) (*Schedule, error) {
	s := &Schedule{Plan: p}
	seats := s.NumSeats()
	rotations, all, sets := Rotations(seats), Permutations(seats), SwissSets(seats)
	switch {
	case p.Seats != 0 && p.Seats != seats:
		return nil, fmt.Errorf("%d players at a table; allowed: 3 and %d", p.Seats, sim.NumPlayers)
	case p.Agents < 2 || p.Agents > MaxAgents:
		return nil, fmt.Errorf("a tournament has 2 to %d agents, not %d", MaxAgents, p.Agents)
	case !slices.Contains(selections, p.Selection):
		return nil, fmt.Errorf("unknown selection %q; allowed: %s", p.Selection, joinedSelections())
	case p.Seatings != rotations && p.Seatings != all && (p.Seatings != 1 || !p.lists()):
		return nil, fmt.Errorf("%d seatings; allowed: %d rotations or all %d permutations", p.Seatings, rotations, all)
	case p.Agents < seats && !p.Repeats && !p.lists():
		return nil, fmt.Errorf("%d agents cannot fill a table of %s unless they sit there more than once", p.Agents, seatWords[seats])
	case p.Repeats && p.Selection != EveryLineup && p.Selection != FirstAgainstOthers:
		return nil, fmt.Errorf("agents sit at a table more than once in the selections %q and %q only", EveryLineup, FirstAgainstOthers)
	case p.Repeats && p.Seatings == all:
		return nil, fmt.Errorf("%d seatings need %s different agents; an agent that sits at a table more than once takes %d", all, seatWords[seats], rotations)
	case (p.Selection == Swiss || p.lists()) && p.Seatings == all:
		return nil, fmt.Errorf("%d seatings; selection %q has %d", p.Seatings, p.Selection, rotations)
	case (len(p.Lineups) > 0) != p.lists():
		return nil, fmt.Errorf("%d lineups; selections %q and %q have a list of them, and no other", len(p.Lineups), ListedLineups, RecordedLineups)
	case p.lists() && (p.SetsPerTable < 1 || p.SetsPerTable > 1<<20):
		return nil, fmt.Errorf("%d duplicate sets per table; allowed: 1 to %d", p.SetsPerTable, 1<<20)
	case p.SetsPerTable != 0 && p.Selection != Swiss && !p.lists():
		return nil, fmt.Errorf("%d duplicate sets per table; only selection %q has tables for a round", p.SetsPerTable, Swiss)
	case p.Selection == Swiss && p.SetsPerTable%sets != 0 || p.SetsPerTable > 1<<20:
		return nil, fmt.Errorf("%d duplicate sets per table; allowed: multiples of %d up to %d", p.SetsPerTable, sets, 1<<20)
	case p.Rounds < 1:
		return nil, fmt.Errorf("%d rounds; at least 1 must be played", p.Rounds)
	}
	switch p.Selection {
	case ListedLineups, RecordedLineups:
		if err := s.Plan.checkLineups(); err != nil {
			return nil, err
		}
		s.lineups = p.Lineups
	case Swiss:
		s.swiss = newSwiss(p.Agents, seats)
	case EveryLineup, FirstAgainstOthers:
		s.lineups = everyLineup(p.Agents, seats, p.Repeats)
	}
	if p.Selection == FirstAgainstOthers {
		s.lineups = slices.DeleteFunc(s.lineups, func(l [sim.NumPlayers]uint8) bool { return l[0] != 0 || l[1] == 0 })
	}
	high, total := bits.Mul64(p.Rounds, s.SetsPerRound())
	over, matches := bits.Mul64(total, uint64(p.Seatings))
	if high != 0 || over != 0 || matches > 1<<62 {
		return nil, fmt.Errorf("%d rounds of %d duplicate sets are too many; allowed: 2^62 matches", p.Rounds, s.SetsPerRound())
	}
	return s, nil
}

// joinedSelections returns the selections with commas between them.
func joinedSelections() string {
	words := make([]string, len(selections))
	for i, s := range selections {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// checkLineups returns an error if a lineup of the plan cannot be played.
func (p *Plan) checkLineups() error {
	for i, lineup := range p.Lineups {
		agents := lineup[:p.NumSeats()]
		if slices.Max(agents) == slices.Min(agents) || int(slices.Max(agents)) >= p.Agents {
			return fmt.Errorf("lineup %d: agents %v; allowed: at least two different ones from 0 to %d", i+1, agents, p.Agents-1)
		}
	}
	return nil
}

// seatWords are the numbers of players in words.
var seatWords = [...]string{3: "three", 4: "four"}

// NumSeats returns the number of players at a table.
func (p *Plan) NumSeats() int {
	if p.Seats == 3 {
		return 3
	}
	return sim.NumPlayers
}

// NumSeats implements [sim.Schedule].
func (s *Schedule) NumSeats() int { return s.Plan.NumSeats() }

// everyLineup returns all combinations of as many of n agents as there are seats; with
// repeats also those with an agent more than once, except one agent alone.
func everyLineup(n, seats int, repeats bool) (list [][sim.NumPlayers]uint8) {
	step := 1 // the least distance between consecutive agents
	if repeats {
		step = 0
	}
	for a := range n {
		for b := a + step; b < n; b++ {
			for c := b + step; c < n; c++ {
				if seats == 3 {
					if a != c {
						list = append(list, [...]uint8{uint8(a), uint8(b), uint8(c), 0})
					}
					continue
				}
				for d := c + step; d < n; d++ {
					if a != d {
						list = append(list, [...]uint8{uint8(a), uint8(b), uint8(c), uint8(d)})
					}
				}
			}
		}
	}
	return list
}

// SetsPerRound returns the number of duplicate sets of a round.
func (s *Schedule) SetsPerRound() uint64 {
	switch s.Plan.Selection {
	case SampledLineups:
		return uint64(s.Plan.Agents)
	case Swiss:
		return s.tables() * s.Plan.setsPerTable()
	case ListedLineups, RecordedLineups:
		return uint64(len(s.lineups)) * s.Plan.SetsPerTable
	}
	return uint64(len(s.lineups))
}

// Sets returns the number of duplicate sets.
func (s *Schedule) Sets() uint64 { return s.Plan.Rounds * s.SetsPerRound() }

// Matches returns the number of matches.
func (s *Schedule) Matches() uint64 { return s.Sets() * uint64(s.Plan.Seatings) }

// SetAndSeating returns the duplicate set of match number index and its seating, from 0.
func (s *Schedule) SetAndSeating(index uint64) (set uint64, seating int) {
	n := uint64(s.Plan.Seatings)
	return index / n, int(index % n)
}

// Match implements [sim.Schedule].
func (s *Schedule) Match(index uint64) (seed uint64, agents [sim.NumPlayers]uint8) {
	set, seating := s.SetAndSeating(index)
	lineup, seats := s.lineup(set), s.NumSeats()
	for p := range agents[:seats] {
		if s.permutes() {
			agents[p] = lineup[permutations[seats][seating][p]]
		} else {
			agents[p] = lineup[(p+seating)%seats]
		}
	}
	if s.Plan.Secret != nil {
		return s.Plan.Secret.MatchSeed(set), agents
	}
	return sim.MatchSeed(s.Plan.Seed, set), agents
}

// permutes reports whether a duplicate set has all seatings.
func (s *Schedule) permutes() bool { return s.Plan.Seatings == Permutations(s.NumSeats()) }

// permutations lists the permutations of 3 and 4 seats in lexical order.
var permutations = [...][][sim.NumPlayers]uint8{3: permutationsOf(3), 4: permutationsOf(4)}

func permutationsOf(seats int) (list [][sim.NumPlayers]uint8) {
	for i := range 1 << (2 * seats) {
		var p [sim.NumPlayers]uint8
		all := 0
		for j := range seats {
			p[j] = uint8(i >> (2 * (seats - 1 - j)) & 3)
			all |= 1 << p[j]
		}
		if all == 1<<seats-1 {
			list = append(list, p)
		}
	}
	return list
}

// The domains separate the random streams; see docs/determinism.md.
const (
	orderDomain = "jansou order 1"
	roundDomain = "jansou round 1"
)

func (s *Schedule) randomStream(domain string, n uint64) *rand.Rand {
	key := append([]byte(domain), make([]byte, 16)...)
	binary.LittleEndian.PutUint64(key[len(domain):], s.Plan.Seed)
	binary.LittleEndian.PutUint64(key[len(domain)+8:], n)
	return rand.New(rand.NewChaCha8(sha256.Sum256(key)))
}

// lineup returns the agents of a duplicate set: by player in the first of Rotations,
// ascending for Permutations.
func (s *Schedule) lineup(set uint64) (lineup [sim.NumPlayers]uint8) {
	seats := s.NumSeats()
	if s.Plan.Selection == SampledLineups {
		lineup = s.sampledLineup(set)
		if s.permutes() {
			slices.Sort(lineup[:seats])
		}
		return lineup
	}
	if s.swiss != nil {
		lineup = s.swissLineup(set / s.Plan.setsPerTable())
	} else if s.Plan.lists() {
		lineup = s.lineups[set/s.Plan.SetsPerTable%uint64(len(s.lineups))]
	} else {
		lineup = s.lineups[set%uint64(len(s.lineups))]
	}
	if s.permutes() || s.Plan.Selection == RecordedLineups {
		return lineup
	}
	draw := s.randomStream(orderDomain, set)
	for {
		draw.Shuffle(seats, func(i, j int) { lineup[i], lineup[j] = lineup[j], lineup[i] })
		// An order such as 0101 repeats after two rotations.
		if seats == 3 || lineup[0] != lineup[2] || lineup[1] != lineup[3] {
			return lineup
		}
	}
}

// sampledLineup returns the agents of a duplicate set of Sampled. A round draws a circular
// order of the agents and distances in it, at which the opponents of each agent are. So each
// agent is once in each place of a lineup.
func (s *Schedule) sampledLineup(set uint64) (lineup [sim.NumPlayers]uint8) {
	n := s.Plan.Agents
	draw := s.randomStream(roundDomain, set/uint64(n))
	circle, distances := draw.Perm(n), draw.Perm(n-1)
	at := int(set % uint64(n))
	lineup[0] = uint8(circle[at])
	for i := range lineup[1:s.NumSeats()] {
		lineup[i+1] = uint8(circle[(at+distances[i]+1)%n])
	}
	return lineup
}
