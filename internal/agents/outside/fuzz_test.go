package outside

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// scripted is a program that answers by a script: each line that it reads by the
// next line of it, and it ends with the script. A line that is "+" stands for a
// proper answer, "-" for none.
type scripted struct {
	proper func(line []byte) []byte

	mu     sync.Mutex
	script [][]byte
}

func (s *scripted) next() (line []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) > 0 {
		line, s.script, ok = s.script[0], s.script[1:], true
	}
	return line, ok
}

// connect starts the program; started again it goes on with its script.
func (s *scripted) connect(context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		lines := bufio.NewReaderSize(theirs, maxLine)
		for {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				return
			}
			answer, ok := s.next()
			if !ok {
				return
			}
			switch string(answer) {
			case "+":
				answer = s.proper(line)
			case "-":
				answer = nil
			}
			if len(answer) == 0 {
				continue
			}
			if _, err := theirs.Write(append(answer, '\n')); err != nil {
				return
			}
		}
	}()
	return ours, nil
}

func (s *scripted) program() *command {
	return &command{words: []string{"scripted"}, timeout: 50 * time.Millisecond, startup: 50 * time.Millisecond, restarts: 1, connect: s.connect}
}

// passive gives the default answers.
type passive struct{}

func (passive) Act(v sim.View) sim.Action {
	legal := v.Legal()
	return sim.DefaultAction(&legal)
}

// answer plays a match in which player 0 is the given one, and checks that it ends,
// in its time, and that what is said of a forfeit can be printed.
func answer(t *testing.T, r *ruleset.Rules, seed uint64, player sim.Agent) (forfeits int) {
	t.Helper()
	job := &sim.Job{Rules: r, Schedule: sim.Rotation{Seed: seed}, Count: 1, Workers: 1, NewAgent: func(n int) sim.Agent {
		if n == 0 {
			return player
		}
		return passive{}
	}}
	began, matches := time.Now(), 0
	err := sim.Run(t.Context(), job, func() *int { return new(int) }, func(_ *int, m *sim.Match) error {
		matches++
		forfeits += len(m.Forfeits)
		for _, f := range m.Forfeits {
			if f.Reason == "" || len(f.Reason) > 4000 || strings.ContainsFunc(f.Reason, unicode.IsControl) {
				t.Errorf("a forfeit is explained by %q", f.Reason)
			}
		}
		return nil
	}, func(*int) error { return nil })
	if took := time.Since(began); err != nil || matches != 1 || took > 20*time.Second {
		t.Errorf("%d matches in %v: %v", matches, took, err)
	}
	return forfeits
}

// properMJAI answers a line of mjai as a program that does as little as it may.
func properMJAI(line []byte) []byte {
	if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("[")) {
		var all []json.RawMessage
		if json.Unmarshal(line, &all) == nil && len(all) > 0 {
			line = all[len(all)-1]
		}
	}
	if m, err := mjai.Parse(line); err == nil && m.Type == "tsumo" && m.Pai != "?" {
		return []byte(`{"type":"dahai","actor":0,"pai":"` + m.Pai + `","tsumogiri":true}`)
	}
	return []byte(`{"type":"none"}`)
}

// FuzzMJAI: whatever a program answers to the lines of mjai, the match goes on to
// its end.
func FuzzMJAI(f *testing.F) {
	rules, err := configs.LoadWith("tenhou", map[string]any{"max_hands": int64(1)})
	if err != nil {
		f.Fatal(err)
	}
	proper := strings.Repeat("+\n", 400)
	for i := range uint8(3) {
		f.Add(uint64(1), i, []byte(proper))
	}
	for _, text := range []string{
		`{"type":"reach","actor":0}`, `{"type":"hora","actor":0,"target":0}`, `{"type":"dahai","actor":0,"pai":"5mr","tsumogiri":false}`,
		`{"type":"pon","actor":0,"target":1,"pai":"E","consumed":["E","E"]}`, `{"type":"chi","actor":0,"target":3,"pai":"3m","consumed":["4m","5m"]}`,
		`{"type":"ankan","actor":0,"consumed":["N","N","N","N"]}`, `{"type":"kakan","actor":0,"pai":"N","consumed":["N","N","N"]}`,
		`{"type":"daiminkan","actor":0,"target":2,"pai":"P","consumed":["P","P","P"]}`, `{"type":"ryukyoku","actor":0,"reason":"kyushukyuhai"}`,
		`{"type":"none"}`, `[{"type":"none"}]`, `{`, "-", "\x1b[2J", `{"type":"dahai","pai":null}`, strings.Repeat("[", 5000),
	} {
		f.Add(uint64(2), uint8(0), []byte("+\n+\n+\n+\n"+text+"\n"+proper))
	}
	f.Fuzz(func(t *testing.T, seed uint64, speaks uint8, script []byte) {
		s := &scripted{script: bytes.Split(script, []byte("\n")), proper: properMJAI}
		c := s.program()
		c.replies = []replies{toAll, toAsked, toBatches}[speaks%3]
		forfeits := answer(t, rules, seed, newMJAIPlayer(&mjaiProgram{command: c, probing: probed{done: true}}))
		if string(script) == proper && c.replies == toAll && forfeits > 0 {
			t.Errorf("%d forfeits of a proper program", forfeits)
		}
	})
}

// FuzzBotzone is FuzzMJAI for Botzone's requests.
func FuzzBotzone(f *testing.F) {
	rules, err := configs.Load("botzone")
	if err != nil {
		f.Fatal(err)
	}
	const data = `{"response":"PASS","data":{"a":[1]},"globaldata":"b"}`
	proper := strings.Repeat("+\n", 400)
	for i := range uint8(4) {
		f.Add(uint64(1), i, []byte(proper))
	}
	for _, text := range []string{
		data, data + "\n" + keepRunning, "PASS", "HU", "PLAY W1", "PENG T3", "CHI B2 B9", "GANG", "GANG F1", "BUGANG J1",
		`{"response":"PLAY W1"}`, `{"response":null}`, `{"response":"PENG W1"}`, `{"response":"CHI W2 W9"}`, `{}`, "-", "\x1b[2J", strings.Repeat("[", 5000),
	} {
		for i := range uint8(4) {
			f.Add(uint64(2), i, []byte("+\n+\n+\n"+text+"\n"+proper))
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, speaks uint8, script []byte) {
		simple, keeps := speaks&1 != 0, speaks&2 != 0
		s := &scripted{script: bytes.Split(script, []byte("\n"))}
		s.proper = func(line []byte) []byte {
			text := strings.TrimSpace(string(line))
			if !simple {
				var turns botzoneHistory
				if json.Unmarshal(line, &turns) == nil && len(turns.Requests) > 0 {
					text = turns.Requests[len(turns.Requests)-1]
				} else {
					_ = json.Unmarshal(line, &text) // otherwise it is no draw
				}
			}
			if !strings.Contains(text, " ") {
				return nil // how many requests follow
			}
			response := "PASS"
			if tile, ok := strings.CutPrefix(text, "2 "); ok {
				response = "PLAY " + tile
			}
			if !simple {
				response = string(bytes.TrimSpace(jsonLine(map[string]string{"response": response})))
			}
			if keeps {
				response += "\n" + keepRunning
			}
			return []byte(response)
		}
		c := s.program()
		if c.io = "json"; simple {
			c.io = "simple"
		}
		forfeits := answer(t, rules, seed, newBotzonePlayer(&botzoneProgram{command: c, probing: probed{done: true}, keeps: keeps}))
		if string(script) == proper && keeps && forfeits > 0 {
			t.Errorf("%d forfeits of a proper program", forfeits)
		}
	})
}
