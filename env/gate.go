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

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

const (
	// stalledTime is how long something must have waited all along before a client
	// counts as one that does not receive.
	stalledTime = time.Second
	// What a client is charged besides the time in which what it sends is taken
	// apart: for reading from the kernel or writing to it, and for a byte of that, and
	// for a call that begins and ends. They are what they cost on a processor of 2020,
	// and hold elsewhere as long as play costs in proportion.
	kernelTime       = 3 * time.Microsecond
	bytesANanosecond = 2
	callTime         = 60 * time.Microsecond
	// mostTime is the most that taking apart what was read at once counts for: the
	// reader may have waited for something else.
	mostTime = time.Millisecond
)

// gate lets connections and calls in and keeps account of what they hold. It is
// what stands between a Server and strangers; the tables and streams are the Env's
// to limit.
type gate struct {
	callTime       time.Duration
	connectionIdle time.Duration
	maxWatches     int
	maxCalls       int // of a connection
	turns          *turns
	connections    *quota
	calls          *quota // besides Play and Watch
	backlog        backlog

	open    prometheus.GaugeFunc
	waiting prometheus.GaugeFunc
	refused *prometheus.CounterVec // the Env's
	closed  *prometheus.CounterVec
	full    prometheus.Counter
}

func newGate(o ServerOptions, e *Env) *gate {
	share := e.options.AddressShare
	g := &gate{
		callTime:       o.CallTime,
		connectionIdle: o.ConnectionIdle,
		maxWatches:     o.MaxWatches,
		maxCalls:       o.MaxConnectionCalls,
		turns:          e.turns,
		connections:    newQuota(o.MaxConnections, share),
		calls:          newQuota(o.MaxCalls, share),
		backlog:        backlog{most: o.MaxWaiting, of: map[*connection]*waiting{}},
		refused:        e.refused,
		closed:         counterVec("sparrowhall_env_connections_closed_total", "Connections that the server closed, by reason: waiting, too many bytes that their clients did not receive; idle, too long without a call.", "reason"),
		full:           prometheus.NewCounter(prometheus.CounterOpts{Name: "sparrowhall_env_connections_full_total", Help: "How often a connection came to as many calls under way as it may have, so that further ones wait at its client."}),
	}
	g.open = prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sparrowhall_env_connections", Help: "Connections that are open."}, func() float64 {
		g.connections.mu.Lock()
		defer g.connections.mu.Unlock()
		return float64(g.connections.used)
	})
	g.waiting = prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sparrowhall_env_waiting_bytes", Help: "Bytes of answers that wait for clients to receive them."}, func() float64 {
		g.backlog.mu.Lock()
		defer g.backlog.mu.Unlock()
		return float64(g.backlog.bytes)
	})
	g.closed.WithLabelValues("waiting")
	g.closed.WithLabelValues("idle")
	return g
}

// collectors returns the metrics.
func (g *gate) collectors() []prometheus.Collector {
	return []prometheus.Collector{g.open, g.waiting, g.closed, g.full}
}

// listener lets in as many connections as may be. Others are closed at once, so
// that their clients know.
type listener struct {
	net.Listener
	gate *gate
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := addressOf(c.RemoteAddr())
		if why := l.gate.connections.take(address, 1); why != "" {
			l.gate.refused.WithLabelValues("connection", why).Inc()
			_ = c.Close()
			continue
		}
		let := &connection{Conn: c, gate: l.gate, address: address}
		let.resting = time.AfterFunc(l.gate.connectionIdle+cutOffTime, let.rested)
		let.rest.Store(time.Now().UnixNano())
		return let, nil
	}
}

// connection is a connection that has been let in.
type connection struct {
	net.Conn
	gate    *gate
	address string
	closing sync.Once

	read time.Time    // something was; of the goroutine that reads
	owed atomic.Int64 // nanoseconds of work, not yet charged
	sent atomic.Int64 // those of them that are of what the client has sent

	calls, watches atomic.Int32 // under way
	rest           atomic.Int64 // since when there are no calls, in nanoseconds of Unix time
	resting        *time.Timer  // until there have been none for too long
	gone           atomic.Bool  // closed; set under the backlog's lock
}

