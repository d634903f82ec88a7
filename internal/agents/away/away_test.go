package away_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/away"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// asPlayer is the variable by which the test binary plays as an external agent.
const asPlayer = "SPARROWHALL_AWAY"

func TestMain(m *testing.M) {
	if what := strings.Fields(os.Getenv(asPlayer)); len(what) > 0 {
		protocol, agent := what[0], what[1]
		seed, err := strconv.ParseUint(what[2], 10, 64)
		if err != nil {
			panic(err)
		}
		seat := away.NewSeat(options("", agent, seed, func(line string) { fmt.Fprintln(os.Stderr, line) }))
		if err := away.Protocols[protocol](seat, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// options are those of a seat of an agent under a preset, "" for the one that the messages show.
func options(preset, agent string, seed uint64, log func(string)) away.Options {
	return away.Options{
		Rules: func(shown string, knobs map[string]any) (*ruleset.Rules, error) {
			if preset != "" {
				return configs.Load(preset)
			}
			return configs.LoadWith(shown, knobs)
		},
		NewAgent: newAgent(agent), Seed: seed, Log: log,
	}
}

// newAgent returns a constructor of a built-in agent, or of "unruly": random where mjai has words.
func newAgent(name string) func() sim.Agent {
	if name == "unruly" {
		return func() sim.Agent { return unruly{} }
	}
	factory, err := agents.New(name)
	if err != nil {
		panic(err)
	}
	return factory
}

type unruly struct{}

func (unruly) Act(v sim.View) sim.Action {
	switch v.Phase() {
	case sim.PhaseDeclare:
		return sim.ActTenpai
	case sim.PhaseBetween:
		return sim.ActEndMatch
	}
	a := v.RandomAction()
	if v.Rules().Name == "botzone" && a < sim.ActDiscardDrawn && tile.Face(a) == v.Drawn() {
		return sim.ActDiscardDrawn // the same word there
	}
	return a
}

// riichiPresets returns the presets whose matches mjai has words for.
func riichiPresets(t *testing.T) (names []string) {
	for _, name := range configs.Names() {
		r, err := configs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if outside.CheckRules(r) == nil {
			names = append(names, name)
		}
	}
	return names
}

// play plays a match by agents and returns what happened.
func play(t *testing.T, preset string, seed uint64, seated *[sim.NumPlayers]sim.Agent) *sim.Match {
	t.Helper()
	r, err := configs.Load(preset)
	if err != nil {
		t.Fatal(err)
	}
	m := &sim.Match{Seed: seed, Keep: sim.KeepValues}
	m.Play(r, seated)
	return m
}

// same fails unless two matches have the same walls, actions and payments.
func same(t *testing.T, got, want *sim.Match) {
	t.Helper()
	if len(got.Forfeits) > 0 {
		t.Fatalf("forfeits: %+v", got.Forfeits)
	}
	if !slices.Equal(got.Actions, want.Actions) || !slices.Equal(got.Events, want.Events) || got.Final != want.Final {
		n := 0
		for n < min(len(got.Actions), len(want.Actions)) && got.Actions[n] == want.Actions[n] {
			n++
		}
		t.Fatalf("the match differs at action %d of %d: %v, want %v", n, len(want.Actions), got.Actions[n:min(n+3, len(got.Actions))], want.Actions[n:min(n+3, len(want.Actions))])
	}
}

func sample(quick, long int) int {
	if os.Getenv("SPARROWHALL_LONG") != "" {
		return long
	}
	return quick
}

// TestSamePlay checks that agents play the same matches by mjai messages as at the table, under
// every riichi preset and in every seat.
func TestSamePlay(t *testing.T) {
	for _, preset := range riichiPresets(t) {
		for _, agent := range []string{"value", "unruly"} {
			t.Run(preset+"/"+agent, func(t *testing.T) {
				t.Parallel()
				for n := range sample(3, 300) {
					seat := n % 3
					seed := sim.MatchSeed(uint64(n), 0)
					here, there := net.Pipe()
					done := make(chan error)
					var log []string
					go func() {
						s := away.NewSeat(options(preset, agent, uint64(n), func(line string) { log = append(log, line) }))
						done <- away.MJAI(s, there, there, "")
					}()
					var home, out [sim.NumPlayers]sim.Agent
					for p := range home {
						home[p], out[p] = newAgent("greedy")(), newAgent("greedy")()
					}
					home[seat] = newAgent(agent)()
					guest := outside.NewGuest(here, outside.Budget{Grace: time.Minute})
					out[seat] = guest
					got := play(t, preset, seed, &out)
					if err := sim.CloseAgent(guest); err != nil {
						t.Error(err)
					}
					here.Close()
					if err := <-done; err != nil || len(log) > 0 {
						t.Errorf("seed %d: %v: %q", n, err, log)
					}
					same(t, got, play(t, preset, seed, &home))
				}
			})
		}
	}
}

// TestSamePlayBotzone does so by the requests of Botzone.
func TestSamePlayBotzone(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for n := range sample(8, 200) {
		agent := []string{"value", "unruly"}[n%2]
		t.Setenv(asPlayer, fmt.Sprint("botzone ", agent, " ", n))
		newGuest, err := outside.NewBotzone("io=" + []string{"json", "simple"}[n/2%2] + " env=" + asPlayer + " " + binary)
		if err != nil {
			t.Fatal(err)
		}
		var home, out [sim.NumPlayers]sim.Agent
		for p := range home {
			home[p], out[p] = newAgent("greedy")(), newAgent("greedy")()
		}
		seat, guest := n%4, newGuest()
		home[seat], out[seat] = newAgent(agent)(), guest
		r, err := configs.Load("botzone")
		if err == nil {
			err = sim.StartAgent(guest, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := play(t, "botzone", sim.MatchSeed(uint64(n), 0), &out)
		if err := sim.CloseAgent(guest); err != nil {
			t.Error(err)
		}
		same(t, got, play(t, "botzone", sim.MatchSeed(uint64(n), 0), &home))
	}
}

// wire is a connection of frames in this process.
type wire struct{ in, out chan []byte }

func (w *wire) Send(frame []byte) error {
	w.out <- slices.Clone(frame)
	return nil
}

func (w *wire) Received() <-chan []byte { return w.in }
func (w *wire) Err() error              { return io.EOF }

// TestSamePlayRiichiLab does so by the frames of RiichiLab: every answer is accepted.
func TestSamePlayRiichiLab(t *testing.T) {
	presets := riichiPresets(t)
	for n := range sample(len(presets), 10*len(presets)) {
		preset, agent := presets[n%len(presets)], []string{"value", "unruly"}[n%2]
		w := &wire{make(chan []byte, 64), make(chan []byte, 64)}
		done := make(chan error)
		var log []string
		go func() {
			s := away.NewSeat(options(preset, agent, uint64(n), func(line string) { log = append(log, line) }))
			done <- away.RiichiLab(s, func() ([]byte, error) {
				text, ok := <-w.out
				if !ok {
					return nil, io.EOF
				}
				return text, nil
			}, func(text []byte) error { w.in <- text; return nil })
		}()
		var home, out [sim.NumPlayers]sim.Agent
		for p := range home {
			home[p], out[p] = newAgent("greedy")(), newAgent("greedy")()
		}
		home[n%3] = newAgent(agent)()
		out[n%3] = outside.NewRiichiLab(w, outside.Budget{Grace: time.Minute})
		got := play(t, preset, sim.MatchSeed(uint64(n), 0), &out)
		close(w.out)
		if err := <-done; err != nil || len(log) > 0 {
			t.Errorf("seed %d: %v: %q", n, err, log)
		}
		same(t, got, play(t, preset, sim.MatchSeed(uint64(n), 0), &home))
	}
}

// TestChecked lets bot check play its situations: no fault, and none left out.
func TestChecked(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		protocol string
		seats    ruleset.Seats
	}{{"mjai", ruleset.FourSeats}, {"mjai", ruleset.ThreeSeats}, {"botzone", ruleset.FourSeats}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Setenv(asPlayer, c.protocol+" value 1")
			n := 0
			_, err := outside.Check(context.Background(), c.protocol+":env="+asPlayer+" "+binary, c.seats,
				func(preset string, knobs map[string]any) (*ruleset.Rules, error) {
					return configs.LoadWith(preset, knobs)
				},
				func(r outside.CheckResult) {
					n++
					if len(r.Wrong) > 0 || r.LeftOut != "" {
						t.Errorf("%s: %+v %s", r.Situation, r.Wrong, r.LeftOut)
					}
				})
			if err != nil || n < 10 {
				t.Fatalf("%d situations: %v", n, err)
			}
		})
	}
}

// TestBadInput checks that no slip of the other program ends the player: each gets a line with the
// number of the event, and the player goes on.
func TestBadInput(t *testing.T) {
	start := `{"type":"start_game","id":0,"names":["a","b","c","d"]}`
	kyoku := `{"type":"start_kyoku","bakaze":"E","dora_marker":"9s","kyoku":1,"honba":0,"kyotaku":0,"oya":0,"tehais":[["1m","4m","7m","2p","5p","8p","3s","6s","9s","E","S","W","N"],["?","?","?","?","?","?","?","?","?","?","?","?","?"],["?","?","?","?","?","?","?","?","?","?","?","?","?"],["?","?","?","?","?","?","?","?","?","?","?","?","?"]],"scores":[25000,25000,25000,25000]}`
	tsumo := `{"type":"tsumo","actor":0,"pai":"P"}`
	end := `{"type":"end_game"}`
	for _, c := range []struct {
		name, want string
		lost       bool
		lines      []string
	}{
		{"no JSON", "event 2: ", false, []string{start, "{", kyoku, tsumo}},
		{"unknown type", "event 3: message shout", false, []string{start, kyoku, `{"type":"shout"}`, tsumo}},
		{"out of order", "event 3: sim: player 0 acts; player 0 draws first", true, []string{start, kyoku, `{"type":"dahai","actor":0,"pai":"E","tsumogiri":false}`, tsumo}},
		{"wrong tile", `event 3: tsumo: "9z"`, true, []string{start, kyoku, `{"type":"tsumo","actor":0,"pai":"9z"}`}},
		{"tile not held", "event 4: sim: player 0 does not hold 9p", true, []string{start, kyoku, tsumo, `{"type":"dahai","actor":0,"pai":"9p","tsumogiri":false}`}},
		{"another player", "event 3: record: mjai tsumo: there is no player 7", false, []string{start, kyoku, `{"type":"tsumo","actor":7,"pai":"P"}`, tsumo}},
		{"fifth tile", "more 9s", true, []string{start, strings.ReplaceAll(kyoku, `"1m","4m","7m","2p"`, `"9s","9s","9s","9s"`), tsumo}},
		{"two games", "event 4: start_game before", false, []string{start, kyoku, tsumo, start, kyoku, tsumo}},
		{"a hand within a hand", "event 4: a hand begins before", true, []string{start, kyoku, tsumo, kyoku, kyoku, tsumo}},
		{"a null", "event 2: ", false, []string{start, "null", "[null]", "[]", "7", kyoku, tsumo}},
		{"no hand", "event 2: tsumo outside a hand", true, []string{start, tsumo, kyoku, tsumo}},
		{"no hand in the second match", "event 6: tsumo outside a hand", true, []string{start, kyoku, tsumo, end, start, tsumo}},
		{"no match", "event 1: tsumo outside a hand", true, []string{tsumo}},
		{"unknown type before a hand", "event 2: message shout is not known", false, []string{start, `{"type":"shout"}`, kyoku, tsumo}},
		{"end of no match", "event 1: end_game outside a hand", false, []string{end, start, kyoku, tsumo}},
		{"end of no hand", "event 2: end_kyoku outside a hand", false, []string{start, `{"type":"end_kyoku"}`, kyoku, tsumo}},
		{"another protocol", "event 1: record: no mjai message", true, []string{`{"requests":["0 2 1"]}`, "0 2 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log []string
			var out strings.Builder
			s := away.NewSeat(options("", "greedy", 1, func(line string) { log = append(log, line) }))
			err := away.MJAI(s, strings.NewReader(strings.Join(c.lines, "\n")), &out, "")
			if (err != nil) != c.lost {
				t.Errorf("error %v, lost: want %v", err, c.lost)
			}
			if !slices.ContainsFunc(log, func(l string) bool { return strings.Contains(l, c.want) }) {
				t.Errorf("log %q, want %q", log, c.want)
			}
			answers := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(answers) != len(c.lines) {
				t.Errorf("%d answers to %d lines: %s", len(answers), len(c.lines), &out)
			}
			if last := answers[len(answers)-1]; c.lines[len(c.lines)-1] == tsumo && !strings.Contains(last, `"dahai"`) {
				t.Errorf("the last answer is %s", last)
			}
		})
	}
}

// TestBadInputOfOthers does so for the requests of Botzone and the messages of Majiang.
func TestBadInputOfOthers(t *testing.T) {
	kaiju := `{"kaiju":{"id":0,"qijia":0,"rule":{}}}`
	qipai := `{"qipai":{"zhuangfeng":0,"jushu":0,"changbang":0,"lizhibang":0,"defen":[25000,25000,25000,25000],"baopai":"s9","shoupai":["m147p258s369z1234","","",""]}}`
	zimo := `{"zimo":{"l":0,"p":"z5"}}`
	deal := `"1 0 0 0 0 W1 W4 W7 B2 B5 B8 T3 T6 T9 F1 F2 F3 F4"`
	for _, c := range []struct {
		protocol, name, want string
		lost                 bool
		lines                []string
		answer               string // within the last one
	}{
		{"majiang", "no JSON", "event 2: no message of Majiang", false, []string{kaiju, "{", qipai, zimo}, "dapai"},
		{"majiang", "unknown type", "event 3: the item is none", false, []string{kaiju, qipai, `{"shout":1}`, zimo}, "dapai"},
		{"majiang", "no hand", "event 2: ", true, []string{kaiju, zimo, qipai, zimo}, "dapai"},
		{"majiang", "no match", "event 1: ", true, []string{zimo, zimo}, "{}"},
		{"majiang", "wrong tile", "event 3: ", true, []string{kaiju, qipai, `{"zimo":{"l":0,"p":"z9"}}`}, "{}"},
		{"majiang", "another player", "event 3: l is 7", true, []string{kaiju, qipai, `{"zimo":{"l":7,"p":"z5"}}`}, "{}"},
		{"majiang", "another protocol", "event 1: ", true, []string{`{"type":"start_game"}`}, "{}"},
		{"botzone", "no JSON", "event 2: no requests", false, []string{`"0 0 0"`, "{", deal, `"2 W1"`}, "PLAY"},
		{"botzone", "no match", "event 1: request", true, []string{deal, `"2 J1"`}, "PLAY J1"},
		{"botzone", "unknown type", "event 3: request", true, []string{`"0 0 0"`, deal, `"9 J1"`}, "PASS"},
		{"botzone", "wrong tile", "event 3: request", true, []string{`"0 0 0"`, deal, `"2 Z9"`}, "PLAY Z9"},
		{"botzone", "another protocol", "event 1: no requests", true, []string{`{"type":"start_game"}`}, "PASS"},
	} {
		t.Run(c.protocol+" "+c.name, func(t *testing.T) {
			var log []string
			var out strings.Builder
			s := away.NewSeat(options("", "greedy", 1, func(line string) { log = append(log, line) }))
			err := away.Protocols[c.protocol](s, strings.NewReader(strings.Join(c.lines, "\n")), &out)
			if (err != nil) != c.lost {
				t.Errorf("error %v, lost: want %v", err, c.lost)
			}
			if !slices.ContainsFunc(log, func(l string) bool { return strings.HasPrefix(l, c.want) }) {
				t.Errorf("log %q, want %q", log, c.want)
			}
			answers := slices.DeleteFunc(strings.Split(strings.TrimSpace(out.String()), "\n"), func(line string) bool { return strings.HasPrefix(line, ">>>") })
			if len(answers) != len(c.lines) || !strings.Contains(answers[len(answers)-1], c.answer) {
				t.Errorf("answers %q to %d lines, want %q in the last", answers, len(c.lines), c.answer)
			}
		})
	}
}

// TestRequestBeforeMatch checks that RiichiLab's request is answered though no match has begun, and
// that the player says so and fails.
func TestRequestBeforeMatch(t *testing.T) {
	frames := []string{`{"type":"request_action","request_id":1,"possible_actions":[{"type":"dahai","actor":0,"pai":"1m"},{"type":"none"}]}`}
	var log, answers []string
	s := away.NewSeat(options("", "greedy", 1, func(line string) { log = append(log, line) }))
	err := away.RiichiLab(s, func() (frame []byte, err error) {
		if len(frames) == 0 {
			return nil, io.EOF
		}
		frame, frames = []byte(frames[0]), frames[1:]
		return frame, nil
	}, func(answer []byte) error { answers = append(answers, string(answer)); return nil })
	if !errors.Is(err, away.ErrLost) || len(log) != 1 || log[0] != "event 1: an answer is requested before a match" {
		t.Errorf("%v: %q", err, log)
	}
	if len(answers) != 1 || !strings.Contains(answers[0], `"none"`) || !strings.Contains(answers[0], `"request_id":1`) {
		t.Errorf("answers %q", answers)
	}
}
