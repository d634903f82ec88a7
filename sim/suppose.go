package sim

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// What follows is for measures of luck, which set what came against what could have
// come.

// Retrace plays a recorded match over and tells each step at which something happened: the
// table as it was before, what was answered there by whom, and the events that followed.
// Where a hand begins, and where a match is cut off, there is no table. The table and the
// events are valid until step returns. The error says where the match does not fit the
// rules.
func (m *Match) Retrace(r *ruleset.Rules, step func(before *Table, p Player, a Action, events []Event)) error {
	again := Match{
		Seed: m.Seed, Sealed: m.Sealed, Walls: m.Walls, Start: m.Start, RoundWind: m.RoundWind,
		retrace: step,
	}
	return again.Replay(r, m.Actions, m.Forfeited)
}

// tellRetrace tells what has happened since it was called last, if anything has.
func (m *Match) tellRetrace(before *Table, p Player, a Action) {
	if m.retrace == nil || m.told == len(m.Events) {
		return
	}
	m.retrace(before, p, a, m.Events[m.told:])
	m.told = len(m.Events)
}

// Instead changes the hidden tiles of a table that a step of the given events is about to
// be made at, so that the last of the events, a draw, will bring f: the tile that
// would have come lies where f lay. It reports false, and changes nothing, where no
// hidden tile is f. It panics if the last event is no draw.
func (t *Table) Instead(events []Event, f tile.Face) bool {
	if n := len(events); n == 0 || events[n-1].Type != EvDraw {
		panic("sim: Instead of events that do not end with a draw")
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

// Suppose changes the table to one in which it is the turn of p, who has drawn f from the
// wall. It is for asking players what they would do there; a match cannot go on from it.
// It panics between hands.
func (t *Table) Suppose(p Player, f tile.Face) {
	if t.phase == PhaseDeal || t.phase >= PhaseBetween {
		panic(fmt.Sprintf("sim: Suppose called in phase %s", t.phase))
	}
	c := t.chairOf[p&3]
	if t.phase == PhaseTurn && t.turn == c && t.drawn != tile.NoFace {
		t.give(c, t.drawn)
	}
	t.phase, t.turn, t.cause, t.drawn = PhaseTurn, c, FromWall, f
	t.seats[c].banned = 0
	t.take(c, f)
	t.asked, t.askedAll = c.Bit(), c.Bit()
	t.legal[c] = ActionSet{}
	t.turnActions(c, &t.legal[c])
}
