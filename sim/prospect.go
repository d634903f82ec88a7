package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Prospect is the win that a tile would complete, whether or not it would be offered. See
// [View.Prospect].
type Prospect struct {
	// Value is the value of the complete hand without ura dora. The win is offered if Value.OK is
	// set and Locked is not; Value.Shape is false if the tile completes nothing.
	Value ruleset.Value
	// Locked is set if the player may not win on the tile because of own discards or passed wins.
	Locked bool
	// Gain is what the viewer gains by the win, in units, debts included. No other player wins on the
	// same tile.
	Gain int32
}

// AfterDiscard sets t to the table after discard a of the viewer, whose turn it is, before any
// claim. Then it returns the viewer's view of t. A ready declaration counts as accepted, and
// no new indicator is turned, for its tile is hidden. The match cannot be continued from t.
func (v View) AfterDiscard(a Action, t *Table) View {
	*t = *v.t
	t.pending = 0
	var list []Event
	o := &events{list: &list, t: t}
	t.lockDeclined(v.c, a)
	f, marks, tier := tile.Face(a), uint8(0), NotReady
	drawn := a == ActDiscardDrawn || a == ActReadyDrawn
	switch {
	case drawn:
		f, marks = t.drawn, markDrawn
	case a > ActDiscardDrawn:
		f -= tile.Face(ActReady)
	}
	if a > ActDiscardDrawn {
		marks |= markReady
		tier = t.readyTier(&t.seats[v.c], drawn)
	}
	t.layDown(o, f, marks, tier)
	t.acceptReady(o)
	t.phase, t.asked, t.askedAll = PhaseClaim, 0, 0
	return t.View(v.p)
}

// Prospect sets x to what the viewer could win if f came next: drawn from the wall if from is
// the viewer, otherwise discarded by from. It supposes that until then all draw and discard in turn
// without calls and that the viewer's hand stays. Of the tile that is claimable now, or that the
// viewer has drawn, it describes the win at hand. In an own turn it takes no other tile.
func (v View) Prospect(f tile.Face, from Player, x *Prospect) {
	t := *v.t
	c, k, giver := v.c, f.Kind(), t.chairOf[from&3]
	s := &t.seats[c]
	*x = Prospect{}
	if !s.waits.Has(k) {
		return
	}
	kind := WinDiscard
	switch open := t.turn == giver && t.window == f; {
	case from&3 == v.p:
		kind, giver = WinSelfDraw, ruleset.NoChair
		if t.phase != PhaseTurn || t.turn != c || t.drawn != f {
			t.supposeDraw(c, f)
		}
		x.Locked = t.rules.PassLockBlocksDraw && (s.passLock || s.passedKinds.Has(k))
	case open && t.phase == PhaseRob:
		if kind = WinRob; t.kita {
			kind = WinRobKita
		}
		x.Locked = !t.mayWinOn(s, k, false)
	default:
		if !open || t.phase != PhaseClaim {
			t.supposeDiscard(giver, f)
		}
		x.Locked = !t.mayWinOn(s, k, true)
	}
	var w ruleset.Win
	t.describeWin(&w, c, k, t.winFlags(kind, c))
	t.rules.Value(&w, &x.Value)
	if x.Value.OK {
		var st ruleset.Settlement
		t.openSettlement(&st, kind, giver)
		t.addWinner(&st, c, k).Value = x.Value
		before := st.Ledger
		t.rules.Settle(&st)
		x.Gain = st.Gain(c, &before)
	}
}

// supposeDraw makes f the tile that c draws from the wall in its next turn.
func (t *Table) supposeDraw(c ruleset.Chair, f tile.Face) {
	t.supposeTurns(c)
	t.beginDraw(&t.seats[c])
	t.phase, t.turn, t.cause, t.drawn = PhaseTurn, c, FromWall, f
	t.addTile(c, f)
}

// supposeDiscard makes f the tile that c discards next.
func (t *Table) supposeDiscard(c ruleset.Chair, f tile.Face) {
	if t.turn != c || t.phase == PhaseClaim {
		t.supposeTurns(c)
		t.cause = FromWall
	}
	t.phase, t.turn, t.window = PhaseClaim, c, f
	t.supposeLogged(c, f)
	t.visible[f.Kind()]++
}

// supposeTurns plays the turns until c has drawn. Which tiles come is left open: only their
// number matters, to the last tile of a wall and to wins within so many discards.
func (t *Table) supposeTurns(c ruleset.Chair) {
	at := t.turn
	if t.phase != PhaseClaim {
		t.supposeLogged(at, tile.NoFace)
	}
	for {
		at = t.rules.NextChair(at, 1)
		if t.left(at) > 0 {
			t.frontPlace(at)
		}
		if at == c {
			return
		}
		t.supposeLogged(at, tile.NoFace)
	}
}

func (t *Table) supposeLogged(c ruleset.Chair, f tile.Face) {
	if int(t.discards) < len(t.log) {
		t.log[t.discards] = logEntry{c, f, 0}
		t.discards++
	}
}
