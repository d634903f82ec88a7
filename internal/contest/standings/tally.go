// Package standings computes the results of a tournament: points and placements, ratings,
// who finishes ahead of whom, and their intervals.
//
//	t, err := standings.NewTally(run)
//	err = t.Read(d)
//	s, err := t.Compute()
//	fmt.Println(s.Agents[0].Name, s.Agents[0].PlackettLuce)
//
// The matches of a duplicate set depend on each other, different sets do not. So everything is
// counted by duplicate sets, and intervals are a bootstrap over them (Efron, Bootstrap methods:
// another look at the jackknife, 1979). [Contest] plays a tournament; [Result] is its result as
// text and JSON.
package standings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Tally counts the matches of a tournament. Its size depends on the number of agents, not
// on that of the matches: duplicate sets are dealt to clusters. There are 1009 clusters,
// fewer with many agents; up to that number each set is a cluster of its own.
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
	// clusters has a row of counts for each cluster: those of the agents and pairs first, then
	// one for each of choices, in 1/orders. Missing counts at the end of a row are 0.
	clusters [][]float64
	choices  []choice
	// at is the index of each choice in choices.
	at      map[choice]int
	matches uint64
	// met has the pairs of the current duplicate set, last those of the last set of each
	// lineup unless that set has been compared with the one before it.
	met  []meeting
	last map[choice][]meeting
	// planned is the number of matches of the run.
	planned uint64
	// boundIs caches the bound of Leader for the error rate boundFor.
	boundFor, boundIs float64
}

// meeting is the sums of the gains of agent a over b, and of their squares, over the matches of a
// duplicate set so far.
type meeting struct {
	a, b          int
	gain, squares float64
}

// choice is the agents of whom one is ahead of the others: their numbers in ascending order, a
// byte each. An agent with several seats occurs several times. It is a string so that it can be
// the key of a map.
type choice string

// orders is the weight of a ranking in the counts of choices. The number of orders of any ties
// divides it.
const orders = 24

// The counts of an agent.
const (
	seats = iota // matches, once for each seat of the agent
	score        // placement points, in 1/ruleset.PlacementUnit
	points
	first // places 1 to 4, of three players 1 to 3
	_
	_
	_
	chosen // choices in which it was ahead, in 1/orders
	forfeits
	agentFields
)

// gainUnit is the number of units of a gain in a placement point. Gains are whole numbers even
// if an agent has two or three seats at a table, so sums are exact and equal agents compare equal.
const gainUnit = 6 * ruleset.PlacementUnit

// The counts of a pair of agents at the same tables. The gain of a match is the placement points
// of the first minus those of the second, or the points if the ruleset has no placement points; of
// an agent with several seats the mean.
const (
	sets       = iota
	gain       // sum of the gains
	setSquares // sum of the squares of the mean gain of each set
	aheadOf    // matches in which the first finished ahead of the second, ties by half
	behind     // and the second ahead of the first
	// The sums of squared differences between two duplicate sets of the same lineup: of the
	// gains of single matches, as a mean over all pairs of a match of each set, and of the mean
	// gains of the sets. Sets of different lineups differ by more than luck.
	apartAlone
	apartSets
	pairFields
)

// NewTally returns the tally of a tournament before its first match. The error is that of a run that
// is not a tournament.
func NewTally(run *dataset.Run) (*Tally, error) {
	if run.Tournament == nil {
		return nil, fmt.Errorf("standings: the run is no tournament")
	}
	rules := run.Ruleset.Rules()
	t := &Tally{
		names: run.Agents, players: run.Tournament.NumSeats(), seatings: run.Tournament.Seatings, unit: float64(rules.Unit()),
		byPoints: rules.Placement == [sim.NumPlayers]ruleset.Placement{}, byRating: run.Tournament.Selection == arena.Swiss,
		at: map[choice]int{}, last: map[choice][]meeting{}, planned: run.Matches,
	}
	t.clusters = make([][]float64, clustersOf(len(run.Agents)))
	return t, nil
}

// clustersOf returns the number of clusters for a number of agents, as many as the memory for
// their counts allows. The usual number is prime, so that every cluster gets every lineup in turn.
func clustersOf(agents int) int {
	const (
		most, least = 1009, 31
		cells       = 1 << 24 // of counts, some 128 MB
	)
	n := agents
	choices := n*n*n*n/24 + n*n*n/6 + n*n/2
	return max(least, min(most, cells/(choices+pairFields*n*n/2+agentFields*n)))
}

// fields returns the number of counts of agents and pairs in a row.
func (t *Tally) fields() int {
	n := len(t.names)
	return agentFields*n + pairFields*n*(n-1)/2
}

// pair returns the index in a row of the first count of the pair of agents a < b.
func (t *Tally) pair(a, b int) int {
	n := len(t.names)
	return agentFields*n + pairFields*(a*(2*n-a-1)/2+b-a-1)
}

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

