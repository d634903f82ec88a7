package tables

import (
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// rest excludes Look while tables may change. The scheduler's goroutine holds it from the
// first change that a request makes until no table is in play.
type rest struct {
	mu   sync.Mutex
	held bool
}

// SetWatch lets spectators watch the tables, which must not be open yet. It calls begin, and
// no Look has an effect before that returns.
func (s *Scheduler) SetWatch(begin func() sim.Watch) {
	s.rest.mu.Lock()
	defer s.rest.mu.Unlock()
	s.watch = begin()
}

// AgentName returns the name of an agent by its number in a scene: its entry in the seats, or
// "external" for the client. It may be called while spectators are shown a table.
func (s *Scheduler) AgentName(number uint8) string {
	if number == External {
		return "external"
	}
	return s.Config.Agents[number].Name
}

// excludeLook begins a change of tables, at which no spectator may look.
func (s *Scheduler) excludeLook() {
	if s.watch != nil && !s.rest.held {
		s.rest.mu.Lock()
		s.rest.held = true
	}
}

// admitLook ends the changes if no table is in play.
func (s *Scheduler) admitLook() {
	if s.rest.held && s.playing == 0 {
		s.rest.held = false
		s.rest.mu.Unlock()
	}
}

// Look shows table n to spectators if no table is in play. Otherwise it does nothing: the
// next step at the table shows it. Any goroutine may call it.
func (s *Scheduler) Look(n int) {
	if s.rest.mu.TryLock() {
		defer s.rest.mu.Unlock()
		s.show(uint32(n), nil, nil)
	}
}

// show shows what has happened at table n to those who follow it.
func (s *Scheduler) show(n uint32, events []sim.Event, values []ruleset.Value) {
	t := &s.tables[n]
	if t.episode == nil || !s.follows(n) {
		return // not open yet
	}
	s.watch.Show(int(n), &sim.Scene{Table: &t.episode.state, Agents: t.episode.seats, Events: events, Values: values})
}

// follows reports whether spectators follow table n.
func (s *Scheduler) follows(n uint32) bool { return s.watch != nil && s.watch.Follows(int(n)) }
