package env

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

var (
	// errIdle ends a stream whose client neither asks nor receives.
	errIdle = errors.New("no request was made, or no answer received, for too long")
	// errSlow ends a stream whose request is too much work.
	errSlow = errors.New("the request took too long to carry out; ask for fewer tables or faster players")
)

// Stream is a Play stream within the program. It serves one client as a
// connection would.
type Stream struct {
	requests  chan *envv1.PlayRequest
	responses chan *envv1.PlayResponse
	closing   sync.Once
	ended     chan struct{}
	err       error // how the stream ended
}

// Play starts a stream that ends with ctx or by CloseSend.
func (e *Env) Play(ctx context.Context) *Stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &Stream{
		requests: make(chan *envv1.PlayRequest), responses: make(chan *envv1.PlayResponse), ended: make(chan struct{}),
	}
	receive := func() (*envv1.PlayRequest, error) {
		select {
		case req, ok := <-s.requests:
			if !ok {
				return nil, io.EOF
			}
			return req, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	send := func(r response) error {
		var out *envv1.PlayResponse
		switch r := r.(type) {
		case *envv1.PlayResponse:
			out = r
		case *batch:
			total, size, rows := r.wireSize()
			out = &envv1.PlayResponse{}
			if err := proto.Unmarshal(r.appendWire(make([]byte, 0, total), size, rows), out); err != nil {
				return err
			}
		}
		select {
		case s.responses <- out:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() {
		defer cancel()
		s.err = e.serve(ctx, receive, send)
		close(s.ended)
	}()
	return s
}

// Send hands over a request, which must not be changed any more. The error is
// io.EOF if the stream has ended; Recv tells why.
func (s *Stream) Send(req *envv1.PlayRequest) error {
	select {
	case s.requests <- req:
		return nil
	case <-s.ended:
		return io.EOF
	}
}

// Recv returns the next response. At the end of the stream the error is io.EOF,
// or a status that tells why it was ended.
func (s *Stream) Recv() (*envv1.PlayResponse, error) {
	select {
	case r := <-s.responses:
		return r, nil
	case <-s.ended:
		if s.err != nil {
			return nil, s.err
		}
		return nil, io.EOF
	}
}

// CloseSend says that no request will follow. Nothing may be sent after it.
func (s *Stream) CloseSend() error {
	s.closing.Do(func() { close(s.requests) })
	return nil
}

// serve serves one stream. The error is a status.
func (e *Env) serve(ctx context.Context, receive func() (*envv1.PlayRequest, error), send func(response) error) error {
	if e.draining.Load() {
		e.refused.WithLabelValues("stream", "draining").Inc()
		return status.Error(codes.Unavailable, "the server is about to stop")
	}
	address := caller(ctx)
	if why := e.streams.take(address, 1); why != "" {
		e.refused.WithLabelValues("stream", why).Inc()
		return status.Errorf(codes.ResourceExhausted, "%d streams are open, as many as %s may have", e.streams.limit(why), limitOf(why))
	}
	defer e.streams.take(address, -1)
	e.open.Inc()
	defer e.open.Dec()
	start := time.Now()
	e.options.Log.InfoContext(ctx, "stream opened")
	err := asStatus(ctx, e.converse(ctx, receive, send))
	e.ended.WithLabelValues(status.Code(err).String()).Inc()
	e.options.Log.InfoContext(ctx, "stream ended", "code", status.Code(err).String(), "error", err, "duration", time.Since(start))
	return err
}

// asStatus returns what the client is told about the end of its stream.
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

// converse carries out requests until there are no more. One goroutine receives
// and one sends, so that the next batch is played while the last is written. Each
// holds one message at most beside the rounds in play: a client that does not receive stops its stream.
func (e *Env) converse(ctx context.Context, receive func() (*envv1.PlayRequest, error), send func(response) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan *envv1.PlayRequest)
	go func() {
		defer close(requests)
		for {
			req, err := receive()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					cancel(err)
				}
				return
			}
			select {
			case requests <- req:
			case <-ctx.Done():
				return
			}
		}
	}()
	responses, sent := make(chan response, 1), make(chan struct{})
	go func() {
		defer close(sent)
		for r := range responses {
			if err := send(r); err != nil {
				cancel(err)
				return
			}
			if b, ok := r.(*batch); ok {
				b.release()
			}
		}
	}()

	// The patience with the client, and with the work at its request.
	idle := time.NewTimer(e.options.OpenTime)
	defer idle.Stop()
	work := time.AfterFunc(e.options.RequestTime, func() { cancel(errSlow) })
	work.Stop()
	s := newSession(ctx, e, func(r response) error {
		work.Stop()
		defer work.Reset(e.options.RequestTime)
		select {
		case responses <- r:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-idle.C:
			return errIdle
		}
	}, work)
	defer work.Stop()
	defer func() {
		cancel(nil) // what is in play ends first
		s.end()
	}()
	err := s.converse(requests, idle)
	close(responses)
	if err == nil { // what has been answered is still to be sent
		select {
		case <-sent:
		case <-idle.C:
			err = errIdle
		}
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}
