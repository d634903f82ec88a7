package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// botzoneProgram is a program for Chinese Standard Mahjong on Botzone, shared by the
// players it plays for.
type botzoneProgram struct {
	command *command
	probing probed
	keeps   bool // whether it keeps running after a response; set by probe
}

// botzonePlayer plays by a program that takes requests as on Botzone, where each hand is a
// match of its own.
type botzonePlayer struct {
	bridge  // its process runs between two requests only if the program keeps running
	program *botzoneProgram
	writer  *botzone.Requests

	pending []string // requests to make
	history botzoneHistory
}

// botzoneHistory is the input of a program that has just been started: all requests of the
// match, the responses to all but the last, and the data that it asked to keep.
type botzoneHistory struct {
	Requests   []string        `json:"requests"`
	Responses  []string        `json:"responses"`
	Data       json.RawMessage `json:"data,omitempty"`
	GlobalData json.RawMessage `json:"globaldata,omitempty"`
}

// botzoneReply is the output of a program for one request.
type botzoneReply struct {
	Response   *string         `json:"response"`
	Data       json.RawMessage `json:"data"`
	GlobalData json.RawMessage `json:"globaldata"`
}

// keepRunning is the line after a response by which a program asks to keep running.
const keepRunning = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

// newMatch begins the first request of a match.
const newMatch = "0 "

// NewBotzone returns a constructor of players by a program for Chinese Standard Mahjong on
// Botzone. The text has options, then the command; docs/bots.md lists the options.
func NewBotzone(options string) (func() sim.Agent, error) {
	c, err := parseCommand("botzone", options)
	if err != nil {
		return nil, err
	}
	program := &botzoneProgram{command: c}
	return func() sim.Agent { return newBotzonePlayer(program) }, nil
}

func newBotzonePlayer(p *botzoneProgram) *botzonePlayer {
	return &botzonePlayer{bridge: bridge{interruption: newInterruption()}, program: p}
}

// Start implements sim.Starter.
func (a *botzonePlayer) Start(r *ruleset.Rules) error {
	if _, err := botzone.NewRequests(r, 0); err != nil {
		return fmt.Errorf("agents: botzone: %w", err)
	}
	return a.program.probing.once(a.bridge.interruption.ctx, a.program.probe)
}

// Listen implements sim.Listener.
func (a *botzonePlayer) Listen(v sim.View, events []sim.Event) {
	if a.writer == nil {
		w, err := botzone.NewRequests(v.Rules(), v.Player())
		if err != nil {
			a.bridge.reason = err.Error()
			return
		}
		a.writer, a.pending, a.bridge.reason = w, nil, ""
	}
	a.pending = a.writer.Append(a.pending, events)
	// A hand that has ended makes no more requests, as on Botzone: a program that counts the tiles
	// of another wall may claim its last discard.
	for i, request := range slices.Backward(a.pending) {
		if strings.HasPrefix(request, newMatch) {
			a.pending = slices.Delete(a.pending, 0, i)
			break
		}
	}
	if v.Phase() == sim.PhaseOver {
		a.writer = nil
		a.bridge.leave() // on Botzone no process lives longer than a match
	}
}

// Act implements sim.Agent.
func (a *botzonePlayer) Act(v sim.View) sim.Action {
	if a.bridge.reason != "" {
		return sim.NoAction
	}
	a.pending = a.writer.AppendDeal(a.pending)
	request := "the discard after its claim"
	if n := len(a.pending); n > 0 {
		request = a.pending[n-1]
	}
	action, err := a.ask(v)
	if err != nil {
		a.bridge.leave()
		a.bridge.reason = reason(request, v, err)
	}
	return action
}

func (a *botzonePlayer) ask(v sim.View) (sim.Action, error) {
	if discard, err := a.writer.Discard(v); err != nil || discard != sim.NoAction {
		return discard, err
	}
	last := ""
	for i, request := range a.pending {
		if strings.HasPrefix(request, newMatch) {
			a.bridge.leave()
			a.history, a.bridge.restarts = botzoneHistory{Responses: []string{}, GlobalData: a.history.GlobalData}, 0
		}
		response, err := a.respond(request)
		if err != nil {
			return sim.NoAction, err
		}
		// A draw without a choice may be answered in any way.
		if i < len(a.pending)-1 && response != "PASS" && !strings.HasPrefix(request, "2 ") {
			return sim.NoAction, fmt.Errorf("request %q: response %q; want PASS", request, shorten(response))
		}
		last = response
	}
	a.pending = a.pending[:0]
	return a.writer.Action(v, last)
}

// respond returns the response to a request. A program that ended without one is restarted.
func (a *botzonePlayer) respond(request string) (string, error) {
	a.history.Requests = append(a.history.Requests, request)
	for {
		reply, err := a.turn(request)
		if err == nil {
			a.history.Responses = append(a.history.Responses, *reply.Response)
			a.history.Data = reply.Data
			if reply.GlobalData != nil {
				a.history.GlobalData = reply.GlobalData
			}
			return *reply.Response, nil
		}
		if !a.bridge.restart(a.program.command, err) {
			return "", err
		}
	}
}

