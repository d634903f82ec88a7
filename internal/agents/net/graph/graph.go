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
	"maps"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// Bounds of a graph: of its nodes, the numbers of all results together, and the products and
// functions of one computation, which take several seconds. With maxSize products of three sizes
// do not overflow.
const (
	maxNodes   = 1 << 14
	maxNumbers = 1 << 24
	maxWork    = 1 << 31
	maxSize    = 1 << 20
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
	values []value // the inputs, then constants and results in the order of their first use
	output int
}

// value is an input, unless it has a constant or the step that computes it.
type value struct {
	length   int
	constant []float32
	step     *step
}

// step is a node with its operands found and its sizes checked.
type step struct {
	op    *operation
	in    []int // indexes of values
	index []int32
	dims  [4]int
	eps   float32
}

// Length returns the number of numbers of the output.
func (g *Graph) Length() int { return g.values[g.output].length }

// Parse parses a graph in JSON. An error names the node at fault.
func Parse(text string, inputs []Input, constants Constants) (*Graph, error) {
	var d description
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("its graph cannot be read: %w", err)
	}
	if len(d.Nodes) > maxNodes {
		return nil, fmt.Errorf("its graph has %d nodes; allowed: %d", len(d.Nodes), maxNodes)
	}
	p := parser{g: &Graph{}, constants: constants, indexes: map[string]int{}}
	for _, in := range inputs {
		p.put(in.Name, value{length: in.Length})
	}
	for i := range d.Nodes {
		if err := p.add(&d.Nodes[i]); err != nil {
			return nil, fmt.Errorf("node %d, %q: %w", i, d.Nodes[i].Name, err)
		}
	}
	var ok bool
	if p.g.output, ok = p.indexes[d.Output]; !ok {
		return nil, fmt.Errorf("its output is %q, which is no node", d.Output)
	}
	return p.g, nil
}

type parser struct {
	g             *Graph
	constants     Constants
	indexes       map[string]int // of values by name
	numbers, work int
}

func (p *parser) put(name string, v value) {
	p.indexes[name] = len(p.g.values)
	p.g.values = append(p.g.values, v)
}

func (p *parser) add(n *node) error {
	op, ok := operations[n.Op]
	if !ok {
		nearest := suggest.Nearest(n.Op, slices.Sorted(maps.Keys(operations)), 3)
		return fmt.Errorf("the operation %q is unknown; nearest: %s; export the network with the package of this version", n.Op, strings.Join(nearest, ", "))
	}
	if _, ok := p.indexes[n.Name]; ok || n.Name == "" {
		return errors.New("its name is empty or that of another value")
	}
	if len(n.In) < op.least || len(n.In) > op.most || len(n.Dims) != op.dims {
		return fmt.Errorf("%s has %d operands and %d sizes; required: %d to %d, and %d", n.Op, len(n.In), len(n.Dims), op.least, op.most, op.dims)
	}
	s := &step{op: op, eps: n.Eps}
	if !(n.Eps >= 0 && n.Eps <= 1) {
		return fmt.Errorf("eps is %v; allowed: 0 to 1", n.Eps)
	}
	for i, d := range n.Dims {
		if s.dims[i] = d; d < 1 || d > maxSize {
			return fmt.Errorf("a size is %d; allowed: 1 to %d", d, maxSize)
		}
	}
	in := n.In
	var err error
	if n.Op == "take" {
		if s.index, err = p.constants.Ints(in[1]); err != nil {
			return err
		}
		in = in[:1]
	}
	for _, name := range in {
		if _, ok := p.indexes[name]; !ok {
			floats, err := p.constants.Floats(name)
			if err != nil {
				return err
			}
			p.put(name, value{length: len(floats), constant: floats})
		}
		s.in = append(s.in, p.indexes[name])
	}
	length, work, err := op.size(p.g, s)
	p.numbers, p.work = p.numbers+length, p.work+work
	switch {
	case err != nil:
		return err
	case length < 1:
		return errors.New("its result is empty")
	case p.numbers > maxNumbers:
		return fmt.Errorf("all results have over %d numbers", maxNumbers)
	case p.work > maxWork:
		return fmt.Errorf("a decision takes over %d products", maxWork)
	}
	p.put(n.Name, value{length: length, step: s})
	return nil
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
	for _, v := range g.values {
		if v.constant == nil {
			v.constant = make([]float32, v.length)
		}
		r.values = append(r.values, v.constant)
	}
	return r
}

// Input returns the numbers of an input, which the caller sets.
func (r *Run) Input(i int) []float32 { return r.values[i] }

// Compute returns the numbers of the output, valid until the next call.
func (r *Run) Compute() []float32 {
	for i := range r.values {
		if s := r.g.values[i].step; s != nil {
			s.op.compute(r, s, r.values[i])
		}
	}
	return r.values[r.g.output]
}
