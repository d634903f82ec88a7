package env

import (
	"context"
	"strconv"
	"sync"
	"time"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// pieceTables is how many tables a worker plays at a time. It is fixed so that
// the order of rows does not depend on the number of workers.
const pieceTables = 32

// response is what a session answers: a *envv1.PlayResponse or a *batch.
type response any

// session is the tables of one stream. It is used by one goroutine; the workers
// it starts play at tables that it leaves alone meanwhile.
type session struct {
	env *Env
	ctx context.Context
	// address is that of the client, for what it has of what all may have.
	address string
	// client is who takes turns: the address, or the session where there is none.
	client string
	// send takes a response over. It fails when the stream has ended.
	send func(response) error
	// time ends the session when the request at hand takes too long.
	time *time.Timer

	*setup
	local   *local   // nil unless memory is offered or shared
	rounds  []*round // in play, in the order of their requests
	spare   []*round // to be used again
	own     *worker  // who plays in the session's own goroutine
	finish  finishers
	held    int // tables taken from those that all may have
	places  []place
	busy    []bool // tables in play
	handles map[uint64]*kept
	handle  uint64 // the last one given out

	tasks chan task
	kept  []task // of those, which the session plays itself
	// pieceTime is what pieces take, those played last counting most.
	pieceTime time.Duration
	done      chan *piece
	workers   sync.WaitGroup
	playing   int  // pieces the workers have
	lone      bool // the last round was for the session alone

	ready       []*piece // played and not sent
	outstanding int      // rows sent that wait for an answer
	flush       bool     // send when nothing is in play

	touched []uint32    // tables of the request at hand
	marks   []bool      // the same as a set
	free    chan *piece // pieces to be used again
}

// task is work on the tables of a piece.
type task struct {
	piece *piece
	opens bool // tables
	do    func(w *worker, n uint32, p *place, out *piece)
}

func newSession(ctx context.Context, env *Env, send func(response) error, work *time.Timer) *session {
	s := &session{env: env, ctx: ctx, address: caller(ctx), send: send, time: work}
	if s.client = s.address; s.client == "" {
		s.client = strconv.FormatUint(env.sessions.Add(1), 10)
	}
	return s
}

// end ends the session.
func (s *session) end() {
	s.close()
	s.env.allTables.take(s.address, -s.held)
}

// close ends the workers and drops the tables.
func (s *session) close() {
	if s.setup == nil {
		return
	}
	close(s.tasks)
	s.workers.Wait()
	s.closeLocal()
	s.env.tables.Add(-float64(s.tables))
	s.env.handles.Add(-float64(len(s.handles)))
	s.env.allHandles.take(s.address, -len(s.handles))
	s.setup = nil
}

// converse carries out requests until there are no more, or idle is over.
func (s *session) converse(requests <-chan *envv1.PlayRequest, idle *time.Timer) error {
	for {
		var err error
		switch {
		case s.local != nil && s.local.attached:
			return s.converseLocal(requests)
		case len(s.rounds) > 0: // the next request is begun, or else those at hand are carried on
			next := requests
			if len(s.rounds) == maxRounds {
				next = nil
			}
			select {
			case req, ok := <-next:
				if !ok {
					if err = s.settle(); err == nil {
						err = context.Cause(s.ctx)
					}
					return err
				}
				err = s.carryOut(req)
			default:
				err = s.advance()
			}
			idle.Reset(s.env.options.Idle)
		default:
			select {
			case req, ok := <-requests:
				if !ok {
					return context.Cause(s.ctx)
				}
				s.time.Reset(s.env.options.RequestTime)
				err = s.carryOut(req)
				if s.setup != nil {
					idle.Reset(s.env.options.Idle)
				}
			case p := <-s.done:
				err = s.played(p)
			case <-idle.C:
				return errIdle
			case <-s.ctx.Done():
				return context.Cause(s.ctx)
			}
			if len(s.rounds) == 0 {
				s.time.Stop()
			}
		}
		if err != nil {
			return err
		}
	}
}

// carryOut carries out a request and sends what it is answered with, or has begun a
// round that is sent when it is over. An error ends the session; what is wrong with
// the request alone is sent.
func (s *session) carryOut(req *envv1.PlayRequest) error {
	r, err := s.do(req)
	if r != nil {
		return s.refused(req, r)
	}
	return err
}

// refused answers a request that is refused, when those before it are answered.
func (s *session) refused(req *envv1.PlayRequest, r *refusal) error {
	for len(s.rounds) > 0 {
		if err := s.advance(); err != nil {
			return err
		}
	}
	s.env.refusals.WithLabelValues(codeName(r.code)).Inc()
	return s.send(&envv1.PlayResponse{RequestId: req.RequestId, Response: &envv1.PlayResponse_Error{Error: r.proto()}})
}

// do carries out a request. Refusals come before anything is changed or sent.
func (s *session) do(req *envv1.PlayRequest) (*refusal, error) {
	id := req.RequestId
	switch {
	case req.GetOpen() != nil:
		return s.open(id, req.GetOpen())
	case req.Request == nil:
		return refuse(envv1.ErrorCode_ERROR_CODE_EMPTY_REQUEST, "the request holds nothing that this server knows"), nil
	case s.setup == nil:
		return refuse(envv1.ErrorCode_ERROR_CODE_NOT_OPEN, "no tables are open; send an Open first"), nil
	case req.GetAct() != nil:
		return s.act(id, req.GetAct())
	case req.GetAttach() != nil:
		return s.attach(id)
	}
	// All others see tables at rest, and what was ready before them is sent
	// before their answer.
	if err := s.settle(); err != nil {
		return nil, err
	}
	switch {
	case req.GetReset_() != nil:
		return s.reset(id, req.GetReset_())
	case req.GetSnapshot() != nil:
		return s.snapshot(id, req.GetSnapshot())
	case req.GetRestore() != nil:
		return s.restore(id, req.GetRestore())
	case req.GetFork() != nil:
		return s.fork(id, req.GetFork())
	case req.GetRedeal() != nil:
		return s.redeal(id, req.GetRedeal())
	case req.GetPlayout() != nil:
		return s.playout(id, req.GetPlayout())
	case req.GetDrop() != nil:
		return s.drop(id, req.GetDrop())
	case req.GetInspect() != nil:
		return s.inspect(id, req.GetInspect())
	}
	return refuse(envv1.ErrorCode_ERROR_CODE_EMPTY_REQUEST, "the message of the request is nil"), nil
}

// prepare is the Env's setup as a turn.
func (s *session) prepare(o *envv1.Open) (*setup, *refusal) {
	defer s.env.turns.open(s.client).end()
	return s.env.setup(o)
}

// open replaces the tables.
func (s *session) open(id uint64, o *envv1.Open) (*refusal, error) {
	setup, refused := s.prepare(o)
	if refused != nil {
		return refused, nil
	}
	if why := s.env.allTables.take(s.address, setup.tables-s.held); why != "" {
		return refuse(envv1.ErrorCode_ERROR_CODE_BAD_TABLES, "%d tables are more than are left of the %d that %s may have",
			setup.tables, s.env.allTables.limit(why), limitOf(why)), nil
	}
	s.held = setup.tables
	if s.setup != nil {
		if err := s.settle(); err != nil {
			return nil, err
		}
		s.close()
	}
	s.setup = setup
	n := s.tables
	s.env.tables.Add(float64(n))
	s.places = make([]place, n)
	for i := range len(o.Seeds) / 8 {
		s.places[i].order = order{given: true, first: uint64At(o.Seeds, i)}
	}
	s.busy, s.marks = make([]bool, n), make([]bool, n)
	s.handles = map[uint64]*kept{}
	s.ready, s.outstanding, s.flush = nil, 0, false
	s.spare, s.kept, s.pieceTime, s.lone = nil, nil, 0, false
	pieces := (n + pieceTables - 1) / pieceTables
	s.tasks, s.done = make(chan task, n), make(chan *piece, n)
	s.free = make(chan *piece, 4*pieces)
	workers := min(s.env.options.Workers, pieces)
	if s.minBatch == 0 {
		workers-- // the session plays too
	}
	for range workers {
		s.workers.Go(func() {
			w := &worker{setup: setup, ctx: s.ctx}
			for t := range s.tasks {
				s.run(w, t)
			}
		})
	}
	s.own = &worker{setup: setup, ctx: s.ctx}
	opened := &envv1.Opened{Ruleset: s.about, Tables: uint32(n), Local: s.offer(o)}
	if s.spec != nil {
		opened.Observation = describeObservation(s.spec)
	}
	if err := s.send(&envv1.PlayResponse{RequestId: id, Response: &envv1.PlayResponse_Opened{Opened: opened}}); err != nil {
		return nil, err
	}
	for i := range s.places {
		s.touch(uint32(i))
	}
	return nil, s.share(id, true, (*worker).open)
}

// run does a task and hands it back.
func (s *session) run(w *worker, t task) {
	s.work(w, t)
	s.done <- t.piece
}

// work does a task. A panic is kept for the session's own goroutine, since it
// must end this session and no other.
func (s *session) work(w *worker, t task) {
	if t.opens {
		w.turn = s.env.turns.open(s.client)
	} else {
		w.turn = s.env.turns.begin(s.client)
	}
	defer func() {
		t.piece.failed = recover()
		t.piece.took = w.turn.end()
		if r := t.piece.round; r != nil {
			r.finish(t.piece)
		}
	}()
	w.make()
	if r := t.piece.round; r != nil {
		r.start(t.piece)
	}
	for _, n := range t.piece.tables {
		if s.ctx.Err() != nil {
			return
		}
		w.turn.yield()
		t.do(w, n, &s.places[n], t.piece)
	}
}

// played takes over a piece in asynchronous mode.
func (s *session) played(p *piece) error {
	if err := s.collected(p); err != nil {
		return err
	}
	s.ready = append(s.ready, p)
	return s.sendReady()
}

// sendReady sends a batch in asynchronous mode if one is due.
func (s *session) sendReady() error {
	rows := 0
	for _, p := range s.ready {
		rows += p.rows
	}
	idle := s.playing == 0
	if rows >= s.minBatch || idle && (s.flush || rows > 0 && s.outstanding == 0) {
		s.flush = s.flush && !idle
		return s.sendBatch(0, s.takeReady(), nil)
	}
	return nil
}

func (s *session) takeReady() []*piece {
	ready := s.ready
	s.ready = nil
	return ready
}

// sendBatch sends pieces that have been played, which in synchronous mode are a
// round.
func (s *session) sendBatch(id uint64, pieces []*piece, of *round) error {
	b := &batch{id: id, pieces: pieces, round: of, free: s.free, draining: s.env.draining.Load(), turns: s.env.turns, client: s.client}
	if s.spec != nil {
		b.tensors = len(s.spec.Tensors)
	}
	for _, p := range pieces {
		s.outstanding += p.asked
		s.env.rows.Add(float64(p.rows))
	}
	return s.send(b)
}

// answered sends what a request other than Act is answered with once its tables
// are played: their rows, or in asynchronous mode Done.
func (s *session) answered(id uint64, do func(w *worker, n uint32, p *place, out *piece)) error {
	if s.minBatch > 0 {
		if err := s.send(done(id)); err != nil {
			return err
		}
	}
	return s.play(id, do)
}

func done(id uint64) response {
	return &envv1.PlayResponse{RequestId: id, Response: &envv1.PlayResponse_Done{Done: &envv1.Done{}}}
}
