package env

import (
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/belief"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// act takes the client's answers.
func (s *session) act(id uint64, a *envv1.Act) (*refusal, error) {
	rows, refused := rowsOf(
		column{"table", a.Table, 4}, column{"player", a.Player, 1}, column{"step", a.Step, 4}, column{"action", a.Action, 1},
	)
	if refused != nil {
		return refused, nil
	}
	if s.minBatch == 0 && s.inPlay(a.Table, rows) {
		if err := s.settle(); err != nil {
			return nil, err
		}
	}
	for i := range rows { // those checked are taken as answered
		n, player, action := uint32At(a.Table, i), a.Player[i], sim.Action(a.Action[i])
		if refused := s.check(a, i, n, player, uint32At(a.Step, i), action); refused != nil {
			for j := range i {
				p := &s.places[uint32At(a.Table, j)]
				p.waiting |= sim.Player(a.Player[j]).Bit()
			}
			return refused, nil
		}
		p := &s.places[n]
		p.answers[player] = action
		p.waiting &^= sim.Player(player).Bit()
	}
	for i := range rows {
		if n := uint32At(a.Table, i); s.places[n].waiting == 0 {
			s.touch(n)
		}
	}
	s.outstanding -= rows
	s.flush = s.flush || a.Flush && s.minBatch > 0
	s.env.decisions.Add(float64(rows))
	return nil, s.play(id, (*worker).answer)
}

// check returns what is wrong with a row of an Act, those before it taken as
// answered.
func (s *session) check(a *envv1.Act, i int, n uint32, player uint8, step uint32, action sim.Action) *refusal {
	if refused := s.checkTable(i, n); refused != nil {
		return refused
	}
	of := func(code envv1.ErrorCode, format string, args ...any) *refusal {
		return refuse(code, format, args...).at(i).of(n).by(uint32(player))
	}
	if s.busy[n] {
		return of(envv1.ErrorCode_ERROR_CODE_NOT_ASKED, "table %d is in play; nobody is asked there", n)
	}
	p := &s.places[n]
	switch {
	case player >= sim.NumPlayers || !p.mine.Has(sim.Player(player)):
		return notMine(n, uint32(player)).at(i)
	case !p.asked.Has(sim.Player(player)) && step == p.step:
		return of(envv1.ErrorCode_ERROR_CODE_NOT_ASKED, "player %d of table %d is not asked", player, n)
	case step != p.step:
		return of(envv1.ErrorCode_ERROR_CODE_STALE_STEP, "table %d is at step %d; the answer is for step %d", n, p.step, step)
	case !p.waiting.Has(sim.Player(player)):
		for j := range i {
			if uint32At(a.Table, j) == n && a.Player[j] == player {
				return of(envv1.ErrorCode_ERROR_CODE_DUPLICATE, "rows %d and %d both answer for player %d of table %d", j, i, player, n)
			}
		}
		return of(envv1.ErrorCode_ERROR_CODE_NOT_ASKED, "player %d of table %d has answered", player, n)
	case action >= sim.NumActions:
		return of(envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "action %d is not in the table of %d actions", action, sim.NumActions)
	case !p.legal[player].Has(action):
		return of(envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION, "player %d of table %d may not %s", player, n, action)
	}
	return nil
}

// noRow is the row of a request without columns.
const noRow = -1

// notMine refuses a player whom the client does not play for.
func notMine(n, player uint32) *refusal {
	return refuse(envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER, "player %d of table %d is not the client's", player, n).of(n).by(player)
}

func (s *session) checkTable(row int, n uint32) *refusal {
	if int64(n) >= int64(s.tables) {
		return refuse(envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE, "there is no table %d; tables are 0 to %d", n, s.tables-1).at(row).of(n)
	}
	return nil
}

// touchAll touches a column of tables. It is refused if one stands there twice.
func (s *session) touchAll(tables []byte, rows int) *refusal {
	for i := range rows {
		n := uint32At(tables, i)
		refused := s.checkTable(i, n)
		if refused == nil && s.marks[n] {
			refused = refuse(envv1.ErrorCode_ERROR_CODE_DUPLICATE, "table %d is named twice", n).at(i).of(n)
		}
		if refused != nil {
			s.untouch()
			return refused
		}
		s.touch(n)
	}
	return nil
}

// untouch forgets the touched tables.
func (s *session) untouch() {
	for _, n := range s.touched {
		s.marks[n] = false
	}
	s.touched = s.touched[:0]
}

// checkWaiting returns a refusal unless a table waits for the client.
func (s *session) checkWaiting(row int, n uint32) *refusal {
	if refused := s.checkTable(row, n); refused != nil {
		return refused
	}
	if s.places[n].waiting == 0 {
		return refuse(envv1.ErrorCode_ERROR_CODE_NOT_WAITING, "table %d waits for no answer: its episode is over; start another with Reset", n).at(row).of(n)
	}
	return nil
}

// abandon forgets the rows of a table that wait for an answer.
func (s *session) abandon(n uint32) {
	s.outstanding -= s.places[n].waiting.Len()
	s.places[n].waiting = 0
}

func (s *session) reset(id uint64, r *envv1.Reset) (*refusal, error) {
	columns := []column{{"table", r.Table, 4}}
	if len(r.Seed) > 0 {
		columns = append(columns, column{"seed", r.Seed, 8})
	}
	rows, refused := rowsOf(columns...)
	if refused == nil {
		refused = s.touchAll(r.Table, rows)
	}
	if refused != nil {
		return refused, nil
	}
	for i := range rows {
		n := uint32At(r.Table, i)
		s.abandon(n)
		if len(r.Seed) > 0 {
			p := &s.places[n]
			p.order.given, p.order.first, p.order.k = true, uint64At(r.Seed, i), 0
			p.resting = false // a match is begun, even where a hand is next
		}
	}
	return nil, s.answered(id, (*worker).begin)
}

func (s *session) snapshot(id uint64, r *envv1.Snapshot) (*refusal, error) {
	rows, refused := rowsOf(column{"table", r.Table, 4})
	if refused != nil {
		return refused, nil
	}
	if limit := s.env.options.MaxHandles; len(s.handles)+rows > limit {
		return refuse(envv1.ErrorCode_ERROR_CODE_TOO_MANY_HANDLES,
			"the stream keeps %d tables and may keep %d; drop some before keeping %d more", len(s.handles), limit, rows), nil
	}
	for i := range rows {
		if refused := s.checkWaiting(i, uint32At(r.Table, i)); refused != nil {
			return refused, nil
		}
	}
	if why := s.env.allHandles.take(s.address, rows); why != "" {
		return refuse(envv1.ErrorCode_ERROR_CODE_TOO_MANY_HANDLES, "%d tables are more than are left of the %d that %s may keep",
			rows, s.env.allHandles.limit(why), limitOf(why)), nil
	}
	handles := make([]byte, 0, 8*rows)
	for i := range rows {
		n := uint32At(r.Table, i)
		s.handle++
		s.handles[s.handle] = s.places[n].keep(n)
		handles = appendUint64(handles, s.handle)
	}
	s.env.handles.Add(float64(rows))
	return nil, s.send(&envv1.PlayResponse{RequestId: id, Response: &envv1.PlayResponse_Handles{Handles: &envv1.Handles{Handle: handles}}})
}

func (s *session) restore(id uint64, r *envv1.Restore) (*refusal, error) {
	rows, refused := rowsOf(column{"table", r.Table, 4}, column{"handle", r.Handle, 8})
	if refused != nil {
		return refused, nil
	}
	for i := range rows {
		if refused := s.checkHandle(i, uint64At(r.Handle, i)); refused != nil {
			return refused, nil
		}
	}
	if refused := s.touchAll(r.Table, rows); refused != nil {
		return refused, nil
	}
	for i := range rows {
		n := uint32At(r.Table, i)
		s.abandon(n)
		s.places[n].put(n, s.handles[uint64At(r.Handle, i)])
	}
	return nil, s.answered(id, (*worker).deliver)
}

func (s *session) checkHandle(row int, handle uint64) *refusal {
	if s.handles[handle] == nil {
		return refuse(envv1.ErrorCode_ERROR_CODE_UNKNOWN_HANDLE, "there is no handle %d; it was never given out or is dropped", handle).at(row)
	}
	return nil
}

// checkCopies returns what is wrong with the tables of a Fork or Redeal, and
// touches those that are copied to.
func (s *session) checkCopies(from, to []byte, rows int) *refusal {
	for i := range rows {
		if refused := s.checkWaiting(i, uint32At(from, i)); refused != nil {
			return refused
		}
	}
	if refused := s.touchAll(to, rows); refused != nil {
		return refused
	}
	for i := range rows {
		if n := uint32At(from, i); s.marks[n] {
			s.untouch()
			return refuse(envv1.ErrorCode_ERROR_CODE_DUPLICATE, "table %d is copied from and copied to", n).at(i).of(n)
		}
	}
	return nil
}

func (s *session) fork(id uint64, r *envv1.Fork) (*refusal, error) {
	rows, refused := rowsOf(column{"from", r.From, 4}, column{"to", r.To, 4})
	if refused == nil {
		refused = s.checkCopies(r.From, r.To, rows)
	}
	if refused != nil {
		return refused, nil
	}
	for i := range rows {
		s.copyTable(uint32At(r.From, i), uint32At(r.To, i))
	}
	return nil, s.answered(id, (*worker).deliver)
}

func (s *session) copyTable(from, to uint32) {
	s.abandon(to)
	s.places[to].put(to, s.places[from].keep(from))
}

func (s *session) redeal(id uint64, r *envv1.Redeal) (*refusal, error) {
	rows, refused := rowsOf(column{"from", r.From, 4}, column{"player", r.Player, 1}, column{"seed", r.Seed, 8}, column{"to", r.To, 4})
	if refused != nil {
		return refused, nil
	}
	for i := range rows {
		n, player := uint32At(r.From, i), r.Player[i]
		if refused := s.checkWaiting(i, n); refused != nil {
			return refused, nil
		}
		switch p := &s.places[n]; {
		case player >= sim.NumPlayers || !p.mine.Has(sim.Player(player)):
			return notMine(n, uint32(player)).at(i), nil
		case !p.waiting.Has(sim.Player(player)):
			return refuse(envv1.ErrorCode_ERROR_CODE_NOT_ASKED, "player %d of table %d is not asked or has answered; only the view of one who must answer can be kept", player, n).at(i).of(n).by(uint32(player)), nil
		}
	}
	if refused := s.checkCopies(r.From, r.To, rows); refused != nil {
		return refused, nil
	}
	type deal struct {
		player sim.Player
		seed   uint64
	}
	deals := make(map[uint32]deal, rows)
	for i := range rows {
		to := uint32At(r.To, i)
		s.copyTable(uint32At(r.From, i), to)
		deals[to] = deal{sim.Player(r.Player[i]), uint64At(r.Seed, i)}
	}
	return nil, s.answered(id, func(w *worker, n uint32, p *place, out *piece) {
		var reader *belief.Reader
		if r.Believed {
			reader = &w.reader
		}
		p.redeal(deals[n].player, deals[n].seed, reader)
		w.wait(n, p, out)
	})
}

func (s *session) drop(id uint64, r *envv1.Drop) (*refusal, error) {
	rows, refused := rowsOf(column{"handle", r.Handle, 8})
	if refused != nil {
		return refused, nil
	}
	seen := make(map[uint64]bool, rows)
	for i := range rows {
		h := uint64At(r.Handle, i)
		if refused := s.checkHandle(i, h); refused != nil {
			return refused, nil
		}
		if seen[h] {
			return refuse(envv1.ErrorCode_ERROR_CODE_DUPLICATE, "handle %d is named twice", h).at(i), nil
		}
		seen[h] = true
	}
	for h := range seen {
		delete(s.handles, h)
	}
	s.env.handles.Add(-float64(rows))
	s.env.allHandles.take(s.address, -rows)
	return nil, s.send(done(id))
}

func (s *session) inspect(id uint64, r *envv1.Inspect) (*refusal, error) {
	n, player := r.Table, r.Player
	if refused := s.checkTable(noRow, n); refused != nil {
		return refused, nil
	}
	p := &s.places[n]
	if player >= sim.NumPlayers || !p.mine.Has(sim.Player(player)) {
		return notMine(n, player), nil
	}
	answer := new(envv1.Inspected)
	if r.Observation == "" {
		text, err := inspect(p.episode.table.View(sim.Player(player)))
		if err != nil {
			return nil, err
		}
		answer.Json = text
	} else {
		spec, refused := s.env.observation(r.Observation)
		switch {
		case refused != nil:
			return refused, nil
		case spec.History && p.history == nil:
			return refuse(envv1.ErrorCode_ERROR_CODE_BAD_OBSERVATION, "the tables keep no history, which %q needs; open them with it", spec.Name), nil
		}
		answer.Observation = make([][]byte, len(spec.Tensors))
		spec.NewEncoder().AppendOf(answer.Observation, &p.episode.table, sim.Player(player), p.history, nil)
	}
	return nil, s.send(&envv1.PlayResponse{RequestId: id, Response: &envv1.PlayResponse_Inspected{Inspected: answer}})
}

// inspect returns what a player sees as JSON.
func inspect(v sim.View) (string, error) {
	spec, err := observe.Lookup("text")
	if err != nil {
		return "", err
	}
	dst := make([][]byte, 1)
	spec.NewEncoder().Append(dst, v, nil)
	return string(dst[0]), nil
}
