package sim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// The flower awards a player has been paid, as bits of seat.awarded.
const (
	paidGrass uint8 = 1 << iota
	paidSeasons
	paidPlants
)

// The flowers as bits: 1f-4f the seasons, 5f-8f the plants.
const (
	seasons uint8 = 0x0f
	plants  uint8 = 0xf0
)

// payAwardByAll makes each other player pay c di half-units.
func (t *Table) payAwardByAll(o *events, c ruleset.Chair, di ruleset.Halves) {
	for i := 1; i < NumPlayers; i++ {
		t.payAward(o, c.Next(i), c, di)
	}
}

// payAward pays di half-units: the unit of points is half a point.
func (t *Table) payAward(o *events, from, to ruleset.Chair, di ruleset.Halves) {
	if amount := int32(di) * int32(t.rules.DiPoints); amount > 0 {
		t.pay(o, from, to, amount, ruleset.ForAward)
	}
}

// awardFlowers pays the awards that the newest flower of c completes. It reports
// whether a player may now win with the flowers: all eight are exposed, eight by one
// player or seven by one and one by another (hktw 2.10).
func (t *Table) awardFlowers(o *events, c ruleset.Chair) bool {
	r := t.rules
	s := &t.seats[c]
	set := false
	for _, color := range [...]struct{ flowers, mark uint8 }{{seasons, paidSeasons}, {plants, paidPlants}} {
		if s.flowers&color.flowers == color.flowers && s.awarded&color.mark == 0 {
			s.awarded |= color.mark
			set = true
		}
	}
	numbers := s.flowers&seasons | s.flowers>>4
	again := !r.AwardGrassOnce && s.flowers == seasons|plants
	if numbers == seasons && (s.awarded&paidGrass == 0 || again) {
		// A set completed by the same flower may supersede this award.
		s.awarded |= paidGrass
		if r.AwardGrassAndSet || !set {
			t.payAwardByAll(o, c, r.AwardGrass)
		}
	}
	if set {
		t.payAwardByAll(o, c, r.AwardFlowerSet)
	}
	return t.findEntitled(c)
}

// findEntitled finds the player who may win with the flowers or take an award for
// them after c has exposed one, and reports whether there is one.
func (t *Table) findEntitled(c ruleset.Chair) bool {
	var out uint8
	t.entitled, t.eighthFlower = ruleset.NoChair, ruleset.NoChair
	// A dealt eighth flower is exposed before the seven may win.
	if s := &t.seats[c&3]; t.rules.FlowerDrawSeven && bits.OnesCount8(s.flowers) == 7 && s.heldFlowers == 0 {
		t.entitled = c
		return t.flowersMayWin()
	}
	for c := range ruleset.Chair(NumPlayers) {
		f := t.seats[c].flowers
		out |= f
		switch bits.OnesCount8(f) {
		case 1:
			t.eighthFlower = c
		case 7, 8:
			t.entitled = c
		}
	}
	return out == seasons|plants && t.entitled != ruleset.NoChair && (t.rules.DiPoints > 0 || t.flowersMayWin())
}

// flowersMayWin reports whether the entitled player may win with the flowers now.
func (t *Table) flowersMayWin() bool {
	r := t.rules
	switch {
	case t.opening < NumPlayers && !r.FlowerWinOpening:
		return false
	case t.eighthFlower != ruleset.NoChair:
		return r.FlowerWinSeven
	case t.seats[t.entitled&3].flowers == seasons|plants:
		return r.FlowerWinEight
	}
	return r.FlowerDrawSeven
}

// offerFlowers asks the entitled player whether to win with the flowers or to
// take the award and play on.
func (t *Table) offerFlowers(o *events) next {
	if mayWin := t.flowersMayWin(); !mayWin || !t.rules.FlowerWinOptional {
		return t.endFlowers(o, mayWin)
	}
	l := &t.legal[t.entitled]
	*l = ActionSet{}
	l.Add(ActFlowerWin)
	l.Add(ActFlowerAward)
	t.phase = PhaseFlowers
	t.asked = t.entitled.Bit()
	t.askedAll = t.asked
	return wait
}

// closeFlowers applies the choice of the entitled player.
func (t *Table) closeFlowers(o *events) next {
	win := t.answers[t.entitled] == ActFlowerWin
	if !win && t.rules.PassLockOnFlowerWin {
		t.lockPass(&t.seats[t.entitled], tile.NoKind)
	}
	return t.endFlowers(o, win)
}

// endFlowers ends the hand with a flower win, or pays the award and plays on.
func (t *Table) endFlowers(o *events, win bool) next {
	c := t.entitled
	if win {
		o.add(EvFlowerChoice, c, tile.NoFace, flowerWin, 0)
		return t.win(o, WinFlower, t.eighthFlower, []ruleset.Chair{c})
	}
	o.add(EvFlowerChoice, c, tile.NoFace, flowerAward, 0)
	switch {
	case t.eighthFlower != ruleset.NoChair:
		t.payAward(o, t.eighthFlower, c, t.rules.AwardSevenFlowers)
	case t.seats[c&3].flowers == seasons|plants:
		t.payAwardByAll(o, c, t.rules.AwardEightFlowers)
	}
	if t.opening < NumPlayers {
		return opening
	}
	return replaceFlower
}

// awardClosedKan pays for a closed kan that was not robbed.
func (t *Table) awardClosedKan(o *events, c ruleset.Chair) {
	di := t.rules.AwardClosedKan
	if t.rules.AwardKanEscalates {
		di <<= t.seats[c].closedKans
	}
	t.seats[c].closedKans++
	t.payAwardByAll(o, c, di)
}

// noteChase counts the last discard toward four of a kind by the four players
// one after another, for which the first of them pays (hktw 2.11).
func (t *Table) noteChase(o *events) {
	r := t.rules
	last := t.log[t.discards-1]
	k := last.face.Kind()
	if t.chase > 0 {
		if before := t.log[t.discards-2]; before.face.Kind() != k || before.chair.Next(1) != last.chair {
			t.chase = 0
		}
	}
	t.chase++
	// The count need not be reset: there is no fifth tile of the kind.
	if t.chase < NumPlayers {
		return
	}
	if r.ChaseScope == ruleset.ChaseFirstGoAround && t.discards > NumPlayers {
		return
	}
	di := r.AwardChaseInner
	if tile.Orphans.Has(k) {
		di = r.AwardChaseOuter
	}
	first := t.log[t.discards-NumPlayers].chair
	for i := 1; i < NumPlayers; i++ {
		t.payAward(o, first, first.Next(i), di)
	}
}
