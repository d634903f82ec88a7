package tables

import "github.com/sparrowhall/sparrowhall/sim"

// HandEnd is the result of one row of a playout.
type HandEnd struct {
	// Reward is the units that the player gained or lost until the hand ended.
	Reward int32
	// Owed is the change, over the same time, of what others owe the player minus what
	// he owes them.
	Owed int32
	// Points are those of all players at the end.
	Points [sim.NumPlayers]int32
}

// finisher is the agent by which a worker plays hands to their end, kept for the next
// playout by an agent of the same name.
type finisher struct {
	name  string
	agent sim.Agent
}

// Playout plays hands to their end on copies of tables, after the given actions. One
// agent, made by newAgent and known by its name, answers for all players. The results
// are in the round's Ends. No other request may start until the round is played.
func (s *Scheduler) Playout(tables, players, actions []byte, name string, newAgent func() sim.Agent) (*Round, *Refusal) {
	rows, refused := CountRows(Column{"table", tables, 4}, Column{"player", players, 1}, Column{"action", actions, 1})
	for i := 0; i < rows && refused == nil; i++ {
		refused = s.checkPlayout(i, Uint32(tables, i), players[i], sim.Action(actions[i]))
	}
	if refused != nil {
		return nil, refused
	}
	ends := make([]HandEnd, rows)
	items := make([]uint32, rows)
	for i := range items {
		items[i] = uint32(i)
	}
	r := s.start(items, nil, task{kind: playouts, do: func(w *worker, i uint32, _ *Piece) {
		if w.finisher.name != name || w.finisher.agent == nil {
			w.finisher = finisher{name, newAgent()}
		}
		ends[i] = w.finishHand(w.scheduler.tables[Uint32(tables, int(i))].episode.state, sim.Player(players[i]), sim.Action(actions[i]))
	}})
	r.Ends = ends
	return r, nil
}

func (s *Scheduler) checkPlayout(i int, n uint32, player uint8, action sim.Action) *Refusal {
	if refused := s.checkAsked(i, n, player); refused != nil {
		return refused
	}
	if !s.tables[n].decision.legal[player].Has(action) {
		return Refuse(IllegalAction, "player %d of table %d may not take action %d", player, n, action).AtRow(i).AtPlayer(n, player)
	}
	return nil
}

func (w *worker) stepCopy(t *sim.Table, p sim.Player, a sim.Action) {
	var err error
	if w.events, err = t.Step(p, a, w.events[:0]); err != nil {
		panic(err) // the answer is legal
	}
}

// finishHand plays an action of a player at a copy of a table, then lets the finisher
// answer for all players until the hand has ended.
func (w *worker) finishHand(t sim.Table, player sim.Player, a sim.Action) HandEnd {
	before, owed := t.Points()[player], int32(0)
	if w.scheduler.debts {
		owed = t.View(player).NetDebt()
	}
	w.stepCopy(&t, player, a)
	for p := range t.RestOfHand() {
		if w.turn.Yield(); w.scheduler.ctx.Err() != nil {
			break
		}
		answer, _ := sim.Ask(w.finisher.agent, t.View(p))
		w.stepCopy(&t, p, answer)
	}
	end := HandEnd{Reward: t.Points()[player] - before, Points: t.Points()}
	if w.scheduler.debts {
		end.Owed = t.View(player).NetDebt() - owed
	}
	return end
}
