package env

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/sparrowhall/sparrowhall/env/internal/fairqueue"
	"github.com/sparrowhall/sparrowhall/env/internal/segment"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// maxRequests is the number of requests of a stream that may be under way, as many as
// shared memory has slots for.
const maxRequests = segment.Slots

// request is a request of the client, from its arrival until its answer is sent.
type request struct {
	id   uint64
	body *envv1.PlayRequest // valid until the request is carried out
	// refused is set by a transport that cannot read the body.
	refused *tables.Refusal
	// answer is sent first unless it is nil, then the rows of round unless it is nil.
	answer *envv1.PlayResponse
	round  *tables.Round
	frame  uint32 // in shared memory: where the answer goes
}

// response is what a transport sends: a *envv1.PlayResponse or a *batch.
type response any

// transport brings the requests of a client to its session and the answers back. One
// goroutine uses it.
type transport interface {
	// poll returns a request, or nil if none has arrived. After the last request the
	// error is io.EOF.
	poll() (*request, error)
	// wait is poll, but waits for a request or for a piece of rows from played. That
	// channel is nil if no table is in play; the session is then idle.
	wait(played <-chan *tables.Piece) (*request, *tables.Piece, error)
	// send sends a response to a request, or rows in asynchronous mode, where the
	// request is nil.
	send(r *request, answer response) error
}

// session carries out the requests of one stream, whatever its transport. It belongs
// to one goroutine.
type session struct {
	env     *Env
	ctx     context.Context
	address string           // of the client, for its share of the limits; may be empty
	queue   *fairqueue.Queue // for processors; nil if the session has them for itself
	client  string           // name in it: the address, or unique

	transport transport
	stream    *stream         // the transport until memory is shared
	local     *local          // nil unless memory is offered or shared
	targets   []tables.Target // by frame, once there is memory for rows

	ruleset *envv1.Ruleset
	tables  *tables.Scheduler // nil before the first Open
	unwatch func()            // ends what Options.Watch began; may be nil
	held    int               // tables taken from the Env's limit
	handles map[uint64]*tables.Copy
	handle  uint64 // the last one given out
	// finisher is the agent of the last playout.
	finisher struct {
		name     string
		newAgent func() sim.Agent
	}

	next    *request   // arrived, not carried out
	pending []*request // carried out, in order of arrival; their answers are not sent yet
	ended   bool       // no more requests will arrive
	work    stopwatch
}

// stopwatch limits the time that the server works without sending an answer.
type stopwatch struct {
	timer *time.Timer
	limit time.Duration
	on    bool
}

// set starts the stopwatch, unless it is running, or stops it.
func (w *stopwatch) set(on bool) {
	switch {
	case on == w.on:
	case on:
		w.timer.Reset(w.limit)
	default:
		w.timer.Stop()
	}
	w.on = on
}

// runSession carries out requests until there are no more. It ends everything that the
// stream has started, also when something panics.
func (e *Env) runSession(ctx context.Context, receive func() (*envv1.PlayRequest, error), send func(response) error) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &session{env: e, ctx: ctx, queue: e.queue, address: clientAddress(ctx)}
	if s.client = s.address; s.client == "" {
		s.client = strconv.FormatUint(e.sessions.Add(1), 10)
	}
	s.stream = newStream(ctx, cancel, e.options, receive, send)
	s.transport = s.stream
	s.work = stopwatch{timer: time.AfterFunc(e.options.RequestTime, func() { cancel(errSlow) }), limit: e.options.RequestTime}
	s.work.timer.Stop()
	defer func() {
		s.work.set(false)
		cancel(nil) // ends what is in play
		s.close()
		e.allTables.Release(s.address, s.held)
	}()
	defer tables.Recover(&err)
	if err := s.run(); err != nil {
		return err
	}
	return s.stream.flush()
}

// run carries out requests until there are no more. Each turn of the loop makes one
// step of the oldest thing that there is to do.
func (s *session) run() error {
	for {
		if err := s.sendAnswers(); err != nil {
			return err
		}
		var err error
		if s.next == nil && !s.ended && len(s.pending) < maxRequests {
			if s.next, err = s.transport.poll(); s.failed(err) {
				return err
			}
		}
		s.work.set(s.next != nil || s.inPlay())
		if s.next != nil && s.mayStart(s.next) {
			r := s.next
			s.next = nil
			if err := s.start(r); err != nil {
				return err
			}
			continue
		}
		if s.tables != nil {
			if ok, err := s.tables.Advance(); err != nil {
				return err
			} else if ok {
				s.restart()
				continue
			}
		}
		switch {
		case s.ended && (len(s.pending) == 0 && s.next == nil):
			return context.Cause(s.ctx)
		case s.next != nil || s.ended || len(s.pending) == maxRequests:
			err = s.tables.Wait()
		default:
			err = s.wait()
		}
		if s.failed(err) {
			return err
		}
	}
}

