package sim_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// crew makes agents that note what happens to them.
type crew struct {
	mu      sync.Mutex
	started int
	closed  int
	members []*member
	// startErr, closeErr and failure are what the agents return.
	startErr, closeErr, failure error
}

type member struct {
	sim.Agent
	crew   *crew
	number int
	busy   sync.Mutex // an agent is for one goroutine at a time
	open   bool
}

func (c *crew) newAgent(number int) sim.Agent {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &member{Agent: anyhow, crew: c, number: number}
	c.members = append(c.members, m)
	return m
}

func (m *member) Start(r *ruleset.Rules) error {
	m.crew.mu.Lock()
	defer m.crew.mu.Unlock()
	m.crew.started++
	m.open = r != nil
	return m.crew.startErr
}

func (m *member) Close() error {
	m.crew.mu.Lock()
	defer m.crew.mu.Unlock()
	m.crew.closed++
	m.open = false
	return m.crew.closeErr
}

func (m *member) Err() error { return m.crew.failure }

func (m *member) Act(v sim.View) sim.Action {
	if !m.busy.TryLock() {
		panic("two matches at a time")
	}
	defer m.busy.Unlock()
	if !m.open {
		panic("not started, or closed")
	}
	return m.Agent.Act(v)
}

// uneven is a schedule in which agents sit at a table more than once.
type uneven struct{ sim.Rotation }

func (u uneven) Match(index uint64) (uint64, [sim.NumPlayers]uint8) {
	seed, _ := u.Rotation.Match(index)
	return seed, [][sim.NumPlayers]uint8{{0, 0, 5, 0}, {5, 2, 2, 5}, {1, 2, 3, 5}}[index%3]
}

// TestRunHooks checks that every agent is started once and closed once, that each
// plays for one player at a time, and that matches that overlap are the same.
func TestRunHooks(t *testing.T) {
	r := load(t, "ema_2016")
	var want []played
	for _, overlap := range []bool{false, true} {
		c := &crew{}
		j := quickJob(r, 2*sim.BlockSize+9, 2)
		j.Schedule, j.NewAgent, j.Overlap = uneven{sim.Rotation{Seed: 8}}, c.newAgent, overlap
		got, err := runAll(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if c.started != len(c.members) || c.closed != len(c.members) {
			t.Errorf("overlap %v: %d agents, %d started, %d closed", overlap, len(c.members), c.started, c.closed)
		}
		// A table needs three agents 0, two of 2 and 5, one of 1 and 3.
		if most := 9 * 2; !overlap && len(c.members) > most {
			t.Errorf("%d agents for 2 tables", len(c.members))
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("overlap %v (-alone +together):\n%s", overlap, diff)
		}
		for _, m := range got {
			if _, agents := j.Schedule.Match(m.Index); m.Agents != agents {
				t.Errorf("match %d: agents %v, want %v", m.Index, m.Agents, agents)
			}
		}
	}
}

// TestRunHookErrors checks that errors of agents end the run, and that their
// agents are closed.
func TestRunHookErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]*crew{
		"start": {startErr: broken},
		"fail":  {failure: broken},
		"close": {closeErr: broken},
	} {
		for _, overlap := range []bool{false, true} {
			c.members, c.started, c.closed = nil, 0, 0
			j := quickJob(load(t, "ema_2016"), 3*sim.BlockSize, 2)
			j.NewAgent, j.Overlap = c.newAgent, overlap
			got, err := runAll(t.Context(), j)
			if !errors.Is(err, broken) {
				t.Errorf("%s: %v", name, err)
			}
			if whole := len(got) == 3*sim.BlockSize; whole != (name == "close") || len(got)%sim.BlockSize != 0 {
				t.Errorf("%s: %d matches are handed on", name, len(got))
			}
			if c.closed != len(c.members) || slices.ContainsFunc(c.members, func(m *member) bool { return m.open }) {
				t.Errorf("%s: %d of %d agents are closed", name, c.closed, len(c.members))
			}
		}
	}
}
