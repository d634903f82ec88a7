package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/arena"
)

// Skill says how much of the result of a match is skill and how much is luck, by an
// analysis of variance. Results are placement points, as the ruleset has them, or
// ranks, which are the same thing under all rulesets.
//
// In a duplicate set every place of the lineup has had every seat of the same walls
// equally often, so places and seats are orthogonal. What all players in a seat have in
// common is the luck of the walls. What an agent's players have in common from set to set
// is skill. The rest is the luck of play, and what suits one agent's style in one wall.
// Without duplicates the two kinds of luck cannot be separated.
type Skill struct {
	// Sets is the number of sets of SetMatches matches each.
	Sets       int `json:"sets"`
	SetMatches int `json:"set_matches"`
	// The variances of one player's result in one match, in placement points or
	// ranks squared. Walls is missing without duplicates, and Rest then holds both.
	Total Component `json:"total"`
	Skill Component `json:"skill"`
	Walls Component `json:"walls"`
	Rest  Component `json:"rest"`
	// Pairs are the agents two by two.
	Pairs []Pair `json:"pairs"`
}

// Component is a part of a variance. The estimate of a small variance may be negative.
type Component struct {
	Variance summary.Number `json:"variance"`
	// Share is the part of the total from 0 to 1, Error its standard error and Low and High
	// its 95 % interval, by a jackknife over groups of sets.
	Share summary.Number `json:"share"`
	Error summary.Number `json:"error"`
	Low   summary.Number `json:"low"`
	High  summary.Number `json:"high"`
}

// Pair is the difference of two agents and the number of matches it takes to see
// it.
type Pair struct {
	// A and B are the names of the agents.
	A string `json:"a"`
	B string `json:"b"`
	// Difference is by how many placement points or ranks a match A is better than B
	// where both play.
	Difference Estimate `json:"difference"`
	// Deviation is the standard deviation of that in a single match, and
	// PairedDeviation in a match of a set of duplicates: the deviation of the
	// mean of a set times the root of its matches. The square of their quotient
	// is by how much duplicates shorten a tournament.
	Deviation       summary.Number `json:"deviation"`
	PairedDeviation summary.Number `json:"paired_deviation"`
	// Needed is how many matches separate the two at 5 % two-sided with a power of 80 %.
	// Low and High are the same for the ends of the interval of the difference. High is
	// missing where the interval holds zero.
	Needed     summary.Number `json:"needed"`
	NeededLow  summary.Number `json:"needed_low"`
	NeededHigh summary.Number `json:"needed_high"`
	// NeededAlone is how many it takes where every match has walls of its own.
	NeededAlone summary.Number `json:"needed_alone"`
}

// groups is the number of groups of the jackknife.
const groups = 50

// skillSums are what an analysis of variance needs of the sets.
type skillSums struct {
	// score returns the results of the players of a match, more being better.
	score func(m *match) [sim.NumPlayers]float64
	// agents and agentOf are those of the tally: agents of the same name are one.
	agents  []string
	agentOf []int
	set     int // matches of a set
	groups  [groups]components
	// The current set: who plays in each place of the lineup, and scores[i][j],
	// what place i has scored in seat j over the mean of the match.
	n       int
	number  uint64 // of the set
	numbers [sim.NumPlayers]uint8
	scores  [sim.NumPlayers][sim.NumPlayers]float64
	squares float64
}

// components adds up sums of squares over sets.
type components struct {
	Sets  int      `json:"Sets"`
	Total exactSum `json:"Total"`
	Seats exactSum `json:"Seats"`
	Rest  exactSum `json:"Rest"`
	Pairs pairs    `json:"Pairs"`
}

// pairs are the differences of agents two by two.
type pairs map[pairing]*pairSums

// pairing is two agents, the one of the lower number first, and for how many
// players each of them plays: the more there are of one, the less it stands out.
type pairing struct{ a, b, playersA, playersB int }

