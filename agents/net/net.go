// Package net plays by a network that python -m sparrowhall.learn has exported. It reckons
// in integers, so that its answers are the same on every machine, and allocates nothing.
package net

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// player plays by a network.
type player struct {
	path     string
	networks map[string]*network // to choose from by the family of the rules; nil of a file
	net      *network
	encoder  *observe.Encoder
	tensors  [][]byte
	in       inputs
	scratch  scratch

	considered []sim.Action // of the last decision
}

// New returns the factory for the network of a file, or with no path for those that are
// part of the program. newAgent makes a built-in player by its name: one whose advice the
// network may want. The error names the file and what is wrong with it.
func New(path string, newAgent func(spec string) (func() sim.Agent, error)) (func() sim.Agent, error) {
	if path == "" {
		networks, err := loadEmbedded(newAgent)
		if err != nil {
			return nil, err
		}
		return func() sim.Agent { return &player{networks: networks} }, nil
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
		p := &player{path: path}
		p.use(n)
		return p
	}, nil
}

// use makes a network the one by which the player plays.
func (p *player) use(n *network) {
	if p.net == n {
		return
	}
	p.net, p.encoder = n, n.observation.NewEncoder()
	p.tensors = make([][]byte, len(n.observation.Tensors))
	for i := range p.tensors {
		p.tensors[i] = make([]byte, 0, n.observation.Tensors[i].Size())
	}
}

// Start implements sim.Starter: the network must be for the family of the rules.
func (p *player) Start(r *ruleset.Rules) error {
	if p.networks != nil {
		if p.networks[r.Family] == nil {
			return fmt.Errorf("net: the program has no network for the family %q; it has one for: %s; name a file of your own as net:FILE",
				r.Family, strings.Join(slices.Sorted(maps.Keys(p.networks)), ", "))
		}
		return nil
	}
	if p.net.family != r.Family {
		return fmt.Errorf("net: %s is for the family %q, these rules are of %q", p.path, p.net.family, r.Family)
	}
	return nil
}

// Act implements sim.Agent.
func (p *player) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if p.networks != nil {
		n := p.networks[v.Rules().Family]
		if n == nil { // nobody has started it
			return sim.DefaultAction(&legal)
		}
		p.use(n)
	}
	for i := range p.tensors {
		p.tensors[i] = p.tensors[i][:0]
	}
	p.encoder.Append(p.tensors, v, nil)
	p.in.read(&p.net.inputs, p.tensors)
	return p.net.answer(&p.scratch, &p.in, &legal)
}

// What an action may be worse than the best by to be worth a trial, and how many
// thousandths of a win a unit of scores is taken to be.
const (
	worthTrial    = 12
	thousandths   = 16
	maxConsidered = 64
)

// Considered returns how many actions are not much worse than what the last Act answered;
// see pairs.Considerer.
func (p *player) Considered() int {
	p.considered = p.considered[:0]
	most := int64(math.MinInt64)
	for rest := p.scratch.legal; rest != (sim.ActionSet{}); {
		most = max(most, p.scratch.scores[next(&rest)])
	}
	for rest := p.scratch.legal; rest != (sim.ActionSet{}) && len(p.considered) < maxConsidered; {
		if a := next(&rest); p.scratch.scores[a] >= most-worthTrial<<(weightBits+valueBits) {
			p.considered = append(p.considered, a)
		}
	}
	return len(p.considered)
}

// Option returns the i-th of them.
func (p *player) Option(i int) sim.Action { return p.considered[i] }

// Promises returns what the network gives for it, in thousandths of what a win is worth.
func (p *player) Promises(i int) int {
	return int(thousandths * p.scratch.scores[p.considered[i]] >> (weightBits + valueBits))
}

// next takes the first action out of a set that is not empty.
func next(set *sim.ActionSet) sim.Action {
	a := set.First()
	set[a>>6] &^= 1 << (a & 63)
	return a
}
