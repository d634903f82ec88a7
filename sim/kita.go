package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// maySetNorthAside reports whether the player in turn may set a North aside (kita): after a
// draw, while tiles are left; in riichi only the North just drawn (SM 5.1, SM 7.1).
func (t *Table) maySetNorthAside(c ruleset.Chair) bool {
	r := t.rules
	s := &t.seats[c]
	if !s.hand.Kinds().Has(tile.North) || t.left(c) < max(r.KitaMinWall, 1) ||
		t.cause == FromClaim && !r.KitaAfterClaim {
		return false
	}
	return s.ready == NotReady || r.KitaReady == ruleset.KitaReadyDrawn && t.drawn == tile.Face(tile.North)
}

// setNorthAside sets a North of the player in turn aside and opens the window in which the
// others may win on it (SM 5.2).
func (t *Table) setNorthAside(o *events) next {
	c := t.turn
	s := &t.seats[c]
	t.expose(c, tile.North, 1, 0)
	s.norths++
	o.add(EvKita, c, tile.Face(tile.North), 0, 0)
	if t.drawn != tile.Face(tile.North) {
		// The tile drawn before joins the hand.
		t.findWaits(s)
	}
	t.drawn = tile.NoFace
	if t.rules.KitaEndsFirstTurn {
		t.abortable, t.noCalls = false, false
	}
	if t.rules.KitaIndicator == ruleset.KitaBeforeRob {
		t.turnPending(o)
	}
	t.window, t.kanClosed, t.kita = tile.Face(tile.North), false, true
	return t.openRob()
}

// replaceNorth draws the replacement for a North that was not won on.
func (t *Table) replaceNorth(o *events) next {
	s := &t.seats[t.turn]
	s.northsAt[s.norths-1] = t.discards + 1
	o.add(EvKitaDone, t.turn, tile.NoFace, 0, 0)
	if t.rules.KitaEndsOneShot {
		t.endIppatsu()
	}
	t.turnPending(o)
	return t.replace(o, FromKita)
}
