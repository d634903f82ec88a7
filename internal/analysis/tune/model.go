package tune

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// model predicts a figure of rulesets that were not played: a Gaussian process over the knobs
// with a squared exponential kernel (Rasmussen and Williams, Gaussian processes for machine
// learning, 2006, chapter 2).
type model struct {
	points [][]float64
	// mean and spread are the mean and the standard deviation of the values. length is the
	// length scale of the kernel, noise the variance of the errors in squared spreads.
	mean, spread  float64
	length, noise float64
	chol          mat.Cholesky
	weights       *mat.VecDense
}

// lengths are the length scales to choose from, in widths of the range of a knob.
var lengths = []float64{0.15, 0.3, 0.6, 1.2, 2.4}

// newModel fits a model to values at points, each with a standard error, with the length scale of
// the largest likelihood. It is nil if none can be fitted.
func newModel(points [][]float64, values, errs []float64) *model {
	best := math.Inf(-1)
	var fitted *model
	mean, spread := stat.MeanStdDev(values, nil)
	spread = max(spread, 1e-9*(1+math.Abs(mean)))
	noise := 1e-6
	for _, e := range errs {
		noise += e * e / spread / spread / float64(len(errs))
	}
	for _, length := range lengths {
		m := &model{points: points, mean: mean, spread: spread, length: length, noise: noise}
		if l := m.fit(values); l > best {
			best, fitted = l, m
		}
	}
	return fitted
}

// fit computes the weights of the points and returns the log marginal likelihood of the values
// without its constant.
func (m *model) fit(values []float64) float64 {
	n := len(m.points)
	k, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		y.SetVec(i, (values[i]-m.mean)/m.spread)
		for j := range i + 1 {
			k.SetSym(i, j, m.kernel(m.points[i], m.points[j]))
		}
		k.SetSym(i, i, 1+m.noise)
	}
	m.weights = mat.NewVecDense(n, nil)
	if !m.chol.Factorize(k) || m.chol.SolveVecTo(m.weights, y) != nil {
		return math.Inf(-1)
	}
	return -mat.Dot(y, m.weights)/2 - m.chol.LogDet()/2
}

// kernel returns the correlation of two points.
func (m *model) kernel(a, b []float64) float64 {
	square := 0.0
	for i, x := range a {
		square += (x - b[i]) * (x - b[i])
	}
	return math.Exp(-square / (2 * m.length * m.length))
}

// predict returns the mean and the standard deviation of the figure at a point.
func (m *model) predict(point []float64) (value, deviation float64) {
	k, solved := mat.NewVecDense(len(m.points), nil), mat.NewVecDense(len(m.points), nil)
	for i, p := range m.points {
		k.SetVec(i, m.kernel(p, point))
	}
	variance := 1.0
	if m.chol.SolveVecTo(solved, k) == nil {
		variance = max(1-mat.Dot(k, solved), 0)
	}
	return m.mean + m.spread*mat.Dot(k, m.weights), m.spread * math.Sqrt(variance)
}
