package sim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// seatWall is the number of tiles of a private wall.
const seatWall = 136 / NumPlayers

// mcrSeats is who sits on chairs 0..3 in the East, South, West and North rounds
// (mcr 2.14).
var mcrSeats = [4][NumPlayers]Player{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 1, 0}, {3, 2, 0, 1}}

// Seats returns who sits on chairs 0..3 in a wind round, counted from 0.
func Seats(r *ruleset.Flow, round int) [NumPlayers]Player {
	if r.SeatRotation == ruleset.MCRTable {
		return mcrSeats[round&3]
	}
	return [NumPlayers]Player{0, 1, 2, 3}
}

// seatPlayers places the players for the round that begins.
func (t *Table) seatPlayers(o *events) {
	if t.rules.SeatRotation == ruleset.MCRTable {
		t.seatRound()
	}
	if t.round > 0 && t.rules.SeatRotation == ruleset.NoRotation {
		return
	}
	wind := tile.NoFace
	if t.rules.RoundWind == ruleset.WindRandom {
		wind = tile.Face(t.roundWind.Kind())
	}
	o.add(EvSeats, ruleset.NoChair, wind, 0, packSeats(&t.who))
}

// seatRound places the players by the table of the rounds.
func (t *Table) seatRound() {
	t.who = Seats(&t.rules.Flow, int(t.round))
	for c, p := range t.who {
		t.chairOf[p] = ruleset.Chair(c)
	}
}

// deal gives every chair its tiles: blocks of four, then one each with the
// dealer's jump, or each hand in one piece, or each from its own wall.
func (t *Table) deal(o *events) {
	r := t.rules
	step := ruleset.Chair(1)
	if r.DealTurn == ruleset.Backward {
		step = 3
	}
	size := r.HandSize
	for j := range ruleset.Chair(NumPlayers) {
		c := (t.dealer + j*step) & 3
		var dealt faceCounts
		switch {
		case r.Walls == ruleset.WallPerSeat:
			t.dealRun(o, &dealt, c, int(c)*seatWall, size)
			t.front[c] = uint8(size)
		case r.Deal == ruleset.Sequential:
			t.dealRun(o, &dealt, c, int(j)*size, size)
		default:
			for at := int(j) * 4; at < size/4*16; at += 16 {
				t.dealFour(o, &dealt, c, at)
			}
			t.dealRest(o, &dealt, c, size/4*16+int(j), size%4)
		}
		t.hold(c, &dealt)
	}
	if r.Walls == ruleset.SharedWall {
		t.front[0] = uint8(NumPlayers * size)
	}
	if r.DealerExtraTile == ruleset.ExtraDealt {
		t.receive(o, t.dealer, t.fromFront(t.dealer), FromDeal, t.left(t.dealer))
	}
}

// faceCounts is a number of tiles of each face, at the place of the face: dealing asks
// for no more about a tile, for what it is nothing could foretell. The length is a
// power of two so that a face can be masked.
type faceCounts [64]uint8

// dealRun gives c the n tiles from place at of the wall on.
func (t *Table) dealRun(o *events, dealt *faceCounts, c ruleset.Chair, at, n int) {
	for ; n >= 4; at, n = at+4, n-4 {
		t.dealFour(o, dealt, c, at)
	}
	t.dealRest(o, dealt, c, at, n)
}

// dealFour gives c the four tiles from place at of the wall on.
func (t *Table) dealFour(o *events, dealt *faceCounts, c ruleset.Chair, at int) {
	four := (*[4]tile.Face)(t.wall[at:])
	dealt[four[0]&63]++
	dealt[four[1]&63]++
	dealt[four[2]&63]++
	dealt[four[3]&63]++
	o.add(EvDeal, c, tile.NoFace, 0, packDeal(four[:]))
}

// dealRest gives c the n tiles, fewer than four, from place at of the wall on.
func (t *Table) dealRest(o *events, dealt *faceCounts, c ruleset.Chair, at, n int) {
	rest := t.wall[at : at+n]
	for _, f := range rest {
		dealt[f&63]++
	}
	if n > 0 {
		o.add(EvDeal, c, tile.NoFace, 0, packDeal(rest))
	}
}

// hold makes the tiles that were dealt the concealed ones of c.
func (t *Table) hold(c ruleset.Chair, dealt *faceCounts) {
	s := &t.seats[c&3]
	for suit := range tile.Suit(3) {
		reds := dealt[tile.RedOf(suit)]
		s.reds[suit] = reds
		dealt[tile.RedOf(suit).Kind()] += reds
	}
	if t.rules.Flowers != ruleset.NoFlowers {
		for i := range tile.NumFaces - tile.FirstFlower {
			s.held |= dealt[tile.FirstFlower+i] << i
		}
	}
	s.hand = hand.FromCounts((*[tile.NumKinds]uint8)(dealt[:]))
}

