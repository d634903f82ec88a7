package sim

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// The methods below serve control variates of luck, which compare the tile that was
// drawn with all tiles that could have been drawn.

// ReplaySteps replays a recorded match and calls step for each answer, with the table before
// it, the answer and the events that follow, if any. before is nil where a hand begins and
// where the match is truncated. Table and events are valid until step returns.
// The error is that of [Match.Replay].
//
// Like a replay from a dataset it leaves out the forfeits that do not end the match, so that
// what is measured in play and from a dataset is the same.
func (m *Match) ReplaySteps(r *ruleset.Rules, step func(before *Table, p Player, a Action, events []Event)) error {
	again := Match{
		Seed: m.Seed, Sealed: m.Sealed, Walls: m.Walls, Start: m.Start, RoundWind: m.RoundWind,
		onStep: step,
	}
	return again.Replay(r, m.Actions, m.Forfeited)
}

// reportStep calls onStep with the events since its last call; without an answer only if there
// are any.
func (m *Match) reportStep(before *Table, p Player, a Action) {
	if m.onStep == nil || before == nil && m.reported == len(m.Events) {
		return
	}
	m.onStep(before, p, a, m.Events[m.reported:])
	m.reported = len(m.Events)
}

// ReplaceNextDraw swaps two hidden tiles of a table so that the next draw is f. events
// are those of the step about to be made; the last must be the draw, otherwise it
// panics. It reports false and changes nothing if no hidden tile is f.
func (t *Table) ReplaceNextDraw(events []Event, f tile.Face) bool {
	if n := len(events); n == 0 || events[n-1].Type != EvDraw {
		panic("sim: ReplaceNextDraw called with events that do not end with a draw")
	}
	ahead, at := *t, 0
	for _, e := range events {
		switch {
		case e.Type == EvIndicator && !e.Ura():
			ahead.indicators++
		case e.Type != EvDraw:
		case e.Detail == uint8(FromWall):
			at = ahead.frontPlace(t.chairOf[e.Player])
		default:
			at = ahead.replacementPlace(t.chairOf[e.Player])
		}
	}
	for i := range t.wallEnd() {
		if t.wall[i] == f && (i == at || ahead.wallHidden(i)) {
			t.wall[i], t.wall[at] = t.wall[at], f
			return true
		}
	}
	return false
}

// WithDraw returns a copy of the table in which it is the turn of p, who has drawn f from
// the wall. It serves to query what an agent would do there; the match cannot be continued
// from it. It panics between hands.
func (t *Table) WithDraw(p Player, f tile.Face) Table {
	if t.phase == PhaseDeal || t.phase >= PhaseBetween {
		panic(fmt.Sprintf("sim: WithDraw called in phase %s", t.phase))
	}
	s := *t
	c := s.chairOf[p&3]
	if s.phase == PhaseTurn && s.turn == c && s.drawn != tile.NoFace {
		s.removeTile(c, s.drawn)
	}
	s.phase, s.turn, s.cause, s.drawn = PhaseTurn, c, FromWall, f
	s.seats[c].bannedKinds = 0
	s.addTile(c, f)
	s.asked, s.askedAll = c.Bit(), c.Bit()
	s.legal[c] = ActionSet{}
	s.turnActions(c, &s.legal[c])
	return s
}
