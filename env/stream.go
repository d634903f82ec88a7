package env

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sparrowhall/sparrowhall/env/internal/tables"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

var (
	// errIdle ends a stream whose client neither sends requests nor receives answers.
	errIdle = errors.New("no request was made, or no answer received, for too long")
	// errSlow ends a stream whose request is too much work.
	errSlow = errors.New("the request took too long to carry out; request fewer tables or faster players")
)

// serve serves one stream of messages. The error is a status.
func (e *Env) serve(ctx context.Context, receive func() (*envv1.PlayRequest, error), send func(response) error) error {
	if e.draining.Load() {
		e.metrics.refused.WithLabelValues("stream", "draining").Inc()
		return status.Error(codes.Unavailable, "the server is about to stop")
	}
	address := clientAddress(ctx)
	if err := e.takeStream(address); err != nil {
		return err
	}
	defer e.dropStream(address)
	start := time.Now()
	e.options.Log.InfoContext(ctx, "stream opened")
	err := e.runSession(ctx, receive, send)
	if p, ok := errors.AsType[*tables.PanicError](err); ok {
		e.options.Log.ErrorContext(ctx, "panic", "value", p.Value, "stack", string(p.Stack))
	}
	err = asStatus(ctx, err)
	e.metrics.ended.WithLabelValues(status.Code(err).String()).Inc()
	e.options.Log.InfoContext(ctx, "stream ended", "code", status.Code(err).String(), "error", err, "duration", time.Since(start))
	return err
}

// takeStream counts a stream of an address. The error is a status.
func (e *Env) takeStream(address string) error {
	if why := e.streams.Take(address, 1); why != "" {
		e.metrics.refused.WithLabelValues("stream", why).Inc()
		return status.Errorf(codes.ResourceExhausted, "%d streams are open, as many as %s may have", e.streams.Limit(why), limitOf(why))
	}
	e.metrics.open.Inc()
	return nil
}

// dropStream gives a stream back.
func (e *Env) dropStream(address string) {
	e.streams.Release(address, 1)
	e.metrics.open.Dec()
}

// asStatus returns the status that a client receives at the end of its stream.
func asStatus(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errIdle), errors.Is(err, errSlow):
		return status.Error(codes.DeadlineExceeded, err.Error())
	case ctx.Err() != nil:
		return status.FromContextError(ctx.Err()).Err()
	}
	if s, ok := status.FromError(err); ok {
		return s.Err()
	}
	return status.Error(codes.Internal, err.Error())
}

// stream is the transport by messages. One goroutine receives and one sends, so that
// rows are played while others are encoded. Each holds one message at most, so a client
// that does not receive stops its stream. Both end with the context.
type stream struct {
	ctx       context.Context
	requests  chan *request
	responses chan response
	sent      chan struct{} // closed when all responses are sent
	idle      *time.Timer
	limit     time.Duration // for idle, once tables are open
	opened    bool
}

func newStream(ctx context.Context, cancel context.CancelCauseFunc, o Options, receive func() (*envv1.PlayRequest, error), send func(response) error) *stream {
	s := &stream{
		ctx: ctx, requests: make(chan *request), responses: make(chan response, 1), sent: make(chan struct{}),
		idle: time.NewTimer(o.OpenTime), limit: o.Idle,
	}
	start := func(done func(), loop func() error) {
		go func() {
			defer done()
			if err := recovered(loop); err != nil {
				cancel(err)
			}
		}()
	}
	start(func() { close(s.requests) }, func() error { return s.receiveAll(receive) })
	start(func() { close(s.sent) }, func() error { return s.sendAll(send) })
	return s
}

// recovered calls f and returns its error, or a *tables.PanicError.
func recovered(f func() error) (err error) {
	defer tables.Recover(&err)
	return f()
}

func (s *stream) receiveAll(receive func() (*envv1.PlayRequest, error)) error {
	for {
		body, err := receive()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case s.requests <- &request{id: body.RequestId, body: body}:
		case <-s.ctx.Done():
			return nil
		}
	}
}

func (s *stream) sendAll(send func(response) error) error {
	for {
		select {
		case r, ok := <-s.responses:
			if !ok {
				return nil
			}
			if err := send(r); err != nil {
				return err
			}
			if b, ok := r.(*batch); ok {
				b.round.Release()
			}
		case <-s.ctx.Done():
			return nil
		}
	}
}

// poll implements transport.
func (s *stream) poll() (*request, error) {
	select {
	case r, ok := <-s.requests:
		return s.arrived(r, ok)
	default:
		return nil, nil
	}
}

// arrived returns a request as poll does. Where receiving has failed, the context has
// ended, and the error is its cause.
func (s *stream) arrived(r *request, ok bool) (*request, error) {
	if !ok {
		if err := context.Cause(s.ctx); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	return r, nil
}

// wait implements transport.
func (s *stream) wait(played <-chan *tables.Piece) (*request, *tables.Piece, error) {
	idle := s.patience()
	if played != nil {
		idle = nil
	}
	select {
	case r, ok := <-s.requests:
		r, err := s.arrived(r, ok)
		return r, nil, err
	case p := <-played:
		return nil, p, nil
	case <-idle:
		return nil, nil, errIdle
	case <-s.ctx.Done():
		return nil, nil, context.Cause(s.ctx)
	}
}

// patience returns a channel that receives when the client has been idle for too long
// from now on. Before tables are open it has only the rest of Options.OpenTime.
func (s *stream) patience() <-chan time.Time {
	if s.opened {
		s.idle.Reset(s.limit)
	}
	return s.idle.C
}

// send implements transport.
func (s *stream) send(_ *request, answer response) error {
	select {
	case s.responses <- answer:
		return nil
	default:
	}
	select {
	case s.responses <- answer:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	case <-s.patience():
		return errIdle
	}
}

// flush waits until all responses are sent. None may follow.
func (s *stream) flush() error {
	close(s.responses)
	select {
	case <-s.sent:
		return context.Cause(s.ctx)
	case <-s.patience():
		return errIdle
	}
}