func (p pairing) compare(q pairing) int {
	return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b), cmp.Compare(p.playersA, q.playersA), cmp.Compare(p.playersB, q.playersB))
}

// pairSums are the differences of two agents, by matches and by sets.
type pairSums struct {
	Match ratioSums `json:"Match"`
	Set   ratioSums `json:"Set"`
}

func newSkillSums(score func(m *match) [sim.NumPlayers]float64, agents []string, agentOf []int, set int) *skillSums {
	s := &skillSums{score: score, agents: agents, agentOf: agentOf, set: set}
	for i := range s.groups {
		s.groups[i].Pairs = pairs{}
	}
	return s
}

// placementScores returns the placement points of a match.
func placementScores(m *match) (scores [sim.NumPlayers]float64) {
	for p := range m.players {
		scores[p] = float64(m.players[p].Placement) / ruleset.PlacementUnit
	}
	return scores
}

// rankScores returns how far the ranks of a match are above the last. Players who share
// a rank have the mean of those they share.
func rankScores(m *match) (scores [sim.NumPlayers]float64) {
	for p := range m.players {
		scores[p] = sim.NumPlayers
		for q := range m.players {
			switch mine, other := m.players[p].Rank, m.players[q].Rank; {
			case p == q || other < mine:
				scores[p]--
			case other == mine:
				scores[p] -= 0.5
			}
		}
	}
	return scores
}

// ends tells whether a match is the last of its set.
func (s *skillSums) ends(m *match) bool { return (m.players[0].Match+1)%uint64(s.set) == 0 }

// place returns the place in the lineup of the agent that plays for player p.
func (s *skillSums) place(m *match, p int) int {
	if s.set == arena.Permutations {
		return slices.Index(s.numbers[:], m.players[p].Agent)
	}
	return (p + int(m.players[p].Seating)) % sim.NumPlayers
}

// group returns the sums that the current set belongs to. In the order of sets
// the lineups come again and again; the groups move on against them, so that each
// has all lineups.
func (s *skillSums) group() *components { return &s.groups[(s.number+s.number/groups)%groups] }

// add adds a match to the current set, and the set when it is whole.
func (s *skillSums) add(m *match) {
	if s.n == 0 {
		if m.players[0].Match%uint64(s.set) != 0 {
			return // part of a set of which another shard has the beginning
		}
		s.number = m.players[0].Match / uint64(s.set)
		for p := range m.players {
			s.numbers[p] = m.players[p].Agent
		}
		s.scores, s.squares = [sim.NumPlayers][sim.NumPlayers]float64{}, 0
	}
	s.n++
	results := s.score(m)
	var mean float64
	for _, x := range results {
		mean += x / sim.NumPlayers
	}
	var score [sim.NumPlayers]float64
	for p := range m.players {
		i := s.place(m, p)
		score[i] = results[p] - mean
		s.scores[i][p] += score[i]
		s.squares += score[i] * score[i]
	}
	s.each(&score, func(p *pairSums, d float64) { p.Match.add(d, 1) })
	if s.n == s.set {
		s.addSet()
	}
}

func (s *skillSums) addSet() {
	n := float64(s.set)
	c := s.group()
	var places, seats [sim.NumPlayers]float64
	var squares float64
	for i := range sim.NumPlayers {
		for j := range sim.NumPlayers {
			places[i] += s.scores[i][j] / n
			seats[i] += s.scores[j][i] / n
		}
		c.Seats.add(n * seats[i] * seats[i])
		squares += n * (places[i]*places[i] + seats[i]*seats[i])
	}
	c.Sets++
	c.Total.add(s.squares)
	c.Rest.add(s.squares - squares)
	s.each(&places, func(p *pairSums, d float64) { p.Set.add(d, 1) })
	s.n = 0
}