// take puts a face into the concealed tiles of c.
func (t *Table) take(c ruleset.Chair, f tile.Face) {
	s := &t.seats[c&3]
	switch {
	case f < tile.RedFive:
	case f.IsFlower():
		s.held |= 1 << f.Flower()
		return
	default:
		s.reds[f.Kind().Suit()]++
	}
	s.hand.Add(f.Kind())
	s.far--
}

// give takes a face out of the concealed tiles of c.
func (t *Table) give(c ruleset.Chair, f tile.Face) {
	s := &t.seats[c&3]
	switch {
	case f < tile.RedFive:
	case f.IsFlower():
		s.held &^= 1 << f.Flower()
		return
	default:
		s.reds[f.Kind().Suit()]--
	}
	s.hand.Remove(f.Kind())
}

// maxWaitingShanten is the shanten from which a hand may wait: shanten never
// counts on a fifth tile of a kind, a wait may, and then the hand is one exchange
// away from another wait.
const maxWaitingShanten = 1

// findWaits works out what the hand, without a drawn tile, waits for. A hand
// that holds a flower waits for nothing, nor does one too far from being ready:
// a tile lowers the shanten by one at the most, so that one found to be far away
// need not be looked at for some turns.
func (t *Table) findWaits(s *seat) {
	s.waits = 0
	if s.held != 0 || s.far > maxWaitingShanten {
		return
	}
	// Most hands that may be near by what was known are seen to be far away at once.
	melds := s.melds[:s.numMelds]
	far := t.rules.ShantenBound(&s.hand, melds)
	s.far = int8(far)
	if far > maxWaitingShanten {
		return
	}
	s.far = int8(t.rules.HandShanten(&s.hand, melds))
	if s.far <= maxWaitingShanten {
		s.waits = t.rules.HandWaits(&s.hand, melds)
	}
}

// fromFront takes the next ordinary tile of chair c.
func (t *Table) fromFront(c ruleset.Chair) tile.Face { return t.wall[t.frontPlace(c)] }

// frontPlace is where fromFront finds the tile that it takes.
func (t *Table) frontPlace(c ruleset.Chair) int {
	if t.rules.Walls == ruleset.WallPerSeat {
		t.front[c]++
		return int(c)*seatWall + int(t.front[c]) - 1
	}
	i := int(t.front[0])
	t.front[0]++
	if t.tailHas(i) {
		i++
	}
	return i
}

// tailHas reports whether the tile at place i of a shared wall, the next at the
// front, has been taken from the tail. That happens where the two ends meet in
// one stack: its upper tile is gone, the lower one is the last of the wall.
func (t *Table) tailHas(i int) bool {
	r := t.rules
	return t.taken > 0 && r.ReplacementFrom == ruleset.FromTail &&
		i == replacementIndex(r.ReplacementOrder, SetSize(&r.Flow), int(t.taken)-1)
}

// replacement takes the next replacement tile of chair c.
func (t *Table) replacement(c ruleset.Chair) tile.Face { return t.wall[t.replacementPlace(c)] }

// replacementPlace is where replacement finds the tile that it takes.
func (t *Table) replacementPlace(c ruleset.Chair) int {
	r := t.rules
	if r.ReplacementFrom == ruleset.FromFront {
		return t.frontPlace(c)
	}
	i := replacementIndex(r.ReplacementOrder, SetSize(&r.Flow), int(t.taken))
	t.taken++
	if i < int(t.front[0]) {
		i++ // the upper tile of the last stack has been drawn from the front
	}
	return i
}

// receive gives c the drawn tile f, after which c can draw as many as are left.
func (t *Table) receive(o *events, c ruleset.Chair, f tile.Face, cause Source, left int) {
	t.take(c, f)
	t.drawn, t.cause = f, cause
	o.add(EvDraw, c, f, uint8(cause), int32(left))
}

