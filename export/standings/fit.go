package standings

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// strengths are the parameters of a choice model: of some agents, one is ahead
// with a probability in proportion to the exponential of its strength.
//
// Of two agents at a time this is the model of Bradley and Terry (Rank analysis
// of incomplete block designs, 1952), of rankings, taken as a choice of the best
// and then of the best of the others, that of Luce (Individual choice behavior,
// 1959) and Plackett (The analysis of permutations, 1975).
type strengths []float64

// choiceModel is the likelihood of choices.
type choiceModel struct {
	choices []choice
	// counts is how often each choice was made, chosen how often each agent was
	// ahead in them.
	counts, chosen []float64
	total          float64
}

// deviation is that of the normal prior of strengths, which is so wide that it
// matters only where an agent won, or lost, all its matches: some 870 Elo points.
const deviation = 5

// fit returns the most likely strengths, which add up to nothing, beginning from
// a guess.
func (m *choiceModel) fit(guess strengths) (strengths, error) {
	m.total = max(floats.Sum(m.counts), 1)
	problem := optimize.Problem{Func: m.loss, Grad: m.gradient, Hess: m.hessian}
	result, err := optimize.Minimize(problem, guess, &optimize.Settings{GradientThreshold: 1e-9}, &optimize.Newton{})
	if result == nil {
		return nil, err
	}
	// The line search gives up where rounding hides what is left to gain.
	slope := make([]float64, len(guess))
	m.gradient(slope, result.X)
	if steepest := floats.Norm(slope, math.Inf(1)); steepest > 1e-6 {
		return nil, fmt.Errorf("standings: no strengths fit: slope %v: %v, %w", steepest, result.Status, err)
	}
	floats.AddConst(-floats.Sum(result.X)/float64(len(result.X)), result.X)
	return result.X, nil
}

// prior returns the weight of the prior in the loss, which is that of one choice.
func (m *choiceModel) prior() float64 { return 1 / (deviation * deviation * m.total) }

// loss returns the negative logarithm of the likelihood of a choice. Only
// differences of strengths matter, so their sum is kept at nothing.
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
