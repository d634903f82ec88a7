package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
)

// Skill says how much of the placement points of a match is skill and how much is
// luck, by an analysis of variance.
//
// Within a set of duplicate matches every agent has played every seat of the same
// walls equally often, so agents, seats and the rest are orthogonal: what is
// common to whoever sits in a seat is the luck of the walls, what is common to an
// agent from set to set is skill, and the rest is the luck of play, with what
// suits one agent's style in one wall. Without duplicates the two kinds of luck
// cannot be told apart.
type Skill struct {
	// Sets is the number of sets of SetMatches matches each.
	Sets       int `json:"sets"`
	SetMatches int `json:"set_matches"`
	// The variances of one player's score in one match, in placement points
	// squared. Walls is missing without duplicates, and Rest then holds both.
	Total Component `json:"total"`
	Skill Component `json:"skill"`
	Walls Component `json:"walls"`
	Rest  Component `json:"rest"`
	// Pairs are the agents two by two.
	Pairs []Pair `json:"pairs"`
}

// Component is a part of a variance. Estimates may come out below zero where a
// part is small.
type Component struct {
	Variance Number `json:"variance"`
	// Share is the part of the total, Low and High its 95 % interval by a
	// jackknife over groups of sets.
	Share Number `json:"share"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// Pair tells how far two agents are apart and how many matches it takes to see
// it.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Difference is by how many placement points a match A is better than B
	// where both play.
	Difference Estimate `json:"difference"`
	// Deviation is the standard deviation of that in a single match, and
	// PairedDeviation in a match of a set of duplicates: the deviation of the
	// mean of a set times the root of its matches. The square of their quotient
	// is by how much duplicates shorten a tournament.
	Deviation       Number `json:"deviation"`
	PairedDeviation Number `json:"paired_deviation"`
	// Needed is how many matches tell the two apart at 5 % two-sided with a
	// power of 80 %, Low and High the same for the ends of the interval of the
	// difference; High is missing where the interval holds zero.
	Needed     Number `json:"needed"`
	NeededLow  Number `json:"needed_low"`
	NeededHigh Number `json:"needed_high"`
}

// groups is the number of groups of the jackknife.
const groups = 50

// skillSums are what an analysis of variance needs of the sets.
type skillSums struct {
	agents []string
	set    int // matches of a set
	sets   int
	groups [groups]components
	pairs  map[[2]int]*pairSums
	// The current set: scores[a][s] adds up those of the agent in place a of
	// lineup in seat s.
	n       int
	lineup  []int
	scores  [sim.NumPlayers][sim.NumPlayers]float64
	squares float64
}

// pairSums are the differences of two agents.
type pairSums struct {
	match, set sums
}

// components adds up sums of squares over sets of four agents.
type components struct {
	sets               int
	total, seats, rest float64
	lineups            map[[sim.NumPlayers]int]*lineupSums
}

// lineupSums adds up the effects of four agents over their sets.
type lineupSums struct {
	sets    float64
	effects [sim.NumPlayers]float64
	squares float64
}

func newSkillSums(d *export.Dataset) *skillSums {
	s := &skillSums{agents: d.Manifest.Agents, set: setMatches(d), pairs: map[[2]int]*pairSums{}}
	for i := range s.groups {
		s.groups[i].lineups = map[[sim.NumPlayers]int]*lineupSums{}
	}
	return s
}

// ends tells whether a match is the last of its set.
func (s *skillSums) ends(m *match) bool { return (m.players[0].Match+1)%uint64(s.set) == 0 }

// add adds a match to the current set, and the set when it is whole.
func (s *skillSums) add(m *match) {
	if s.n == 0 {
		if m.players[0].Match%uint64(s.set) != 0 {
			return // part of a set of which another shard has the beginning
		}
		s.lineup = s.lineup[:0]
		for p := range m.players {
			s.lineup = append(s.lineup, int(m.players[p].Agent))
		}
		slices.Sort(s.lineup)
		s.scores, s.squares = [sim.NumPlayers][sim.NumPlayers]float64{}, 0
	}
	s.n++
	var mean float64
	var score [sim.NumPlayers]float64
	for p := range m.players {
		score[p] = float64(m.players[p].Placement) / ruleset.PlacementUnit
		mean += score[p] / sim.NumPlayers
	}
	var inMatch [sim.NumPlayers]float64
	for p := range m.players {
		a := slices.Index(s.lineup, int(m.players[p].Agent))
		if a < 0 {
			continue // a set of several lineups has no table of agents and seats
		}
		x := score[p] - mean
		s.scores[a][p] += x
		s.squares += x * x
		inMatch[a] = score[p]
	}
	if !s.distinct() {
		s.finish(nil)
		return
	}
	s.finish(&inMatch)
}

// distinct tells whether four different agents play.
func (s *skillSums) distinct() bool {
	return len(s.lineup) == len(slices.Compact(slices.Clone(s.lineup)))
}

func (s *skillSums) finish(inMatch *[sim.NumPlayers]float64) {
	if inMatch != nil {
		for i := range sim.NumPlayers {
			for j := i + 1; j < sim.NumPlayers; j++ {
				s.pair(i, j).match.add(inMatch[i]-inMatch[j], 1)
			}
		}
	}
	if s.n < s.set {
		return
	}
	if inMatch != nil {
		s.groups[s.sets%groups].add(s)
		for i := range sim.NumPlayers {
			for j := i + 1; j < sim.NumPlayers; j++ {
				var d float64
				for seat := range sim.NumPlayers {
					d += s.scores[i][seat] - s.scores[j][seat]
				}
				s.pair(i, j).set.add(d/float64(s.set), 1)
			}
		}
		s.sets++
	}
	s.n = 0
}

// pair returns the sums of the agents in two places of the lineup.
func (s *skillSums) pair(i, j int) *pairSums {
	key := [2]int{s.lineup[i], s.lineup[j]}
	p := s.pairs[key]
	if p == nil {
		p = new(pairSums)
		s.pairs[key] = p
	}
	return p
}

// add adds the current set. The mean of every match is zero already.
func (c *components) add(s *skillSums) {
	n := float64(s.set)
	c.sets++
	c.total += s.squares
	key := [sim.NumPlayers]int(s.lineup)
	l := c.lineups[key]
	if l == nil {
		l = new(lineupSums)
		c.lineups[key] = l
	}
	l.sets++
	var agents, seats float64
	for i := range sim.NumPlayers {
		var a, b float64
		for j := range sim.NumPlayers {
			a += s.scores[i][j] / n
			b += s.scores[j][i] / n
		}
		l.effects[i] += a
		l.squares += a * a
		agents += n * a * a
		seats += n * b * b
	}
	c.seats += seats
	c.rest += s.squares - agents - seats
}

// merge adds what another has added up.
func (c *components) merge(o *components) {
	c.sets += o.sets
	c.total += o.total
	c.seats += o.seats
	c.rest += o.rest
	for key, l := range o.lineups {
		mine := c.lineups[key]
		if mine == nil {
			mine = new(lineupSums)
			c.lineups[key] = mine
		}
		mine.sets += l.sets
		mine.squares += l.squares
		for i, e := range l.effects {
			mine.effects[i] += e
		}
	}
}

// variances returns the total and the parts of skill, walls and the rest, those
// of one player in one match.
func (c *components) variances(set int) (v [4]float64) {
	n, sets := float64(set), float64(c.sets)
	v[0] = c.total / (sim.NumPlayers * n * sets)
	// An agent's effects in two different sets have nothing in common but its
	// skill.
	var skill, weight float64
	for _, l := range c.lineups {
		if l.sets < 2 {
			continue
		}
		product := -l.squares
		for _, e := range l.effects {
			product += e * e
		}
		skill += l.sets * product / (l.sets * (l.sets - 1)) / sim.NumPlayers
		weight += l.sets
	}
	v[1] = math.NaN()
	if weight > 0 {
		v[1] = skill / weight
	}
	v[2], v[3] = math.NaN(), v[0]-v[1]
	if set >= sim.NumPlayers {
		// A set is a table of agents and seats with set/4 matches a cell, and
		// the scores of each match add up to nothing: agents and seats have 3
		// degrees of freedom each, matches all but one of their number.
		freedom := sets * (sim.NumPlayers*n - n - 2*(sim.NumPlayers-1))
		residual := c.rest / freedom
		seats := c.seats / (3 * sets)
		v[2] = (seats - residual) / n * (sim.NumPlayers - 1) / sim.NumPlayers
		v[3] = v[0] - v[1] - v[2]
	}
	return v
}

// estimate returns the analysis, nil where no two different agents played.
func (s *skillSums) estimate() *Skill {
	k := &Skill{Sets: s.sets, SetMatches: s.set}
	for _, key := range combin.Combinations(len(s.agents), 2) {
		p := s.pairs[[2]int(key)]
		if p != nil && s.agents[key[0]] != s.agents[key[1]] {
			k.Pairs = append(k.Pairs, s.tellApart(s.agents[key[0]], s.agents[key[1]], p))
		}
	}
	if len(k.Pairs) == 0 || s.sets < 2 {
		return nil
	}
	parts := []*Component{&k.Total, &k.Skill, &k.Walls, &k.Rest}
	all := components{lineups: map[[sim.NumPlayers]int]*lineupSums{}}
	for i := range s.groups {
		all.merge(&s.groups[i])
	}
	whole := all.variances(s.set)
	used := min(groups, s.sets)
	var without [][4]float64
	for i := range used {
		c := components{lineups: map[[sim.NumPlayers]int]*lineupSums{}}
		for j := range used {
			if j != i {
				c.merge(&s.groups[j])
			}
		}
		without = append(without, c.variances(s.set))
	}
	for i, part := range parts {
		share := whole[i] / whole[0]
		*part = Component{Number(whole[i]), Number(share), missing, missing}
		var mean, squares float64
		for _, v := range without {
			mean += v[i] / v[0] / float64(used)
		}
		for _, v := range without {
			d := v[i]/v[0] - mean
			squares += d * d
		}
		half := studentT(float64(used-1)) * math.Sqrt(squares*float64(used-1)/float64(used))
		part.Low, part.High = Number(share-half), Number(share+half)
	}
	return k
}

// tellApart describes a pair of agents.
func (s *skillSums) tellApart(a, b string, p *pairSums) Pair {
	pair := Pair{A: a, B: b, Difference: p.set.estimate(false), Deviation: missing, PairedDeviation: missing, Needed: missing, NeededLow: missing, NeededHigh: missing}
	if p.set.n < 2 {
		return pair
	}
	deviation := func(x *sums) float64 { return math.Sqrt(x.variance() * float64(x.n)) }
	pair.Deviation = Number(deviation(&p.match))
	paired := deviation(&p.set) * math.Sqrt(float64(s.set))
	pair.PairedDeviation = Number(paired)
	const alpha, power = 0.05, 0.8
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	needed := func(d float64) Number { return Number(math.Ceil(z * z * paired * paired / (d * d))) }
	e := &pair.Difference
	if e.Value != 0 {
		pair.Needed = needed(e.Value)
	}
	low, high := math.Abs(float64(e.Low)), math.Abs(float64(e.High))
	pair.NeededLow = needed(max(low, high))
	if e.Low > 0 || e.High < 0 {
		pair.NeededHigh = needed(min(low, high))
	}
	return pair
}

// setMatches returns how many matches of the dataset in a row share their walls;
// the first has a number that it divides.
func setMatches(d *export.Dataset) int {
	if t := d.Manifest.Tournament; t != nil {
		return t.Seatings
	}
	return 1
}
