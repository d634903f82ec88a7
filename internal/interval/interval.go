// Package interval computes the 95 % confidence intervals of all statistics: means,
// skewed means, shares and differences.
//
//	low, high := interval.Share(0.21, 400)
package interval

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the coverage probability of an interval.
const Confidence = 0.95

// LeastClusters is the least number of independent clusters, such as matches, of a mean with an
// interval, and of clusters that differ for that of a difference of means. Among fewer, one large
// win may still be missing.
const LeastClusters = 10

// Normal is the half-width of an interval in standard deviations of the normal
// distribution.
var Normal = distuv.UnitNormal.Quantile((1 + Confidence) / 2)

// StudentT returns the half-width of an interval in standard errors that were estimated
// with some degrees of freedom.
func StudentT(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + Confidence) / 2)
}

// Share returns the interval of a share of n independent cases by Clopper and Pearson
// (The use of confidence or fiducial limits illustrated in the case of the binomial,
// 1934). It is exact also for none, all or few of the cases. n need not be a whole
// number; without cases the interval is 0 to 1.
func Share(share, n float64) (low, high float64) {
	const tail = (1 - Confidence) / 2
	in, out := share*n, (1-share)*n
	low, high = 0, 1
	if in > 0 {
		low = distuv.Beta{Alpha: in, Beta: out + 1}.Quantile(tail)
	}
	if out > 0 {
		high = distuv.Beta{Alpha: in + 1, Beta: out}.Quantile(1 - tail)
	}
	return low, high
}

// Effective returns the effective number of independent cases: the number that would give
// a share its standard error. It is corrected for the degrees of freedom of that error.
// Source: Korn and Graubard, Confidence intervals for proportions with small expected
// number of positive counts estimated from survey data, 1998.
func Effective(share, err, freedom float64) float64 {
	t := Normal / StudentT(freedom)
	return share * (1 - share) / (err * err) * t * t
}

// Skewed returns by how many standard errors the interval of a mean of n cases extends
// below and above, given their skewness. That of a symmetric distribution extends t.
// Source: Hall, On the removal of skewness by transformation, 1992.
func Skewed(t, skewness, n float64) (below, above float64) {
	const a, b = 1. / 3, 1. / 6
	if math.Abs(skewness) < 1e-6 {
		return t, t
	}
	root := math.Sqrt(n)
	reach := func(t float64) float64 {
		return root / (a * skewness) * (math.Cbrt(1+3*a*skewness*(t/root-b*skewness/n)) - 1)
	}
	return reach(t), -reach(-t)
}

// Clear returns the number of standard deviations by which a difference is away from zero.
// The difference varies by rare events of a known size, and its variance was estimated from
// them. The estimate is 0 if no event was seen, so an interval of z deviations extends by the
// root of z²(variance + z²·event²/2) to both sides.
func Clear(difference, variance, event float64) float64 {
	d2, e2 := difference*difference, event*event
	if e2 == 0 {
		return math.Abs(difference) / math.Sqrt(variance)
	}
	return math.Sqrt(2 * d2 / (variance + math.Sqrt(variance*variance+2*e2*d2)))
}

// Half returns the half-width of the interval of z deviations described at [Clear].
func Half(z, variance, event float64) float64 {
	return z * math.Sqrt(variance+z*z*event*event/2)
}
