package luck

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Version is that of the inputs and of the file format. Luck of different versions must
// not be mixed.
const Version = 1

// Bits after the point of inputs, of hidden values and of amounts of luck, which are in
// units. Weights have perceptron.WeightBits.
const (
	inputBits  = 6
	hiddenBits = 8
	amountBits = 16
	weightBits = perceptron.WeightBits
	maxHidden  = 1<<15 - 1
)

// ValueFunction estimates what each player can expect to gain in the rest of a hand: a
// network of two hidden layers, in integers, blended with a linear function.
type ValueFunction struct {
	// Scale is about what a win is worth, in units; the network's amounts are multiples of
	// it.
	Scale int
	// DiscardWeights are the weights of the features by which discards are predicted, in
	// 1/256.
	DiscardWeights [NumDiscardFeatures]int16
	// Linear is the fast value function, Blend the weights of the network and of it.
	Linear Linear
	Blend  Blend
	layers [3]perceptron.Layer
}

// Blend holds the weights of the luck by the network and by the linear function, for
// each class of events, in 1/1024. A network fitted to few matches overestimates
// differences, which a weight below 1 corrects.
type Blend [numParts][NumClasses]int16

// The parts of a Blend.
const byNetwork, byLinear, numParts = 0, 1, 2

// Classes of events. They are known before the random tile.
const (
	classReady     = iota // a draw of a player in riichi or declared ready
	classTenpai           // of one with a ready hand
	classNear             // of one at shanten 1
	classFar              // at shanten 2
	classFarther          // or more
	classIndicator        // a dora indicator
	classDeal             // the deal
	// NumClasses is the number of classes.
	NumClasses
)

// BlendUnit is a weight of 1 in a Blend.
const BlendUnit = 1 << 10

// NetworkOnly returns the blend of the network alone.
func NetworkOnly() (b Blend) {
	for c := range b[byNetwork] {
		b[byNetwork][c] = BlendUnit
	}
	return b
}

//go:embed weights/*.bin
var files embed.FS

// loaded caches the embedded value functions by the FittedName of rules.
var loaded sync.Map

// ValueFunctionFor returns the embedded value function for the family of the rules and their
// number of players.
func ValueFunctionFor(r *ruleset.Rules) (*ValueFunction, error) {
	fitted := r.FittedName()
	if e, ok := loaded.Load(fitted); ok {
		return e.(*ValueFunction), nil
	}
	data, err := files.ReadFile("weights/" + fitted + ".bin")
	if err != nil {
		return nil, fmt.Errorf("luck: there is no value function for %s: fit one with train fit", fitted)
	}
	e, err := Parse(data)
	if err != nil {
		return nil, err
	}
	loaded.Store(fitted, e)
	return e, nil
}

// magic begins a file.
var magic = [8]byte{'h', 'a', 'l', 'l', 'v', 'a', 'l', Version}

// header begins a file, little-endian. The weights and biases of each layer follow.
type header struct {
	Magic  [8]byte
	Inputs uint32
	Hidden [2]uint32
	Scale  uint32
	// The fields of a ValueFunction.
	DiscardWeights [NumDiscardFeatures]int16
	Blend          Blend
	Linear         Linear
}

// MaxHidden is the largest size of a hidden layer.
const MaxHidden = 256

// Parse reads what AppendTo wrote.
func Parse(data []byte) (*ValueFunction, error) {
	var h header
	in := bytes.NewReader(data)
	if err := binary.Read(in, binary.LittleEndian, &h); err != nil {
		return nil, errors.New("luck: the weights are cut off")
	}
	switch {
	case !bytes.Equal(h.Magic[:7], magic[:7]):
		return nil, errors.New("luck: this is no value function")
	case h.Magic[7] != Version || h.Inputs != NumInputs:
		return nil, fmt.Errorf("luck: weights of version %d with %d inputs, this program has version %d with %d: fit them again",
			h.Magic[7], h.Inputs, Version, NumInputs)
	case h.Hidden[0] == 0 || h.Hidden[0] > MaxHidden || h.Hidden[1] == 0 || h.Hidden[1] > MaxHidden || h.Scale == 0 || h.Scale > 1<<24:
		return nil, fmt.Errorf("luck: weights of %d and %d hidden values at scale %d", h.Hidden[0], h.Hidden[1], h.Scale)
	}
	if err := h.Linear.check(); err != nil {
		return nil, err
	}
	e := &ValueFunction{Scale: int(h.Scale), DiscardWeights: h.DiscardWeights, Blend: h.Blend, Linear: h.Linear}
	var err error
	if e.layers, err = perceptron.ReadLayers(in, [4]int{NumInputs, int(h.Hidden[0]), int(h.Hidden[1]), sim.NumPlayers}); err != nil {
		return nil, fmt.Errorf("luck: %w", err)
	}
	if in.Len() > 0 {
		return nil, fmt.Errorf("luck: %d bytes follow the weights", in.Len())
	}
	return e, nil
}

