package strength

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Pool is the matches from which agents are rated. The model is that of Plackett and Luce, with
// one fit for all agents; a tie counts as all its orders in equal parts.
//
// The matches of a cluster depend on each other, clusters do not: a cluster is a duplicate set, or
// several on the same walls. Intervals come from the covariance of the maximum-likelihood
// estimate in the form that allows for that.
// Source: Liang and Zeger, Longitudinal data analysis using generalized linear models, 1986.
//
// Where the luck of matches is known it is a control variate: a multiple of it is subtracted
// from the score of each agent, the derivative of the likelihood. Luck has the mean 0, so the
// estimate stays consistent; the multiple is that which explains most of the scores of the other
// clusters.
type Pool struct {
	agents int
	known  strengths // of the agents that are fixed
	fixed  []bool    // nil if no agent is fixed
	// Counts are in 1/orders.
	choices       []choice
	at            map[choice]uint32
	counts        []int // of choices
	chosen        []int // choices in which an agent was ahead
	clusters      []cluster
	clustersOf    []int // by agent
	sets, matches int
}

// cluster is the matches that depend on each other.
type cluster struct {
	counts []choiceCount
	// merged is the number of counts when those of one choice were last added up.
	merged int
	scores []score
}

type choiceCount struct {
	choice uint32
	n      uint32 // in 1/orders
}

// score is what an agent did in a cluster.
type score struct {
	agent  uint8
	chosen int32 // choices in which it was ahead, in 1/orders
	luck   float64
}

// MaxPool is the largest number of agents of a [Pool].
const MaxPool = 256

// NewPool returns a pool of agents without matches. The error is that of too many agents.
func NewPool(agents int) (*Pool, error) {
	if agents < 1 || agents > MaxPool {
		return nil, fmt.Errorf("strength: %d agents in a pool; allowed: 1 to %d", agents, MaxPool)
	}
	return &Pool{
		agents: agents, known: make(strengths, agents), at: map[choice]uint32{},
		chosen: make([]int, agents), clustersOf: make([]int, agents),
	}, nil
}

// Fix fixes the rating of an agent, in Elo points from that of strength 0. The ratings of the
// others are then on the scale of the fixed ones.
func (p *Pool) Fix(agent int, rating float64) {
	if p.fixed == nil {
		p.fixed = make([]bool, p.agents)
	}
	p.fixed[agent], p.known[agent] = true, rating/Elo
}

// Add adds the matches of a duplicate set to a cluster. Its matches have the same agents, in other
// seats.
func (p *Pool) Add(number int, set []Ranking) {
	for len(p.clusters) <= number {
		p.clusters = append(p.clusters, cluster{})
	}
	c := &p.clusters[number]
	for i := range set {
		m := &set[i]
		// Luck counts from the mean of the table: in strengths only differences count, and the scores
		// of a match add up to 0.
		mean := 0.0
		for k := range m.Seats {
			mean += float64(m.Luck[k]) / float64(m.Seats)
		}
		for k, a := range m.Agents[:m.Seats] {
			// Also for an agent that is never ahead: the cluster counts as one of its own.
			p.score(c, a).luck += float64(m.Luck[k]) - mean
		}
		m.visit(func(choice choice, ahead uint8, weight int) {
			k, ok := p.at[choice]
			if !ok {
				k = uint32(len(p.choices))
				p.at[choice] = k
				p.choices, p.counts = append(p.choices, choice), append(p.counts, 0)
			}
			p.counts[k] += weight
			p.chosen[ahead] += weight
			p.score(c, ahead).chosen += int32(weight)
			c.counts = append(c.counts, choiceCount{k, uint32(weight)})
		})
	}
	// Counts of one choice are added up when they have doubled, so that the cost of sorting
	// stays in proportion to that of adding.
	if len(c.counts) > 2*c.merged {
		c.merge()
	}
	p.sets++
	p.matches += len(set)
}

// score returns the score of an agent in a cluster, which the first call makes and counts among
// the clusters of the agent. It is valid until the next call.
func (p *Pool) score(c *cluster, agent uint8) *score {
	for i := range c.scores {
		if c.scores[i].agent == agent {
			return &c.scores[i]
		}
	}
	p.clustersOf[agent]++
	c.scores = append(c.scores, score{agent: agent})
	return &c.scores[len(c.scores)-1]
}

// merge adds up the counts of the same choice.
func (c *cluster) merge() {
	slices.SortFunc(c.counts, func(a, b choiceCount) int { return int(a.choice) - int(b.choice) })
	n := 0
	for _, k := range c.counts {
		if n > 0 && c.counts[n-1].choice == k.choice {
			c.counts[n-1].n += k.n
			continue
		}
		c.counts[n] = k
		n++
	}
	// Cloned to let go of the longer array: a pool of a league keeps all clusters.
	c.counts, c.merged = slices.Clone(c.counts[:n]), n
}

