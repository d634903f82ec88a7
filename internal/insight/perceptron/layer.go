package perceptron

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// WeightBits is the number of bits after the point of all weights: they are in 1/4096.
const WeightBits = 12

// FloatLayer is a layer as it is fitted: Weights[i*len(Biases)+j] is that of input i
// for output j.
type FloatLayer struct{ Weights, Biases []float32 }

// Layer is a layer in integers. Weights are in 1/4096, in the order of a FloatLayer.
// Biases are in the unit of the sums, which have WeightBits more bits after the point
// than the inputs of the layer.
type Layer struct {
	Weights []int16
	Biases  []int32
}

// Round returns the layer in integers, for inputs with a number of bits after the point.
// Numbers beyond the range are clamped.
func (l FloatLayer) Round(inputBits int) Layer {
	x := Layer{make([]int16, len(l.Weights)), make([]int32, len(l.Biases))}
	for i, w := range l.Weights {
		x.Weights[i] = int16(fixed(w, WeightBits, 1<<15-1))
	}
	for i, b := range l.Biases {
		x.Biases[i] = int32(fixed(b, inputBits+WeightBits, 1<<30))
	}
	return x
}

// Floats returns the layer in floating point. Round of it is the same layer.
func (l Layer) Floats(inputBits int) FloatLayer {
	x := FloatLayer{make([]float32, len(l.Weights)), make([]float32, len(l.Biases))}
	for i, w := range l.Weights {
		x.Weights[i] = float32(w) / (1 << WeightBits)
	}
	for i, b := range l.Biases {
		x.Biases[i] = float32(b) / float32(int32(1)<<(inputBits+WeightBits))
	}
	return x
}

// RoundLayers returns the three layers of a network in integers, for inputs and hidden values
// with numbers of bits after the point.
func RoundLayers(layers [3]FloatLayer, inputBits, hiddenBits int) [3]Layer {
	return [3]Layer{layers[0].Round(inputBits), layers[1].Round(hiddenBits), layers[2].Round(hiddenBits)}
}

// FloatLayers returns the three layers of a network in floating point. RoundLayers of them are
// the same layers.
func FloatLayers(layers [3]Layer, inputBits, hiddenBits int) [3]FloatLayer {
	return [3]FloatLayer{layers[0].Floats(inputBits), layers[1].Floats(hiddenBits), layers[2].Floats(hiddenBits)}
}

// fixed returns v as a fixed-point number, rounded and clamped to most.
func fixed(v float32, bits int, most float64) int64 {
	x := float64(float64(v) * float64(int64(1)<<bits))
	if x < 0 {
		return -int64(min(-x+0.5, most))
	}
	return int64(min(x+0.5, most))
}

// AppendLayers appends the layers as files have them: the weights and biases of one
// layer after the other, little-endian.
func AppendLayers(dst []byte, layers *[3]Layer) []byte {
	for _, l := range layers {
		dst, _ = binary.Append(dst, binary.LittleEndian, l.Weights)
		dst, _ = binary.Append(dst, binary.LittleEndian, l.Biases)
	}
	return dst
}

// ReadLayers reads layers of the given sizes, inputs first and outputs last. The error
// says that in ends before them.
func ReadLayers(in *bytes.Reader, sizes [4]int) (layers [3]Layer, err error) {
	size := 0
	for i := range layers {
		size += 2*sizes[i]*sizes[i+1] + 4*sizes[i+1]
	}
	if in.Len() < size {
		return layers, errors.New("the weights are cut off")
	}
	for i := range layers {
		l := &layers[i]
		l.Weights, l.Biases = make([]int16, sizes[i]*sizes[i+1]), make([]int32, sizes[i+1])
		if err := errors.Join(binary.Read(in, binary.LittleEndian, l.Weights), binary.Read(in, binary.LittleEndian, l.Biases)); err != nil {
			return layers, err
		}
	}
	return layers, nil
}
