package standings

import "math"

// Sequential stopping. A tournament that ends as soon as somebody is clear looks
// at its results again and again, so intervals for one look at the end would name
// a leader by chance far too often. A confidence sequence holds at all looks
// together: the asymptotic one with a normal mixture of Waudby-Smith, Arbour,
// Sinha, Kennedy and Ramdas (Time-uniform central limit theory and asymptotic
// confidence sequences, Annals of Statistics, 2024).

const (
	// leastSets is how many wall sets a pair must have in common before it is
	// looked at, so that the limit theorem may hold.
	leastSets = 50
	// narrowAt is the number of sets at which the sequence is narrowest. Others
	// are valid as well; it is not far from its best from a tenth to ten times
	// that.
	narrowAt = 1000
)

// Leader returns the agent that is clear of all others: whose difference in
// placement points to each of them, in the wall sets both play, lies above zero
// in a confidence sequence. It may be asked after any number of matches. Whatever
// the moments are that it is asked at, the probability that it ever returns an
// agent that is not better than all others is at most alpha.
//
// For the error, an agent must come out above one that is at least as good. Take
// one of the best: either another is put above it, or it is put above another
// that is as good. Both are seen in the intervals of the best one with the n-1
// others, each of which misses with probability alpha/(n-1).
func (t *Tally) Leader(alpha float64) (agent int, clear bool) {
	sum, _ := t.total()
	for a := range t.names {
		clear = true
		for b := range t.names {
			if a != b && !t.above(sum, a, b, alpha/float64(len(t.names)-1)) {
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

// above tells whether agent a is better than b.
func (t *Tally) above(sum []float64, a, b int, alpha float64) bool {
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
	variance := max(0, c[setSquares]/n-float64(mean*mean)) * n / (n - 1)
	return sign*mean > radius(n, math.Sqrt(variance), alpha)
}

// radius returns how far the confidence sequence at level 1-alpha reaches from
// the mean of n cases with a standard deviation.
func radius(n, deviation, alpha float64) float64 {
	l := -2 * math.Log(alpha)
	rho2 := (l + math.Log(l) + 1) / narrowAt
	x := float64(n*rho2) + 1
	return deviation * math.Sqrt(2*x/(n*n*rho2)*math.Log(math.Sqrt(x)/alpha))
}
