package report

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

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
	// Low and High are the 95 % interval: by Student's t with Hall's correction for
	// skewness, of shares by Clopper and Pearson's with the number of independent cases that has the same error. Both
	// are missing where nothing can be said: of a single cluster, of means of fewer
	// than ten, of clusters that are all the same, but for shares of none or all
	// cases, and of the value of what never came.
	Low  export.Number `json:"low"`
	High export.Number `json:"high"`
	// Clusters is the number of independent clusters that have cases.
	Clusters int `json:"clusters"`
}

// sums are what the clusters of one figure add up to: amounts Y of cases X.
type sums struct {
	N                int
	Y, X, YY, XY, XX exact
	// Cubes is nil where nothing is said about skewness.
	Cubes *cubes `json:",omitempty"`
}

// cubes are the third powers that clusters add up to.
type cubes struct {
	YYY, YYX, YXX, XXX exact
}

// newSums returns the sums of a figure without clusters.
func newSums(k kind) sums {
	if k == mean {
		return sums{Cubes: &cubes{}}
	}
	return sums{}
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
	if c := s.Cubes; c != nil {
		c.YYY.add(y * y * y)
		c.YYX.add(y * y * x)
		c.YXX.add(y * x * x)
		c.XXX.add(x * x * x)
	}
}