// inPlay reports whether there is work under way.
func (s *session) inPlay() bool {
	return len(s.pending) > 0 || s.tables != nil && !s.tables.AtRest()
}

// failed reports whether err ends the session. io.EOF does not: it is the end of the
// requests, which failed stores in ended.
func (s *session) failed(err error) bool {
	s.ended = s.ended || errors.Is(err, io.EOF)
	return err != nil && !errors.Is(err, io.EOF)
}

// wait waits for a request or for rows.
func (s *session) wait() error {
	var played <-chan *tables.Piece
	if s.inPlay() {
		played = s.tables.Played()
	}
	r, p, err := s.transport.wait(played)
	s.next = r
	if p != nil {
		err = s.tables.Collect(p)
		s.restart()
	}
	return err
}

// restart restarts the stopwatch after rows that, in asynchronous mode, belong to no
// request.
func (s *session) restart() {
	if s.tables.Config.MinBatch > 0 {
		s.work.set(false)
	}
}

// mayStart reports whether a request may be carried out while those before it are in
// play. Only answers for other tables may; all other requests need tables at rest.
func (s *session) mayStart(r *request) bool {
	if !s.inPlay() {
		return true
	}
	a := r.body.GetAct()
	return a != nil && !s.tables.Exclusive() && (s.tables.Config.MinBatch > 0 || !s.tables.Busy(a.Table))
}

// start carries out a request as far as the session's goroutine does it.
func (s *session) start(r *request) error {
	if s.tables != nil && r.body.GetAct() == nil {
		if err := s.sendReady(true); err != nil {
			return err
		}
	}
	s.pending = append(s.pending, r)
	refused, err := r.refused, error(nil)
	if refused == nil {
		refused, err = s.do(r)
	}
	if refused != nil {
		r.answer = s.refuse(refused)
	}
	return err
}

// refuse returns the answer to a request that is refused.
func (s *session) refuse(why *tables.Refusal) *envv1.PlayResponse {
	s.env.metrics.refusals.WithLabelValues(codeName(envv1.ErrorCode(why.Code))).Inc()
	return &envv1.PlayResponse{Response: &envv1.PlayResponse_Error{Error: describeRefusal(why)}}
}

// sendAnswers sends the answers that are complete, in the order of their requests.
func (s *session) sendAnswers() error {
	for len(s.pending) > 0 {
		r := s.pending[0]
		if r.answer != nil {
			r.answer.RequestId = r.id
			if err := s.send(r, r.answer); err != nil {
				return err
			}
			r.answer = nil
		}
		if r.round != nil {
			if !r.round.Done() {
				return nil
			}
			if err := s.sendRound(r, r.round); err != nil {
				return err
			}
			r.round = nil
		}
		copy(s.pending, s.pending[1:])
		s.pending = s.pending[:len(s.pending)-1]
	}
	return s.sendReady(false)
}

// sendReady sends the rows that are due in asynchronous mode.
func (s *session) sendReady(all bool) error {
	if s.tables == nil {
		return nil
	}
	if round := s.tables.Ready(all); round != nil {
		return s.sendRound(nil, round)
	}
	return nil
}

// sendRound sends the rows or the results of a round. r is nil in asynchronous mode.
func (s *session) sendRound(r *request, round *tables.Round) error {
	if round.Ends != nil {
		answer := s.playedOut(round.Ends)
		answer.RequestId = r.id
		round.Release()
		return s.send(r, answer)
	}
	b := &batch{round: round, tensors: s.tables.Config.Tensors(), draining: s.env.draining.Load(), queue: s.queue, client: s.client}
	if r != nil {
		b.id = r.id
	}
	s.env.metrics.rows.Add(float64(round.Len()))
	return s.send(r, b)
}

// send sends an answer. The time that the client takes to receive it is not work.
func (s *session) send(r *request, answer response) error {
	s.work.set(false)
	return s.transport.send(r, answer)
}

// close ends the workers and drops the tables.
func (s *session) close() {
	if s.tables == nil {
		return
	}
	s.tables.Close()
	if s.unwatch != nil {
		s.unwatch()
	}
	s.closeLocal()
	s.env.metrics.tables.Add(-float64(s.tables.Config.Tables))
	s.dropHandles(len(s.handles))
	s.tables = nil
}
