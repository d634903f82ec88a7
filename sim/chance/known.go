package chance

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// known are players who can be asked what they will discard, since they answer the same
// whenever they are asked the same. Luck stays fair whatever they answer, as long as
// they are asked about all that could have come alike.
type known struct {
	// players are nil where nobody can be asked.
	players [sim.NumPlayers]sim.Agent
	// table is that after a draw, of a tile that may be another than came: nothing that is
	// asked may depend on which it was. It is there while asked is set.
	table, supposed sim.Table
	asked           bool
	events          []sim.Event // scratch
}

// about has the players asked about the draw that ends events, in a step of p from a table:
// whatever came, as if it were the first tile of the pool.
func (k *known) about(s *State, before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
	k.asked = false
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
	if !k.table.Instead(events, first) {
		return
	}
	var err error
	k.events, err = k.table.Step(p, a, k.events[:0])
	last := len(events) - 1
	k.asked = err == nil && k.table.Phase() == sim.PhaseTurn && len(k.events) == len(events) &&
		k.events[last].Player == events[last].Player && k.events[last].Tile == first
}

// discard returns what p would discard if he had drawn f now, NoKind where that is not known
// or he would not discard.
func (k *known) discard(p sim.Player, f tile.Face) tile.Kind {
	if !k.asked || k.players[p] == nil {
		return tile.NoKind
	}
	k.supposed = k.table
	k.supposed.Suppose(p, f)
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

// Know has the players who are not nil asked what they would discard, in matches that are
// followed by FollowMatch. They must answer by what they see alone, and at once.
func (m *Meter) Know(players [sim.NumPlayers]sim.Agent) { m.known.players = players }

// FollowMatch measures a match from its beginning and tells the luck in each of its
// events. The error says where the match does not fit the rules.
func (m *Meter) FollowMatch(x *sim.Match, each func(e sim.Event, l Luck)) error {
	m.Reset()
	return m.retrace(x, func(e sim.Event) { each(e, m.Follow(e)) })
}

// retrace tells the events of a match, and has the known players ready to be asked at its
// draws.
func (m *Meter) retrace(x *sim.Match, each func(e sim.Event)) error {
	if m.known.players == [sim.NumPlayers]sim.Agent{} {
		for _, e := range x.Events {
			each(e)
		}
		return nil
	}
	return x.Retrace(m.state.rules, func(before *sim.Table, p sim.Player, a sim.Action, events []sim.Event) {
		for i, e := range events {
			if e.Type == sim.EvDraw {
				m.known.about(&m.state, before, p, a, events[:i+1])
			}
			each(e)
			m.known.asked = false
		}
	})
}
