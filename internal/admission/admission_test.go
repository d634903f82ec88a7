package admission

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := Listen("127.0.0.1:0", ThisMachine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// isClosed reports whether the other side has closed a connection, or does soon.
func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, err := io.Copy(io.Discard, c)
	return err == nil || !errors.Is(err, os.ErrDeadlineExceeded)
}

// Whatever number of silent clients is connected to any listener of the process, a new client is
// served, and those that are kept stay.
func TestSilent(t *testing.T) {
	p := newPool(8)
	first, second := p.admit(listen(t), Limits{Connections: 100, Greets: true}), p.admit(listen(t), Limits{Connections: 6, Greets: true})
	accepted := make(chan *Conn)
	for _, l := range []*Listener{first, second} {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				accepted <- c.(*Conn)
			}
		}()
	}
	kept := dial(t, first)
	release := (<-accepted).Keep()
	var silent []net.Conn
	for i := range 40 {
		silent = append(silent, dial(t, []net.Listener{first, second}[i%2]))
		<-accepted
		p.mu.Lock()
		if len(p.list) > 8 || second.quota.used > 6 {
			t.Errorf("%d connections, %d at the second", len(p.list), second.quota.used)
		}
		p.mu.Unlock()
	}
	for i, c := range silent[:20] {
		if !isClosed(c) {
			t.Errorf("silent client %d is connected still", i)
		}
	}
	_ = kept.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := kept.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the client that is kept: %v", err)
	}
	release()
	dial(t, first)
	<-accepted
	if !isClosed(kept) {
		t.Error("a client that is kept no longer, and the oldest, is connected still")
	}
}

// A client that sends nothing does not take the turn of one that does.
func TestDeferred(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("the system hands over every connection at once")
		return
	}
	l := newPool(8).admit(listen(t), Limits{Connections: 8})
	dial(t, l)
	spoken := dial(t, l)
	fmt.Fprint(spoken, "GET")
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if c.RemoteAddr().String() != spoken.LocalAddr().String() {
		t.Error("the silent client is accepted before the other")
	}
}

// Where all connections are kept, a new one is closed at once, for the reason that is reported.
func TestFull(t *testing.T) {
	for _, test := range []struct {
		pool  int
		o     Limits
		wants string
	}{{1, Limits{Connections: 9, Greets: true}, "all"}, {9, Limits{Connections: 1, Greets: true}, "all"}, {9, Limits{Connections: 2, Share: 50, Greets: true}, "address"}} {
		refused := make(chan string, 1)
		test.o.Refused = func(why string) { refused <- why }
		l := newPool(test.pool).admit(listen(t), test.o)
		dial(t, l)
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c.(*Conn).Keep()
		next := make(chan net.Conn)
		go func() {
			c, _ := l.Accept()
			next <- c
		}()
		if late := dial(t, l); !isClosed(late) {
			t.Error("a connection too many is open")
		}
		if why := <-refused; why != test.wants {
			t.Errorf("refused for %q, want %q", why, test.wants)
		}
		c.Close()
		dial(t, l)
		if c := <-next; c == nil {
			t.Error("a connection in place of one that has ended is refused")
		}
	}
}

// lacking is a listener whose Accept fails a few times for want of descriptors.
type lacking struct {
	net.Listener
	failures int
}

func (l *lacking) Accept() (net.Conn, error) {
	if l.failures--; l.failures >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// A lack of descriptors costs silent clients theirs, and ends no listener.
func TestLack(t *testing.T) {
	p := newPool(9)
	inner := &lacking{listen(t), 0}
	l := p.admit(inner, Limits{Connections: 9, Greets: true})
	silent := dial(t, l)
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	inner.failures = 3
	dial(t, l)
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	if !isClosed(silent) {
		t.Error("a silent client keeps its descriptor")
	}
	l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept at a closed listener: %v", err)
	}
}

// A client that does not read is dropped, one that reads slowly is not.
func TestStall(t *testing.T) {
	l := newPool(9).admit(listen(t), Limits{Connections: 9, Stall: 2 * time.Second})
	text := strings.Repeat("x", 32<<20)
	var ended atomic.Int32
	server := NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.WriteString(w, text)
		if r.URL.Path == "/stalled" && err != nil || r.URL.Path == "/slow" && err == nil {
			ended.Add(1)
		}
	}))
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	stalled, slow := dial(t, l), dial(t, l)
	fmt.Fprint(stalled, "GET /stalled HTTP/1.1\r\nHost: a\r\n\r\n")
	fmt.Fprint(slow, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	in := bufio.NewReader(slow)
	for n := 0; n < len(text); n += 1 << 20 {
		<-pause.C
		if _, err := io.CopyN(io.Discard, in, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if !poll.Until(func() bool { return ended.Load() == 2 }) {
		t.Error("the stalled client keeps its handler, or the slow one has an error")
	}
}

// A request has a connection of its own, by TLS too: limits of connections are then limits of requests.
func TestProtocol(t *testing.T) {
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	server := NewServer(http.NotFoundHandler())
	server.TLSConfig = &tls.Config{Certificates: certified.TLS.Certificates}
	defer server.Close()
	l := listen(t)
	go func() { _ = server.ServeTLS(newPool(9).admit(l, Limits{Connections: 9}), "", "") }()
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	r, err := client.Get("https://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.ProtoMajor != 1 {
		t.Errorf("%s", r.Proto)
	}
}

// Every response has the headers that protect a page, be it an error of the mux.
func TestHeaders(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) { SetHeaders(w.Header(), InlinePolicy) })
	server := NewServer(mux)
	for path, want := range map[string]string{"/page": InlinePolicy, "/none": nothingPolicy, "//page": nothingPolicy} {
		w := httptest.NewRecorder()
		server.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		h := w.Header()
		if h.Get("Content-Security-Policy") != want || h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: status %d with %v, want the policy %q", path, w.Code, h, want)
		}
	}
}

// Persist repeats what fails for a lack, and nothing else.
func TestPersist(t *testing.T) {
	other := errors.New("other")
	for _, want := range []error{nil, other} {
		failures := []error{fmt.Errorf("open: %w", syscall.ENOSPC), syscall.EMFILE, want}
		notes := 0
		err := Persist(t.Context(), func() (err error) {
			err, failures = failures[0], failures[1:]
			return err
		}, IsExhausted, func(error) { notes++ })
		if err != want || len(failures) > 0 || notes != 1 {
			t.Errorf("%v after %d notes, %d attempts missing; want %v", err, notes, len(failures), want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(other)
	if err := Persist(ctx, func() error { return syscall.EMFILE }, IsExhausted, nil); err != other {
		t.Errorf("after the end of the context: %v", err)
	}
}
