package outside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// CheckResult is the result of one situation of a [Check].
type CheckResult struct {
	// Situation is the name of the situation.
	Situation string `json:"situation"`
	// Asked is the number of decisions, Slowest the longest time for an answer in
	// milliseconds.
	Asked   int   `json:"asked"`
	Slowest int64 `json:"slowest_ms"`
	// Wrong lists the faults of the program, empty if there are none.
	Wrong []Fault `json:"wrong"`
	// LeftOut is why the decision of the situation was not reached, "" if it was.
	LeftOut string `json:"left_out,omitempty"`
}

// Fault is a fault of a program.
type Fault struct {
	// Asked is the line that it was sent and Answer its answer, "" if there is none. Why
	// describes the fault.
	Asked  string `json:"asked,omitempty"`
	Answer string `json:"answer,omitempty"`
	Why    string `json:"why"`
}

// exchange is a line that a program was sent, and its answer.
type exchange struct {
	asked, answer string
	took          time.Duration
}

// dialogue records the lines that a program is sent and answers while it is checked.
type dialogue struct {
	lines []exchange
	slow  bool // write every line in two halves with a pause between them
	since time.Time
}

// pause is the time between two halves of a line.
const pause = 50 * time.Millisecond

// sent records lines that the program was sent.
func (d *dialogue) sent(text []byte) {
	for line := range strings.Lines(string(text)) {
		d.lines = append(d.lines, exchange{asked: strings.TrimSpace(line)})
	}
	d.since = time.Now()
}

// heard records the answer to the last of them.
func (d *dialogue) heard(line []byte) {
	if n := len(d.lines); n > 0 && d.lines[n-1].answer == "" {
		d.lines[n-1].answer, d.lines[n-1].took = string(line), time.Since(d.since)
	}
}

// player is a bridge to a program.
type player interface {
	sim.Starter
	sim.Listener
	sim.Explainer
	sim.Interrupter
	io.Closer
}

// checkedAgent plays for a program that is checked. The actions in the script of the
// situation are played whatever the program answers.
type checkedAgent struct {
	// player is embedded: the match asks the agent for its capabilities, which are those of it.
	player
	scripted scriptedAgent
	asks     sim.Action
	asked    int
	reached  bool // the decision that the situation is for
	// diverged is the action of the script that was played instead of its own.
	diverged string
}

// Act implements sim.Agent.
func (s *checkedAgent) Act(v sim.View) sim.Action {
	s.asked++
	legal := v.Legal()
	s.reached = s.reached || legal.Has(s.asks)
	a := s.player.Act(v)
	if legal.Has(a) && len(s.scripted.script) > 0 && legal.Has(s.scripted.script[0].Action) {
		said := a
		if a = s.scripted.Act(v); a != said && !a.IsDiscard() {
			s.diverged = fmt.Sprintf("%v, where it answered %v", a, said)
		}
	}
	return a
}

// Check lets a program play situations with every kind of decision, and calls each with the
// result of every one. spec is mjai:COMMAND, for four or three players, or botzone:COMMAND, for
// four. rules returns a preset with some knobs changed. form is the option that describes how the
// program replies, such as "io=json". The error is that of a program that cannot be checked at
// all, or of ctx when it ends.
func Check(ctx context.Context, spec string, seats ruleset.Seats, rules func(preset string, knobs map[string]any) (*ruleset.Rules, error), each func(CheckResult)) (form string, err error) {
	bridge, text, _ := strings.Cut(spec, ":")
	d := &dialogue{}
	var p player
	preset := "tenhou"
	if bridge != "mjai" && bridge != "botzone" {
		return "", fmt.Errorf("%q does not name a program; allowed: mjai:COMMAND, botzone:COMMAND", spec)
	}
	if seats == ruleset.ThreeSeats {
		if bridge != "mjai" {
			return "", fmt.Errorf("%s is a protocol of four players; three play mjai:COMMAND", bridge)
		}
		preset = "tenhou_sanma"
	}
	c, err := parseCommand(bridge, text)
	if err != nil {
		return "", err
	}
	if bridge == "mjai" {
		program := &mjaiProgram{command: c}
		err = program.probe(ctx, seats)
		p, form = newMJAIPlayer(program), "replies="+string(c.replies)
	} else {
		program := &botzoneProgram{command: c}
		err = program.probing.once(ctx, program.probe)
		p, form = newBotzonePlayer(program), "io="+c.io
		preset = "botzone"
	}
	if err != nil {
		return "", err
	}
	c.dialogue = d
	defer func() { err = errors.Join(err, p.Close()) }()
	defer context.AfterFunc(ctx, p.Interrupt)()
	one, err := rules(preset, map[string]any{"max_hands": int64(1)})
	if err != nil {
		return "", err
	}
	all, err := rules(preset, nil)
	if err != nil {
		return "", err
	}
	if err := p.Start(one); err != nil {
		return "", err
	}
	play := func(r *ruleset.Rules, s *situation, m *sim.Match) error {
		result := checkOne(p, d, r, s, m)
		if err := ctx.Err(); err != nil {
			return err
		}
		each(result)
		return nil
	}
	for _, s := range situations()[preset] {
		wall, err := s.wall(one)
		if err != nil {
			return "", err
		}
		if err := play(one, &s, &sim.Match{Walls: []sim.Wall{*wall}}); err != nil {
			return "", err
		}
	}
	d.slow = true
	if err := play(one, &situation{Name: "a slow machine", Asks: namedAction{sim.ActDiscardDrawn}}, &sim.Match{Seed: 2}); err != nil {
		return "", err
	}
	d.slow = false
	return form, play(all, &situation{Name: "a whole match", Asks: namedAction{sim.ActDiscardDrawn}}, &sim.Match{Seed: 3})
}

