package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Skill is an analysis of variance of the results of matches into skill and luck. Results
// are placement points or ranks; ranks can be compared between rulesets.
//
// In a duplicate set every agent of the lineup has every seat on the same walls equally
// often, so agents and seats are orthogonal factors. The effect of a seat is the luck of the
// walls. The effect of an agent that persists from set to set is skill. The residual is the
// luck of play and the interaction of agents and walls. Without duplicates the two kinds of
// luck cannot be separated.
type Skill struct {
	// Sets is the number of sets of SetMatches matches each.
	Sets       int `json:"sets"`
	SetMatches int `json:"set_matches"`
	// The variances of one player's result in one match, in placement points or ranks
	// squared. Walls is missing without duplicates, and Rest then contains it.
	Total Component `json:"total"`
	Skill Component `json:"skill"`
	Walls Component `json:"walls"`
	Rest  Component `json:"rest"`
	// Pairs compares the agents two by two.
	Pairs []Pair `json:"pairs"`
}

// Component is a component of a variance. The estimate of a small one may be negative.
type Component struct {
	Variance interval.Number `json:"variance"`
	// Share is the part of the total from 0 to 1, Error its standard error and Low and High
	// its 95 % interval, by a jackknife over groups of sets. The ends are missing for few sets and
	// where all agree.
	Share interval.Number `json:"share"`
	Error interval.Number `json:"error"`
	Low   interval.Number `json:"low"`
	High  interval.Number `json:"high"`
}

// Pair is the difference of two agents and the number of matches that show it.
type Pair struct {
	// A and B are the names of the agents.
	A string `json:"a"`
	B string `json:"b"`
	// Difference is the mean lead of A over B in placement points or ranks a match, over
	// the matches in which both play.
	Difference Estimate `json:"difference"`
	// Deviation is the standard deviation of that lead in a single match. PairedDeviation
	// is that in a match of a duplicate set: the deviation of the mean of a set times the
	// root of the number of its matches. The square of their quotient is the factor by
	// which duplicates shorten a tournament.
	Deviation       interval.Number `json:"deviation"`
	PairedDeviation interval.Number `json:"paired_deviation"`
	// Needed is the number of matches that show the difference at 5 % two-sided with a
	// power of 80 %. NeededLow and NeededHigh are for the ends of the interval of the
	// difference; NeededHigh is missing where the interval contains zero.
	Needed     interval.Number `json:"needed"`
	NeededLow  interval.Number `json:"needed_low"`
	NeededHigh interval.Number `json:"needed_high"`
	// NeededAlone is the number where every match has walls of its own.
	NeededAlone interval.Number `json:"needed_alone"`
}

// groups is the number of groups of the jackknife.
const groups = 50

// skillSums are the sums of squares of an analysis of variance, in groups of duplicate sets
// for the jackknife.
type skillSums struct {
	// Agents are the different names of agents, Set is the number of matches of a set.
	Agents []string           `json:"agents"`
	Set    int                `json:"set_matches"`
	Groups [groups]components `json:"groups"`

	// seats is the number of players. score returns their results in a match, more being
	// better; agentOf is the index in Agents of each agent of the run.
	seats   int
	score   func(m *match) [sim.NumPlayers]float64
	agentOf []int
	// The current set: its matches so far, its number, the agents of the lineup, and
	// scores[i][j], the sum of the scores of lineup[i] in seat j over the mean of the match;
	// squares is the sum of the squares of these scores by match.
	n       int
	number  uint64
	lineup  [sim.NumPlayers]uint8
	scores  [sim.NumPlayers][sim.NumPlayers]float64
	squares float64
}

// components are sums of squares over sets.
type components struct {
	Sets  int      `json:"Sets"`
	Total exactSum `json:"Total"`
	Seats exactSum `json:"Seats"`
	Rest  exactSum `json:"Rest"`
	// Pairs is in the order of agents and players.
	Pairs []pairSums `json:"Pairs"`
}

// pairSums are the differences of two agents, by matches and by sets.
type pairSums struct {
	// Agents are the two, the lower number first. Players is the number of players in a lineup
	// that each of them plays, on which the variance of their difference depends.
	Agents  [2]int    `json:"Agents"`
	Players [2]int    `json:"Players"`
	Match   ratioSums `json:"Match"`
	Set     ratioSums `json:"Set"`
}

func comparePairs(p, q pairSums) int {
	return cmp.Or(slices.Compare(p.Agents[:], q.Agents[:]), slices.Compare(p.Players[:], q.Players[:]))
}

func newSkillSums(score func(m *match) [sim.NumPlayers]float64, seats int, agents []string, agentOf []int, set int) *skillSums {
	s := &skillSums{Agents: agents, Set: set, seats: seats, score: score, agentOf: agentOf}
	for i := range s.Groups {
		s.Groups[i].Pairs = []pairSums{}
	}
	return s
}