// each calls f for each two different agents of the lineup, with how much better
// the first one's players have scored in the mean.
func (s *skillSums) each(score *[sim.NumPlayers]float64, f func(p *pairSums, difference float64)) {
	var sum [sim.NumPlayers]float64 // by the first place of the agent
	var n [sim.NumPlayers]int
	for i, x := range score {
		at := slices.IndexFunc(s.numbers[:], func(number uint8) bool { return s.agentOf[number] == s.agentOf[s.numbers[i]] })
		sum[at] += x
		n[at]++
	}
	for i := range n {
		for j := range n {
			a, b := s.agentOf[s.numbers[i]], s.agentOf[s.numbers[j]]
			if n[i] > 0 && n[j] > 0 && a < b {
				f(s.group().pair(pairing{a, b, n[i], n[j]}), sum[i]/float64(n[i])-sum[j]/float64(n[j]))
			}
		}
	}
}

func (c *components) pair(key pairing) *pairSums {
	p := c.Pairs[key]
	if p == nil {
		p = new(pairSums)
		c.Pairs[key] = p
	}
	return p
}

// pairings returns those of the pairs in their order.
func (c *components) pairings() []pairing {
	return slices.SortedFunc(maps.Keys(c.Pairs), pairing.compare)
}

// merge adds what another has added up.
func (c *components) merge(o *components) {
	c.Sets += o.Sets
	c.Total.merge(&o.Total)
	c.Seats.merge(&o.Seats)
	c.Rest.merge(&o.Rest)
	for key, q := range o.Pairs {
		p := c.pair(key)
		p.Match.merge(&q.Match)
		p.Set.merge(&q.Set)
	}
}

// variances returns the total and the parts of skill, walls and the rest, those
// of one player in one match.
func (c *components) variances(set int) (v [4]float64) {
	n, sets := float64(set), float64(c.Sets)
	v[0] = c.Total.value() / (sim.NumPlayers * n * sets)
	// The variance among four is the sum of the squares of the six differences,
	// divided by 16. The differences of two agents in two different sets have
	// nothing in common but their skill, so the square is estimated by their
	// products.
	var skill, known, all float64
	for _, key := range c.pairings() {
		p := &c.Pairs[key].Set
		weight := float64(key.playersA * key.playersB * p.N)
		all += weight
		if k := float64(p.N); k > 1 {
			y := p.Y.value()
			skill += weight * (y*y - p.YY.value()) / (k * (k - 1))
			known += weight
		}
	}
	v[1] = math.NaN()
	if known > 0 {
		v[1] = skill / known * all / sets / (sim.NumPlayers * sim.NumPlayers)
	}
	v[2], v[3] = math.NaN(), v[0]-v[1]
	if set >= sim.NumPlayers {
		// A set is a table of places and seats with set/4 matches a cell, and
		// the scores of each match add up to nothing: places and seats have 3
		// degrees of freedom each, matches all but one of their number.
		freedom := sets * (sim.NumPlayers*n - n - 2*(sim.NumPlayers-1))
		residual := c.Rest.value() / freedom
		seats := c.Seats.value() / (3 * sets)
		v[2] = (seats - residual) / n * (sim.NumPlayers - 1) / sim.NumPlayers
		v[3] = v[0] - v[1] - v[2]
	}
	return v
}

// merged returns the sums of all groups but one; -1 leaves out none.
func (s *skillSums) merged(but int) *components {
	c := &components{Pairs: pairs{}}
	for i := range s.groups {
		if i != but {
			c.merge(&s.groups[i])
		}
	}
	return c
}

