package outside

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/sim"
)

// script is a program in memory that answers requests. It implements Frames.
type script struct {
	// answer returns the frames that answer a request.
	answer   func(*asked) []string
	received chan []byte
	sent     [][]byte
	err      error
}

// asked is a request_action as programs read it.
type asked struct {
	Type     string           `json:"type"`
	ID       int64            `json:"request_id"`
	Time     map[string]int64 `json:"time"`
	Possible []map[string]any `json:"possible_actions"`
	State    string           `json:"observation"`
}

func newScript(answer func(*asked) []string) *script {
	return &script{answer: answer, received: make(chan []byte, 64)}
}

func (s *script) Send(frame []byte) error {
	s.sent = append(s.sent, frame)
	var r asked
	if err := json.Unmarshal(frame, &r); err != nil {
		return err
	}
	if r.Type != "request_action" {
		return nil
	}
	for _, text := range s.answer(&r) {
		if text == "leave" {
			s.err = errors.New("it has left")
			close(s.received)
			return nil
		}
		s.received <- []byte(text)
	}
	return nil
}

func (s *script) Received() <-chan []byte { return s.received }

func (s *script) Err() error { return s.err }

// acks returns the statuses of all answers.
func (s *script) acks() (list []string) {
	for _, frame := range s.sent {
		var ack struct{ Type, Status string }
		if json.Unmarshal(frame, &ack) == nil && ack.Type == "action_ack" {
			list = append(list, ack.Status)
		}
	}
	return list
}

// with returns a possible action as the answer to a request.
func (r *asked) with(action map[string]any) string {
	answer := map[string]any{"request_id": r.ID}
	for key, value := range action {
		answer[key] = value
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// eagerly answers by the possible action that comes first in a list of types.
func eagerly(r *asked) []string {
	for _, want := range []string{"hora", "reach", "ankan", "kakan", "daiminkan", "kita", "pon", "chi", "dahai", "none"} {
		for _, action := range r.Possible {
			if action["type"] == want {
				return []string{r.with(action)}
			}
		}
	}
	return []string{r.with(r.Possible[0])}
}

func playScripts(t *testing.T, preset string, changes map[string]any, matches int, newPlayer func() *script) (all []*script, forfeits []sim.Forfeit) {
	t.Helper()
	rules, err := configs.Change(preset, changes)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range matches {
		m := sim.Match{Seed: uint64(seed)}
		var players [sim.NumPlayers]sim.Agent
		for p := range rules.Rules().NumSeats() {
			s := newPlayer()
			all = append(all, s)
			players[p] = NewRiichiLab(s, Budget{Grace: time.Second, Bank: time.Second})
		}
		m.Play(rules.Rules(), &players)
		forfeits = append(forfeits, m.Forfeits...)
	}
	return all, forfeits
}

// Programs that take what possible_actions offers play whole matches, with all kinds of
// claims, and every answer is accepted.
func TestRiichiLab(t *testing.T) {
	for _, preset := range []string{"tenhou", "ema_2016", "tenhou_sanma"} {
		scripts, forfeits := playScripts(t, preset, nil, 4, func() *script { return newScript(eagerly) })
		for _, f := range forfeits {
			t.Errorf("%s: %s", preset, f.Reason)
		}
		types := map[string]int{}
		for _, s := range scripts {
			for _, status := range s.acks() {
				if status != accepted {
					t.Fatalf("%s: %s", preset, status)
				}
			}
			for _, frame := range s.sent {
				var m struct{ Type string }
				if err := json.Unmarshal(frame, &m); err != nil {
					t.Fatal(err)
				}
				types[m.Type]++
			}
		}
		for _, want := range []string{"start_game", "reach_accepted", "ankan", "kakan", "daiminkan", "pon", "hora", "end_game", "request_action", "action_ack"} {
			if types[want] == 0 {
				t.Errorf("%s: no %s among %v", preset, want, types)
			}
		}
	}
}

// What is not an answer is refused by name, and the bank pays for slow answers.
func TestRiichiLabFaults(t *testing.T) {
	tests := []struct {
		name   string
		answer func(r *asked) []string
		acks   []string // the first ones
		reason string   // "" if it plays on
	}{
		{"stale", func(r *asked) []string {
			return append([]string{fmt.Sprintf(`{"type":"none","request_id":%d}`, r.ID-1)}, eagerly(r)...)
		}, []string{stale, accepted}, ""},
		{
			"no JSON", func(r *asked) []string {
				return append([]string{"", "hello", "[1]", `{"type":5}`, `{"request_id":1}`}, eagerly(r)...)
			},
			[]string{unparseable, unparseable, unparseable, unparseable, unparseable, accepted},
			"",
		},
		{"a wrong type of id", func(r *asked) []string { return append([]string{`{"type":"none","request_id":"1"}`}, eagerly(r)...) }, []string{unparseable, accepted}, ""},
		{"no id", func(r *asked) []string { return []string{strings.Replace(eagerly(r)[0], "request_id", "other", 1)} }, []string{accepted}, ""},
		{"another's seat", func(r *asked) []string { return []string{strings.Replace(eagerly(r)[0], `"actor":0`, `"actor":3`, 1)} }, []string{accepted}, ""},
		{"a flood", func(*asked) []string { return strings.Split(strings.Repeat("x ", maxExtra+2), " ") }, []string{unparseable}, "more than 16 frames"},
		{"an illegal action", func(r *asked) []string { return []string{r.with(map[string]any{"type": "dahai", "pai": "9z"})} }, []string{rejected}, "9z"},
		{"an unknown action", func(r *asked) []string { return []string{r.with(map[string]any{"type": "cheat"})} }, []string{rejected}, "cheat"},
		{"leaving", func(*asked) []string { return []string{"leave"} }, nil, "it has left"},
		{"silence", func(*asked) []string { return nil }, []string{defaulted}, "no answer in time: 2s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				scripts, forfeits := playScripts(t, "tenhou", map[string]any{"rounds": 1}, 1, func() *script { return newScript(test.answer) })
				acks := scripts[0].acks()
				if len(acks) < len(test.acks) || strings.Join(acks[:len(test.acks)], " ") != strings.Join(test.acks, " ") {
					t.Errorf("acks %v, want %v", acks, test.acks)
				}
				if test.reason == "" && len(forfeits) > 0 || test.reason != "" && (len(forfeits) == 0 || !strings.Contains(forfeits[0].Reason, test.reason)) {
					t.Errorf("forfeits %v, want %q", forfeits, test.reason)
				}
			})
		})
	}
}

