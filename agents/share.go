package agents

import (
	"sync"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Share returns the constructors of players of hundreds of matches at a time, by their specs.
// Those of [Quick] players take turns with a few instances, whose memory and caches they
// share; each instance of its own would fill its caches again.
func Share(specs []string, newAgents []func() sim.Agent) []func() sim.Agent {
	shared := make([]func() sim.Agent, len(newAgents))
	for i, spec := range specs {
		shared[i] = newAgents[i]
		if Quick(spec) != nil {
			a := &sharedAgent{newAgent: newAgents[i]}
			shared[i] = func() sim.Agent { return a }
		}
	}
	return shared
}

// sharedAgent is an agent that depends on the view alone, for any number of tables.
type sharedAgent struct {
	newAgent func() sim.Agent

	mu   sync.Mutex
	free []sim.Agent // instances that do not act now
}

// Act implements sim.Agent. It may be called concurrently.
func (s *sharedAgent) Act(v sim.View) sim.Action {
	a := s.take()
	action := a.Act(v)
	s.mu.Lock()
	s.free = append(s.free, a)
	s.mu.Unlock()
	return action
}

func (s *sharedAgent) take() sim.Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return s.newAgent()
	}
	a := s.free[n-1]
	s.free = s.free[:n-1]
	return a
}
