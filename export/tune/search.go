package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Dimension is a knob and the values that are tried.
type Dimension struct {
	// Values is how many there are. Ordered reports that they are numbers in ascending
	// order, so that what lies between two of them is like both.
	Values  int
	Ordered bool
}

// Candidate is the number of a value for each dimension.
type Candidate []int

// Evaluate measures the figures of the wishes for some candidates, each over the same
// matches from the first on: what is measured depends on candidate and matches alone.
type Evaluate func(ctx context.Context, candidates []Candidate, matches int) ([][]Measured, error)

// Search is a search for candidates that meet wishes.
type Search struct {
	// Wishes are what the figures shall be, Dimensions what may be changed.
	Wishes     []Wish
	Dimensions []Dimension
	// Start is the candidate to compare with, which is tried first; its numbers may be -1
	// where the value is none of those tried.
	Start Candidate
	// Legal reports which candidates can be played.
	Legal func(Candidate) bool
	// Unit is how many matches a candidate is tried with at first, Matches with how many
	// the best are in the end, a multiple of 16 times Unit.
	Unit, Matches int
	// Tries is how many candidates are tried, Best how many are listed in the end.
	Tries, Best int
	Seed        uint64
	Evaluate    Evaluate
}

// Trial is a candidate and what was measured.
type Trial struct {
	Candidate Candidate `json:"candidate"`
	// Matches is how many were played, Measured the figure of each wish.
	Matches  int        `json:"matches"`
	Measured []Measured `json:"measured"`
	// Loss adds up, over the wishes, the squares of what is missed, each in tenths of the
	// deviation of the figure in a single match of the start.
	Loss float64 `json:"loss"`
	// Front reports that no other trial misses every wish by as little or less, and one by
	// less.
	Front bool `json:"front"`
}

// Result is what a search has found.
type Result struct {
	// Start is the trial of the candidate to compare with.
	Start Trial `json:"start"`
	// Best are the best that were played to the end, the best first; Trials are all.
	Best   []Trial `json:"best"`
	Trials []Trial `json:"trials"`
	// Legal is how many candidates there are that can be played, Drawn of how many the
	// search chose: of many some are drawn.
	Legal int `json:"legal"`
	Drawn int `json:"drawn"`
}

const (
	// mostCandidates is how many candidates a search chooses from.
	mostCandidates = 1024
	// mostCounted is up to how many all are looked at.
	mostCounted = 1 << 12
	// batch is how many candidates are tried together: it does not depend on how many
	// machines work, so that the search does not either.
	batch = 4
	// rungs is the factor by which the matches of what is promising grow.
	rungs = 4
)

// MaxMatches returns the largest number of matches that the search can take at one table.
func (s *Search) MaxMatches() uint64 {
	n := s.Matches + s.Unit*s.Tries
	for m := s.Unit * rungs; m <= s.Matches; m *= rungs {
		n += max(s.Best, s.Tries*s.Unit/m) * m
	}
	return uint64(n)
}

// ErrNone is the error of a search without a candidate that can be played.
var ErrNone = errors.New("no combination of the values can be played")

// Run searches by Bayesian optimization with successive halving. It tries some candidates
// to begin with, and then, few at a time, those with the highest expected improvement
// (Jones, Schonlau and Welch, Efficient global optimization of expensive black-box
// functions, 1998). A model of its own predicts each figure. Then the better candidates get
// four times as many matches, and the better of these four times as many again (Jamieson
// and Talwalkar, Non-stochastic best arm identification, 2016).
func (s *Search) Run(ctx context.Context) (*Result, error) {
	r := &runner{Search: s, rng: rand.New(rand.NewPCG(s.Seed, 7))}
	result := &Result{}
	if result.Legal = r.draw(); len(r.pool) == 0 {
		return nil, ErrNone
	}
	result.Drawn = len(r.pool)
	start, err := s.Evaluate(ctx, []Candidate{s.Start}, s.Matches)
	if err != nil {
		return nil, err
	}
	r.scale(start[0])
	result.Start = Trial{Candidate: s.Start, Matches: s.Matches, Measured: start[0], Loss: r.loss(start[0])}
	if err := r.explore(ctx); err != nil {
		return nil, err
	}
	for matches := s.Unit * rungs; matches <= s.Matches; matches *= rungs {
		keep := max(s.Best, len(r.trials)*s.Unit/matches)
		if err := r.promote(ctx, keep, matches); err != nil {
			return nil, err
		}
	}
	r.front()
	result.Trials = r.trials
	for _, t := range r.trials[:min(s.Best, len(r.trials))] {
		if t.Matches == s.Matches {
			result.Best = append(result.Best, t)
		}
	}
	return result, nil
}

