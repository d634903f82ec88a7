package table

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Branch is a moment of a recorded match, from which matches of a sitting go on.
type Branch struct {
	// From is the place of the moment, for the manifests of matches that go on from it.
	From position
	// Digest is the digest of the manifest of the recorded match.
	Digest string
	// Asked is the player who decides next.
	Asked sim.Player

	// match is the recorded match: its seed, start and round wind.
	match *sim.Match
	// walls are the walls of the hands up to the moment, actions the answers before it.
	walls   []sim.Wall
	actions []sim.Action
	// forfeits are those before the moment, of agents with these names.
	forfeits []sim.Forfeit
	names    [sim.NumPlayers]string
}

// NewBranchOf returns a moment of a match that was played under the rules, its choices kept, by players
// of these names. Hand and step are those that the page of the match shows. The error names the number
// that is out of range, or the end of the match.
func NewBranchOf(r *ruleset.Rules, m *sim.Match, names [sim.NumPlayers]string, hand, step int) (*Branch, error) {
	before, err := viewer.EventsBefore(m, hand, step)
	if err != nil {
		return nil, err
	}
	n := 0
	for n < len(m.Choices) && int(m.Choices[n].EventIndex) < before {
		n++
	}
	if n == len(m.Choices) {
		return nil, fmt.Errorf("step %d of hand %d is at the end of the match; no player has a choice after it", step, hand)
	}
	b := &Branch{
		From:  position{Match: m.Index, Hand: hand, Step: step, Actions: n},
		Asked: m.Choices[n].Player, match: m, actions: m.Actions[:n], names: names,
	}
	if r.ForfeitPoints == 0 {
		b.findForfeits()
	}
	t, err := b.start(r)
	if err != nil {
		return nil, err
	}
	rest := b.actions
	for len(b.walls) <= hand {
		m.Deal(&t, len(b.walls), nil)
		b.walls = append(b.walls, t.Wall())
		for p := range t.RestOfHand() {
			if len(rest) == 0 {
				break
			}
			if _, err := t.Step(p, rest[0], nil); err != nil {
				return nil, err
			}
			rest = rest[1:]
		}
	}
	return b, nil
}

// findForfeits sets the forfeits before the moment. A dataset stores who forfeited, and not when.
// Only default answers followed, so it was at the first of them at the earliest, and that is where
// a branch has it.
func (b *Branch) findForfeits() {
	m := b.match
	for players := m.Forfeited; players != 0; players = players.Rest() {
		p, first := players.First(), len(m.Actions)
		for i, c := range slices.Backward(m.Choices) {
			if c.Player == p {
				if m.Actions[i] != sim.DefaultAction(&c.Legal) {
					break
				}
				first = i
			}
		}
		if first < len(b.actions) {
			b.forfeits = append(b.forfeits, sim.Forfeit{Player: p, Decision: first, Answer: sim.NoAction})
		}
	}
}

// start returns the table before the first hand.
func (b *Branch) start(r *ruleset.Rules) (sim.Table, error) {
	return b.match.NewTable(r)
}

// restartBranch is the answer to end a branch after a hand and to begin another.
const restartBranch = sim.NoAction - 1

// startHand deals the next hand: from the wall of the branch as far as it has one.
func (g *game) startHand() []sim.Event {
	b := g.s.o.From
	if b == nil {
		return g.table.StartHand(nil)
	}
	hands := sim.Match{Walls: b.walls}
	events := hands.Deal(&g.table, len(g.walls), nil)
	g.walls = append(g.walls, g.table.Wall())
	return events
}
