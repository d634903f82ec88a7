package env

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env/internal/fairqueue"
	"github.com/sparrowhall/sparrowhall/internal/admission"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

const (
	// stalledTime is how long bytes must have waited without a break before their
	// client counts as stalled.
	stalledTime = time.Second
	// A client is charged for a read or write, for its bytes, and for a call, besides
	// the time for decoding. The prices are CPU times on a processor of 2020; only their
	// proportion to those of play matters.
	kernelTime         = 3 * time.Microsecond
	bytesPerNanosecond = 2
	callTime           = 60 * time.Microsecond
	// maxDecodeTime limits what decoding the bytes of one read counts for, since the
	// reader may have waited for something else.
	maxDecodeTime = time.Millisecond
)

// gate admits connections and calls and limits what they hold. The Env limits streams
// and tables.
type gate struct {
	callTime       time.Duration
	connectionIdle time.Duration
	maxWatches     int
	maxCalls       int // of a connection
	queue          *fairqueue.Queue
	limits         admission.Limits // of connections
	calls          *admission.Quota // other than Play and Watch
	backlog        backlog

	open    prometheus.Gauge
	waiting prometheus.GaugeFunc
	refused *prometheus.CounterVec // the Env's
	closed  *prometheus.CounterVec
	full    prometheus.Counter
}

func newGate(o ServerOptions, e *Env) *gate {
	g := &gate{
		callTime:       o.CallTime,
		connectionIdle: o.ConnectionIdle,
		maxWatches:     o.MaxWatches,
		maxCalls:       o.MaxConnectionCalls,
		queue:          e.queue,
		calls:          admission.NewQuota(o.MaxCalls, e.options.AddressShare),
		open:           prometheus.NewGauge(prometheus.GaugeOpts{Name: "sparrowhall_env_connections", Help: "Connections that are open."}),
		backlog:        backlog{most: o.MaxWaiting, connections: map[*connection]*waiting{}},
		refused:        e.metrics.refused,
		closed:         counterVec("sparrowhall_env_connections_closed_total", "Connections that the server closed, by reason: waiting, their clients did not receive; idle, too long without a call.", "reason"),
		full:           prometheus.NewCounter(prometheus.CounterOpts{Name: "sparrowhall_env_connections_full_total", Help: "How often a connection reached its limit of calls under way, so that further calls wait at its client."}),
	}
	g.limits = admission.Limits{
		Connections: o.MaxConnections, Share: e.options.AddressShare, Stall: -1, // backlog and keepalive end stalled ones
		Refused: func(why string) { g.refused.WithLabelValues("connection", why).Inc() },
	}
	g.waiting = prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sparrowhall_env_waiting_bytes", Help: "Bytes of answers that wait for clients to receive them."}, func() float64 {
		g.backlog.mu.Lock()
		defer g.backlog.mu.Unlock()
		return float64(g.backlog.bytes)
	})
	g.closed.WithLabelValues("waiting")
	g.closed.WithLabelValues("idle")
	return g
}

func (g *gate) collectors() []prometheus.Collector {
	return []prometheus.Collector{g.open, g.waiting, g.closed, g.full}
}

// listener meters connections. One without a call may be closed for a new one.
type listener struct {
	net.Listener
	gate *gate
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	metered := &connection{Conn: c, gate: l.gate, address: admission.Address(c.RemoteAddr()), opened: time.Now()}
	metered.idleTimer = time.AfterFunc(l.gate.connectionIdle+cutOffTime, metered.closeIdle)
	l.gate.open.Inc()
	return metered, nil
}

// connection is an admitted connection.
type connection struct {
	net.Conn
	gate    *gate
	address string
	closing sync.Once

	lastRead time.Time    // of the goroutine that reads
	owed     atomic.Int64 // nanoseconds of work that are not yet charged
	decoding atomic.Int64 // those of them for decoding what the client sent

	calls, watches atomic.Int32 // under way
	opened         time.Time
	idleSince      atomic.Int64 // after opened, by the monotonic clock: no step of the other one counts
	idleTimer      *time.Timer
	closed         atomic.Bool // set under the backlog's lock
}

// RemoteAddr implements net.Conn. Calls find their connection by its type.
func (c *connection) RemoteAddr() net.Addr { return remote{c.Conn.RemoteAddr(), c} }

// remote is the address of a client.
type remote struct {
	net.Addr
	connection *connection
}

