// Package net holds the player "net", which plays by a neural network: one of the program, or a
// file. Networks of sparrowhall.learn compute with fixed-point integers, other modules, which
// sparrowhall.Policy.save writes, in float32. Neither allocates per decision.
//
//	newAgent, err := net.New("my.safetensors", agents.New)
//	action := newAgent().Act(view)
//
// Files are in the safetensors format; sparrowhall/learn/inputs.py defines the inputs.
package net

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// player plays by a network.
type player struct {
	path     string
	networks map[string]*network // the embedded ones by family; nil with a file
	net      *network
	encoder  *observe.Encoder
	tensors  [][]byte
	in       inputs
	scratch  scratch

	considered []sim.Action // of the last decision
}

// New returns a constructor of players by the network of a file or, if path is empty, by the
// embedded network for the family of the rules. newAgent returns the constructor of a built-in
// player by its name, for networks with an adviser. An error names the file and the fault.
func New(path string, newAgent func(spec string) (func() sim.Agent, error)) (func() sim.Agent, error) {
	if path == "" {
		networks, err := imitators.load("weights", newAgent, parse)
		if err != nil {
			return nil, err
		}
		return func() sim.Agent { return &player{networks: networks} }, nil
	}
	data, err := userfile.ReadRegular(path, maxFile)
	if err != nil {
		return nil, err
	}
	return newFrom(path, data, newAgent)
}

// NewIn is New for a file below a folder. It does not follow links that lead out of the folder,
// and path may be absolute if it is below it.
func NewIn(folder, path string, newAgent func(spec string) (func() sim.Agent, error)) (func() sim.Agent, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := path
	if filepath.IsAbs(path) {
		if name, err = filepath.Rel(folder, path); err != nil {
			return nil, fmt.Errorf("%s is not below the folder of networks", path)
		}
	}
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, named(path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s: %w", path, userfile.ErrTooLarge)
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil, named(path, err)
	}
	return newFrom(path, data, newAgent)
}

// named returns an error of a file below a folder with the path that the user named, instead of
// the system call and the rest of the path.
func named(path string, err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = fault.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// newFrom returns a constructor of players by the network in the data of a file.
func newFrom(path string, data []byte, newAgent func(spec string) (func() sim.Agent, error)) (func() sim.Agent, error) {
	f, err := parseSafetensors(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch format := f.metadata["format"]; format {
	case netFormat:
		n, err := parse(f, newAgent)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return func() sim.Agent {
			p := &player{path: path}
			p.setNetwork(n)
			return p
		}, nil
	case moduleFormat:
		m, err := parseModule(f, newAgent)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return func() sim.Agent { return newModulePlayer(path, m) }, nil
	default:
		return nil, fmt.Errorf("%s: its format is %q, want %q or %q: write one with sparrowhall.Policy.save or python -m sparrowhall.learn export",
			path, format, netFormat, moduleFormat)
	}
}

func (p *player) setNetwork(n *network) {
	if p.net != n {
		p.net, p.encoder, p.tensors = n, n.observation.NewEncoder(), buffers(n.observation)
	}
}

// buffers returns memory for the tensors of an observation.
func buffers(spec *observe.Spec) [][]byte {
	list := make([][]byte, len(spec.Tensors))
	for i := range list {
		list[i] = make([]byte, 0, spec.Tensors[i].Size())
	}
	return list
}

// Start implements sim.Starter. The network must be for the family of the rules, and there
// are networks for four players alone.
func (p *player) Start(r *ruleset.Rules) error {
	if r.NumSeats() != sim.NumPlayers {
		return fmt.Errorf("net: %s is for %d players; networks are for %d; name another agent, such as expert", r.Name, r.NumSeats(), sim.NumPlayers)
	}
	if p.networks != nil {
		if p.networks[r.Family] == nil {
			return fmt.Errorf("net: the program has no network for the family %q; it has one for: %s; name a file of your own as net:FILE",
				r.Family, strings.Join(slices.Sorted(maps.Keys(p.networks)), ", "))
		}
		return nil
	}
	return checkFamily(p.path, p.net.family, r)
}

func checkFamily(path, family string, r *ruleset.Rules) error {
	if family != r.Family {
		return fmt.Errorf("net: %s is for the family %q, these rules are of %q", path, family, r.Family)
	}
	return nil
}

// Act implements sim.Agent.
func (p *player) Act(v sim.View) sim.Action {
	legal := v.Legal()
	if p.networks != nil {
		n := p.networks[v.Rules().Family]
		if n == nil { // Start was not called
			return sim.DefaultAction(&legal)
		}
		p.setNetwork(n)
	}
	for i := range p.tensors {
		p.tensors[i] = p.tensors[i][:0]
	}
	p.encoder.Append(p.tensors, v, nil)
	p.in.read(&p.net.inputs, p.tensors)
	return p.net.choose(&p.scratch, &p.in, &legal)
}

const (
	// consideredMargin is by how much an action may score lower than the best to be considered,
	// in units of scores, and winThousandths how many thousandths of a win a unit stands for.
	consideredMargin = 12
	winThousandths   = 16
	maxConsidered    = 64
)

// NumCandidates returns the number of actions that score little lower than the answer of the
// last Act, as an agent by which rollouts are made.
func (p *player) NumCandidates() int {
	p.considered = p.considered[:0]
	most := int64(math.MinInt64)
	for rest := p.scratch.legal; rest != (sim.ActionSet{}); {
		most = max(most, p.scratch.scores[takeFirst(&rest)])
	}
	for rest := p.scratch.legal; rest != (sim.ActionSet{}) && len(p.considered) < maxConsidered; {
		if a := takeFirst(&rest); p.scratch.scores[a] >= most-consideredMargin<<(weightBits+valueBits) {
			p.considered = append(p.considered, a)
		}
	}
	return len(p.considered)
}

// Candidate returns action i of them.
func (p *player) Candidate(i int) sim.Action { return p.considered[i] }

// PredictedGain returns the score of action i in thousandths of the worth of a win. As in
// Act, the margin is included for the first candidate of the adviser.
func (p *player) PredictedGain(i int) int {
	return int(winThousandths * p.scratch.scores[p.considered[i]] >> (weightBits + valueBits))
}

// takeFirst removes the first action from a set that is not empty and returns it.
func takeFirst(set *sim.ActionSet) sim.Action {
	a := set.First()
	set[a>>6] &^= 1 << (a & 63)
	return a
}
