package observe_test

import (
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// sample returns how many times to try: few in a quick run, more with
// SPARROWHALL_LONG set.
func sample(quick, long int) int {
	if os.Getenv("SPARROWHALL_LONG") != "" {
		return long
	}
	return quick
}

// threePlayers are the rulesets of three players.
var threePlayers = []string{"tenhou_sanma", "mahjong_soul_sanma"}

func load(tb testing.TB, preset string) *ruleset.Rules {
	tb.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// player is a test agent: it wins, declares ready and lowers its shanten, or
// plays any action, so many times out of 16.
type player struct{ any int }

var (
	eager  = player{2}
	wild   = player{16}
	eagers = [4]sim.Agent{eager, eager, eager, eager}
	mixed  = [4]sim.Agent{wild, eager, wild, player{6}}
)

// Act implements sim.Agent.
func (p player) Act(v sim.View) sim.Action {
	legal, rng := v.Legal(), v.Rand()
	for a := range legal.All {
		if a == sim.ActWin || a.DeclaresReady() {
			return a
		}
	}
	if rng.Below(16) < p.any {
		return legal.Nth(rng.Below(legal.Len()))
	}
	if v.Phase() != sim.PhaseTurn {
		return sim.DefaultAction(&legal)
	}
	best, least := sim.DefaultAction(&legal), 100
	h, melds := v.Hand(), v.NumMelds(v.Player())
	for a := range legal.All {
		k := tile.Face(a).Kind()
		if a == sim.ActDiscardDrawn {
			k = v.Drawn().Kind()
		}
		if !a.IsDiscard() || k == tile.NoKind {
			continue
		}
		h.Remove(k)
		if n := v.Rules().Shanten(&h, melds); n < least {
			best, least = a, n
		}
		h.Add(k)
	}
	return best
}

// walk plays a match and calls visit at every decision point and at the end,
// with the history a table server would keep.
func walk(tb testing.TB, r *ruleset.Rules, seed uint64, agents *[4]sim.Agent, visit func(*sim.Table, *observe.History)) {
	tb.Helper()
	table := sim.NewTable(r, seed)
	var h observe.History
	for !table.Over() {
		if table.Phase() == sim.PhaseDeal {
			h.Add(table.StartHand(nil))
			continue
		}
		visit(&table, &h)
		asked := table.Asked()
		for p := range sim.Player(r.NumSeats()) {
			if !asked.Has(p) {
				continue
			}
			events, err := table.Step(p, agents[p].Act(table.View(p)), nil)
			if err != nil {
				tb.Fatal(err)
			}
			h.Add(events)
		}
	}
	visit(&table, &h)
}

// position is a table with a player who is asked.
type position struct {
	table   sim.Table
	history observe.History
	player  sim.Player
}

// positions returns n decisions, one out of so many, of matches.
func positions(tb testing.TB, r *ruleset.Rules, agents *[4]sim.Agent, every, n int) []position {
	tb.Helper()
	var list []position
	decisions := 0
	for seed := uint64(1); len(list) < n; seed++ {
		walk(tb, r, seed, agents, func(t *sim.Table, h *observe.History) {
			for p := range sim.Player(r.NumSeats()) {
				if !t.Asked().Has(p) || len(list) == n {
					continue
				}
				if decisions++; decisions%every == 0 {
					list = append(list, position{*t, *h, p})
				}
			}
		})
	}
	return list
}

// eachRuleset runs a test under every preset and under rules that no preset has:
// flowers kept in the hand, closed kans hidden beside red fives and dora, debts
// that may be cut.
func eachRuleset(t *testing.T, test func(*testing.T, *ruleset.Rules)) {
	t.Helper()
	run := func(name string, r *ruleset.Rules, err error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, r)
		})
	}
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		run(preset, r, err)
	}
	for _, preset := range threePlayers {
		run(preset+" file", load(t, preset), nil)
	}
	for _, house := range []struct {
		name, base string
		knobs      map[string]any
	}{
		{"flowers kept", "mcr_2006", map[string]any{"flowers": "optional"}},
		{"kans hidden", "mahjong_soul", map[string]any{"closed_kan_visible": false, "aka_dora": []any{int64(4), int64(2), int64(1)}}},
		{"debts cut", "hkma_hktw", map[string]any{"pull_cut_after": int64(1), "ready_tiers": "first_discard", "max_hands": int64(8)}},
	} {
		r, err := configs.LoadWith(house.base, house.knobs)
		run(house.name, r, err)
	}
}

// sampled plays some matches and calls visit at one out of so many decision
// points, and at the end of each.
func sampled(tb testing.TB, r *ruleset.Rules, every int, visit func(*sim.Table, *observe.History)) {
	tb.Helper()
	n := 0
	for i := range sample(2, 40) {
		walk(tb, r, uint64(i), [...]*[4]sim.Agent{&eagers, &mixed}[i%2], func(t *sim.Table, h *observe.History) {
			if n++; n%every == 0 || t.Over() {
				visit(t, h)
			}
		})
	}
}
