package outside

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// llmProgram is a program that answers one JSON line for each decision, such as an adapter to a
// language model. The players that it plays for share it.
type llmProgram struct {
	command *command

	mu     sync.Mutex
	counts llmCounts
}

// llmCounts are what is written to the file of the option log.
type llmCounts struct {
	// Matches that have begun, decisions, and requests, of which each decision has one or more.
	Matches   int64 `json:"matches"`
	Decisions int64 `json:"decisions"`
	Requests  int64 `json:"requests"`
	// Answers that are no JSON of the form, and those that name no legal action.
	Unreadable int64 `json:"unreadable"`
	Illegal    int64 `json:"illegal"`
	// Forfeits is the number of decisions at which the match was forfeited.
	Forfeits int64 `json:"forfeits"`
	// Tokens are those that the answers report.
	Tokens int64 `json:"tokens"`
}

// llmPlayer plays by a process of a program.
type llmPlayer struct {
	bridge
	program *llmProgram
	encoder *observe.Encoder
	text    [][]byte

	begun     bool           // whether a match is being played
	sentRules *ruleset.Rules // that the process has been sent
	id        int64          // of the last request
	left      int64          // tokens of the match
}

// NewLLM returns a constructor of players by a program that reads a JSON object with an
// observation as text for each decision, and answers by one with an action. The text has
// options, then the command; docs/bots.md lists the options.
func NewLLM(options string) (func() sim.Agent, error) {
	c, err := parseCommand("llm", options)
	if err != nil {
		return nil, err
	}
	p := &llmProgram{command: c}
	return func() sim.Agent {
		spec, err := observe.Lookup("text")
		if err != nil {
			panic(err) // it is one of the program
		}
		return &llmPlayer{bridge: bridge{interruption: newInterruption()}, program: p, encoder: spec.NewEncoder(), text: make([][]byte, 1)}
	}, nil
}

// llmRequest is a line to the program.
type llmRequest struct {
	ID int64 `json:"id"`
	// Rules is the ruleset as a file, in the first request of a process and when it changes.
	Rules string `json:"rules,omitempty"`
	// Try counts the requests of the decision from 1, Error is what was wrong with the answer
	// before.
	Try   int    `json:"try"`
	Error string `json:"error,omitempty"`
	// Seconds is the time left for the decision, Tokens what is left for the match.
	Seconds     float64         `json:"seconds"`
	Tokens      int64           `json:"tokens,omitempty"`
	Observation json.RawMessage `json:"observation"`
}

// llmAnswer is a line of the program.
type llmAnswer struct {
	ID int64 `json:"id"`
	// Action is an id or the text of a legal action.
	Action json.RawMessage `json:"action"`
	Tokens int64           `json:"tokens"`
}

// Start implements sim.Starter.
func (a *llmPlayer) Start(r *ruleset.Rules) error {
	a.encoder = a.encoder.Spec().For(r.NumSeats()).NewEncoder()
	return nil
}

// Close implements io.Closer.
func (a *llmPlayer) Close() error {
	a.bridge.leave()
	return a.program.writeLog()
}

// writeLog writes the counts of all players so far.
func (p *llmProgram) writeLog() error {
	if p.command.log == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text, err := json.Marshal(p.counts)
	if err != nil {
		return err
	}
	return os.WriteFile(p.command.log, append(text, '\n'), 0o666)
}

func (p *llmProgram) count(change func(c *llmCounts)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.counts)
}

// Listen implements sim.Listener. It shows where a match begins and ends.
func (a *llmPlayer) Listen(v sim.View, _ []sim.Event) {
	if !a.begun {
		a.left, a.bridge.restarts, a.bridge.reason = a.program.command.tokens, 0, ""
		a.program.count(func(c *llmCounts) { c.Matches++ })
	}
	a.begun = v.Phase() != sim.PhaseOver
}