// Read implements net.Conn. Decoding what a client sends takes no turn, since it waits
// for the network. A client that has used more processor time than others is not read
// while they wait for turns.
func (c *connection) Read(b []byte) (int, error) {
	took := kernelTime
	if !c.lastRead.IsZero() {
		took += min(time.Since(c.lastRead), maxDecodeTime)
	}
	n, err := c.Conn.Read(b)
	if owed := c.addDecoding(took + time.Duration(n/bytesPerNanosecond)); c.address != "" && owed >= fairqueue.TurnTime {
		c.owed.Add(-int64(owed))
		c.gate.queue.Charge(c.address, owed, time.Duration(c.decoding.Swap(0)))
	}
	c.lastRead = time.Now()
	return n, err
}

// addDecoding adds time for decoding and returns the time that is not yet charged.
func (c *connection) addDecoding(took time.Duration) time.Duration {
	c.decoding.Add(int64(took))
	return time.Duration(c.owed.Add(int64(took)))
}

// Write implements net.Conn.
func (c *connection) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.owed.Add(int64(kernelTime) + int64(n/bytesPerNanosecond))
	c.gate.backlog.left(c, n)
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	c.closing.Do(func() {
		c.gate.backlog.forget(c)
		c.idleTimer.Stop()
		c.gate.open.Dec()
		if c.idle() {
			c.gate.closed.WithLabelValues("idle").Inc()
		}
	})
	return err
}

// idle reports whether there have been no calls for too long.
func (c *connection) idle() bool {
	return c.calls.Load() == 0 && time.Since(c.opened)-time.Duration(c.idleSince.Load()) >= c.gate.connectionIdle
}

// closeIdle closes a connection that is idle. The transport does so a second sooner,
// but only where no bytes wait for the client; they do for ever if it has closed its
// HTTP/2 window.
func (c *connection) closeIdle() {
	if c.idle() {
		_ = c.Close()
	}
}

// connectionOf returns the connection of a call, nil for a call without a gate.
func connectionOf(ctx context.Context) *connection {
	if p, ok := peer.FromContext(ctx); ok {
		if r, ok := p.Addr.(remote); ok {
			return r.connection
		}
	}
	return nil
}

// kindOf returns the metrics label of a call.
func kindOf(method string) string {
	switch method {
	case envv1.EnvService_Play_FullMethodName:
		return "stream"
	case grpc_health_v1.Health_Watch_FullMethodName:
		return "watch"
	}
	return "call"
}

// deadline sets the deadline of calls other than Play and Watch. It refuses no call,
// since the transport frees what a refused call holds only at the call's own deadline.
func (g *gate) deadline(ctx context.Context, info *tap.Info) (context.Context, error) {
	if kindOf(info.FullMethodName) != "call" {
		return ctx, nil
	}
	ctx, cancel := context.WithTimeout(ctx, g.callTime)
	context.AfterFunc(ctx, cancel)
	return ctx, nil
}

// charge is an interceptor that counts the calls of a connection and charges its client
// for them, also for those that fail. The transport limits their number.
func (g *gate) charge(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if c := connectionOf(stream.Context()); c != nil {
		defer admission.Of(c.Conn).Keep()()
		c.addDecoding(callTime)
		if int(c.calls.Add(1)) == g.maxCalls {
			g.full.Inc()
		}
		defer func() {
			c.idleSince.Store(int64(time.Since(c.opened)))
			if c.calls.Add(-1) == 0 {
				c.idleTimer.Reset(g.connectionIdle + cutOffTime)
				if c.closed.Load() { // perhaps before Reset
					c.idleTimer.Stop()
				}
			}
		}()
	}
	return handler(srv, stream)
}

// admit is an interceptor that limits calls before any part of a message is read.
func (g *gate) admit(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	ctx := stream.Context()
	c := connectionOf(ctx)
	if c == nil {
		return handler(srv, stream)
	}
	what := kindOf(info.FullMethod)
	switch info.FullMethod {
	case envv1.EnvService_Play_FullMethodName: // the Env limits them
	case grpc_health_v1.Health_Watch_FullMethodName:
		defer c.watches.Add(-1)
		if int(c.watches.Add(1)) > g.maxWatches {
			g.refused.WithLabelValues(what, "connection").Inc()
			return status.Errorf(codes.ResourceExhausted, "%d health watches on one connection, as many as it may have", g.maxWatches)
		}
	default:
		if why := g.calls.Take(c.address, 1); why != "" {
			g.refused.WithLabelValues(what, why).Inc()
			return status.Errorf(codes.ResourceExhausted, "%d calls are under way, as many as %s may have", g.calls.Limit(why), limitOf(why))
		}
		defer g.calls.Release(c.address, 1)
	}
	m := &metered{ServerStream: stream, connection: c, what: what}
	err := handler(srv, m)
	written := m.end()
	if ctx.Err() != nil { // the transport drops what has not left
		g.backlog.left(c, written)
	}
	return err
}

