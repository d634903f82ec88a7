package outside_test

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestMJSONP lets a program connect that does what pushovers do, after one that
// wants into another room.
func TestMJSONP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	rules := short(t, "ema_2016", 1)
	want, err := game{rules: rules, seed: 4}.play(t, 2)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		go func() {
			var conn net.Conn
			dial := func() bool {
				var err error
				conn, err = net.Dial("tcp", address)
				return err == nil
			}
			if !poll.Until(dial) {
				t.Error("nothing listens")
				return
			}
			defer conn.Close()
			in := bufio.NewScanner(conn)
			in.Buffer(nil, 1<<20)
			b := &mjaiBot{}
			for in.Scan() {
				switch {
				case strings.Contains(in.Text(), `"hello"`):
					fmt.Fprintln(conn, `{"type":"join","name":"bot","room":"here"}`)
				default:
					fmt.Fprintln(conn, b.react(in.Bytes()))
					if strings.Contains(in.Text(), "end_game") {
						return
					}
				}
			}
		}()
	}
	got, err := game{rules, "mjsonp://" + address + "/here?startup=20s", 4}.play(t, 2)
	if err != nil || len(got.reasons) > 0 || !slices.EqualFunc(got.actions, want.actions, slices.Equal[[]sim.Action]) {
		t.Errorf("error %v, forfeits %q", err, got.reasons)
	}
	got, err = game{rules, "mjsonp://" + address + "/there?startup=200ms", 4}.play(t, 1)
	if err != nil || len(got.reasons) != 1 || !strings.Contains(got.reasons[0], "no program has connected in 200ms") {
		t.Errorf("error %v, forfeits %q", err, got.reasons)
	}
	for spec, want := range map[string]string{
		"mjsonp:":                    "names no port to listen on",
		"mjsonp://localhost/x":       "names no port to listen on",
		"mjsonp://localhost:1/x?a=b": "option a is unknown; allowed: timeout, startup",
		"mjsonp://256.0.0.1:1/x":     "agents: mjsonp: \"256.0.0.1:1\"",
	} {
		if _, err := (game{rules, spec, 1}).play(t, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", spec, err, want)
		}
	}
}
