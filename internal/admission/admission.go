// Package admission admits clients to the listeners of the program.
//
//	l, err := admission.Listen("127.0.0.1:8080", admission.ThisMachine)
//	server := admission.NewServer(handler)
//	err = server.Serve(admission.New(l, admission.Limits{Connections: 256}))
//
// All connections of the process share the descriptors that it may open, less a reserve for files.
// A connection that is one too many takes the place of one that is silent: clients that send
// nothing shut no client out, however many they are. On Linux they are not even accepted, unless
// the server speaks first. A client that does not receive what is sent to it is dropped.
package admission

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Limits are the limits of a listener.
type Limits struct {
	// Connections is the largest number of connections.
	Connections int
	// Share is the percentage of them that one address may have, 0 for all.
	Share int
	// Greets says that the server speaks first. Otherwise the system may keep connections back
	// until they send something.
	Greets bool
	// Stall is how long a client may take to receive 64 kB: 10 s for 0, any time if it is negative.
	Stall time.Duration
	// Refused, if not nil, is called for each connection that is closed at once, with the limit
	// that forbids it: "all" or "address".
	Refused func(why string)
}

// Listener admits connections up to its limits.
type Listener struct {
	net.Listener
	limits Limits
	pool   *pool
	quota  *Quota
}

// New returns a listener that admits the connections of l.
func New(l net.Listener, o Limits) *Listener { return process.admit(l, o) }

// pool is the connections of the process.
type pool struct {
	most int

	mu   sync.Mutex
	list []*Conn        // the oldest first
	by   map[string]int // the number for each address
}

func newPool(most int) *pool { return &pool{most: most, by: map[string]int{}} }

// process is the pool of all listeners.
var process = newPool(descriptors())

func (p *pool) admit(l net.Listener, o Limits) *Listener {
	o.Stall = cmp.Or(o.Stall, 10*time.Second)
	if !o.Greets {
		deferAccept(l)
	}
	return &Listener{l, o, p, NewQuota(min(o.Connections, p.most), cmp.Or(o.Share, 100))}
}

// Close closes the listener, and its connections that nothing keeps.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	for ok := true; ok; {
		ok, _ = l.pool.evict(0, func(c *Conn) bool { return c.listener == l })
	}
	return err
}

// maxPause is the longest pause after a failed Accept.
const maxPause = time.Second

// Accept implements net.Listener. A lack of descriptors is no error: it passes.
func (l *Listener) Accept() (net.Conn, error) {
	pause := 5 * time.Millisecond
	for {
		c, err := l.Listener.Accept()
		switch {
		case err != nil && !IsExhausted(err) && !errors.Is(err, syscall.ECONNABORTED):
			return nil, err
		case err != nil:
			l.pool.evict(0, func(*Conn) bool { return true })
			time.Sleep(pause)
			pause = min(2*pause, maxPause)
			continue
		}
		admitted := &Conn{Conn: c, listener: l, address: Address(c.RemoteAddr()), since: time.Now(), state: silent}
		if why := l.pool.add(admitted); why == "" {
			return admitted, nil
		} else if c.Close(); l.limits.Refused != nil {
			l.limits.Refused(why)
		}
	}
}

// add adds a connection, and closes another that has its place. It returns the limit that forbids
// it, if all of those are kept.
func (p *pool) add(c *Conn) (why string) {
	l := c.listener
	for {
		p.mu.Lock()
		full := len(p.list) >= p.most
		if !full {
			if why = l.quota.Take(c.address, 1); why == "" {
				p.list = append(p.list, c)
				p.by[c.address]++
				p.mu.Unlock()
				return ""
			}
		}
		p.mu.Unlock()
		evicted, young := p.evict(grace, func(other *Conn) bool {
			return full || other.listener == l && (why == "all" || other.address == c.address)
		})
		if !evicted && !young {
			return cmp.Or(why, "all")
		} else if !evicted {
			time.Sleep(grace / 10)
		}
	}
}

// grace is how long a connection has for its request before it is evicted. Without it, clients that
// connect again and again would leave no time to others.
const grace = 100 * time.Millisecond

