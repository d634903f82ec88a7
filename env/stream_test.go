package env

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/env/internal/tables"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// TestStreamPanics lets the functions of a connection panic. The stream ends with the
// panic as the cause, and so do its goroutines.
func TestStreamPanics(t *testing.T) {
	options := Options{OpenTime: time.Minute, Idle: time.Minute}
	for _, receives := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(t.Context())
		receive := func() (*envv1.PlayRequest, error) {
			if receives {
				panic("receive")
			}
			return nil, io.EOF
		}
		s := newStream(ctx, cancel, options, receive, func(response) error { panic("send") })
		if !receives {
			if err := s.send(nil, done()); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the stream goes on")
		}
		if _, ok := errors.AsType[*tables.PanicError](context.Cause(ctx)); !ok {
			t.Errorf("the stream ends with %v", context.Cause(ctx))
		}
		for range s.requests {
			t.Error("a request arrived")
		}
		<-s.sent
	}
}