// runner is a search at work.
type runner struct {
	*Search
	rng *rand.Rand
	// pool are the candidates to choose from, tried tells which were.
	pool   []Candidate
	tried  []bool
	trials []Trial // the best first
	// scales are what losses are measured in, one for each wish.
	scales []float64
}

// draw fills the pool and returns how many candidates can be played, as far as they
// were looked at.
func (r *runner) draw() int {
	all := 1
	for _, d := range r.Dimensions {
		if all *= d.Values; all > mostCounted {
			break
		}
	}
	if all > mostCounted {
		seen := map[string]bool{}
		for range 16 * mostCandidates {
			c := make(Candidate, len(r.Dimensions))
			for i, d := range r.Dimensions {
				c[i] = r.rng.IntN(d.Values)
			}
			if key := fmt.Sprint(c); !seen[key] && len(r.pool) < mostCandidates && r.Legal(c) {
				seen[key] = true
				r.pool = append(r.pool, c)
			}
		}
		r.tried = make([]bool, len(r.pool))
		return len(r.pool)
	}
	for n := range all {
		c := make(Candidate, len(r.Dimensions))
		for i, d := range r.Dimensions {
			c[i] = n % d.Values
			n /= d.Values
		}
		if r.Legal(c) {
			r.pool = append(r.pool, c)
		}
	}
	legal := len(r.pool)
	r.rng.Shuffle(len(r.pool), func(i, j int) { r.pool[i], r.pool[j] = r.pool[j], r.pool[i] })
	r.pool = r.pool[:min(len(r.pool), mostCandidates)]
	r.tried = make([]bool, len(r.pool))
	return legal
}

// scale takes the scales of the losses from the start.
func (r *runner) scale(start []Measured) {
	for i := range r.Wishes {
		scale := start[i].Spread / 10
		if scale == 0 {
			scale = 0.01 * max(1, math.Abs(start[i].Value))
		}
		r.scales = append(r.scales, scale)
	}
}

func (r *runner) loss(list []Measured) float64 {
	sum := 0.0
	for i := range r.Wishes {
		miss := r.Wishes[i].Missed(list[i].Value) / r.scales[i]
		sum += miss * miss
	}
	return sum
}

