package net

import (
	"fmt"

	"github.com/jansou/jansou/sim/perceptron"
)

// Fixed points: weights are in 1/2^weightBits, values and inputs in 1/2^valueBits,
// biases and scores in both. A value lies below 32, an input within mostInput.
const (
	weightBits = 12
	valueBits  = 8
	one        = 1 << valueBits
	mostValue  = 32*one - 1
	mostInput  = 17 * one / 4
)

type pair = perceptron.Pair

// layer adds up inputs times weights: rows hold for each input the weights to all
// outputs, two by two, bias what the sums begin with.
type layer struct {
	out  int // even
	rows []pair
	bias []pair
}

// row returns the weights of an input.
func (l *layer) row(i int) []pair {
	n := l.out / 2
	return l.rows[i*n : i*n+n]
}

// pairs puts numbers together two by two.
func pairs(list []int32) []pair {
	p := make([]pair, len(list)/2)
	for i := range p {
		p[i] = perceptron.PairOf(list[2*i], list[2*i+1])
	}
	return p
}

// layer takes the tensors of a layer. Of the inputs the first so many are inputs of the
// network, the others values. A layer without a bias is added to one that has one.
func (f *file) layer(name string, inputs, values, out int, bias bool) layer {
	weights := f.take(name+".weight", "I16", inputs+values, out)
	start := make([]int32, out)
	if bias {
		start = f.take(name+".bias", "I32", out)
	}
	f.room(name, weights, start, inputs, out)
	return layer{out, pairs(weights), pairs(start)}
}

// room notes an error if the sums of a layer might not fit into 31 bits, half of which
// are left to what is added to them.
func (f *file) room(name string, weights, bias []int32, inputs, out int) {
	for o := range out {
		sum := abs(int64(bias[o]))
		for i := 0; i*out < len(weights); i++ {
			most := int64(mostValue)
			if i < inputs {
				most = mostInput
			}
			sum += most * abs(int64(weights[i*out+o]))
		}
		if sum > 1<<30 && f.err == nil {
			f.err = fmt.Errorf("the weights of %q are too large: a sum of %.0f might not fit", name, float64(sum)/(1<<(weightBits+valueBits)))
		}
	}
}

func abs(x int64) int64 { return max(x, -x) }

// values writes sums as values: without what is below zero or has no room.
func values(dst []int32, sums []pair) {
	for i, p := range sums {
		a, b := p.Split()
		dst[2*i], dst[2*i+1] = bounded(a>>weightBits), bounded(b>>weightBits)
	}
}

func bounded(x int32) int32 { return max(0, min(x, mostValue)) }

// apply adds inputs or values times the weights to sums.
func (l *layer) apply(sums []pair, values []int32) {
	sums = sums[:l.out/2]
	for i, v := range values {
		if v != 0 {
			perceptron.AddTimes(sums, l.row(i), pair(v))
		}
	}
}