// RemoteAddr implements net.Conn. By it calls find their connection.
func (c *connection) RemoteAddr() net.Addr { return remote{c.Conn.RemoteAddr(), c} }

// remote is the address of a client.
type remote struct {
	net.Addr
	connection *connection
}

// Read implements net.Conn. To take apart what clients send is no turn, since it
// waits for them; but a client who has had more than others is read no further
// while they want their turns.
func (c *connection) Read(b []byte) (int, error) {
	took := kernelTime
	if !c.read.IsZero() {
		took += min(time.Since(c.read), mostTime)
	}
	n, err := c.Conn.Read(b)
	if owed := c.owes(took + time.Duration(n/bytesANanosecond)); c.address != "" && owed >= turnTime {
		c.owed.Add(-int64(owed))
		c.gate.turns.pass(c.address, owed, time.Duration(c.sent.Swap(0)))
	}
	c.read = time.Now()
	return n, err
}

// owes adds to what the work at what the client has sent has taken, and returns what
// is not yet charged.
func (c *connection) owes(took time.Duration) time.Duration {
	c.sent.Add(int64(took))
	return time.Duration(c.owed.Add(int64(took)))
}

// Write implements net.Conn.
func (c *connection) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.owed.Add(int64(kernelTime) + int64(n/bytesANanosecond))
	c.gate.backlog.left(c, n)
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	err := c.Conn.Close()
	c.closing.Do(func() {
		c.gate.backlog.forget(c)
		c.resting.Stop()
		c.gate.connections.take(c.address, -1)
		if c.idle() {
			c.gate.closed.WithLabelValues("idle").Inc()
		}
	})
	return err
}

// idle tells whether there have been no calls for too long.
func (c *connection) idle() bool {
	return c.calls.Load() == 0 && time.Since(time.Unix(0, c.rest.Load())) >= c.gate.connectionIdle
}

// rested closes a connection that is idle. The transport says goodbye to such a one
// a second sooner, but does not count it as idle as long as anything waits for the
// client, as it does for ever where that has closed its window.
func (c *connection) rested() {
	if c.idle() {
		_ = c.Close()
	}
}

// connectionOf returns the connection of a call, nil if it has not come through a
// gate.
func connectionOf(ctx context.Context) *connection {
	if p, ok := peer.FromContext(ctx); ok {
		if r, ok := p.Addr.(remote); ok {
			return r.connection
		}
	}
	return nil
}

// kindOf returns what a call is to the metrics.
func kindOf(method string) string {
	switch method {
	case envv1.EnvService_Play_FullMethodName:
		return "stream"
	case grpc_health_v1.Health_Watch_FullMethodName:
		return "watch"
	}
	return "call"
}

// lasts tells whether a method is a stream that may last.
func lasts(method string) bool {
	return method == envv1.EnvService_Play_FullMethodName || method == grpc_health_v1.Health_Watch_FullMethodName
}

// deadline gives calls that do not last their time. It refuses none: the transport
// frees what a refused call holds only when its own deadline has passed.
func (g *gate) deadline(ctx context.Context, info *tap.Info) (context.Context, error) {
	if lasts(info.FullMethodName) {
		return ctx, nil
	}
	ctx, cancel := context.WithTimeout(ctx, g.callTime)
	context.AfterFunc(ctx, cancel)
	return ctx, nil
}

// charge is an interceptor that counts the calls of a connection and charges its
// client for them, whatever becomes of them. The transport lets in no more than a
// connection may have.
func (g *gate) charge(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if c := connectionOf(stream.Context()); c != nil {
		c.owes(callTime)
		if int(c.calls.Add(1)) == g.maxCalls {
			g.full.Inc()
		}
		defer func() {
			c.rest.Store(time.Now().UnixNano())
			if c.calls.Add(-1) == 0 {
				c.resting.Reset(g.connectionIdle + cutOffTime)
				if c.gone.Load() { // perhaps before that
					c.resting.Stop()
				}
			}
		}()
	}
	return handler(srv, stream)
}

