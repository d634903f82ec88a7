// Package outside holds the bridges to external agents: programs that speak mjai or the
// protocol of Botzone on standard input and output or a socket, and policies behind gRPC. A
// program that fails to answer in time, or legally, forfeits the match.
//
//	newAgent, err := outside.NewMJAI("timeout=5s python3 bot.py")
//	agent := newAgent()
//	defer sim.CloseAgent(agent)
//	err = sim.StartAgent(agent, rules)
//
// docs/bots.md describes the protocols and options.
package outside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// replies is which lines a program of mjai answers.
type replies string

const (
	toAll     replies = "all"   // every line
	toAsked   replies = "asked" // only those with a decision
	toBatches replies = "batch" // arrays of the events since its last answer
)

// mjaiProgram is a program that speaks mjai, shared by the players it plays for.
type mjaiProgram struct {
	command *command
	probing probed
}

// mjaiPlayer plays by a process of a program, for one match after another.
type mjaiPlayer struct {
	bridge
	program *mjaiProgram

	// The match being played; writer is nil without one.
	writer  *mjai.Writer
	sent    []byte // lines that the process has answered
	pending []byte // lines to send
	// ignored is the number of lines sent since its last answer that contained no decision
	// but may have been answered.
	ignored int
}

// NewMJAI returns a constructor of players by a program that speaks mjai. The text has
// options, then the command; docs/bots.md lists the options.
func NewMJAI(options string) (func() sim.Agent, error) {
	c, err := parseCommand("mjai", options)
	if err != nil {
		return nil, err
	}
	program := &mjaiProgram{command: c}
	return func() sim.Agent { return newMJAIPlayer(program) }, nil
}

func newMJAIPlayer(p *mjaiProgram) *mjaiPlayer {
	return &mjaiPlayer{bridge: bridge{interruption: newInterruption()}, program: p}
}

// mjaiNames are the names of the players in start_game.
var mjaiNames = [sim.NumPlayers]string{"player 0", "player 1", "player 2", "player 3"}

// Start implements sim.Starter.
func (a *mjaiPlayer) Start(r *ruleset.Rules) error {
	_, err := mjai.NewWriter(r, mjaiNames)
	if err != nil {
		return fmt.Errorf("agents: mjai: %w", err)
	}
	return a.program.probe(a.bridge.interruption.ctx, r.Seats)
}

// Listen implements sim.Listener.
func (a *mjaiPlayer) Listen(v sim.View, events []sim.Event) {
	if a.writer == nil {
		a.begin(v)
	}
	if a.bridge.reason != "" {
		if v.Phase() == sim.PhaseOver {
			a.writer = nil
		}
		return
	}
	a.pending = a.writer.Append(a.pending, events)
	if a.bridge.process != nil && beginsHand(events) {
		a.bridge.process.bank = a.program.command.bank
	}
	if v.Phase() == sim.PhaseOver {
		a.end()
	}
}

func beginsHand(events []sim.Event) bool {
	return slices.ContainsFunc(events, func(e sim.Event) bool { return e.Type == sim.EvHandStart })
}

func (a *mjaiPlayer) begin(v sim.View) {
	w, err := mjai.NewWriter(v.Rules(), mjaiNames)
	a.bridge.reason = ""
	if err != nil {
		a.bridge.reason = err.Error()
		return
	}
	a.writer = w.LimitTo(v.Player()).WithKita(a.program.command.kita)
	a.sent, a.pending, a.bridge.restarts, a.ignored = a.sent[:0], a.pending[:0], 0, 0
	if a.bridge.process != nil && !slices.Equal(a.bridge.process.command, a.program.command.arguments(v.Player())) {
		a.bridge.leave()
	}
}

// endTime is the limit for answering the last line of a match.
const endTime = time.Second

// end sends the end of the match. A process that does not answer it is restarted for the
// next match.
func (a *mjaiPlayer) end() {
	a.writer = nil
	if a.bridge.process == nil {
		return
	}
	var err error
	switch a.program.command.replies {
	case toAll:
		last := bytes.LastIndexByte(bytes.TrimSpace(a.pending), '\n') + 1
		_, err = a.bridge.process.exchangeLines(a.pending[:last], a.program.command.timeout)
		if err == nil {
			_, err = a.bridge.process.exchangeLines(a.pending[last:], endTime)
		}
	case toBatches:
		_, err = a.bridge.process.exchangeLines(array(a.pending), endTime)
	case toAsked:
		err = a.bridge.process.within(a.program.command.timeout, func() error { return a.bridge.process.send(a.pending) })
	}
	if err != nil {
		a.bridge.kill()
	}
}

