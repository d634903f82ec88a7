package table

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// NewServer returns a server of the pages of h with at most a number of connections. A new
// connection takes the place of the oldest one between two requests, or else of the oldest one on
// which no request with the key of a page is served. So connections that send nothing delay no
// page, however many they are.
func NewServer(h http.Handler, most int) *http.Server {
	all := &connections{most: most}
	return &http.Server{
		Handler: h, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ConnContext: all.add, ConnState: all.note,
	}
}

// connections are those of a server, the oldest first.
type connections struct {
	most int

	mu   sync.Mutex
	list []*connection
}

// connection is a connection and the number of its requests with a key that are served. It is idle
// between two requests.
type connection struct {
	conn net.Conn
	all  *connections

	served int // guarded by all.mu, as idle is
	idle   bool
}

// connectionKey is the key of the connection in the context of a request.
type connectionKey struct{}

// add adds a connection. If there are too many, it closes one.
func (l *connections) add(ctx context.Context, c net.Conn) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	added := &connection{conn: c, all: l}
	l.list = append(l.list, added)
	if len(l.list) > l.most {
		i := slices.IndexFunc(l.list, func(c *connection) bool { return c.idle })
		if i < 0 {
			i = slices.IndexFunc(l.list, func(c *connection) bool { return c.served == 0 })
		}
		// It may be the one just added. Closing one with TLS may take seconds.
		go l.list[i].conn.Close()
		l.list = slices.Delete(l.list, i, i+1)
	}
	return context.WithValue(ctx, connectionKey{}, added)
}

// note records the state of a connection, and drops it when it has ended.
func (l *connections) note(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.list, func(other *connection) bool { return other.conn == c })
	switch {
	case i < 0:
	case state == http.StateClosed, state == http.StateHijacked:
		l.list = slices.Delete(l.list, i, i+1)
	default:
		l.list[i].idle = state == http.StateIdle
	}
}

// keepConnection keeps the connection of a request, if it is one of [NewServer], until the
// function it returns is called.
func keepConnection(r *http.Request) func() {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return func() {}
	}
	change := func(n int) {
		c.all.mu.Lock()
		defer c.all.mu.Unlock()
		c.served += n
	}
	change(1)
	return func() { change(-1) }
}