// metered is a stream that counts bytes of answers and messages that are too long.
type metered struct {
	grpc.ServerStream
	connection *connection
	what       string // kind of call

	mu      sync.Mutex
	written int
	over    bool
}

// end marks the call as over and returns the bytes written. A goroutine that has waited
// for the client with an answer must not write it any more: it would wait for ever.
func (m *metered) end() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	return m.written
}

// RecvMsg implements grpc.ServerStream.
func (m *metered) RecvMsg(v any) error {
	err := m.ServerStream.RecvMsg(v)
	if status.Code(err) == codes.ResourceExhausted {
		m.connection.gate.refused.WithLabelValues(m.what, "size").Inc()
	}
	return err
}

// SendMsg implements grpc.ServerStream.
func (m *metered) SendMsg(v any) error {
	n := 0
	switch v := v.(type) {
	case *batch:
		n, _, _ = v.wireSize()
	case proto.Message:
		n = proto.Size(v)
	}
	if !m.count(n) {
		return status.Error(codes.Canceled, "the call is over")
	}
	return m.ServerStream.SendMsg(v)
}

// count counts bytes before they are written. It returns false if the call is over.
func (m *metered) count(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return false
	}
	m.written += n
	m.connection.gate.backlog.add(m.connection, n)
	return true
}

// backlog is the bytes that wait in the transport for clients to receive them. HTTP/2
// lets a client close its window and send further requests, whose answers then stay in
// memory, even after its calls are over.
type backlog struct {
	most int

	mu          sync.Mutex
	bytes       int
	connections map[*connection]*waiting
}

// waiting is the bytes that wait for one connection.
type waiting struct {
	bytes int
	since time.Time // when the first of them was added
}

// add adds bytes. If there are too many, it closes the connections of stalled clients,
// those with the most bytes first.
func (b *backlog) add(c *connection, n int) {
	b.mu.Lock()
	if c.closed.Load() { // its calls are about to end
		b.mu.Unlock()
		return
	}
	now := time.Now()
	w := b.connections[c]
	if w == nil {
		w = &waiting{}
		b.connections[c] = w
	}
	if w.bytes == 0 {
		w.since = now
	}
	w.bytes += n
	b.bytes += n
	var victims []*connection
	for b.bytes > b.most {
		var victim *connection
		for c, w := range b.connections {
			if now.Sub(w.since) >= stalledTime && w.bytes > 0 && (victim == nil || w.bytes > b.connections[victim].bytes) {
				victim = c
			}
		}
		if victim == nil {
			break
		}
		b.remove(victim)
		victims = append(victims, victim)
	}
	b.mu.Unlock()
	for _, v := range victims {
		v.gate.closed.WithLabelValues("waiting").Inc()
		_ = v.Close()
	}
}

// left removes bytes that have left or that the transport has dropped.
func (b *backlog) left(c *connection, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.connections[c]
	if w == nil || w.bytes == 0 {
		return // frames without an answer, such as settings
	}
	n = min(n, w.bytes)
	w.bytes -= n
	b.bytes -= n
}

// forget removes a connection that is closed.
func (b *backlog) forget(c *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.closed.Store(true)
	b.remove(c)
}

func (b *backlog) remove(c *connection) {
	if w := b.connections[c]; w != nil {
		b.bytes -= w.bytes
		delete(b.connections, c)
	}
}

// limitOf returns, for an error, who shares the limit that a quota has named.
func limitOf(why string) string {
	if why == "address" {
		return "one address"
	}
	return "all clients together"
}

// clientAddress returns the address that a call comes from; empty within the process.
func clientAddress(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok || p.Addr == nil {
		return ""
	}
	return admission.Address(p.Addr)
}

// asStreams returns a service whose unary calls are served as streams. Clients see no
// difference, but interceptors run before the request is read.
func asStreams(desc grpc.ServiceDesc) *grpc.ServiceDesc {
	desc.Streams = slices.Clone(desc.Streams)
	for _, m := range desc.Methods {
		handler := func(srv any, s grpc.ServerStream) error {
			answer, err := m.Handler(srv, s.Context(), s.RecvMsg, nil)
			if err != nil {
				return err
			}
			return s.SendMsg(answer)
		}
		// Without ServerStreams the transport would not call stream interceptors.
		desc.Streams = append(desc.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: handler, ServerStreams: true})
	}
	desc.Methods = nil
	return &desc
}
