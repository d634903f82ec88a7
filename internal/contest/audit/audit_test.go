package audit

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// conspiracy is what two colluders at a table share: who they are, and for what the second
// has declared ready.
type conspiracy struct {
	helper, friend sim.Player
	waits          tile.Set
}

// helper passes wins on its friend's discards and discards into its declared waits while its
// own hand is not ready.
type helper struct {
	sim.Agent
	*conspiracy
}

func (h *helper) Act(v sim.View) sim.Action {
	legal := v.Legal()
	switch {
	case v.Player() != h.helper || h.friend < 0:
	case v.Phase() == sim.PhaseClaim && v.Turn() == h.friend && legal.Has(sim.ActWin):
		return sim.ActPass
	case v.Phase() == sim.PhaseTurn && v.Ready(h.friend) != sim.NotReady:
		mine := v.Hand()
		if kinds := h.waits & legal.Kinds(sim.ActDiscard); kinds != 0 && mine.Shanten(4-v.NumMelds(v.Player())) > 0 {
			return sim.ActDiscard + sim.Action(kinds.First())
		}
	}
	return h.Agent.Act(v)
}

// friend lets its helper know its waits when it declares ready.
type friend struct {
	sim.Agent
	*conspiracy
}

func (f *friend) Act(v sim.View) sim.Action {
	a := f.Agent.Act(v)
	if v.Player() == f.friend && a.IsDiscard() && a.DeclaresReady() {
		h := v.Hand()
		h.Remove(reasons.DiscardedTile(a, v.Drawn()).Kind())
		f.waits = h.Waits(4 - v.NumMelds(v.Player()))
	}
	return a
}