// Add adds a match by the rows of its players. Matches come in their order,
// and the first is the first of a duplicate set.
func (t *Tally) Add(rows []schema.MatchRow) {
	set := rows[0].Match / uint64(t.seatings)
	row := &t.clusters[set%uint64(len(t.clusters))]
	*row = extend(*row, t.fields())
	counts := *row
	t.matches++
	var total, places [sim.NumPlayers]float64
	var agents [sim.NumPlayers]int
	n := 0 // different agents
	for i := range rows {
		r := &rows[i]
		c := counts[agentFields*int(r.Agent):][:agentFields]
		s := float64(r.Placement)
		c[seats]++
		c[score] += s
		if t.byPoints {
			s = float64(r.Points) * (ruleset.PlacementUnit / t.unit)
		}
		c[points] += float64(r.Points) / t.unit
		c[first+r.Rank-1]++
		if r.Forfeited {
			c[forfeits]++
		}
		k := slices.Index(agents[:n], int(r.Agent))
		if k < 0 {
			k = n
			agents[k] = int(r.Agent)
			n++
		}
		total[k] += s
		places[k]++
	}
	for i := range n {
		for j := range n {
			a, b := agents[i], agents[j]
			if a >= b {
				continue
			}
			const unit = gainUnit / ruleset.PlacementUnit
			d := unit*total[i]/places[i] - unit*total[j]/places[j]
			c := counts[t.pair(a, b):][:pairFields]
			for p := range rows {
				for q := range rows {
					if int(rows[p].Agent) == a && int(rows[q].Agent) == b {
						won, lost := compare(rows[p].Rank, rows[q].Rank)
						c[aheadOf] += won
						c[behind] += lost
					}
				}
			}
			t.meet(a, b, d)
		}
	}
	if rows[0].Match%uint64(t.seatings) == uint64(t.seatings)-1 {
		t.endSet(counts, lineupOf(rows))
	}
	t.rank(row, rows)
}

// compare returns 1 for the better of two ranks and 0 for the other, half each for a tie.
func compare(a, b uint8) (won, lost float64) {
	switch {
	case a < b:
		return 1, 0
	case a > b:
		return 0, 1
	}
	return 0.5, 0.5
}

// rank counts the choices of the ranking of a match.
func (t *Tally) rank(row *[]float64, rows []schema.MatchRow) {
	var agents, ranks [sim.NumPlayers]uint8
	for p := range rows {
		agents[p], ranks[p] = rows[p].Agent, rows[p].Rank
	}
	visitChoices(agents[:len(rows)], ranks[:len(rows)], 1<<len(rows)-1, orders, func(c choice, ahead byte, weight float64) {
		i := t.fields() + t.indexOf(c)
		*row = extend(*row, i+1)
		(*row)[i] += weight
		(*row)[agentFields*int(ahead)+chosen] += weight
	})
}

// visitChoices calls visit for the choices of a ranking of the players in left: the first among
// all, the first among the others, and so on, with the agent that is ahead. The weight is
// divided equally among the orders of tied players. Choices among the seats of one agent are
// left out.
func visitChoices(agents, ranks []uint8, left sim.Players, weight float64, visit func(c choice, ahead byte, weight float64)) {
	var list [sim.NumPlayers]byte
	n := 0
	best, ties := uint8(0xff), 0
	for p := range agents {
		if !left.Has(sim.Player(p)) {
			continue
		}
		list[n] = agents[p]
		n++
		switch r := ranks[p]; {
		case r < best:
			best, ties = r, 1
		case r == best:
			ties++
		}
	}
	slices.Sort(list[:n])
	if list[0] == list[n-1] {
		return // one agent has all these seats
	}
	c := choice(list[:n])
	for p := range agents {
		if left.Has(sim.Player(p)) && ranks[p] == best {
			visit(c, agents[p], weight/float64(ties))
			visitChoices(agents, ranks, left&^sim.Player(p).Bit(), weight/float64(ties), visit)
		}
	}
}

// indexOf returns the index of a choice in choices, to which it adds a new one.
func (t *Tally) indexOf(agents choice) int {
	i, ok := t.at[agents]
	if !ok {
		i = len(t.choices)
		t.at[agents] = i
		t.choices = append(t.choices, agents)
	}
	return i
}

// meet adds a match of a pair to the current duplicate set.
func (t *Tally) meet(a, b int, gain float64) {
	i := slices.IndexFunc(t.met, func(m meeting) bool { return m.a == a && m.b == b })
	if i < 0 {
		i = len(t.met)
		t.met = append(t.met, meeting{a: a, b: b})
	}
	t.met[i].gain += gain
	t.met[i].squares += float64(gain * gain)
}

// endSet ends the current duplicate set.
func (t *Tally) endSet(counts []float64, lineup choice) {
	slices.SortFunc(t.met, func(m, o meeting) int { return cmp.Or(m.a-o.a, m.b-o.b) })
	// Each set is compared with one other, so that the comparisons are independent.
	last := t.last[lineup]
	n := float64(t.seatings)
	for i, m := range t.met {
		c := counts[t.pair(m.a, m.b):][:pairFields]
		mean := m.gain / n
		c[sets]++
		c[gain] += m.gain
		c[setSquares] += float64(mean * mean)
		if len(last) > 0 {
			l := last[i]
			apart := mean - l.gain/n
			c[apartSets] += float64(apart * apart)
			c[apartAlone] += (m.squares+l.squares)/n - 2*float64(mean*(l.gain/n))
		}
	}
	if len(last) > 0 {
		t.last[lineup] = last[:0]
	} else {
		t.last[lineup] = append(last, t.met...)
	}
	t.met = t.met[:0]
}

// lineupOf returns the agents of a match, as a choice among all of them.
func lineupOf(rows []schema.MatchRow) choice {
	var agents []byte
	for i := range rows {
		agents = append(agents, rows[i].Agent)
	}
	slices.Sort(agents)
	return choice(agents)
}

// extend appends zeros to s until it has at least n elements.
func extend(s []float64, n int) []float64 {
	if len(s) >= n {
		return s
	}
	return append(s, make([]float64, n-len(s))...)
}

// total returns the sum of the counts of all clusters, and the rows of those with matches.
func (t *Tally) total() (sum []float64, played [][]float64) {
	sum = make([]float64, t.fields()+len(t.choices))
	for _, row := range t.clusters {
		if len(row) == 0 {
			continue
		}
		played = append(played, row)
		for i, x := range row {
			sum[i] += x
		}
	}
	return sum, played
}
