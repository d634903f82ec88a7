package agents_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestShare holds that players of many matches at a time have few instances and play as if
// each had its own; with the race detector, that they share them safely.
func TestShare(t *testing.T) {
	rules, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	specs := []string{"value:calls=off", "greedy", "random", "expert:net=off"}
	var instances [4]atomic.Int64
	var newAgents []func() sim.Agent
	for i, spec := range specs {
		newAgent, err := agents.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		newAgents = append(newAgents, func() sim.Agent {
			instances[i].Add(1)
			return newAgent()
		})
	}
	const matches = 16
	play := func(newAgents []func() sim.Agent, overlap bool) (actions []sim.Action) {
		job := &sim.Job{
			Rules: rules, Schedule: sim.Rotation{Seed: 3}, Count: matches, Overlap: overlap,
			NewAgent: func(number int) sim.Agent { return newAgents[number]() },
		}
		err := sim.Run(t.Context(), job, func() *[]sim.Action { return new([]sim.Action) },
			func(b *[]sim.Action, m *sim.Match) error {
				*b = append(*b, m.Actions...)
				return nil
			},
			func(b *[]sim.Action) error {
				actions = append(actions, *b...)
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		return actions
	}
	want := play(newAgents, false)
	for i := range instances {
		instances[i].Store(0)
	}
	if !slices.Equal(play(agents.Share(specs, newAgents), true), want) {
		t.Error("players that share instances play otherwise")
	}
	for i, spec := range specs {
		n := instances[i].Load()
		if own := n == matches; own != (agents.Quick(spec) == nil) {
			t.Errorf("%s has %d instances at %d tables", spec, n, matches)
		}
	}
}