// played plays a tournament of built-in players, of whom the first two collude if so stated,
// and returns its audit.
func played(t testing.TB, rules *ruleset.Rules, names []string, seed, matches uint64, collude bool, workers int) *Audit {
	t.Helper()
	schedule, err := arena.New(arena.Plan{
		Seed: seed, Agents: len(names), Selection: arena.SampledLineups, Seatings: arena.Rotations(rules.NumSeats()), Rounds: 1 + matches/4/uint64(len(names)),
	})
	if err != nil {
		t.Fatal(err)
	}
	labels := slices.Clone(names)
	for i := range labels {
		labels[i] += strings.Repeat("'", i)
	}
	a := New(rules, labels)
	var wait sync.WaitGroup
	for first := range uint64(workers) {
		var secret conspiracy
		players := make([][sim.NumPlayers]sim.Agent, len(names))
		for i, name := range names {
			newAgent, err := agents.New(name)
			if err != nil {
				t.Fatal(err)
			}
			for p := range players[i] {
				players[i][p] = newAgent()
				switch {
				case collude && i == 0:
					players[i][p] = &helper{players[i][p], &secret}
				case collude && i == 1:
					players[i][p] = &friend{players[i][p], &secret}
				}
			}
		}
		wait.Go(func() {
			var m sim.Match
			for index := first; index < matches; index += uint64(workers) {
				var numbers [sim.NumPlayers]uint8
				m.Index = index
				m.Seed, numbers = schedule.Match(index)
				secret = conspiracy{helper: -1, friend: -1}
				var seated [sim.NumPlayers]sim.Agent
				var agents [sim.NumPlayers]int
				for p, n := range numbers {
					seated[p], agents[p] = players[n][p], int(n)
					switch n {
					case 0:
						secret.helper = sim.Player(p)
					case 1:
						secret.friend = sim.Player(p)
					}
				}
				m.Play(rules, &seated)
				set, _ := schedule.SetAndSeating(index)
				if err := a.Add(&m, agents, Place{set, index}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	return a
}

func rulesOf(t testing.TB, preset string, changes map[string]any) *ruleset.Rules {
	t.Helper()
	r, err := configs.Change(preset, changes)
	if err != nil {
		t.Fatal(err)
	}
	return r.Rules()
}

// A pair of colluders is found and named, whoever else plays, and the same players are not
// conspicuous when they do not collude.
func TestAudit(t *testing.T) {
	rules := rulesOf(t, "ema_2016", map[string]any{"rounds": 1})
	names := []string{"greedy", "greedy", "greedy", "tsumogiri", "greedy"}
	r := played(t, rules, names, 1, 240, true, 2).Report()
	found := r.Conspicuous()
	if len(found) == 0 || found[0].Agent != "greedy" || found[0].Other != "greedy'" {
		t.Errorf("%+v", r.Treatments[:3])
	}
	for _, x := range found {
		if x.Agent != "greedy" || x.Other != "greedy'" {
			t.Errorf("falsely: %+v", x)
		}
	}
	honest := played(t, rules, names, 1, 240, false, 2).Report()
	if x := honest.Conspicuous(); len(x) > 0 {
		t.Errorf("falsely: %+v", x)
	}
	t.Logf("%+v\n%+v", r.Treatments[:3], honest.Treatments[:2])
}

// With as many matches as in a league, at most one audit in a hundred of honest players has a
// false alarm, and colluders are found nine times in ten. By default there are few audits.
func TestPower(t *testing.T) {
	audits, pool, draws := 1, uint64(800), 20
	if os.Getenv("SPARROWHALL_LONG") != "" {
		audits, pool, draws = 100, 20_000, 2000
	}
	rules := rulesOf(t, "ema_2016", nil)
	const matches = 400
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name    string
		players []string
	}{
		{"four alike", []string{"greedy", "greedy", "greedy", "greedy"}},
		{"eight alike", []string{"greedy", "greedy", "greedy", "greedy", "greedy", "greedy", "greedy", "greedy"}},
		{"eight different", []string{"greedy", "value", "greedy", "value:defence=off", "value", "tsumogiri", "random", "greedy"}},
	} {
		honest := played(t, rules, c.players, 1, pool, false, 2)
		sets := map[uint64][]matchCounts{}
		for _, m := range honest.matches {
			sets[m.Set] = append(sets[m.Set], m)
		}
		alarms := 0
		for range draws {
			a := New(rules, honest.names)
			for len(a.matches) < matches { // duplicate sets drawn at random
				a.matches = append(a.matches, sets[r.Uint64N(pool/4)]...)
			}
			if len(conspicuous(a.treatments())) > 0 {
				alarms++
			}
		}
		found := 0
		for i := range audits {
			a := played(t, rules, c.players, uint64(1000+i), matches, true, 2)
			if x := conspicuous(a.treatments()); len(x) > 0 && x[0].Agent == honest.names[0] && x[0].Other == honest.names[1] {
				found++
			}
		}
		t.Logf("%s: %d false alarms in %d audits, colluders found in %d of %d", c.name, alarms, draws, found, audits)
		if alarms*100 > draws {
			t.Errorf("%s: more than one false alarm in a hundred", c.name)
		}
	}
}

func conspicuous(list []Treatment) []Treatment { return (&Report{Treatments: list}).Conspicuous() }

// Seats and times at which an agent does worse or better than usual are listed, and no others.
func TestAnomalies(t *testing.T) {
	rules := rulesOf(t, "ema_2016", nil)
	results := func(change func(m *matchCounts, index int)) []Anomaly {
		r := rand.New(rand.NewPCG(3, 4))
		a := New(rules, []string{"a", "b", "c", "d", "e"})
		for i := range 2000 {
			m := matchCounts{Place: Place{uint64(i / 4), uint64(i)}}
			lineup := rand.New(rand.NewPCG(5, uint64(i/4))).Perm(5)
			for p, rank := range r.Perm(4) {
				m.agents[p], m.ranks[p] = lineup[(p+i)%4], uint8(rank+1)
			}
			change(&m, i)
			a.matches = append(a.matches, m)
		}
		return a.anomalies()
	}
	// first makes an agent the first.
	first := func(m *matchCounts, agent int) {
		if p, q := slices.Index(m.agents[:], agent), slices.Index(m.ranks[:], 1); p >= 0 {
			m.ranks[p], m.ranks[q] = m.ranks[q], m.ranks[p]
		}
	}
	if list := results(func(*matchCounts, int) {}); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	for _, c := range []struct {
		change       func(m *matchCounts, index int)
		agent, where string
	}{
		{func(m *matchCounts, _ int) {
			if m.agents[2] == 1 {
				first(m, 1)
			}
		}, "b", "seat 3"},
		{func(m *matchCounts, index int) {
			if index >= 1800 {
				first(m, 3)
			}
		}, "d", "matches 1801 to 2000"},
	} {
		if list := results(c.change); len(list) == 0 || list[0].Agent != c.agent || list[0].Where != c.where || list[0].Ahead < 0.2 {
			t.Errorf("%+v; want %s, %s", list, c.agent, c.where)
		}
	}
}
