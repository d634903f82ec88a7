// Package perceptron evaluates small multilayer perceptrons in integers, so that their
// outputs are the same on every machine. A Network has two hidden layers of rectified
// linear units with an upper bound (ReLU), and weights quantized to 16 bits. Its inputs
// are a list of those that are not zero. Sums of the first layer are kept, so that inputs
// that several evaluations share are added once, as in NNUE (Nasu, 2018, Efficiently
// Updatable Neural-Network-based Evaluation Functions for Computer Shogi).
//
//	var s perceptron.Sums
//	network.Begin(&s)
//	network.Add(&s, situation)
//	network.Add(&s, action)
//	out := network.Evaluate(&s) // in 1/OutputUnit
//
// On amd64 with AVX2 sums are computed by vector instructions, elsewhere one by one.
package perceptron

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// Input is an input that is not zero: its index, and its value in 1/One.
type Input struct {
	At    uint16
	Value int8
}

// One is the fixed-point scale of Input.Value.
const One = 1 << inputBits

// Bits after the point of inputs, hidden values and outputs. Hidden values are below 16.
const (
	inputBits  = 5
	hiddenBits = 8
	outputBits = 16
	maxHidden  = 16<<hiddenBits - 1

	// Sums are shifted to the right by so many bits to become values of the next layer,
	// and outputs.
	firstShift  = inputBits + WeightBits - hiddenBits
	secondShift = WeightBits
	lastShift   = hiddenBits + WeightBits - outputBits
)

// OutputUnit is the fixed-point scale of outputs.
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

func (s Sizes) list() [4]int { return [4]int{s.Inputs, s.First, s.Second, s.Outputs} }

// Network is a perceptron. It is immutable, so any number of goroutines may share it.
type Network struct {
	// Purpose identifies what the network is for, such as "belief 1 riichi": at most 64 bytes.
	Purpose string
	Sizes
	layers [3]Layer
	// pairs is the second and third layer for vector instructions, nil where they cannot
	// be evaluated so.
	pairs *[2]pairedLayer
}

// Sums are the sums of the first hidden layer over some inputs.
type Sums [MaxHidden]int32

// Begin sets s to the sums of no inputs.
func (n *Network) Begin(s *Sums) { copy(s[:], n.layers[0].Biases) }

// maxTerms is how many terms are gathered before they are added.
const maxTerms = 32

// Add adds inputs to s. It panics if the network does not have one of them.
func (n *Network) Add(s *Sums, inputs []Input) {
	sums := s[:n.First]
	if len(inputs) == 0 || addInputs(sums, n.layers[0].Weights, n.Inputs, inputs) {
		return
	}
	var terms [maxTerms]Term
	for len(inputs) > 0 {
		some := inputs[:min(len(inputs), maxTerms)]
		for i, x := range some {
			terms[i] = Term{int32(x.At), int32(x.Value)}
		}
		AddTerms(sums, n.layers[0].Weights, n.First, terms[:len(some)])
		inputs = inputs[len(some):]
	}
}

// Evaluate returns the outputs in 1/OutputUnit for the inputs that s sums up.
func (n *Network) Evaluate(s *Sums) (out [MaxOutputs]int32) {
	if p := n.pairs; p != nil {
		var second, last [MaxHidden]int32
		p[0].evaluate(&second, (*[MaxHidden]int32)(s), firstShift)
		p[1].evaluate(&last, &second, secondShift)
		for o := range n.Outputs {
			out[o] = last[o] >> lastShift
		}
		return out
	}
	return n.evaluatePortably(s)
}

// evaluatePortably is Evaluate without vector instructions for whole layers.
func (n *Network) evaluatePortably(s *Sums) (out [MaxOutputs]int32) {
	var second [MaxHidden]int32
	sums := second[:n.Second]
	copy(sums, n.layers[1].Biases)
	var terms [maxTerms]Term
	num := 0
	for i, sum := range s[:n.First] {
		v := sum >> firstShift
		terms[num] = Term{int32(i), min(v, maxHidden)}
		if v > 0 {
			num++
		}
		if num == maxTerms {
			AddTerms(sums, n.layers[1].Weights, n.Second, terms[:])
			num = 0
		}
	}
	AddTerms(sums, n.layers[1].Weights, n.Second, terms[:num])
	var total [MaxOutputs]int64
	for o, b := range n.layers[2].Biases {
		total[o] = int64(b)
	}
	for j, sum := range sums {
		v := max(0, min(sum>>secondShift, maxHidden))
		for o, w := range n.layers[2].Weights[j*n.Outputs:][:n.Outputs] {
			total[o] += int64(v) * int64(w)
		}
	}
	for o := range n.Outputs {
		out[o] = int32(max(-1<<31, min(total[o]>>lastShift, 1<<31-1)))
	}
	return out
}

