package sim

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// rebuildLocks recomputes the locks of chair c: the pon lock, and the pass lock (furiten
// by declined wins). The latter follows from the discards and robbable kans since it
// last ended, or since the ready declaration if that makes it final.
func (t *Table) rebuildLocks(c ruleset.Chair) {
	s := &t.seats[c]
	s.passLock, s.passFinal, s.passedKinds = false, false, 0
	t.rebuildPonLocks(c)
	r := t.rules
	lasting := s.ready != NotReady && r.PassLockFinal
	// Walking back from now: what was passed before the lock last ended no longer counts, unless the
	// lock is final. ended is whether that has been since the discard at hand.
	ended := t.isActing(c) && t.endedLock(s, int(t.discards))
	if ended && !lasting {
		return
	}
	t.rebuildRobLocks(c, int(t.discards))
	for i := int(t.discards) - 1; i >= 0; i-- {
		e := t.log[i]
		k := e.face.Kind()
		switch {
		case e.chair == c:
			// A win declined with the declaring discard came before the declaration: its lock is not
			// final, and has ended with the next own turn.
			declared := lasting && e.marks&markReady != 0
			if r.PassLockOnOwnDraw && e.marks&markDrawn != 0 && s.waits.Has(k) && !(declared && ended) && t.couldWin(c, i) {
				// lockPass looks at the hand as it is now and would make this lock final.
				final := s.passFinal || !declared
				t.lockPass(s, k)
				s.passFinal = s.passFinal && final
			}
			if declared || !lasting && (r.PassLockEnds == ruleset.PassEndsOwnDiscard || t.endedLock(s, i)) {
				return
			}
			ended = true // by the turn of this discard, for those before it
		// The discard that is being claimed is not passed yet.
		case t.inWindow(i):
		case e.marks&markClaimed != 0 && !lasting && r.PassLockEnds == ruleset.PassEndsAnyCall:
			return
		case s.waits.Has(k) && t.couldWin(c, i):
			t.lockPass(s, k)
		}
		t.rebuildRobLocks(c, i)
	}
}

// couldWin reports whether passing discard i, or drawing and discarding it, locks chair
// c, whose hand it completes. If only legal wins lock, it checks whether the win was
// legal, with the present hand, melds, flowers and visible tiles.
func (t *Table) couldWin(c ruleset.Chair, i int) bool {
	if t.rules.PassLockSetBy == ruleset.PassSetByShape {
		return true
	}
	// The table of that moment as far as it decides a win. What is not rebuilt, such as the
	// indicators, is as now; the comment of Redeal says so.
	then := *t
	e, s := t.log[i], &then.seats[c]
	s.river, s.discards = 0, 0
	for j, own := range t.log[:t.discards] {
		switch {
		case own.chair != c:
		case j < i:
			s.river |= own.face.Kind().Bit()
			s.discards++
		// A declaration at or after that discard gives the hand no yaku then.
		case own.marks&markReady != 0:
			s.ready, s.ippatsu = NotReady, false
		}
	}
	// The last tile cannot have been passed: the hand would have ended.
	then.turn, then.cause = e.chair, FromWall
	if e.chair == c {
		then.discards, then.drawn = uint8(i), e.face
		then.addTile(c, e.face)
		return then.canWin(c, e.face.Kind(), then.drawFlags(c)&^ruleset.FlagLastTile)
	}
	then.discards, then.window = uint8(i+1), e.face
	return then.mayWinOn(s, e.face.Kind(), true) && then.canWin(c, e.face.Kind(), then.discardFlags(c)&^ruleset.FlagLastTile)
}

// rebuildRobLocks locks chair c for the kans of others that it could have robbed in the
// turn after the given number of discards.
func (t *Table) rebuildRobLocks(c ruleset.Chair, discards int) {
	r := t.rules
	if !r.PassLockOnRob {
		return
	}
	// The tests of a rob read the table, so it is set to each kan in turn and set back at the end.
	// A copy of the table would cost more than all of the tests.
	turn, window, kanClosed, kita := t.turn, t.window, t.kanClosed, t.kita
	rob := func(owner ruleset.Chair, k tile.Kind) {
		t.turn, t.window = owner, tile.Face(k)
		if t.mayBeRobbed() && t.mayRob(c, k) && (r.PassLockSetBy == ruleset.PassSetByShape ||
			t.mayWinOn(&t.seats[c], k, false) && t.canWin(c, k, t.robFlags(c))) {
			t.lockPass(&t.seats[c], k)
		}
	}
	for owner := range ruleset.Chair(NumPlayers) {
		if owner == c {
			continue
		}
		s := &t.seats[owner]
		for i, m := range s.melds[:s.numMelds] {
			// Stored plus one, so that 0 is a kan that could not be robbed.
			if int(s.kanAt[i]) == discards+1 {
				t.kanClosed, t.kita = m.Type == hand.ClosedKan, false
				rob(owner, m.Kind)
			}
		}
		for _, at := range s.northsAt[:s.norths] {
			if int(at) == discards+1 {
				t.kanClosed, t.kita = false, true
				rob(owner, tile.North)
			}
		}
	}
	t.turn, t.window, t.kanClosed, t.kita = turn, window, kanClosed, kita
}

// isActing reports whether it is the turn of c and it has not discarded yet.
func (t *Table) isActing(c ruleset.Chair) bool { return c == t.turn && t.phase != PhaseClaim }

// endedLock reports whether the draw or claim that began the turn of discard i, the
// current turn if i is the number of discards, ended the pass lock of s.
func (t *Table) endedLock(s *seat, i int) bool {
	switch t.rules.PassLockEnds {
	case ruleset.PassEndsOwnDiscard:
		return false
	case ruleset.PassEndsOwnDraw:
		return !t.afterClaim(i)
	case ruleset.PassEndsAnyOwnDraw:
		// After an open kan the turn begins with a claim, but a replacement was drawn, which is an
		// own draw too.
		return !t.afterClaim(i) || slices.ContainsFunc(s.melds[:s.numMelds], func(m hand.Meld) bool {
			return m.Type == hand.OpenKan && m.Kind == t.log[i-1].face.Kind()
		})
	}
	return true
}

// afterClaim reports whether the turn of discard i began with a claim.
func (t *Table) afterClaim(i int) bool { return i > 0 && t.log[i-1].marks&markClaimed != 0 }

// rebuildPonLocks recomputes the kinds for which chair c has declined a pon.
func (t *Table) rebuildPonLocks(c ruleset.Chair) {
	s := &t.seats[c]
	s.passedPons = 0
	mode := t.rules.PonPass
	ended := t.isActing(c) && mode == ruleset.PonPassOwnDraw && !t.afterClaim(int(t.discards))
	if mode == ruleset.PonPassOff || ended {
		return
	}
	// By the hand that was sampled: a pair drawn since then counts as if it had been held.
	pairs := s.hand.AtLeast(2)
	for i := int(t.discards) - 1; i >= 0; i-- {
		e := t.log[i]
		switch k := e.face.Kind(); {
		case e.chair == c:
			if mode == ruleset.PonPassOwnDiscard || !t.afterClaim(i) {
				return
			}
		case !t.inWindow(i):
			s.passedPons |= pairs & k.Bit()
		}
	}
}
