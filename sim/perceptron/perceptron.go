// Package perceptron computes small networks in integers, so that their answers are
// the same on every machine. A Network has two hidden layers whose values are cut off
// below zero, and takes its inputs as a list of those that are not zero: what several
// questions have in common is summed up once.
package perceptron

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// Input is an input that is not zero: its place, and its value in 1/One.
type Input struct {
	At    uint16
	Value int8
}

// One is what stands for one in Input.Value.
const One = 32

// Fixed points: weights are in 1/4096, hidden values in 1/256 and below 16, outputs
// in 1/OutputUnit.
const (
	weightBits = 12
	inputBits  = 5
	hiddenBits = 8
	outputBits = 16
	maxHidden  = 16<<hiddenBits - 1

	// So far sums are shifted to the right to become values of the next layer, and outputs.
	firstShift  = inputBits + weightBits - hiddenBits
	secondShift = weightBits
	lastShift   = hiddenBits + weightBits - outputBits
)

// OutputUnit is what stands for one in an output.
const OutputUnit = 1 << outputBits

// Bounds of the sizes of a network.
const (
	MaxInputs  = 4096
	MaxHidden  = 128
	MaxOutputs = 4
)

// Sizes are the numbers of inputs, of the values of both hidden layers, and of outputs.
type Sizes struct {
	Inputs, First, Second, Outputs int // First and Second are the hidden layers
}

// Network is a perceptron. It is not changed by being asked, so many goroutines may
// ask it.
type Network struct {
	// Purpose is what the network is for, a text of at most 64 bytes.
	Purpose string
	Sizes
	weights [3][]int16 // [in][out] in 1/4096
	biases  [3][]int32 // in the unit of the sums
	// fast is the second and third layer for vectors, nil where they cannot be reckoned so.
	fast *[2]paired
}

// Sums are the sums of the first hidden layer over some inputs.
type Sums [MaxHidden]int32

// Begin makes s the sums of no inputs.
func (n *Network) Begin(s *Sums) { copy(s[:], n.biases[0]) }

// someTerms is how many terms are gathered before they are added.
const someTerms = 32

// Add adds inputs to s. It panics if one is none of the network.
func (n *Network) Add(s *Sums, inputs []Input) {
	sums := s[:n.First]
	if len(inputs) == 0 || addInputs(sums, n.weights[0], n.Inputs, inputs) {
		return
	}
	var terms [someTerms]Term
	for len(inputs) > 0 {
		some := inputs[:min(len(inputs), someTerms)]
		for i, x := range some {
			terms[i] = Term{int32(x.At), int32(x.Value)}
		}
		AddTerms(sums, n.weights[0], n.First, terms[:len(some)])
		inputs = inputs[len(some):]
	}
}

// Answer returns the outputs in 1/OutputUnit for the inputs that s sums up.
func (n *Network) Answer(s *Sums) (out [MaxOutputs]int32) {
	if f := n.fast; f != nil {
		var second, last [MaxHidden]int32
		f[0].layer(&second, (*[MaxHidden]int32)(s), firstShift)
		f[1].layer(&last, &second, secondShift)
		for o := range n.Outputs {
			out[o] = last[o] >> lastShift
		}
		return out
	}
	return n.answer(s)
}

// answer does the same by the definition.
func (n *Network) answer(s *Sums) (out [MaxOutputs]int32) {
	var second [MaxHidden]int32
	sums := second[:n.Second]
	copy(sums, n.biases[1])
	var terms [someTerms]Term
	num := 0
	for i, sum := range s[:n.First] {
		v := sum >> firstShift
		terms[num] = Term{int32(i), min(v, maxHidden)}
		if v > 0 {
			num++
		}
		if num == someTerms {
			AddTerms(sums, n.weights[1], n.Second, terms[:])
			num = 0
		}
	}
	AddTerms(sums, n.weights[1], n.Second, terms[:num])
	var total [MaxOutputs]int64
	for o, b := range n.biases[2] {
		total[o] = int64(b)
	}
	for j, sum := range sums {
		v := max(0, min(sum>>secondShift, maxHidden))
		for o, w := range n.weights[2][j*n.Outputs:][:n.Outputs] {
			total[o] += int64(v) * int64(w)
		}
	}
	for o := range n.Outputs {
		out[o] = int32(max(-1<<31, min(total[o]>>lastShift, 1<<31-1)))
	}
	return out
}

// Layer is a layer as it is fitted: Weights[i*len(Biases)+j] is that of input i for
// output j.
type Layer struct{ Weights, Biases []float32 }

// Layers returns the layers of the network in fractions; Round of them is the network.
func (n *Network) Layers() (layers [3]Layer) {
	for i := range layers {
		bits := hiddenBits + weightBits
		if i == 0 {
			bits = inputBits + weightBits
		}
		for _, w := range n.weights[i] {
			layers[i].Weights = append(layers[i].Weights, float32(w)/(1<<weightBits))
		}
		for _, b := range n.biases[i] {
			layers[i].Biases = append(layers[i].Biases, float32(b)/float32(int32(1)<<bits))
		}
	}
	return layers
}