// Matches returns the number of matches, Sets that of duplicate sets.
func (p *Pool) Matches() int { return p.matches }

// Sets returns the number of duplicate sets.
func (p *Pool) Sets() int { return p.sets }

// Ratings are the ratings of the agents of a [Pool].
type Ratings struct {
	// Elo are the ratings in Elo points. Their sum is 0, unless some are fixed.
	Elo []float64
	// Covariance is that of Elo.
	Covariance *mat.SymDense
	// Explained is the part of the variance of the scores of clusters that luck explains, 0 if
	// no luck is known.
	Explained float64
	// Sets are the numbers of clusters of the agents.
	Sets []int

	fixed []bool
	// spread marks the agents whose scores differ between clusters.
	spread []bool
}

// Interval returns the half-width of the 95 % interval of the difference between the ratings
// of two agents, by Student's t with the number of clusters of the one that has fewer.
// The pool may be large and an agent new: its own sets are what its rating was learned from.
//
// It is false with fewer than [LeastSets], or if no cluster differs from another: nothing is
// known of the spread then. A difference from the mean of all, or from 0 on the scale of fixed
// ratings, has a = b.
func (r *Ratings) Interval(a, b int) (half float64, ok bool) {
	deviation, freedom, ok := r.spreadOf(a, b)
	if !ok {
		return math.NaN(), false
	}
	return interval.StudentT(freedom) * deviation, true
}

