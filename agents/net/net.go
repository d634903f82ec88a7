// Package net plays by a network that python -m jansou.learn has exported. It reckons
// in integers, so that its answers are the same on every machine, and allocates nothing.
package net

import (
	"fmt"
	"os"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/observe"
)

// player plays by a network.
type player struct {
	path    string
	net     *network
	encoder *observe.Encoder
	tensors [][]byte
	in      inputs
	scratch scratch
}

// New returns the factory for the network of a file. newAgent makes a built-in player
// by its name: one whose advice the network may want. The error names the file and what
// is wrong with it.
func New(path string, newAgent func(spec string) (func() sim.Agent, error)) (func() sim.Agent, error) {
	if path == "" {
		return nil, fmt.Errorf("the file of the network is missing, such as in net:tenhou.safetensors")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s: it has %d bytes; networks have %d at most", path, info.Size(), maxFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, err := parse(data, newAgent)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return func() sim.Agent {
		p := &player{path: path, net: n, encoder: n.observation.NewEncoder(), tensors: make([][]byte, len(n.observation.Tensors))}
		for i := range p.tensors {
			p.tensors[i] = make([]byte, 0, n.observation.Tensors[i].Size())
		}
		return p
	}, nil
}

// Start implements sim.Starter: the network must be for the family of the rules.
func (p *player) Start(r *ruleset.Rules) error {
	if p.net.family != r.Family {
		return fmt.Errorf("net: %s is for the family %q, these rules are of %q", p.path, p.net.family, r.Family)
	}
	return nil
}

// Act implements sim.Agent.
func (p *player) Act(v sim.View) sim.Action {
	for i := range p.tensors {
		p.tensors[i] = p.tensors[i][:0]
	}
	p.encoder.Append(p.tensors, v, nil)
	p.in.read(&p.net.inputs, p.tensors)
	legal := v.Legal()
	return p.net.answer(&p.scratch, &p.in, &legal)
}
