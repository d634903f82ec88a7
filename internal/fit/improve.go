package fit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/sparrowhall/sparrowhall/sim/perceptron"
)

// NumTargets is the number of amounts by which two actions are compared.
const NumTargets = 2

// Row is a pair of actions to learn from: by how much more another action brought than
// the one played, in multiples of the scale, and the inputs of both.
type Row struct {
	More [NumTargets]float32
	// Sort is a group of rows of which Improve tells how well it does.
	Sort uint8
	// Held tells that the row is not learned from.
	Held bool
	// data has the inputs in three bytes each: sizes[0] of the situation, then those of
	// the action played and of the other.
	sizes [3]uint8
	data  []byte
}

// NewRow returns a row; its inputs are appended to room, which must stay as it is.
func NewRow(room *[]byte, situation, played, other []perceptron.Input) Row {
	r := Row{sizes: [3]uint8{uint8(len(situation)), uint8(len(played)), uint8(len(other))}}
	first := len(*room)
	for _, list := range [...][]perceptron.Input{situation, played, other} {
		for _, x := range list {
			*room = append(*room, byte(x.At), byte(x.At>>8), byte(x.Value))
		}
	}
	r.data = (*room)[first:len(*room):len(*room)]
	return r
}

// term is an input and its value.
type term struct {
	at    int
	value float32
}

// terms appends the inputs of a row.
func (r *Row) terms(dst []term) []term {
	for i := 0; i < len(r.data); i += 3 {
		at := int(r.data[i]) | int(r.data[i+1])<<8
		dst = append(dst, term{at, float32(int8(r.data[i+2])) / perceptron.One})
	}
	return dst
}

// ImproveOptions say how a network is fitted to pairs.
type ImproveOptions struct {
	// Sizes are those of the network.
	Sizes perceptron.Sizes
	// From, if not nil, is the network to begin with, of the same inputs and outputs and
	// of hidden layers no larger than Sizes. Values that it does not have begin without any
	// say in the answer.
	From *perceptron.Network
	// Epochs is how often all rows are gone through.
	Epochs int
	// Batch is the number of rows that a step of Improve is taken for, at least 1. The
	// noisier rows are, the more it takes for Adam's steps to follow more than chance.
	Batch int
	// Rate is the size of the steps at their largest.
	Rate float64
	// Decay is the part of the weights that is lost with each step of size one.
	Decay float64
	Seed  uint64
	// Weights says how much each target counts beside the others.
	Weights [NumTargets]float32
	Workers int
	// Progress, if not nil, is told after each epoch how the rows held back fare.
	Progress func(epoch int, p *Pairwise)
}

const (
	// A hand that brings very much more or less counts as this many times the scale:
	// such hands are chance more than anything.
	mostMore = 2.5
	// shards is how many parts of a batch are summed up by themselves, so that sums do
	// not depend on the number of workers.
	shards = 8
)

// pairwise is a network that tells what an action brings; only differences of two
// actions are learned.
type Pairwise struct {
	sizes   perceptron.Sizes
	params  [6][]float32 // weights and biases of each layer
	moments [6]moment
	steps   int
	rows    []Row
	options *ImproveOptions
}

// pass is what one goroutine needs to send rows through.
type pass struct {
	n     *Pairwise
	grads [6][]float32
	terms []term
	sum   []float32
	first [2][]float32 // values of the first layer, for both actions
	later [2][]float32
	slope []float32 // of the first layer
	deep  []float32 // of the second
	both  []float32 // of the first layer by both actions together
}

var vector gonum.Implementation

// axpy adds a times x to y.
func axpy(a float32, x, y []float32) { vector.Saxpy(len(y), a, x, 1, y, 1) }

func dot(x, y []float32) float32 { return vector.Sdot(len(y), x, 1, y, 1) }

// Improve fits a network to rows.
func Improve(ctx context.Context, rows []Row, o *ImproveOptions) (*Pairwise, error) {
	n := newPairwise(o)
	n.rows = rows
	var order []int32
	for i := range rows {
		if !rows[i].Held {
			order = append(order, int32(i))
		}
	}
	if len(order) < o.Batch {
		return nil, fmt.Errorf("fit: %d pairs to learn from, but a batch is %d: make more, or take smaller batches", len(order), o.Batch)
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
			if err := checkContext(ctx); err != nil {
				return nil, err
			}
			n.spread(func(s int) {
				p := passes[s]
				for i := range p.grads {
					clear(p.grads[i])
				}
				for _, i := range order[at+s*o.Batch/shards : at+(s+1)*o.Batch/shards] {
					p.learn(&rows[i])
				}
			})
			n.step(passes, Rate(o.Rate, float64(n.steps)/float64(all)))
		}
		if o.Progress != nil {
			o.Progress(epoch+1, n)
		}
	}
	return n, nil
}

