package standings

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Pool rates any number of agents by the matches of many tournaments with one fit of the
// model of Plackett and Luce.
//
//	pool := standings.NewPool(agents)
//	pool.Add(matches) // a duplicate set
//	ratings, err := pool.Fit()
//
// A bootstrap of a million matches takes too long. Intervals come from the covariance of the
// maximum-likelihood estimate, in the form that allows for dependence within duplicate sets.
// Source: Liang and Zeger, Longitudinal data analysis using generalized linear models, 1986.
//
// Where the luck of matches is known it is a control variate: a multiple of it is subtracted
// from the score of each agent, the derivative of the likelihood. Luck has the mean 0, so the
// estimate stays consistent; the multiple is that which explains most of the scores.
type Pool struct {
	agents  int
	choices []choice
	at      map[choice]int
	counts  []float64 // of choices
	chosen  []float64 // choices in which an agent was ahead
	matches []Ranking
	sets    []int // the number of matches up to the end of each duplicate set
	played  []int // the number of duplicate sets of each agent
}

// Ranking is the result of a match as a [Pool] counts it.
type Ranking struct {
	// Agents and Ranks are the agents, from 0, and their places from 1, by seat.
	Agents, Ranks [sim.NumPlayers]uint8
	// Seats is the number of players.
	Seats uint8
	// Luck is that of the players, in any unit; zero if it is not known.
	Luck [sim.NumPlayers]float32
}

// MaxPool is the largest number of agents of a [Pool].
const MaxPool = 256

// NewPool returns a pool of agents without matches. The error is that of too many agents.
func NewPool(agents int) (*Pool, error) {
	if agents < 1 || agents > MaxPool {
		return nil, fmt.Errorf("standings: %d agents in a pool; allowed: 1 to %d", agents, MaxPool)
	}
	return &Pool{agents: agents, at: map[choice]int{}, chosen: make([]float64, agents), played: make([]int, agents)}, nil
}

// Add adds the matches of a duplicate set.
func (p *Pool) Add(set []Ranking) {
	// All matches of a set have the same agents, in other seats.
	lineup := set[0].Agents[:set[0].Seats]
	for i, a := range lineup {
		if !slices.Contains(lineup[:i], a) {
			p.played[a]++
		}
	}
	for i := range set {
		p.matches = append(p.matches, set[i])
		set[i].visit(func(c choice, ahead byte, weight float64) {
			k, ok := p.at[c]
			if !ok {
				k = len(p.choices)
				p.at[c] = k
				p.choices, p.counts = append(p.choices, c), append(p.counts, 0)
			}
			p.counts[k] += weight
			p.chosen[ahead] += weight
		})
	}
	p.sets = append(p.sets, len(p.matches))
}

// visit calls f for the choices of the match; see visitChoices.
func (r *Ranking) visit(f func(c choice, ahead byte, weight float64)) {
	visitChoices(r.Agents[:r.Seats], r.Ranks[:r.Seats], 1<<r.Seats-1, 1, f)
}

// Matches returns the number of matches, Sets that of duplicate sets.
func (p *Pool) Matches() int { return len(p.matches) }

// Sets returns the number of duplicate sets.
func (p *Pool) Sets() int { return len(p.sets) }

// PoolRatings are the ratings of the agents of a [Pool].
type PoolRatings struct {
	// Elo are the ratings in Elo points, whose sum is 0.
	Elo []float64
	// Covariance is that of Elo.
	Covariance *mat.SymDense
	// Explained is the part of the variance of the scores of duplicate sets that luck
	// explains, 0 if no luck is known.
	Explained float64
	// Sets are the numbers of duplicate sets of the agents.
	Sets []int
}

// Interval returns the half-width of the 95 % interval of the difference between the ratings
// of two agents, by Student's t with the number of duplicate sets of the one that has fewer.
// The pool may be large and an agent new: its own sets are what its rating was learned from.
// It is false with fewer than [LeastSets]. A difference from the mean of all has a = b.
func (r *PoolRatings) Interval(a, b int) (half float64, ok bool) {
	n := min(r.Sets[a], r.Sets[b])
	if n < LeastSets {
		return math.NaN(), false
	}
	spread := r.Deviation(a, b)
	if a == b {
		spread = math.Sqrt(max(0, r.Covariance.At(a, a)))
	}
	return interval.StudentT(float64(n-1)) * spread, true
}

// Deviation returns the standard error of the difference between the ratings of two agents.
func (r *PoolRatings) Deviation(a, b int) float64 {
	c := r.Covariance
	return math.Sqrt(max(0, c.At(a, a)+c.At(b, b)-2*c.At(a, b)))
}

// leastExplained is the least part of the variance of scores that luck has to explain for an
// adjustment: less is as likely chance.
const leastExplained = 0.01