// turn makes a request, of the running process or of a new one with all of the match.
func (a *botzonePlayer) turn(request string) (reply botzoneReply, err error) {
	text, limit := a.program.request(request), a.program.command.timeout
	started := a.bridge.process == nil
	if started {
		if a.bridge.process, err = a.program.command.start(a.bridge.interruption.ctx, a.writer.Player()); err != nil {
			return reply, err
		}
		text = a.program.allRequests(&a.history)
		if len(a.history.Responses) == 0 {
			limit = a.program.command.startup
		}
	}
	kept := false
	err = a.bridge.process.within(limit, func() error {
		if err := a.bridge.process.send(text); err != nil {
			return err
		}
		if !a.program.keeps {
			a.bridge.process.in.Close()
		}
		reply, kept, err = a.program.receive(a.bridge.process)
		return err
	})
	if err != nil {
		a.bridge.kill()
	} else if !kept {
		a.bridge.leave()
	}
	return reply, err
}

// request returns the lines of a request to a running program.
func (p *botzoneProgram) request(request string) []byte {
	if p.command.io == "simple" {
		return []byte(request + "\n")
	}
	return jsonLine(request)
}

// allRequests returns the lines of the whole match for a new process.
func (p *botzoneProgram) allRequests(t *botzoneHistory) []byte {
	if p.command.io != "simple" {
		return jsonLine(t)
	}
	text := fmt.Appendln(nil, len(t.Requests))
	for i, request := range t.Requests {
		text = fmt.Appendln(text, request)
		if i < len(t.Responses) {
			text = fmt.Appendln(text, t.Responses[i])
		}
	}
	return text
}

func jsonLine(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, and data that a program has sent as JSON
	}
	return append(text, '\n')
}

// receive reads a response and whether the program asks to keep running. Other lines after
// the response are skipped.
func (p *botzoneProgram) receive(from *process) (reply botzoneReply, kept bool, err error) {
	line, err := from.receive()
	if err != nil {
		return reply, false, err
	}
	if text := string(line); p.command.io == "simple" {
		reply.Response = &text
	} else if err := json.Unmarshal(line, &reply); err != nil || reply.Response == nil {
		return reply, false, fmt.Errorf(`response %s: want an object such as {"response":"PASS"}; a program that prints bare text takes io=simple`, shorten(text))
	}
	for {
		line, err := from.receive()
		switch {
		case errors.Is(err, errDied):
			return reply, false, nil
		case err != nil:
			return reply, false, err
		case string(line) == keepRunning:
			return reply, true, nil
		}
	}
}

// inputTime is how long a probe leaves the input of a program open before it has responded:
// some programs respond only at the end of their input.
const inputTime = time.Second

// probe makes the first request of a match in each form, to find out the form that the
// program uses and whether it keeps running. The error is why the program cannot be used.
func (p *botzoneProgram) probe(ctx context.Context) error {
	forms := []string{p.command.io}
	if p.command.io == "" {
		forms = []string{"json", "simple"}
	}
	// All at once: a program may wait forever for input in the other form.
	type result struct {
		form  string
		keeps bool
		err   error
	}
	results := make(chan result, len(forms))
	for _, form := range forms {
		go func() {
			c := *p.command
			c.io = form
			keeps, err := c.respondsFirst(ctx)
			results <- result{form, keeps, err}
		}()
	}
	var errs []string
	for range forms {
		r := <-results
		if r.err == nil && ctx.Err() == nil {
			p.command.io, p.keeps = r.form, r.keeps
			return nil
		}
		errs = append(errs, fmt.Sprintf("with io=%s: %v", r.form, r.err))
	}
	slices.Sort(errs)
	return fmt.Errorf("agents: botzone: %s does not respond to the first request; %s", p.command, strings.Join(errs, "; "))
}

// respondsFirst makes the first request of a match and reports whether the program keeps
// running.
func (c *command) respondsFirst(ctx context.Context) (keeps bool, err error) {
	process, err := c.start(ctx, 0)
	if err != nil {
		return false, err
	}
	defer process.kill()
	p := &botzoneProgram{command: c}
	// A program that does not keep running may respond at the end of its input only.
	err = process.within(c.startup, func() error {
		if err := process.send(p.allRequests(&botzoneHistory{Requests: []string{"0 0 0"}, Responses: []string{}})); err != nil {
			return err
		}
		ending := time.AfterFunc(inputTime, func() { process.in.Close() })
		defer ending.Stop()
		var reply botzoneReply
		reply, keeps, err = p.receive(process)
		if err == nil && *reply.Response != "PASS" {
			err = fmt.Errorf("response %s: want PASS", shorten(*reply.Response))
		}
		return err
	})
	return keeps, err
}
