// Package outside has the bridges to players outside the program: programs that
// speak the lines of mjai or of Botzone, and policies behind gRPC.
package outside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record/mjai"
)

// replies is which of the lines that it reads a program of mjai answers.
type replies string

const (
	toAll     replies = "all"   // every line
	toAsked   replies = "asked" // only those that ask it something
	toBatches replies = "batch" // arrays of all that has happened since its last answer
)

// mjaiProgram is a program that speaks the mjai protocol on its standard input and
// output, which may play for several players.
type mjaiProgram struct {
	*command
	probe sync.Mutex
	tried bool // under probe
}

// mjaiPlayer is a player outside the program; docs/outside-players.md describes
// it. It plays one match after another with one process.
type mjaiPlayer struct {
	interruption
	program *mjaiProgram
	process *process

	// The match being played, none without a writer.
	writer   *mjai.Writer
	sent     []byte // lines the process has answered
	pending  []byte // lines it has not been sent yet
	restarts int
	// ignored is how many lines it was sent since its last answer that it may have
	// answered although nothing was asked.
	ignored int
	reason  string // of the forfeit, empty without one
}

// NewMJAI returns the factory for a program that speaks mjai: options, then its
// command. docs/outside-players.md lists the options.
func NewMJAI(options string) (func() sim.Agent, error) {
	c, err := parseCommand(options, "replies", "batch")
	if err != nil {
		return nil, err
	}
	program := &mjaiProgram{command: c}
	return func() sim.Agent { return newMJAIPlayer(program) }, nil
}

func newMJAIPlayer(p *mjaiProgram) *mjaiPlayer {
	return &mjaiPlayer{interruption: newInterruption(), program: p}
}

// mjaiNames are the players as the process is told them.
var mjaiNames = [sim.NumPlayers]string{"player 0", "player 1", "player 2", "player 3"}

// Start implements sim.Starter.
func (a *mjaiPlayer) Start(r *ruleset.Rules) error {
	_, err := mjai.NewWriter(r, mjaiNames)
	if err != nil {
		return fmt.Errorf("agents: mjai: %w", err)
	}
	return a.program.find(a.over)
}

// Close implements io.Closer.
func (a *mjaiPlayer) Close() error {
	if a.process != nil {
		a.process.finish()
		a.process = nil
	}
	return nil
}

// Explain implements sim.Explainer.
func (a *mjaiPlayer) Explain() string { return a.reason }

// Listen implements sim.Listener.
func (a *mjaiPlayer) Listen(v sim.View, events []sim.Event) {
	if a.writer == nil {
		a.begin(v)
	}
	if a.reason != "" {
		if v.Phase() == sim.PhaseOver {
			a.writer = nil
		}
		return
	}
	a.pending = a.writer.Append(a.pending, events)
	if v.Phase() == sim.PhaseOver {
		a.end()
	}
}

func (a *mjaiPlayer) begin(v sim.View) {
	w, err := mjai.NewWriter(v.Rules(), mjaiNames)
	a.reason = ""
	if err != nil {
		a.reason = err.Error()
		return
	}
	a.writer = w.For(v.Player())
	a.sent, a.pending, a.restarts, a.ignored = a.sent[:0], a.pending[:0], 0, 0
	if a.process != nil && !slices.Equal(a.process.command, a.program.of(v.Player())) {
		a.process.finish()
		a.process = nil
	}
}

// goodbye is how long a process may take to answer the last line of a match.
const goodbye = time.Second

// end tells the process the end of the match. One that does not answer that, or
// ends, is started anew for the next match.
func (a *mjaiPlayer) end() {
	a.writer = nil
	if a.process == nil {
		return
	}
	var err error
	switch a.program.replies {
	case toAll:
		last := bytes.LastIndexByte(bytes.TrimSpace(a.pending), '\n') + 1
		_, err = a.process.tell(a.pending[:last], a.program.timeout)
		if err == nil {
			_, err = a.process.tell(a.pending[last:], goodbye)
		}
	case toBatches:
		_, err = a.process.tell(array(a.pending), goodbye)
	case toAsked:
		err = a.process.within(a.program.timeout, func() error { return a.process.send(a.pending) })
	}
	if err != nil {
		a.process.kill()
		a.process = nil
	}
}

