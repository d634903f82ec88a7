package net

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/agents/net/graph"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// module is a parsed file with a network of any form, which computes the scores of all actions
// from the tensors of an observation in float32; see package graph. It is immutable.
type module struct {
	family string
	seats  int
	spec   *observe.Spec
	graph  *graph.Graph
	reads  []int // the tensor of each input of the graph; maskInput for the legal actions
}

const maskInput = -1

// observed begins the names of the inputs of a graph.
const observed = "observation."

// parseModule parses a file. newAgent constructs the adviser that the observation may name.
func parseModule(f *tensorFile, newAgent func(spec string) (func() sim.Agent, error)) (*module, error) {
	m := &module{family: f.metadata["family"]}
	var err error
	if m.seats, err = f.metadataInt("seats", sim.NumPlayers-1, sim.NumPlayers); err != nil {
		return nil, err
	}
	tableVersion, actions := sim.ActionTable(m.seats)
	if err := f.check(moduleVersion, tableVersion); err != nil {
		return nil, err
	}
	spec, err := f.observation(m.seats, newAgent)
	if err != nil {
		return nil, err
	}
	m.spec = spec
	var inputs []graph.Input
	for name := range strings.SplitSeq(f.metadata["inputs"], ",") {
		tensor, length := maskInput, actions
		if name != "action_mask" {
			if tensor, length, err = m.tensorOf(name); err != nil {
				return nil, err
			}
		}
		m.reads = append(m.reads, tensor)
		inputs = append(inputs, graph.Input{Name: observed + name, Length: length})
	}
	if m.graph, err = graph.Parse(f.metadata["graph"], inputs, f); err != nil {
		return nil, err
	}
	if got := m.graph.Length(); got != actions {
		return nil, fmt.Errorf("its output has %d numbers, want a score for each of the %d actions", got, actions)
	}
	return m, f.finish()
}

// tensorOf returns the index of a tensor of the observation and its number of elements.
func (m *module) tensorOf(name string) (i, length int, err error) {
	i = slices.IndexFunc(m.spec.Tensors, func(t observe.Tensor) bool { return t.Name == name && t.DType != observe.Text })
	if i < 0 {
		return 0, 0, fmt.Errorf("it reads %q, which is no tensor of the observation %s", name, m.spec.Name)
	}
	length = 1
	for _, n := range m.spec.Tensors[i].Shape {
		length *= n
	}
	return i, length, nil
}

// modulePlayer plays by a module.
type modulePlayer struct {
	path    string
	module  *module
	encoder *observe.Encoder
	history observe.History
	tensors [][]byte
	// unpacked is the memory for one of them.
	unpacked []byte
	run      *graph.Run
	err      error
}

func newModulePlayer(path string, m *module) *modulePlayer {
	return &modulePlayer{path: path, module: m, encoder: m.spec.NewEncoder(), tensors: buffers(m.spec), run: m.graph.NewRun()}
}

// Start implements sim.Starter. The module must be for the family of the rules and their number
// of players.
func (p *modulePlayer) Start(r *ruleset.Rules) error {
	m := p.module
	if r.NumSeats() != m.seats {
		return fmt.Errorf("net: %s is for %d players, %s for %d; name another agent, such as expert", p.path, m.seats, r.Name, r.NumSeats())
	}
	return checkFamily(p.path, m.family, r)
}

// Listen implements sim.Listener.
func (p *modulePlayer) Listen(_ sim.View, events []sim.Event) {
	if p.module.spec.History {
		p.history.Add(events)
	}
}

// Err implements sim.Failer.
func (p *modulePlayer) Err() error { return p.err }

// Act implements sim.Agent. It returns the legal action with the highest score, the first of
// equal ones.
func (p *modulePlayer) Act(v sim.View) sim.Action {
	legal := v.Legal()
	for i := range p.tensors {
		p.tensors[i] = p.tensors[i][:0]
	}
	p.encoder.Append(p.tensors, v, &p.history)
	for i, tensor := range p.module.reads {
		in := p.run.Input(i)
		if tensor != maskInput {
			p.unpacked = p.module.spec.Tensors[tensor].AppendUnpacked(p.unpacked[:0], p.tensors[tensor])
			numbers(in, p.unpacked)
			continue
		}
		clear(in)
		for rest := legal; rest != (sim.ActionSet{}); {
			in[takeFirst(&rest)] = 1
		}
	}
	scores, best := p.run.Compute(), sim.NoAction
	for rest := legal; rest != (sim.ActionSet{}); {
		if a := takeFirst(&rest); best == sim.NoAction || scores[a] > scores[best] {
			best = a
		}
	}
	if score := float64(scores[best]); math.IsNaN(score) || math.IsInf(score, 0) {
		p.err = fmt.Errorf("net: %s: the score of %v is %v; train the network with smaller numbers", p.path, best, score)
	}
	return best
}

// numbers sets a list to the elements of a tensor whose bits are unpacked.
func numbers(list []float32, data []byte) {
	size := len(data) / len(list)
	for i := range list {
		switch size {
		case 1:
			list[i] = float32(data[i])
		case 2:
			list[i] = float32(binary.LittleEndian.Uint16(data[2*i:]))
		default:
			list[i] = float32(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
	}
}

// Floats implements graph.Constants.
func (f *tensorFile) Floats(name string) ([]float32, error) {
	list, err := constant(f, name, "F32", math.Float32frombits)
	for _, x := range list {
		if x-x != 0 {
			return nil, fmt.Errorf("the tensor %q has a number that is not finite: %v", name, x)
		}
	}
	return list, err
}

// Ints implements graph.Constants.
func (f *tensorFile) Ints(name string) ([]int32, error) {
	return constant(f, name, "I32", func(bits uint32) int32 { return int32(bits) })
}

// constant returns a tensor of numbers of four bytes and marks it as read. Its shape is that
// of the module and does not matter here.
func constant[T any](f *tensorFile, name, dtype string, number func(bits uint32) T) (list []T, err error) {
	t, ok := f.tensors[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("%q is no node before it, no tensor and no input", name)
	case t.DType != dtype || len(t.data)%4 != 0:
		return nil, fmt.Errorf("the tensor %q is %s of %d bytes, want %s", name, t.DType, len(t.data), dtype)
	}
	t.read = true
	for data := range slices.Chunk(t.data, 4) {
		list = append(list, number(binary.LittleEndian.Uint32(data)))
	}
	return list, nil
}
