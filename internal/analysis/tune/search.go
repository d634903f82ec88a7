package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Dimension is a knob of the search space.
type Dimension struct {
	// Values is the number of values to choose from. Ordered reports that they are ascending
	// numbers, so that neighbors have similar figures.
	Values  int
	Ordered bool
}

// Candidate is the index of a value for each dimension.
type Candidate []int

// EvaluateFunc measures the figure of each target for each candidate, over the first matches of
// the same run. The result depends on the candidate and the number of matches alone.
type EvaluateFunc func(ctx context.Context, candidates []Candidate, matches int) ([][]Measured, error)

// Search is a search for candidates that meet targets.
type Search struct {
	// Targets are to be met, Dimensions are the knobs that may change.
	Targets    []Target
	Dimensions []Dimension
	// Start is the ruleset without changes, which is tried first; an index is -1 if the value
	// is not among those of the dimension.
	Start Candidate
	// Legal reports which candidates can be played.
	Legal func(Candidate) bool
	// Unit is the number of matches of the first trial of a candidate. Matches is that of the
	// last trial of the best, a multiple of 16 times Unit.
	Unit, Matches int
	// Tries is the number of candidates to try, NumBest the number to list in the end.
	Tries, NumBest int
	Seed           uint64
	Evaluate       EvaluateFunc
}

// Trial is a candidate and its measured figures.
type Trial struct {
	Candidate Candidate `json:"candidate"`
	// Matches is the number of matches played, Measured the figure of each target.
	Matches  int        `json:"matches"`
	Measured []Measured `json:"measured"`
	// Loss is the sum of the squared distances from the targets, in [Result.Scales]. It is
	// infinite, in JSON null, where a figure is missing.
	Loss interval.Number `json:"loss"`
	// Front reports whether the trial is on the Pareto front: no other trial is at least as
	// good in all targets and better in one.
	Front bool `json:"front"`
}

// Result is the result of a search.
type Result struct {
	// Start is the trial of the candidate to compare with.
	Start Trial `json:"start"`
	// Best are the best trials with all matches, the best first; Trials are all trials.
	Best   []Trial `json:"best"`
	Trials []Trial `json:"trials"`
	// Legal is the number of legal candidates that were counted, Drawn the number of those
	// from which the search chose.
	Legal int `json:"legal"`
	Drawn int `json:"drawn"`
	// Scales are the units of the distances from the targets: a tenth of the standard deviation
	// of the figure in a single match of Start, or of the first trial that has the figure. A
	// scale is 0 if no trial has it.
	Scales []float64 `json:"scales"`
}

const (
	// maxCandidates is the largest number of candidates that a search chooses from.
	maxCandidates = 1024
	// maxCounted is the largest number of combinations that are all checked for legality; of
	// more, a sample is checked.
	maxCounted = 1 << 12
	// batch is the number of candidates that are tried together. It is the same on any number
	// of machines, and so is the search.
	batch = 4
	// growth is the factor by which the matches of the better candidates grow.
	growth = 4
)

// MaxMatches returns the largest number of matches that the search plays at one table.
func (s *Search) MaxMatches() uint64 {
	n := s.Matches + s.Unit*s.Tries
	for m := s.Unit * growth; m <= s.Matches; m *= growth {
		n += max(s.NumBest, s.Tries*s.Unit/m) * m
	}
	return uint64(n)
}

// ErrNone is the error of a search without a legal candidate.
var ErrNone = errors.New("no combination of the values can be played")

// Run searches by Bayesian optimization with successive halving. It tries some candidates that
// differ much, and then, few at a time, those with the highest expected improvement (Jones,
// Schonlau and Welch, Efficient global optimization of expensive black-box functions, 1998).
// Each figure has a model of its own. Then the better candidates get four times as many
// matches, and the better of these four times as many again (Jamieson and Talwalkar,
// Non-stochastic best arm identification, 2016).
func (s *Search) Run(ctx context.Context) (*Result, error) {
	r := &runner{search: s, rng: rand.New(rand.NewPCG(s.Seed, 7))}
	result := &Result{}
	if result.Legal = r.drawPool(); len(r.pool) == 0 {
		return nil, ErrNone
	}
	result.Drawn, r.tried = len(r.pool), make([]bool, len(r.pool))
	start, err := s.Evaluate(ctx, []Candidate{s.Start}, s.Matches)
	if err != nil {
		return nil, err
	}
	r.scales = make([]float64, len(s.Targets))
	result.Start = Trial{Candidate: s.Start, Matches: s.Matches, Measured: start[0], Loss: r.loss(start[0])}
	if err := r.explore(ctx); err != nil {
		return nil, err
	}
	for matches := s.Unit * growth; matches <= s.Matches; matches *= growth {
		keep := max(s.NumBest, len(r.trials)*s.Unit/matches)
		if err := r.promote(ctx, keep, matches); err != nil {
			return nil, err
		}
	}
	r.markFront()
	result.Trials, result.Scales = r.trials, r.scales
	for _, t := range r.trials[:min(s.NumBest, len(r.trials))] {
		if t.Matches == s.Matches {
			result.Best = append(result.Best, t)
		}
	}
	return result, nil
}

