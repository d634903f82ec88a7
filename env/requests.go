package env

import (
	"encoding/binary"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// do carries out a request as far as the session's goroutine does it: it sets the answer
// of r, and its round where rows are to be played. A refused request changes nothing.
// An error ends the session.
func (s *session) do(r *request) (refused *tables.Refusal, err error) {
	body := r.body
	switch {
	case body.GetOpen() != nil:
		return s.open(r, body.GetOpen()), nil
	case body.Request == nil:
		return refuse(envv1.ErrorCode_ERROR_CODE_EMPTY_REQUEST, "the request has no field that this server knows"), nil
	case s.tables == nil:
		return refuse(envv1.ErrorCode_ERROR_CODE_NOT_OPEN, "no tables are open; send an Open first"), nil
	case body.GetAttach() != nil:
		return s.attach(r)
	}
	target := s.target(r)
	answer := done()
	switch {
	case body.GetAct() != nil:
		a := body.GetAct()
		answers := tables.Answers{Table: a.Table, Player: a.Player, Step: a.Step, Action: a.Action}
		if r.round, refused = s.tables.Act(answers, a.Flush, target); refused == nil {
			s.env.metrics.decisions.Add(float64(len(a.Player)))
		}
		return refused, nil
	case body.GetReset_() != nil:
		r.round, refused = s.reset(body.GetReset_(), target)
	case body.GetSnapshot() != nil:
		answer, refused = s.snapshot(body.GetSnapshot())
	case body.GetRestore() != nil:
		r.round, refused = s.restore(body.GetRestore(), target)
	case body.GetFork() != nil:
		m := body.GetFork()
		r.round, refused = s.tables.Fork(m.From, m.To, target)
	case body.GetRedeal() != nil:
		m := body.GetRedeal()
		r.round, refused = s.tables.Redeal(m.From, m.Player, m.Seed, m.To, m.Believed, target)
	case body.GetPlayout() != nil:
		r.round, refused = s.playout(body.GetPlayout())
	case body.GetDrop() != nil:
		refused = s.drop(body.GetDrop())
	case body.GetInspect() != nil:
		answer, refused = s.inspect(body.GetInspect())
	default:
		return refuse(envv1.ErrorCode_ERROR_CODE_EMPTY_REQUEST, "the message of the request is nil"), nil
	}
	if refused == nil && r.round == nil {
		r.answer = answer
	}
	return refused, nil
}

// reset starts new episodes, and from the next matches on seats other players.
func (s *session) reset(m *envv1.Reset, target *tables.Target) (*tables.Round, *tables.Refusal) {
	if len(m.Seats) == 0 {
		return s.tables.Reset(m.Table, m.Seed, nil, nil, target)
	}
	if n := len(m.Table) / 4 * s.tables.Config.Rules.NumSeats(); len(m.Seats) != n {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "%d seats; allowed: none, or %d for %d tables", len(m.Seats), n, len(m.Table)/4)
	}
	config := s.tables.Config
	seats, refused := s.env.readSeats(&config, m.Seats)
	if refused != nil {
		return nil, refused
	}
	return s.tables.Reset(m.Table, m.Seed, seats, config.Agents, target)
}

func done() *envv1.PlayResponse {
	return &envv1.PlayResponse{Response: &envv1.PlayResponse_Done{Done: &envv1.Done{}}}
}

// refuse returns a refusal of a whole request.
func refuse(code envv1.ErrorCode, format string, args ...any) *tables.Refusal {
	return tables.Refuse(tables.Code(code), format, args...)
}

func describeRefusal(r *tables.Refusal) *envv1.Error {
	e := &envv1.Error{Code: envv1.ErrorCode(r.Code), Message: r.Reason}
	for _, f := range [...]struct {
		n  int
		to **uint32
	}{{r.Row, &e.Row}, {r.Table, &e.Table}, {r.Player, &e.Player}} {
		if f.n >= 0 {
			n := uint32(f.n)
			*f.to = &n
		}
	}
	return e
}

// open replaces the tables. No table may be in play.
func (s *session) open(r *request, o *envv1.Open) *tables.Refusal {
	config, rules, refused := s.config(o)
	if refused != nil {
		return refused
	}
	n := config.Tables
	if why := s.env.allTables.Take(s.address, n-s.held); why != "" {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "%d tables are more than are left of the %d that %s may have",
			n, s.env.allTables.Limit(why), limitOf(why))
	}
	s.held = n
	s.close()
	s.ruleset, s.tables = rules.about, tables.New(s.ctx, config)
	s.watch(rules.ruleset)
	if s.stream != nil {
		s.stream.opened = true
	}
	s.handles = map[uint64]*tables.Copy{}
	s.env.metrics.tables.Add(float64(n))
	version, actions := sim.ActionTable(config.Rules.NumSeats())
	opened := &envv1.Opened{
		Ruleset: rules.about, Tables: uint32(n), Local: s.offer(o),
		ActionTableVersion: uint32(version), Actions: uint32(actions),
	}
	if config.Observation != nil {
		opened.Observation = describeObservation(config.Observation)
	}
	r.answer = &envv1.PlayResponse{Response: &envv1.PlayResponse_Opened{Opened: opened}}
	r.round = s.tables.Open()
	return nil
}

// watch lets spectators watch the tables, which are not open yet.
func (s *session) watch(r *configs.Ruleset) {
	if s.env.options.Watch == nil {
		return
	}
	t := s.tables
	t.SetWatch(func() (w sim.Watch) {
		w, s.unwatch = s.env.options.Watch(WatchedTables{Ruleset: r, Tables: t.Config.Tables, AgentName: t.AgentName, Look: t.Look})
		return w
	})
}

