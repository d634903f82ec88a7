package env

import (
	"sync"

	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// finishers are the players who finish hands: one for each worker.
type finishers struct {
	name string
	list []finisher
}

type finisher struct {
	agent  sim.Agent
	events []sim.Event
}

// finishersOf returns players of a name, kept from the request before where it was the
// same.
func (s *session) finishersOf(name string) ([]finisher, *refusal) {
	if s.finish.name == name && s.finish.list != nil {
		return s.finish.list, nil
	}
	if len(name) > maxName {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "agent: a name of %d bytes; allowed: %d", len(name), maxName)
	}
	maker, err := s.env.options.NewAgent(name)
	if err != nil {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "agent: %v", err)
	}
	s.finish = finishers{name, make([]finisher, s.env.options.Workers)}
	for i := range s.finish.list {
		s.finish.list[i].agent = maker()
	}
	return s.finish.list, nil
}

// checkPlayout returns what is wrong with a row of a Playout.
func (s *session) checkPlayout(i int, n uint32, player uint8, action sim.Action) *refusal {
	if refused := s.checkWaiting(i, n); refused != nil {
		return refused
	}
	switch p := &s.places[n]; {
	case player >= sim.NumPlayers || !p.mine.Has(sim.Player(player)):
		return notMine(n, uint32(player)).at(i)
	case !p.waiting.Has(sim.Player(player)):
		return refuse(envv1.ErrorCode_ERROR_CODE_NOT_ASKED, "player %d of table %d is not asked or has answered", player, n).at(i).of(n).by(uint32(player))
	case action >= sim.NumActions || !p.legal[player].Has(action):
		return refuse(envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "player %d of table %d may not take action %d", player, n, action).at(i).of(n).by(uint32(player))
	}
	return nil
}

// playout lets built-in players finish hands at copies.
func (s *session) playout(id uint64, r *envv1.Playout) (*refusal, error) {
	rows, refused := rowsOf(column{"table", r.Table, 4}, column{"player", r.Player, 1}, column{"action", r.Action, 1})
	if refused != nil {
		return refused, nil
	}
	for i := range rows {
		if refused := s.checkPlayout(i, uint32At(r.Table, i), r.Player[i], sim.Action(r.Action[i])); refused != nil {
			return refused, nil
		}
	}
	players, refused := s.finishersOf(r.Agent)
	if refused != nil {
		return refused, nil
	}
	ends := make([]handEnd, rows)
	workers := min(len(players), (rows+pieceTables-1)/pieceTables)
	failed := make([]any, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			turn := s.env.turns.begin(s.client)
			defer func() {
				failed[w] = recover()
				turn.end()
			}()
			for i := w; i < rows && s.ctx.Err() == nil; i += workers {
				ends[i] = s.finishHand(&players[w], turn, s.places[uint32At(r.Table, i)].episode.table, sim.Player(r.Player[i]), sim.Action(r.Action[i]))
			}
		})
	}
	group.Wait()
	for _, f := range failed {
		if f != nil {
			panic(f) // it ends this session and no other
		}
	}
	answer := new(envv1.PlayedOut)
	for _, end := range ends {
		answer.Reward = appendInt32(answer.Reward, end.reward)
		if s.debts {
			answer.Owed = appendInt32(answer.Owed, end.owed)
		}
		for _, points := range end.points {
			answer.Points = appendInt32(answer.Points, points)
		}
	}
	return nil, s.send(&envv1.PlayResponse{RequestId: id, Response: &envv1.PlayResponse_PlayedOut{PlayedOut: answer}})
}

// handEnd is what came of an action.
type handEnd struct {
	reward, owed int32
	points       [sim.NumPlayers]int32
}

// finishHand lets a player take an action and a finisher answer for all from then on, until
// the hand has ended. The table is a copy.
func (s *session) finishHand(f *finisher, turn *turn, t sim.Table, player sim.Player, a sim.Action) handEnd {
	before, owed := t.Points()[player], int32(0)
	if s.debts {
		owed = owedTo(t.View(player))
	}
	asked := player.Bit()
	for {
		for ; asked != 0; asked = asked.Rest() {
			p := asked.First()
			if a == sim.NoAction {
				legal := t.Legal(p)
				if a = f.agent.Act(t.View(p)); a >= sim.NumActions || !legal.Has(a) {
					a = sim.DefaultAction(&legal)
				}
			}
			var err error
			if f.events, err = t.Step(p, a, f.events[:0]); err != nil {
				panic(err) // the answer was legal
			}
			a = sim.NoAction
		}
		turn.yield()
		if t.Phase() == sim.PhaseDeal || t.Over() || s.ctx.Err() != nil {
			break
		}
		asked = t.Asked()
	}
	end := handEnd{reward: t.Points()[player] - before, points: t.Points()}
	if s.debts {
		end.owed = owedTo(t.View(player)) - owed
	}
	return end
}
