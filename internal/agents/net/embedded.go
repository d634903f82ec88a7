package net

import (
	"embed"
	"fmt"
	"path"
	"sync"

	"github.com/sparrowhall/sparrowhall/sim"
)

// weights has networks FAMILY.safetensors for some families: those of the player net, and below
// expert-ppo those that correct expert.
//
//go:embed weights/*.safetensors weights/expert-ppo/*.safetensors
var weights embed.FS

var (
	imitators   embedded[*network]
	corrections embedded[*module]
)

// newAgentFunc returns the constructor of a built-in player by its name.
type newAgentFunc = func(spec string) (func() sim.Agent, error)

// embedded are the parsed networks of a folder of weights by family.
type embedded[T any] struct {
	once     sync.Once
	networks map[string]T
	err      error
}

// load returns the networks, which it parses once.
func (e *embedded[T]) load(folder string, newAgent newAgentFunc, parse func(*tensorFile, newAgentFunc) (T, error)) (map[string]T, error) {
	e.once.Do(func() {
		e.networks = map[string]T{}
		files, err := weights.ReadDir(folder)
		for _, file := range files {
			if file.IsDir() {
				continue
			}
			var data []byte
			if data, err = weights.ReadFile(path.Join(folder, file.Name())); err != nil {
				break
			}
			var f *tensorFile
			var n T
			if f, err = parseSafetensors(data); err == nil {
				n, err = parse(f, newAgent)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", file.Name(), err)
				break
			}
			e.networks[f.metadata["family"]] = n
		}
		e.err = err
	})
	return e.networks, e.err
}

// expertPPO is expert, corrected by a network that began as expert and learned by self-play. It is
// expert itself in families without one: only networks are kept that have gained over a fourth
// expert (docs/research/training.md, Beyond expert).
type expertPPO struct {
	expert  sim.Agent
	players map[string]sim.Agent
}

// NewExpertPPO returns a constructor of players by the networks of the program that correct expert,
// whom newAgent constructs.
func NewExpertPPO(newAgent func(spec string) (func() sim.Agent, error)) (func() sim.Agent, error) {
	modules, err := corrections.load("weights/expert-ppo", newAgent, parseModule)
	if err != nil {
		return nil, err
	}
	newExpert, err := newAgent("expert")
	return func() sim.Agent {
		p := &expertPPO{newExpert(), map[string]sim.Agent{}}
		for family, m := range modules {
			p.players[family] = newModulePlayer(family, m)
		}
		return p
	}, err
}

// Act implements sim.Agent.
func (p *expertPPO) Act(v sim.View) sim.Action {
	if corrected, ok := p.players[v.Rules().FittedName()]; ok {
		return corrected.Act(v)
	}
	return p.expert.Act(v)
}
