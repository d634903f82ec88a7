package table

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// most is the number of connections to a table of serveFew.
const most = 8

// serveFew serves a table with spectators to few connections.
func serveFew(t *testing.T) *served {
	t.Helper()
	o := options(t, "ema_2016", "greedy", 1)
	o.Watch = true
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := admission.NewServer(s.Handler())
	server.ReadTimeout, server.IdleTimeout = 0, 0 // only a lack of connections ends one, and Greets lets silent ones in
	go func() { _ = server.Serve(admission.New(l, admission.Limits{Connections: most, Greets: true})) }()
	t.Cleanup(func() { server.Close() })
	return &served{Sitting: s, url: "http://" + l.Addr().String()}
}

// However many streams one spectator opens, others may watch, and the players keep their pages.
func TestManySpectators(t *testing.T) {
	s := serveFew(t)
	s.feeds[0].add("answered", answeredData{1})
	player := bufio.NewReader(s.request(t, "GET", "/events", s.Key(0), "").Body)
	for range 2 * most {
		if r := s.request(t, "GET", "/events", s.WatchKey(), ""); r.StatusCode != http.StatusOK {
			t.Fatal(r.Status)
		}
	}
	s.feeds[0].add("answered", answeredData{2})
	for !strings.Contains(readLine(t, player), `"question":2`) {
	}
}

// readLine reads a line of a stream, which must have one.
func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// Connections that send nothing, or begin a request, neither delay a page nor end its stream.
func TestIdleConnections(t *testing.T) {
	page := serveFew(t)
	s, l := page.Sitting, strings.TrimPrefix(page.url, "http://")
	s.feeds[0].add("answered", answeredData{1})
	stream := page.request(t, "GET", "/events", s.Key(0), "")
	var idle []net.Conn
	for i := range 5 * most {
		c, err := net.Dial("tcp", l)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\n")
		}
	}
	http.DefaultClient.CloseIdleConnections()
	began := time.Now()
	if r := page.request(t, "GET", "/game.json", s.Key(0), ""); r.StatusCode != http.StatusOK {
		t.Errorf("a page beside idle connections: %s", r.Status)
	}
	if took := time.Since(began); took > poll.Patience {
		t.Errorf("a page beside idle connections took %v", took)
	}
	s.feeds[0].add("answered", answeredData{2})
	messages := 0
	for lines := bufio.NewReader(stream.Body); messages < 2; {
		if readLine(t, lines) == "event: answered\n" {
			messages++
		}
	}
	for i, c := range idle[:4*most] {
		_ = c.SetReadDeadline(time.Now().Add(poll.Patience))
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("idle connection %d is open still", i)
		}
	}
}