// Time above the grace comes from the bank, which is full again in the next hand.
func TestRiichiLabBank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var banks []int64
		slow := func(r *asked) []string {
			banks = append(banks, r.Time["bank_ms"])
			if r.Time["deadline_ms"] != r.Time["grace_ms"]+r.Time["bank_ms"] {
				t.Errorf("time %v", r.Time)
			}
			if r.Time["bank_ms"] > 300 {
				time.Sleep(1100 * time.Millisecond) // in Send, after the clock has started
			}
			return eagerly(r)
		}
		rules, err := configs.Change("tenhou", map[string]any{"rounds": 1})
		if err != nil {
			t.Fatal(err)
		}
		m := sim.Match{Seed: 1}
		players := [sim.NumPlayers]sim.Agent{NewRiichiLab(newScript(slow), Budget{Grace: time.Second, Bank: time.Second})}
		for p := range 3 {
			players[p+1] = heuristic.NewTsumogiri()
		}
		m.Play(rules.Rules(), &players)
		if len(m.Forfeits) > 0 {
			t.Fatal(m.Forfeits)
		}
		full := 0
		for _, bank := range banks {
			if bank == 1000 {
				full++
			}
		}
		if full != len(m.Hands) || banks[1] != 900 {
			t.Errorf("%d full banks in %d hands: %v", full, len(m.Hands), banks)
		}
	})
}

// Observations have the members of RiichiEnv, no null in place of a list, and 136 different
// tiles at most.
func TestRiichiEnvObservation(t *testing.T) {
	for _, preset := range []string{"tenhou", "ema_2016", "tenhou_sanma"} {
		for _, state := range observations(t, preset, 2) {
			var s envObservation
			if err := json.Unmarshal(state, &s); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(state, []byte(`"hands":[null`)) || bytes.Contains(state, []byte("s\":null")) {
				t.Fatalf("null in %s", state)
			}
			seen := map[int]bool{}
			count := func(ids ...int) {
				for _, id := range ids {
					if seen[id] || id < 0 || id > 135 {
						t.Fatalf("%s: tile %d twice or unknown: %s", preset, id, state)
					}
					seen[id] = true
				}
			}
			count(s.Indicators...)
			for p := range s.Hands {
				count(s.Hands[p]...)
				count(s.Discards[p]...)
				for _, m := range s.Melds[p] {
					for _, id := range m.Tiles {
						if m.Called == nil || *m.Called != id {
							count(id)
						} else if !seen[id] { // another player's discard, which may come later
							seen[id] = false
						}
					}
				}
			}
		}
	}
}

// observations returns those of matches of scripts.
func observations(t *testing.T, preset string, matches int) (list [][]byte) {
	t.Helper()
	playScripts(t, preset, nil, matches, func() *script {
		return newScript(func(r *asked) []string {
			state, err := base64.StdEncoding.DecodeString(r.State)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, state)
			return eagerly(r)
		})
	})
	return list
}

// TestRiichiEnv has the package riichienv read observations, and compares the actions that it
// finds legal with possible_actions. SPARROWHALL_RIICHIENV names a Python that has it.
func TestRiichiEnv(t *testing.T) {
	python := os.Getenv("SPARROWHALL_RIICHIENV")
	if python == "" {
		t.Skip("SPARROWHALL_RIICHIENV names no Python with the riichienv package")
	}
	for preset, class := range map[string]string{"tenhou": "Observation", "tenhou_sanma": "Observation3P"} {
		var in bytes.Buffer
		n := 0
		playScripts(t, preset, nil, 4, func() *script {
			return newScript(func(r *asked) []string {
				n++
				if err := json.NewEncoder(&in).Encode(r); err != nil {
					t.Fatal(err)
				}
				return eagerly(r)
			})
		})
		cmd := exec.Command(python, "testdata/read_observations.py", class)
		cmd.Stdin, cmd.Stderr = &in, os.Stderr
		out, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(out)) != fmt.Sprintf("%d agree", n) {
			t.Errorf("%s: %v: %s; want %d", preset, err, out, n)
		}
	}
}

// Rules without words in mjai are refused before a program connects.
func TestCheckRules(t *testing.T) {
	for preset, want := range map[string]bool{"tenhou": true, "tenhou_sanma": true, "mcr_2006": false} {
		rules, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckRules(rules); (err == nil) != want {
			t.Errorf("%s: %v", preset, err)
		}
	}
}