// Fit returns the ratings.
func (p *Pool) Fit() (*PoolRatings, error) {
	m := choiceModel{choices: p.choices, counts: p.counts, chosen: p.chosen}
	x, err := m.fit(make(strengths, p.agents))
	if err != nil {
		return nil, err
	}
	scores := p.scores(x)
	slope, explained := scores.luckSlope()
	if explained < leastExplained {
		slope, explained = 0, 0
	} else {
		m.chosen = make([]float64, p.agents)
		copy(m.chosen, p.chosen)
		for i, l := range scores.luck {
			m.chosen[scores.agents[i]] -= slope * l
		}
		if x, err = m.fit(x); err != nil {
			return nil, err
		}
		scores = p.scores(x)
	}
	r := &PoolRatings{Elo: x, Explained: explained, Sets: slices.Clone(p.played)}
	if r.Covariance, err = p.covariance(&m, x, scores, slope); err != nil {
		return nil, err
	}
	floats.Scale(elo, r.Elo)
	return r, nil
}

// setScores are the scores and the luck of the agents of all duplicate sets, as one list with
// an element for each agent of each set.
type setScores struct {
	agents      []uint8
	score, luck []float64
	ends        []int // of the elements of each set
}

// scores returns the scores at the strengths x.
func (p *Pool) scores(x strengths) *setScores {
	s := &setScores{}
	power := make([]float64, len(x))
	for a := range x {
		power[a] = math.Exp(x[a])
	}
	var score, luck [MaxPool]float64
	first := 0
	for _, end := range p.sets {
		begin := len(s.agents)
		for i := first; i < end; i++ {
			m := &p.matches[i]
			mean := 0.0
			for k := range m.Seats {
				mean += float64(m.Luck[k]) / float64(m.Seats)
			}
			for k, a := range m.Agents[:m.Seats] {
				luck[a] += float64(m.Luck[k]) - mean
				if !slices.Contains(s.agents[begin:], a) {
					s.agents = append(s.agents, a)
				}
			}
			m.visit(func(c choice, ahead byte, weight float64) {
				sum := 0.0
				for k := range len(c) {
					sum += power[c[k]]
				}
				for k := range len(c) {
					score[c[k]] -= weight * power[c[k]] / sum
				}
				score[ahead] += weight
			})
		}
		for _, a := range s.agents[begin:] {
			s.score, s.luck = append(s.score, score[a]), append(s.luck, luck[a])
			score[a], luck[a] = 0, 0
		}
		s.ends = append(s.ends, len(s.agents))
		first = end
	}
	return s
}

// luckSlope returns the score that a unit of luck brings, by least squares, and the part of
// the variance of the scores that luck explains.
func (s *setScores) luckSlope() (slope, explained float64) {
	common, luck, all := floats.Dot(s.score, s.luck), floats.Dot(s.luck, s.luck), floats.Dot(s.score, s.score)
	if luck == 0 || all == 0 {
		return 0, 0
	}
	slope = common / luck
	return slope, slope * common / all
}

// covariance returns that of the Elo points at the strengths x: the inverse of the Hessian on
// both sides of the sum of squared scores of the duplicate sets, each less the luck times
// slope.
func (p *Pool) covariance(m *choiceModel, x strengths, s *setScores, slope float64) (*mat.SymDense, error) {
	n := p.agents
	hessian := mat.NewSymDense(n, nil)
	m.hessian(hessian, x)
	var factors mat.Cholesky
	if !factors.Factorize(hessian) {
		return nil, fmt.Errorf("standings: the matches of %d agents do not determine their ratings", n)
	}
	var inverse mat.SymDense
	if err := factors.InverseTo(&inverse); err != nil {
		return nil, err
	}
	squares := mat.NewSymDense(n, nil)
	first := 0
	for _, end := range s.ends {
		for i := first; i < end; i++ {
			for j := first; j < end; j++ {
				if a, b := int(s.agents[i]), int(s.agents[j]); a <= b {
					squares.SetSym(a, b, squares.At(a, b)+(s.score[i]-slope*s.luck[i])*(s.score[j]-slope*s.luck[j]))
				}
			}
		}
		first = end
	}
	// The prior counts as data: without it an agent with few matches that lost them all
	// would have hardly any variance.
	for a := range n {
		squares.SetSym(a, a, squares.At(a, a)+1./(deviation*deviation))
	}
	var half mat.Dense
	half.Mul(&inverse, squares)
	var full mat.Dense
	full.Mul(&half, &inverse)
	c := mat.NewSymDense(n, nil)
	// The model is in units of a mean choice. Few duplicate sets underestimate a variance.
	scale := elo * elo / (m.total * m.total)
	if sets := float64(len(s.ends)); sets > 1 {
		scale *= sets / (sets - 1)
	}
	for a := range n {
		for b := a; b < n; b++ {
			c.SetSym(a, b, scale*(full.At(a, b)+full.At(b, a))/2)
		}
	}
	return c, nil
}
