package sim

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
)

// firstWinFlags returns which of heavenly, earthly and human a win of c now is,
// as the family means these words.
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
		voided := t.rules.BlessingsVoid && t.seats[t.dealer].closed > 0
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
		case !selfDraw && t.discards == 1:
			return ruleset.FlagEarthly
		case !selfDraw && t.discards <= NumPlayers, selfDraw && s.discards == 0:
			return ruleset.FlagHuman
		}
	}
	return 0
}

// copyFlags tells whether a tile of kind k, with which c wins, is the last copy
// and whether it was the only tile that could still have completed the hand.
// The three others lie open, claimed ones and melds included; or under
// rivers_only c may hold some of them, and all three lie in the rivers.
func (t *Table) copyFlags(c ruleset.Chair, k tile.Kind) ruleset.Flags {
	s := &t.seats[c]
	// The winning tile itself does not count: it is in the hand or lies open, in
	// the river or as the fourth of a kan.
	inHand, isOpen := 1, 0
	if c != t.turn {
		inHand, isOpen = 0, 1
	}
	open, held := int(t.visible[k])-isOpen, s.hand.Count(k)-inHand
	if t.rules.TrueLast == ruleset.RiversOnly {
		switch {
		case t.inRivers(k)-isOpen == 3:
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

// inRivers counts the tiles of kind k in the rivers, claimed ones left out.
func (t *Table) inRivers(k tile.Kind) int {
	n := 0
	for _, e := range t.log[:t.discards] {
		if e.face.Kind() == k && e.marks&markClaimed == 0 {
			n++
		}
	}
	return n
}

// riverTiles counts the tiles in all rivers as the rules say for an early win:
// flowers never, claimed tiles and the discard being won on by the knobs.
func (t *Table) riverTiles(onDiscard bool) uint8 {
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

// responsible returns the chair that pays as the one who gave a tile of kind k
// to the winner: the giver, unless same-round immunity points elsewhere.
func (t *Table) responsible(winner, from ruleset.Chair, k tile.Kind) ruleset.Chair {
	if from == ruleset.NoChair || !t.rules.SameRoundImmunity {
		return from
	}
	return ruleset.SameRoundThrower(winner, from, k, func(yield func(ruleset.Chair, tile.Kind) bool) {
		for i := int(t.discards) - 1; i >= 0; i-- {
			if e := t.log[i]; !yield(e.chair, e.face.Kind()) {
				return
			}
		}
	})
}