// Layers returns the layers in floating point. Round of them is the same network.
func (n *Network) Layers() [3]FloatLayer { return FloatLayers(n.layers, inputBits, hiddenBits) }

// Round returns the network of three layers, rounded to integers, for a purpose. The error
// says which size is out of bounds, or which layer has weights whose sums might overflow.
func Round(purpose string, layers [3]FloatLayer) (*Network, error) {
	n := &Network{Purpose: purpose, layers: RoundLayers(layers, inputBits, hiddenBits)}
	n.Sizes = Sizes{0, len(layers[0].Biases), len(layers[1].Biases), len(layers[2].Biases)}
	if n.First > 0 {
		n.Inputs = len(layers[0].Weights) / n.First
	}
	return n, n.finish()
}

// finish checks the layers and prepares them for vector instructions.
func (n *Network) finish() error {
	if err := n.checkSizes(); err != nil {
		return err
	}
	for i, l := range n.layers[:2] {
		most := int64(127)
		if i == 1 {
			most = maxHidden
		}
		for j := range l.Biases {
			if l.bound(j, most) > 1<<31-1 {
				return fmt.Errorf("perceptron: the weights of layer %d are too large: sums might overflow", i)
			}
		}
	}
	n.pair()
	return nil
}

// bound returns the largest absolute value of sum j for inputs of at most the given one.
func (l *Layer) bound(j int, most int64) int64 {
	out := len(l.Biases)
	sum := abs(int64(l.Biases[j]))
	for k := j; k < len(l.Weights); k += out {
		sum += most * abs(int64(l.Weights[k]))
	}
	return sum
}

func (n *Network) checkSizes() error {
	if n.Inputs < 1 || n.Inputs > MaxInputs || n.First < 1 || n.First > MaxHidden || n.Second < 1 || n.Second > MaxHidden ||
		n.Outputs < 1 || n.Outputs > MaxOutputs {
		return fmt.Errorf("perceptron: a network of %d inputs, %d and %d hidden values and %d outputs; at most %d, %d, %d and %d are allowed",
			n.Inputs, n.First, n.Second, n.Outputs, MaxInputs, MaxHidden, MaxHidden, MaxOutputs)
	}
	return nil
}

func abs(x int64) int64 { return max(x, -x) }

// version is that of the file format.
const version = 1

// magic begins a file.
var magic = [8]byte{'h', 'a', 'l', 'l', 'n', 'e', 't', version}

// header begins a file, little-endian. The layers follow, then the SHA-256 of it all.
type header struct {
	Magic   [8]byte
	Purpose [64]byte
	Sizes   [4]uint32
}

// AppendTo appends the network in its file format.
func (n *Network) AppendTo(dst []byte) []byte {
	h := header{Magic: magic, Sizes: [4]uint32{uint32(n.Inputs), uint32(n.First), uint32(n.Second), uint32(n.Outputs)}}
	copy(h.Purpose[:], n.Purpose)
	first := len(dst)
	dst, _ = binary.Append(dst, binary.LittleEndian, h)
	dst = AppendLayers(dst, &n.layers)
	sum := sha256.Sum256(dst[first:])
	return append(dst, sum[:]...)
}

// Parse reads what AppendTo wrote. The error says whether the data is no network, damaged
// or of another version.
func Parse(data []byte) (*Network, error) {
	var h header
	if len(data) < len(magic) || !bytes.Equal(data[:7], magic[:7]) {
		return nil, errors.New("perceptron: this is no network")
	}
	if data[7] != version {
		return nil, fmt.Errorf("perceptron: a network of version %d, this program reads version %d: fit it again", data[7], version)
	}
	if len(data) < binary.Size(h)+sha256.Size {
		return nil, errors.New("perceptron: the network is cut off")
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, errors.New("perceptron: the network is damaged: its checksum is another")
	}
	in := bytes.NewReader(body)
	if err := binary.Read(in, binary.LittleEndian, &h); err != nil {
		return nil, fmt.Errorf("perceptron: %w", err)
	}
	n := &Network{
		Purpose: string(bytes.TrimRight(h.Purpose[:], "\x00")),
		Sizes:   Sizes{int(h.Sizes[0]), int(h.Sizes[1]), int(h.Sizes[2]), int(h.Sizes[3])},
	}
	if err := n.checkSizes(); err != nil {
		return nil, err
	}
	var err error
	if n.layers, err = ReadLayers(in, n.list()); err != nil {
		return nil, fmt.Errorf("perceptron: %w", err)
	}
	if in.Len() > 0 {
		return nil, fmt.Errorf("perceptron: %d bytes follow the weights", in.Len())
	}
	return n, n.finish()
}
