package views_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/agents/outside"
	"github.com/sparrowhall/sparrowhall/internal/pages/transcript"
	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestMJAI compares what programs are sent: frames of RiichiLab, and lines over mjsonp. Programs that
// are started get the same lines.
func TestMJAI(t *testing.T) {
	eachTwins(t, []string{"tenhou", "ema_2016", "mahjong_soul"}, []sim.Player{0, 3}, func(t *testing.T, x *twins) {
		x.compare(t, "riichilab", func(k int) string { return toProgram(t, x, k, newFrames) })
		x.compare(t, "mjsonp", func(k int) string { return toProgram(t, x, k, newLines) })
	})
}

// TestBotzone compares the requests to a program for Botzone.
func TestBotzone(t *testing.T) {
	eachTwins(t, []string{"mcr_2006"}, []sim.Player{0, 3}, func(t *testing.T, x *twins) {
		x.compare(t, "botzone", func(k int) string { return toProgram(t, x, k, newRequests) })
	})
}

// requests are those of Botzone.
type requests struct {
	*program
	writer *botzone.Requests
	texts  []string
}

func newRequests(t *testing.T, p *program) sim.Agent {
	w, err := botzone.NewRequests(p.x.rules, p.x.viewer)
	if err != nil {
		t.Fatal(err)
	}
	return &requests{program: p, writer: w}
}

func (r *requests) Listen(_ sim.View, events []sim.Event) {
	r.texts = r.writer.Append(r.texts[:0], events)
	for _, text := range r.texts {
		r.log.WriteString(text + "\n")
	}
}

func (r *requests) Act(sim.View) sim.Action {
	for _, text := range r.writer.AppendDeal(nil) {
		r.log.WriteString(text + "\n")
	}
	return r.action
}

// TestTranscript compares what a player may read of a match up to the moment.
func TestTranscript(t *testing.T) {
	eachTwins(t, presets, []sim.Player{0, 1}, func(t *testing.T, x *twins) {
		x.compare(t, "transcript", func(k int) string {
			var text strings.Builder
			m := sim.Match{Seed: x.seed, Keep: sim.KeepValues}
			rules := x.rulesets[k].Rules()
			a := scripted{twins: x}
			m.Play(rules, &[sim.NumPlayers]sim.Agent{a, a, a, a})
			m.Events = m.Events[:x.events]
			for len(m.Hands) > 1 && m.Hands[len(m.Hands)-1].FirstEvent >= x.events {
				m.Hands = m.Hands[:len(m.Hands)-1]
			}
			if err := transcript.New(rules, &m, [sim.NumPlayers]string{}).SeenBy(x.viewer).Write(&text); err != nil {
				t.Fatal(err)
			}
			return text.String()
		})
	})
}

// program is a program that gives the viewer's answers and logs what it is sent.
type program struct {
	sim.Agent
	x        *twins
	log      strings.Builder
	view     sim.View
	action   sim.Action
	answered int
	sent     string // up to the moment
}

// Unwrap lets the agent hear events.
func (p *program) Unwrap() sim.Agent { return p.Agent }

// Act asks the program, which is given its answer. After the moment it answers as the default.
func (p *program) Act(v sim.View) sim.Action {
	legal := v.Legal()
	p.view, p.action = v, sim.DefaultAction(&legal)
	if p.answered < len(p.x.answers) {
		p.action = p.x.answers[p.answered]
	}
	a := p.Agent.Act(v)
	if p.answered == len(p.x.answers) && p.sent == "" {
		p.sent = p.log.String()
	}
	p.answered++
	return a
}

// reply returns the message of the answer; declared after the first of two for riichi. What follows
// the last answer may be read before Act returns or after it, so the log ends here.
func (p *program) reply(declared bool) *mjai.Message {
	if p.answered == len(p.x.answers) {
		p.sent = p.log.String()
	}
	m, dahai := mjai.Answer(p.view, p.action)
	if declared {
		return dahai
	}
	return m
}

// toProgram plays match k with a program in the seat of the viewer and returns what it is sent.
func toProgram(t *testing.T, x *twins, k int, connect func(*testing.T, *program) sim.Agent) string {
	p := &program{x: x}
	p.Agent = connect(t, p)
	a := scripted{twins: x}
	seated := [sim.NumPlayers]sim.Agent{a, a, a, a}
	seated[x.viewer] = p
	m := sim.Match{Seed: x.seed}
	m.Play(x.rulesets[k].Rules(), &seated)
	if m.Forfeited != 0 || p.sent == "" {
		t.Fatalf("%s: %v; sent:\n%s", x.name, m.Forfeits, p.log.String())
	}
	return p.sent
}

// frames are the frames of RiichiLab to and from a program.
type frames struct {
	*program
	received chan []byte
}

func newFrames(_ *testing.T, p *program) sim.Agent {
	return outside.NewRiichiLab(&frames{p, make(chan []byte, 1)}, outside.Budget{Grace: time.Minute, Bank: time.Minute})
}

func (f *frames) Received() <-chan []byte { return f.received }
func (f *frames) Err() error              { return nil }

var elapsed = regexp.MustCompile(`("[a-z_]*elapsed[a-z_]*":)\d+`)

func (f *frames) Send(frame []byte) error {
	answer, err := f.answerFrame(frame)
	if answer != nil {
		f.received <- answer
	}
	return err
}

// answerFrame logs a frame of RiichiLab and returns the answer to it, nil if it requests none.
func (p *program) answerFrame(frame []byte) (answer []byte, err error) {
	fmt.Fprintf(&p.log, "%s\n", elapsed.ReplaceAll(frame, []byte("${1}0")))
	var request struct {
		Type     string
		ID       int64            `json:"request_id"`
		Possible []map[string]any `json:"possible_actions"`
	}
	if err := json.Unmarshal(frame, &request); err != nil || request.Type != "request_action" {
		return nil, err
	}
	text, err := json.Marshal(p.reply(p.declares()))
	if err != nil {
		return nil, err
	}
	return append(text[:len(text)-1], fmt.Sprintf(`,"request_id":%d}`, request.ID)...), nil
}

// declares reports whether the program has just declared riichi, so that its discard is requested.
func (p *program) declares() bool {
	lines := strings.Split(strings.TrimSpace(p.log.String()), "\n")
	return len(lines) > 1 && p.action.DeclaresReady() && strings.HasPrefix(lines[len(lines)-2], fmt.Sprintf(`{"type":"reach","actor":%d}`, p.x.viewer))
}

func newLines(t *testing.T, p *program) sim.Agent {
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close() })
	go p.answerLines(t, far, far)
	return outside.NewGuest(near, outside.Budget{Grace: time.Minute, Bank: time.Minute})
}

// answerLines logs the lines of mjsonp and answers each.
func (p *program) answerLines(t *testing.T, from io.Reader, to io.Writer) {
	in := bufio.NewScanner(from)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		p.log.WriteString(line + "\n")
		message := &mjai.Message{Type: "none"}
		if strings.Contains(line, `"possible_actions"`) {
			message = p.reply(strings.HasPrefix(line, fmt.Sprintf(`{"type":"reach","actor":%d`, p.x.viewer)) && p.action.DeclaresReady())
		}
		text, err := json.Marshal(message)
		if err != nil {
			t.Error(err)
		}
		if _, err := to.Write(append(text, '\n')); err != nil {
			return
		}
	}
}
