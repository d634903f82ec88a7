// Package away lets agents play at the tables of other programs. A [Seat] follows the messages of
// a match by the engine's own state, so that an agent has the view that it has at a table of this
// program, and answers what a dialect asks:
//
//	seat := away.NewSeat(away.Options{Rules: rules, NewAgent: newAgent, Seed: 1, Log: log})
//	err := away.MJAI(seat, os.Stdin, os.Stdout)
//
// The messages are read by the readers of records, below internal/record. docs/bots.md
// describes the dialects.
package away

import (
	"errors"
	"fmt"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Options are what a [Seat] plays by.
type Options struct {
	// Rules returns the rules of a match, given the preset that the messages show and the knobs
	// that they state.
	Rules func(preset string, knobs map[string]any) (*ruleset.Rules, error)
	// NewAgent makes the agent. It plays one match after another.
	NewAgent func() sim.Agent
	// Seed is that of a run: match number n has its seed of number n.
	Seed uint64
	// Player is the player where the other program does not say.
	Player sim.Player
	// Limit is the time for an answer, after which it is the default action; 0 for none.
	Limit time.Duration
	// Log receives a line about a message that could not be followed, or a difference.
	Log func(line string)
}

// Seat is an agent at the tables of another program.
type Seat struct {
	options  Options
	agent    sim.Agent
	started  *ruleset.Rules // of the agent
	follower *sim.Follower
	matches  uint64
	event    int  // number of the message
	due      bool // a decision has not been answered
	open     bool // a hand has begun and not ended
	lost     bool // the hand cannot be followed
	refused  bool // a message could not be parsed
	// Lost counts the hands that could not be followed.
	Lost int
	// late receives the answer of an agent that took too long, nil if none is thinking.
	late   chan answer
	events []sim.Event // for an agent that listens
}

// ErrLost is the error of a match that could not be followed; the log has the reasons.
var ErrLost = errors.New("a hand or match could not be followed")

// NewSeat returns a seat.
func NewSeat(o Options) *Seat { return &Seat{options: o} }

// Close ends the agent.
func (s *Seat) Close() error {
	if s.agent == nil {
		return nil
	}
	return sim.CloseAgent(s.agent)
}

// Err returns ErrLost if a hand could not be followed, or if no match began among messages that
// could not be parsed, as where the other program speaks another protocol.
func (s *Seat) Err() error {
	if s.Lost > 0 || s.refused && s.matches == 0 {
		return ErrLost
	}
	return nil
}

func (s *Seat) logf(format string, args ...any) {
	s.options.Log(fmt.Sprintf("event %d: ", s.event) + fmt.Sprintf(format, args...))
}

// refuse notes that a message could not be parsed.
func (s *Seat) refuse(err error) {
	s.logf("%v", err)
	s.refused = true
}

// lose notes that the rest of the hand cannot be followed.
func (s *Seat) lose(err error) {
	if at, ok := errors.AsType[*record.PlaceError](err); ok {
		err = errors.New(at.Message) // its place is the number of the event
	}
	s.logf("%v", err)
	if !s.lost {
		s.Lost++
	}
	s.lost, s.due = true, false
}

// begin begins a match in which the agent is player p.
func (s *Seat) begin(preset string, knobs map[string]any, p sim.Player) error {
	r, err := s.options.Rules(preset, knobs)
	if err != nil {
		return err
	}
	if s.agent == nil {
		s.agent = s.options.NewAgent()
	}
	if s.started == nil || s.started.Hash != r.Hash {
		if err := sim.StartAgent(s.agent, r); err != nil {
			return err
		}
		s.started = r
	}
	f, err := sim.NewFollower(s.started, p, sim.MatchSeed(s.options.Seed, s.matches))
	if err != nil {
		return err
	}
	s.follower = f
	s.matches++
	s.lost, s.due = false, false
	return nil
}

// follow plays what a message adds.
func (s *Seat) follow(step reading.Step) error {
	for _, n := range step.Notes {
		s.logf("%s", n.Message)
	}
	if s.follower == nil {
		return nil
	}
	if !s.lost {
		if err := s.apply(step.Last); err != nil {
			return err
		}
	}
	if step.Gained != nil {
		s.follower.EndHand(*step.Gained)
	}
	if h := step.Begun; h != nil {
		if s.open && !s.lost {
			s.lose(errors.New("a hand begins before the end of the hand before"))
		}
		s.open, s.lost = true, false
		p := s.follower.Player()
		state := *h.Start
		if state.Points == ([sim.NumPlayers]int32{}) {
			state.Points = s.follower.Points()
		}
		if err := s.follower.StartHand(state, h.Deal[p]); err != nil {
			return err
		}
	}
	if s.lost {
		return nil
	}
	return s.apply(step.Events)
}

func (s *Seat) apply(events []record.Event) error {
	for _, e := range events {
		if err := s.follower.Apply(e.Event); err != nil {
			return err
		}
		switch e.Type {
		case sim.EvIndicator, sim.EvReady:
		case sim.EvWin, sim.EvAbort, sim.EvExhausted:
			s.open = false
		default:
			s.due = true
		}
		if d := s.follower.Difference(); d != "" {
			s.logf("%s", d)
		}
	}
	return nil
}

// decide returns the view of a decision that has not been answered and the answer of the agent.
func (s *Seat) decide() (v sim.View, a sim.Action, asked bool) {
	if !s.due || s.lost || s.follower == nil {
		return v, sim.NoAction, false
	}
	s.due = false
	v, asked, err := s.follower.Ask()
	switch {
	case err != nil:
		s.lose(err)
		return v, sim.NoAction, false
	case !asked:
		return v, sim.NoAction, false
	}
	table := s.follower.Table()
	s.events = append(s.events, s.follower.TakeEvents()...)
	return v, s.act(table.View(v.Player()), true), true
}

// discardAfter returns the discard that follows claim a, for protocols that name both at once. A
// listener receives the claim when it has been carried out.
func (s *Seat) discardAfter(v sim.View, a sim.Action) (tile.Face, error) {
	e := sim.Event{Type: sim.EvPon, Player: v.Player(), Tile: v.ClaimableTile(), Detail: sim.PackCall(v.Turn(), 0, int(a-sim.ActPon))}
	if a < sim.ActPon {
		e.Type, e.Detail = sim.EvChi, sim.PackCall(v.Turn(), int(a-sim.ActChi)%3, int(a-sim.ActChi)/3)
	}
	after, _, err := s.follower.Try(e)
	if err != nil {
		return tile.NoFace, err
	}
	return tile.Face(s.act(after, false)), nil
}

// act returns the answer of the agent at a view that stays valid: an agent that is late still
// reads it when the match has gone on. It is the default action if there is none in time. If
// listens is set, an agent that listens receives the events before.
func (s *Seat) act(v sim.View, listens bool) sim.Action {
	legal := v.Legal()
	if legal.Len() == 1 { // no agent is asked about a forced move
		return legal.First()
	}
	var timeout <-chan time.Time
	if s.options.Limit > 0 {
		timer := time.NewTimer(s.options.Limit)
		defer timer.Stop()
		timeout = timer.C
	}
	if s.late != nil { // it still thinks about a decision before
		select {
		case <-s.late:
			s.late = nil
		case <-timeout:
			s.logf("no answer within %v; the answer is %v", s.options.Limit, sim.DefaultAction(&legal))
			return sim.DefaultAction(&legal)
		}
	}
	var events []sim.Event
	if listens {
		events, s.events = s.events, nil
	}
	thought := make(chan answer, 1)
	think := func() {
		if l, ok := sim.As[sim.Listener](s.agent); ok && listens {
			l.Listen(v, events)
		}
		a, err := sim.Ask(s.agent, v)
		thought <- answer{a, err}
	}
	if timeout == nil {
		think()
	} else {
		go think()
	}
	select {
	case a := <-thought:
		if a.err != nil {
			s.logf("%v", a.err)
		}
		return a.action
	case <-timeout:
		s.late = thought
		s.logf("no answer within %v; the answer is %v", s.options.Limit, sim.DefaultAction(&legal))
		return sim.DefaultAction(&legal)
	}
}

// answer is what an agent has answered.
type answer struct {
	action sim.Action
	err    error
}

// end ends the match.
func (s *Seat) end() {
	s.lost = false
	if s.follower == nil {
		return
	}
	if l, ok := sim.As[sim.Listener](s.agent); ok && s.late == nil {
		v := s.follower.EndMatch()
		l.Listen(v, append(s.events, s.follower.TakeEvents()...))
	}
	s.events = nil
	if s.open {
		s.logf("the match ends within a hand")
	}
	s.follower, s.open = nil, false
}
