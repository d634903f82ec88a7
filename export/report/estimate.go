package report

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/jansou/jansou/export"
)

// confidence is the probability that an interval covers what it estimates.
const confidence = 0.95

// Estimate is a figure with its uncertainty. All figures are ratios: of how much
// there was to how often it might have been. The cases of one cluster, a match or
// a set of duplicate matches, depend on each other, so the standard error is that
// of a ratio of sums over independent clusters.
type Estimate struct {
	// Value is Sum/Count, 0 where Count is 0.
	Value float64 `json:"value"`
	// Sum is the amount, Count the number of cases.
	Sum   float64 `json:"sum"`
	Count float64 `json:"count"`
	// Error is the standard error of Value; it is 0 where there are fewer than
	// two clusters.
	Error float64 `json:"error"`
	// Low and High are the 95 % interval: by Student's t, of shares by Wilson's
	// score with the number of independent cases that has the same error. Both
	// are missing where nothing can be said: of a single cluster, or of clusters
	// that are all the same, but for shares of none or all cases.
	Low  export.Number `json:"low"`
	High export.Number `json:"high"`
	// Clusters is the number of independent clusters that have cases.
	Clusters int `json:"clusters"`
}

// sums are what the clusters of one figure add up to: amounts Y of cases X.
type sums struct {
	N                int
	Y, X, YY, XY, XX exact
}

// add adds a cluster; one without cases says nothing.
func (s *sums) add(y, x float64) {
	if x == 0 {
		return
	}
	s.N++
	s.Y.add(y)
	s.X.add(x)
	s.YY.add(y * y)
	s.XY.add(x * y)
	s.XX.add(x * x)
}

// merge adds the clusters of another.
func (s *sums) merge(o *sums) {
	s.N += o.N
	s.Y.merge(&o.Y)
	s.X.merge(&o.X)
	s.YY.merge(&o.YY)
	s.XY.merge(&o.XY)
	s.XX.merge(&o.XX)
}

// none reports whether there are no cases.
func (s *sums) none() bool { return s.X == exact{} }

func (s *sums) ratio() float64 {
	if s.none() {
		return 0
	}
	return s.Y.value() / s.X.value()
}

// rounding is the part of a sum of squares that may be left where all of it
// cancels.
const rounding = 1e-12

// spread returns the sum of squares of y - ratio*x.
func (s *sums) spread() float64 {
	r, yy := s.ratio(), s.YY.value()
	v := yy - 2*r*s.XY.value() + r*r*s.XX.value()
	if v < rounding*yy {
		return 0
	}
	return v
}

// variance returns the variance of the ratio by linearisation: the ratio is a
// mean of y - ratio*x over clusters, divided by the mean of x.
func (s *sums) variance() float64 {
	if s.N < 2 || s.none() {
		return 0
	}
	n, x := float64(s.N), s.X.value()
	return n / (n - 1) * s.spread() / (x * x)
}

// estimate returns the figure. A share has no case of an amount above 1.
func (s *sums) estimate(share bool) Estimate {
	e := Estimate{Value: s.ratio(), Sum: s.Y.value(), Count: s.X.value(), Error: math.Sqrt(s.variance()), Clusters: s.N}
	e.Low, e.High = export.Missing, export.Missing
	if s.none() || s.N < 2 {
		return e
	}
	t := studentT(float64(s.N - 1))
	switch {
	case share && (e.Error > 0 || e.Value == 0 || e.Value == 1):
		low, high := wilson(e.Value, e.effective(), t)
		e.Low, e.High = export.Number(low), export.Number(high)
	case e.Error > 0:
		e.Low, e.High = export.Number(e.Value-t*e.Error), export.Number(e.Value+t*e.Error)
	}
	return e
}

// effective returns how many independent cases would give a share its error.
func (e *Estimate) effective() float64 {
	if e.Error == 0 {
		return e.Count
	}
	return e.Value * (1 - e.Value) / (e.Error * e.Error)
}

// wilson returns the interval of a share p of n independent cases that reaches z
// standard errors to both sides.
func wilson(p, n, z float64) (low, high float64) {
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, center-half), min(1, center+half)
}

// normal is the quantile that a two-sided 95 % interval needs.
var normal = distuv.UnitNormal.Quantile((1 + confidence) / 2)

// studentT returns the quantile that a two-sided 95 % interval needs.
func studentT(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile((1 + confidence) / 2)
}

// joint is what the clusters of one figure in two datasets add up to where the
// clusters belong together in pairs.
type joint struct {
	YY, YX, XY, XX exact // the first letter is of the first dataset
}

func (j *joint) add(y1, x1, y2, x2 float64) {
	j.YY.add(y1 * y2)
	j.YX.add(y1 * x2)
	j.XY.add(x1 * y2)
	j.XX.add(x1 * x2)
}

// merge adds the clusters of another.
func (j *joint) merge(o *joint) {
	j.YY.merge(&o.YY)
	j.YX.merge(&o.YX)
	j.XY.merge(&o.XY)
	j.XX.merge(&o.XX)
}

// covariance returns that of the two ratios.
func (j *joint) covariance(a, b *sums) float64 {
	if a.N < 2 || a.none() || b.none() {
		return 0
	}
	n, ra, rb := float64(a.N), a.ratio(), b.ratio()
	return n / (n - 1) * (j.YY.value() - rb*j.YX.value() - ra*j.XY.value() + ra*rb*j.XX.value()) / (a.X.value() * b.X.value())
}

// Difference is how far one estimate is from another.
type Difference struct {
	// Value is the second estimate less the first, Error its standard error.
	Value float64 `json:"value"`
	Error float64 `json:"error"`
	// Low and High are the 95 % interval by Student's t, NaN where nothing can
	// be said.
	Low  export.Number `json:"low"`
	High export.Number `json:"high"`
	// P is the probability of a difference at least as large if there were
	// none, Adjusted the same corrected for the number of comparisons made
	// together, by Holm's method. Both are NaN where nothing can be said. Where
	// no cluster varies there is no error to compare with, and P is that of as
	// many clusters all to one side by chance, as in a sign test.
	P        export.Number `json:"p"`
	Adjusted export.Number `json:"p_adjusted"`
}

// difference returns b - a; together is nil where the clusters are independent.
func difference(a, b *sums, together *joint) Difference {
	d := Difference{
		Value: b.ratio() - a.ratio(), Low: export.Missing, High: export.Missing, P: export.Missing, Adjusted: export.Missing,
	}
	va, vb := a.variance(), b.variance()
	v, freedom := va+vb, 0.0
	if together != nil {
		if v -= 2 * together.covariance(a, b); v < rounding*(va+vb) {
			v = 0
		}
		freedom = float64(a.N - 1)
	} else if v > 0 {
		// Welch and Satterthwaite
		freedom = v * v / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
	}
	if a.N < 2 || b.N < 2 || a.none() || b.none() {
		return d
	}
	d.Error = math.Sqrt(v)
	if d.Error == 0 {
		d.P = 1
		if d.Value != 0 {
			d.P = export.Number(math.Exp2(1 - float64(min(a.N, b.N))))
		}
		return d
	}
	half := studentT(freedom) * d.Error
	d.Low, d.High = export.Number(d.Value-half), export.Number(d.Value+half)
	d.P = export.Number(2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(math.Abs(d.Value)/d.Error))
	return d
}