// Act implements sim.Agent.
func (a *mjaiPlayer) Act(v sim.View) sim.Action {
	if a.reason != "" {
		return sim.NoAction
	}
	legal := v.Legal()
	// The protocol has no words for these.
	switch v.Phase() {
	case sim.PhaseDeclare:
		return sim.ActTenpai
	case sim.PhaseBetween:
		if legal.Has(sim.ActEndMatch) {
			return sim.ActEndMatch
		}
		return sim.ActPass
	}
	asked := lastLine(a.pending)
	action, err := a.ask(v, &asked)
	if err != nil {
		if a.process != nil {
			a.process.kill()
			a.process = nil
		}
		a.reason = reason(string(asked), v, err)
		return sim.NoAction
	}
	return action
}

// lastLine returns a copy of the last of some lines.
func lastLine(lines []byte) []byte {
	return bytes.Clone(lines[bytes.LastIndexByte(bytes.TrimSpace(lines), '\n')+1:])
}

// ask sends the process what has happened and returns its answer to the decision;
// asked becomes the line that asks.
func (a *mjaiPlayer) ask(v sim.View, asked *[]byte) (sim.Action, error) {
	before := a.pending[:len(a.pending)-len(*asked)]
	pending := mjai.AppendRequest(slices.Clone(before), *asked, v, false)
	a.pending = nil
	action, err := a.exchange(v, pending, (*mjai.Message).Action)
	if !errors.Is(err, mjai.ErrReach) {
		return action, err
	}
	// A reach is answered in two steps: the tile to discard is asked after it.
	*asked = fmt.Appendf(nil, `{"type":"reach","actor":%d}`, v.Player())
	action, err = a.exchange(v, mjai.AppendRequest(nil, *asked, v, true), (*mjai.Message).ReadyAction)
	if err == nil {
		a.writer.SentReach()
	}
	return action, err
}

// meaning returns what a message means as an answer to a decision.
type meaning func(*mjai.Message, sim.View) (sim.Action, error)

// read returns the action that an answer means.
func (m meaning) read(answer []byte, v sim.View) (sim.Action, error) {
	message, err := mjai.Parse(answer)
	if err == nil {
		var action sim.Action
		if action, err = m(message, v); err == nil {
			return action, nil
		}
	}
	return sim.NoAction, fmt.Errorf("answer %s: %w", shorten(string(answer)), err)
}

// exchange sends lines and returns what the answer to the last one means. A
// process that has ended is started again and told the match from its beginning.
func (a *mjaiPlayer) exchange(v sim.View, lines []byte, m meaning) (sim.Action, error) {
	for {
		answer, err := a.deliver(v.Player(), lines)
		if err == nil {
			a.sent = append(a.sent, lines...)
			return a.sift(answer, v, m)
		}
		a.process = nil
		if !errors.Is(err, errDied) || a.restarts == a.program.restarts {
			return sim.NoAction, err
		}
		a.restarts++
	}
}