// P returns the two-sided p-value of no difference between the ratings of two agents by the same
// test, 1 where it has no interval.
func (r *Ratings) P(a, b int) float64 {
	deviation, freedom, ok := r.spreadOf(a, b)
	difference := math.Abs(r.Elo[a] - r.Elo[b])
	if !ok || difference == 0 {
		return 1
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(difference/deviation)
}

func (r *Ratings) spreadOf(a, b int) (deviation, freedom float64, ok bool) {
	n, spread := math.MaxInt, false
	// A fixed rating is exact here and does not limit the degrees of freedom. Where it was
	// estimated, the suite says how well.
	for _, i := range []int{a, b} {
		if r.fixed == nil || !r.fixed[i] {
			n, spread = min(n, r.Sets[i]), spread || r.spread[i]
		}
	}
	deviation = r.Deviation(a, b)
	if a == b {
		deviation = math.Sqrt(max(0, r.Covariance.At(a, a)))
	}
	return deviation, float64(n - 1), n >= LeastSets && spread
}

// Rating returns the rating of an agent.
func (r *Ratings) Rating(a int) Estimate {
	half, _ := r.Interval(a, a)
	return around(r.Elo[a], half)
}

// Difference returns the rating of agent a minus that of b.
func (r *Ratings) Difference(a, b int) Estimate {
	half, _ := r.Interval(a, b)
	return around(r.Elo[a]-r.Elo[b], half)
}

// Deviation returns the standard error of the difference between the ratings of two agents.
func (r *Ratings) Deviation(a, b int) float64 {
	c := r.Covariance
	// Rounding can make the variance of two agents with the same scores slightly negative.
	return math.Sqrt(max(0, c.At(a, a)+c.At(b, b)-2*c.At(a, b)))
}

// leastExplained is the least part of the variance of scores that luck has to explain for an
// adjustment: less is as likely chance.
const leastExplained = 0.01

// Fit returns the ratings.
func (p *Pool) Fit() (*Ratings, error) {
	m := model{choices: p.choices, counts: inOrders(p.counts), chosen: inOrders(p.chosen), fixed: p.fixed}
	x, err := m.fit(slices.Clone(p.known))
	if err != nil {
		return nil, err
	}
	scores := p.scores(x)
	// The parts are those at the strengths without luck and are not fitted again: the estimate is
	// consistent for any slope, and the best one hardly changes.
	parts, explained := scores.luckParts()
	if explained < leastExplained {
		explained = 0
	} else {
		for i, part := range parts {
			m.chosen[scores.agents[i]] -= part
		}
		if x, err = m.fit(x); err != nil {
			return nil, err
		}
		// The covariance is that of adjusted scores, at the strengths they lead to.
		scores = p.scores(x)
		floats.Sub(scores.score, parts)
	}
	r := &Ratings{Elo: x, Explained: explained, Sets: slices.Clone(p.clustersOf), fixed: p.fixed, spread: scores.spread(p.agents)}
	if r.Covariance, err = p.covariance(&m, x, scores); err != nil {
		return nil, err
	}
	floats.Scale(Elo, r.Elo)
	return r, nil
}

// inOrders returns counts in 1/orders as numbers.
func inOrders(counts []int) []float64 {
	list := make([]float64, len(counts))
	for i, n := range counts {
		list[i] = float64(n) / orders
	}
	return list
}

// clusterScores are the scores and the luck of the agents of all clusters, as one list with an
// element for each agent of each cluster whose strength is not fixed.
type clusterScores struct {
	agents      []uint8
	score, luck []float64
	ends        []int // of the elements of each cluster
}

// scores returns the scores at the strengths x.
func (p *Pool) scores(x strengths) *clusterScores {
	// The probability of each agent to be ahead in each choice.
	chances := make([][len(choice{}.agents)]float64, len(p.choices))
	for i := range p.choices {
		c := &p.choices[i]
		all := logSum(x, c)
		for k, a := range c.all() {
			chances[i][k] = math.Exp(x[a] - all)
		}
	}
	s := &clusterScores{}
	var expected [MaxPool]float64
	for i := range p.clusters {
		c := &p.clusters[i]
		for _, n := range c.counts {
			for k, a := range p.choices[n.choice].all() {
				expected[a] += float64(n.n) / orders * chances[n.choice][k]
			}
		}
		for _, own := range c.scores {
			a := own.agent
			if p.fixed == nil || !p.fixed[a] {
				s.agents, s.luck = append(s.agents, a), append(s.luck, own.luck)
				s.score = append(s.score, float64(own.chosen)/orders-expected[a])
			}
			// Set back here, so that clearing costs as much as the agents of the cluster and not
			// the whole array. Fixed agents have expectations too.
			expected[a] = 0
		}
		s.ends = append(s.ends, len(s.agents))
	}
	return s
}

// spread returns which of the agents have scores that differ between clusters.
func (s *clusterScores) spread(agents int) []bool {
	differ, first := make([]bool, agents), make([]float64, agents)
	for i := range first {
		first[i] = math.NaN()
	}
	for i, a := range s.agents {
		if math.IsNaN(first[a]) {
			first[a] = s.score[i]
		}
		// Scores are sums of rounded probabilities: equal results differ by rounding.
		differ[a] = differ[a] || math.Abs(s.score[i]-first[a]) > 1e-9
	}
	return differ
}

// leastAdjusted is the least number of clusters in which scores are luck-adjusted. The slope of
// fewer is so uncertain that intervals would be no narrower.
const leastAdjusted = 8

// luckParts returns the parts of the scores that luck explains, and that of their variance. The
// score that a unit of luck brings is fitted to the other clusters by least squares: fitted to its
// own it would take up part of the play, and the variance of few clusters would be underestimated.
func (s *clusterScores) luckParts() (parts []float64, explained float64) {
	common, luck, all := floats.Dot(s.score, s.luck), floats.Dot(s.luck, s.luck), floats.Dot(s.score, s.score)
	if luck == 0 || all == 0 || len(s.ends) < leastAdjusted {
		return nil, 0
	}
	parts = make([]float64, len(s.score))
	first := 0
	for _, end := range s.ends {
		score, own := s.score[first:end], s.luck[first:end]
		// Without an intercept: scores and luck both have the mean 0.
		if others := luck - floats.Dot(own, own); others > 1e-9*luck {
			floats.AddScaled(parts[first:end], (common-floats.Dot(score, own))/others, own)
		}
		first = end
	}
	return parts, common * common / (luck * all)
}

// covariance returns that of the Elo points at the strengths x: the inverse of the Hessian on
// both sides of the sum of squared scores of the clusters.
func (p *Pool) covariance(m *model, x strengths, s *clusterScores) (*mat.SymDense, error) {
	n := p.agents
	hessian := mat.NewSymDense(n, nil)
	m.hessian(hessian, x)
	var factors mat.Cholesky
	// The prior makes the Hessian positive definite, so this is for strengths that are not finite.
	if !factors.Factorize(hessian) {
		return nil, fmt.Errorf("strength: the matches of %d agents do not determine their ratings", n)
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
					squares.SetSym(a, b, squares.At(a, b)+s.score[i]*s.score[j])
				}
			}
		}
		first = end
	}
	// The prior counts as data: without it an agent with few matches that lost them all
	// would have hardly any variance.
	for a := range n {
		if p.fixed == nil || !p.fixed[a] {
			squares.SetSym(a, a, squares.At(a, a)+1./(deviation*deviation))
		}
	}
	var half mat.Dense
	half.Mul(&inverse, squares)
	var full mat.Dense
	full.Mul(&half, &inverse)
	// The product is symmetric up to rounding; the mean of both halves makes it exactly so.
	c := mat.NewSymDense(n, nil)
	// The model is in units of a mean choice. Few clusters underestimate a variance.
	scale := Elo * Elo / (m.total * m.total)
	if clusters := float64(len(s.ends)); clusters > 1 {
		scale *= clusters / (clusters - 1)
	}
	for a := range n {
		for b := a; b < n; b++ {
			c.SetSym(a, b, scale*(full.At(a, b)+full.At(b, a))/2)
		}
	}
	return c, nil
}
