package outside

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
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

// TestSilentJoiners connects more clients that never join than may be connected,
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
	r.leave()
	if !closedWithin(silent[len(silent)-1], joinTime/2) {
		t.Error("a silent client is still connected after the last player has left")
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
