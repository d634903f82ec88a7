package views_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/internal/table"
	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// TestEnvironment compares the answers of a stream in this process and over a socket, and the rows in
// memory shared with a client, under every observation; with hidden tiles among the observations the
// rows differ.
func TestEnvironment(t *testing.T) {
	var played *twins
	e, err := env.New(env.Options{Workers: 1, AllowHidden: true, NewAgent: func(string) (func() sim.Agent, error) {
		x := played
		return func() sim.Agent { return scripted{twins: x} }, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := onSocket(t, e)
	eachTwins(t, presets[:4], []sim.Player{1, 3}, func(t *testing.T, x *twins) {
		played = x
		all := append(observe.Names(), "")
		observation := all[int(x.run)%len(all)] // a different one in each
		x.compare(t, "stream, "+observation, func(k int) string {
			return overStream(t, client.NewStream(e.Play(t.Context())), x, k, observation)
		})
		x.compare(t, "socket, "+observation, func(k int) string { return overStream(t, dialed(t, c), x, k, observation) })
		x.compare(t, "memory, "+observation, func(k int) string { return inMemory(t, e, x, k, observation) })
		if x.viewer == 1 && difference(overStream(t, dialed(t, c), x, 0, "oracle"), overStream(t, dialed(t, c), x, 1, "oracle")) < 0 {
			t.Error("an observation of hidden tiles is the same in both matches")
		}
	})
}

// environment returns an Open for one table of match k, at which the script plays for the others.
func (x *twins) environment(k int, observation string) *envv1.Open {
	r := x.rulesets[k]
	o := &envv1.Open{
		Rules: &envv1.Open_Toml{Toml: fmt.Sprintf("base = %q\nmax_hands = 3\n", x.preset)},
		Wall:  sim.FormatFirstWall(r.FirstWall), Tables: 1, Seed: x.run, Observation: observation,
	}
	for p := range sim.Player(r.Rules().NumSeats()) {
		seat := "script"
		if p == x.viewer {
			seat = env.External
		}
		o.Seats = append(o.Seats, seat)
	}
	return o
}

// overStream returns the answers of a stream up to the moment, and those to bad actions then.
func overStream(t *testing.T, s *client.Stream, x *twins, k int, observation string) string {
	o := x.environment(k, observation)
	var log strings.Builder
	opened, b, err := s.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	write := func(m proto.Message) {
		text, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&log, "%T %x\n", m, sha256.Sum256(text))
	}
	refuse := func(err error) {
		var refused *client.RefusedError
		if !errors.As(err, &refused) {
			t.Fatalf("%s: %v; want a refusal", x.name, err)
		}
		fmt.Fprintln(&log, err)
	}
	write(opened)
	write((*envv1.Batch)(b))
	for _, a := range x.answers {
		var answers client.Answers
		answers.Add(b, 0, a)
		if b, err = s.Act(&answers); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		write((*envv1.Batch)(b))
	}
	bad, legal := illegal(x.legal[len(x.answers)]), x.legal[len(x.answers)]
	other := (x.viewer + 1) % sim.Player(x.rules.NumSeats())
	for _, wrong := range []struct {
		table  uint32
		player sim.Player
		before uint32 // steps
		action sim.Action
	}{{0, x.viewer, 0, bad}, {0, x.viewer, 1, bad}, {0, other, 0, legal.First()}, {9, x.viewer, 0, legal.First()}, {0, x.viewer, 0, sim.NumAllActions}} {
		var answers client.Answers
		answers.AddTo(wrong.table, wrong.player, b.StepOf(0)-wrong.before, wrong.action)
		_, err := s.Act(&answers)
		refuse(err)
	}
	_, err = s.Inspect(0, uint8(other))
	refuse(err)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return log.String()
}

// onSocket serves an environment until the test ends, and returns a client of it.
func onSocket(t *testing.T, e *env.Env) *client.Client {
	l, err := env.Listen("unix:"+filepath.Join(t.TempDir(), "s"), false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := env.NewServer(e, env.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	c, err := client.Dial("unix:"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		s.Shutdown(now)
		if err := errors.Join(c.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	return c
}

func dialed(t *testing.T, c *client.Client) *client.Stream {
	t.Helper()
	s, err := c.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lastTable keeps the table that spectators were shown last. It leaves out what a page asks to be
// shown at once: when that comes depends on time, and the position would stand for some events.
type lastTable struct {
	sim.Watch
	mu    sync.Mutex
	table sim.Table
}

func (l *lastTable) Follows(int) bool { return true }

func (l *lastTable) Show(table int, s *sim.Scene) {
	l.mu.Lock()
	l.table = *s.Table
	l.mu.Unlock()
	if len(s.Events) > 0 && l.Watch.Follows(table) {
		l.Watch.Show(table, s)
	}
}

// last returns a copy, whose views stay valid.
func (l *lastTable) last() *sim.Table {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.table
	return &t
}

// TestServerWatch compares what a page of spectators of a server is sent; one client answers as the
// script does.
func TestServerWatch(t *testing.T) {
	eachTwins(t, presets[:3], []sim.Player{spectators}, func(t *testing.T, x *twins) {
		x.compare(t, "watch of a server", func(k int) string {
			return watched(t, x, false, func(ctx context.Context, g *table.Gallery, followed <-chan struct{}) error {
				seen := &lastTable{}
				e, err := env.New(env.Options{
					Workers:  1,
					NewAgent: func(string) (func() sim.Agent, error) { return x.stop(ctx), nil },
					Watch: func(w env.WatchedTables) (sim.Watch, func()) {
						room := g.Open(table.RoomOptions(w))
						seen.Watch = room
						<-followed
						return seen, room.Close
					},
				})
				if err != nil {
					return err
				}
				o := x.environment(k, "")
				const mine = 2 // the dealer decides before anything is shown
				o.Seats[mine] = env.External
				s := client.NewStream(e.Play(ctx))
				_, b, err := s.Open(o)
				for err == nil {
					var answers client.Answers
					answers.Add(b, 0, x.stop(ctx)().Act(seen.last().View(mine)))
					b, err = s.Act(&answers)
				}
				return err
			})
		})
	})
}

// inMemory returns the memory that is shared with a client after each answer up to the moment.
func inMemory(t *testing.T, e *env.Env, x *twins, k int, observation string) string {
	o := x.environment(k, observation)
	i, err := e.Inline()
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	var log strings.Builder
	request := func(r *envv1.PlayRequest) {
		text, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := i.Request(text, 0); err != nil {
			t.Fatal(err)
		}
	}
	answer := func() *envv1.PlayResponse {
		r := &envv1.PlayResponse{}
		buffer := make([]byte, 1<<20)
		n := i.Answer(buffer)
		fmt.Fprintf(&log, "%x\n", buffer[:n])
		if err := proto.Unmarshal(buffer[:n], r); err != nil || r.GetError() != nil {
			t.Fatalf("%v, %v", err, r.GetError())
		}
		return r
	}
	request(&envv1.PlayRequest{RequestId: 1, Request: &envv1.PlayRequest_Open{Open: o}})
	answer()
	first := answer()
	memory := make([]byte, i.Size())
	if err := i.Attach(memory); err != nil {
		t.Fatal(err)
	}
	if err := i.Unpack(); err != nil {
		t.Fatal(err)
	}
	frame := 0
	for n, a := range x.answers {
		if n == 0 {
			var answers client.Answers
			answers.Add((*client.Batch)(first.GetBatch()), 0, a)
			request(&envv1.PlayRequest{RequestId: 2, Request: &envv1.PlayRequest_Act{Act: answers.Act()}})
		} else {
			rows, _, placed, err := i.Act(frame, 1-frame, []byte{byte(a)})
			if err != nil || !placed || rows != 1 {
				t.Fatalf("%s: answer %d: %d rows, %v", x.name, n, rows, err)
			}
			frame = 1 - frame
		}
		fmt.Fprintf(&log, "%x\n", sha256.Sum256(memory))
	}
	return log.String()
}