// openFlowers replaces the flowers that were dealt: a chair exposes all it has,
// draws as many tiles and starts again, at the first flower drawn where the
// family wants that ([H] 2.3); then the next one does, or after each go in
// round_robin. It stops where a player may win with the flowers, and goes on when
// called again.
func (t *Table) openFlowers(o *events) next {
	for t.opening < NumPlayers {
		c := t.dealer.Next(int(t.opening))
		s := &t.seats[c]
		switch {
		case s.held != 0 && (!t.drawing || t.rules.FlowersAtOnce && t.rules.OpeningFlowers == ruleset.SeatComplete):
			t.owed++
			if t.showFlower(o, c, tile.FirstFlower+tile.Face(bits.TrailingZeros8(s.held))) {
				return t.offerFlowers(o)
			}
		case t.owed > 0:
			t.owed--
			t.drawing = t.owed > 0
			drawn, cause := t.drawn, t.cause
			t.receive(o, c, t.replacement(c), FromFlower, t.left(c))
			if c != t.dealer {
				t.drawn, t.cause = drawn, cause
			}
			if t.owed == 0 && t.rules.OpeningFlowers == ruleset.RoundRobin {
				t.opening++
			}
		default:
			t.opening++
		}
		if t.opening == NumPlayers && t.rules.OpeningFlowers == ruleset.RoundRobin && t.flowersHeld() {
			t.opening = 0
		}
	}
	if t.rules.DealerExtraTile == ruleset.ExtraDrawn {
		t.drawn = tile.NoFace
	}
	for c := range ruleset.Chair(NumPlayers) {
		s := &t.seats[c]
		if c == t.dealer && t.drawn != tile.NoFace {
			// The drawn tile is not part of the hand that waits.
			t.give(c, t.drawn)
			t.findWaits(s)
			t.take(c, t.drawn)
			continue
		}
		t.findWaits(s)
	}
	if t.rules.ReadyInitial && t.rules.Ready == ruleset.Ding {
		return t.openReady()
	}
	return firstTurn
}

// flowersHeld reports whether any chair still holds a dealt flower.
func (t *Table) flowersHeld() bool {
	for c := range t.seats {
		if t.seats[c].held != 0 {
			return true
		}
	}
	return false
}

// beginPlay begins the first turn, the dealer's, with the extra tile dealt or to be
// drawn.
func (t *Table) beginPlay() next {
	if t.drawn != tile.NoFace {
		return turn
	}
	return draw
}

// showFlower lays a concealed flower of c face up, pays the awards it earns and
// reports whether somebody may now win with the flowers.
func (t *Table) showFlower(o *events, c ruleset.Chair, f tile.Face) bool {
	t.give(c, f)
	t.seats[c].flowers |= 1 << f.Flower()
	o.add(EvFlower, c, f, 0, 0)
	return t.awardFlowers(o, c)
}

// draw takes an ordinary tile for the player in turn.
func (t *Table) draw(o *events) next {
	c := t.turn & 3
	left := t.left(c)
	if left == 0 {
		return exhaust
	}
	s := &t.seats[c]
	switch t.rules.PassLockEnds {
	case ruleset.PassEndsOwnDraw, ruleset.PassEndsOwnDrawOrCall, ruleset.PassEndsAnyCall, ruleset.PassEndsAnyOwnDraw:
		s.clearPassLock()
	}
	if t.rules.PonPass == ruleset.PonPassOwnDraw {
		s.ponPassed = 0
	}
	s.tailDraws = 0
	s.kept++
	f := t.fromFront(c)
	t.receive(o, c, f, FromWall, left-1)
	if f.IsFlower() {
		return t.drewFlower(o)
	}
	return turn
}

// replace draws a replacement tile for the player in turn.
func (t *Table) replace(o *events, cause Source) next {
	c := t.turn & 3
	left := t.left(c)
	if left == 0 {
		return exhaust
	}
	s := &t.seats[c]
	if t.rules.PassLockEnds == ruleset.PassEndsAnyOwnDraw {
		s.clearPassLock()
	}
	s.tailDraws++
	s.kept++
	f := t.replacement(c)
	t.receive(o, c, f, cause, left-1)
	if f.IsFlower() {
		return t.drewFlower(o)
	}
	return turn
}

// drewFlower goes on after the draw of a flower: with the turn, or by replacing it at
// once where that must be.
func (t *Table) drewFlower(o *events) next {
	if t.rules.Flowers == ruleset.OptionalFlowers {
		return turn
	}
	if t.left(t.turn) == 0 && t.rules.LastFlower == ruleset.DiscardLastFlower {
		return t.discard(o, t.drawn, markDrawn, NotReady)
	}
	return t.exposeFlower(o, t.drawn)
}

// exposeFlower lays a flower of the player in turn face up and replaces it.
func (t *Table) exposeFlower(o *events, f tile.Face) next {
	t.seats[t.turn].kept--
	offer := t.showFlower(o, t.turn, f)
	if f != t.drawn {
		// The tile drawn before joins the hand; the replacement is drawn now.
		t.findWaits(&t.seats[t.turn])
	}
	t.drawn = tile.NoFace
	if offer {
		return t.offerFlowers(o)
	}
	return replaceFlower
}

// flowerActions adds what a player who holds flowers may do with them where they
// need not be exposed at once: discard or replace them. He cannot win.
func (t *Table) flowerActions(c ruleset.Chair, l *ActionSet) {
	s := &t.seats[c]
	for set := s.held; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		if f := tile.FirstFlower + tile.Face(i); f != t.drawn {
			l.Add(ActDiscard + Action(f))
		}
		if t.left(c) > 0 && t.cause != FromClaim {
			l.Add(ActFlower + Action(i))
		}
	}
}