// point returns where a candidate is: knobs with numbers from 0 to 1, of others a corner
// for each value.
func (r *runner) point(c Candidate) []float64 {
	var p []float64
	for i, d := range r.Dimensions {
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

// explore tries candidates, few at a time.
func (r *runner) explore(ctx context.Context) error {
	tries := min(r.Tries, len(r.pool))
	first := min(tries, max(batch, 2*(len(r.Dimensions)+1)))
	// Those to begin with stand far from one another.
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
		measured, err := r.Evaluate(ctx, list, r.Unit)
		if err != nil {
			return err
		}
		for i, m := range measured {
			r.trials = append(r.trials, Trial{Candidate: list[i], Matches: r.Unit, Measured: m, Loss: r.loss(m)})
		}
		n += len(next)
		next = r.choose(min(batch, tries-n))
	}
	r.sort()
	return nil
}

// farthest returns the candidate whose nearest among some is farthest.
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

// draws is by how many draws of the models an improvement is foretold.
const draws = 48

// choose returns up to n candidates of which most improvement can be expected. One that
// is chosen counts as measured as foretold when the next is.
func (r *runner) choose(n int) (list []int) {
	if n < 1 {
		return nil
	}
	var points [][]float64
	values, errs := make([][]float64, len(r.Wishes)), make([][]float64, len(r.Wishes))
	best := math.Inf(1)
	for _, t := range r.trials {
		points = append(points, r.point(t.Candidate))
		best = min(best, t.Loss)
		for i, m := range t.Measured {
			values[i], errs[i] = append(values[i], m.Value), append(errs[i], m.Error)
		}
	}
	rng := rand.New(rand.NewPCG(r.Seed, 8))
	normal := make([]float64, draws*len(r.Wishes))
	for i := range normal {
		normal[i] = rng.NormFloat64()
	}
	for range n {
		models := make([]*model, len(r.Wishes))
		for i := range models {
			if models[i] = newModel(points, values[i], errs[i]); models[i] == nil {
				return list
			}
		}
		at, most := -1, -1.0
		for i, c := range r.pool {
			if r.tried[i] || slices.Contains(list, i) {
				continue
			}
			if x := r.improvement(models, r.point(c), best, normal); x > most*(1+1e-9) {
				at, most = i, x
			}
		}
		if at < 0 {
			return list
		}
		list = append(list, at)
		points = append(points, r.point(r.pool[at]))
		for i, m := range models {
			value, _ := m.at(points[len(points)-1])
			values[i], errs[i] = append(values[i], value), append(errs[i], 0)
		}
	}
	return list
}

// improvement returns by how much a candidate can be expected to be better than the best.
func (r *runner) improvement(models []*model, point []float64, best float64, normal []float64) float64 {
	losses := make([]float64, draws)
	for i, m := range models {
		value, deviation := m.at(point)
		for d := range losses {
			miss := r.Wishes[i].Missed(value+deviation*normal[d*len(models)+i]) / r.scales[i]
			losses[d] += miss * miss
		}
	}
	sum := 0.0
	for _, l := range losses {
		// Where nothing can be better, what is least bad is looked at.
		sum += max(best-l, 0) + 1e-6/(1+l)
	}
	return sum / draws
}

// promote gives the best more matches.
func (r *runner) promote(ctx context.Context, keep, matches int) error {
	var list []Candidate
	keep = min(keep, len(r.trials))
	for _, t := range r.trials[:keep] {
		list = append(list, t.Candidate)
	}
	measured, err := r.Evaluate(ctx, list, matches)
	if err != nil {
		return err
	}
	for i, m := range measured {
		r.trials[i] = Trial{Candidate: list[i], Matches: matches, Measured: m, Loss: r.loss(m)}
	}
	r.sort()
	return nil
}

// sort puts those with most matches first, and of these those with the least loss, and
// of these those nearest to the start.
func (r *runner) sort() {
	slices.SortStableFunc(r.trials, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(b.Matches, a.Matches), cmp.Compare(a.Loss, b.Loss), cmp.Compare(r.Changed(a.Candidate), r.Changed(b.Candidate)))
	})
}

// Changed returns how many values of a candidate are not those of the start.
func (s *Search) Changed(c Candidate) (n int) {
	for i, v := range c {
		if v != s.Start[i] {
			n++
		}
	}
	return n
}

// front marks the trials that no other is better than in every wish.
func (r *runner) front() {
	misses := func(t *Trial) []float64 {
		var list []float64
		for i := range r.Wishes {
			list = append(list, r.Wishes[i].Missed(t.Measured[i].Value))
		}
		return append(list, float64(r.Changed(t.Candidate)))
	}
	for i := range r.trials {
		t := &r.trials[i]
		mine := misses(t)
		t.Front = !slices.ContainsFunc(r.trials, func(u Trial) bool {
			better := false
			for k, x := range misses(&u) {
				if x > mine[k] {
					return false
				}
				better = better || x < mine[k]
			}
			return better
		})
	}
}
