// Package fitting fits the files that the program embeds and users do not fit themselves. The
// network of expert is fitted to pairs of rollouts, the networks of beliefs to the hidden tiles
// of self-play, and the tables of how hands end to its results. Command train is the only user.
// Results are the same for any number of workers.
//
//	n, err := fitting.Pairs(ctx, rows, &fitting.PairOptions{Sizes: sizes, Epochs: 3, Batch: 512, Rate: 0.002})
//	network, err := n.Round(heuristic.Purpose(fitted))
package fitting

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/fit"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
)

// NumTargets is the number of amounts by which two actions are compared.
const NumTargets = 2

// PairRow is a pair of actions at one decision, with the inputs of both.
type PairRow struct {
	// Gain is how much more the other action brought than the one played, in multiples
	// of the scale, for each target.
	Gain [NumTargets]float32
	// HeldOut excludes the row from training.
	HeldOut bool
	// inputs are numSituation of the situation, numPlayed of the action played, and those of
	// the other.
	inputs                  []perceptron.Input
	numSituation, numPlayed int
}

// NewPairRow returns a row. It appends the inputs to room, which must not be changed
// afterwards.
func NewPairRow(room *[]perceptron.Input, situation, played, other []perceptron.Input) PairRow {
	first := len(*room)
	for _, list := range [...][]perceptron.Input{situation, played, other} {
		*room = append(*room, list...)
	}
	return PairRow{inputs: (*room)[first:len(*room):len(*room)], numSituation: len(situation), numPlayed: len(played)}
}

// PairOptions are the options of Pairs.
type PairOptions struct {
	// Sizes are those of the network.
	Sizes perceptron.Sizes
	// From, if not nil, is the network to start from, with the same inputs and outputs and
	// hidden layers no larger than Sizes. Additional hidden values start with no effect on
	// the outputs.
	From *perceptron.Network
	// Epochs is the number of passes over all rows.
	Epochs int
	// Batch is the number of rows of a step, at least 1. Noisier rows need larger batches.
	Batch int
	// Rate is the peak learning rate.
	Rate float64
	// Decay is the decoupled weight decay, relative to the learning rate.
	Decay float64
	Seed  uint64
	// Weights are the weights of the targets in the loss.
	Weights [NumTargets]float32
	// Progress, if not nil, is called after each epoch.
	Progress func(epoch int, p *PairNetwork)
}

// maxGain is the gain, in multiples of the scale, to which larger ones are clipped: they are
// mostly chance.
const maxGain = 2.5

// PairNetwork is a network that predicts the gain of an action, in floating point. It is
// fitted to differences of two actions, so only differences of its outputs have a meaning.
type PairNetwork struct {
	net   *fit.Network
	batch *fit.Batch // two rows for each of size pairs: the action played, then the other
	size  int
	rows  []PairRow
}

// Pairs fits a network to rows that are not held out.
func Pairs(ctx context.Context, rows []PairRow, o *PairOptions) (*PairNetwork, error) {
	var order []*PairRow
	for i := range rows {
		if !rows[i].HeldOut {
			order = append(order, &rows[i])
		}
	}
	if len(order) < o.Batch {
		return nil, fmt.Errorf("fitting: %d pairs to learn from, but a batch is %d: make more, or take smaller batches", len(order), o.Batch)
	}
	net := newNetwork(o)
	n := &PairNetwork{net: net, batch: net.NewBatch(2 * o.Batch), size: o.Batch, rows: rows}
	learn := func(pairs []*PairRow, rate float64) { n.learn(pairs, o, rate) }
	err := fit.Epochs(ctx, rand.New(rand.NewPCG(o.Seed, 3)), order, o.Batch, o.Epochs, o.Rate, learn, func(epoch int) {
		if o.Progress != nil {
			o.Progress(epoch, n)
		}
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// newNetwork returns the network to begin with.
func newNetwork(o *PairOptions) *fit.Network {
	s := o.Sizes
	n := fit.NewNetwork(o.Seed, s.Inputs, s.First, s.Second, s.Outputs)
	n.Decay = o.Decay
	// Of the many inputs few are not zero, and small outputs leave the loss near that of no network.
	for i, factor := range [...]float32{2, 1, 0.1} {
		weights, _ := n.Layer(i)
		for j := range weights {
			weights[j] *= factor
		}
	}
	if o.From == nil {
		return n
	}
	in, out := [3]int{o.From.Inputs, o.From.First, o.From.Second}, [3]int{s.First, s.Second, s.Outputs}
	for i, l := range o.From.Layers() {
		old := len(l.Biases)
		weights, biases := n.Layer(i)
		copy(biases, l.Biases)
		for k := range in[i] {
			copy(weights[k*out[i]:], l.Weights[k*old:(k+1)*old])
		}
		// Weights from new hidden values to old outputs start at zero.
		if i > 0 {
			for k := in[i] * out[i]; k < len(weights); k += out[i] {
				clear(weights[k:][:old])
			}
		}
	}
	return n
}

// forward computes the outputs for both actions of pairs, as many as a batch at most.
func (n *PairNetwork) forward(pairs []*PairRow) {
	for i, r := range pairs {
		played, other := n.batch.Input(2*i), n.batch.Input(2*i+1)
		clear(played)
		clear(other)
		for k, x := range r.inputs {
			ofPlayed, v := k < r.numSituation+r.numPlayed, float32(x.Value)/perceptron.One
			if ofPlayed {
				played[x.At] += v
			}
			if !ofPlayed || k < r.numSituation {
				other[x.At] += v
			}
		}
	}
	n.net.Forward(n.batch)
}

// more returns how much more the other action of pair i of the batch gains.
func (n *PairNetwork) more(i int) (more [NumTargets]float32) {
	played, other := n.batch.Output(2*i), n.batch.Output(2*i+1)
	for t := range more {
		more[t] = other[t] - played[t]
	}
	return more
}

// learn takes an optimizer step by the squared errors of a batch of pairs.
func (n *PairNetwork) learn(pairs []*PairRow, o *PairOptions, rate float64) {
	n.forward(pairs)
	for i, r := range pairs {
		played, other := n.batch.Slope(2*i), n.batch.Slope(2*i+1)
		for t, more := range n.more(i) {
			other[t] = (more - max(-maxGain, min(r.Gain[t], maxGain))) * o.Weights[t] / float32(o.Batch)
			played[t] = -other[t]
		}
	}
	n.net.Learn(n.batch, rate)
}

// Predict calls each for the held-out rows with the predicted gains.
func (n *PairNetwork) Predict(each func(r *PairRow, more [NumTargets]float32)) {
	var held []*PairRow
	for i := range n.rows {
		if n.rows[i].HeldOut {
			held = append(held, &n.rows[i])
		}
	}
	for pairs := range slices.Chunk(held, n.size) {
		n.forward(pairs)
		for i, r := range pairs {
			each(r, n.more(i))
		}
	}
}

// Round returns the network in integers.
func (n *PairNetwork) Round(purpose string) (*perceptron.Network, error) {
	return perceptron.Round(purpose, n.net.Layers())
}
