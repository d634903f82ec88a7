package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// Estimate is a ratio estimate: an amount divided by a number of cases. The cases of one
// cluster, a match or a set of duplicate matches, depend on each other, so the standard
// error is that of a ratio of sums over independent clusters.
type Estimate struct {
	// Value is Sum/Count, 0 where Count is 0.
	Value float64 `json:"value"`
	// Sum is the amount, Count the number of cases.
	Sum   float64 `json:"sum"`
	Count float64 `json:"count"`
	// Error is the standard error of Value, 0 for fewer than two clusters.
	Error float64 `json:"error"`
	// Low and High are the 95 % interval: of means by Student's t with Hall's correction
	// for skewness, of shares by Clopper and Pearson's method with the number of
	// independent cases that has the same error. Both are missing for a single cluster,
	// for means of fewer than ten clusters, and where all clusters are the same, except
	// for shares of none or all cases.
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`
	// Clusters is the number of independent clusters that have cases.
	Clusters int `json:"clusters"`
}

// ratioSums are sums over the clusters of a figure: amounts Y of cases X.
type ratioSums struct {
	N  int      `json:"N"`
	Y  exactSum `json:"Y"`
	X  exactSum `json:"X"`
	YY exactSum `json:"YY"`
	XY exactSum `json:"XY"`
	XX exactSum `json:"XX"`
	// Cubes is nil for shares, whose intervals need no skewness.
	Cubes *thirdMoments `json:"Cubes,omitempty"`
	// Control is nil but for luck-adjusted figures.
	Control *controlSums `json:"Control,omitempty"`
}

type thirdMoments struct {
	YYY exactSum `json:"YYY"`
	YYX exactSum `json:"YYX"`
	YXX exactSum `json:"YXX"`
	XXX exactSum `json:"XXX"`
}

func newRatioSums(k kind) ratioSums {
	if k == kindMean {
		return ratioSums{Cubes: &thirdMoments{}}
	}
	return ratioSums{}
}

func (s *ratioSums) sums() []*exactSum { return []*exactSum{&s.Y, &s.X, &s.YY, &s.XY, &s.XX} }

func (m *thirdMoments) sums() []*exactSum { return []*exactSum{&m.YYY, &m.YYX, &m.YXX, &m.XXX} }

// add adds a cluster. A cluster without cases does not count.
func (s *ratioSums) add(y, x float64) {
	if x == 0 {
		return
	}
	s.N++
	addAll(s.sums(), y, x, y*y, x*y, x*x)
	if s.Cubes != nil {
		addAll(s.Cubes.sums(), y*y*y, y*y*x, y*x*x, x*x*x)
	}
}

func (s *ratioSums) merge(o *ratioSums) {
	s.N += o.N
	mergeAll(s.sums(), o.sums())
	if s.Cubes != nil {
		mergeAll(s.Cubes.sums(), o.Cubes.sums())
	}
	if s.Control != nil && o.Control != nil {
		s.Control.merge(o.Control)
	}
}

func (s *ratioSums) empty() bool { return s.X == exactSum{} }

func (s *ratioSums) ratio() float64 {
	if s.empty() {
		return 0
	}
	return s.Y.value() / s.X.value()
}

// rounding bounds the rounding error of a difference of sums of squares, as a part of them:
// a smaller difference counts as 0.
const rounding = 1e-12

// spread returns the sum of squares of y - ratio*x.
func (s *ratioSums) spread() float64 {
	r, yy := s.ratio(), s.YY.value()
	v := yy - 2*r*s.XY.value() + r*r*s.XX.value()
	// Amounts that are 0 but for rounding have nothing to compare with but their cases.
	if v < rounding*yy+rounding*rounding*s.XX.value() {
		return 0
	}
	return v
}

// variance returns the variance of the ratio by linearisation: the ratio is a mean of
// y - ratio*x over clusters, divided by the mean of x.
func (s *ratioSums) variance() float64 {
	if s.N < 2 || s.empty() {
		return 0
	}
	n, x := float64(s.N), s.X.value()
	return n / (n - 1) * s.spread() / (x * x)
}

// skewness returns the skewness of y - ratio*x over clusters, 0 for shares.
func (s *ratioSums) skewness() float64 {
	c, r := s.Cubes, s.ratio()
	if c == nil {
		return 0
	}
	third := c.YYY.value() - 3*r*c.YYX.value() + 3*r*r*c.YXX.value() - r*r*r*c.XXX.value()
	return third / float64(s.N) / math.Pow(s.spread()/float64(s.N), 1.5)
}

// kind decides how the interval of a figure is computed.
type kind int

const (
	kindMean   kind = iota
	kindShare       // a share of cases
	kindAmount      // a share of an amount such as points, of which a case may be any part
)

func (m *Meaning) kind() kind {
	switch {
	case m.Unit != Share:
		return kindMean
	case m.Per == perPoint:
		return kindAmount
	}
	return kindShare
}

func (s *ratioSums) estimate(k kind) Estimate {
	e := Estimate{Value: s.ratio(), Sum: s.Y.value(), Count: s.X.value(), Error: math.Sqrt(s.variance()), Clusters: s.N}
	e.Low, e.High = interval.Missing, interval.Missing
	if s.empty() || s.N < 2 {
		return e
	}
	freedom := float64(s.N - 1)
	switch {
	case k == kindMean && e.Error > 0 && s.N >= interval.LeastClusters:
		below, above := interval.Skewed(interval.StudentT(freedom), s.skewness(), float64(s.N))
		e.Low, e.High = interval.Number(e.Value-below*e.Error), interval.Number(e.Value+above*e.Error)
	case k != kindMean && e.Error > 0 && e.Value > 0 && e.Value < 1:
		e.Low, e.High = interval.AroundShare(e.Value, interval.Effective(e.Value, e.Error, freedom))
	case k == kindShare && (e.Value == 0 || e.Value == 1):
		e.Low, e.High = interval.AroundShare(e.Value, e.Count)
	}
	return e
}

// crossSums are sums over pairs of clusters, one of each of two datasets. The first
// letter is of the first dataset.
type crossSums struct {
	YY exactSum `json:"YY"`
	YX exactSum `json:"YX"`
	XY exactSum `json:"XY"`
	XX exactSum `json:"XX"`
	// Changed is the number of pairs that differ, Moved the sum of the differences of
	// their cases.
	Changed int      `json:"Changed"`
	Moved   exactSum `json:"Moved"`
	// Most are the matches that differ most.
	Most []moved `json:"Most,omitempty"`
}

func (j *crossSums) sums() []*exactSum { return []*exactSum{&j.YY, &j.YX, &j.XY, &j.XX} }

func (j *crossSums) add(y1, x1, y2, x2 float64) {
	addAll(j.sums(), y1*y2, y1*x2, x1*y2, x1*x2)
	if y1 != y2 || x1 != x2 {
		j.Changed++
		j.Moved.add(math.Abs(x2 - x1))
	}
}

func (j *crossSums) merge(o *crossSums) {
	mergeAll(j.sums(), o.sums())
	j.Changed += o.Changed
	j.Moved.merge(&o.Moved)
	j.Most = keepMoved(append(j.Most, o.Most...))
}

func (j *crossSums) covariance(a, b *ratioSums) float64 {
	if a.N < 2 || a.empty() || b.empty() {
		return 0
	}
	n, ra, rb := float64(a.N), a.ratio(), b.ratio()
	return n / (n - 1) * (j.YY.value() - rb*j.YX.value() - ra*j.XY.value() + ra*rb*j.XX.value()) / (a.X.value() * b.X.value())
}

// Difference is the difference of two estimates.
type Difference struct {
	// Value is the second estimate less the first, Error its standard error.
	Value float64 `json:"value"`
	Error float64 `json:"error"`
	// Low and High are the 95 % interval, missing where no cluster differs, and for means
	// where fewer than ten do.
	Low  interval.Number `json:"low"`
	High interval.Number `json:"high"`
	// P is the two-sided p-value of no difference, at least that of a sign test of the
	// clusters that differ. Adjusted is corrected for the comparisons made together, by
	// Holm's method. Both are missing where there is nothing to compare.
	P        interval.Number `json:"p"`
	Adjusted interval.Number `json:"p_adjusted"`
}

func noDifference() Difference {
	return Difference{Low: interval.Missing, High: interval.Missing, P: interval.Missing, Adjusted: interval.Missing}
}

// difference returns b - a. joint is nil where the clusters are independent.
//
// A figure that counts rare events varies by events that may not have happened yet: a
// match that ends earlier loses wins, and the absence of a pattern in two expected cases
// is weak evidence. The clusters alone do not show that. So their variance is at least
// that of the cases that one dataset has more than the other, each of which varies like
// any other case, and the interval allows for an unseen event (see [interval.Half]).
func difference(a, b *ratioSums, joint *crossSums, k kind) Difference {
	d := noDifference()
	d.Value = b.ratio() - a.ratio()
	if a.N < 2 || b.N < 2 || a.empty() || b.empty() {
		return d
	}
	va, vb := a.variance(), b.variance()
	xa, xb := a.X.value(), b.X.value()
	var v, freedom float64
	changed, perCase := min(a.N, b.N), (a.spread()+b.spread())/(xa+xb)
	if joint != nil {
		changed = joint.Changed
		if v = va + vb - 2*joint.covariance(a, b); v < rounding*(va+vb) {
			v = 0
		}
		v = max(v, perCase*joint.Moved.value()/(xa*xb))
		// The clusters that did not change also bear on the variance of a share.
		if freedom = float64(a.N - 1); k == kindMean {
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
			d.P = signTest(changed)
		}
		return d
	}
	// The size of an event is the mean distance of a cluster that differs, and for a
	// share at least that of one counted case, or of as many as occur together.
	event := 0.0
	if joint != nil {
		event = math.Sqrt(v / float64(max(changed, 1)))
	}
	if r := (a.Y.value() + b.Y.value()) / (xa + xb); k != kindMean && r > 0 && r < 1 {
		event = max(event, perCase/(r*(1-r))/math.Sqrt(xa*xb))
	}
	d.P = twoSided(interval.Clear(d.Value, v, event), freedom)
	if joint != nil {
		d.P = min(1, max(d.P, signTest(changed)))
	}
	if k == kindMean && changed < interval.LeastClusters {
		return d
	}
	d.Low, d.High = interval.Around(d.Value, interval.Half(interval.StudentT(freedom), v, event))
	return d
}

// twoSided returns the p-value of a distance of so many standard errors by Student's t.
func twoSided(errors, freedom float64) interval.Number {
	return interval.Number(2 * distuv.StudentsT{Sigma: 1, Nu: freedom}.Survival(errors))
}

// signTest returns the p-value of n clusters that all differ in one direction.
func signTest(n int) interval.Number { return interval.Number(math.Exp2(1 - float64(n))) }

// Sample is the clusters of a figure.
type Sample struct {
	sums ratioSums
	kind kind
}

// NewSample returns the sample of a figure of a unit without clusters.
func NewSample(u Unit) *Sample {
	k := (&Meaning{Unit: u}).kind()
	return &Sample{newRatioSums(k), k}
}

// Add adds a cluster with its amount and its number of cases.
func (s *Sample) Add(amount, cases float64) { s.sums.add(amount, cases) }

// Estimate returns the figure.
func (s *Sample) Estimate() Estimate { return s.sums.estimate(s.kind) }

// Compare returns the difference of the figure in another sample, which is independent.
// Adjusted is missing; see [Adjust].
func (s *Sample) Compare(other *Sample) Difference {
	return difference(&s.sums, &other.sums, nil, s.kind)
}

// PairedSample is a figure of the same clusters before and after a change.
type PairedSample struct {
	Before, After *Sample
	joint         crossSums
}

// NewPairedSample returns the pair of a figure of a unit without clusters.
func NewPairedSample(u Unit) *PairedSample {
	return &PairedSample{Before: NewSample(u), After: NewSample(u)}
}

// Add adds a cluster with its amounts and its number of cases, which does not change.
func (p *PairedSample) Add(before, after, cases float64) {
	if cases == 0 {
		return
	}
	p.Before.Add(before, cases)
	p.After.Add(after, cases)
	p.joint.add(before, cases, after, cases)
}

// Difference returns the difference of the figure after the change. Adjusted is missing; see
// [Adjust].
func (p *PairedSample) Difference() Difference {
	return difference(&p.Before.sums, &p.After.sums, &p.joint, p.Before.kind)
}
