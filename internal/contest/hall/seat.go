package hall

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/contest/league"
	"github.com/sparrowhall/sparrowhall/sim"
)

// player plays a match by a connection.
type player interface {
	sim.Listener
	sim.Explainer
}

// seat is the seat of a bot at a table for one match. It implements sim.Agent.
type seat struct {
	hall *Hall
	bot  league.Bot

	// ctx ends when the run was interrupted.
	ctx    context.Context
	cancel context.CancelFunc
	// guest is nil before and after the match, and while the bot is not connected.
	guest  atomic.Pointer[guest]
	player player
	reason string // of the forfeit, "" without one
}

// NewAgent implements league.Hall.
func (h *Hall) NewAgent(b league.Bot) sim.Agent {
	s := &seat{hall: h, bot: b}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Listen implements sim.Listener.
func (s *seat) Listen(v sim.View, events []sim.Event) {
	if s.player == nil && s.reason == "" {
		g := s.hall.seatGuest(s.ctx, &s.bot)
		if g == nil {
			s.reason = fmt.Sprintf("it was not connected within %v when the match began", s.hall.o.ReturnTime)
			return
		}
		s.player = g.connection.player()
		s.guest.Store(g)
	}
	if s.guest.Load() == nil {
		return
	}
	if v.Phase() == sim.PhaseOver {
		// Who has read the end of a match may rely on it, so it waits until the match is on the disk.
		// The worker plays no other match before, so the view stays valid.
		events = slices.Clone(events)
		s.hall.holdEnd(s, func() { s.end(v, events) })
		return
	}
	s.player.Listen(v, events)
	s.check()
}

// end sends the bot the end of its match.
func (s *seat) end(v sim.View, events []sim.Event) {
	g := s.guest.Load()
	if g == nil {
		return
	}
	g.connection.beginEnd()
	s.player.Listen(v, events)
	s.check()
	if g := s.guest.Swap(nil); g != nil {
		s.hall.endMatch(g)
	}
}

// Act implements sim.Agent.
func (s *seat) Act(v sim.View) sim.Action {
	if s.guest.Load() == nil {
		return sim.NoAction
	}
	a := s.player.Act(v)
	s.check()
	return a
}

// check sends the bot away if it has forfeited.
func (s *seat) check() {
	if s.player.Explain() == "" {
		return
	}
	s.reason = s.player.Explain()
	if g := s.guest.Swap(nil); g != nil {
		s.hall.sendAway(g, "forfeit: "+s.reason)
	}
}

// Explain implements sim.Explainer.
func (s *seat) Explain() string { return s.reason }

// interruptGrace is how long a decision may go on after the run was interrupted.
const interruptGrace = time.Second

// Interrupt implements sim.Interrupter.
func (s *seat) Interrupt() {
	time.AfterFunc(interruptGrace, func() {
		s.cancel()
		if g := s.guest.Load(); g != nil {
			g.connection.dismiss("the run was interrupted")
		}
	})
}

// Close implements io.Closer. A bot whose match was dropped is sent away.
func (s *seat) Close() error {
	s.cancel()
	s.hall.holdEnd(s, nil)
	if g := s.guest.Swap(nil); g != nil {
		s.hall.sendAway(g, "the match was dropped")
	}
	return nil
}
