// Package outside has the bridges to players outside the program: programs that
// speak the lines of mjai or of Botzone, and policies behind gRPC.
package outside

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
	"github.com/jansou/jansou/sim/record/mjai"
)

// mjaiPlayer is a player outside the program that speaks the mjai protocol on its
// standard input and output; docs/outside-players.md describes it. It plays one
// match after another with one process.
type mjaiPlayer struct {
	command *command
	process *process

	// The match being played, none without a writer.
	writer   *mjai.Writer
	sent     []byte // lines the process has answered
	pending  []byte // lines it has not been sent yet
	restarts int
	failed   bool
}

// NewMJAI returns the factory for a program that speaks mjai: options, then its
// command. docs/outside-players.md lists the options.
func NewMJAI(options string) (func() sim.Agent, error) {
	c, err := parseCommand(options, "batch")
	if err != nil {
		return nil, err
	}
	return func() sim.Agent { return &mjaiPlayer{command: c} }, nil
}

// mjaiNames are the players as the process is told them.
var mjaiNames = [sim.NumPlayers]string{"player 0", "player 1", "player 2", "player 3"}

// Start implements sim.Starter.
func (a *mjaiPlayer) Start(r *ruleset.Rules) error {
	_, err := mjai.NewWriter(r, mjaiNames)
	if err != nil {
		return fmt.Errorf("agents: mjai: %w", err)
	}
	return nil
}

// Close implements io.Closer.
func (a *mjaiPlayer) Close() error {
	if a.process != nil {
		a.process.finish()
		a.process = nil
	}
	return nil
}

// Listen implements sim.Listener.
func (a *mjaiPlayer) Listen(v sim.View, events []sim.Event) {
	if a.writer == nil {
		a.begin(v)
	}
	if a.failed {
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
	if a.failed = err != nil; a.failed {
		forfeit(a.command, v, err)
		return
	}
	a.writer = w.For(v.Player())
	a.sent, a.pending, a.restarts = a.sent[:0], a.pending[:0], 0
	if a.process != nil && !slices.Equal(a.process.command, a.command.of(v.Player())) {
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
	last := bytes.LastIndexByte(bytes.TrimSpace(a.pending), '\n') + 1
	if a.command.batch {
		last = 0
	}
	_, err := a.process.tell(a.pending[:last], false, a.command.timeout)
	if err == nil {
		_, err = a.process.tell(a.pending[last:], a.command.batch, goodbye)
	}
	if err != nil {
		a.process = nil
	}
}

// Act implements sim.Agent.
func (a *mjaiPlayer) Act(v sim.View) sim.Action {
	if a.failed {
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
	action, err := a.ask(v)
	if err != nil {
		a.failed = true
		if a.process != nil {
			a.process.kill()
			a.process = nil
		}
		return forfeit(a.command, v, err)
	}
	return action
}

// ask sends the process what has happened and returns its answer to the decision.
func (a *mjaiPlayer) ask(v sim.View) (sim.Action, error) {
	pending := a.pending
	a.pending = nil
	answer, err := a.exchange(v.Player(), pending)
	if err != nil {
		return sim.NoAction, err
	}
	action, err := read(answer, v, (*mjai.Message).Action)
	if !errors.Is(err, mjai.ErrReach) {
		return action, err
	}
	// A reach is answered in two steps: the tile to discard is asked after it.
	answer, err = a.exchange(v.Player(), fmt.Appendf(nil, `{"type":"reach","actor":%d}`+"\n", v.Player()))
	if err != nil {
		return sim.NoAction, err
	}
	a.writer.SentReach()
	return read(answer, v, (*mjai.Message).ReadyAction)
}

// read returns the action that an answer means.
func read(answer []byte, v sim.View, meaning func(*mjai.Message, sim.View) (sim.Action, error)) (sim.Action, error) {
	m, err := mjai.Parse(answer)
	if err == nil {
		var action sim.Action
		if action, err = meaning(m, v); err == nil {
			return action, nil
		}
	}
	return sim.NoAction, fmt.Errorf("answer %s: %w", shorten(string(answer)), err)
}

// exchange sends lines and returns the answer to the last one. A process that has
// ended is started again and told the match from its beginning.
func (a *mjaiPlayer) exchange(p sim.Player, lines []byte) ([]byte, error) {
	for {
		answer, err := a.deliver(p, lines)
		if err == nil {
			a.sent = append(a.sent, lines...)
			return answer, nil
		}
		a.process = nil
		if !errors.Is(err, errDied) || a.restarts == a.command.restarts {
			return nil, err
		}
		a.restarts++
	}
}

func (a *mjaiPlayer) deliver(p sim.Player, lines []byte) ([]byte, error) {
	if a.process != nil {
		return a.process.tell(lines, a.command.batch, a.command.timeout)
	}
	var err error
	if a.process, err = a.command.start(p); err != nil {
		return nil, err
	}
	all := append(slices.Clone(a.sent), lines...)
	if a.command.batch {
		return a.process.tell(all, true, a.command.startup)
	}
	first := bytes.IndexByte(all, '\n') + 1
	answer, err := a.process.tell(all[:first], false, a.command.startup)
	if err != nil || first == len(all) {
		return answer, err
	}
	return a.process.tell(all[first:], false, a.command.timeout)
}

// tell sends lines one by one, or as one array, and returns the last answer. Each
// may take the given time. The process is dead after an error.
func (p *process) tell(lines []byte, batch bool, limit time.Duration) (answer []byte, err error) {
	if batch {
		lines = append(append([]byte{'['}, bytes.ReplaceAll(bytes.TrimSpace(lines), []byte{'\n'}, []byte{','})...), "]\n"...)
	}
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
