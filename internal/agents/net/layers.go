package net

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
)

// Numbers are fixed-point: weights in 1/2^weightBits, inputs and hidden values in
// 1/2^valueBits, biases and scores in the product of both. A hidden value is below 32, an
// input at most maxInput.
const (
	weightBits = 12
	valueBits  = 8
	one        = 1 << valueBits
	maxValue   = 32*one - 1
	maxInput   = 17 * one / 4
)

// layer computes bias + inputs * weights. weights has for each input those to all outputs.
type layer struct {
	out     int
	weights []int16
	bias    []int32
}

// toInt16 returns weights that were read as 16 bits in that type.
func toInt16(weights []int32) []int16 {
	list := make([]int16, len(weights))
	for i, w := range weights {
		list[i] = int16(w)
	}
	return list
}

// layer reads a layer. Its first inputs are inputs of the network, the others hidden values;
// the bounds of both differ. A layer without a bias is added to one that has one.
func (f *tensorFile) layer(name string, inputs, values, out int, bias bool) layer {
	weights := f.tensor(name+".weight", "I16", inputs+values, out)
	start := make([]int32, out)
	if bias {
		start = f.tensor(name+".bias", "I32", out)
	}
	f.checkRange(name, weights, start, inputs, out)
	return layer{out, toInt16(weights), start}
}

// checkRange notes an error if a sum of the layer might exceed 30 bits. The other half of the
// range is left to what is added to it.
func (f *tensorFile) checkRange(name string, weights, bias []int32, inputs, out int) {
	for o := range out {
		sum := abs(int64(bias[o]))
		for i := 0; i*out < len(weights); i++ {
			most := int64(maxValue)
			if i < inputs {
				most = maxInput
			}
			sum += most * abs(int64(weights[i*out+o]))
		}
		if sum > 1<<30 && f.err == nil {
			f.err = fmt.Errorf("the weights of %q are too large: a sum of %.0f might not fit", name, float64(sum)/(1<<(weightBits+valueBits)))
		}
	}
}

func abs(x int64) int64 { return max(x, -x) }

// activate writes sums as hidden values: the rectified linear unit, clamped to maxValue.
func activate(dst, sums []int32) {
	for i, sum := range sums {
		dst[i] = clampValue(sum >> weightBits)
	}
}

func clampValue(x int32) int32 { return max(0, min(x, maxValue)) }

// apply adds values times the weights to sums.
func (l *layer) apply(sums, values []int32) { addRows(sums, l.weights, l.out, values) }

// addRows adds to sums the rows of weights, stride apart, times the values.
func addRows(sums []int32, weights []int16, stride int, values []int32) {
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