// admit is the interceptor of all calls. It comes before any part of a message is
// read.
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
		if why := g.calls.take(c.address, 1); why != "" {
			g.refused.WithLabelValues(what, why).Inc()
			return status.Errorf(codes.ResourceExhausted, "%d calls are under way, as many as %s may have", g.calls.limit(why), limitOf(why))
		}
		defer g.calls.take(c.address, -1)
	}
	m := &metered{ServerStream: stream, connection: c, what: what}
	err := handler(srv, m)
	handed := m.end()
	if ctx.Err() != nil { // what has not left is dropped
		g.backlog.left(c, handed)
	}
	return err
}

// metered is a stream whose answers are counted, and messages that are too long.
type metered struct {
	grpc.ServerStream
	connection *connection
	what       string // kind of call

	mu     sync.Mutex
	handed int
	over   bool
}

// end notes that the call is over, and returns how many bytes were handed over.
// A goroutine that still has an answer, since it has waited for the client, must
// not hand it over any more: it would count as waiting for ever.
func (m *metered) end() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	return m.handed
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
	if !m.hand(n) {
		return status.Error(codes.Canceled, "the call is over")
	}
	return m.ServerStream.SendMsg(v)
}

// hand counts bytes that are handed over, unless the call is over.
func (m *metered) hand(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return false
	}
	m.handed += n
	m.connection.gate.backlog.add(m.connection, n)
	return true
}

// backlog is the bytes that have been handed to the transport and have not left
// for their clients. HTTP/2 lets a client close its window and ask on: what it is
// answered then stays in memory, also when its calls are over.
type backlog struct {
	most int

	mu    sync.Mutex
	bytes int
	of    map[*connection]*waiting
}

// waiting is what waits for one connection.
type waiting struct {
	bytes int
	since time.Time // all had left
}

// add adds bytes. Where there are too many, the clients that do not receive are
// parted with, those for whom most waits first.
func (b *backlog) add(c *connection, n int) {
	b.mu.Lock()
	if c.gone.Load() { // its calls are about to end
		b.mu.Unlock()
		return
	}
	now := time.Now()
	w := b.of[c]
	if w == nil {
		w = &waiting{}
		b.of[c] = w
	}
	if w.bytes == 0 {
		w.since = now
	}
	w.bytes += n
	b.bytes += n
	var victims []*connection
	for b.bytes > b.most {
		var victim *connection
		for c, w := range b.of {
			if now.Sub(w.since) >= stalledTime && w.bytes > 0 && (victim == nil || w.bytes > b.of[victim].bytes) {
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
	for v := range slices.Values(victims) {
		v.gate.closed.WithLabelValues("waiting").Inc()
		_ = v.Close()
	}
}

// left notes that bytes have left, or will never have to.
func (b *backlog) left(c *connection, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.of[c]
	if w == nil || w.bytes == 0 {
		return // frames that belong to no answer
	}
	n = min(n, w.bytes)
	w.bytes -= n
	b.bytes -= n
}

// forget forgets a connection.
func (b *backlog) forget(c *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.gone.Store(true)
	b.remove(c)
}

func (b *backlog) remove(c *connection) {
	if w := b.of[c]; w != nil {
		b.bytes -= w.bytes
		delete(b.of, c)
	}
}

// asStreams returns a service whose calls with one request and one answer are
// carried out as streams. It is the same to clients, but interceptors come before
// the request is read.
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
		// Without ServerStreams the transport would leave interceptors out.
		desc.Streams = append(desc.Streams, grpc.StreamDesc{StreamName: m.MethodName, Handler: handler, ServerStreams: true})
	}
	desc.Methods = nil
	return &desc
}
