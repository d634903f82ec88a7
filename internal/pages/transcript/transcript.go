// Package transcript writes a match as text for people:
//
//	err := transcript.New(rules, match, names).Write(os.Stdout)
//
// Its terms are those of package board, which the replay in a browser has too. docs/transcript.md
// has an example.
//
// # What a line has
//
//   - hand: wind round, dealer, repeats (`honba`) and sticks; then each player's seat wind,
//     points and dealt tiles.
//   - turn: what a player does until the discard, and then holds: concealed tiles, melds and
//     flowers, with bars between. `*` marks a discard of the tile just drawn. `0m`, `0p`,
//     `0s` are red fives.
//   - `replaces`: the drawn tile replaces a kan, a flower or a North set aside.
//   - `pon 1z of 0 with 11z`: the claimed tile, who discarded it, the own tiles laid down.
//   - `kita 4z`: a North set aside, where three play; a win on it is `wins on 4z of 1, set
//     aside`.
//   - `declares ready`, `ready`: the first stands before the discard, the second once no
//     player has won on it; `ready (heaven)` and others are declarations in the first turn.
//     Riichi has `declares riichi`, `riichi`, `double riichi`, and at an exhausted wall
//     `tenpai` and `noten`.
//   - win: the hand, the winning tile apart; ura indicators; the patterns with what each
//     counts, or `no pattern`; the value, with the limit and a minimum above one; points.
//   - payment: its reason and items: `win`, `repeats` (`honba`), `sticks`, `riichi`,
//     `noten`, `nagashi`, `award`, `debt`. The pot is what lies on the table.
//   - ends: points after each hand and whether the deal stays; after the match ranks, points
//     and placement points.
//
// # Items of payments
//
// Every payment can be computed again from its items:
//
//   - `base 8`: what every payer pays whatever the hand (MCR, Taiwanese)
//   - `hand 13`: what the patterns add for this payer (MCR, Zung Jung, Hong Kong-Taiwanese,
//     Taiwanese)
//   - `dealer 10`, `streak 20`: the dealer item and its repeats, where the dealer wins or
//     pays (Hong Kong-Taiwanese, Taiwanese)
//   - `dealer`: the dealer wins, or pays a self-draw (riichi)
//   - `liability`: the payer is liable, or pays less because of a liable player (riichi,
//     Hong Kong Old Style)
//   - `same-round immunity`: another than the giver is responsible, or no player (Zung Jung)
//   - `3 × 300`: their number and worth (honba and sticks)
//   - `9 of 19`: what is paid of it (debts)
//   - `debt 38 of 25`: what has become of the debt before this win (debts that grow)
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
