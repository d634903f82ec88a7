package heuristic_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func load(t *testing.T, preset string) *ruleset.Rules {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lineup returns four agents, those of the players in the set (bit p) made by
// one spec and the others by another.
func lineup(t *testing.T, set uint8, spec, others string) *[sim.NumPlayers]sim.Agent {
	t.Helper()
	var seats [sim.NumPlayers]sim.Agent
	for p := range seats {
		name := others
		if set>>p&1 != 0 {
			name = spec
		}
		f, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
		}
		seats[p] = f()
	}
	return &seats
}
