package arena

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// swissSets is how many wall sets a table of a round of Swiss plays: a block of
// matches.
const swissSets = sim.BlockSize / Rotations

// among is how many of the next agents in the standings the opponents of an agent are
// chosen from.
const among = 16

// swiss is how a tournament stands whose rounds follow from the results of those before.
type swiss struct {
	agents []swissAgent
	// met has the rounds in which two agents were at a table.
	met [][]int
	// lineups has those of the second round and of all further ones that are known.
	lineups [][sim.NumPlayers]uint8
	added   uint64 // matches
}

// swissAgent is how an agent stands.
type swissAgent struct {
	number             uint8
	score, points, had int64 // placement points, points and matches
	free               int   // rounds
}

func newSwiss(agents int) *swiss {
	w := &swiss{agents: make([]swissAgent, agents), met: make([][]int, agents)}
	for a := range w.agents {
		w.agents[a].number, w.met[a] = uint8(a), make([]int, agents)
	}
	return w
}

// tables returns the number of tables of a round of Swiss.
func (s *Schedule) tables() uint64 { return uint64(s.Agents / sim.NumPlayers) }

// RoundMatches returns the number of matches of a round.
func (s *Schedule) RoundMatches() uint64 { return s.SetsPerRound() * uint64(s.Seatings) }

// Add takes the result of the next match, from the first on: the placement points and
// points of the players, in units. The agents of a round of Swiss are known when all
// matches of the rounds before were added; other schedules need no results. It must not
// be called while others call Match.
func (s *Schedule) Add(placement, points [sim.NumPlayers]int32) {
	w := s.swiss
	if w == nil {
		return
	}
	_, agents := s.Match(w.added)
	for p, number := range agents {
		a := &w.agents[number]
		a.score += int64(placement[p])
		a.points += int64(points[p])
		a.had++
	}
	w.added++
	if round := w.added / s.RoundMatches(); w.added%s.RoundMatches() == 0 && round < s.Rounds {
		s.endRound(round - 1)
		w.lineups = append(w.lineups, w.pair()...)
	}
}

// endRound notes who met in a round and who was free.
func (s *Schedule) endRound(round uint64) {
	w := s.swiss
	playing := make([]bool, len(w.agents))
	for table := range s.tables() {
		lineup := s.swissLineup(round*s.tables() + table)
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
			w.agents[a].free++
		}
	}
}

// compare ranks two agents: by the mean placement points of a match, then by the mean
// points, then by their numbers.
func (a swissAgent) compare(b swissAgent) int {
	n, m := max(a.had, 1), max(b.had, 1)
	return cmp.Or(cmp.Compare(b.score*n, a.score*m), cmp.Compare(b.points*n, a.points*m), cmp.Compare(a.number, b.number))
}

// pair returns the lineups of the next round. Those who have been free least often are
// free, the last of the standings first, if the agents do not fill all tables. Then the
// best who has no table meets three of the next in the standings: those who, of all four
// together, have met least often, and of these the next ones.
func (w *swiss) pair() (lineups [][sim.NumPlayers]uint8) {
	standing := slices.SortedFunc(slices.Values(w.agents), swissAgent.compare)
	for range len(standing) % sim.NumPlayers {
		free := len(standing) - 1
		for i := range slices.Backward(standing) {
			if standing[i].free < standing[free].free {
				free = i
			}
		}
		standing = slices.Delete(standing, free, free+1)
	}
	for len(standing) > 0 {
		places, fewest := [sim.NumPlayers]int{}, -1
		n := min(len(standing), among)
		for i := 1; i < n; i++ {
			for j := i + 1; j < n; j++ {
				for k := j + 1; k < n; k++ {
					four := [...]int{0, i, j, k}
					if met := w.meetings(standing, four); fewest < 0 || met < fewest {
						places, fewest = four, met
					}
				}
			}
		}
		var lineup [sim.NumPlayers]uint8
		for p, i := range slices.Backward(places[:]) {
			lineup[p] = standing[i].number
			standing = slices.Delete(standing, i, i+1)
		}
		lineups = append(lineups, lineup)
	}
	return lineups
}

// meetings returns how often any two of four agents have met.
func (w *swiss) meetings(standing []swissAgent, four [sim.NumPlayers]int) (n int) {
	for x, i := range four {
		for _, j := range four[x+1:] {
			n += w.met[standing[i].number][standing[j].number]
		}
	}
	return n
}

// swissLineup returns the agents of a table, all rounds counted.
func (s *Schedule) swissLineup(table uint64) (lineup [sim.NumPlayers]uint8) {
	if table < s.tables() {
		drawn := s.draws(roundDomain, 0).Perm(s.Agents)
		for p := range lineup {
			lineup[p] = uint8(drawn[int(table)*sim.NumPlayers+p])
		}
		return lineup
	}
	if n := uint64(len(s.swiss.lineups)) + s.tables(); table >= n {
		panic(fmt.Sprintf("arena: table %d of a tournament of which %d are drawn", table, n))
	}
	return s.swiss.lineups[table-s.tables()]
}