// runner is the state of a search.
type runner struct {
	search *Search
	rng    *rand.Rand
	// pool are the candidates to choose from; tried reports which of them were tried.
	pool   []Candidate
	tried  []bool
	trials []Trial // the best first
	// scales are the units of the distances from the targets, one for each target.
	scales []float64
}

// drawPool fills the pool and returns the number of legal candidates that were counted.
func (r *runner) drawPool() int {
	all := 1
	for _, d := range r.search.Dimensions {
		if all *= d.Values; all > maxCounted {
			break
		}
	}
	if all > maxCounted {
		seen := map[string]bool{}
		for range 16 * maxCandidates {
			c := make(Candidate, len(r.search.Dimensions))
			for i, d := range r.search.Dimensions {
				c[i] = r.rng.IntN(d.Values)
			}
			if key := fmt.Sprint(c); !seen[key] && len(r.pool) < maxCandidates && r.search.Legal(c) {
				seen[key] = true
				r.pool = append(r.pool, c)
			}
		}
		return len(r.pool)
	}
	for n := range all {
		c := make(Candidate, len(r.search.Dimensions))
		for i, d := range r.search.Dimensions {
			c[i] = n % d.Values
			n /= d.Values
		}
		if r.search.Legal(c) {
			r.pool = append(r.pool, c)
		}
	}
	legal := len(r.pool)
	r.rng.Shuffle(len(r.pool), func(i, j int) { r.pool[i], r.pool[j] = r.pool[j], r.pool[i] })
	r.pool = r.pool[:min(len(r.pool), maxCandidates)]
	return legal
}

// scale returns the unit of the distance from a target, given the first figure measured.
func scale(first Measured) float64 {
	if first.Spread > 0 {
		return first.Spread / 10
	}
	return 0.01 * max(1, math.Abs(first.Value))
}

// loss returns the loss of a trial. Losses computed before a scale was known are infinite, so that
// none changes with it.
func (r *runner) loss(list []Measured) interval.Number {
	sum := 0.0
	for i := range r.search.Targets {
		if r.scales[i] == 0 && list[i].Known() {
			r.scales[i] = scale(list[i])
		}
		sum += r.search.Targets[i].loss(list[i].Value, r.scales[i])
	}
	return interval.Number(sum)
}

// point returns the coordinates of a candidate: one from 0 to 1 for an ordered knob, one for
// each value of another knob, so that all its values are 1 apart.
func (r *runner) point(c Candidate) []float64 {
	var p []float64
	for i, d := range r.search.Dimensions {
		if d.Ordered {
			p = append(p, float64(c[i])/float64(max(d.Values-1, 1)))
			continue
		}
		for v := range d.Values {
			x := 0.0
			if v == c[i] {
				x = math.Sqrt2 / 2
			}
			p = append(p, x)
		}
	}
	return p
}

// explore tries candidates, a batch at a time.
func (r *runner) explore(ctx context.Context) error {
	tries := min(r.search.Tries, len(r.pool))
	first := min(tries, max(batch, 2*(len(r.search.Dimensions)+1)))
	// The first candidates are far from one another.
	next := []int{0}
	for len(next) < first {
		next = append(next, r.farthest(next))
	}
	for n := 0; len(next) > 0; {
		var list []Candidate
		for _, i := range next {
			r.tried[i] = true
			list = append(list, r.pool[i])
		}
		measured, err := r.search.Evaluate(ctx, list, r.search.Unit)
		if err != nil {
			return err
		}
		for i, m := range measured {
			r.trials = append(r.trials, Trial{Candidate: list[i], Matches: r.search.Unit, Measured: m, Loss: r.loss(m)})
		}
		n += len(next)
		next = r.choose(min(batch, tries-n))
	}
	r.sort()
	return nil
}

// farthest returns the candidate with the largest distance from the nearest of those in from.
func (r *runner) farthest(from []int) int {
	best, far := 0, -1.0
	for i, c := range r.pool {
		near := math.Inf(1)
		for _, j := range from {
			square := 0.0
			other := r.point(r.pool[j])
			for k, x := range r.point(c) {
				square += (x - other[k]) * (x - other[k])
			}
			near = min(near, square)
		}
		if near > far {
			best, far = i, near
		}
	}
	return best
}

// numSamples is the number of samples of the models from which an improvement is predicted.
const numSamples = 48

