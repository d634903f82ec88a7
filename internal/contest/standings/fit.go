package standings

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// strengths are the parameters of a choice model, by agent: of the agents of a choice, each is
// ahead with a probability proportional to the exponential of its strength.
//
// For choices between two agents this is the model of Bradley and Terry (Rank analysis of
// incomplete block designs, 1952). For rankings, as a choice of the first among all, then of
// the second among the others and so on, it is that of Luce (Individual choice behavior, 1959)
// and Plackett (The analysis of permutations, 1975).
type strengths []float64

// choiceModel is the data of a choice model with a normal prior of the strengths.
type choiceModel struct {
	choices []choice
	// counts is the number of times each choice was made, chosen the number of times each
	// agent was ahead; total is the sum of counts, at least 1.
	counts, chosen []float64
	total          float64
}

// deviation is the standard deviation of the prior, some 870 Elo points: so wide that it matters
// only for an agent that won, or lost, all its matches.
const deviation = 5

// fit returns the strengths of maximum a posteriori probability by Newton's method, which starts
// from guess. Their sum is 0.
func (m *choiceModel) fit(guess strengths) (strengths, error) {
	m.total = max(floats.Sum(m.counts), 1)
	problem := optimize.Problem{Func: m.loss, Grad: m.gradient, Hess: m.hessian}
	result, err := optimize.Minimize(problem, guess, &optimize.Settings{GradientThreshold: 1e-9}, &optimize.Newton{})
	if result == nil {
		return nil, err
	}
	// The line search fails near the optimum, where rounding hides the gain; the gradient
	// decides.
	slope := make([]float64, len(guess))
	m.gradient(slope, result.X)
	if steepest := floats.Norm(slope, math.Inf(1)); steepest > 1e-6 {
		return nil, fmt.Errorf("standings: no strengths fit: slope %v: %v, %w", steepest, result.Status, err)
	}
	floats.AddConst(-floats.Sum(result.X)/float64(len(result.X)), result.X)
	return result.X, nil
}

// prior returns the weight of the prior in the loss of one choice.
func (m *choiceModel) prior() float64 { return 1 / (deviation * deviation * m.total) }

// loss returns the mean negative log-likelihood of a choice, plus the prior. The likelihood
// depends on differences of strengths alone; the last term makes their sum 0.
func (m *choiceModel) loss(x []float64) float64 {
	f := -floats.Dot(m.chosen, x) / m.total
	for i, c := range m.choices {
		if m.counts[i] != 0 {
			f += m.counts[i] / m.total * logSum(x, c)
		}
	}
	sum := floats.Sum(x)
	return f + m.prior()*floats.Dot(x, x)/2 + sum*sum/2
}

// logSum returns the logarithm of the sum of the exponentials of the strengths of
// the agents of a choice.
func logSum(x []float64, c choice) float64 {
	most := math.Inf(-1)
	for _, a := range []byte(c) {
		most = max(most, x[a])
	}
	sum := 0.0
	for _, a := range []byte(c) {
		sum += math.Exp(x[a] - most)
	}
	return most + math.Log(sum)
}

// gradient sets slope to the gradient of the loss at x.
func (m *choiceModel) gradient(slope, x []float64) {
	sum, prior := floats.Sum(x), m.prior()
	for a := range slope {
		slope[a] = -m.chosen[a]/m.total + prior*x[a] + sum
	}
	for i, c := range m.choices {
		if m.counts[i] == 0 {
			continue
		}
		all := logSum(x, c)
		for _, a := range []byte(c) {
			slope[a] += m.counts[i] / m.total * math.Exp(x[a]-all)
		}
	}
}

// hessian sets h to the Hessian of the loss at x.
func (m *choiceModel) hessian(h *mat.SymDense, x []float64) {
	prior := m.prior()
	for a := range x {
		for b := a; b < len(x); b++ {
			h.SetSym(a, b, 1)
		}
		h.SetSym(a, a, 1+prior)
	}
	for i, c := range m.choices {
		if m.counts[i] == 0 {
			continue
		}
		all := logSum(x, c)
		weight := m.counts[i] / m.total
		for _, a := range []byte(c) {
			p := math.Exp(x[a] - all)
			h.SetSym(int(a), int(a), h.At(int(a), int(a))+weight*p)
			for _, b := range []byte(c) {
				if a <= b {
					h.SetSym(int(a), int(b), h.At(int(a), int(b))-weight*p*math.Exp(x[b]-all))
				}
			}
		}
	}
}
