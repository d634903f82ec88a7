package arena

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// SwissSets returns the usual number of duplicate sets that a table of 3 or 4 players plays
// in a round of Swiss. Other numbers are multiples of it, so that a round is whole blocks of
// matches.
func SwissSets(seats int) uint64 {
	if sets := sim.BlockSize / Rotations(seats); sets*Rotations(seats) == sim.BlockSize {
		return uint64(sets)
	}
	return sim.BlockSize
}

// setsPerTable returns [Plan.SetsPerTable] or its default.
func (p *Plan) setsPerTable() uint64 { return cmp.Or(p.SetsPerTable, SwissSets(p.NumSeats())) }

// maxCandidates is the number of the next agents in the standings among which opponents
// are chosen.
const maxCandidates = 16

// swiss is the state of a Swiss tournament.
type swiss struct {
	seats  int
	agents []swissAgent
	// met counts the rounds in which two agents were at the same table.
	met [][]int
	// lineups are the known lineups of the second and later rounds.
	lineups [][sim.NumPlayers]uint8
	added   uint64 // matches
}

// swissAgent is the standing of an agent.
type swissAgent struct {
	number                 uint8
	score, points, matches int64 // score is in placement points
	byes                   int   // rounds without a table
}

func newSwiss(agents, seats int) *swiss {
	w := &swiss{seats: seats, agents: make([]swissAgent, agents), met: make([][]int, agents)}
	for a := range w.agents {
		w.agents[a].number, w.met[a] = uint8(a), make([]int, agents)
	}
	return w
}

// tables returns the number of tables of a round of Swiss.
func (s *Schedule) tables() uint64 { return uint64(s.Plan.Agents / s.NumSeats()) }

// MatchesPerRound returns the number of matches of a round.
func (s *Schedule) MatchesPerRound() uint64 { return s.SetsPerRound() * uint64(s.Plan.Seatings) }

// AddResult adds the result of the next match, in order from the first: the placement
// points and points of the players, in units. Match of a Swiss round needs the results
// of all rounds before; other schedules need no results. Do not call it concurrently with
// Match.
func (s *Schedule) AddResult(placement, points [sim.NumPlayers]int32) {
	w := s.swiss
	if w == nil {
		return
	}
	_, agents := s.Match(w.added)
	for p, number := range agents[:w.seats] {
		a := &w.agents[number]
		a.score += int64(placement[p])
		a.points += int64(points[p])
		a.matches++
	}
	w.added++
	if round := w.added / s.MatchesPerRound(); w.added%s.MatchesPerRound() == 0 && round < s.Plan.Rounds {
		s.endRound(round - 1)
		w.lineups = append(w.lineups, w.pair()...)
	}
}

// endRound updates met and byes after a round.
func (s *Schedule) endRound(round uint64) {
	w := s.swiss
	playing := make([]bool, len(w.agents))
	for table := range s.tables() {
		all := s.swissLineup(round*s.tables() + table)
		lineup := all[:s.swiss.seats]
		for _, a := range lineup {
			playing[a] = true
			for _, b := range lineup {
				if a != b {
					w.met[a][b]++
				}
			}
		}
	}
	for a := range w.agents {
		if !playing[a] {
			w.agents[a].byes++
		}
	}
}

// compare orders two agents by mean placement points per match, then by mean points, then
// by number.
func (a swissAgent) compare(b swissAgent) int {
	n, m := max(a.matches, 1), max(b.matches, 1)
	return cmp.Or(cmp.Compare(b.score*n, a.score*m), cmp.Compare(b.points*n, a.points*m), cmp.Compare(a.number, b.number))
}

// pair returns the lineups of the next round. If the agents do not fill all tables, those
// with the fewest byes get a bye, the last of the standings first. Then the best agent
// without a table meets some of the next agents in the standings: those that have met least
// often, with ties for the higher standings.
func (w *swiss) pair() (lineups [][sim.NumPlayers]uint8) {
	standing := slices.SortedFunc(slices.Values(w.agents), swissAgent.compare)
	for range len(standing) % w.seats {
		bye := len(standing) - 1
		for i := range slices.Backward(standing) {
			if standing[i].byes < standing[bye].byes {
				bye = i
			}
		}
		standing = slices.Delete(standing, bye, bye+1)
	}
	for len(standing) > 0 {
		places, fewest := [sim.NumPlayers]int{}, -1
		n := min(len(standing), maxCandidates)
		// try fills the seats from seat on with agents behind that before it.
		var try func(tried [sim.NumPlayers]int, seat int)
		try = func(tried [sim.NumPlayers]int, seat int) {
			if seat == w.seats {
				if met := w.meetings(standing, tried[:seat]); fewest < 0 || met < fewest {
					places, fewest = tried, met
				}
				return
			}
			for i := tried[seat-1] + 1; i < n; i++ {
				tried[seat] = i
				try(tried, seat+1)
			}
		}
		try([sim.NumPlayers]int{}, 1)
		var lineup [sim.NumPlayers]uint8
		for p, i := range slices.Backward(places[:w.seats]) {
			lineup[p] = standing[i].number
			standing = slices.Delete(standing, i, i+1)
		}
		lineups = append(lineups, lineup)
	}
	return lineups
}

// meetings returns how often the pairs of the agents at some places have met.
func (w *swiss) meetings(standing []swissAgent, places []int) (n int) {
	for x, i := range places {
		for _, j := range places[x+1:] {
			n += w.met[standing[i].number][standing[j].number]
		}
	}
	return n
}

// swissLineup returns the agents of a table, numbered through all rounds.
func (s *Schedule) swissLineup(table uint64) (lineup [sim.NumPlayers]uint8) {
	if table < s.tables() {
		drawn := s.randomStream(roundDomain, 0).Perm(s.Plan.Agents)
		for p := range s.NumSeats() {
			lineup[p] = uint8(drawn[int(table)*s.NumSeats()+p])
		}
		return lineup
	}
	if n := uint64(len(s.swiss.lineups)) + s.tables(); table >= n {
		panic(fmt.Sprintf("arena: table %d needs results; only the first %d tables are known", table, n))
	}
	return s.swiss.lineups[table-s.tables()]
}
