package table

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// Connections that send nothing, or begin a request, neither delay a page nor end its stream.
func TestIdleConnections(t *testing.T) {
	const most = 8
	s, err := New(options(t, "ema_2016", "greedy", 1))
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
	defer server.Close()
	page := &served{Sitting: s, url: "http://" + l.Addr().String()}
	s.feeds[0].add("answered", answeredData{1})
	stream := page.request(t, "GET", "/events", s.Key(0), "")
	var idle []net.Conn
	for i := range 5 * most {
		c, err := net.Dial("tcp", l.Addr().String())
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
	for lines := bufio.NewScanner(stream.Body); messages < 2; {
		if !lines.Scan() {
			t.Fatalf("the stream beside idle connections ended after %d messages: %v", messages, lines.Err())
		}
		if lines.Text() == "event: answered" {
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
