package env

import (
	"context"
	"io"
	"sync"

	"google.golang.org/protobuf/proto"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Stream is a Play stream within the process. It serves one client as a connection
// would.
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

// Send passes a request, which must not be changed any more, to the server. The error
// is io.EOF if the stream has ended; Recv then returns the reason.
func (s *Stream) Send(req *envv1.PlayRequest) error {
	select {
	case s.requests <- req:
		return nil
	case <-s.ended:
		return io.EOF
	}
}

// Recv returns the next response. At the end of the stream the error is io.EOF, or a
// status with the reason.
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

// CloseSend declares that no request follows. Send must not be called after it.
func (s *Stream) CloseSend() error {
	s.closing.Do(func() { close(s.requests) })
	return nil
}
