package fitting

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
)

// BeliefScore is the mean negative log-likelihood (cross entropy) of hidden information
// under a belief network; less is better.
type BeliefScore struct {
	// Ready is that of whether an undeclared player is tenpai, Win that of whether a
	// discard deals in.
	Ready, Win float64
	// Held is that of where an unseen tile is; Even is the same if only the numbers of
	// tiles are known.
	Held, Even float64
}

// Beliefs fits a belief network to samples under rules of a FittedName. It calls progress
// after each epoch with the score of the held-out samples. Of the options it ignores From,
// Batch, Decay, Weights and Progress.
func Beliefs(ctx context.Context, fitted string, samples []BeliefSample, o *PairOptions, progress func(epoch int, s BeliefScore)) (*perceptron.Network, error) {
	const batch = 64
	hold := len(samples) - len(samples)/beliefsHeldBack
	if hold < fewestBeliefs {
		return nil, errors.New("fitting: too few decisions: play more matches")
	}
	o.Sizes.Inputs, o.Sizes.Outputs = belief.NumInputs, belief.NumOutputs
	n := newPairNetwork(o)
	rng := rand.New(rand.NewPCG(o.Seed, 5))
	passes := make([]*beliefPass, shards)
	shardPasses := make([]*pass, shards)
	for i := range passes {
		passes[i] = n.newBeliefPass()
		shardPasses[i] = passes[i].pass
	}
	all := o.Epochs * (hold / batch)
	for epoch := range o.Epochs {
		order := rng.Perm(hold)
		for at := 0; at+batch <= hold; at += batch {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			n.runShards(func(s int) {
				p := passes[s]
				for i := range p.grads {
					clear(p.grads[i])
				}
				const size = batch / shards
				for _, i := range order[at+s*size : at+(s+1)*size] {
					p.learn(&samples[i])
				}
			})
			n.step(shardPasses, fit.Rate(o.Rate, float64(n.steps)/float64(all)))
		}
		progress(epoch+1, passes[0].score(samples[hold:]))
	}
	return n.Round(belief.Purpose(fitted))
}

// One of beliefsHeldBack samples is held out. fewestBeliefs is the least number of
// samples to learn from.
const beliefsHeldBack, fewestBeliefs = 20, 1280

// beliefRow is the state of the network for a player, or for a kind in the player's
// hand.
type beliefRow struct {
	h, z       []float32
	out, slope [belief.NumOutputs]float32
	inputs     []perceptron.Input
}

// beliefPass is the scratch space of one goroutine: a row for each player, and the sums
// over the player's inputs with their slopes.
type beliefPass struct {
	*pass
	rows   [3]beliefRow
	sums   [3][]float32
	slopes [3][]float32
}