// Round returns the network of three layers in integers, for a purpose. The error says which of them
// has weights too large.
func Round(purpose string, layers [3]Layer) (*Network, error) {
	n := &Network{Purpose: purpose}
	for i, l := range layers {
		bits := hiddenBits + weightBits
		if i == 0 {
			bits = inputBits + weightBits
		}
		for _, w := range l.Weights {
			n.weights[i] = append(n.weights[i], int16(fixed(w, weightBits, 1<<15-1)))
		}
		for _, b := range l.Biases {
			n.biases[i] = append(n.biases[i], int32(fixed(b, bits, 1<<30)))
		}
	}
	n.First, n.Second, n.Outputs = len(n.biases[0]), len(n.biases[1]), len(n.biases[2])
	if n.First > 0 {
		n.Inputs = len(n.weights[0]) / n.First
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	n.pair()
	return n, nil
}

// fixed returns v with a number of bits after the point, within a bound.
func fixed(v float32, bits int, most float64) int64 {
	x := float64(v) * float64(int64(1)<<bits)
	if x < 0 {
		return -int64(min(-x+0.5, most))
	}
	return int64(min(x+0.5, most))
}

// check reports sizes out of bounds, and sums that might not fit.
func (n *Network) check() error {
	if n.Inputs < 1 || n.Inputs > MaxInputs || n.First < 1 || n.First > MaxHidden || n.Second < 1 || n.Second > MaxHidden ||
		n.Outputs < 1 || n.Outputs > MaxOutputs {
		return fmt.Errorf("perceptron: a network of %d inputs, %d and %d hidden values and %d outputs", n.Inputs, n.First, n.Second, n.Outputs)
	}
	ins := [3]int{n.Inputs, n.First, n.Second}
	for i := range 2 {
		most, out := int64(127), len(n.biases[i])
		if i == 1 {
			most = maxHidden
		}
		for j := range out {
			sum := abs(int64(n.biases[i][j]))
			for k := range ins[i] {
				sum += most * abs(int64(n.weights[i][k*out+j]))
			}
			if sum > 1<<31-1 {
				return fmt.Errorf("perceptron: the weights of layer %d are too large", i)
			}
		}
	}
	return nil
}

func abs(x int64) int64 { return max(x, -x) }

// version is that of the form of files, magic what they begin with.
const version = 1

var magic = [8]byte{'j', 'a', 'n', 's', 'o', 'u', 'N', version}

// header is that and what follows; then come weights and biases layer by layer,
// little-endian, and the SHA-256 of all that.
type header struct {
	Magic   [8]byte
	Purpose [64]byte
	Sizes   [4]uint32
}

// AppendTo appends the network as a file has it.
func (n *Network) AppendTo(dst []byte) []byte {
	h := header{Magic: magic, Sizes: [4]uint32{uint32(n.Inputs), uint32(n.First), uint32(n.Second), uint32(n.Outputs)}}
	copy(h.Purpose[:], n.Purpose)
	first := len(dst)
	dst, _ = binary.Append(dst, binary.LittleEndian, h)
	for i := range n.weights {
		dst, _ = binary.Append(dst, binary.LittleEndian, n.weights[i])
		dst, _ = binary.Append(dst, binary.LittleEndian, n.biases[i])
	}
	sum := sha256.Sum256(dst[first:])
	return append(dst, sum[:]...)
}

// Parse reads what AppendTo wrote. The error tells whether it is no network, damaged or of
// another version.
func Parse(data []byte) (*Network, error) {
	var h header
	size := binary.Size(h)
	if len(data) < 8 || !bytes.Equal(data[:7], magic[:7]) {
		return nil, errors.New("perceptron: this is no network")
	}
	if data[7] != version {
		return nil, fmt.Errorf("perceptron: a network of version %d, this program reads version %d: fit it anew", data[7], version)
	}
	if len(data) < size+sha256.Size {
		return nil, errors.New("perceptron: the network is cut off")
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, errors.New("perceptron: the network is damaged: its checksum is another")
	}
	in := bytes.NewReader(body)
	if err := binary.Read(in, binary.LittleEndian, &h); err != nil {
		return nil, errors.New("perceptron: the network is cut off")
	}
	n := &Network{
		Purpose: string(bytes.TrimRight(h.Purpose[:], "\x00")),
		Sizes:   Sizes{int(h.Sizes[0]), int(h.Sizes[1]), int(h.Sizes[2]), int(h.Sizes[3])},
	}
	sizes := [4]int{n.Inputs, n.First, n.Second, n.Outputs}
	want := 0
	for i := range n.weights {
		if sizes[i] > MaxInputs || sizes[i+1] > MaxInputs {
			return nil, n.check()
		}
		want += 2*sizes[i]*sizes[i+1] + 4*sizes[i+1]
	}
	if in.Len() != want {
		return nil, fmt.Errorf("perceptron: a network of %d bytes, its sizes want %d", in.Len(), want)
	}
	for i := range n.weights {
		n.weights[i], n.biases[i] = make([]int16, sizes[i]*sizes[i+1]), make([]int32, sizes[i+1])
		if err := errors.Join(binary.Read(in, binary.LittleEndian, n.weights[i]), binary.Read(in, binary.LittleEndian, n.biases[i])); err != nil {
			return nil, errors.New("perceptron: the network is cut off")
		}
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	n.pair()
	return n, nil
}
