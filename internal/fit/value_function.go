package fit

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ValueOptions are the options of ValueFunction.
type ValueOptions struct {
	// From, if not nil, is a value function to continue from, with a smaller learning rate.
	From *luck.ValueFunction
	// Hidden is the sizes of the hidden layers, used without From.
	Hidden [2]int
	// Epochs is the number of passes over all samples.
	Epochs int
	// Lambda is the weight of actual gains against the values of later states in the
	// targets: 1 is Monte Carlo (TD(lambda); Sutton, Learning to Predict by the Methods of
	// Temporal Differences, 1988).
	Lambda float64
	Seed   uint64
	// Scale and DiscardWeights are those of the value function with which the samples were
	// made.
	Scale          int
	DiscardWeights [luck.NumDiscardFeatures]int16
	// Progress, if not nil, is called after each epoch with the share of the variance of
	// gains that is explained in the held-out samples; with From also before the first
	// epoch.
	Progress func(epoch int, explained float64)
}

const (
	batchRows = 1024
	peakRate  = 3e-3
	laterRate = 1e-3 // with From
	// One of heldBack hands is held out.
	heldBack = 40
)

// ValueFunction fits a value function to samples in the order of their matches.
func ValueFunction(ctx context.Context, samples []luck.Sample, o *ValueOptions) (*luck.ValueFunction, error) {
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
	n, rate := NewNetwork(o.Seed, luck.NumInputs, o.Hidden[0], o.Hidden[1], sim.NumPlayers), peakRate
	if o.From != nil {
		n, rate = networkOf(o.From), laterRate
	}
	b := n.NewBatch(batchRows)
	truth := make([][sim.NumPlayers]float32, len(samples)) // actual gains, by chair
	for i := range samples {
		truth[i] = centered(&samples[i], o.Scale)
	}
	targets := append([][sim.NumPlayers]float32(nil), truth...)
	values := make([][sim.NumPlayers]float32, len(samples))
	order := make([]int32, hold)
	for i := range order {
		order[i] = int32(i)
	}
	if o.From != nil {
		n.evaluate(b, samples, values)
		if o.Progress != nil {
			o.Progress(0, explained(values[hold:], truth[hold:]))
		}
		computeTargets(samples, truth, values, targets, float32(o.Lambda))
	}
	learn := func(batch []int32, rate float64) {
		for r, i := range batch {
			fill(b.Input(r), &samples[i].In)
		}
		n.Forward(b)
		for r, i := range batch {
			seats := int(samples[i].Seats)
			out, slope := b.Output(r)[:seats], b.Slope(r)
			center(out)
			clear(slope[seats:])
			slope = slope[:seats]
			for j := range slope {
				c := (int(samples[i].Mover) + j) % seats
				slope[j] = (out[j] - targets[i][c]) / batchRows
			}
			center(slope)
		}
		n.Learn(b, rate)
	}
	err := Epochs(ctx, rand.New(rand.NewPCG(o.Seed, 2)), order, batchRows, o.Epochs, rate, learn, func(epoch int) {
		n.evaluate(b, samples, values)
		if o.Progress != nil {
			o.Progress(epoch, explained(values[hold:], truth[hold:]))
		}
		computeTargets(samples, truth, values, targets, float32(o.Lambda))
	})
	if err != nil {
		return nil, err
	}
	return luck.NewValueFunction(n.Layers(), o.Scale, &o.DiscardWeights)
}

// computeTargets computes the TD(lambda) targets from the values of the next states.
func computeTargets(samples []luck.Sample, truth, values, targets [][sim.NumPlayers]float32, lambda float32) {
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

// evaluate computes the values of all samples by chair.
func (n *Network) evaluate(b *Batch, samples []luck.Sample, values [][sim.NumPlayers]float32) {
	for at := 0; at < len(samples); at += batchRows {
		part := samples[at:min(at+batchRows, len(samples))]
		for r := range part {
			fill(b.Input(r), &part[r].In)
		}
		n.Forward(b)
		for r := range part {
			seats := int(part[r].Seats)
			out := b.Output(r)[:seats]
			center(out)
			for j, v := range out {
				values[at+r][(int(part[r].Mover)+j)%seats] = v
			}
		}
	}
}

// explained returns the share of the variance of truth that values explain.
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

func fill(dst []float32, in *luck.Inputs) {
	for i, x := range in {
		dst[i] = float32(x) / luck.InputUnit
	}
}

// centered returns gains in multiples of scale, minus their mean.
func centered(x *luck.Sample, scale int) (v [sim.NumPlayers]float32) {
	for c, n := range x.Rest {
		v[c] = float32(n) / float32(scale)
	}
	center(v[:x.Seats])
	return v
}

// center subtracts the mean.
func center(v []float32) {
	var mean float32
	for _, x := range v {
		mean += x / float32(len(v))
	}
	for i := range v {
		v[i] -= mean
	}
}

func networkOf(e *luck.ValueFunction) *Network {
	layers := e.Layers()
	n := NewNetwork(0, luck.NumInputs, len(layers[0].Biases), len(layers[1].Biases), sim.NumPlayers)
	for i, l := range layers {
		weights, biases := n.Layer(i)
		copy(weights, l.Weights)
		copy(biases, l.Biases)
	}
	return n
}
