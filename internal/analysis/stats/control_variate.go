package stats

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// folds is the number of parts in which a coefficient is cross-fitted.
const folds = 20

// controlSums are the sums of a luck-adjusted figure by fold: luck-adjusted amounts Y, cases
// X, and the luck L of the clusters. Luck has the mean 0, so it is a control
// variate: Y + L - b*L has the mean of Y + L for any coefficient b, and the least variance
// where b is the regression coefficient of the result on luck (Lavenberg and Welch, A
// perspective on the use of control variables, Management Science, 1981).
//
// The coefficient of a fold is fitted to the other folds alone, so that it depends on no
// luck that it multiplies and the mean stays unbiased (Avramidis and Wilson, A splitting
// scheme for control variates, Operations Research Letters, 1993). It is 0 where many
// clusters do not show that luck explains anything, and shrinks toward 1 where clusters are few.
type controlSums struct {
	Folds [folds]controlFold `json:"folds"`
}

type controlFold struct {
	N  int      `json:"n"`
	Y  exactSum `json:"y"`
	X  exactSum `json:"x"`
	L  exactSum `json:"l"`
	YY exactSum `json:"yy"`
	YX exactSum `json:"yx"`
	YL exactSum `json:"yl"`
	XX exactSum `json:"xx"`
	XL exactSum `json:"xl"`
	LL exactSum `json:"ll"`
}

func (f *controlFold) sums() []*exactSum {
	return []*exactSum{&f.Y, &f.X, &f.L, &f.YY, &f.YX, &f.YL, &f.XX, &f.XL, &f.LL}
}

// add adds a cluster to a fold: an amount y, from which the luck l was subtracted, of x cases.
func (c *controlSums) add(fold uint64, y, x, l float64) {
	if x == 0 {
		return
	}
	f := &c.Folds[fold%folds]
	f.N++
	addAll(f.sums(), y, x, l, y*y, y*x, y*l, x*x, x*l, l*l)
}

func (c *controlSums) merge(o *controlSums) {
	for i := range c.Folds {
		c.Folds[i].N += o.Folds[i].N
		mergeAll(c.Folds[i].sums(), o.Folds[i].sums())
	}
}

// moments are the sums of some folds. y is the amount before it was luck-adjusted.
type moments struct{ n, y, x, l, yy, yx, yl, xx, xl, ll float64 }

func (f *controlFold) moments() moments {
	l, ll, yl, xl := f.L.value(), f.LL.value(), f.YL.value(), f.XL.value()
	return moments{
		n: float64(f.N), y: f.Y.value() + l, x: f.X.value(), l: l,
		yy: f.YY.value() + 2*yl + ll, yx: f.YX.value() + xl, yl: yl + ll, xx: f.XX.value(), xl: xl, ll: ll,
	}
}

// plus returns the sums with sign times those of o.
func (m moments) plus(o moments, sign float64) moments {
	return moments{
		m.n + sign*o.n, m.y + sign*o.y, m.x + sign*o.x, m.l + sign*o.l, m.yy + sign*o.yy,
		m.yx + sign*o.yx, m.yl + sign*o.yl, m.xx + sign*o.xx, m.xl + sign*o.xl, m.ll + sign*o.ll,
	}
}

// squares returns the sum of squares of y - r*x - b*l.
func (m moments) squares(r, b float64) float64 {
	return m.yy + r*r*m.xx + b*b*m.ll - 2*r*m.yx - 2*b*m.yl + 2*r*b*m.xl
}

// leastFitted is the number of clusters from which a coefficient is fitted to them alone.
const leastFitted = 40

// coefficient returns the regression coefficient of y - r*x on luck, where r is the
// ratio, and 0 unless luck explains more of it than chance would in one case of 40.
// Fewer than leastFitted clusters are filled up with such in which a point of luck brings a point.
func (m moments) coefficient() float64 {
	if m.n < 4 || m.x == 0 || m.ll <= 0 {
		return 0
	}
	r := m.y / m.x
	common := m.yl - r*m.xl
	b := common / m.ll
	// No test whether luck explains anything here: it decides by chance among few clusters, so that
	// intervals of samples that pass are too narrow.
	if m.n < leastFitted {
		return (m.n*b + leastFitted - m.n) / leastFitted
	}
	if rest := m.squares(r, b); common*common/m.ll < 5*rest/(m.n-2) {
		return 0
	}
	return b
}

func (c *controlSums) total() (list [folds]moments, all moments) {
	for i := range c.Folds {
		list[i] = c.Folds[i].moments()
		all = all.plus(list[i], 1)
	}
	return list, all
}

// estimate returns the luck-adjusted figure. Its Sum is the adjusted amount. Where no
// fold is adjusted it is the figure itself, as plain estimates it, and where that is the same in
// all clusters: the luck there is rounding.
func (c *controlSums) estimate(plain Estimate) Estimate {
	list, all := c.total()
	var coefficients [folds]float64
	adjusted := false
	sum := all.y
	for i, m := range list {
		coefficients[i] = all.plus(m, -1).coefficient()
		adjusted = adjusted || coefficients[i] != 0
		sum -= coefficients[i] * m.l
	}
	if !adjusted || plain.Error == 0 || all.n < interval.LeastClusters {
		return plain
	}
	e := Estimate{Value: sum / all.x, Sum: sum, Count: all.x, Clusters: int(all.n), Low: interval.Missing, High: interval.Missing}
	squares := 0.0
	for i, m := range list {
		squares += m.squares(e.Value, coefficients[i])
	}
	e.Error = math.Sqrt(max(0, squares)*all.n/(all.n-1)) / all.x
	freedom := all.n - 1
	if all.n < leastFitted {
		freedom-- // that of the coefficient, which many clusters do not notice
	}
	if half := interval.StudentT(freedom) * e.Error; half > 0 {
		e.Low, e.High = interval.Around(e.Value, half)
	}
	return e
}

// worth returns the factor by which luck adjustment reduces the variance of the figure, with
// the 95 % interval of a jackknife over the folds, missing for few matches.
func (c *controlSums) worth() (value float64, low, high interval.Number) {
	list, all := c.total()
	logWorth := func(m moments) float64 {
		r := m.y / m.x
		return math.Log(m.squares(r, 0) / m.squares(r, m.coefficient()))
	}
	whole := logWorth(all)
	var without []float64
	for _, m := range list {
		if rest := all.plus(m, -1); m.n > 0 && rest.n > interval.LeastClusters {
			without = append(without, logWorth(rest))
		}
	}
	n := len(without)
	if n < interval.LeastClusters {
		return math.Exp(whole), interval.Missing, interval.Missing
	}
	half := interval.StudentT(float64(n-1)) * interval.Jackknife(without)
	return math.Exp(whole), interval.Number(math.Exp(whole - half)), interval.Number(math.Exp(whole + half))
}
