package outside

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Frames is a connection to a program that speaks the protocol of RiichiLab: every frame is a
// JSON object.
type Frames interface {
	// Send sends a frame.
	Send(frame []byte) error
	// Received returns the frames of the program. It is closed when the program has left or
	// was sent away; Err then returns why.
	Received() <-chan []byte
	Err() error
}

// Budget is the time for decisions: Grace for each, and Bank for all of a hand together.
type Budget struct{ Grace, Bank time.Duration }

// RiichiLab plays one match by a program that has connected by itself and speaks the protocol
// of RiichiLab (https://riichi.dev/docs/protocol). docs/bots.md describes the frames.
type RiichiLab struct {
	frames Frames
	budget Budget

	writer *mjai.Writer
	bank   time.Duration // what is left in this hand
	events []string      // lines since the last request
	id     int64         // of the last request
	reason string        // of the forfeit, "" without one
}

// NewRiichiLab returns the player of a match by the program of a connection.
func NewRiichiLab(f Frames, b Budget) *RiichiLab {
	return &RiichiLab{frames: f, budget: b, events: []string{}}
}

// CheckRules returns an error if mjai has no words for a match under some rules.
func CheckRules(r *ruleset.Rules) error {
	_, err := mjai.NewWriter(r, mjaiNames)
	return err
}

// Explain implements sim.Explainer.
func (a *RiichiLab) Explain() string { return a.reason }

// Listen implements sim.Listener. It sends the events at once.
func (a *RiichiLab) Listen(v sim.View, events []sim.Event) {
	if a.reason != "" {
		return
	}
	if a.writer == nil {
		w, err := mjai.NewWriter(v.Rules(), mjaiNames)
		if err != nil {
			a.reason = err.Error()
			return
		}
		a.writer = w.LimitTo(v.Player())
	}
	if beginsHand(events) {
		a.bank = a.budget.Bank
	}
	for line := range bytes.Lines(a.writer.Append(nil, events)) {
		line = bytes.TrimSpace(line)
		a.events = append(a.events, string(line))
		if err := a.frames.Send(line); err != nil {
			a.reason = err.Error()
			return
		}
	}
}

// Act implements sim.Agent.
func (a *RiichiLab) Act(v sim.View) sim.Action {
	if a.reason != "" {
		return sim.NoAction
	}
	if action, ok := withoutMessage(v); ok {
		return action
	}
	asked := ""
	if len(a.events) > 0 {
		asked = a.events[len(a.events)-1]
	}
	action, err := a.ask(v, false, (*mjai.Message).Action)
	if errors.Is(err, mjai.ErrReach) {
		// The discard is requested after the reach.
		asked = fmt.Sprintf(`{"type":"reach","actor":%d}`, v.Player())
		a.events = append(a.events, asked)
		if err = a.frames.Send([]byte(asked)); err == nil {
			action, err = a.ask(v, true, (*mjai.Message).ReadyAction)
		}
		a.writer.SkipReach()
	}
	if err != nil {
		a.reason = reason(asked, v, err)
		return sim.NoAction
	}
	return action
}

// budgetFrame is the time of a request.
type budgetFrame struct {
	Grace    int64 `json:"grace_ms"`
	Bank     int64 `json:"bank_ms"`
	Deadline int64 `json:"deadline_ms"`
}

// requestFrame asks for an action.
type requestFrame struct {
	Type     string          `json:"type"`
	ID       int64           `json:"request_id"`
	Time     budgetFrame     `json:"time"`
	Possible []*mjai.Message `json:"possible_actions"`
	State    string          `json:"observation"`
}

// ackFrame says what became of an answer.
type ackFrame struct {
	Type      string        `json:"type"`
	ID        int64         `json:"request_id"`
	Status    string        `json:"status"`
	Action    *mjai.Message `json:"action,omitempty"` // played in place of a late answer
	Reason    string        `json:"reason,omitempty"`
	Attempted *mjai.Message `json:"attempted,omitempty"`
	Legal     []string      `json:"legal_types,omitempty"`
	Elapsed   int64         `json:"elapsed_ms"`
	Consumed  int64         `json:"bank_consumed_ms"`
	Bank      int64         `json:"bank_ms"`
}

// The words for what became of an answer.
const (
	accepted    = "accepted"
	rejected    = "rejected"
	unparseable = "unparseable"
	stale       = "stale"
	defaulted   = "defaulted"
)

