package standings

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Standings is the results of the agents of a tournament.
type Standings struct {
	// Matches is the number of matches played.
	Matches uint64 `json:"matches"`
	// Sets is the number of complete duplicate sets, Clusters the number of clusters of them
	// that the bootstrap resamples, Resamples the number of its resamples.
	Sets      uint64 `json:"duplicate_sets"`
	Clusters  int    `json:"clusters"`
	Resamples int    `json:"resamples"`
	// Agents is in the order of the mean placement points, then of the mean points. After
	// Swiss rounds, whose opponents differ in strength, it is in the order of the ratings
	// of Plackett and Luce.
	Agents []Agent `json:"agents"`
	// Pairs has the pairs of agents that met, in the order of their numbers.
	Pairs []Pair `json:"pairs"`
	// Reduction is the variance reduction by duplicate sets over all pairs, missing if no two
	// agents ever differed. So many matches on walls of their own estimate a difference as
	// precisely as one match of a duplicate set.
	Reduction Estimate `json:"variance_reduction"`
}

// Agent is the results of one agent.
type Agent struct {
	// Number is the index in the list of agents of the run, Rank the position in the
	// standings, from 1. Agents with equal results share the best of their ranks.
	Number int    `json:"number"`
	Rank   int    `json:"rank"`
	Name   string `json:"agent"`
	// Matches counts a match once for each of the agent's seats in it.
	Matches  uint64 `json:"matches"`
	Forfeits uint64 `json:"forfeits"`
	// Placement and Points are means of a match, in placement points and points.
	Placement Estimate `json:"placement"`
	Points    Estimate `json:"points"`
	// Places are the shares of the places from the first to the last.
	Places []Estimate `json:"places"`
	// The ratings are in Elo points: a difference of 400 means odds of ten to one. The sum
	// over all agents is 0.
	PlackettLuce Estimate `json:"plackett_luce"`
	BradleyTerry Estimate `json:"bradley_terry"`
}

// Pair is the results of two agents against each other.
type Pair struct {
	// A and B are the numbers of the agents, Sets is the number of duplicate sets in which
	// both played.
	A    int    `json:"a"`
	B    int    `json:"b"`
	Sets uint64 `json:"duplicate_sets"`
	// Ahead is the share of matches in which A finishes ahead of B, ties by half.
	Ahead Estimate `json:"ahead"`
	// Difference is the mean lead of A in placement points a match where both play, in
	// points if the ruleset has no placement points.
	Difference Estimate `json:"difference"`
	// Reduction is that of [Standings] for this pair alone.
	Reduction Estimate `json:"variance_reduction"`
}

// Estimate is a figure with its 95 % interval. It is Student's t from the bootstrap
// deviation of the figure over duplicate sets. Shares have the interval of Clopper and
// Pearson for as many independent cases as have that deviation.
type Estimate struct {
	// Value is missing without cases.
	Value summary.Number `json:"value"`
	// Low and High are missing for fewer than two clusters.
	Low  summary.Number `json:"low"`
	High summary.Number `json:"high"`
}

const (
	// resamples is the number of resamples of the bootstrap.
	resamples = 1000
	// elo is the number of Elo points in a unit of strength.
	elo = 400 / math.Ln10
)

// Compute returns the standings. The bootstrap has a fixed seed, so the same matches have the
// same standings. The error is that of a rating whose fit failed.
func (t *Tally) Compute() (*Standings, error) {
	sum, played := t.total()
	whole, err := t.figures(sum, nil)
	if err != nil {
		return nil, err
	}
	e := estimator{whole: whole, clusters: len(played)}
	if len(played) > 1 {
		draw := rand.New(rand.NewPCG(1, 1))
		drawn := make([]float64, len(sum))
		for range resamples {
			clear(drawn)
			for range played {
				row := played[draw.IntN(len(played))]
				floats.Add(drawn[:len(row)], row)
			}
			f, err := t.figures(drawn, whole)
			if err != nil {
				return nil, err
			}
			e.drawn = append(e.drawn, f)
		}
	}
	return t.standings(sum, &e), nil
}

// figures are the estimates from one sample of clusters.
type figures struct {
	agents    [][agentFigures]float64
	pairs     [][pairFigures]float64 // of a < b, in the order of pairs
	reduction float64
	luce      strengths
	terry     strengths
}

// The figures of an agent.
const (
	meanScore = iota
	meanPoints
	firstShare
	agentFigures = firstShare + sim.NumPlayers
)

// The figures of a pair.
const (
	aheadShare = iota
	meanGain
	reduction
	pairFigures
)

// figures returns the figures of a sample, given the sum of its counts. The fits of the ratings
// start from those of guess, if it is not nil.
func (t *Tally) figures(counts []float64, guess *figures) (*figures, error) {
	n := len(t.names)
	f := &figures{agents: make([][agentFigures]float64, n)}
	for a := range n {
		c := counts[agentFields*a:][:agentFields]
		f.agents[a] = [...]float64{
			c[score] / c[seats] / ruleset.PlacementUnit, c[points] / c[seats],
			c[first] / c[seats], c[first+1] / c[seats], c[first+2] / c[seats], c[first+3] / c[seats],
		}
	}
	terry := choiceModel{chosen: make([]float64, n)}
	var alone, paired float64
	for a := range n {
		for b := a + 1; b < n; b++ {
			c := counts[t.pair(a, b):][:pairFields]
			f.pairs = append(f.pairs, [...]float64{
				c[aheadOf] / (c[aheadOf] + c[behind]),
				c[gain] / (c[sets] * float64(t.seatings)) / gainUnit,
				t.reduction(c[apartAlone], c[apartSets]),
			})
			alone += c[apartAlone]
			paired += c[apartSets]
			terry.choices = append(terry.choices, choice([]byte{byte(a), byte(b)}))
			terry.counts = append(terry.counts, c[aheadOf]+c[behind])
			terry.chosen[a] += c[aheadOf]
			terry.chosen[b] += c[behind]
		}
	}
	f.reduction = t.reduction(alone, paired)

	luce := choiceModel{choices: t.choices, counts: slices.Clone(counts[t.fields():]), chosen: make([]float64, n)}
	floats.Scale(1./orders, luce.counts)
	for a := range n {
		luce.chosen[a] = counts[agentFields*a+chosen] / orders
	}
	if guess == nil {
		guess = &figures{luce: make(strengths, n), terry: make(strengths, n)}
	}
	var err error
	if f.luce, err = luce.fit(guess.luce); err != nil {
		return nil, err
	}
	f.terry, err = terry.fit(guess.terry)
	return f, err
}