// estimate returns the analysis, nil where no two different agents played.
func (s *skillSums) estimate() *Skill {
	all := s.merged(-1)
	used := 0
	for i := range s.groups {
		if s.groups[i].Sets > 0 {
			used++
		}
	}
	if used < 2 || len(all.Pairs) == 0 {
		return nil
	}
	k := &Skill{Sets: all.Sets, SetMatches: s.set}
	for rest := all.pairings(); len(rest) > 0; {
		first, n := rest[0], 1
		for n < len(rest) && rest[n].a == first.a && rest[n].b == first.b {
			n++
		}
		var matches, sets strata
		for _, key := range rest[:n] {
			matches = append(matches, &all.Pairs[key].Match)
			sets = append(sets, &all.Pairs[key].Set)
		}
		k.Pairs = append(k.Pairs, s.tellApart(s.agents[first.a], s.agents[first.b], matches, sets))
		rest = rest[n:]
	}
	whole := all.variances(s.set)
	var without [][4]float64
	for i := range s.groups {
		if s.groups[i].Sets > 0 {
			without = append(without, s.merged(i).variances(s.set))
		}
	}
	for i, part := range []*Component{&k.Total, &k.Skill, &k.Walls, &k.Rest} {
		share := whole[i] / whole[0]
		*part = Component{summary.Number(whole[i]), clip(share), summary.Missing, summary.Missing, summary.Missing}
		var mean, squares float64
		for _, v := range without {
			mean += v[i] / v[0] / float64(used)
		}
		for _, v := range without {
			d := v[i]/v[0] - mean
			squares += d * d
		}
		err := math.Sqrt(squares * float64(used-1) / float64(used))
		half := interval.StudentT(float64(used-1)) * err
		part.Error, part.Low, part.High = summary.Number(err), clip(share-half), clip(share+half)
	}
	return k
}

// clip returns the nearest possible share.
func clip(share float64) summary.Number { return summary.Number(min(max(share, 0), 1)) }

// strata are cases of which each kind comes as often as planned, so that its mean
// does not add to the variance.
type strata []*ratioSums

// mean returns the mean, and the deviation of a case from the mean of its kind.
func (l strata) mean() (e Estimate, deviation float64) {
	e = Estimate{Low: summary.Missing, High: summary.Missing}
	var squares, known float64
	freedom := 0
	for _, s := range l {
		e.Sum += s.Y.value()
		e.Count += s.X.value()
		e.Clusters += s.N
		if s.N > 1 {
			n := float64(s.N)
			squares += n * s.spread() / (n - 1)
			known += n
			freedom += s.N - 1
		}
	}
	e.Value = e.Sum / e.Count
	if freedom == 0 {
		return e, math.NaN()
	}
	deviation = math.Sqrt(squares / known)
	e.Error = deviation / math.Sqrt(e.Count)
	if half := interval.StudentT(float64(freedom)) * e.Error; half > 0 {
		e.Low, e.High = summary.Number(e.Value-half), summary.Number(e.Value+half)
	}
	return e, deviation
}

// tellApart describes a pair of agents.
func (s *skillSums) tellApart(a, b string, matches, sets strata) Pair {
	e, paired := sets.mean()
	_, single := matches.mean()
	paired *= math.Sqrt(float64(s.set))
	pair := Pair{
		A: a, B: b, Difference: e, Deviation: summary.Number(single), PairedDeviation: summary.Number(paired),
		Needed: summary.Missing, NeededLow: summary.Missing, NeededHigh: summary.Missing, NeededAlone: summary.Missing,
	}
	const alpha, power = 0.05, 0.8
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	needed := func(deviation, d float64) summary.Number {
		return summary.Number(math.Ceil(math.Pow(z*deviation/d, 2)))
	}
	if e.Value != 0 {
		pair.Needed, pair.NeededAlone = needed(paired, e.Value), needed(single, e.Value)
	}
	if !e.Low.Known() {
		return pair
	}
	low, high := math.Abs(float64(e.Low)), math.Abs(float64(e.High))
	pair.NeededLow = needed(paired, max(low, high))
	if e.Low > 0 || e.High < 0 {
		pair.NeededHigh = needed(paired, min(low, high))
	}
	return pair
}

// setMatches returns how many matches of the dataset in a row share their walls;
// the first has a number that it divides.
func setMatches(d *dataset.Dataset) int {
	if t := d.Manifest.Tournament; t != nil {
		return t.Seatings
	}
	return 1
}
