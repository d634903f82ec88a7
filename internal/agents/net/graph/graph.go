// Package graph computes neural networks of any form in float32: a list of nodes, each an
// operation on the results of those before it. It is what sparrowhall.Policy.save of the Python
// package writes a PyTorch module as.
//
//	g, err := graph.Parse(text, inputs, tensors)
//	run := g.NewRun()
//	copy(run.Input(0), numbers)
//	logits := run.Compute()
//
// A value is a list of numbers whose length is known when the graph is parsed. It has no shape:
// whatever moves elements (transposing, slicing, padding, the windows of a convolution) is a
// node "take" with the index of each. So few operations suffice for many layers.
//
// Sums add their terms in ascending order. Each product is rounded before it is added, and
// functions such as exp are computed here with basic arithmetic alone. So results are the same
// on every machine. They differ in their last bits from those of PyTorch, which adds in another
// order.
package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// Bounds of a graph.
const (
	maxNodes = 1 << 14
	// maxNumbers bounds the numbers of all nodes together, maxWork the products and functions of
	// one computation: several seconds.
	maxNumbers = 1 << 24
	maxWork    = 1 << 31
)

// Constants are the tensors of a file.
type Constants interface {
	// Floats and Ints return the numbers of a tensor of type F32 or I32. Floats are finite.
	Floats(name string) ([]float32, error)
	Ints(name string) ([]int32, error)
}

// Input is a value that the caller sets before each computation.
type Input struct {
	Name   string
	Length int
}

// description is a graph in JSON.
type description struct {
	Nodes  []node `json:"nodes"`
	Output string `json:"output"`
}

// node is an operation. In names its operands: nodes before it, inputs, or tensors of the file.
type node struct {
	Name string   `json:"name"`
	Op   string   `json:"op"`
	In   []string `json:"in"`
	// Dims has the sizes that the operation needs; see operations.
	Dims []int   `json:"dims,omitempty"`
	Eps  float32 `json:"eps,omitempty"`
}

// Graph is a parsed graph. It is immutable.
type Graph struct {
	inputs    []Input
	constants [][]float32
	steps     []step
	output    int // index of a value: the inputs, the constants, then the results of the steps
}

// step is a node with its operands found and its sizes checked.
type step struct {
	op     *operation
	in     [3]int // -1 for none
	more   []int  // all operands of a join
	index  []int32
	dims   [4]int
	eps    float32
	length int
}

// Length returns the number of numbers of the output.
func (g *Graph) Length() int { return g.length(g.output) }

func (g *Graph) length(value int) int {
	if value < len(g.inputs) {
		return g.inputs[value].Length
	}
	if value -= len(g.inputs); value < len(g.constants) {
		return len(g.constants[value])
	}
	return g.steps[value-len(g.constants)].length
}

// Parse parses a graph in JSON. An error names the node at fault.
func Parse(text string, inputs []Input, constants Constants) (*Graph, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var d description
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("its graph cannot be read: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("its graph has something after its end")
	}
	if len(d.Nodes) > maxNodes {
		return nil, fmt.Errorf("its graph has %d nodes; allowed: %d", len(d.Nodes), maxNodes)
	}
	p := parser{g: &Graph{inputs: inputs}, constants: constants, values: map[string]int{}}
	for i, in := range inputs {
		p.values[in.Name] = i
	}
	if err := p.readConstants(&d); err != nil {
		return nil, err
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if err := p.add(n); err != nil {
			return nil, fmt.Errorf("node %d, %q: %w", i, n.Name, err)
		}
	}
	output, ok := p.values[d.Output]
	if !ok {
		return nil, fmt.Errorf("its output is %q, which is no node", d.Output)
	}
	p.g.output = output
	return p.g, nil
}

type parser struct {
	g         *Graph
	constants Constants
	values    map[string]int // by name
	numbers   int
	work      int
}

