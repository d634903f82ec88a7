package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// openReady asks the players whose dealt hands are ready whether to declare ready before
// the first draw.
func (t *Table) openReady() next {
	t.askReady()
	return t.openWindow(PhaseReady, firstTurn)
}

// askReady computes which players may declare ready before the first draw.
func (t *Table) askReady() {
	for c := range ruleset.Chair(NumPlayers) {
		t.answers[c] = ActPass
		l := &t.legal[c]
		*l = ActionSet{}
		if s := &t.seats[c]; s.waits != 0 && ruleset.LiveWaits(s.waits, &s.hand, nil, t.rules.LiveWait) != 0 {
			l.Add(ActReadyNow)
		}
		t.askIfChoice(c, l)
	}
}

// closeReady accepts the declarations made before the first draw.
func (t *Table) closeReady(o *events) next {
	for c := range ruleset.Chair(NumPlayers) {
		if !t.askedAll.Has(c) || t.answers[c] != ActReadyNow {
			continue
		}
		s := &t.seats[c]
		s.ready = ReadyOrdinary
		if t.rules.ReadyTiers != ruleset.NoTiers {
			s.ready = ReadyHeaven
		}
		s.ippatsu = t.rules.OneShot
		o.add(EvReady, c, tile.NoFace, uint8(s.ready), readyAccepted)
	}
	return firstTurn
}

// readyTier returns the tier of a ready declaration made now: double riichi in the
// uninterrupted first own turn (S4 4.2.1.2; S0 yaku, double riichi). For ding see
// dingTier.
func (t *Table) readyTier(s *seat, drawn bool) ReadyTier {
	if t.rules.Ready == ruleset.Ding {
		return t.dingTier(s, drawn)
	}
	unbroken := t.abortable
	if !t.rules.DoubleRiichiKan {
		unbroken = t.noCalls
	}
	if s.discards == 0 && unbroken {
		return ReadyDouble
	}
	return ReadyOrdinary
}

// dingTier returns the tier of a ding declared with the discard that s makes
// now (hktw 2.8, [T] 3.8, 3.9).
func (t *Table) dingTier(s *seat, drawn bool) ReadyTier {
	c := t.turn
	switch first := s.discards == 0; t.rules.ReadyTiers {
	case ruleset.UncalledTiers:
		switch {
		case !first || !t.abortable:
		case c == t.dealer:
			return ReadyHeaven
		default:
			return ReadyEarth
		}
	case ruleset.FirstDiscardTiers:
		switch {
		case !first:
		case c == t.dealer:
			return ReadyHeaven
		default:
			return ReadyEarth
		}
	case ruleset.LeagueTiers:
		switch {
		case !first:
		case t.abortable && c == t.dealer && drawn:
			return ReadyHeaven
		case t.abortable:
			return ReadyEarth
		case t.callers&^c.Bit() == 0 && t.discards < NumPlayers:
			return ReadyHuman
		}
	}
	if t.abortable && int(t.discards) < t.rules.ReadyWithin {
		return ReadyHuman
	}
	return ReadyOrdinary
}

// acceptReady accepts a declaration whose tile was not won on and deposits its riichi
// stick (S4 3.12, S0 riichi 9).
func (t *Table) acceptReady(o *events) {
	s := &t.seats[t.turn]
	if s.declaring == NotReady {
		return
	}
	s.ready, s.declaring = s.declaring, NotReady
	s.ippatsu = t.rules.OneShot
	o.add(EvReady, t.turn, tile.NoFace, uint8(s.ready), readyAccepted)
	if t.rules.RiichiStick > 0 && t.rules.Ready == ruleset.Riichi {
		t.sticks |= t.turn.Bit()
		t.deposits++
		t.pay(o, t.turn, ruleset.Pot, int32(t.rules.RiichiStick), ruleset.ForRiichi)
	}
}