// maxExtra is the number of frames that a program may send for a decision besides the answer.
const maxExtra = 16

// errFlood is the error of a program that sends more than answers.
var errFlood = fmt.Errorf("it has sent more than %d frames that are no answers", maxExtra)

// ask requests an action and returns the one of the answer.
func (a *RiichiLab) ask(v sim.View, declared bool, m translator) (sim.Action, error) {
	r := newRequest(v, declared, a.events)
	a.events = []string{}
	a.id++
	limit := a.budget.Grace + a.bank
	text, err := json.Marshal(requestFrame{
		Type: "request_action", ID: a.id, Possible: r.possible, State: base64.StdEncoding.EncodeToString(r.state.encode()),
		Time: budgetFrame{a.budget.Grace.Milliseconds(), a.bank.Milliseconds(), limit.Milliseconds()},
	})
	if err != nil {
		panic(err) // strings and numbers can be written
	}
	a.drain()
	start := time.Now()
	if err := a.frames.Send(text); err != nil {
		return sim.NoAction, err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for range maxExtra + 1 {
		ack := ackFrame{Type: "action_ack", ID: a.id}
		var action sim.Action
		var err error
		select {
		case frame, ok := <-a.frames.Received():
			if !ok {
				return sim.NoAction, a.frames.Err()
			}
			action, err = a.read(frame, &ack, v, m)
		case <-timer.C:
			legal := v.Legal()
			ack.Status = defaulted
			ack.Action, _ = mjai.Answer(v, sim.DefaultAction(&legal))
			err = fmt.Errorf("%w: %v", errLate, limit)
		}
		elapsed := time.Since(start)
		ack.Elapsed = elapsed.Milliseconds()
		final := ack.Status != unparseable && ack.Status != stale
		if used := min(max(0, elapsed-a.budget.Grace), a.bank); final {
			a.bank -= used
			ack.Consumed = used.Milliseconds()
		}
		ack.Bank = a.bank.Milliseconds()
		if ack.Status == rejected {
			ack.Legal = types(r.possible)
		}
		text, failed := json.Marshal(ack)
		if failed != nil {
			panic(failed) // strings and numbers can be written
		}
		if failed = a.frames.Send(text); failed != nil && (err == nil || errors.Is(err, mjai.ErrReach)) {
			return sim.NoAction, failed
		}
		if final {
			return action, err
		}
	}
	return sim.NoAction, errFlood
}

// drain drops the frames that came before a request, which answer nothing.
func (a *RiichiLab) drain() {
	for {
		select {
		case _, ok := <-a.frames.Received():
			if !ok {
				return
			}
		default:
			return
		}
	}
}

// read reads an answer and returns its action. It sets what the ack says of it. An answer
// without request_id, as the first clients of the protocol send it, is for the last request.
func (a *RiichiLab) read(frame []byte, ack *ackFrame, v sim.View, m translator) (sim.Action, error) {
	var answer struct {
		ID *int64 `json:"request_id"`
	}
	message, err := mjai.Parse(frame)
	if err == nil {
		err = json.Unmarshal(frame, &answer)
	}
	switch {
	case err != nil:
		ack.Status = unparseable
		return sim.NoAction, nil
	case answer.ID != nil && *answer.ID != a.id:
		ack.Status, ack.ID = stale, *answer.ID
		return sim.NoAction, nil
	}
	message.Actor = nil // the connection decides who acts
	action, err := m(message, v)
	ack.Status = accepted
	if err != nil && !errors.Is(err, mjai.ErrReach) {
		ack.Status, ack.Reason, ack.Attempted = rejected, shorten(err.Error()), message
		err = fmt.Errorf("answer %s: %w", shorten(string(frame)), err)
	}
	return action, err
}

// types returns the types of messages, each once.
func types(list []*mjai.Message) (types []string) {
	for _, m := range list {
		if !slices.Contains(types, m.Type) {
			types = append(types, m.Type)
		}
	}
	return types
}

// withoutMessage returns the answer to a decision for which mjai has no messages.
func withoutMessage(v sim.View) (sim.Action, bool) {
	legal := v.Legal()
	switch v.Phase() {
	case sim.PhaseDeclare:
		return sim.ActTenpai, true
	case sim.PhaseBetween:
		if legal.Has(sim.ActEndMatch) {
			return sim.ActEndMatch, true
		}
		return sim.ActPass, true
	}
	return sim.NoAction, false
}
