package standings

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// leastSets is the least number of duplicate sets of a pair of agents in a test, so that the
// normal approximation holds.
const leastSets = 50

// Leader returns the agent that is clear of all others, the first of the standings. Its
// difference in placement points to each other agent, in the duplicate sets both play, is
// further above zero than chance would make it. Rulesets without placement points use
// points. Call it at the looks of a [Contest]. The probability that it ever returns an
// agent there that is not better than all others is alpha.
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
func (t *Tally) Leader(alpha float64) (agent int, clear bool) {
	sum, _ := t.total()
	if t.matches == 0 {
		return 0, false
	}
	bound := t.bound(alpha)
	for a := range t.names {
		clear = true
		for b := range t.names {
			if a != b && !(t.before(sum, a, b) && t.above(sum, a, b, bound)) {
				clear = false
				break
			}
		}
		if clear {
			return a, true
		}
	}
	return 0, false
}

// before reports whether agent a is above b in the standings, or level with it.
func (t *Tally) before(sum []float64, a, b int) bool {
	x, y := sum[agentFields*a:][:agentFields], sum[agentFields*b:][:agentFields]
	return cmp.Or(cmp.Compare(x[score]/x[seats], y[score]/y[seats]), cmp.Compare(x[points]/x[seats], y[points]/y[seats])) >= 0
}

// above reports whether the lead of agent a over b is more than bound standard errors. bound is
// for a known standard error and is widened as this one is estimated.
func (t *Tally) above(sum []float64, a, b int, bound float64) bool {
	sign := 1.0
	if a > b {
		a, b, sign = b, a, -1
	}
	c := sum[t.pair(a, b):][:pairFields]
	n := c[sets]
	if n < leastSets {
		return false
	}
	mean := c[gain] / (n * float64(t.seatings))
	variance := max(0, c[setSquares]/n-float64(mean*mean)) / (n - 1)
	// The quantile of Student's distribution with the tail probability of the bound.
	student := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(distuv.UnitNormal.CDF(bound))
	return sign*mean > student*math.Sqrt(variance)
}

// bound returns the number of standard errors by which two equal agents differ at one look or
// more with probability alpha.
func (t *Tally) bound(alpha float64) float64 {
	if t.boundFor == alpha {
		return t.boundIs
	}
	var times []float64
	for look := uint64(0); look < t.planned; {
		look = min(nextLook(look), t.planned)
		if look >= leastSets*uint64(t.seatings) || look == t.planned {
			times = append(times, float64(look))
		}
	}
	low, high := distuv.UnitNormal.Quantile(1-alpha/2), 10.0
	for range 40 {
		if mid := (low + high) / 2; crossing(times, mid) > alpha {
			low = mid
		} else {
			high = mid
		}
	}
	t.boundFor, t.boundIs = alpha, high
	return high
}

// crossing returns the probability that a Brownian motion is beyond bound standard deviations at
// one or more of the given ascending times. It integrates the density of the paths that have
// stayed inside from time to time, by Gauss-Legendre quadrature.
func crossing(times []float64, bound float64) float64 {
	const nodes = 48
	var before, beforeWeight, beforeDensity [nodes]float64
	at, weight, density := make([]float64, nodes), make([]float64, nodes), make([]float64, nodes)
	last := len(times) - 1
	for k, time := range times[:last] {
		copy(before[:], at)
		copy(beforeWeight[:], weight)
		copy(beforeDensity[:], density)
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
	if last == 0 {
		return 2 * distuv.UnitNormal.CDF(-bound)
	}
	step := distuv.Normal{Sigma: math.Sqrt(times[last] - times[last-1])}
	inside := 0.0
	for i, x := range at {
		inside += weight[i] * density[i] * (step.CDF(edge-x) - step.CDF(-edge-x))
	}
	return 1 - inside
}
