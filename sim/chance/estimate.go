package chance

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Version is that of the inputs and of the form of weights. Luck by estimates of
// different versions must not be mixed.
const Version = 3

// Fixed points: weights are in 1/4096, hidden values in 1/256, amounts of luck in
// 1/65536 of a unit.
const (
	weightBits = 12
	hiddenBits = 8
	inputBits  = 6 // one
	amountBits = 16
	maxHidden  = 1<<15 - 1
)

// Estimate says what each player can expect to gain in the rest of a hand: a small
// network of two hidden layers, in integers.
type Estimate struct {
	// Scale is about what a win is worth in units; the network's amounts are its
	// multiples.
	Scale int
	// Habits say by which figures discards are likely, in 1/256.
	Habits [NumHabits]int16
	// Linear is the estimate that takes little time, Blend how much of what it and the
	// network say counts.
	Linear Linear
	Blend  Blend
	layers [3]layer
}

// Blend tells how much of the luck by the network and by the linear estimate counts at
// an event, by the class of the event, in 1/1024. A network that was fitted to few
// matches says more than it knows, which costs accuracy.
type Blend [2][NumClasses]int16

// Classes of events, which are known before it is known what comes.
const (
	classReady     = iota // a draw of a player in riichi or declared ready
	classTenpai           // of one with a ready hand
	classNear             // of one an exchange away
	classFar              // two
	classFarther          // or more
	classIndicator        // a dora indicator
	classDeal             // the deal
	// NumClasses is the number of classes.
	NumClasses
)

// blendUnit stands for all of it.
const blendUnit = 1 << 10

// Whole is the blend of the network alone.
func Whole() (b Blend) {
	for c := range b[0] {
		b[0][c] = blendUnit
	}
	return b
}

// layer computes sums of its inputs with weights, row by row of inputs.
type layer struct {
	in, out int
	weights []int16 // [in][out] in 1/4096
	biases  []int32 // [out] in the unit of the sums
}

//go:embed weights
var files embed.FS

// estimates holds the embedded estimate of each family once it is asked for.
var estimates sync.Map

// For returns the embedded estimate for the family of the rules.
func For(r *ruleset.Rules) (*Estimate, error) {
	if e, ok := estimates.Load(r.Family); ok {
		return e.(*Estimate), nil
	}
	data, err := files.ReadFile("weights/" + r.Family + ".bin")
	if err != nil {
		return nil, fmt.Errorf("chance: there is no estimate for the family %s", r.Family)
	}
	e, err := Parse(data)
	if err != nil {
		return nil, err
	}
	estimates.Store(r.Family, e)
	return e, nil
}

// magic begins a file of weights.
var magic = [8]byte{'j', 'a', 'n', 's', 'o', 'u', 'V', Version}

// header is what follows it, little-endian; then the weights and biases of each
// layer.
type header struct {
	Magic  [8]byte
	Inputs uint32
	Hidden [2]uint32
	Scale  uint32
	Habits [NumHabits]int16
	Blend  Blend
	Linear Linear
}

// MaxHidden is the largest size of a hidden layer.
const MaxHidden = 256

// Parse reads weights as AppendTo writes them.
func Parse(data []byte) (*Estimate, error) {
	var h header
	in := bytes.NewReader(data)
	if err := binary.Read(in, binary.LittleEndian, &h); err != nil {
		return nil, errors.New("chance: weights are cut off")
	}
	switch {
	case !bytes.Equal(h.Magic[:7], magic[:7]):
		return nil, errors.New("chance: these are no weights of an estimate")
	case h.Magic[7] != Version || h.Inputs != NumInputs:
		return nil, fmt.Errorf("chance: weights of version %d with %d inputs, this program has version %d with %d: fit them anew",
			h.Magic[7], h.Inputs, Version, NumInputs)
	case h.Hidden[0] == 0 || h.Hidden[0] > MaxHidden || h.Hidden[1] == 0 || h.Hidden[1] > MaxHidden || h.Scale == 0 || h.Scale > 1<<24:
		return nil, fmt.Errorf("chance: weights of %d and %d hidden values at scale %d", h.Hidden[0], h.Hidden[1], h.Scale)
	}
	sizes := [4]int{NumInputs, int(h.Hidden[0]), int(h.Hidden[1]), sim.NumPlayers}
	if err := h.Linear.check(); err != nil {
		return nil, err
	}
	e := &Estimate{Scale: int(h.Scale), Habits: h.Habits, Blend: h.Blend, Linear: h.Linear}
	for i := range e.layers {
		l := &e.layers[i]
		l.in, l.out = sizes[i], sizes[i+1]
		l.weights, l.biases = make([]int16, l.in*l.out), make([]int32, l.out)
		if binary.Read(in, binary.LittleEndian, l.weights) != nil || binary.Read(in, binary.LittleEndian, l.biases) != nil {
			return nil, errors.New("chance: weights are cut off")
		}
	}
	if in.Len() > 0 {
		return nil, fmt.Errorf("chance: %d bytes follow the weights", in.Len())
	}
	return e, nil
}