// checkOne lets the program play one situation.
func checkOne(p player, d *dialogue, r *ruleset.Rules, s *situation, m *sim.Match) CheckResult {
	d.lines = d.lines[:0]
	bot := &checkedAgent{player: p, scripted: scriptedAgent{s.Script[s.Bot]}, asks: s.Asks.Action}
	var seated [sim.NumPlayers]sim.Agent
	for i := range seated {
		seated[i] = &scriptedAgent{s.Script[i]}
	}
	seated[s.Bot] = bot
	m.Play(r, &seated)
	c := CheckResult{Situation: s.Name, Asked: bot.asked, Wrong: []Fault{}}
	for _, line := range d.lines {
		c.Slowest = max(c.Slowest, line.took.Milliseconds())
	}
	for _, f := range m.Forfeits {
		_, why, _ := strings.Cut(f.Reason, ": ") // after what was asked
		w := Fault{Why: why}
		if n := len(d.lines); n > 0 {
			w.Asked, w.Answer = d.lines[n-1].asked, d.lines[n-1].answer
		}
		c.Wrong = append(c.Wrong, w)
	}
	if b, ok := p.(*mjaiPlayer); ok {
		c.Wrong = append(c.Wrong, protocolFaults(d.lines, s.Bot, b.program.command.replies)...)
		if len(c.Wrong) == 0 && b.bridge.process == nil {
			last := d.lines[len(d.lines)-1]
			c.Wrong = append(c.Wrong, Fault{last.asked, last.answer, "it does not go on to the next match: end_game is not answered, or it ends"})
		}
	}
	// A program that never claims need not follow a claim that the script makes for it.
	if len(m.Forfeits) > 0 && bot.diverged != "" {
		c.Wrong, c.LeftOut = []Fault{}, "it cannot follow the script: it is sent "+bot.diverged
	} else if !bot.reached && len(c.Wrong) == 0 {
		c.LeftOut = "its own answers led to another position"
	}
	return c
}

// protocolFaults returns deviations from the protocol that are accepted here but may be
// refused elsewhere, each once.
func protocolFaults(lines []exchange, bot sim.Player, r replies) (wrong []Fault) {
	seen := map[string]bool{}
	fault := func(e exchange, why string) {
		if !seen[why] {
			seen[why] = true
			wrong = append(wrong, Fault{e.asked, e.answer, why})
		}
	}
	for _, e := range lines {
		if e.answer == "" {
			continue
		}
		m, err := mjai.Parse([]byte(e.answer))
		if err != nil {
			fault(e, strings.TrimPrefix(err.Error(), "record: "))
			continue
		}
		asks := strings.Contains(e.asked, `"possible_actions":`)
		switch {
		case m.Type == "none":
			continue
		case !asks && r == toAll && !strings.Contains(e.asked, fmt.Sprintf(`"tsumo","actor":%d`, bot)):
			fault(e, fmt.Sprintf("%s answers a line without a decision; want none", m.Type))
			continue
		case m.Actor == nil:
			fault(e, m.Type+" has no actor")
		case *m.Actor != bot:
			fault(e, fmt.Sprintf("%s has the actor %d; the program is player %d", m.Type, *m.Actor, bot))
		}
		needs := map[string]bool{}
		switch m.Type {
		case "dahai":
			needs["pai"], needs["tsumogiri"] = m.Pai != "", m.Tsumogiri != nil
		case "chi", "pon", "daiminkan":
			needs["pai"], needs["target"], needs["consumed"] = m.Pai != "", m.Target != nil, m.Consumed != nil
		case "kakan":
			needs["pai"], needs["consumed"] = m.Pai != "", m.Consumed != nil
		case "hora":
			needs["target"] = m.Target != nil
		}
		for _, name := range []string{"pai", "target", "consumed", "tsumogiri"} {
			if there, needed := needs[name]; needed && !there {
				fault(e, fmt.Sprintf("%s has no %s", m.Type, name))
			}
		}
	}
	return wrong
}
