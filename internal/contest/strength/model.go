package strength

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Elo is the number of Elo points in a unit of strength: 400 points are odds of ten to one.
const Elo = 400 / math.Ln10

// strengths are the parameters of the model, by agent: of the agents of a choice, each is ahead
// with a probability proportional to the exponential of its strength.
//
// A ranking is a choice of the first among all, then of the second among the others and so on
// (Luce, Individual choice behavior, 1959; Plackett, The analysis of permutations, 1975).
type strengths []float64

// model is the data of choices with a normal prior of the strengths.
type model struct {
	choices []choice
	// counts is the number of times each choice was made, chosen the number of times each
	// agent was ahead; total is the sum of counts, at least 1.
	counts, chosen []float64
	total          float64
	// fixed marks the agents whose strength is known, nil if there are none.
	fixed []bool
}

// deviation is the standard deviation of the prior, some 870 Elo points: so wide that it matters
// only for an agent that won, or lost, all its matches.
const deviation = 5

// fit returns the strengths of maximum a posteriori probability by Newton's method, which starts
// from guess, in which the fixed strengths are. Without fixed ones their sum is 0.
func (m *model) fit(guess strengths) (strengths, error) {
	// The loss is a mean, so that the thresholds below suit ten matches and ten million. Without
	// any choice the prior alone decides.
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
		return nil, fmt.Errorf("strength: no strengths fit: slope %v: %v, %w", steepest, result.Status, err)
	}
	// The anchor leaves a sum that is 0 up to rounding. The covariance is not changed by the shift.
	if m.fixed == nil {
		floats.AddConst(-floats.Sum(result.X)/float64(len(result.X)), result.X)
	}
	return result.X, nil
}

// prior returns the weight of the prior in the loss of one choice.
func (m *model) prior() float64 { return 1 / (deviation * deviation * m.total) }

// anchor returns the weight of the term that makes the sum of the strengths 0: the likelihood
// depends on their differences alone. Fixed strengths set the scale without it.
func (m *model) anchor() float64 {
	if m.fixed != nil {
		return 0
	}
	return 1
}

// loss returns the mean negative log-likelihood of a choice, plus the prior.
func (m *model) loss(x []float64) float64 {
	f := -floats.Dot(m.chosen, x) / m.total
	for i := range m.choices {
		f += m.counts[i] / m.total * logSum(x, &m.choices[i])
	}
	sum := floats.Sum(x)
	return f + m.prior()*floats.Dot(x, x)/2 + m.anchor()*sum*sum/2
}

// logSum returns the logarithm of the sum of the exponentials of the strengths of
// the agents of a choice.
func logSum(x []float64, c *choice) float64 {
	// The largest is taken out, so that no exponential overflows for strengths far from 0.
	most := math.Inf(-1)
	for _, a := range c.all() {
		most = max(most, x[a])
	}
	sum := 0.0
	for _, a := range c.all() {
		sum += math.Exp(x[a] - most)
	}
	return most + math.Log(sum)
}

// gradient sets slope to the gradient of the loss at x, which is 0 for fixed strengths.
func (m *model) gradient(slope, x []float64) {
	// The derivative of half the squared sum is the sum itself, by every strength.
	sum, prior := m.anchor()*floats.Sum(x), m.prior()
	for a := range slope {
		slope[a] = -m.chosen[a]/m.total + prior*x[a] + sum
	}
	for i := range m.choices {
		c := &m.choices[i]
		all := logSum(x, c)
		for _, a := range c.all() {
			slope[a] += m.counts[i] / m.total * math.Exp(x[a]-all)
		}
	}
	for a, fixed := range m.fixed {
		if fixed {
			slope[a] = 0
		}
	}
}

// hessian sets h to the Hessian of the loss at x. Fixed strengths have its unit vectors, so that
// no step moves them and their covariance is 0.
func (m *model) hessian(h *mat.SymDense, x []float64) {
	prior, anchor := m.prior(), m.anchor()
	for a := range x {
		for b := a; b < len(x); b++ {
			h.SetSym(a, b, anchor)
		}
		h.SetSym(a, a, anchor+prior)
	}
	for i := range m.choices {
		c := &m.choices[i]
		all := logSum(x, c)
		weight := m.counts[i] / m.total
		for _, a := range c.all() {
			// The covariance of who is ahead: p(1-p) on the diagonal, -pq beside it. An agent with
			// two seats is visited for each, and for each pair of them, so its terms add up.
			p := math.Exp(x[a] - all)
			h.SetSym(int(a), int(a), h.At(int(a), int(a))+weight*p)
			for _, b := range c.all() {
				if a <= b {
					h.SetSym(int(a), int(b), h.At(int(a), int(b))-weight*p*math.Exp(x[b]-all))
				}
			}
		}
	}
	for a, fixed := range m.fixed {
		if !fixed {
			continue
		}
		for b := range x {
			h.SetSym(a, b, 0)
		}
		h.SetSym(a, a, 1)
	}
}