// sift returns what an answer means. A program that answers only when it is asked
// may believe to be asked where the table plays by itself, such as after a draw in
// riichi. What it said there comes first, and is read past as far as it is no
// answer to the question.
func (a *mjaiPlayer) sift(answer []byte, v sim.View, m meaning) (action sim.Action, err error) {
	action, err = m.read(answer, v)
	if a.program.replies == toAsked {
		for err != nil && !errors.Is(err, mjai.ErrReach) && a.ignored > 0 {
			a.ignored--
			var next []byte
			if a.process.within(a.program.timeout, func() error {
				var err error
				next, err = a.process.receive()
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

// deliver sends lines, to a new process those before as well, and returns the
// answer to the last one.
func (a *mjaiPlayer) deliver(p sim.Player, lines []byte) (answer []byte, err error) {
	limit := a.program.timeout
	started := a.process == nil
	if started {
		if a.process, err = a.program.start(a.over, p); err != nil {
			return nil, err
		}
		limit = a.program.startup
		lines = slices.Concat(a.sent, lines)
	}
	switch a.program.replies {
	case toBatches:
		return a.process.tell(array(lines), limit)
	case toAsked:
		a.ignored += bytes.Count(lines, []byte("\n")) - 1
		err = a.process.within(limit, func() (err error) {
			if err = a.process.send(lines); err == nil {
				answer, err = a.process.receive()
			}
			return err
		})
		if err != nil {
			a.process.kill()
		}
		return answer, err
	}
	first := bytes.IndexByte(lines, '\n') + 1
	answer, err = a.process.tell(lines[:first], limit)
	if err != nil || first == len(lines) {
		return answer, err
	}
	return a.process.tell(lines[first:], a.program.timeout)
}

// array returns lines as one line with an array of them.
func array(lines []byte) []byte {
	return append(append([]byte{'['}, bytes.ReplaceAll(bytes.TrimSpace(lines), []byte{'\n'}, []byte{','})...), "]\n"...)
}

// tell sends lines one by one and returns the last answer. Each may take the given
// time. The process is dead after an error.
func (p *process) tell(lines []byte, limit time.Duration) (answer []byte, err error) {
	for line := range bytes.Lines(lines) {
		err = p.within(limit, func() error {
			if err := p.send(line); err != nil {
				return err
			}
			answer, err = p.receive()
			return err
		})
		if err != nil {
			p.kill()
			return nil, err
		}
	}
	return answer, nil
}

// trial is a beginning of a hand in which player 0 draws and must discard.
const trial = `{"type":"start_game","id":0,"names":["player 0","player 1","player 2","player 3"],"aka_flag":true}
{"type":"start_kyoku","bakaze":"E","dora_marker":"9s","kyoku":1,"honba":0,"kyotaku":0,"oya":0,"tehais":[["1m","4m","7m","2p","5p","8p","3s","6s","9s","E","S","W","N"],HIDDEN,HIDDEN,HIDDEN],"scores":[25000,25000,25000,25000]}
{"type":"tsumo","actor":0,"pai":"P","possible_actions":[],"cannot_dahai":[]}
`

const hiddenHand = `["?","?","?","?","?","?","?","?","?","?","?","?","?"]`

// find tries the program for the first of its players. What an interrupted one
// finds out is not for the players of another run.
func (p *mjaiProgram) find(over context.Context) error {
	p.probe.Lock()
	defer p.probe.Unlock()
	if p.tried || p.replies != "" {
		return nil
	}
	p.try(over)
	if over.Err() != nil {
		p.replies = ""
		return errInterrupted
	}
	p.tried = true
	return nil
}

// try finds out how the program speaks. One that answers as
// none of its like does is taken to answer every line, which then shows in its
// matches.
func (p *mjaiProgram) try(over context.Context) {
	p.replies = toAll
	lines := []byte(strings.ReplaceAll(trial, "HIDDEN", hiddenHand))
	switch n, discards := p.answers(over, lines, 3); {
	case n == 1 && discards:
		// Nothing came for the two lines before.
		p.replies = toAsked
	case n == 3 && discards, n == 0:
	default:
		if _, discards := p.answers(over, array(lines), 1); discards {
			p.replies = toBatches
		}
	}
}

// answers returns how many answers a new process gives to the lines of a trial, up
// to a number or the discard that is asked for.
func (p *mjaiProgram) answers(over context.Context, lines []byte, most int) (n int, discards bool) {
	process, err := p.start(over, 0)
	if err != nil {
		return -1, false
	}
	defer process.kill()
	err = process.within(p.startup, func() error {
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
