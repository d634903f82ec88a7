package tables

import (
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// Answers is the columns of an Act: row i of each belongs to answer i.
type Answers struct {
	// Table and Step are columns of uint32, Player and Action of uint8. Step repeats
	// ColumnStep of the row that is answered.
	Table, Player, Step, Action []byte
}

// KeepAsked drops the answers to rows whose flags lack [Asked].
func (a *Answers) KeepAsked(flags []byte) {
	k := 0
	for i, f := range flags {
		if f&Asked == 0 {
			continue
		}
		if k != i {
			copy(a.Table[4*k:4*k+4], a.Table[4*i:])
			copy(a.Step[4*k:4*k+4], a.Step[4*i:])
			a.Player[k], a.Action[k] = a.Player[i], a.Action[i]
		}
		k++
	}
	a.Table, a.Player, a.Step, a.Action = a.Table[:4*k], a.Player[:k], a.Step[:4*k], a.Action[:k]
}

// Act answers for players of the client and plays on at the tables where all have
// answered. With flush set, asynchronous mode returns a batch once nothing is in play.
func (s *Scheduler) Act(a Answers, flush bool, target *Target) (*Round, *Refusal) {
	rows, refused := CountRows(
		Column{"table", a.Table, 4}, Column{"player", a.Player, 1}, Column{"step", a.Step, 4}, Column{"action", a.Action, 1},
	)
	if refused != nil {
		return nil, refused
	}
	// Each answer is taken before the next row is checked, so that a second answer for
	// the same player is found. A refusal takes all of them back.
	for i := range rows {
		if refused := s.checkAnswer(&a, i); refused != nil {
			for j := range i {
				t := &s.tables[Uint32(a.Table, j)]
				t.decision.waiting |= sim.Player(a.Player[j]).Bit()
			}
			return nil, refused
		}
		t, player := &s.tables[Uint32(a.Table, i)], a.Player[i]
		t.decision.answers[player] = sim.Action(a.Action[i])
		t.decision.waiting &^= sim.Player(player).Bit()
	}
	for i := range rows {
		if n := Uint32(a.Table, i); s.tables[n].decision.waiting == 0 {
			s.mark(n)
		}
	}
	s.unanswered -= rows
	s.flush = s.flush || flush && s.Config.MinBatch > 0
	return s.startMarked(target, plays, (*worker).answer), nil
}

func (s *Scheduler) checkAnswer(a *Answers, i int) *Refusal {
	n, player, step, action := Uint32(a.Table, i), a.Player[i], Uint32(a.Step, i), sim.Action(a.Action[i])
	if refused := s.checkTable(i, n); refused != nil {
		return refused
	}
	refuse := func(code Code, format string, args ...any) *Refusal {
		return Refuse(code, format, args...).AtRow(i).AtPlayer(n, player)
	}
	if s.busy[n] {
		return refuse(NotAsked, "table %d is in play; no player is asked there", n)
	}
	t := &s.tables[n]
	switch {
	case player >= sim.NumPlayers || !t.decision.client.Has(sim.Player(player)):
		return refuse(UnknownPlayer, notClient, player, n)
	case !t.decision.asked.Has(sim.Player(player)) && step == t.decision.step:
		return refuse(NotAsked, "player %d of table %d is not asked", player, n)
	case step != t.decision.step:
		return refuse(StaleStep, "table %d is at step %d; the answer is for step %d", n, t.decision.step, step)
	case !t.decision.waiting.Has(sim.Player(player)):
		for j := range i {
			if Uint32(a.Table, j) == n && a.Player[j] == player {
				return refuse(Duplicate, "rows %d and %d both answer for player %d of table %d", j, i, player, n)
			}
		}
		return refuse(NotAsked, "player %d of table %d has answered", player, n)
	case int(action) >= s.actions:
		return refuse(IllegalAction, "action %d is not in the table of %d actions", action, s.actions)
	case !t.decision.legal[player].Has(action):
		return refuse(IllegalAction, "player %d of table %d may not %s", player, n, action)
	}
	return nil
}

// notClient refuses a player of a table whom the client does not play for.
const notClient = "player %d of table %d is not the client's"

// checkTable checks that a table exists. Row is the row at fault, -1 for none.
func (s *Scheduler) checkTable(row int, n uint32) *Refusal {
	if int64(n) >= int64(s.Config.Tables) {
		return Refuse(UnknownTable, "there is no table %d; tables are 0 to %d", n, s.Config.Tables-1).AtRow(row).AtTable(n)
	}
	return nil
}

// checkWaiting checks that a table waits for the client.
func (s *Scheduler) checkWaiting(row int, n uint32) *Refusal {
	if refused := s.checkTable(row, n); refused != nil {
		return refused
	}
	if s.tables[n].decision.waiting == 0 {
		return Refuse(NotWaiting, "table %d waits for no answer: its episode is over; start another with Reset", n).AtRow(row).AtTable(n)
	}
	return nil
}

// checkAsked checks that a table waits for the answer of a player of the client.
func (s *Scheduler) checkAsked(row int, n uint32, player uint8) *Refusal {
	if refused := s.checkWaiting(row, n); refused != nil {
		return refused
	}
	switch t := &s.tables[n]; {
	case player >= sim.NumPlayers || !t.decision.client.Has(sim.Player(player)):
		return Refuse(UnknownPlayer, notClient, player, n).AtRow(row).AtPlayer(n, player)
	case !t.decision.waiting.Has(sim.Player(player)):
		return Refuse(NotAsked, "player %d of table %d is not asked or has answered", player, n).AtRow(row).AtPlayer(n, player)
	}
	return nil
}

// markAll marks the tables of a column for the request at hand. It refuses a table that
// is named twice.
func (s *Scheduler) markAll(tables []byte) *Refusal {
	for i := range len(tables) / 4 {
		n := Uint32(tables, i)
		refused := s.checkTable(i, n)
		if refused == nil && s.marks[n] {
			refused = Refuse(Duplicate, "table %d is named twice", n).AtRow(i).AtTable(n)
		}
		if refused != nil {
			s.unmark()
			return refused
		}
		s.mark(n)
	}
	return nil
}

// Observe returns what a player of the client sees at table n: the bytes of each tensor
// of an observation, bits packed.
func (s *Scheduler) Observe(n, player uint32, spec *observe.Spec) ([][]byte, *Refusal) {
	if refused := s.checkTable(-1, n); refused != nil {
		return nil, refused
	}
	t := &s.tables[n]
	if player >= sim.NumPlayers || !t.decision.client.Has(sim.Player(player)) {
		r := Refuse(UnknownPlayer, notClient, player, n).AtTable(n)
		r.Player = int(player)
		return nil, r
	}
	if spec.History && t.history == nil {
		return nil, Refuse(BadObservation, "the tables keep no history, which %q needs; open them with it", spec.Name)
	}
	tensors := make([][]byte, len(spec.Tensors))
	spec.NewEncoder().AppendTable(tensors, &t.episode.state, sim.Player(player), t.history, nil)
	return tensors, nil
}