func placementScores(m *match) (scores [sim.NumPlayers]float64) {
	for p := range m.players {
		scores[p] = float64(m.players[p].Placement) / ruleset.PlacementUnit
	}
	return scores
}

// rankScores returns the number of players that each player finished ahead of, ties by half.
func rankScores(m *match) (scores [sim.NumPlayers]float64) {
	for p := range m.players {
		scores[p] = float64(len(m.players))
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

// ends reports whether a match is the last of its set.
func (s *skillSums) ends(m *match) bool { return (m.players[0].Match+1)%uint64(s.Set) == 0 }

// place returns the index in the lineup of the agent that plays for player p.
func (s *skillSums) place(m *match, p int) int {
	if s.Set == arena.Permutations(s.seats) {
		return slices.Index(s.lineup[:s.seats], m.players[p].Agent)
	}
	return (p + int(m.players[p].Seating)) % s.seats
}

// group returns the sums of the group that the current set belongs to. Lineups recur with a
// period; shifting the groups against it puts all lineups into each.
func (s *skillSums) group() *components { return &s.Groups[(s.number+s.number/groups)%groups] }

// add adds a match to the current set, and the set when it is whole.
func (s *skillSums) add(m *match) {
	if s.n == 0 {
		if m.players[0].Match%uint64(s.Set) != 0 {
			return // the set begins in another shard
		}
		s.number = m.players[0].Match / uint64(s.Set)
		for p := range m.players {
			s.lineup[p] = m.players[p].Agent
		}
		s.scores, s.squares = [sim.NumPlayers][sim.NumPlayers]float64{}, 0
	}
	s.n++
	results := s.score(m)
	var mean float64
	for _, x := range results[:s.seats] {
		mean += x / float64(s.seats)
	}
	var score [sim.NumPlayers]float64
	for p := range m.players {
		i := s.place(m, p)
		score[i] = results[p] - mean
		s.scores[i][p] += score[i]
		s.squares += score[i] * score[i]
	}
	s.each(&score, func(p *pairSums, d float64) { p.Match.add(d, 1) })
	if s.n == s.Set {
		s.addSet()
	}
}

func (s *skillSums) addSet() {
	n := float64(s.Set)
	c := s.group()
	var places, seats [sim.NumPlayers]float64
	var squares float64
	for i := range s.seats {
		for j := range s.seats {
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

// each calls f for each two different agents of the lineup, with the difference of the mean
// scores of their players. score is by place in the lineup.
func (s *skillSums) each(score *[sim.NumPlayers]float64, f func(p *pairSums, difference float64)) {
	var sum [sim.NumPlayers]float64 // by the first place of the agent in the lineup
	var n [sim.NumPlayers]int
	for i, x := range score[:s.seats] {
		at := slices.IndexFunc(s.lineup[:s.seats], func(number uint8) bool { return s.agentOf[number] == s.agentOf[s.lineup[i]] })
		sum[at] += x
		n[at]++
	}
	for i := range s.seats {
		for j := range s.seats {
			a, b := s.agentOf[s.lineup[i]], s.agentOf[s.lineup[j]]
			if n[i] > 0 && n[j] > 0 && a < b {
				f(s.group().pair([2]int{a, b}, [2]int{n[i], n[j]}), sum[i]/float64(n[i])-sum[j]/float64(n[j]))
			}
		}
	}
}

// pair returns the sums of a pair, valid until another one is added.
func (c *components) pair(agents, players [2]int) *pairSums {
	p := pairSums{Agents: agents, Players: players}
	i, found := slices.BinarySearchFunc(c.Pairs, p, comparePairs)
	if !found {
		c.Pairs = slices.Insert(c.Pairs, i, p)
	}
	return &c.Pairs[i]
}

func (c *components) sums() []*exactSum { return []*exactSum{&c.Total, &c.Seats, &c.Rest} }

func (c *components) merge(o *components) {
	c.Sets += o.Sets
	mergeAll(c.sums(), o.sums())
	for i := range o.Pairs {
		q := &o.Pairs[i]
		p := c.pair(q.Agents, q.Players)
		p.Match.merge(&q.Match)
		p.Set.merge(&q.Set)
	}
}

// variances returns the total variance of one player's result in one match, and its
// components skill, walls and rest, for sets of this many matches of so many players.
func (c *components) variances(set, seats int) (v [4]float64) {
	n, sets, players := float64(set), float64(c.Sets), float64(seats)
	v[0] = c.Total.value() / (players * n * sets)
	// The variance among four is the sum of the squares of the six differences, divided by
	// 16; among three that of three, divided by 9. The differences of two agents in two
	// different sets share nothing but skill, so the mean of their products estimates the
	// square without bias.
	var skill, known, all float64
	for i := range c.Pairs {
		each, p := c.Pairs[i].Players, &c.Pairs[i].Set
		weight := float64(each[0] * each[1] * p.N)
		all += weight
		if k := float64(p.N); k > 1 {
			y := p.Y.value()
			skill += weight * (y*y - p.YY.value()) / (k * (k - 1))
			known += weight
		}
	}
	v[1] = math.NaN()
	if known > 0 {
		v[1] = skill / known * all / sets / (players * players)
	}
	v[2], v[3] = math.NaN(), v[0]-v[1]
	if set >= seats {
		// A set is a table of agents and seats with set/players matches in a cell, and the
		// scores of each match add up to 0. So agents and seats have players-1 degrees of
		// freedom each.
		freedom := sets * (players*n - n - 2*(players-1))
		residual := c.Rest.value() / freedom
		places := c.Seats.value() / ((players - 1) * sets)
		v[2] = (places - residual) / n * (players - 1) / players
		v[3] = v[0] - v[1] - v[2]
	}
	return v
}

// merged returns the sums of all groups except one; -1 leaves out none.
func (s *skillSums) merged(but int) *components {
	c := &components{}
	for i := range s.Groups {
		if i != but {
			c.merge(&s.Groups[i])
		}
	}
	return c
}

// estimate returns the analysis, nil where no two different agents played.
func (s *skillSums) estimate() *Skill {
	all := s.merged(-1)
	used := 0
	for i := range s.Groups {
		if s.Groups[i].Sets > 0 {
			used++
		}
	}
	if used < 2 || len(all.Pairs) == 0 {
		return nil
	}
	k := &Skill{Sets: all.Sets, SetMatches: s.Set}
	for rest := all.Pairs; len(rest) > 0; {
		agents := rest[0].Agents
		var matches, sets strata
		for len(rest) > 0 && rest[0].Agents == agents {
			matches, sets = append(matches, &rest[0].Match), append(sets, &rest[0].Set)
			rest = rest[1:]
		}
		k.Pairs = append(k.Pairs, s.comparePair(s.Agents[agents[0]], s.Agents[agents[1]], matches, sets))
	}
	whole := all.variances(s.Set, s.seats)
	var without [][4]float64
	for i := range s.Groups {
		if s.Groups[i].Sets > 0 {
			without = append(without, s.merged(i).variances(s.Set, s.seats))
		}
	}
	for i, part := range []*Component{&k.Total, &k.Skill, &k.Walls, &k.Rest} {
		share := whole[i] / whole[0]
		*part = Component{interval.Number(whole[i]), clip(share), interval.Missing, interval.Missing, interval.Missing}
		shares := make([]float64, used)
		for n, v := range without {
			shares[n] = v[i] / v[0]
		}
		err := interval.Jackknife(shares)
		half := interval.StudentT(float64(used-1)) * err
		if part.Error = interval.Number(err); used >= interval.LeastClusters && half > 0 {
			part.Low, part.High = clip(share-half), clip(share+half)
		}
	}
	return k
}

// clip returns the share nearest to x: from 0 to 1.
func clip(x float64) interval.Number { return interval.Number(min(max(x, 0), 1)) }

// strata are the sums of the strata of a stratified sample. The schedule fixes how many
// cases each has, so differences between strata do not add to the variance of the mean.
type strata []*ratioSums

// mean returns the mean of all cases, and the standard deviation of a case within its
// stratum, NaN if no stratum has two.
func (l strata) mean() (e Estimate, deviation float64) {
	e = Estimate{Low: interval.Missing, High: interval.Missing}
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
	if half := interval.StudentT(float64(freedom)) * e.Error; half > 0 && e.Clusters >= interval.LeastClusters {
		e.Low, e.High = interval.Around(e.Value, half)
	}
	return e, deviation
}

// comparePair returns the comparison of agents a and b, by their differences in matches and
// in sets.
func (s *skillSums) comparePair(a, b string, matches, sets strata) Pair {
	e, paired := sets.mean()
	_, single := matches.mean()
	paired *= math.Sqrt(float64(s.Set))
	pair := Pair{
		A: a, B: b, Difference: e, Deviation: interval.Number(single), PairedDeviation: interval.Number(paired),
		Needed: interval.Missing, NeededLow: interval.Missing, NeededHigh: interval.Missing, NeededAlone: interval.Missing,
	}
	const alpha, power = 0.05, 0.8
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	needed := func(deviation, d float64) interval.Number {
		return interval.Number(math.Ceil(math.Pow(z*deviation/d, 2)))
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

// setMatches returns the number of matches of a duplicate set, 1 in a run that is not a
// tournament. The number of the first match of a set is a multiple of it.
func setMatches(d *dataset.Dataset) int {
	if t := d.Manifest.Tournament; t != nil {
		return t.Seatings
	}
	return 1
}