// config checks an Open in a turn of the client.
func (s *session) config(o *envv1.Open) (tables.Config, describedRules, *tables.Refusal) {
	if s.queue != nil {
		defer s.queue.BeginOpening(s.client).End()
	}
	c, rules, refused := s.env.config(o)
	c.Queue, c.Client = s.queue, s.client
	return c, rules, refused
}

func (s *session) snapshot(m *envv1.Snapshot) (*envv1.PlayResponse, *tables.Refusal) {
	rows := len(m.Table) / 4
	if limit := s.env.options.MaxHandles; len(s.handles)+rows > limit {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_TOO_MANY_HANDLES,
			"the stream keeps %d tables and may keep %d; drop some before keeping %d more", len(s.handles), limit, rows)
	}
	if why := s.env.allHandles.Take(s.address, rows); why != "" {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_TOO_MANY_HANDLES, "%d tables are more than are left of the %d that %s may keep",
			rows, s.env.allHandles.Limit(why), limitOf(why))
	}
	copies, refused := s.tables.Snapshot(m.Table)
	if refused != nil {
		s.env.allHandles.Release(s.address, rows)
		return nil, refused
	}
	s.env.metrics.handles.Add(float64(rows))
	handles := make([]byte, 0, 8*rows)
	for _, c := range copies {
		s.handle++
		s.handles[s.handle] = c
		handles = binary.LittleEndian.AppendUint64(handles, s.handle)
	}
	return &envv1.PlayResponse{Response: &envv1.PlayResponse_Handles{Handles: &envv1.Handles{Handle: handles}}}, nil
}

func (s *session) restore(m *envv1.Restore, target *tables.Target) (*tables.Round, *tables.Refusal) {
	rows, refused := tables.CountRows(tables.Column{Name: "table", Data: m.Table, Size: 4}, tables.Column{Name: "handle", Data: m.Handle, Size: 8})
	if refused != nil {
		return nil, refused
	}
	copies := make([]*tables.Copy, rows)
	for i := range copies {
		if copies[i], refused = s.copyOf(i, tables.Uint64(m.Handle, i)); refused != nil {
			return nil, refused
		}
	}
	return s.tables.Restore(m.Table, copies, target)
}

// copyOf returns the copy of a handle in a row of a request.
func (s *session) copyOf(row int, handle uint64) (*tables.Copy, *tables.Refusal) {
	if c := s.handles[handle]; c != nil {
		return c, nil
	}
	return nil, refuse(envv1.ErrorCode_ERROR_CODE_UNKNOWN_HANDLE, "there is no handle %d; it was never given out or is dropped", handle).AtRow(row)
}

func (s *session) drop(m *envv1.Drop) *tables.Refusal {
	rows, refused := tables.CountRows(tables.Column{Name: "handle", Data: m.Handle, Size: 8})
	seen := make(map[uint64]bool, rows)
	for i := 0; i < rows && refused == nil; i++ {
		h := tables.Uint64(m.Handle, i)
		if _, refused = s.copyOf(i, h); refused == nil && seen[h] {
			refused = refuse(envv1.ErrorCode_ERROR_CODE_DUPLICATE, "handle %d is named twice", h).AtRow(i)
		}
		seen[h] = true
	}
	if refused != nil {
		return refused
	}
	for h := range seen {
		delete(s.handles, h)
	}
	s.dropHandles(rows)
	return nil
}

// dropHandles gives a number of handles back.
func (s *session) dropHandles(n int) {
	s.env.metrics.handles.Add(-float64(n))
	s.env.allHandles.Release(s.address, n)
}

func (s *session) playout(m *envv1.Playout) (*tables.Round, *tables.Refusal) {
	if len(m.Agent) > maxName {
		return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "agent: a name of %d bytes; allowed: %d", len(m.Agent), maxName)
	}
	if s.finisher.name != m.Agent || s.finisher.newAgent == nil {
		newAgent, err := s.env.options.NewAgent(m.Agent)
		if err != nil {
			return nil, refuse(envv1.ErrorCode_ERROR_CODE_BAD_SEATS, "agent: %v", err)
		}
		s.finisher.name, s.finisher.newAgent = m.Agent, newAgent
	}
	return s.tables.Playout(m.Table, m.Player, m.Action, m.Agent, s.finisher.newAgent)
}

func (s *session) playedOut(ends []tables.HandEnd) *envv1.PlayResponse {
	out := new(envv1.PlayedOut)
	for _, end := range ends {
		out.Reward = tables.AppendInt32(out.Reward, end.Reward)
		if s.ruleset.HasDebts {
			out.Owed = tables.AppendInt32(out.Owed, end.Owed)
		}
		for _, points := range end.Points[:s.tables.Config.Rules.NumSeats()] {
			out.Points = tables.AppendInt32(out.Points, points)
		}
	}
	return &envv1.PlayResponse{Response: &envv1.PlayResponse_PlayedOut{PlayedOut: out}}
}

func (s *session) inspect(m *envv1.Inspect) (*envv1.PlayResponse, *tables.Refusal) {
	spec, err := observe.Lookup("text")
	if err != nil {
		panic(err) // it is one of package observe
	}
	if m.Observation != "" {
		var refused *tables.Refusal
		if spec, refused = s.env.observation(m.Observation, s.tables.Config.Rules.NumSeats()); refused != nil {
			return nil, refused
		}
	}
	tensors, refused := s.tables.Observe(m.Table, m.Player, spec)
	if refused != nil {
		return nil, refused
	}
	out := &envv1.Inspected{Observation: tensors}
	if m.Observation == "" {
		out = &envv1.Inspected{Json: string(tensors[0])}
	}
	return &envv1.PlayResponse{Response: &envv1.PlayResponse_Inspected{Inspected: out}}, nil
}
