package fit

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// Linear fits a linear estimate by least squares, which leaves the least variance, and
// returns the share of what hands bring that it explains.
func Linear(samples []chance.LinearSample) (*chance.Linear, float64, error) {
	if len(samples) < 10*chance.NumTerms {
		return nil, 0, errTooFew
	}
	row := func(i int) ([]float64, float64) { return samples[i].Terms[:], samples[i].Gain }
	weights, explained, err := leastSquares(len(samples), chance.NumTerms, row)
	if err != nil {
		return nil, 0, err
	}
	line := new(chance.Linear)
	for t := range line {
		line[t] = int64(math.Round(weights[t] * chance.LuckUnit))
	}
	return line, explained, nil
}

// Blend fits how much counts of what a network and a linear estimate say, likewise, to
// hands that neither was fitted to.
func Blend(samples []chance.BlendSample) (b chance.Blend, explained float64, err error) {
	if len(samples) < 20*chance.NumClasses {
		return b, 0, errTooFew
	}
	row := func(i int) ([]float64, float64) { return samples[i].Parts[:], samples[i].Gain }
	weights, explained, err := leastSquares(len(samples), 2*chance.NumClasses, row)
	if err != nil {
		return b, 0, err
	}
	whole := chance.Whole()
	for i := range b {
		for c := range b[i] {
			b[i][c] = int16(max(math.MinInt16, min(math.Round(weights[i*chance.NumClasses+c]*float64(whole[0][c])), math.MaxInt16)))
		}
	}
	return b, explained, nil
}

var errTooFew = errors.New("fit: too few hands: play more matches")

// leastSquares returns the weights of the columns of n rows, the sum of which comes
// nearest to what the rows are to be, and which share of that it explains.
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
	// A column of nothing must not make the rest unsolvable.
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
