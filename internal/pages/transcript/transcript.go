// Package transcript writes a match as text for people:
//
//	err := transcript.New(rules, match, names).Write(os.Stdout)
//
// Its terms are those of package board, which the replay in a browser has too. docs/transcript.md
// explains the text.
package transcript

import (
	"bufio"
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Transcript is a match to be written as text for people.
type Transcript struct {
	rules   *ruleset.Rules
	match   *sim.Match
	agents  [sim.NumPlayers]string
	viewer  sim.Player
	limited bool // to what viewer sees
}

// New returns the transcript of a match that was played or replayed under the rules. It
// includes patterns if the values of the match were kept. agents are the names of the
// agents of the players; empty ones are left out.
func New(r *ruleset.Rules, m *sim.Match, agents [sim.NumPlayers]string) Transcript {
	return Transcript{rules: r, match: m, agents: agents}
}

// SeenBy returns the transcript as seen by player p, without the tiles that others are
// dealt, draw and hold until they are shown to all.
func (t Transcript) SeenBy(p sim.Player) Transcript {
	t.viewer, t.limited = p, true
	return t
}

// Write writes the whole match.
func (t Transcript) Write(w io.Writer) error { return t.write(w, 0, len(t.match.Hands)) }

// WriteHand writes hand number n of the match, from 0, with the final standings after the
// last hand. The error for an n out of range lists the range.
func (t Transcript) WriteHand(w io.Writer, n int) error {
	if n < 0 || n >= len(t.match.Hands) {
		return fmt.Errorf("transcript: no hand %d: the match has hands 0 to %d", n, len(t.match.Hands)-1)
	}
	return t.write(w, n, n+1)
}

// write writes the hands in [first, end). It follows the hands before for the seats and
// points.
func (t Transcript) write(w io.Writer, first, end int) error {
	m := t.match
	s := &writer{Transcript: t, words: board.Words(board.Languages[0], t.rules.Family), hands: record.Hands{Rules: t.rules}, payments: board.NewPayments(t.rules)}
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
		events := m.Events[m.Hands[n].FirstEvent:]
		if n+1 < len(m.Hands) {
			events = m.Events[m.Hands[n].FirstEvent:m.Hands[n+1].FirstEvent]
		}
		s.events = events
		for _, e := range events {
			s.event(e)
		}
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}
