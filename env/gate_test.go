package env_test

import (
	"context"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/internal/testkit/hostile"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// dialFrames connects, with a window for answers of the given size.
func dialFrames(t *testing.T, address string, window uint32) *hostile.Frames {
	t.Helper()
	f, err := hostile.Dial(t.Context(), address, "", window)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Conn.Close() })
	return f
}

// statuses returns what calls have ended with.
func statuses(t *testing.T, f *hostile.Frames, silence time.Duration) map[uint32]string {
	t.Helper()
	of, err := f.Statuses(silence)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// gauge returns the value of a metric, of those with the given labels only.
func gauge(t *testing.T, r *prometheus.Registry, name string, labels ...string) (n float64) {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				var own []string
				for _, l := range m.GetLabel() {
					own = append(own, l.GetValue())
				}
				if len(labels) > 0 && !slices.Equal(own, labels) {
					continue
				}
				n += m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
			return n
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// until waits for what is to come about.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if !poll.Until(holds) {
		t.Fatalf("does not happen: %s", what)
	}
}

func opening(t *testing.T, tables uint32) []byte {
	t.Helper()
	text, err := proto.Marshal(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{
		Rules: preset("ema_2016"), Tables: tables, Observation: "planes", AutoReset: true,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A wrong token is refused before any message has come in, for every call but
// those of the health service.
func TestTokenBeforeMessages(t *testing.T) {
	t.Parallel()
	address := startServer(t, newEnv(t, env.Options{}), env.ServerOptions{Token: "secret"})
	f := dialFrames(t, address, 1<<16)
	token := hpack.HeaderField{Name: "authorization", Value: "Bearer wrong"}
	for _, method := range []string{envv1.EnvService_Play_FullMethodName, envv1.EnvService_Describe_FullMethodName} {
		if _, err := f.Call(method, 1<<19, make([]byte, 1000), false, token); err != nil {
			t.Fatal(err)
		}
	}
	if got := statuses(t, f, time.Second); got[1] != "16" || got[3] != "16" {
		t.Errorf("statuses %v; want 16 (unauthenticated) for both", got)
	}
}

// A message that does not end is waited for no longer than a call may take, and
// one of more than the limit is refused by its header.
func TestUnfinishedMessages(t *testing.T) {
	t.Parallel()
	address := startServer(t, newEnv(t, env.Options{OpenTime: time.Second}), env.ServerOptions{CallTime: 300 * time.Millisecond})
	f := dialFrames(t, address, 1<<16)
	for _, c := range []struct {
		method string
		size   int
	}{
		{envv1.EnvService_Describe_FullMethodName, 1 << 19},
		{envv1.EnvService_Play_FullMethodName, 1 << 19},
		{grpc_health_v1.Health_Check_FullMethodName, 1<<20 + 1},
		{envv1.EnvService_Play_FullMethodName, 1<<20 + 1},
	} {
		if _, err := f.Call(c.method, c.size, make([]byte, 1000), false); err != nil {
			t.Fatal(err)
		}
	}
	if got := statuses(t, f, 3*time.Second); got[1] != "4" || got[3] != "4" || got[5] != "8" || got[7] != "8" {
		t.Errorf("statuses %v; want 4 (deadline exceeded) twice and 8 (resource exhausted) twice", got)
	}
}

// One address may have half of the connections, streams, calls and tables.
func TestShares(t *testing.T) {
	registry := prometheus.NewRegistry()
	e := newEnv(t, env.Options{MaxStreams: 4, TotalTables: 100, TotalHandles: 20})
	address := startServer(t, e, env.ServerOptions{MaxConnections: 4, Registry: registry})
	first, second := dial(t, address), dial(t, address)
	open := func(c *client.Client, tables uint32) (*client.Stream, error) {
		s, err := c.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: tables, AutoReset: true})
		return s, err
	}
	s, err := open(first, 30)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %s", err, want)
		}
	}
	other, err := open(second, 30)
	refused(err, "30 tables are more than are left of the 50 that one address may have")
	if _, _, err := other.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 20, AutoReset: true}); err != nil {
		t.Errorf("within the share: %v", err)
	}
	if _, _, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 31, AutoReset: true}); err == nil {
		t.Error("more tables by opening again")
	}
	if _, _, err := s.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 25, AutoReset: true}); err != nil {
		t.Errorf("fewer tables by opening again: %v", err)
	}
	tables := make([]uint32, 11)
	for i := range tables {
		tables[i] = uint32(i)
	}
	_, err = s.Snapshot(tables)
	refused(err, "11 tables are more than are left of the 10 that one address may keep")
	if _, err := s.Snapshot(tables[:10]); err != nil {
		t.Error(err)
	}
	_, err = open(first, 1)
	refused(err, "2 streams are open, as many as one address may have")
	_, err = dial(t, address).Describe(t.Context())
	if status.Code(err) != codes.Unavailable {
		t.Errorf("a third connection: %v", err)
	}
	// What has ended is given back.
	_, _ = s.Close(), other.Close()
	_ = first.Close()
	until(t, "the connection is given back", func() bool { return gauge(t, registry, "sparrowhall_env_connections") == 1 })
	last := dial(t, address)
	until(t, "tables and streams are given back", func() bool {
		s, err := open(last, 50)
		if err != nil {
			_ = s.Close()
		}
		return err == nil
	})
}

