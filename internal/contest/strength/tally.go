package strength

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Tally counts the matches of a tournament by duplicate sets. Its size hardly grows with their
// number: more than mostClusters of them share clusters.
type Tally struct {
	names    []string
	players  int // of a match
	seatings int
	unit     float64 // units that make a point
	// byPoints reports that the ruleset has no placement points, so that agents are
	// compared by points.
	byPoints bool
	// byRating reports whether agents are ordered by ratings.
	byRating bool
	matches  uint64
	rows     []schema.MatchRow // of the current duplicate set
	pool     *Pool
	heads    *HeadToHead
	agents   []agentSums
	pairs    []pairSums // of a < b at a*len(names)+b
	apart    ratio      // of all pairs
	// last has the gains of the pairs in the last set of each lineup, unless that set has been
	// compared with the one before it.
	last map[choice][]setGain
}

// mostClusters is the largest number of clusters to which duplicate sets are dealt. It is prime, so
// that every cluster gets every lineup in turn.
const mostClusters = 1009

// agentSums is the results of an agent by duplicate sets, with its seats as cases.
type agentSums struct {
	forfeits  uint64
	placement ratio // in 1/ruleset.PlacementUnit
	points    ratio
	places    [sim.NumPlayers]ratio
}

// pairSums is the results of a pair. The gain of a match is the placement points of the first minus
// those of the second, or the points if the ruleset has no placement points; of an agent with
// several seats the mean.
type pairSums struct {
	gain ratio // in 1/gainUnit, with matches as cases
	// apart is, of two duplicate sets of the same lineup, the squared difference of the gains of
	// single matches, as a mean over all pairs of a match of each set, over that of the mean
	// gains of the sets. Sets of different lineups differ by more than luck.
	apart ratio
}

// setGain is the sums of the gains of a pair, and of their squares, over the matches of a
// duplicate set.
type setGain struct{ gain, squares float64 }

// gainUnit is the number of units of a gain in a placement point. Gains are whole numbers even
// if an agent has two or three seats at a table, so sums are exact and equal agents compare equal.
const gainUnit = 6 * ruleset.PlacementUnit

// NewTally returns the tally of a tournament before its first match. The error is that of a run that
// is not a tournament.
func NewTally(run *dataset.Run) (*Tally, error) {
	if run.Tournament == nil {
		return nil, fmt.Errorf("strength: the run is no tournament")
	}
	rules, n := run.Ruleset.Rules(), len(run.Agents)
	pool, err := NewPool(n)
	if err != nil {
		return nil, err
	}
	t := &Tally{
		names: run.Agents, players: run.Tournament.Schedule.NumSeats(), seatings: run.Tournament.Schedule.Plan.Seatings, unit: float64(rules.Unit()),
		byPoints: rules.Placement == [sim.NumPlayers]ruleset.Placement{},
		pool:     pool, heads: NewHeadToHead(n), agents: make([]agentSums, n), pairs: make([]pairSums, n*n), last: map[choice][]setGain{},
	}
	switch run.Tournament.Schedule.Plan.Selection {
	case arena.EveryLineup, arena.FirstAgainstOthers:
	default:
		t.byRating = true // opponents differ in strength, which means of points do not allow for
	}
	return t, nil
}

// pair returns the sums of two agents a < b.
func (t *Tally) pair(a, b int) *pairSums { return &t.pairs[a*len(t.names)+b] }

// Read adds the matches of a dataset, which must have the tournament from its first match on.
func (t *Tally) Read(d *dataset.Dataset) error {
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		t.Add(rows)
	}
	return nil
}

// Add adds a match by the rows of its players. Matches come in their order, and the first is the
// first of a duplicate set. A set counts when it is complete.
func (t *Tally) Add(rows []schema.MatchRow) {
	t.matches++
	t.rows = append(t.rows, rows...)
	// The last seating of the set. What is left of an incomplete set is never counted, since its
	// seats are not balanced.
	if rows[0].Match%uint64(t.seatings) == uint64(t.seatings)-1 {
		t.addSet(int(rows[0].Match / uint64(t.seatings)))
		t.rows = t.rows[:0]
	}
}

