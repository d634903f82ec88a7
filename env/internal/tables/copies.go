package tables

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The methods of this file require that no table is in play.

// Reset starts new episodes at a column of tables. With a column of uint64 seeds, new
// matches start with them. With seats, one for each table, others play from its next match on;
// agents are then Config.Agents, perhaps with further ones.
func (s *Scheduler) Reset(tables, seeds []byte, seats [][sim.NumPlayers]uint8, agents []Agent, target *Target) (*Round, *Refusal) {
	columns := []Column{{"table", tables, 4}}
	if len(seeds) > 0 {
		columns = append(columns, Column{"seed", seeds, 8})
	}
	rows, refused := CountRows(columns...)
	if refused == nil {
		refused = s.markAll(tables)
	}
	if refused != nil {
		return nil, refused
	}
	s.excludeLook()
	if len(seats) > 0 {
		s.Config.Agents = agents
	}
	if len(seats) > 0 && len(s.Config.Seats) != s.Config.Tables {
		s.Config.Seats = slices.Repeat(s.Config.Seats, s.Config.Tables)
	}
	for i := range rows {
		t := s.abandon(Uint32(tables, i))
		if len(seats) > 0 {
			s.Config.Seats[Uint32(tables, i)] = seats[i]
		}
		if len(seeds) > 0 {
			t.matches.seeded, t.matches.first, t.matches.used = true, Uint64(seeds, i), 0
			t.decision.resting = false // start a match, even if a hand is next
		}
	}
	return s.startMarked(target, plays, (*worker).begin), nil
}

// abandon drops the rows of a table that wait for an answer, and returns the table.
func (s *Scheduler) abandon(n uint32) *table {
	t := &s.tables[n]
	s.unanswered -= t.decision.waiting.Len()
	t.decision.waiting = 0
	return t
}

// Snapshot copies a column of tables, each of which must wait for an answer.
func (s *Scheduler) Snapshot(tables []byte) ([]*Copy, *Refusal) {
	rows, refused := CountRows(Column{"table", tables, 4})
	for i := 0; i < rows && refused == nil; i++ {
		refused = s.checkWaiting(i, Uint32(tables, i))
	}
	if refused == nil {
		refused = s.refuseLuck()
	}
	if refused != nil {
		return nil, refused
	}
	copies := make([]*Copy, rows)
	for i := range copies {
		n := Uint32(tables, i)
		copies[i] = s.tables[n].copy(n)
	}
	return copies, nil
}

// Restore sets each table of a column to the copy of the same index.
func (s *Scheduler) Restore(tables []byte, copies []*Copy, target *Target) (*Round, *Refusal) {
	if refused := s.markAll(tables); refused != nil {
		return nil, refused
	}
	s.excludeLook()
	for i, c := range copies {
		n := Uint32(tables, i)
		s.abandon(n).restore(n, c)
		s.show(n, nil, nil)
	}
	return s.startMarked(target, plays, (*worker).deliver), nil
}

// Fork copies tables, which must wait for an answer, onto others.
func (s *Scheduler) Fork(from, to []byte, target *Target) (*Round, *Refusal) {
	rows, refused := CountRows(Column{"from", from, 4}, Column{"to", to, 4})
	if refused == nil {
		refused = s.markCopies(from, to, rows)
	}
	if refused != nil {
		return nil, refused
	}
	s.copyTables(from, to)
	for i := range rows {
		s.show(Uint32(to, i), nil, nil)
	}
	return s.startMarked(target, plays, (*worker).deliver), nil
}

// markCopies checks the tables of a Fork or Redeal and marks those copied to.
func (s *Scheduler) markCopies(from, to []byte, rows int) *Refusal {
	for i := range rows {
		if refused := s.checkWaiting(i, Uint32(from, i)); refused != nil {
			return refused
		}
	}
	if refused := s.refuseLuck(); refused != nil {
		return refused
	}
	if refused := s.markAll(to); refused != nil {
		return refused
	}
	for i := range rows {
		if n := Uint32(from, i); s.marks[n] {
			s.unmark()
			return Refuse(Duplicate, "table %d is copied from and copied to", n).AtRow(i).AtTable(n)
		}
	}
	return nil
}

func (s *Scheduler) copyTables(from, to []byte) {
	s.excludeLook()
	for i := range len(from) / 4 {
		f, t := Uint32(from, i), Uint32(to, i)
		s.abandon(t).restore(t, s.tables[f].copy(f))
	}
}

// Redeal copies tables onto others and deals again there, by a column of uint64 seeds,
// what the players of a column of uint8 cannot see. If believed is set, hidden tiles
// are dealt by their probability given the discards, calls and declarations.
func (s *Scheduler) Redeal(from, players, seeds, to []byte, believed bool, target *Target) (*Round, *Refusal) {
	rows, refused := CountRows(Column{"from", from, 4}, Column{"player", players, 1}, Column{"seed", seeds, 8}, Column{"to", to, 4})
	for i := 0; i < rows && refused == nil; i++ {
		refused = s.checkAsked(i, Uint32(from, i), players[i])
	}
	if refused == nil {
		refused = s.markCopies(from, to, rows)
	}
	if refused != nil {
		return nil, refused
	}
	s.copyTables(from, to)
	rowTo := make(map[uint32]int, rows)
	for i := range rows {
		rowTo[Uint32(to, i)] = i
	}
	return s.startMarked(target, plays, func(w *worker, n uint32, out *Piece) {
		var reader *belief.Estimator
		if believed {
			reader = &w.reader
		}
		t, i := &w.scheduler.tables[n], rowTo[n]
		t.redeal(sim.Player(players[i]), Uint64(seeds, i), reader)
		w.scheduler.show(n, nil, nil)
		w.ask(n, t, out)
	}), nil
}