// evict closes a connection of some that nothing keeps: one of the address that has most, and of
// those the oldest between two requests, or else the oldest without a request, or else the oldest. It
// reports whether there is one, and otherwise whether there will be as time passes.
func (p *pool) evict(grace time.Duration, of func(*Conn) bool) (evicted, young bool) {
	p.mu.Lock()
	var victim *Conn
	for _, c := range p.list {
		if c.kept == 0 && of(c) && (victim == nil ||
			cmp.Or(cmp.Compare(p.by[c.address], p.by[victim.address]), cmp.Compare(c.state, victim.state)) > 0) {
			victim = c
		}
	}
	p.mu.Unlock()
	if victim == nil {
		return false, false
	}
	// A younger one is waited for: in its place another address, or a request in work, would pay for
	// a crowd that connects faster than it ages.
	if time.Since(victim.since) < grace {
		return false, true
	}
	_ = victim.Close()
	return true, false
}

// drop removes a connection.
func (p *pool) drop(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.list, c); i >= 0 {
		p.list = slices.Delete(p.list, i, i+1)
		if p.by[c.address]--; p.by[c.address] == 0 {
			delete(p.by, c.address)
		}
		c.listener.quota.Release(c.address, 1)
	}
}

// Conn is an admitted connection.
type Conn struct {
	net.Conn
	listener *Listener
	address  string
	since    time.Time

	// Guarded by the pool's mu.
	kept  int
	state state
}

// state is how early a connection is evicted: the higher, the earlier.
type state int

const (
	inRequest state = iota
	silent          // has sent nothing yet
	idle            // between two requests
)

// Keep protects the connection from eviction until the function that it returns is called. It may
// be nil.
func (c *Conn) Keep() func() {
	if c == nil {
		return func() {}
	}
	change := func(n int) {
		c.listener.pool.mu.Lock()
		defer c.listener.pool.mu.Unlock()
		c.kept += n
	}
	change(1)
	return func() { change(-1) }
}

// Of returns the admitted connection that c is or wraps, nil if there is none.
func Of(c net.Conn) *Conn {
	for {
		switch wrapper := c.(type) {
		case *Conn:
			return wrapper
		case interface{ NetConn() net.Conn }: // with TLS
			c = wrapper.NetConn()
		default:
			return nil
		}
	}
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.listener.pool.drop(c)
	return c.Conn.Close()
}

// stallBytes is what a client has to receive in the time of [Limits.Stall].
const stallBytes = 64 << 10

// Write implements net.Conn. It fails if the client takes too long to receive some of it.
func (c *Conn) Write(b []byte) (n int, err error) {
	if c.listener.limits.Stall < 0 {
		return c.Conn.Write(b)
	}
	for part := range slices.Chunk(b, stallBytes) {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.listener.limits.Stall)) // or the write fails
		m, err := c.Conn.Write(part)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// Address returns the IP address that limits apply to; for IPv6 its /64 prefix, since a machine may
// have many addresses of it. It is empty for other networks, such as Unix sockets.
func Address(a net.Addr) string {
	p, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return ""
	}
	ip := p.Addr().Unmap().WithZone("")
	if ip.Is6() {
		return netip.PrefixFrom(ip, 64).Masked().String()
	}
	return ip.String()
}

// protocols are those of [NewServer].
var protocols = func() (p http.Protocols) {
	p.SetHTTP1(true)
	return p
}()

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// NewServer returns a server of h for a [Listener]. A request has 10 s to arrive. Each response has
// the headers of [SetHeaders], with a policy that allows nothing unless h sets that of a page. It
// speaks HTTP/1 alone: with HTTP/2 a connection could have 250 requests, whose responses wait for a
// client that does not receive them without a write that [Limits].Stall could end.
func NewServer(h http.Handler) *http.Server {
	guarded := func(w http.ResponseWriter, r *http.Request) {
		SetHeaders(w.Header(), nothingPolicy)
		h.ServeHTTP(w, r)
	}
	return &http.Server{
		Handler: http.HandlerFunc(guarded), ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		Protocols: &protocols,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, Of(c))
		},
		ConnState: func(c net.Conn, s http.ConnState) {
			if c := Of(c); c != nil {
				c.listener.pool.mu.Lock()
				defer c.listener.pool.mu.Unlock()
				c.state = map[http.ConnState]state{http.StateNew: silent, http.StateIdle: idle}[s]
			}
		},
	}
}

// Keep protects the connection of a request as [Conn.Keep] does. Use it for clients that have shown
// a token or key.
func Keep(r *http.Request) func() {
	c, _ := r.Context().Value(connKey{}).(*Conn)
	return c.Keep()
}
