package views_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/contest/hall"
	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestHall compares the bytes that a bot gets over its connection to a hall.
func TestHall(t *testing.T) {
	eachTwins(t, []string{"tenhou", "ema_2016", "tenhou_sanma"}, []sim.Player{0, 2}, func(t *testing.T, x *twins) {
		l, err := league.Init(t.Context(), filepath.Join(t.TempDir(), "cup"), league.Settings{Ruleset: x.rulesets[0], Seed: new(uint64), Anchor: "tsumogiri", Luck: league.NoLuck})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		bot, token, err := l.AddRemote(t.Context(), "bot", "")
		if err == nil {
			err = l.SetValidated(t.Context(), bot.ID, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		visit := func(connect func(*testing.T, *program, *hall.Hall, string)) func(k int) string {
			return func(k int) string {
				h, err := hall.New(l, hall.Options{Budget: outside.Budget{Grace: time.Minute, Bank: time.Minute}})
				if err != nil {
					t.Fatal(err)
				}
				defer h.Close()
				return toProgram(t, x, k, func(t *testing.T, p *program) sim.Agent {
					connect(t, p, h, token)
					seat := h.NewAgent(bot)
					t.Cleanup(func() { _ = seat.(io.Closer).Close() })
					return seat
				})
			}
		}
		x.compare(t, "hall, WebSocket", visit(overWebSocket))
		x.compare(t, "hall, mjsonp", visit(overTCP))
	})
}

// overWebSocket lets a program connect to a hall by the protocol of RiichiLab.
func overWebSocket(t *testing.T, p *program, h *hall.Hall, token string) {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http")+"/ws/ranked",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = c.CloseNow() })
	go func() {
		for {
			_, frame, err := c.Read(t.Context())
			if err != nil {
				return
			}
			if answer, err := p.answerFrame(frame); err != nil {
				t.Error(err)
			} else if answer != nil && c.Write(t.Context(), websocket.MessageText, answer) != nil {
				return
			}
		}
	}()
}

// overTCP lets a program connect to a hall by mjsonp.
func overTCP(t *testing.T, p *program, h *hall.Hall, token string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- h.ServeMJSONP(l) }()
	t.Cleanup(func() {
		l.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	in := bufio.NewReader(c)
	hello, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p.log.WriteString(hello)
	if _, err := fmt.Fprintf(c, `{"type":"join","name":"bot","room":%q}`+"\n", token); err != nil {
		t.Fatal(err)
	}
	go p.answerLines(t, in, c)
}