// merge adds the clusters of another.
func (s *sums) merge(o *sums) {
	s.N += o.N
	s.Y.merge(&o.Y)
	s.X.merge(&o.X)
	s.YY.merge(&o.YY)
	s.XY.merge(&o.XY)
	s.XX.merge(&o.XX)
	if c, d := s.Cubes, o.Cubes; c != nil {
		c.YYY.merge(&d.YYY)
		c.YYX.merge(&d.YYX)
		c.YXX.merge(&d.YXX)
		c.XXX.merge(&d.XXX)
	}
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

// skewness returns that of y - ratio*x over clusters.
func (s *sums) skewness() float64 {
	c, r := s.Cubes, s.ratio()
	if c == nil {
		return 0
	}
	third := c.YYY.value() - 3*r*c.YYX.value() + 3*r*r*c.YXX.value() - r*r*r*c.XXX.value()
	return third / float64(s.N) / math.Pow(s.spread()/float64(s.N), 1.5)
}

// kind is what a figure is, as far as its interval is concerned.
type kind int

const (
	mean   kind = iota
	share       // of cases
	amount      // of an amount, such as points: a case may be any part of it
)

// kind returns that of a figure.
func (m *Meaning) kind() kind {
	switch {
	case m.Unit != Share:
		return mean
	case m.Per == perPoint:
		return amount
	}
	return share
}

// leastClusters is how many clusters a mean must be of, and in how many two datasets
// must differ for the difference of means, to have an interval: of fewer, one large
// win may still be missing.
const leastClusters = 10

// estimate returns the figure.
func (s *sums) estimate(k kind) Estimate {
	e := Estimate{Value: s.ratio(), Sum: s.Y.value(), Count: s.X.value(), Error: math.Sqrt(s.variance()), Clusters: s.N}
	e.Low, e.High = export.Missing, export.Missing
	if s.none() || s.N < 2 {
		return e
	}
	freedom := float64(s.N - 1)
	switch {
	case k == mean && e.Error > 0 && s.N >= leastClusters:
		below, above := interval.Skewed(interval.StudentT(freedom), s.skewness(), float64(s.N))
		e.Low, e.High = export.Number(e.Value-below*e.Error), export.Number(e.Value+above*e.Error)
	case k != mean && e.Error > 0 && e.Value > 0 && e.Value < 1:
		e.Low, e.High = shareOf(e.Value, interval.Effective(e.Value, e.Error, freedom))
	case k == share && (e.Value == 0 || e.Value == 1):
		e.Low, e.High = shareOf(e.Value, e.Count)
	}
	return e
}

func shareOf(share, n float64) (low, high export.Number) {
	l, h := interval.Share(share, n)
	return export.Number(l), export.Number(h)
}

// joint is what the clusters of one figure in two datasets add up to where the
// clusters belong together in pairs.
type joint struct {
	YY, YX, XY, XX exact // the first letter is of the first dataset
	// Changed is how many clusters are not the same in both, Moved how many more
	// cases one of them has than the other, added up.
	Changed int
	Moved   exact
}

func (j *joint) add(y1, x1, y2, x2 float64) {
	j.YY.add(y1 * y2)
	j.YX.add(y1 * x2)
	j.XY.add(x1 * y2)
	j.XX.add(x1 * x2)
	if y1 != y2 || x1 != x2 {
		j.Changed++
		j.Moved.add(math.Abs(x2 - x1))
	}
}

// merge adds the clusters of another.
func (j *joint) merge(o *joint) {
	j.YY.merge(&o.YY)
	j.YX.merge(&o.YX)
	j.XY.merge(&o.XY)
	j.XX.merge(&o.XX)
	j.Changed += o.Changed
	j.Moved.merge(&o.Moved)
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
	// Low and High are the 95 % interval, NaN where nothing can be said: where no
	// cluster differs, and of means where fewer than ten do.
	Low  export.Number `json:"low"`
	High export.Number `json:"high"`
	// P is the probability of a difference at least as large if there were
	// none, Adjusted the same corrected for the number of comparisons made
	// together, by Holm's method. Both are NaN where nothing can be said. P is at
	// least that of as many clusters as differ all to one side by chance, as in a
	// sign test.
	P        export.Number `json:"p"`
	Adjusted export.Number `json:"p_adjusted"`
}

// difference returns b - a; together is nil where the clusters are independent.
//
// A figure that counts what is rare varies by events that may not have come yet: a
// match that ends earlier loses wins, and that none of these held a pattern says
// little where two were to be expected. The clusters alone do not tell, so their
// variance is not taken to be less than that of the cases that one dataset has more
// than the other, each of which varies like any other case; and the interval allows
// for an event that was not seen (see [interval.Half]).
func difference(a, b *sums, together *joint, k kind) Difference {
	d := Difference{
		Value: b.ratio() - a.ratio(), Low: export.Missing, High: export.Missing, P: export.Missing, Adjusted: export.Missing,
	}
	if a.N < 2 || b.N < 2 || a.none() || b.none() {
		return d
	}
	va, vb := a.variance(), b.variance()
	xa, xb := a.X.value(), b.X.value()
	var v, freedom float64
	changed, perCase := min(a.N, b.N), (a.spread()+b.spread())/(xa+xb)
	if together != nil {
		changed = together.Changed
		if v = va + vb - 2*together.covariance(a, b); v < rounding*(va+vb) {
			v = 0
		}
		v = max(v, perCase*together.Moved.value()/(xa*xb))
		// The variance of a share is not only what the changed clusters show.
		if freedom = float64(a.N - 1); k == mean {
			freedom = float64(max(changed-1, 1))
		}
	} else if v = max(va+vb, perCase*(1/xa+1/xb)); v > 0 {
		// Welch and Satterthwaite
		freedom = v * v / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
		freedom = min(max(freedom, float64(changed-1)), float64(a.N+b.N-2))
	}
	d.Error = math.Sqrt(v)
	if d.P = 1; v == 0 {
		if d.Value != 0 {
			d.P = oneSided(changed)
		}
		return d
	}
	// The size of an event: what a cluster that differs is away in the mean, and of a
	// share at least what a case is that counts, or as many as come together.
	event := 0.0
	if together != nil {
		event = math.Sqrt(v / float64(max(changed, 1)))
	}
	if r := (a.Y.value() + b.Y.value()) / (xa + xb); k != mean && r > 0 && r < 1 {
		event = max(event, perCase/(r*(1-r))/math.Sqrt(xa*xb))
	}
	d.P = export.Number(2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(interval.Clear(d.Value, v, event)))
	if together != nil {
		d.P = min(1, max(d.P, oneSided(changed)))
	}
	if k == mean && changed < leastClusters {
		return d
	}
	half := export.Number(interval.Half(interval.StudentT(freedom), v, event))
	d.Low, d.High = export.Number(d.Value)-half, export.Number(d.Value)+half
	return d
}

// oneSided returns the probability that n clusters are all to one side.
func oneSided(n int) export.Number { return export.Number(math.Exp2(1 - float64(n))) }