// addSet adds the current duplicate set.
func (t *Tally) addSet(number int) {
	set := make([]Ranking, 0, t.seatings)
	for rows := range slices.Chunk(t.rows, t.players) {
		set = append(set, NewRanking(rows))
	}
	// Distinct sets in one cluster cost a few degrees of freedom and bound the memory. Nothing is
	// biased, as clusters stay independent.
	t.pool.Add(number%mostClusters, set)
	t.heads.Add(set)
	var room [len(choice{}.agents)]uint8
	lineup := set[0].lineup(room[:0])
	for _, a := range lineup {
		t.addAgent(a)
	}
	var gains []setGain
	for i, a := range lineup {
		for _, b := range lineup[i+1:] {
			g := t.setGain(a, b)
			gains = append(gains, g)
			t.pair(int(a), int(b)).gain.add(g.gain, float64(t.seatings))
		}
	}
	// Each set is compared with one other, so that the comparisons are independent. The key has the
	// agents as often as they have seats: {A, B, B, B} is another lineup than {A, A, A, B}.
	key := choice{agents: set[0].Agents, n: set[0].Seats}
	slices.Sort(key.all())
	last := t.last[key]
	if last == nil {
		t.last[key] = gains
		return
	}
	delete(t.last, key)
	n := float64(t.seatings)
	var alone, together float64
	i := 0
	for k, a := range lineup {
		for _, b := range lineup[k+1:] {
			g, l := gains[i], last[i]
			i++
			apart := g.gain/n - l.gain/n
			// The first is the mean of the squared differences between all pairs of matches of the
			// two sets, from sums alone. Squares are converted, so that they are not fused with the
			// sum.
			x, y := (g.squares+l.squares)/n-2*float64(g.gain/n*(l.gain/n)), float64(apart*apart)
			t.pair(int(a), int(b)).apart.add(x, y)
			alone, together = alone+x, together+y
		}
	}
	t.apart.add(alone, together)
}

// addAgent adds the results of an agent in the current duplicate set.
func (t *Tally) addAgent(agent uint8) {
	var seats, placement, points float64
	var places [sim.NumPlayers]float64
	sums := &t.agents[agent]
	for i := range t.rows {
		r := &t.rows[i]
		if r.Agent != agent {
			continue
		}
		seats++
		placement += float64(r.Placement)
		points += float64(r.Points)
		places[r.Rank-1]++
		if r.Forfeited {
			sums.forfeits++
		}
	}
	sums.placement.add(placement, seats)
	sums.points.add(points, seats)
	for i := range t.players {
		// The number of seats is the denominator even where a place has no case, so that the places
		// add up to 1.
		sums.places[i].add(places[i], seats)
	}
}

// setGain returns the gains of agent a over b in the current duplicate set.
func (t *Tally) setGain(a, b uint8) (g setGain) {
	for rows := range slices.Chunk(t.rows, t.players) {
		var total, seats [2]float64 // of a and b
		for i := range rows {
			r := &rows[i]
			if r.Agent != a && r.Agent != b {
				continue
			}
			side := 0
			if r.Agent == b {
				side = 1
			}
			s := float64(r.Placement)
			if t.byPoints {
				// Points in the unit of placement points, so that one gainUnit serves both.
				s = float64(r.Points) * (ruleset.PlacementUnit / t.unit)
			}
			total[side] += s
			seats[side]++
		}
		// Multiplied before the division by seats: 6 is divisible by 1, 2 and 3 seats, so the gain
		// is a whole number.
		const unit = gainUnit / ruleset.PlacementUnit
		gain := unit*total[0]/seats[0] - unit*total[1]/seats[1]
		g.gain += gain
		g.squares += float64(gain * gain)
	}
	return g
}
