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
	"sync"

	"gonum.org/v1/gonum/blas/gonum"

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
	// data holds the inputs in three bytes each: sizes[0] of the situation, sizes[1] of the
	// action played and sizes[2] of the other.
	sizes [3]uint8
	data  []byte
}

// NewPairRow returns a row. It appends the inputs to room, which must not be changed
// afterwards.
func NewPairRow(room *[]byte, situation, played, other []perceptron.Input) PairRow {
	r := PairRow{sizes: [3]uint8{uint8(len(situation)), uint8(len(played)), uint8(len(other))}}
	first := len(*room)
	for _, list := range [...][]perceptron.Input{situation, played, other} {
		for _, x := range list {
			*room = append(*room, byte(x.At), byte(x.At>>8), byte(x.Value))
		}
	}
	r.data = (*room)[first:len(*room):len(*room)]
	return r
}

// term is an input that is not zero: its index and its value.
type term struct {
	at    int
	value float32
}

// terms appends the inputs of a row.
func (r *PairRow) terms(dst []term) []term {
	for i := 0; i < len(r.data); i += 3 {
		at := int(r.data[i]) | int(r.data[i+1])<<8
		dst = append(dst, term{at, float32(int8(r.data[i+2])) / perceptron.One})
	}
	return dst
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
	Workers int
	// Progress, if not nil, is called after each epoch.
	Progress func(epoch int, p *PairNetwork)
}

const (
	// maxGain is the gain, in multiples of the scale, to which larger ones are clipped: they
	// are mostly chance.
	maxGain = 2.5
	// shards is the number of parts of a batch that are summed separately, so that sums do
	// not depend on the number of workers.
	shards = 8
)

// PairNetwork is a network that predicts the gain of an action, in floating point. It is
// fitted to differences of two actions, so only differences of its outputs have a meaning.
type PairNetwork struct {
	sizes   perceptron.Sizes
	params  [6][]float32 // weights and biases of each layer
	adam    [6]fit.Adam
	steps   int
	rows    []PairRow
	options *PairOptions
}

// pass is the scratch space of one goroutine: the values of the layers, and the gradients
// summed over the rows of a shard.
type pass struct {
	n          *PairNetwork
	grads      [6][]float32
	terms      []term
	sum        []float32
	first      [2][]float32 // values of the first layer, for both actions
	later      [2][]float32
	slope      []float32 // of the first layer
	deep       []float32 // of the second
	bothSlopes []float32 // of the first layer by both actions together
}

var vector gonum.Implementation

// axpy adds a times x to y (BLAS).
func axpy(a float32, x, y []float32) { vector.Saxpy(len(y), a, x, 1, y, 1) }

func dot(x, y []float32) float32 { return vector.Sdot(len(y), x, 1, y, 1) }

// Pairs fits a network to rows that are not held out.
func Pairs(ctx context.Context, rows []PairRow, o *PairOptions) (*PairNetwork, error) {
	n := newPairNetwork(o)
	n.rows = rows
	var order []int32
	for i := range rows {
		if !rows[i].HeldOut {
			order = append(order, int32(i))
		}
	}
	if len(order) < o.Batch {
		return nil, fmt.Errorf("fitting: %d pairs to learn from, but a batch is %d: make more, or take smaller batches", len(order), o.Batch)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 3))
	passes := make([]*pass, shards)
	for i := range passes {
		passes[i] = n.newPass()
	}
	all := o.Epochs * (len(order) / o.Batch)
	for epoch := range o.Epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at+o.Batch <= len(order); at += o.Batch {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			n.runShards(func(s int) {
				p := passes[s]
				for i := range p.grads {
					clear(p.grads[i])
				}
				for _, i := range order[at+s*o.Batch/shards : at+(s+1)*o.Batch/shards] {
					p.learn(&rows[i])
				}
			})
			n.step(passes, fit.Rate(o.Rate, float64(n.steps)/float64(all)))
		}
		if o.Progress != nil {
			o.Progress(epoch+1, n)
		}
	}
	return n, nil
}

// runShards calls do for all shards, on the workers.
func (n *PairNetwork) runShards(do func(shard int)) {
	var wg sync.WaitGroup
	todo := make(chan int)
	for range max(n.options.Workers, 1) {
		wg.Go(func() {
			for s := range todo {
				do(s)
			}
		})
	}
	for s := range shards {
		todo <- s
	}
	close(todo)
	wg.Wait()
}

func newPairNetwork(o *PairOptions) *PairNetwork {
	s := o.Sizes
	n := &PairNetwork{sizes: s, options: o}
	from := fit.NewNetwork(o.Seed, s.Inputs, s.First, s.Second, s.Outputs)
	for i := range 3 {
		n.params[2*i], n.params[2*i+1] = from.Layer(i)
	}
	for j := range n.params[0] {
		n.params[0][j] *= 2 // of the many inputs few are not zero
	}
	for j := range n.params[4] {
		n.params[4][j] *= 0.1
	}
	if o.From != nil {
		n.begin(o.From)
	}
	for i, p := range n.params {
		n.adam[i] = fit.NewAdam(len(p))
	}
	return n
}

// begin copies the weights of another network.
func (n *PairNetwork) begin(from *perceptron.Network) {
	layers := from.Layers()
	in, out := [3]int{from.Inputs, from.First, from.Second}, [3]int{n.sizes.First, n.sizes.Second, n.sizes.Outputs}
	for i, l := range layers {
		old := len(l.Biases)
		copy(n.params[2*i+1], l.Biases)
		for k := range in[i] {
			copy(n.params[2*i][k*out[i]:], l.Weights[k*old:(k+1)*old])
		}
		// Weights from new hidden values to old outputs start at zero.
		if i > 0 {
			for k := in[i] * out[i]; k < len(n.params[2*i]); k += out[i] {
				clear(n.params[2*i][k:][:old])
			}
		}
	}
}