// spread lets the workers do all shards.
func (n *Pairwise) spread(do func(shard int)) {
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

func newPairwise(o *ImproveOptions) *Pairwise {
	s := o.Sizes
	n := &Pairwise{sizes: s, options: o}
	from := NewNetwork(o.Seed, s.Inputs, s.First, s.Second, s.Outputs)
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
		n.moments[i] = moment{make([]float32, len(p)), make([]float32, len(p))}
	}
	return n
}

// begin takes over what another network knows.
func (n *Pairwise) begin(from *perceptron.Network) {
	layers := from.Layers()
	in, out := [3]int{from.Inputs, from.First, from.Second}, [3]int{n.sizes.First, n.sizes.Second, n.sizes.Outputs}
	for i, l := range layers {
		old := len(l.Biases)
		copy(n.params[2*i+1], l.Biases)
		for k := range in[i] {
			copy(n.params[2*i][k*out[i]:], l.Weights[k*old:(k+1)*old])
		}
		// What is new is not heard yet.
		if i > 0 {
			for k := in[i] * out[i]; k < len(n.params[2*i]); k += out[i] {
				clear(n.params[2*i][k:][:old])
			}
		}
	}
}

func (n *Pairwise) newPass() *pass {
	p := &pass{n: n}
	for i := range n.params {
		p.grads[i] = make([]float32, len(n.params[i]))
	}
	s := n.sizes
	p.sum, p.slope, p.both = make([]float32, s.First), make([]float32, s.First), make([]float32, s.First)
	p.deep = make([]float32, s.Second)
	for i := range 2 {
		p.first[i], p.later[i] = make([]float32, s.First), make([]float32, s.Second)
	}
	return p
}

// forward works out how much more the other action of a row brings.
func (p *pass) forward(r *Row) (more [NumTargets]float32) {
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
		copy(z, n.params[3])
		for j, v := range h {
			if v > 0 {
				axpy(v, n.params[2][j*s.Second:(j+1)*s.Second], z)
			} else {
				h[j] = 0
			}
		}
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

// learn adds the slopes of the squared error of a row.
func (p *pass) learn(r *Row) {
	n, s := p.n, p.n.sizes
	more := p.forward(r)
	var slope [NumTargets]float32
	for o := range s.Outputs {
		slope[o] = (more[o] - max(-mostMore, min(r.More[o], mostMore))) * n.options.Weights[o] / float32(n.options.Batch)
	}
	clear(p.both)
	rest := p.terms[r.sizes[0]:]
	for i, list := range [2][]term{rest[:r.sizes[1]], rest[r.sizes[1]:]} {
		sign := float32(2*i - 1)
		h, z := p.first[i], p.later[i]
		for j, v := range z {
			d := float32(0)
			if v > 0 {
				for o := range s.Outputs {
					p.grads[4][j*s.Outputs+o] += sign * slope[o] * v
					d += sign * slope[o] * n.params[4][j*s.Outputs+o]
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
		axpy(1, p.slope, p.both)
		for _, t := range list {
			axpy(t.value, p.slope, p.grads[0][t.at*s.First:(t.at+1)*s.First])
		}
	}
	axpy(1, p.both, p.grads[1])
	for _, t := range p.terms[:r.sizes[0]] {
		axpy(t.value, p.both, p.grads[0][t.at*s.First:(t.at+1)*s.First])
	}
}

// step takes a step against the slopes of all shards together.
func (n *Pairwise) step(passes []*pass, rate float64) {
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
		n.moments[i].step(params, total, rate, n.steps)
	}
}

// Predict calls each for the rows held back with what the network says of them.
func (n *Pairwise) Predict(each func(r *Row, more [NumTargets]float32)) {
	p := n.newPass()
	for i := range n.rows {
		if n.rows[i].Held {
			each(&n.rows[i], p.forward(&n.rows[i]))
		}
	}
}

// Round returns the network in integers.
func (n *Pairwise) Round(purpose string) (*perceptron.Network, error) {
	var layers [3]perceptron.Layer
	for i := range layers {
		layers[i] = perceptron.Layer{Weights: n.params[2*i], Biases: n.params[2*i+1]}
	}
	return perceptron.Round(purpose, layers)
}
