package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// firstWinFlags returns whether a win of c now is a heavenly, earthly or human win by
// the definitions of the family.
func (t *Table) firstWinFlags(c ruleset.Chair) ruleset.Flags {
	s := &t.seats[c]
	selfDraw := c == t.turn
	switch t.rules.FirstWins {
	case ruleset.FirstTurnWins:
		switch {
		case s.discards > 0 || !t.abortable:
			return 0
		case selfDraw && c == t.dealer:
			return ruleset.FlagHeavenly
		case selfDraw:
			return ruleset.FlagEarthly
		case c != t.dealer:
			return ruleset.FlagHuman
		}
	case ruleset.DealtWins:
		voided := t.rules.BlessingsVoid && t.seats[t.dealer].closedKans > 0
		switch {
		case voided:
		case selfDraw && t.discards == 0:
			return ruleset.FlagHeavenly
		case !selfDraw && t.discards == 1:
			return ruleset.FlagEarthly
		}
	case ruleset.GoAroundWins:
		switch {
		case !t.abortable:
		case selfDraw && c == t.dealer && s.discards == 0:
			return ruleset.FlagHeavenly
		case t.rules.EarthlyScope == ruleset.EarthlyFirstDraw && selfDraw && s.discards == 0,
			t.rules.EarthlyScope == ruleset.EarthlyDealerDiscard && !selfDraw && t.discards == 1:
			return ruleset.FlagEarthly
		case !selfDraw && t.discards <= NumPlayers, selfDraw && s.discards == 0:
			return ruleset.FlagHuman
		}
	}
	return 0
}

// copyFlags returns whether a tile of kind k, with which c wins, is the last copy, and
// whether no other tile could still have completed the hand. The three other copies
// must be visible, claimed ones and melds included. Under rivers_only all three must
// be in the rivers for the latter, and c may hold some of them for the former.
func (t *Table) copyFlags(c ruleset.Chair, k tile.Kind) ruleset.Flags {
	s := &t.seats[c]
	// The winning tile itself does not count. It is in the hand or visible: in the
	// river or as the fourth tile of a kan.
	inHand, isOpen := 1, 0
	if c != t.turn {
		inHand, isOpen = 0, 1
	}
	open, held := int(t.visible[k])-isOpen, s.hand.Count(k)-inHand
	if t.rules.TrueLast == ruleset.RiversOnly {
		switch {
		case t.countInRivers(k)-isOpen == 3:
			return ruleset.FlagLastCopy | ruleset.FlagSoleLive
		case open+held == 3:
			return ruleset.FlagLastCopy
		}
		return 0
	}
	if open != 3 {
		return 0
	}
	for others := s.waits &^ k.Bit(); others != 0; others = others.Rest() {
		if o := others.First(); int(t.visible[o])+s.hand.Count(o) < 4 {
			return ruleset.FlagLastCopy
		}
	}
	return ruleset.FlagLastCopy | ruleset.FlagSoleLive
}

// countInRivers counts the unclaimed tiles of kind k in the rivers.
func (t *Table) countInRivers(k tile.Kind) int {
	n := 0
	for _, e := range t.log[:t.discards] {
		if e.face.Kind() == k && e.marks&markClaimed == 0 {
			n++
		}
	}
	return n
}

// countRiverTiles counts the tiles in all rivers for an early win. Flowers never count;
// claimed tiles and the winning discard count by the knobs.
func (t *Table) countRiverTiles(onDiscard bool) uint8 {
	r := t.rules
	n := uint8(0)
	for _, e := range t.log[:t.discards] {
		if !e.face.IsFlower() && (e.marks&markClaimed == 0 || r.WithinCountsClaimed) {
			n++
		}
	}
	if onDiscard && !r.WithinCountsWinning && n > 0 {
		n--
	}
	return n
}

// responsible returns the chair that pays for the discard of a tile of kind k: the
// giver, unless same-round immunity (hktw) shifts the payment.
func (t *Table) responsible(winner, from ruleset.Chair, k tile.Kind) ruleset.Chair {
	if from == ruleset.NoChair || !t.rules.SameRoundImmunity {
		return from
	}
	return ruleset.ResponsibleDiscarder(winner, from, k, func(yield func(ruleset.Chair, tile.Kind) bool) {
		for i := int(t.discards) - 1; i >= 0; i-- {
			if e := t.log[i]; !yield(e.chair, e.face.Kind()) {
				return
			}
		}
	})
}

// drawFlags returns the circumstances of a self-drawn win of c now.
func (t *Table) drawFlags(c ruleset.Chair) ruleset.Flags {
	s := &t.seats[c]
	f := t.readyFlags(s)
	switch t.cause {
	case FromKan:
		f |= ruleset.FlagAfterKan
		if s.kanDraws > 1 {
			f |= ruleset.FlagAfterTwoKans
		}
	case FromFlower:
		f |= ruleset.FlagAfterFlower
	case FromKita:
		f |= ruleset.FlagAfterKita
	}
	if t.wallDone(c) && (t.cause == FromWall || t.rules.LastTileAfterKan) {
		f |= ruleset.FlagLastTile
	}
	return f | t.firstWinFlags(c) | t.copyFlags(c, t.drawn.Kind())
}

// discardFlags returns the circumstances of a win of c on the current discard.
func (t *Table) discardFlags(c ruleset.Chair) ruleset.Flags {
	s := &t.seats[c]
	f := t.readyFlags(s)
	if t.wallDone(t.turn) && (!t.afterReplacement() || t.rules.LastDiscardAfterKan) {
		f |= ruleset.FlagLastTile
	}
	return f | t.firstWinFlags(c) | t.copyFlags(c, t.window.Kind())
}

// robFlags returns the circumstances of a win of c on the tile of a kan. The other
// tiles of an added kan are visible, so its tile is always the last copy.
func (t *Table) robFlags(c ruleset.Chair) ruleset.Flags {
	f := t.readyFlags(&t.seats[c])
	if t.kita {
		return f | ruleset.FlagRobbingKita | t.copyFlags(c, t.window.Kind())
	}
	if t.kanClosed {
		return f | ruleset.FlagRobbingClosedKan
	}
	return f | ruleset.FlagRobbingKan | t.copyFlags(c, t.window.Kind())
}

func (t *Table) readyFlags(s *seat) ruleset.Flags {
	var f ruleset.Flags
	switch s.ready {
	case ReadyOrdinary:
		f = ruleset.FlagRiichi
	case ReadyDouble:
		f = ruleset.FlagDoubleRiichi
	case ReadyHuman:
		f = ruleset.FlagReadyHuman
	case ReadyEarth:
		f = ruleset.FlagReadyEarth
	case ReadyHeaven:
		f = ruleset.FlagReadyHeaven
	}
	if f == ruleset.FlagRiichi && t.rules.Ready == ruleset.Ding {
		f = ruleset.FlagReady
	}
	if s.ippatsu {
		f |= ruleset.FlagIppatsu
	}
	return f
}

func (t *Table) winFlags(kind WinKind, c ruleset.Chair) ruleset.Flags {
	switch kind {
	case WinSelfDraw:
		return t.drawFlags(c)
	case WinRob, WinRobKita:
		return t.robFlags(c)
	case WinFlower:
		if t.seats[c&3].flowers == seasons|plants {
			return ruleset.FlagFlowerWin8
		}
		return ruleset.FlagFlowerWin7
	}
	return t.discardFlags(c)
}