func (n *PairNetwork) newBeliefPass() *beliefPass {
	p, s := &beliefPass{pass: n.newPass()}, n.sizes
	for i := range p.rows {
		p.rows[i].h, p.rows[i].z = make([]float32, s.First), make([]float32, s.Second)
		p.sums[i], p.slopes[i] = make([]float32, s.First), make([]float32, s.First)
	}
	return p
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// begin sums the inputs of player i.
func (p *beliefPass) begin(i int, inputs []perceptron.Input) {
	n, s := p.n, p.n.sizes
	copy(p.sums[i], n.params[1])
	clear(p.slopes[i])
	for _, t := range inputs {
		axpy(float32(t.Value)/perceptron.One, n.params[0][int(t.At)*s.First:(int(t.At)+1)*s.First], p.sums[i])
	}
}

// forward computes the outputs for player i with the inputs of a kind.
func (p *beliefPass) forward(i int, inputs []perceptron.Input) *beliefRow {
	n, s, r := p.n, p.n.sizes, &p.rows[i]
	r.inputs = inputs
	copy(r.h, p.sums[i])
	for _, t := range inputs {
		axpy(float32(t.Value)/perceptron.One, n.params[0][int(t.At)*s.First:(int(t.At)+1)*s.First], r.h)
	}
	n.secondLayer(r.h, r.z)
	copy(r.out[:], n.params[5])
	for j, v := range r.z {
		if v <= 0 {
			r.z[j] = 0
			continue
		}
		for o := range r.out {
			r.out[o] += v * n.params[4][j*s.Outputs+o]
		}
	}
	clear(r.slope[:])
	return r
}

// backward adds the gradient of the last forward of player i.
func (p *beliefPass) backward(i int) {
	s, r := p.n.sizes, &p.rows[i]
	if r.slope == [belief.NumOutputs]float32{} {
		return
	}
	for o, g := range r.slope {
		p.grads[5][o] += g
	}
	p.pass.backward(r.h, r.z, r.slope[:])
	axpy(1, p.slope, p.slopes[i])
	for _, t := range r.inputs {
		axpy(float32(t.Value)/perceptron.One, p.slope, p.grads[0][int(t.At)*s.First:(int(t.At)+1)*s.First])
	}
}

// finish adds the gradient of the inputs of player i.
func (p *beliefPass) finish(i int, inputs []perceptron.Input) {
	s := p.n.sizes
	axpy(1, p.slopes[i], p.grads[1])
	for _, t := range inputs {
		axpy(float32(t.Value)/perceptron.One, p.slopes[i], p.grads[0][int(t.At)*s.First:(int(t.At)+1)*s.First])
	}
}

// The weights of the parts of the loss, and a factor that keeps the gradients of a
// batch at the usual size.
const (
	beliefUnit  = 1.0 / 1500
	heldWeight  = 0.3
	readyWeight = 1
	winWeight   = 3
	lossWeight  = 0.3
)

func (p *beliefPass) learn(x *BeliefSample) {
	for i := range x.Players {
		o := &x.Players[i]
		p.begin(i, o.Inputs)
		if !o.Declared {
			r := p.forward(i, nil)
			y := float32(0)
			if o.Ready {
				y = 1
			}
			r.slope[belief.OutReady] = readyWeight * beliefUnit * (sigmoid(r.out[belief.OutReady]) - y)
			p.backward(i)
		}
	}
	for j := range x.Kinds {
		k := &x.Kinds[j]
		for i := range k.Players {
			p.forward(i, k.Players[i].Inputs)
		}
		var share [3]float32
		p.shares(x, &share)
		for i := range k.Players {
			o, r := &k.Players[i], &p.rows[i]
			if k.Unseen > 0 {
				r.slope[belief.OutHeld] = heldWeight * beliefUnit * (share[i]*float32(k.Unseen) - float32(o.Held))
			}
			if o.Asked {
				y := float32(0)
				if o.Won {
					y = 1
					r.slope[belief.OutLoss] = lossWeight * beliefUnit * (r.out[belief.OutLoss] - min(float32(o.Loss)/1000, 6))
				}
				r.slope[belief.OutWin] = winWeight * beliefUnit * (sigmoid(r.out[belief.OutWin]) - y)
			}
			p.backward(i)
		}
	}
	for i := range x.Players {
		p.finish(i, x.Players[i].Inputs)
	}
}

// shares computes the share of a kind that each player holds.
func (p *beliefPass) shares(x *BeliefSample, share *[3]float32) {
	sum := float32(x.Wall)
	for i := range x.Players {
		share[i] = float32(x.Players[i].Hidden) * float32(math.Exp(float64(min(p.rows[i].out[belief.OutHeld], 8))))
		sum += share[i]
	}
	for i := range share {
		share[i] /= sum
	}
}

func (p *beliefPass) score(samples []BeliefSample) (s BeliefScore) {
	var ready, wins, tiles float64
	for i := range samples {
		x := &samples[i]
		all := float64(x.Wall)
		for j := range x.Players {
			o := &x.Players[j]
			all += float64(o.Hidden)
			p.begin(j, o.Inputs)
			if !o.Declared {
				ready++
				s.Ready += surprise(sigmoid(p.forward(j, nil).out[belief.OutReady]), o.Ready)
			}
		}
		for j := range x.Kinds {
			k := &x.Kinds[j]
			none, asked, won := float32(1), false, false
			for i := range k.Players {
				r := p.forward(i, k.Players[i].Inputs)
				if k.Players[i].Asked {
					asked, won = true, won || k.Players[i].Won
					none *= 1 - sigmoid(r.out[belief.OutWin])
				}
			}
			if asked {
				wins++
				s.Win += surprise(1-none, won)
			}
			if k.Unseen == 0 {
				continue
			}
			tiles += float64(k.Unseen)
			var share [3]float32
			p.shares(x, &share)
			rest, wall, even := float64(k.Unseen), 1.0, 1.0
			for i := range k.Players {
				n, part := float64(k.Players[i].Held), float64(x.Players[i].Hidden)/all
				s.Held -= n * math.Log(float64(share[i]))
				s.Even -= n * math.Log(part)
				rest, wall, even = rest-n, wall-float64(share[i]), even-part
			}
			if rest > 0 { // the wall may be empty
				s.Held -= rest * math.Log(wall)
				s.Even -= rest * math.Log(even)
			}
		}
	}
	s.Ready, s.Win, s.Held, s.Even = s.Ready/ready, s.Win/wins, s.Held/tiles, s.Even/tiles
	return s
}

// surprise returns the negative logarithm of the probability given to the outcome.
func surprise(chance float32, happened bool) float64 {
	const least = 1e-6
	if !happened {
		chance = 1 - chance
	}
	return -math.Log(max(float64(chance), least))
}
