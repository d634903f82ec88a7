// Package transcript writes a match as text for people; docs/transcript.md tells
// how to read it.
package transcript

import (
	"bufio"
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Transcript is a match as text for people; docs/transcript.md tells how to read
// it.
type Transcript struct {
	rules   *ruleset.Rules
	match   *sim.Match
	agents  [sim.NumPlayers]string
	viewer  sim.Player
	limited bool // to what viewer sees
}

// New returns the transcript of a match that was played or replayed
// under the rules. Patterns are written if the values of the match were kept.
// The agents are the names of those who played for players 0 to 3; empty ones
// are left out.
func New(r *ruleset.Rules, m *sim.Match, agents [sim.NumPlayers]string) Transcript {
	return Transcript{rules: r, match: m, agents: agents}
}

// For returns the transcript with what player p saw: the tiles that others are
// dealt, draw and hold are left out until they are shown to all.
func (t Transcript) For(p sim.Player) Transcript {
	t.viewer, t.limited = p, true
	return t
}

// Write writes the whole match.
func (t Transcript) Write(w io.Writer) error { return t.write(w, 0, len(t.match.Hands)) }

// WriteHand writes hand number n of the match, counted from 0, and the standings
// after the last one. The error tells which hands there are if n is none.
func (t Transcript) WriteHand(w io.Writer, n int) error {
	if n < 0 || n >= len(t.match.Hands) {
		return fmt.Errorf("transcript: no hand %d: the match has hands 0 to %d", n, len(t.match.Hands)-1)
	}
	return t.write(w, n, n+1)
}

// write writes the hands from number first up to end. Those before are followed
// for the seats and points.
func (t Transcript) write(w io.Writer, first, end int) error {
	m := t.match
	s := &scribe{Transcript: t}
	for p := range s.seats {
		s.seats[p].points = int32(t.rules.StartingPoints * t.rules.Unit())
	}
	for n := range end {
		s.hand = n
		s.out = bufio.NewWriter(io.Discard)
		if n >= first {
			s.out = bufio.NewWriter(w)
		}
		if n == first {
			s.heading()
		}
		events := m.Events[m.Hands[n].Event:]
		if n+1 < len(m.Hands) {
			events = m.Events[m.Hands[n].Event:m.Hands[n+1].Event]
		}
		for _, e := range events {
			s.event(e)
		}
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}
