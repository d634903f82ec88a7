package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
)

// DiscardModel fits the weights of the features of discards to choices: a multinomial
// logistic regression. Progress, if not nil, is called after each epoch with the share
// of held-out discards that are the likeliest ones, and their mean negative log-
// likelihood.
func DiscardModel(ctx context.Context, choices []luck.DiscardChoice, seed uint64, progress func(epoch int, right, loss float64)) (fitted [luck.NumDiscardFeatures]int16, err error) {
	const (
		epochs     = 5
		batch      = 64
		rate       = 0.02
		fewest     = 1000
		weightBits = 8
	)
	if len(choices) < fewest {
		return fitted, errors.New("fit: too few discards: play more matches")
	}
	hold := len(choices) - len(choices)/heldBack
	rng := rand.New(rand.NewPCG(seed, 3))
	weights := make([]float32, luck.NumDiscardFeatures)
	grads := make([]float32, luck.NumDiscardFeatures)
	adam := newAdam(luck.NumDiscardFeatures)
	steps, all := 0, epochs*(hold/batch)
	for epoch := range epochs {
		order := rng.Perm(hold)
		for at := 0; at+batch <= hold; at += batch {
			if err := checkContext(ctx); err != nil {
				return fitted, err
			}
			clear(grads)
			for _, i := range order[at : at+batch] {
				c := &choices[i]
				for j, p := range likelihoods(c, weights) {
					if j == c.Made {
						p--
					}
					for f, x := range c.Discards[j].Features {
						grads[f] += p * float32(x) / luck.InputUnit / batch
					}
				}
			}
			steps++
			adam.step(weights, grads, rateAfter(rate, float64(steps)/float64(all)), steps)
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
		fitted[f] = int16(max(math.MinInt16, min(math.Round(math.Ldexp(float64(w), weightBits)), math.MaxInt16)))
	}
	return fitted, nil
}

// likelihoods returns the probability of each of the discards.
func likelihoods(c *luck.DiscardChoice, weights []float32) []float32 {
	p := make([]float32, len(c.Discards))
	most := float32(math.Inf(-1))
	for j := range p {
		for f, x := range c.Discards[j].Features {
			p[j] += weights[f] * float32(x) / luck.InputUnit
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