func (n *PairNetwork) newPass() *pass {
	p := &pass{n: n}
	for i := range n.params {
		p.grads[i] = make([]float32, len(n.params[i]))
	}
	s := n.sizes
	p.sum, p.slope, p.bothSlopes = make([]float32, s.First), make([]float32, s.First), make([]float32, s.First)
	p.deep = make([]float32, s.Second)
	for i := range 2 {
		p.first[i], p.later[i] = make([]float32, s.First), make([]float32, s.Second)
	}
	return p
}

// forward computes how much more the other action of a row gains.
func (p *pass) forward(r *PairRow) (more [NumTargets]float32) {
	n, s := p.n, p.n.sizes
	p.terms = r.terms(p.terms[:0])
	common, rest := p.terms[:r.sizes[0]], p.terms[r.sizes[0]:]
	copy(p.sum, n.params[1])
	for _, t := range common {
		axpy(t.value, n.params[0][t.at*s.First:(t.at+1)*s.First], p.sum)
	}
	lists := [2][]term{rest[:r.sizes[1]], rest[r.sizes[1]:]}
	for i, list := range lists {
		h := p.first[i]
		copy(h, p.sum)
		for _, t := range list {
			axpy(t.value, n.params[0][t.at*s.First:(t.at+1)*s.First], h)
		}
		z := p.later[i]
		n.secondLayer(h, z)
		sign := float32(2*i - 1)
		for j, v := range z {
			if v <= 0 {
				z[j] = 0
				continue
			}
			for o := range s.Outputs {
				more[o] += sign * v * n.params[4][j*s.Outputs+o]
			}
		}
	}
	return more
}

// secondLayer rectifies the values h of the first layer and computes those of the second, z,
// which are not rectified.
func (n *PairNetwork) secondLayer(h, z []float32) {
	copy(z, n.params[3])
	for j, v := range h {
		if v > 0 {
			axpy(v, n.params[2][j*len(z):(j+1)*len(z)], z)
		} else {
			h[j] = 0
		}
	}
}

// backward adds the gradients of the weights and biases from the first layer's values h to the
// outputs, whose slopes are given. It sets p.slope to the slopes of h.
func (p *pass) backward(h, z, slopes []float32) {
	n, s := p.n, p.n.sizes
	for j, v := range z {
		d := float32(0)
		if v > 0 {
			for o, g := range slopes {
				p.grads[4][j*s.Outputs+o] += g * v
				d += g * n.params[4][j*s.Outputs+o]
			}
		}
		p.deep[j] = d
		p.grads[3][j] += d
	}
	for j, v := range h {
		if v <= 0 {
			p.slope[j] = 0
			continue
		}
		axpy(v, p.deep, p.grads[2][j*s.Second:(j+1)*s.Second])
		p.slope[j] = dot(n.params[2][j*s.Second:(j+1)*s.Second], p.deep)
	}
}

// learn adds the gradient of the squared error of a row.
func (p *pass) learn(r *PairRow) {
	n, s := p.n, p.n.sizes
	more := p.forward(r)
	var slope [NumTargets]float32
	for o := range s.Outputs {
		slope[o] = (more[o] - max(-maxGain, min(r.Gain[o], maxGain))) * n.options.Weights[o] / float32(n.options.Batch)
	}
	clear(p.bothSlopes)
	rest := p.terms[r.sizes[0]:]
	for i, list := range [2][]term{rest[:r.sizes[1]], rest[r.sizes[1]:]} {
		signed := slope
		for o := range signed {
			signed[o] *= float32(2*i - 1)
		}
		p.backward(p.first[i], p.later[i], signed[:])
		axpy(1, p.slope, p.bothSlopes)
		for _, t := range list {
			axpy(t.value, p.slope, p.grads[0][t.at*s.First:(t.at+1)*s.First])
		}
	}
	axpy(1, p.bothSlopes, p.grads[1])
	for _, t := range p.terms[:r.sizes[0]] {
		axpy(t.value, p.bothSlopes, p.grads[0][t.at*s.First:(t.at+1)*s.First])
	}
}

// step takes an optimizer step with the sum of the gradients of all shards.
func (n *PairNetwork) step(passes []*pass, rate float64) {
	n.steps++
	for i, params := range n.params {
		total := passes[0].grads[i]
		for _, p := range passes[1:] {
			axpy(1, p.grads[i], total)
		}
		if i%2 == 0 && n.options.Decay > 0 {
			keep := float32(1 - rate*n.options.Decay)
			for j := range params {
				params[j] *= keep
			}
		}
		n.adam[i].Step(params, total, rate, n.steps)
	}
}

// Predict calls each for the held-out rows with the predicted gains.
func (n *PairNetwork) Predict(each func(r *PairRow, more [NumTargets]float32)) {
	p := n.newPass()
	for i := range n.rows {
		if n.rows[i].HeldOut {
			each(&n.rows[i], p.forward(&n.rows[i]))
		}
	}
}

// Round returns the network in integers.
func (n *PairNetwork) Round(purpose string) (*perceptron.Network, error) {
	var layers [3]perceptron.FloatLayer
	for i := range layers {
		layers[i] = perceptron.FloatLayer{Weights: n.params[2*i], Biases: n.params[2*i+1]}
	}
	return perceptron.Round(purpose, layers)
}