// Every refusal is counted by what was refused and why.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		play     = envv1.EnvService_Play_FullMethodName
		describe = envv1.EnvService_Describe_FullMethodName
		watch    = grpc_health_v1.Health_Watch_FullMethodName
	)
	open := env.Options{AddressShare: 100}
	for _, c := range []struct {
		what, why   string
		options     env.Options
		server      env.ServerOptions
		connections int
		method      string // called twice on each connection
		size        int
		drain       bool
	}{
		{"connection", "all", open, env.ServerOptions{MaxConnections: 1}, 2, play, 10, false},
		{"connection", "address", env.Options{}, env.ServerOptions{MaxConnections: 2}, 2, play, 10, false},
		{"stream", "all", env.Options{AddressShare: 100, MaxStreams: 1}, env.ServerOptions{}, 1, play, 10, false},
		{"stream", "address", env.Options{MaxStreams: 2}, env.ServerOptions{}, 1, play, 10, false},
		{"stream", "token", open, env.ServerOptions{Token: "secret"}, 1, play, 10, false},
		{"stream", "size", open, env.ServerOptions{}, 1, play, 1<<20 + 1, false},
		{"stream", "draining", open, env.ServerOptions{}, 1, play, 10, true},
		{"call", "all", open, env.ServerOptions{MaxCalls: 1}, 1, describe, 10, false},
		{"call", "address", env.Options{}, env.ServerOptions{MaxCalls: 2}, 1, describe, 10, false},
		{"call", "token", open, env.ServerOptions{Token: "secret"}, 1, describe, 10, false},
		{"call", "size", open, env.ServerOptions{}, 1, describe, 1<<20 + 1, false},
		{"watch", "connection", open, env.ServerOptions{MaxWatches: 1}, 1, watch, 0, false},
		{"watch", "size", open, env.ServerOptions{}, 1, watch, 1<<20 + 1, false},
	} {
		t.Run(c.what+" "+c.why, func(t *testing.T) {
			t.Parallel()
			registry := prometheus.NewRegistry()
			c.server.Registry = registry
			e := newEnv(t, c.options)
			address := startServer(t, e, c.server)
			if c.drain {
				e.Drain()
			}
			if n := gauge(t, registry, "sparrowhall_env_refused_total"); n != 0 {
				t.Errorf("%.0f refusals before any", n)
			}
			for range c.connections {
				f, err := hostile.Dial(t.Context(), address, "", 1<<16)
				if err != nil {
					continue // it is refused at once
				}
				defer f.Conn.Close()
				for range 2 { // a message of which nothing comes, but the empty one of a watch
					_, _ = f.Call(c.method, c.size, nil, false)
				}
			}
			until(t, "a refusal", func() bool { return gauge(t, registry, "sparrowhall_env_refused_total", c.why, c.what) > 0 })
			if all, own := gauge(t, registry, "sparrowhall_env_refused_total"), gauge(t, registry, "sparrowhall_env_refused_total", c.why, c.what); own < all {
				t.Errorf("%.0f refusals, %.0f of them by what was asked", all, own)
			}
		})
	}
}