// Act implements sim.Agent.
func (a *mjaiPlayer) Act(v sim.View) sim.Action {
	if a.bridge.reason != "" {
		return sim.NoAction
	}
	if action, ok := withoutMessage(v); ok {
		return action
	}
	asked := lastLine(a.pending)
	action, err := a.ask(v, &asked)
	if err != nil {
		a.bridge.kill()
		a.bridge.reason = reason(string(asked), v, err)
		return sim.NoAction
	}
	return action
}

func lastLine(lines []byte) []byte {
	return bytes.Clone(lines[bytes.LastIndexByte(bytes.TrimSpace(lines), '\n')+1:])
}

// ask sends the pending lines and returns the action of the answer. It sets asked to the
// line with the decision.
func (a *mjaiPlayer) ask(v sim.View, asked *[]byte) (sim.Action, error) {
	before := a.pending[:len(a.pending)-len(*asked)]
	pending := a.writer.AppendRequest(slices.Clone(before), *asked, v, false)
	a.pending = nil
	action, err := a.exchange(v, pending, (*mjai.Message).Action)
	if !errors.Is(err, mjai.ErrReach) {
		return action, err
	}
	// A reach has two steps: the discard is requested after it.
	*asked = fmt.Appendf(nil, `{"type":"reach","actor":%d}`, v.Player())
	action, err = a.exchange(v, a.writer.AppendRequest(nil, *asked, v, true), (*mjai.Message).ReadyAction)
	if err == nil {
		a.writer.SkipReach()
	}
	return action, err
}

// translator translates a message into the action of a decision.
type translator func(*mjai.Message, sim.View) (sim.Action, error)

func (m translator) read(answer []byte, v sim.View) (sim.Action, error) {
	message, err := mjai.Parse(answer)
	if err == nil {
		var action sim.Action
		if action, err = m(message, v); err == nil {
			return action, nil
		}
	}
	return sim.NoAction, fmt.Errorf("answer %s: %w", shorten(string(answer)), err)
}

// exchange sends lines and returns the action of the answer to the last one. A process that
// has ended is restarted and sent the match from its beginning.
func (a *mjaiPlayer) exchange(v sim.View, lines []byte, m translator) (sim.Action, error) {
	for {
		answer, err := a.sendLines(v.Player(), lines)
		if err == nil {
			a.sent = append(a.sent, lines...)
			return a.readAnswer(answer, v, m)
		}
		a.bridge.process = nil
		if !a.bridge.restart(a.program.command, err) {
			return sim.NoAction, err
		}
	}
}

// readAnswer returns the action of an answer. A program with replies=asked may also have
// answered lines without a decision, such as draws in riichi; such answers come first and
// are skipped.
func (a *mjaiPlayer) readAnswer(answer []byte, v sim.View, m translator) (action sim.Action, err error) {
	action, err = m.read(answer, v)
	if a.program.command.replies == toAsked {
		for err != nil && !errors.Is(err, mjai.ErrReach) && a.ignored > 0 {
			a.ignored--
			var next []byte
			if a.bridge.process.within(a.program.command.timeout, func() error {
				var err error
				next, err = a.bridge.process.receive()
				return err
			}) != nil {
				return sim.NoAction, err
			}
			action, err = m.read(next, v)
		}
		a.ignored = 0
	}
	return action, err
}

// sendLines sends lines, to a new process those before as well, and returns the answer to
// the last one.
func (a *mjaiPlayer) sendLines(p sim.Player, lines []byte) (answer []byte, err error) {
	limit := a.program.command.timeout
	started := a.bridge.process == nil
	if started {
		if a.bridge.process, err = a.program.command.start(a.bridge.interruption.ctx, p); err != nil {
			return nil, err
		}
		limit = a.program.command.startup
		lines = slices.Concat(a.sent, lines)
	}
	switch a.program.command.replies {
	case toBatches:
		return a.bridge.process.exchangeLines(array(lines), limit)
	case toAsked:
		a.ignored += bytes.Count(lines, []byte("\n")) - 1
		return a.bridge.process.exchange(lines, limit)
	}
	first := bytes.IndexByte(lines, '\n') + 1
	answer, err = a.bridge.process.exchangeLines(lines[:first], limit)
	if err != nil || first == len(lines) {
		return answer, err
	}
	return a.bridge.process.exchangeLines(lines[first:], a.program.command.timeout)
}

