package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// Habits fits by which figures discards are likely to choices that were made: the
// logarithm of a discard's likelihood is a sum of its figures. Progress, if not nil,
// is told after each epoch which share of the discards held back is the likeliest one,
// and the mean logarithm of their likelihoods.
func Habits(ctx context.Context, choices []chance.Choice, seed uint64, progress func(epoch int, right, loss float64)) (habits [chance.NumHabits]int16, err error) {
	const (
		epochs    = 5
		batch     = 64
		rate      = 0.02
		fewest    = 1000
		habitBits = 8
	)
	if len(choices) < fewest {
		return habits, errors.New("fit: too few discards: play more matches")
	}
	hold := len(choices) - len(choices)/heldBack
	rng := rand.New(rand.NewPCG(seed, 3))
	weights := make([]float32, chance.NumHabits)
	grads := make([]float32, chance.NumHabits)
	m := moment{make([]float32, chance.NumHabits), make([]float32, chance.NumHabits)}
	steps, all := 0, epochs*(hold/batch)
	for epoch := range epochs {
		order := rng.Perm(hold)
		for at := 0; at+batch <= hold; at += batch {
			if err := checkContext(ctx); err != nil {
				return habits, err
			}
			clear(grads)
			for _, i := range order[at : at+batch] {
				c := &choices[i]
				for j, p := range likelihoods(c, weights) {
					if j == c.Made {
						p--
					}
					for f, x := range c.Discards[j].Figures {
						grads[f] += p * float32(x) / chance.InputUnit / batch
					}
				}
			}
			steps++
			m.step(weights, grads, Rate(rate, float64(steps)/float64(all)), steps)
		}
		if progress != nil {
			right, loss := 0.0, 0.0
			for i := hold; i < len(choices); i++ {
				c := &choices[i]
				p := likelihoods(c, weights)
				best := 0
				for j := range p {
					if p[j] > p[best] {
						best = j
					}
				}
				if best == c.Made {
					right++
				}
				loss -= math.Log(float64(p[c.Made]))
			}
			n := float64(len(choices) - hold)
			progress(epoch+1, right/n, loss/n)
		}
	}
	for f, w := range weights {
		habits[f] = int16(fixed(w, habitBits, math.MinInt16, math.MaxInt16))
	}
	return habits, nil
}

// likelihoods returns how likely each of the discards is.
func likelihoods(c *chance.Choice, weights []float32) []float32 {
	p := make([]float32, len(c.Discards))
	most := float32(math.Inf(-1))
	for j := range p {
		for f, x := range c.Discards[j].Figures {
			p[j] += weights[f] * float32(x) / chance.InputUnit
		}
		most = max(most, p[j])
	}
	sum := float32(0)
	for j := range p {
		p[j] = float32(math.Exp(float64(p[j] - most)))
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}