// NewValueFunction returns a value function of the layers of a network. Its outputs are
// in multiples of scale units, for the players in turn order from the mover on.
func NewValueFunction(layers [3]perceptron.FloatLayer, scale int, weights *[NumDiscardFeatures]int16) (*ValueFunction, error) {
	e := &ValueFunction{Scale: scale, DiscardWeights: *weights, Blend: NetworkOnly()}
	in := NumInputs
	for i, l := range layers {
		out := len(l.Biases)
		if out == 0 || out > MaxHidden || len(l.Weights) != in*out || i == 2 && out != sim.NumPlayers {
			return nil, fmt.Errorf("luck: layer %d has %d weights and %d biases for %d inputs", i, len(l.Weights), out, in)
		}
		in = out
	}
	e.layers = perceptron.RoundLayers(layers, inputBits, hiddenBits)
	return e, nil
}

// Layers returns the layers of the network in floating point.
func (e *ValueFunction) Layers() [3]perceptron.FloatLayer {
	return perceptron.FloatLayers(e.layers, inputBits, hiddenBits)
}

// AppendTo appends the weights in their file format.
func (e *ValueFunction) AppendTo(dst []byte) []byte {
	h := header{
		Magic: magic, Inputs: NumInputs, Hidden: [2]uint32{uint32(len(e.layers[0].Biases)), uint32(len(e.layers[1].Biases))},
		Scale: uint32(e.Scale), DiscardWeights: e.DiscardWeights, Blend: e.Blend, Linear: e.Linear,
	}
	dst, _ = binary.Append(dst, binary.LittleEndian, h)
	return perceptron.AppendLayers(dst, &e.layers)
}

// evaluator evaluates a value function for similar states: it adds only the inputs that
// have changed to the sums of the first layer.
type evaluator struct {
	function *ValueFunction
	seats    int
	last     Inputs
	sums     [MaxHidden]int64
	answer   [sim.NumPlayers]int64
	started  bool
}

// evaluate returns the amounts in 1/Unit of a unit that the players can expect to gain,
// in turn order from the mover on. Their sum is zero except for rounding. Sums have 64
// bits, since hidden values are too large for 32.
func (v *evaluator) evaluate(in *Inputs) [sim.NumPlayers]int64 {
	first, second, third := &v.function.layers[0], &v.function.layers[1], &v.function.layers[2]
	sums := v.sums[:len(first.Biases)]
	if !v.started {
		v.last = Inputs{}
		for j, b := range first.Biases {
			sums[j] = int64(b)
		}
	}
	changed := !v.started
	for i, x := range in {
		if d := int64(x) - int64(v.last[i]); d != 0 {
			changed = true
			addRow(sums, first, i, d)
		}
	}
	if !changed {
		return v.answer
	}
	v.started, v.last = true, *in
	var deep [MaxHidden]int64
	out := v.answer[:]
	evaluate(second, sums, inputBits+weightBits-hiddenBits, deep[:len(second.Biases)])
	evaluate(third, deep[:len(second.Biases)], weightBits, out)
	clear(out[v.seats:])
	out = out[:v.seats]
	var mean int64
	for j := range out {
		out[j] = out[j] * int64(v.function.Scale) >> (hiddenBits + weightBits - amountBits)
		mean += out[j]
	}
	if v.seats == sim.NumPlayers {
		mean >>= 2 // rounds down
	} else {
		mean /= int64(v.seats)
	}
	for j := range out {
		out[j] -= mean
	}
	return v.answer
}

// evaluate writes the sums of a layer, given those of the layer before, which are
// shifted to the right to become hidden values.
func evaluate(l *perceptron.Layer, before []int64, shift int, sums []int64) {
	for j, b := range l.Biases {
		sums[j] = int64(b)
	}
	for i, x := range before {
		if v := min(x>>shift, maxHidden); v > 0 {
			addRow(sums, l, i, v)
		}
	}
}

// addRow adds the weights of input i, times a factor, to sums.
func addRow(sums []int64, l *perceptron.Layer, i int, times int64) {
	for j, w := range l.Weights[i*len(sums):][:len(sums)] {
		sums[j] += times * int64(w)
	}
}
