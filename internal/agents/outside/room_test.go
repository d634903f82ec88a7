package outside

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openRoom opens a room named "here" at a free port.
func openRoom(t *testing.T) *room {
	t.Helper()
	r := &room{address: "127.0.0.1:0", name: "here", waiting: make(chan net.Conn, 64)}
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.users > 0 {
			r.leave()
		}
	})
	return r
}

func connect(t *testing.T, r *room) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// closedWithin reports whether the other side closes a connection in time.
func closedWithin(conn net.Conn, limit time.Duration) bool {
	_ = conn.SetReadDeadline(time.Now().Add(limit))
	in := bufio.NewReader(conn)
	for {
		if _, err := in.ReadByte(); err != nil {
			timeout, ok := err.(net.Error)
			return !ok || !timeout.Timeout()
		}
	}
}

// TestSilentJoiners connects far more clients that never join than may be joining,
// then a program that does. It must get its seat long before they time out.
func TestSilentJoiners(t *testing.T) {
	r := openRoom(t)
	silent := make([]net.Conn, 301)
	for i := range silent {
		silent[i] = connect(t, r)
	}
	honest := connect(t, r)
	fmt.Fprintln(honest, `{"type":"join","name":"bot","room":"here"}`)
	conn, err := r.next(context.Background(), joinTime/2)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got, want := conn.RemoteAddr().String(), honest.LocalAddr().String(); got != want {
		t.Errorf("%s got the seat, want %s", got, want)
	}
	if !closedWithin(silent[0], joinTime/2) {
		t.Error("the oldest of 301 silent clients is still connected")
	}
	r.mu.Lock()
	n := len(r.joining)
	r.mu.Unlock()
	if n > maxJoining {
		t.Errorf("%d clients are joining, %d may be", n, maxJoining)
	}
	r.leave()
	if !closedWithin(silent[len(silent)-1], joinTime/2) {
		t.Error("a silent client is still connected after the last player has left")
	}
}

// exhausted is a listener whose Accept fails a few times for want of descriptors.
type exhausted struct {
	net.Listener
	failures int
}

func (l *exhausted) Accept() (net.Conn, error) {
	if l.failures--; l.failures >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// TestAcceptFails lets Accept fail: the room must go on listening, and disconnect
// those that have not joined, until the listener is closed.
func TestAcceptFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ours, theirs := net.Pipe()
	r := &room{name: "here", waiting: make(chan net.Conn, 64), listener: l, joining: []net.Conn{ours}}
	ended := make(chan struct{})
	go func() {
		r.accept(&exhausted{l, 3})
		close(ended)
	}()
	honest := connect(t, r)
	fmt.Fprintln(honest, `{"type":"join","name":"bot","room":"here"}`)
	conn, err := r.next(context.Background(), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if !closedWithin(theirs, time.Second) {
		t.Error("a client that has not joined keeps its descriptor")
	}
	l.Close()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("accept goes on after the listener was closed")
	}
}

// TestWrongRoom refuses a program that names another room, with a message.
func TestWrongRoom(t *testing.T) {
	conn := connect(t, openRoom(t))
	fmt.Fprintln(conn, `{"type":"join","name":"bot","room":"there"}`)
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	in := bufio.NewScanner(conn)
	text := ""
	for in.Scan() {
		text = in.Text()
	}
	if !strings.Contains(text, "want join with room here") {
		t.Errorf("last line %q", text)
	}
}