// Act implements sim.Agent.
func (a *llmPlayer) Act(v sim.View) sim.Action {
	a.program.count(func(c *llmCounts) { c.Decisions++ })
	action, err := a.ask(v)
	if err == nil {
		return action
	}
	a.bridge.kill()
	a.program.count(func(c *llmCounts) { c.Forfeits++ })
	a.bridge.reason = reason("an observation", v, err)
	return sim.NoAction
}

// errTokens is the error of a match whose answers have taken all tokens.
var errTokens = errors.New("the tokens of the match are used up")

// ask requests an action until the answer is legal, as often as tries allows.
func (a *llmPlayer) ask(v sim.View) (sim.Action, error) {
	a.text[0] = a.text[0][:0]
	a.encoder.Append(a.text, v, nil)
	request := llmRequest{Observation: json.RawMessage(a.text[0])}
	limit := a.program.command.timeout
	var wrong error
	for request.Try = 1; request.Try <= a.program.command.tries; request.Try++ {
		if a.program.command.tokens > 0 && a.left <= 0 {
			return sim.NoAction, errTokens
		}
		if wrong != nil {
			request.Error = wrong.Error()
		}
		begun := time.Now()
		answer, err := a.exchange(v, &request, limit)
		limit -= time.Since(begun)
		if err != nil {
			return sim.NoAction, err
		}
		var action sim.Action
		if action, wrong = a.read(answer, &request, v); wrong == nil {
			return action, nil
		}
		if limit <= 0 {
			return sim.NoAction, fmt.Errorf("%w: %v", errLate, a.program.command.timeout)
		}
	}
	return sim.NoAction, wrong
}

// exchange sends a request and returns the answer. A process that has ended is restarted.
func (a *llmPlayer) exchange(v sim.View, request *llmRequest, limit time.Duration) (answer []byte, err error) {
	for {
		if a.bridge.process == nil {
			if a.bridge.process, err = a.program.command.start(a.bridge.interruption.ctx, v.Player()); err != nil {
				return nil, err
			}
			a.sentRules, limit = nil, max(limit, a.program.command.startup)
		}
		a.id++
		request.ID, request.Seconds, request.Tokens, request.Rules = a.id, limit.Seconds(), a.left, ""
		if r := v.Rules(); a.sentRules != r {
			a.sentRules = r
			if r.Source != nil {
				request.Rules = r.Source()
			}
		}
		line, err := json.Marshal(request)
		if err != nil {
			return nil, err
		}
		a.program.count(func(c *llmCounts) { c.Requests++ })
		answer, err = a.bridge.process.exchangeLines(append(line, '\n'), limit)
		if err == nil {
			return answer, nil
		}
		a.bridge.process = nil
		if !a.bridge.restart(a.program.command, err) {
			return nil, err
		}
	}
}

// read returns the action of an answer. Its errors are sent to the program with the next
// request.
func (a *llmPlayer) read(line []byte, request *llmRequest, v sim.View) (sim.Action, error) {
	var answer llmAnswer
	err := json.Unmarshal(line, &answer)
	switch {
	case err != nil:
		err = fmt.Errorf("the answer %s is not JSON of the form {\"id\":%d,\"action\":...}: %w", shorten(string(line)), request.ID, err)
	case answer.ID != request.ID:
		err = fmt.Errorf("the answer has the id %d; the request has %d", answer.ID, request.ID)
	case answer.Tokens < 0:
		err = fmt.Errorf("tokens: %d; allowed: from 0", answer.Tokens)
	}
	if err != nil {
		a.program.count(func(c *llmCounts) { c.Unreadable++ })
		return sim.NoAction, err
	}
	a.left -= answer.Tokens
	a.program.count(func(c *llmCounts) { c.Tokens += answer.Tokens })
	legal := v.Legal()
	named := string(bytes.Trim(bytes.TrimSpace(answer.Action), `"`))
	for action := range legal.All {
		if named == action.String() || named == strconv.Itoa(int(action)) {
			return action, nil
		}
	}
	a.program.count(func(c *llmCounts) { c.Illegal++ })
	return sim.NoAction, fmt.Errorf("the action %s is not legal; legal: %v", shorten(named), legal)
}
