package table

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
)

// A client that does not read what it is sent loses its connection, so that such clients
// cannot hold all connections that the program allows.
func TestClientThatDoesNotRead(t *testing.T) {
	s, err := New(options(t, "ema_2016", "greedy", 1))
	if err != nil {
		t.Fatal(err)
	}
	s.site.writeTime = 200 * time.Millisecond
	server := httptest.NewUnstartedServer(s.Handler())
	ended := make(chan struct{}, 1)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			ended <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	for path, requests := range map[string]int{"/table.js": 400, "/ja.json": 2000} {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		request := "GET " + path + " HTTP/1.1\r\nHost: table\r\n\r\n"
		go func() { _, _ = io.WriteString(c, strings.Repeat(request, requests)) }()
		<-ended
		text, err := io.ReadAll(c)
		if n := bytes.Count(text, []byte("HTTP/1.1 200")); n == 0 || n == requests {
			t.Errorf("%s: %d of %d responses, %v; want the connection to end", path, n, requests, err)
		}
	}
}

// Every preset's page receives the patterns of the ruleset.
func TestGameOfPresets(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			o := options(t, preset, "greedy", 1)
			s := serve(t, o)
			var game gameData
			if err := json.NewDecoder(s.request(t, "GET", "/game.json", s.Key(0), "").Body).Decode(&game); err != nil {
				t.Fatal(err)
			}
			if len(game.Patterns) == 0 {
				t.Error("no patterns")
			}
		})
	}
}
