package net

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/sim/perceptron"
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

// layer adds up inputs times weights: weights holds for each input those to all
// outputs, bias what the sums begin with.
type layer struct {
	out     int
	weights []int16
	bias    []int32
}

// short returns weights in 16 bits, which they come from.
func short(weights []int32) []int16 {
	list := make([]int16, len(weights))
	for i, w := range weights {
		list[i] = int16(w)
	}
	return list
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
	return layer{out, short(weights), start}
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
func values(dst, sums []int32) {
	for i, sum := range sums {
		dst[i] = bounded(sum >> weightBits)
	}
}

func bounded(x int32) int32 { return max(0, min(x, mostValue)) }

// apply adds inputs or values times the weights to sums.
func (l *layer) apply(sums, values []int32) { addAll(sums, l.weights, l.out, values) }

// addAll adds rows of weights, stride apart, to as many sums, as often as their values
// say.
func addAll(sums []int32, weights []int16, stride int, values []int32) {
	var terms [64]perceptron.Term
	n := 0
	for i, v := range values {
		if v == 0 {
			continue
		}
		terms[n] = perceptron.Term{Row: int32(i), Times: v}
		if n++; n == len(terms) {
			perceptron.AddTerms(sums, weights, stride, terms[:])
			n = 0
		}
	}
	perceptron.AddTerms(sums, weights, stride, terms[:n])
}