// array returns lines as one line with a JSON array.
func array(lines []byte) []byte {
	return append(append([]byte{'['}, bytes.ReplaceAll(bytes.TrimSpace(lines), []byte{'\n'}, []byte{','})...), "]\n"...)
}

// exchangeLines sends lines one by one, each with the given limit, and returns the last
// answer. An error kills the process.
func (p *process) exchangeLines(lines []byte, limit time.Duration) (answer []byte, err error) {
	for line := range bytes.Lines(lines) {
		if answer, err = p.exchange(line, limit); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// exchange sends lines together and returns the next answer. An error kills the process.
func (p *process) exchange(lines []byte, limit time.Duration) (answer []byte, err error) {
	err = p.within(limit, func() (err error) {
		if err = p.send(lines); err == nil {
			answer, err = p.receive()
		}
		return err
	})
	if err != nil {
		p.kill()
	}
	return answer, err
}

// trial is the beginning of a hand in which player 0 draws and must discard.
const trial = `{"type":"start_game","id":0,"names":["player 0","player 1","player 2","player 3"],"aka_flag":true}
{"type":"start_kyoku","bakaze":"E","dora_marker":"9s","kyoku":1,"honba":0,"kyotaku":0,"oya":0,"tehais":[["1m","4m","7m","2p","5p","8p","3s","6s","9s","E","S","W","N"],HIDDEN,HIDDEN,HIDDEN],"scores":[25000,25000,25000,25000]}
{"type":"tsumo","actor":0,"pai":"P","possible_actions":[],"cannot_dahai":[]}
`

const hiddenHand = `["?","?","?","?","?","?","?","?","?","?","?","?","?"]`

// threeTrial changes the trial to one of three players.
var threeTrial = strings.NewReplacer(`,"player 3"`, "", `"4m","7m"`, `"9m","C"`, ",HIDDEN]", "]", "[25000,25000,25000,25000]", "[35000,35000,35000]")

// probe finds out how the program replies in matches of so many players, once and unless the
// command names it. A program whose answers fit no known way is treated as answering every
// line, so that its matches show the fault.
func (p *mjaiProgram) probe(ctx context.Context, seats ruleset.Seats) error {
	return p.probing.once(ctx, func(ctx context.Context) error { return p.try(ctx, seats) })
}

func (p *mjaiProgram) try(ctx context.Context, seats ruleset.Seats) error {
	if p.command.replies != "" {
		return nil
	}
	found := toAll
	text := trial
	if seats == ruleset.ThreeSeats {
		text = threeTrial.Replace(text)
	}
	lines := []byte(strings.ReplaceAll(text, "HIDDEN", hiddenHand))
	switch n, discards := p.answers(ctx, lines, 3); {
	case n == 1 && discards: // no answer to the two lines before
		found = toAsked
	case n == 3 && discards, n == 0:
	default:
		if _, discards := p.answers(ctx, array(lines), 1); discards {
			found = toBatches
		}
	}
	if ctx.Err() == nil {
		p.command.replies = found
	}
	return nil
}

// answers returns how many lines a new process answers to a trial, at most a given number
// or up to a discard.
func (p *mjaiProgram) answers(ctx context.Context, lines []byte, most int) (n int, discards bool) {
	process, err := p.command.start(ctx, 0)
	if err != nil {
		return -1, false
	}
	defer process.kill()
	err = process.within(p.command.startup, func() error {
		if err := process.send(lines); err != nil {
			return err
		}
		for n < most && !discards {
			answer, err := process.receive()
			if err != nil {
				return err
			}
			m, err := mjai.Parse(answer)
			discards = err == nil && m.Type == "dahai"
			n++
		}
		return nil
	})
	if err != nil && !errors.Is(err, errLate) {
		return -1, false
	}
	return n, discards
}