// Fixed points of a Layer: the bits after the point of its weights, and of the
// biases of the first and of later ones.
const (
	WeightBits    = weightBits
	FirstBiasBits = inputBits + weightBits
	LaterBiasBits = hiddenBits + weightBits
)

// Layer is a layer of a network: Weights[i*len(Biases)+j] is that of input i for
// output j.
type Layer struct {
	Weights []int16
	Biases  []int32
}

// NewEstimate returns an estimate of the layers of a network whose inputs are in
// multiples of InputUnit, whose hidden values are cut off below zero, and whose outputs
// are in multiples of scale units, for the players in turn order from the mover on.
func NewEstimate(layers [3]Layer, scale int, habits *[NumHabits]int16) (*Estimate, error) {
	e := &Estimate{Scale: scale, Habits: *habits, Blend: Whole()}
	in := NumInputs
	for i, l := range layers {
		out := len(l.Biases)
		if out == 0 || out > MaxHidden || len(l.Weights) != in*out || i == 2 && out != sim.NumPlayers {
			return nil, fmt.Errorf("chance: layer %d has %d weights and %d biases for %d inputs", i, len(l.Weights), out, in)
		}
		e.layers[i] = layer{in, out, l.Weights, l.Biases}
		in = out
	}
	return e, nil
}

// Layers returns the layers of the network, which are not to be changed.
func (e *Estimate) Layers() (list [3]Layer) {
	for i, l := range e.layers {
		list[i] = Layer{l.weights, l.biases}
	}
	return list
}

// AppendTo appends the weights as a file has them.
func (e *Estimate) AppendTo(dst []byte) []byte {
	h := header{Magic: magic, Inputs: NumInputs, Hidden: [2]uint32{uint32(e.layers[0].out), uint32(e.layers[1].out)}, Scale: uint32(e.Scale), Habits: e.Habits, Blend: e.Blend, Linear: e.Linear}
	dst, _ = binary.Append(dst, binary.LittleEndian, h)
	for _, l := range e.layers {
		dst, _ = binary.Append(dst, binary.LittleEndian, l.weights)
		dst, _ = binary.Append(dst, binary.LittleEndian, l.biases)
	}
	return dst
}

// evaluator asks an estimate about states that are much alike: it adds only what has
// changed since the last one to the sums of the first layer.
type evaluator struct {
	e      *Estimate
	last   Inputs
	sums   [MaxHidden]int64
	answer [sim.NumPlayers]int64
	asked  bool
}

// ask returns the amounts in 1/65536 of a unit that the players can expect to gain,
// in turn order from the mover on. Their sum is zero but for rounding.
func (v *evaluator) ask(in *Inputs) [sim.NumPlayers]int64 {
	first := &v.e.layers[0]
	sums := v.sums[:first.out]
	if !v.asked {
		v.last = Inputs{}
		for j, b := range first.biases {
			sums[j] = int64(b)
		}
	}
	changed := !v.asked
	for i, x := range in {
		d := int64(x) - int64(v.last[i])
		if d == 0 {
			continue
		}
		changed = true
		row := first.weights[i*first.out : (i+1)*first.out]
		for j, w := range row {
			sums[j] += d * int64(w)
		}
	}
	if !changed {
		return v.answer
	}
	v.asked, v.last = true, *in
	var hidden [2][MaxHidden]int64
	cut(sums, hidden[0][:first.out], inputBits+weightBits-hiddenBits)
	second, third := &v.e.layers[1], &v.e.layers[2]
	var deep [MaxHidden]int64
	second.sum(hidden[0][:second.in], deep[:second.out])
	cut(deep[:second.out], hidden[1][:second.out], weightBits)
	out := v.answer[:]
	third.sum(hidden[1][:third.in], out)
	var mean int64
	for j := range out {
		out[j] = out[j] * int64(v.e.Scale) >> (hiddenBits + weightBits - amountBits)
		mean += out[j]
	}
	mean >>= 2
	for j := range out {
		out[j] -= mean
	}
	return v.answer
}

// sum writes the sums of a layer over hidden values.
func (l *layer) sum(in, out []int64) {
	for j, b := range l.biases {
		out[j] = int64(b)
	}
	for i, x := range in {
		if x == 0 {
			continue
		}
		row := l.weights[i*l.out : (i+1)*l.out]
		for j, w := range row {
			out[j] += x * int64(w)
		}
	}
}

// cut turns sums into hidden values: none below zero, none beyond the largest.
func cut(sums, hidden []int64, bits int) {
	for j, s := range sums {
		hidden[j] = max(0, min(s>>bits, maxHidden))
	}
}
