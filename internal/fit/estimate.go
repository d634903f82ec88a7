package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/chance"
)

// Options say how an estimate is fitted.
type Options struct {
	// From, if not nil, is an estimate to go on from, in smaller steps. Otherwise Hidden is
	// the number of values in each hidden layer.
	From   *chance.Estimate
	Hidden [2]int
	// Epochs is how often all samples are gone through.
	Epochs int
	// Lambda is the share of what was gained in truth, against what the estimate of
	// the next state says, at each step of the targets: 1 is truth alone
	// (TD-lambda; Sutton, 1988).
	Lambda float64
	Seed   uint64
	// Scale is the scale of the samples' amounts, Habits are those that they were
	// made with.
	Scale  int
	Habits [chance.NumHabits]int16
	// Progress, if not nil, is told after each epoch, and before the first where there is
	// something to go on from, which share of the variance of
	// what was gained the estimate explains in the samples held back.
	Progress func(epoch int, explained float64)
}

const (
	batchRows = 1024
	peakRate  = 3e-3
	laterRate = 1e-3 // of what is fitted already
	// heldBack of 40 hands is one that is not learned from.
	heldBack = 40
)

// Estimate fits an estimate to samples, which stand in the order of their matches.
func Estimate(ctx context.Context, samples []chance.Sample, o *Options) (*chance.Estimate, error) {
	for len(samples) > 0 && !samples[len(samples)-1].Last {
		samples = samples[:len(samples)-1]
	}
	hold := len(samples)
	for hands := 0; hold > 0 && (hands == 0 || hold > len(samples)-len(samples)/heldBack); {
		hold--
		if hold == 0 || samples[hold-1].Last {
			hands++
		}
	}
	if hold < batchRows {
		return nil, errors.New("fit: too few samples: play more matches")
	}
	n, rate := NewNetwork(o.Seed, chance.NumInputs, o.Hidden[0], o.Hidden[1], sim.NumPlayers), peakRate
	if o.From != nil {
		n, rate = from(o.From), laterRate
	}
	b := n.NewBatch(batchRows)
	truth := make([][sim.NumPlayers]float32, len(samples)) // by chair
	for i := range samples {
		truth[i] = centred(&samples[i].Rest, o.Scale)
	}
	targets := append([][sim.NumPlayers]float32(nil), truth...)
	values := make([][sim.NumPlayers]float32, len(samples))
	rng := rand.New(rand.NewPCG(o.Seed, 2))
	order := make([]int32, hold)
	for i := range order {
		order[i] = int32(i)
	}
	if o.From != nil {
		n.evaluate(b, samples, values)
		if o.Progress != nil {
			o.Progress(0, explained(values[hold:], truth[hold:]))
		}
		follow(samples, truth, values, targets, float32(o.Lambda))
	}
	steps, all := 0, o.Epochs*(hold/batchRows)
	for epoch := range o.Epochs {
		rng.Shuffle(hold, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at+batchRows <= hold; at += batchRows {
			if err := checkContext(ctx); err != nil {
				return nil, err
			}
			for r, i := range order[at : at+batchRows] {
				fill(b.Input(r), &samples[i].In)
			}
			n.Forward(b)
			for r, i := range order[at : at+batchRows] {
				out, slope := b.Output(r), b.Slope(r)
				centre(out)
				for j := range slope {
					c := (int(samples[i].Mover) + j) & 3
					slope[j] = (out[j] - targets[i][c]) / batchRows
				}
				centre(slope)
			}
			n.Learn(b, Rate(rate, float64(steps)/float64(all)))
			steps++
		}
		n.evaluate(b, samples, values)
		if o.Progress != nil {
			o.Progress(epoch+1, explained(values[hold:], truth[hold:]))
		}
		follow(samples, truth, values, targets, float32(o.Lambda))
	}
	return n.estimate(o)
}

// follow works out the targets from the values of the states that followed.
func follow(samples []chance.Sample, truth, values, targets [][sim.NumPlayers]float32, lambda float32) {
	for i := len(samples) - 1; i >= 0; i-- {
		if samples[i].Last {
			targets[i] = truth[i]
			continue
		}
		for c := range targets[i] {
			targets[i][c] = truth[i][c] - truth[i+1][c] + (1-lambda)*values[i+1][c] + lambda*targets[i+1][c]
		}
	}
}

// evaluate works out the values of all samples by chair.
func (n *Network) evaluate(b *Batch, samples []chance.Sample, values [][sim.NumPlayers]float32) {
	for at := 0; at < len(samples); at += batchRows {
		part := samples[at:min(at+batchRows, len(samples))]
		for r := range part {
			fill(b.Input(r), &part[r].In)
		}
		n.Forward(b)
		for r := range part {
			out := b.Output(r)
			centre(out)
			for j, v := range out {
				values[at+r][(int(part[r].Mover)+j)&3] = v
			}
		}
	}
}

func explained(values, truth [][sim.NumPlayers]float32) float64 {
	var left, all float64
	for i := range values {
		for c, v := range values[i] {
			d, t := float64(truth[i][c]-v), float64(truth[i][c])
			left += d * d
			all += t * t
		}
	}
	return 1 - left/all
}

func fill(dst []float32, in *chance.Inputs) {
	for i, x := range in {
		dst[i] = float32(x) / chance.InputUnit
	}
}

func centred(rest *[sim.NumPlayers]int32, scale int) (v [sim.NumPlayers]float32) {
	for c, n := range rest {
		v[c] = float32(n) / float32(scale)
	}
	centre(v[:])
	return v
}

// centre takes the mean off.
func centre(v []float32) {
	var mean float32
	for _, x := range v {
		mean += x / float32(len(v))
	}
	for i := range v {
		v[i] -= mean
	}
}

// estimate rounds the network.
func (n *Network) estimate(o *Options) (*chance.Estimate, error) {
	var layers [3]chance.Layer
	for i := range layers {
		weights, biases := n.Layer(i)
		bits := chance.LaterBiasBits
		if i == 0 {
			bits = chance.FirstBiasBits
		}
		for _, w := range weights {
			layers[i].Weights = append(layers[i].Weights, int16(fixed(w, chance.WeightBits, math.MinInt16, math.MaxInt16)))
		}
		for _, b := range biases {
			layers[i].Biases = append(layers[i].Biases, int32(fixed(b, bits, math.MinInt32, math.MaxInt32)))
		}
	}
	return chance.NewEstimate(layers, o.Scale, &o.Habits)
}

// from returns the network of an estimate.
func from(e *chance.Estimate) *Network {
	layers := e.Layers()
	sizes := []int{chance.NumInputs}
	for _, l := range layers {
		sizes = append(sizes, len(l.Biases))
	}
	n := NewNetwork(0, sizes...)
	for i, l := range layers {
		weights, biases := n.Layer(i)
		bits := chance.LaterBiasBits
		if i == 0 {
			bits = chance.FirstBiasBits
		}
		for j, w := range l.Weights {
			weights[j] = float32(math.Ldexp(float64(w), -chance.WeightBits))
		}
		for j, b := range l.Biases {
			biases[j] = float32(math.Ldexp(float64(b), -bits))
		}
	}
	return n
}

// fixed returns v with a number of bits after the point, within bounds.
func fixed(v float32, bits int, low, high float64) int64 {
	return int64(max(low, min(math.Round(math.Ldexp(float64(v), bits)), high)))
}
