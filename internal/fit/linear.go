package fit

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
)

// Linear fits a linear value function by least squares. It also returns the share of the
// variance of gains that the function explains.
func Linear(samples []luck.LinearSample) (*luck.Linear, float64, error) {
	if len(samples) < 10*luck.NumTerms {
		return nil, 0, errTooFew
	}
	row := func(i int) ([]float64, float64) { return samples[i].Terms[:], samples[i].Gain }
	weights, explained, err := leastSquares(len(samples), luck.NumTerms, row)
	if err != nil {
		return nil, 0, err
	}
	line := new(luck.Linear)
	for t := range line {
		line[t] = int64(math.Round(weights[t] * luck.Unit))
	}
	return line, explained, nil
}

// Blend fits the weights of a network and of a linear value function by least squares,
// to hands that neither was fitted to. It returns the share of the variance of gains
// that the blend explains.
func Blend(samples []luck.BlendSample) (b luck.Blend, explained float64, err error) {
	if len(samples) < 20*luck.NumClasses {
		return b, 0, errTooFew
	}
	row := func(i int) ([]float64, float64) { return samples[i].Parts[:], samples[i].Gain }
	weights, explained, err := leastSquares(len(samples), 2*luck.NumClasses, row)
	if err != nil {
		return b, 0, err
	}
	for i := range b {
		for c := range b[i] {
			b[i][c] = int16(max(math.MinInt16, min(math.Round(weights[i*luck.NumClasses+c]*luck.BlendUnit), math.MaxInt16)))
		}
	}
	return b, explained, nil
}

var errTooFew = errors.New("fit: too few hands: play more matches")

// leastSquares returns the weights of the columns that minimize the squared error over
// n rows, and the share of the targets' squares that they explain.
func leastSquares(n, columns int, row func(i int) ([]float64, float64)) ([]float64, float64, error) {
	products := mat.NewSymDense(columns, nil)
	right := mat.NewVecDense(columns, nil)
	all := 0.0
	for i := range n {
		x, y := row(i)
		v := mat.NewVecDense(columns, x)
		products.SymRankOne(products, 1, v)
		right.AddScaledVec(right, y, v)
		all += y * y
	}
	// The ridge keeps the system solvable if a column is zero.
	const ridge = 1
	for c := range columns {
		products.SetSym(c, c, products.At(c, c)+ridge)
	}
	var solver mat.Cholesky
	if !solver.Factorize(products) {
		return nil, 0, errors.New("fit: the columns depend on each other")
	}
	var weights mat.VecDense
	if err := solver.SolveVecTo(&weights, right); err != nil {
		return nil, 0, err
	}
	return weights.RawVector().Data, mat.Dot(&weights, right) / all, nil
}