// choose returns up to n untried candidates with the highest expected improvement. Each that is
// chosen counts as measured with its predicted figures when the next is chosen.
func (r *runner) choose(n int) (list []int) {
	if n < 1 {
		return nil
	}
	var points [][]float64
	values, errs := make([][]float64, len(r.search.Targets)), make([][]float64, len(r.search.Targets))
	best := math.Inf(1)
	for _, t := range r.trials {
		points = append(points, r.point(t.Candidate))
		best = min(best, float64(t.Loss))
		for i, m := range t.Measured {
			values[i], errs[i] = append(values[i], m.Value), append(errs[i], m.Error)
		}
	}
	for i := range values {
		r.search.Targets[i].fillIn(values[i])
	}
	if math.IsInf(best, 1) { // nothing can be improved, and the smaller loss decides
		best = 0
	}
	rng := rand.New(rand.NewPCG(r.search.Seed, 8))
	normal := make([]float64, numSamples*len(r.search.Targets))
	for i := range normal {
		normal[i] = rng.NormFloat64()
	}
	for range n {
		models := make([]*model, len(r.search.Targets))
		for i := range models {
			if models[i] = newModel(points, values[i], errs[i]); models[i] == nil {
				return list
			}
		}
		next, highest := -1, -1.0
		for i, c := range r.pool {
			if r.tried[i] || slices.Contains(list, i) {
				continue
			}
			if x := r.improvement(models, r.point(c), best, normal); x > highest*(1+1e-9) {
				next, highest = i, x
			}
		}
		if next < 0 {
			return list
		}
		list = append(list, next)
		points = append(points, r.point(r.pool[next]))
		for i, m := range models {
			value, _ := m.predict(points[len(points)-1])
			values[i], errs[i] = append(values[i], value), append(errs[i], 0)
		}
	}
	return list
}

// fillIn replaces missing figures by the worst of the others, so that models lead away from
// candidates that lack them.
func (w *Target) fillIn(values []float64) {
	worst, far := 0.0, -1.0
	for _, v := range values {
		if d := w.Distance(v); !math.IsNaN(v) && d > far {
			worst, far = v, d
		}
	}
	for i, v := range values {
		if math.IsNaN(v) {
			values[i] = worst
		}
	}
}

// improvement returns the expected improvement of a candidate: the mean decrease of the loss
// from that of the best, over samples of the models made from standard normal numbers.
func (r *runner) improvement(models []*model, point []float64, best float64, normal []float64) float64 {
	losses := make([]float64, numSamples)
	for i, m := range models {
		value, deviation := m.predict(point)
		for k := range losses {
			losses[k] += r.search.Targets[i].loss(value+deviation*normal[k*len(models)+i], cmp.Or(r.scales[i], 1))
		}
	}
	sum := 0.0
	for _, l := range losses {
		// If no sample is better than the best, the smaller loss decides.
		sum += max(best-l, 0) + 1e-6/(1+l)
	}
	return sum / numSamples
}

// promote tries the best keep candidates with more matches.
func (r *runner) promote(ctx context.Context, keep, matches int) error {
	var list []Candidate
	keep = min(keep, len(r.trials))
	for _, t := range r.trials[:keep] {
		list = append(list, t.Candidate)
	}
	measured, err := r.search.Evaluate(ctx, list, matches)
	if err != nil {
		return err
	}
	for i, m := range measured {
		r.trials[i] = Trial{Candidate: list[i], Matches: matches, Measured: m, Loss: r.loss(m)}
	}
	r.sort()
	return nil
}

// sort sorts the trials by matches, descending, then by loss, then by the number of changed
// knobs.
func (r *runner) sort() {
	slices.SortStableFunc(r.trials, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(b.Matches, a.Matches), cmp.Compare(a.Loss, b.Loss), cmp.Compare(r.search.changed(a.Candidate), r.search.changed(b.Candidate)))
	})
}

// changed returns the number of values of a candidate that differ from Start.
func (s *Search) changed(c Candidate) (n int) {
	for i, v := range c {
		if v != s.Start[i] {
			n++
		}
	}
	return n
}

// markFront marks the trials on the Pareto front, for which the number of changed knobs counts as
// a target.
func (r *runner) markFront() {
	distances := func(t *Trial) []float64 {
		var list []float64
		for i := range r.search.Targets {
			list = append(list, r.search.Targets[i].Distance(t.Measured[i].Value))
		}
		return append(list, float64(r.search.changed(t.Candidate)))
	}
	for i := range r.trials {
		t := &r.trials[i]
		own := distances(t)
		t.Front = !slices.ContainsFunc(r.trials, func(u Trial) bool {
			better := false
			for k, x := range distances(&u) {
				if x > own[k] {
					return false
				}
				better = better || x < own[k]
			}
			return better
		})
	}
}
