package luck

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// policies are players whose discards can be computed, since they answer the same view
// always in the same way. Luck has mean zero whatever they answer, as long as every
// tile that could have come is treated alike.
type policies struct {
	// players are nil for players without a known policy.
	players [sim.NumPlayers]sim.Agent
	// table is the table after a draw, valid if ready is set. Its drawn tile may be
	// another than the one that came: nothing computed from it may depend on which one
	// came.
	table, supposed sim.Table
	ready           bool
	events          []sim.Event // scratch
}

// prepare sets the table for questions about the draw that ends events, in a step of p
// from the table before. It replaces the drawn tile by the first tile of the pool.
func (k *policies) prepare(s *State, before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
	k.ready = false
	if before == nil {
		return
	}
	first := tile.Face(0)
	for s.pool[first] == 0 {
		if first++; first == tile.FirstFlower {
			return
		}
	}
	k.table = *before
	if !k.table.ReplaceNextDraw(events, first) {
		return
	}
	var err error
	k.events, err = k.table.Step(p, a, k.events[:0])
	last := len(events) - 1
	k.ready = err == nil && k.table.Phase() == sim.PhaseTurn && len(k.events) == len(events) &&
		k.events[last].Player == events[last].Player && k.events[last].Tile == first
}

// discard returns what p would discard after drawing f, NoKind if that is unknown or no
// discard.
func (k *policies) discard(p sim.Player, f tile.Face) tile.Kind {
	if !k.ready || k.players[p] == nil {
		return tile.NoKind
	}
	k.supposed = k.table.WithDraw(p, f)
	switch a := k.players[p].Act(k.supposed.View(p)); {
	case a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn:
		return f.Kind()
	case a < sim.ActDiscardDrawn:
		return tile.Face(a - sim.ActDiscard).Kind()
	case a < sim.ActReadyDrawn:
		return tile.Face(a - sim.ActReady).Kind()
	}
	return tile.NoKind
}

// SetPolicies sets the players, of those not nil, whose discards FollowMatch computes.
// They must answer at once, by what they see alone.
func (m *ControlVariate) SetPolicies(players [sim.NumPlayers]sim.Agent) { m.policies.players = players }

// FollowMatch follows a match from its beginning and calls each with every event and
// its luck. The error says where the match does not fit the rules.
func (m *ControlVariate) FollowMatch(x *sim.Match, each func(e sim.Event, l Points)) error {
	m.Reset()
	return m.retrace(x, func(e sim.Event) { each(e, m.Follow(e)) })
}

// retrace calls each with the events of a match, with the policies prepared for its
// draws.
func (m *ControlVariate) retrace(x *sim.Match, each func(e sim.Event)) error {
	if m.policies.players == [sim.NumPlayers]sim.Agent{} {
		for _, e := range x.Events {
			each(e)
		}
		return nil
	}
	return x.ReplaySteps(m.tracker.state.rules, func(before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
		for i, e := range events {
			if e.Type == sim.EvDraw {
				m.policies.prepare(&m.tracker.state, before, p, a, events[:i+1])
			}
			each(e)
			m.policies.ready = false
		}
	})
}
