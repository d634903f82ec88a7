package env_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// newFaulty is newAgent, but panics for the name "faulty".
func newFaulty(spec string) (func() sim.Agent, error) {
	if spec == "faulty" {
		panic("no such luck")
	}
	return newAgent(spec)
}

// TestPanics lets agents panic at seats, in playouts and when they are made. Only their
// stream ends, the log has the stack, and no goroutine is left.
func TestPanics(t *testing.T) {
	seats := func(agent string) []string { return []string{agent, agent, agent, env.External} }
	open := func(s *client.Stream, agent string) error {
		_, _, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 100, Seats: seats(agent)})
		return err
	}
	playout := func(agent string) func(s *client.Stream) error {
		return func(s *client.Stream) error {
			_, b, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 100})
			if err != nil {
				return err
			}
			legal := b.Legal(0)
			_, err = s.Playout([]uint32{b.TableOf(0)}, []uint8{b.Player[0]}, []uint8{uint8(legal.First())}, agent)
			return err
		}
	}
	for name, c := range map[string]struct {
		play  func(s *client.Stream) error
		stack string // in it
	}{
		"seats":      {func(s *client.Stream) error { return open(s, "broken") }, "broken.Act"},
		"playout":    {playout("broken"), "broken.Act"},
		"new seats":  {func(s *client.Stream) error { return open(s, "faulty") }, "newFaulty"},
		"new player": {playout("faulty"), "newFaulty"},
	} {
		for _, transport := range []string{"process", "tcp"} {
			t.Run(name+"/"+transport, func(t *testing.T) {
				var log syncBuffer
				e, err := env.New(env.Options{Workers: 3, NewAgent: newFaulty, Log: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				start := func() *client.Stream { return client.NewStream(e.Play(ctx)) }
				if transport == "tcp" {
					c := dial(t, startServer(t, e, env.ServerOptions{}))
					start = func() *client.Stream {
						s, err := c.Play(ctx)
						if err != nil {
							t.Fatal(err)
						}
						return s
					}
					if err := open(start(), "eager"); err != nil { // connects
						t.Fatal(err)
					}
				}
				before := runtime.NumGoroutine()
				for range 5 {
					if err := c.play(start()); status.Code(err) != codes.Internal {
						t.Fatalf("error %v; want Internal", err)
					}
					if text := log.take(); !strings.Contains(text, c.stack) {
						t.Errorf("the log has no stack with %s:\n%s", c.stack, text)
					}
				}
				if !poll.Until(func() bool { return runtime.NumGoroutine() <= before }) {
					stacks := make([]byte, 1<<20)
					t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
				}
			})
		}
	}
}