// readConstants reads the tensors that nodes name, but those of indices. They come before the
// first step, so that values have consecutive indexes.
func (p *parser) readConstants(d *description) error {
	made := map[string]bool{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		in := n.In
		if n.Op == "take" && len(in) > 1 {
			in = in[:1]
		}
		for _, name := range in {
			if _, ok := p.values[name]; ok || made[name] {
				continue
			}
			floats, err := p.constants.Floats(name)
			if err != nil {
				return fmt.Errorf("node %d, %q: %w", i, n.Name, err)
			}
			p.values[name] = len(p.g.inputs) + len(p.g.constants)
			p.g.constants = append(p.g.constants, floats)
		}
		made[n.Name] = true
	}
	return nil
}

func (p *parser) add(n *node) error {
	op, ok := operations[n.Op]
	if !ok {
		names := slices.Sorted(maps.Keys(operations))
		return fmt.Errorf("the operation %q is unknown; nearest: %s; export the network with the package of this version",
			n.Op, strings.Join(suggest.Nearest(n.Op, names, 3), ", "))
	}
	if _, ok := p.values[n.Name]; ok || n.Name == "" {
		return errors.New("its name is empty or that of another value")
	}
	s := step{op: op, eps: n.Eps, in: [3]int{-1, -1, -1}}
	if len(n.In) < op.least || len(n.In) > op.most {
		return fmt.Errorf("%s has %d operands; allowed: %d to %d", n.Op, len(n.In), op.least, op.most)
	}
	if len(n.Dims) != op.dims {
		return fmt.Errorf("%s has %d sizes; required: %d", n.Op, len(n.Dims), op.dims)
	}
	for i, d := range n.Dims {
		if d < 1 || d > maxNumbers {
			return fmt.Errorf("a size is %d; allowed: 1 to %d", d, maxNumbers)
		}
		s.dims[i] = d
	}
	if !(n.Eps >= 0 && n.Eps <= 1) {
		return fmt.Errorf("eps is %v; allowed: 0 to 1", n.Eps)
	}
	in := n.In
	if n.Op == "take" {
		var err error
		if s.index, err = p.constants.Ints(in[1]); err != nil {
			return err
		}
		in = in[:1]
	}
	for i, name := range in {
		value := p.values[name] // readConstants has found all that are no nodes
		if _, ok := p.values[name]; !ok {
			return fmt.Errorf("the operand %q comes after it", name)
		}
		if i < len(s.in) {
			s.in[i] = value
		}
		if n.Op == "join" {
			s.more = append(s.more, value)
		}
	}
	length, work, err := op.size(p.g, &s, len(in))
	if err != nil {
		return err
	}
	if length < 1 {
		return errors.New("its result is empty")
	}
	s.length = length
	if p.numbers += length; p.numbers > maxNumbers {
		return fmt.Errorf("all results have over %d numbers", maxNumbers)
	}
	if p.work += work; p.work > maxWork {
		return fmt.Errorf("a decision takes over %d products", maxWork)
	}
	p.values[n.Name] = len(p.g.inputs) + len(p.g.constants) + len(p.g.steps)
	p.g.steps = append(p.g.steps, s)
	return nil
}

// product returns the product of sizes, or bound+1 if it exceeds the bound.
func product(bound int, sizes ...int) int {
	n := 1
	for _, size := range sizes {
		if size > 0 && n > bound/size {
			return bound + 1
		}
		n *= size
	}
	return n
}

// Run is the memory of computations of a graph, which allocate nothing. It is for one goroutine
// at a time.
type Run struct {
	g      *Graph
	values [][]float32
}

// NewRun returns the memory for computations of a graph. Inputs are 0.
func (g *Graph) NewRun() *Run {
	r := &Run{g: g}
	for i := range g.inputs {
		r.values = append(r.values, make([]float32, g.inputs[i].Length))
	}
	r.values = append(r.values, g.constants...)
	for i := range g.steps {
		r.values = append(r.values, make([]float32, g.steps[i].length))
	}
	return r
}

// Input returns the numbers of an input, which the caller sets.
func (r *Run) Input(i int) []float32 { return r.values[i] }

// Compute returns the numbers of the output, valid until the next call.
func (r *Run) Compute() []float32 {
	first := len(r.values) - len(r.g.steps)
	for i := range r.g.steps {
		s := &r.g.steps[i]
		s.op.compute(r, s, r.values[first+i])
	}
	return r.values[r.g.output]
}