// A connection on which no further call may begin is counted, once for each time.
func TestFullConnections(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	address := startServer(t, newEnv(t, env.Options{}), env.ServerOptions{Registry: registry, MaxConnectionCalls: 2})
	f, err := hostile.Dial(t.Context(), address, "", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Conn.Close()
	for i := range 2 {
		if n := gauge(t, registry, "sparrowhall_env_connections_full_total"); n != 0 {
			t.Errorf("counted %.0f times with %d calls of 2", n, i)
		}
		if _, err := f.Call(envv1.EnvService_Play_FullMethodName, 10, nil, false); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the full connection", func() bool { return gauge(t, registry, "sparrowhall_env_connections_full_total") == 1 })
}

// A connection may have two health watches.
func TestWatches(t *testing.T) {
	address := startServer(t, newEnv(t, env.Options{}), env.ServerOptions{})
	conn, err := grpc.NewClient(address, plain)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	health := grpc_health_v1.NewHealthClient(conn)
	for i := range 3 {
		w, err := health.Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
		if err == nil {
			_, err = w.Recv()
		}
		if want := map[bool]codes.Code{true: codes.OK, false: codes.ResourceExhausted}[i < 2]; status.Code(err) != want {
			t.Errorf("watch %d: %v; want %v", i, err, want)
		}
	}
}

// Clients that close their windows and ask on are parted with when too many bytes
// wait for them; one that receives what it asks for plays on.
func TestClosedWindows(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	const most = 1 << 20
	address := startServer(t, newEnv(t, env.Options{}), env.ServerOptions{MaxWaiting: most, Registry: registry})
	good := playAt(t, address)
	_, b, err := good.Open(&envv1.Open{Rules: preset("ema_2016"), Tables: 20, Observation: "planes", AutoReset: true})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer()
	text := opening(t, 300) // a batch of 0.25 MB
	var closed []*hostile.Frames
	for range 2 {
		closed = append(closed, dialFrames(t, address, 0))
	}
	until(t, "the connections are closed", func() bool {
		for i, f := range closed {
			if _, err := f.Call(envv1.EnvService_Play_FullMethodName, len(text), text, true); err != nil {
				closed[i] = dialFrames(t, address, 0)
			}
		}
		p.rows = map[uint32][]seen{}
		p.take(t, b)
		b = p.act(t, good)
		return gauge(t, registry, "sparrowhall_env_connections_closed_total", "waiting") >= 2
	})
	if n := gauge(t, registry, "sparrowhall_env_waiting_bytes"); n > most+1<<19 {
		t.Errorf("%.0f bytes wait", n)
	}
	p.take(t, b)
	p.act(t, good)
	for _, f := range closed {
		_ = f.Conn.Close()
	}
	if err := good.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "nothing waits", func() bool { return gauge(t, registry, "sparrowhall_env_waiting_bytes") == 0 })
}

// What a client does not receive keeps neither its stream nor its connection longer
// than they may be idle, whatever it does with its windows and however much it says
// meanwhile.
func TestUnreceived(t *testing.T) {
	registry := prometheus.NewRegistry()
	const idle = 2 * time.Second // enough to open all that follow on a busy machine
	e := newEnv(t, env.Options{Idle: idle})
	address := startServer(t, e, env.ServerOptions{ConnectionIdle: idle, Registry: registry})
	first := dialFrames(t, address, 0)
	until(t, "the server listens", func() bool { return gauge(t, registry, "sparrowhall_env_connections") == 1 })
	_ = first.Conn.Close()
	until(t, "nobody is there", func() bool { return gauge(t, registry, "sparrowhall_env_connections") == 0 })
	before := runtime.NumGoroutine()
	text := opening(t, 4000) // a batch of 3 MB
	var saying []func() error
	for _, c := range []struct {
		window, call, bytes uint32
		reads               bool
	}{
		{0, 0, 1, true},              // closed
		{0, 1, 1, true},              // opened a byte at a time
		{math.MaxInt32, 0, 1, false}, // open, but nobody reads
		{0, 0, 0, true},              // opened by nothing, which ends the connection
		{math.MaxInt32, 1, 0, false}, // the same, which ends the call
	} {
		f := dialFrames(t, address, c.window)
		if c.reads {
			go io.Copy(io.Discard, f.Conn)
		}
		if c.window > 0 {
			if err := f.Receive(0, math.MaxInt32-1<<16); err != nil {
				t.Fatal(err)
			}
		}
		id, err := f.Call(envv1.EnvService_Play_FullMethodName, len(text), text, false)
		for range 6 {
			if err == nil && !c.reads { // the buffers of the system hold some answers
				err = f.Message(id, len(text), text, false)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		saying = append(saying, func() error { return f.Receive(c.call, c.bytes) })
	}
	until(t, "answers wait", func() bool { return gauge(t, registry, "sparrowhall_env_waiting_bytes") > 1<<20 })
	until(t, "the streams and connections are gone", func() bool {
		for _, say := range saying {
			_ = say() // fails when the server has had enough
		}
		return gauge(t, registry, "sparrowhall_env_streams")+gauge(t, registry, "sparrowhall_env_connections") == 0
	})
	if n := gauge(t, registry, "sparrowhall_env_connections_closed_total", "idle"); n < 3 {
		t.Errorf("%.0f connections are counted as idle", n)
	}
	until(t, "nothing is left", func() bool {
		return gauge(t, registry, "sparrowhall_env_waiting_bytes") == 0 && runtime.NumGoroutine() <= before
	})
}

// A connection without calls is closed.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	address := startServer(t, newEnv(t, env.Options{}), env.ServerOptions{ConnectionIdle: 200 * time.Millisecond, Registry: registry})
	f := dialFrames(t, address, 1<<16)
	until(t, "the connection is there", func() bool { return gauge(t, registry, "sparrowhall_env_connections") == 1 })
	statuses(t, f, 10*time.Second)
	until(t, "the connection is gone", func() bool { return gauge(t, registry, "sparrowhall_env_connections") == 0 })
	until(t, "it is counted as idle", func() bool {
		return gauge(t, registry, "sparrowhall_env_connections_closed_total", "idle") == 1
	})
}

// thinker takes a while for each answer, and receives from its channel if it can.
type thinker struct{ asked chan struct{} }

func (a thinker) Act(v sim.View) sim.Action {
	select {
	case a.asked <- struct{}{}:
	default:
	}
	time.Sleep(10 * time.Millisecond)
	legal := v.Legal()
	return sim.DefaultAction(&legal)
}

func newThinker(asked chan struct{}) func(string) (func() sim.Agent, error) {
	return func(string) (func() sim.Agent, error) {
		return func() sim.Agent { return thinker{asked} }, nil
	}
}

// Whatever a stream does, Shutdown keeps its time, and no request works longer than
// it may.
func TestEndlessWork(t *testing.T) {
	e, err := env.New(env.Options{RequestTime: 300 * time.Millisecond, NewAgent: newThinker(nil)})
	if err != nil {
		t.Fatal(err)
	}
	server, err := env.NewServer(e, env.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t, "127.0.0.1:0")
	start(t, server, l)
	o := &envv1.Open{Rules: preset("ema_2016"), Tables: 1000, Seats: []string{"thinker", "thinker", "thinker", "external"}, AutoReset: true}
	if _, _, err := playAt(t, l.Addr().String()).Open(o); status.Code(err) != codes.DeadlineExceeded || !strings.Contains(err.Error(), "took too long") {
		t.Errorf("a long request: %v", err)
	}
	o.MinBatch = 4000 // rows never come
	asynchronous := playAt(t, l.Addr().String())
	if err := asynchronous.Send(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}}); err != nil {
		t.Fatal(err)
	}
	if _, err := asynchronous.Recv(); err != nil {
		t.Fatal(err)
	}
	if _, err := asynchronous.Recv(); status.Code(err) != codes.DeadlineExceeded || !strings.Contains(err.Error(), "took too long") {
		t.Errorf("a long request in asynchronous mode: %v", err)
	}
	o.MinBatch = 0
	asked := make(chan struct{}, 1)
	e, err = env.New(env.Options{NewAgent: newThinker(asked)})
	if err != nil {
		t.Fatal(err)
	}
	if server, err = env.NewServer(e, env.ServerOptions{}); err != nil {
		t.Fatal(err)
	}
	l = listen(t, "127.0.0.1:0")
	start(t, server, l)
	done := make(chan error, 1)
	s := playAt(t, l.Addr().String())
	go func() {
		_, _, err := s.Open(o)
		done <- err
	}()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	server.Shutdown(ctx)
	// One that waited for the request would see it answered.
	if err := <-done; status.Code(err) != codes.Unavailable {
		t.Errorf("the stream that was cut off: %v", err)
	}
}
