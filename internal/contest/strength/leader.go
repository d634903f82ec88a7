package strength

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// leastTested is the least number of duplicate sets of a pair of agents in a sequential test, so
// that the normal approximation holds.
const leastTested = 50

// Leader ends a tournament when one agent is clear of all others. That is the first of the
// standings by placement points, if its difference to each other agent in the duplicate sets that
// both play is above zero beyond chance. Rulesets without placement points use points. The
// probability that it ever names an agent at its looks that is not better than all others is
// Alpha.
//
// An interval for one look at the end would name a leader by chance far too often. So the
// bound is that of a repeated significance test: the same number of standard errors at
// each look, such that two equal agents are separated in alpha of all tournaments.
// Sources: Armitage, McPherson and Rowe, Repeated significance tests on accumulating
// data, 1969; Pocock, Group sequential methods, 1977.
//
// The bound needs no correction for the number of agents. The best of a sample is
// compared with the next, and agents further behind make an error no more likely.
// Source: Hung and Fithian, Rank verification for exponential families, 2019.
type Leader struct {
	tally *Tally
	bound float64 // standard errors
}

// NewLeader returns the stopper of a tournament with UntilClear whose matches a tally counts.
func NewLeader(run *dataset.Run, tally *Tally) *Leader {
	l := &Leader{tally: tally}
	l.setBound(run.Tournament.UntilClear, run.Matches)
	return l
}

// Next implements [Stopper]. Looks are far apart, since workers wait for each other at them.
func (l *Leader) Next(matches uint64) uint64 {
	// Each look is at an eighth more matches. More looks would find a leader a little earlier, but
	// need a wider bound. The four blocks keep the first looks apart, where an eighth is nothing.
	return roundLook((matches*9/8/sim.BlockSize+4)*sim.BlockSize, l.tally.seatings)
}

// Decided implements [Stopper].
func (l *Leader) Decided() bool { return l.Agent() != nil }

// Agent returns the number of the agent that is clear of all others, nil if none is.
func (l *Leader) Agent() *int {
	for a := range l.tally.names {
		clear := true
		for b := range l.tally.names {
			clear = clear && (a == b || l.before(a, b) && l.above(a, b))
		}
		if clear {
			return &a
		}
	}
	return nil
}

// before reports whether agent a is above b by placement points, or level with it.
func (l *Leader) before(a, b int) bool {
	x, y := &l.tally.agents[a], &l.tally.agents[b]
	// In the order of the standings by means, so that the leader is their first.
	return cmp.Or(cmp.Compare(x.placement.mean(), y.placement.mean()), cmp.Compare(x.points.mean(), y.points.mean())) >= 0
}

// above reports whether the lead of agent a over b is more than the bound. It is for a known
// standard error and is widened as this one is estimated.
func (l *Leader) above(a, b int) bool {
	gain := &l.tally.pair(min(a, b), max(a, b)).gain
	// Without this an early look could decide by sums of a few sets, whose distribution is far from
	// normal.
	if gain.sets < leastTested {
		return false
	}
	mean := gain.mean()
	if a > b {
		mean = -mean
	}
	// The quantile of Student's distribution with the tail probability of the bound.
	student := distuv.StudentsT{Sigma: 1, Nu: gain.sets - 1}.Quantile(distuv.UnitNormal.CDF(l.bound))
	return mean > student*gain.deviation()
}

// setBound sets the bound: the number of standard errors by which two equal agents differ at one
// look or more with probability alpha, in a tournament of so many matches.
func (l *Leader) setBound(alpha float64, planned uint64) {
	var times []float64
	for look := uint64(0); look < planned; {
		look = min(l.Next(look), planned)
		// Looks before leastTested sets cannot decide, see above, so they use up none of alpha. The
		// last counts always: a run of few matches needs a bound too.
		if look >= leastTested*uint64(l.tally.seatings) || look == planned {
			times = append(times, float64(look))
		}
	}
	// With one look the bound is the quantile of a test of fixed size, and more looks only raise
	// it. No alpha in use asks for ten standard errors.
	low, high := distuv.UnitNormal.Quantile(1-alpha/2), 10.0
	// Halved 40 times, the interval is as narrow as the quadrature is exact.
	for range 40 {
		if mid := (low + high) / 2; crossing(times, mid) > alpha {
			low = mid
		} else {
			high = mid
		}
	}
	l.bound = high
}

// crossing returns the probability that a Brownian motion is beyond bound standard deviations at
// one or more of the given ascending times. It integrates the density of the paths that have
// stayed inside from time to time, by Gauss-Legendre quadrature.
func crossing(times []float64, bound float64) float64 {
	last := len(times) - 1
	if last == 0 {
		return 2 * distuv.UnitNormal.CDF(-bound)
	}
	// With the looks of ten million matches 48 nodes give ten digits for bounds up to 4, and an
	// error of 1e-7 at 5. With 32 the probability at 5 is negative.
	const nodes = 48
	var before, beforeWeight, beforeDensity [nodes]float64
	at, weight, density := make([]float64, nodes), make([]float64, nodes), make([]float64, nodes)
	for k, time := range times[:last] {
		copy(before[:], at)
		copy(beforeWeight[:], weight)
		copy(beforeDensity[:], density)
		// The nodes are on the interval in which no bound is crossed, so a path that leaves it
		// drops out of the density.
		edge := bound * math.Sqrt(time)
		quad.Legendre{}.FixedLocations(at, weight, -edge, edge)
		step := distuv.Normal{Sigma: math.Sqrt(time)}
		if k > 0 {
			step.Sigma = math.Sqrt(time - times[k-1])
		}
		for i, x := range at {
			if k == 0 {
				density[i] = step.Prob(x)
				continue
			}
			density[i] = 0
			for j, from := range before {
				density[i] += beforeWeight[j] * beforeDensity[j] * step.Prob(x-from)
			}
		}
	}
	edge := bound * math.Sqrt(times[last])
	step := distuv.Normal{Sigma: math.Sqrt(times[last] - times[last-1])}
	// The last step needs no density: the chance to stay inside from each node is known exactly.
	inside := 0.0
	for i, x := range at {
		inside += weight[i] * density[i] * (step.CDF(edge-x) - step.CDF(-edge-x))
	}
	return 1 - inside
}
