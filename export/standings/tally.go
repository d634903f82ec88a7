// Package standings computes the results of a tournament: points and placements, ratings,
// who finishes ahead of whom, and their intervals.
//
// Matches of a duplicate set depend on each other; duplicate sets do not. So everything is
// counted by duplicate sets, and intervals are a bootstrap over them.
package standings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// Tally counts the matches of a tournament. Its size depends on the number of agents, not
// on that of the matches: duplicate sets are dealt to clusters. There are 1009 clusters,
// fewer with many agents; up to that number each set is a cluster of its own.
type Tally struct {
	names    []string
	seatings int
	unit     float64 // units that make a point
	// byPoints reports that the ruleset has no placement points, so that agents are
	// compared by points.
	byPoints bool
	// byRating reports whether agents are ordered by ratings.
	byRating bool
	// clusters has the counts of each cluster: those of fields first, then one
	// for each of choices, in 1/orders. Rows may be shorter than that, the rest is zero.
	clusters [][]float64
	choices  []choice
	// at is the place of each choice in choices.
	at      map[choice]int
	matches uint64
	// met has the pairs that play the current duplicate set, last those of the last set
	// of each lineup if it was not compared with the one before.
	met  []meeting
	last map[choice][]meeting
	// planned is the number of matches of the run.
	planned uint64
	// boundIs is the bound of Leader at the error rate boundFor, 0 if it was not
	// asked for.
	boundFor, boundIs float64
}

// meeting is a pair of agents in a duplicate set that is not complete.
type meeting struct {
	a, b int
	// gain and squares are those of the matches so far, added up.
	gain, squares float64
}

// choice is agents one of whom is ahead of the others; it may name an agent more
// than once.
//
// It is their numbers in ascending order, a byte each, as a string, so that it
// can be a key.
type choice string

// orders is the weight of a ranking in the counts of choices, which is divisible
// by the number of orders of any ties.
const orders = 24

// The counts of an agent.
const (
	seats = iota // matches, each place counted
	score        // placement points, in units of them
	points
	first // places 1 to 4
	_
	_
	_
	chosen // how often ahead of the others in choices, in 1/orders
	forfeits
	agentFields
)

// gainUnit is how many units of a gain make a placement point. Gains are whole
// numbers of them even where an agent sits at a table twice or three times, so
// that equal agents come out equal.
const gainUnit = 6 * ruleset.PlacementUnit

// The counts of a pair of agents that sit at a table together. Scores are the placement
// points of a match, points where the ruleset has none; means where an agent sits there
// more than once.
const (
	sets       = iota
	gain       // score of the first over that of the second, added up
	setSquares // squares of its means in each set
	aheadOf    // how often the first finished ahead of the second, ties by half
	behind     // and the other way round
	// How far apart the gains of two duplicate sets of the same lineup are, the second
	// power added up: those of single matches, means of all pairs of a match of
	// each, and those of the sets' means. Lineups differ by more than luck, so
	// sets of different ones cannot be compared.
	apartAlone
	apartSets
	pairFields
)

// New returns the tally of a tournament of which nothing is played. The error is
// that of a run that is no tournament.
func New(run *dataset.Run) (*Tally, error) {
	if run.Tournament == nil {
		return nil, fmt.Errorf("standings: the run is no tournament")
	}
	rules := run.Ruleset.Rules()
	t := &Tally{
		names: run.Agents, seatings: run.Tournament.Seatings, unit: float64(rules.Unit()),
		byPoints: rules.Placement == [sim.NumPlayers]ruleset.Placement{}, byRating: run.Tournament.Selection == arena.Swiss,
		at: map[choice]int{}, last: map[choice][]meeting{}, planned: run.Matches,
	}
	t.clusters = make([][]float64, clustersOf(len(run.Agents)))
	return t, nil
}

// clustersOf returns the number of clusters for a number of agents. It is prime
// where it can be, so that every cluster gets every lineup in turn.
func clustersOf(agents int) int {
	const (
		most, least = 1009, 31
		cells       = 1 << 24 // of counts, some 128 MB
	)
	n := agents
	choices := n*n*n*n/24 + n*n*n/6 + n*n/2
	return max(least, min(most, cells/(choices+pairFields*n*n/2+agentFields*n)))
}

// fields returns the number of counts before those of choices.
func (t *Tally) fields() int {
	n := len(t.names)
	return agentFields*n + pairFields*n*(n-1)/2
}

// pair returns the place of the counts of agents a < b.
func (t *Tally) pair(a, b int) int {
	n := len(t.names)
	return agentFields*n + pairFields*(a*(2*n-a-1)/2+b-a-1)
}

// Read adds the matches of a dataset that holds the tournament from its first
// match on.
func (t *Tally) Read(d *dataset.Dataset) error {
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		t.Add(rows)
	}
	return nil
}

// Add adds a match by the rows of its four players. Matches come in their order,
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
	t.rank(row, rows, 1<<len(rows)-1, orders)
}

// compare returns what two places count against each other.
func compare(a, b uint8) (won, lost float64) {
	switch {
	case a < b:
		return 1, 0
	case a > b:
		return 0, 1
	}
	return 0.5, 0.5
}

// rank counts the choices that a ranking of the players in left is made
// of: the best among all, the best among the others and so on. Players who tie
// are taken in every order, each as likely as the others.
func (t *Tally) rank(row *[]float64, rows []schema.MatchRow, left sim.Players, weight float64) {
	var agents []byte
	best, ties := uint8(0xff), 0
	for p := range rows {
		if !left.Has(sim.Player(p)) {
			continue
		}
		agents = append(agents, rows[p].Agent)
		switch r := rows[p].Rank; {
		case r < best:
			best, ties = r, 1
		case r == best:
			ties++
		}
	}
	slices.Sort(agents)
	if agents[0] == agents[len(agents)-1] {
		return // whoever is ahead, it is the same agent
	}
	i := t.fields() + t.place(choice(agents))
	*row = extend(*row, i+1)
	(*row)[i] += weight
	for p := range rows {
		if left.Has(sim.Player(p)) && rows[p].Rank == best {
			(*row)[agentFields*int(rows[p].Agent)+chosen] += weight / float64(ties)
			t.rank(row, rows, left&^sim.Player(p).Bit(), weight/float64(ties))
		}
	}
}

// place returns the place of a choice in choices.
func (t *Tally) place(agents choice) int {
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

// lineupOf returns the agents of a match.
func lineupOf(rows []schema.MatchRow) choice {
	var agents []byte
	for i := range rows {
		agents = append(agents, rows[i].Agent)
	}
	slices.Sort(agents)
	return choice(agents)
}

// extend returns s with at least n elements.
func extend(s []float64, n int) []float64 {
	if len(s) >= n {
		return s
	}
	return append(s, make([]float64, n-len(s))...)
}

// total returns the counts of all clusters together, and those with matches.
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
