package strength

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Estimate is a figure with its 95 % interval.
type Estimate struct {
	// Value is missing without cases.
	Value interval.Number `json:"value"`
	// Low and High are missing where the spread cannot be estimated.
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`
}

// around returns the estimate of a value with an interval that reaches half to both sides.
func around(value, half float64) Estimate {
	low, high := interval.Around(value, half)
	return Estimate{interval.Number(value), low, high}
}

// Text returns the estimate with its interval, to some decimals.
func (e Estimate) Text(decimals int) string {
	if e.Low.Known() && e.High.Known() {
		return digits.Interval(float64(e.Value), float64(e.Low), float64(e.High), decimals)
	}
	return digits.Fixed(float64(e.Value), decimals)
}

// Plus returns the estimate of the figure plus a number.
func (e Estimate) Plus(x float64) Estimate {
	n := interval.Number(x)
	return Estimate{e.Value + n, e.Low + n, e.High + n}
}

// times returns the estimate of a multiple of the figure.
func (e Estimate) times(x float64) Estimate {
	n := interval.Number(x)
	if n < 0 {
		e.Low, e.High = e.High, e.Low
	}
	return Estimate{n * e.Value, n * e.Low, n * e.High}
}

// LeastSets is the least number of duplicate sets from which an interval is estimated. The spread
// of fewer says little: two sets that happen to agree would give one of zero width.
const LeastSets = 4

// ratio is a mean of the cases of duplicate sets: the sum of a figure over the number of cases.
// The cases of a set depend on each other, sets do not, so its variance is that of the sets. It
// has the number of sets, the sums over them of the figure and the cases, and the sums of
// products.
type ratio struct{ sets, sum, cases, ss, sc, cc float64 }

func (r *ratio) add(sum, cases float64) {
	r.sets++
	r.sum += sum
	r.cases += cases
	r.ss += float64(sum * sum)
	r.sc += float64(sum * cases)
	r.cc += float64(cases * cases)
}

func (r *ratio) mean() float64 { return r.sum / r.cases }

// deviation returns the standard error of the mean by linearization, 0 if all sets are the same.
// It is not a number below LeastSets.
func (r *ratio) deviation() float64 {
	if r.sets < LeastSets {
		return math.NaN()
	}
	// The sum of the squared residuals sum - mean*cases of the sets, multiplied out, so that sets
	// need not be kept.
	mean := r.mean()
	// A product is converted before it is added: no processor may fuse the two and round once.
	squares := r.ss - 2*float64(mean*r.sc) + float64(mean*mean*r.cc)
	if squares <= 1e-12*r.ss {
		return 0 // rounding
	}
	return math.Sqrt(squares*r.sets/(r.sets-1)) / r.cases
}

// identical reports whether all of at least LeastSets duplicate sets have the same mean.
func (r *ratio) identical() bool { return r.deviation() == 0 }

// estimate returns the mean. Its interval is missing where the spread cannot be estimated.
func (r *ratio) estimate() Estimate {
	half := math.NaN()
	if d := r.deviation(); d > 0 {
		half = interval.StudentT(r.sets-1) * d
	}
	return around(r.mean(), half)
}

// share is estimate for a share, with Clopper and Pearson's interval for the number of independent
// cases that has the same deviation, which also holds near 0 and 1. A share of none or all of the
// cases never varies; its cases count as independent.
func (r *ratio) share() Estimate {
	e := around(r.mean(), math.NaN())
	p, d := r.mean(), r.deviation()
	switch {
	case d > 0:
		e.Low, e.High = interval.AroundShare(p, interval.Effective(p, d, r.sets-1))
	// A share between 0 and 1 that is the same in all sets has no interval: duplicate walls may
	// make it so, and nothing is known of the spread.
	case d == 0 && (p == 0 || p == 1):
		e.Low, e.High = interval.AroundShare(p, r.cases)
	}
	return e
}

// quotient is estimate for a ratio of variances, whose logarithm has a more symmetric
// distribution.
func (r *ratio) quotient() Estimate {
	e := around(r.mean(), math.NaN())
	if d := r.deviation(); d > 0 {
		// The standard error of a logarithm is that of the figure, divided by it (delta method).
		reach := math.Exp(interval.StudentT(r.sets-1) * d / r.mean())
		e.Low, e.High = e.Value/interval.Number(reach), e.Value*interval.Number(reach)
	}
	return e
}
