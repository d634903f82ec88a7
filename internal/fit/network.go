// Package fit trains the value functions of package luck on self-play: their networks by
// TD(lambda), their linear terms by least squares and their discard models by maximum
// likelihood. Training is deterministic for a seed and independent of the number of workers.
//
//	s := &fit.SelfPlay{Jobs: jobs, Every: 4, BlendMatches: 500, Options: options}
//	function, err := s.Fit(ctx)
package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
)

// Network is a multilayer perceptron in floating point, with rectified linear hidden layers.
type Network struct {
	sizes   []int
	weights []blas32.General // [in][out]
	biases  [][]float32
	adam    []adam // of weights, then of biases
	steps   int
	// Decay is the decoupled decay of the weights, relative to the learning rate.
	Decay float64
}

// adam is the state of the optimizer Adam for a list of parameters: the moving averages of
// their gradients and of the squares of these. Source: Kingma and Ba, Adam: A Method for
// Stochastic Optimization, 2015.
type adam struct{ first, second []float32 }

// newAdam returns the state before the first step for a number of parameters.
func newAdam(size int) adam { return adam{make([]float32, size), make([]float32, size)} }

// NewNetwork returns a network of the given sizes, inputs first, with random weights
// from the seed.
func NewNetwork(seed uint64, sizes ...int) *Network {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := &Network{sizes: sizes}
	for i, out := range sizes[1:] {
		in := sizes[i]
		w := blas32.General{Rows: in, Cols: out, Stride: out, Data: make([]float32, in*out)}
		spread := math.Sqrt(2 / float64(in))
		for j := range w.Data {
			w.Data[j] = float32(rng.NormFloat64() * spread)
		}
		n.weights = append(n.weights, w)
		n.biases = append(n.biases, make([]float32, out))
	}
	for i := range n.weights {
		n.adam = append(n.adam, newAdam(len(n.weights[i].Data)))
	}
	for i := range n.biases {
		n.adam = append(n.adam, newAdam(len(n.biases[i])))
	}
	return n
}

// Layer returns the weights, as [in][out], and biases of layer i.
func (n *Network) Layer(i int) (weights, biases []float32) { return n.weights[i].Data, n.biases[i] }

// Layers returns the layers of a network with two hidden ones.
func (n *Network) Layers() (layers [3]perceptron.FloatLayer) {
	for i := range layers {
		layers[i].Weights, layers[i].Biases = n.Layer(i)
	}
	return layers
}

// Batch is scratch space for rows that go through a network together.
type Batch struct {
	rows   int
	values []blas32.General // inputs, hidden values and outputs
	slopes []blas32.General // gradients of the loss by values
	grads  []blas32.General // gradients of the loss by weights
	bias   [][]float32      // and by biases
}

// NewBatch returns a batch of the given number of rows.
func (n *Network) NewBatch(rows int) *Batch {
	b := &Batch{rows: rows}
	room := func(r, c int) blas32.General {
		return blas32.General{Rows: r, Cols: c, Stride: c, Data: make([]float32, r*c)}
	}
	for _, size := range n.sizes {
		b.values = append(b.values, room(rows, size))
		b.slopes = append(b.slopes, room(rows, size))
	}
	for i := range n.weights {
		b.grads = append(b.grads, room(n.sizes[i], n.sizes[i+1]))
		b.bias = append(b.bias, make([]float32, n.sizes[i+1]))
	}
	return b
}

// Input returns the inputs of a row, to be set by the caller.
func (b *Batch) Input(row int) []float32 { return rowOf(&b.values[0], row) }

// Output returns the outputs of a row.
func (b *Batch) Output(row int) []float32 { return rowOf(&b.values[len(b.values)-1], row) }

// Slope returns the gradient of the loss by the outputs of a row, to be set by the
// caller.
func (b *Batch) Slope(row int) []float32 { return rowOf(&b.slopes[len(b.slopes)-1], row) }

func rowOf(m *blas32.General, row int) []float32 { return m.Data[row*m.Stride : row*m.Stride+m.Cols] }

// Forward computes the outputs of a batch.
func (n *Network) Forward(b *Batch) {
	for i, w := range n.weights {
		out := b.values[i+1]
		for r := range b.rows {
			copy(rowOf(&out, r), n.biases[i])
		}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, b.values[i], w, 1, out)
		if i+1 < len(n.weights) {
			for j, v := range out.Data {
				out.Data[j] = max(v, 0)
			}
		}
	}
}

// Learn takes an optimizer step at a learning rate, by the slopes of a batch. Forward must
// have been called for the batch.
func (n *Network) Learn(b *Batch, rate float64) {
	for i := len(n.weights) - 1; i >= 0; i-- {
		slope := b.slopes[i+1]
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, b.values[i], slope, 0, b.grads[i])
		clear(b.bias[i])
		for r := range b.rows {
			for j, v := range rowOf(&slope, r) {
				b.bias[i][j] += v
			}
		}
		if i == 0 {
			break
		}
		below := b.slopes[i]
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, slope, n.weights[i], 0, below)
		for j, v := range b.values[i].Data {
			if v <= 0 {
				below.Data[j] = 0
			}
		}
	}
	n.steps++
	for i := range n.weights {
		if n.Decay > 0 {
			blas32.Scal(float32(1-rate*n.Decay), blas32.Vector{N: len(n.weights[i].Data), Inc: 1, Data: n.weights[i].Data})
		}
		n.adam[i].step(n.weights[i].Data, b.grads[i].Data, rate, n.steps)
		n.adam[len(n.weights)+i].step(n.biases[i], b.bias[i], rate, n.steps)
	}
}

// step changes the parameters by their gradients, at a learning rate. steps is the number of
// this step, from 1.
func (m *adam) step(params, grads []float32, rate float64, steps int) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	scale := float32(rate * math.Sqrt(1-math.Pow(beta2, float64(steps))) / (1 - math.Pow(beta1, float64(steps))))
	for i, g := range grads {
		m.first[i] = beta1*m.first[i] + (1-beta1)*g
		m.second[i] = beta2*m.second[i] + (1-beta2)*g*g
		params[i] -= scale * m.first[i] / (float32(math.Sqrt(float64(m.second[i]))) + epsilon)
	}
}

// Epochs passes over samples a number of times, each time in another order. It calls learn with the
// samples of each batch and the learning rate, and passed after each pass, counted from 1. Samples
// that do not fill a batch wait for the next pass.
func Epochs[S any](ctx context.Context, rng *rand.Rand, samples []S, batch, epochs int, peak float64, learn func(batch []S, rate float64), passed func(epoch int)) error {
	steps, all := 0, epochs*(len(samples)/batch)
	for epoch := range epochs {
		rng.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		for at := 0; at+batch <= len(samples); at += batch {
			if err := checkContext(ctx); err != nil {
				return err
			}
			learn(samples[at:at+batch], rateAfter(peak, float64(steps)/float64(all)))
			steps++
		}
		passed(epoch + 1)
	}
	return nil
}

// rateAfter returns the learning rate after a part of the training, 0 to 1: linear warm-up to the
// peak within the first tenth, then cosine decay to zero.
func rateAfter(peak, part float64) float64 {
	const warm = 0.1
	if part < warm {
		return peak * (0.04 + 0.96*part/warm)
	}
	return peak * (1 + math.Cos(math.Pi*(part-warm)/(1-warm))) / 2
}

// checkContext returns the cause of the end of ctx.
func checkContext(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("fit: %w", context.Cause(ctx))
	}
	return nil
}