// reduction returns the variance of the mean of as many independent matches as a duplicate set
// has, over the variance of the mean of a duplicate set. It is NaN if the scores do not vary.
func (t *Tally) reduction(apartAlone, apartSets float64) float64 {
	if apartSets == 0 {
		return math.NaN()
	}
	return apartAlone / (apartSets * float64(t.seatings))
}

// estimator makes estimates from the figures of all clusters and of the resamples.
type estimator struct {
	whole    *figures
	drawn    []*figures // of the resamples
	clusters int
}

// estimate returns the estimate of a figure.
func (e *estimator) estimate(of func(*figures) float64) Estimate {
	est := Estimate{summary.Number(of(e.whole)), summary.Missing, summary.Missing}
	var values []float64
	for _, f := range e.drawn {
		// An agent may be in no set of a resample.
		if v := of(f); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) < 2 {
		return est
	}
	n := float64(e.clusters)
	deviation := stat.StdDev(values, nil) * math.Sqrt(n/(n-1))
	est.Low, est.High = summary.Around(float64(est.Value), interval.StudentT(n-1)*deviation)
	return est
}

// share is estimate for a share of n cases: with Clopper and Pearson's interval for the number
// of independent cases that has the same deviation, which also holds near 0 and 1. A share of
// none or all of the cases never varies; its cases count as independent.
func (e *estimator) share(of func(*figures) float64, n float64) Estimate {
	est := e.estimate(of)
	p := float64(est.Value)
	if !est.Low.Known() {
		return est
	}
	freedom := float64(e.clusters - 1)
	if err := float64(est.High-est.Low) / 2 / interval.StudentT(freedom); err > 0 {
		n = interval.Effective(p, err, freedom)
	} else if p > 0 && p < 1 {
		return est // it is the same in every duplicate set
	}
	est.Low, est.High = summary.AroundShare(p, n)
	return est
}

// ratio is estimate for a ratio of variances, whose logarithm has a more symmetric distribution.
func (e *estimator) ratio(of func(*figures) float64) Estimate {
	est := e.estimate(func(f *figures) float64 { return math.Log(of(f)) })
	if est.Low == est.High {
		// Of two clusters only one resample has a variance, so its error is unknown.
		est.Low, est.High = summary.Missing, summary.Missing
	}
	for _, n := range []*summary.Number{&est.Value, &est.Low, &est.High} {
		*n = summary.Number(math.Exp(float64(*n)))
	}
	return est
}

// standings returns the standings, given the sum of all counts.
func (t *Tally) standings(sum []float64, e *estimator) *Standings {
	s := &Standings{
		Matches: t.matches, Sets: t.matches / uint64(t.seatings), Clusters: e.clusters, Resamples: len(e.drawn),
		Reduction: e.ratio(func(f *figures) float64 { return f.reduction }),
	}
	for a, name := range t.names {
		c := sum[agentFields*a:][:agentFields]
		figure := func(i int) func(*figures) float64 {
			return func(f *figures) float64 { return f.agents[a][i] }
		}
		agent := Agent{
			Number: a, Name: name, Matches: uint64(c[seats]), Forfeits: uint64(c[forfeits]),
			Placement: e.estimate(figure(meanScore)), Points: e.estimate(figure(meanPoints)),
			PlackettLuce: e.estimate(func(f *figures) float64 { return elo * f.luce[a] }),
			BradleyTerry: e.estimate(func(f *figures) float64 { return elo * f.terry[a] }),
		}
		for i := range t.players {
			agent.Places = append(agent.Places, e.share(figure(firstShare+i), c[seats]))
		}
		s.Agents = append(s.Agents, agent)
	}
	i := 0
	for a := range t.names {
		for b := a + 1; b < len(t.names); b++ {
			pair, c := i, sum[t.pair(a, b):][:pairFields]
			i++
			if c[sets] == 0 {
				continue
			}
			figure := func(i int) func(*figures) float64 {
				return func(f *figures) float64 { return f.pairs[pair][i] }
			}
			s.Pairs = append(s.Pairs, Pair{
				A: a, B: b, Sets: uint64(c[sets]), Ahead: e.share(figure(aheadShare), c[aheadOf]+c[behind]),
				Difference: e.estimate(figure(meanGain)), Reduction: e.ratio(figure(reduction)),
			})
		}
	}
	order := func(a, b Agent) int {
		if t.byRating {
			return cmp.Compare(b.PlackettLuce.Value, a.PlackettLuce.Value)
		}
		return cmp.Or(cmp.Compare(b.Placement.Value, a.Placement.Value), cmp.Compare(b.Points.Value, a.Points.Value))
	}
	slices.SortStableFunc(s.Agents, order)
	for i := range s.Agents {
		a := &s.Agents[i]
		if a.Rank = i + 1; i > 0 && order(s.Agents[i-1], *a) == 0 {
			a.Rank = s.Agents[i-1].Rank
		}
	}
	return s
}
