package sim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// seatWall is the number of tiles of a private wall.
const seatWall = 136 / NumPlayers

// mcrSeatTable lists the players on chairs 0..3 in the East, South, West and North
// rounds (mcr 2.14).
var mcrSeatTable = [4][NumPlayers]Player{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 1, 0}, {3, 2, 0, 1}}

// Seats returns the players on chairs 0..3 in a wind round, from 0.
func Seats(r *ruleset.Flow, round int) [NumPlayers]Player {
	if r.SeatRotation == ruleset.MCRTable {
		return mcrSeatTable[round&3]
	}
	return [NumPlayers]Player{0, 1, 2, 3}
}

// seatPlayers seats the players for the round that begins.
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

// seatRound seats the players by mcrSeatTable.
func (t *Table) seatRound() {
	t.who = Seats(&t.rules.Flow, int(t.round))
	for c, p := range t.who {
		t.chairOf[p] = ruleset.Chair(c)
	}
}

// deal deals the hands: in blocks of four and then single tiles, or each hand in one
// block, or each from its private wall.
func (t *Table) deal(o *events) {
	r := t.rules
	step := ruleset.Chair(1)
	// As many steps forward as make one backward, with three players too.
	if r.DealTurn == ruleset.Backward {
		step = ruleset.Chair(r.NumSeats() - 1)
	}
	size := r.HandSize
	block := 4 * r.NumSeats()
	for j := range ruleset.Chair(r.NumSeats()) {
		c := r.NextChair(t.dealer, int(j*step))
		var dealt faceCounts
		switch {
		case r.Walls == ruleset.WallPerSeat:
			t.dealRun(o, &dealt, c, int(c)*seatWall, size)
			t.front[c] = uint8(size)
		case r.Deal == ruleset.Sequential:
			t.dealRun(o, &dealt, c, int(j)*size, size)
		default:
			for at := int(j) * 4; at < size/4*block; at += block {
				t.dealFour(o, &dealt, c, at)
			}
			t.dealRest(o, &dealt, c, size/4*block+int(j), size%4)
		}
		t.hold(c, &dealt)
	}
	if r.Walls == ruleset.SharedWall {
		t.front[0] = uint8(r.NumSeats() * size)
	}
	if r.DealerExtraTile == ruleset.ExtraDealt {
		t.receive(o, t.dealer, t.fromFront(t.dealer), FromDeal, t.left(t.dealer))
	}
}

// faceCounts counts tiles by face, so that dealing does not branch on unpredictable
// tiles. Its length is a power of two so that an index can be masked.
type faceCounts [64]uint8

// dealRun deals n tiles to c from index at of the wall.
func (t *Table) dealRun(o *events, dealt *faceCounts, c ruleset.Chair, at, n int) {
	for ; n >= 4; at, n = at+4, n-4 {
		t.dealFour(o, dealt, c, at)
	}
	t.dealRest(o, dealt, c, at, n)
}

// dealFour deals four tiles to c from index at of the wall.
func (t *Table) dealFour(o *events, dealt *faceCounts, c ruleset.Chair, at int) {
	// Written out, since the exit of so short a loop is mispredicted again and again.
	four := (*[4]tile.Face)(t.wall[at:])
	dealt[four[0]&63]++
	dealt[four[1]&63]++
	dealt[four[2]&63]++
	dealt[four[3]&63]++
	o.add(EvDeal, c, tile.NoFace, 0, packDeal(four[:]))
}

// dealRest deals n tiles, fewer than four, to c from index at of the wall.
func (t *Table) dealRest(o *events, dealt *faceCounts, c ruleset.Chair, at, n int) {
	rest := t.wall[at : at+n]
	for _, f := range rest {
		dealt[f&63]++
	}
	if n > 0 {
		o.add(EvDeal, c, tile.NoFace, 0, packDeal(rest))
	}
}

// hold sets the concealed tiles of c to the dealt ones.
func (t *Table) hold(c ruleset.Chair, dealt *faceCounts) {
	// Reds and flowers are separated once a hand, not for each tile. Adding the reds to the
	// plain fives leaves the counts by kind at the start of the array.
	s := &t.seats[c&3]
	for suit := range tile.Suit(3) {
		reds := dealt[tile.RedOf(suit)]
		s.reds[suit] = reds
		dealt[tile.RedOf(suit).Kind()] += reds
	}
	if t.rules.Flowers != ruleset.NoFlowers {
		for i := range tile.NumFaces - tile.FirstFlower {
			s.heldFlowers |= dealt[tile.FirstFlower+i] << i
		}
	}
	s.hand = hand.FromCounts((*[tile.NumKinds]uint8)(dealt[:]))
}

// addTile adds a tile to the concealed tiles of c and keeps minShanten a lower bound: a tile
// lowers the shanten by at most one.
func (t *Table) addTile(c ruleset.Chair, f tile.Face) {
	s := &t.seats[c&3]
	switch {
	case f < tile.RedFive:
	case f.IsFlower():
		s.heldFlowers |= 1 << f.Flower()
		return
	default:
		s.reds[f.Kind().Suit()]++
	}
	s.hand.Add(f.Kind())
	s.minShanten--
}

// removeTile removes a tile from the concealed tiles of c. Fewer tiles are no nearer to a
// win, so minShanten stays a lower bound.
func (t *Table) removeTile(c ruleset.Chair, f tile.Face) {
	s := &t.seats[c&3]
	switch {
	case f < tile.RedFive:
	case f.IsFlower():
		s.heldFlowers &^= 1 << f.Flower()
		return
	default:
		s.reds[f.Kind().Suit()]--
	}
	s.hand.Remove(f.Kind())
}

// maxWaitingShanten is the highest shanten of a hand that may have waits. Shanten never
// counts on a fifth tile of a kind but a wait may; such a hand has shanten 1.
const maxWaitingShanten = 1

// findWaits computes the waits of the hand without a drawn tile. A hand that holds a
// flower has none. Since a tile lowers the shanten by at most one, minShanten lets it
// skip hands that were far from ready a few turns ago.
func (t *Table) findWaits(s *seat) {
	s.waits = 0
	if s.heldFlowers != 0 || s.minShanten > maxWaitingShanten {
		return
	}
	// The bound reads no table and rules out most of the remaining hands: with it the tables,
	// which are megabytes, are read for one decision in five instead of one in two.
	melds := s.melds[:s.numMelds]
	far := t.rules.ShantenLowerBound(&s.hand, melds)
	s.minShanten = int8(far)
	if far > maxWaitingShanten {
		return
	}
	s.minShanten = int8(t.rules.HandShanten(&s.hand, melds))
	if s.minShanten <= maxWaitingShanten {
		s.waits = t.rules.HandWaits(&s.hand, melds)
	}
}

// fromFront returns the next ordinary tile of chair c and advances the wall.
func (t *Table) fromFront(c ruleset.Chair) tile.Face { return t.wall[t.frontPlace(c)] }

// frontPlace returns the wall index of the next ordinary tile of chair c and advances
// the wall.
func (t *Table) frontPlace(c ruleset.Chair) int {
	if t.rules.Walls == ruleset.WallPerSeat {
		t.front[c]++
		return int(c)*seatWall + int(t.front[c]) - 1
	}
	i := int(t.front[0])
	t.front[0]++
	// Once is enough: the tile behind it is the lower one of the same stack, the last of the wall.
	if t.isTakenFromTail(i) {
		i++
	}
	return i
}

// isTakenFromTail reports whether the tile at index i of a shared wall, the next at the
// front, has been drawn from the tail. That happens where the two ends meet in one
// stack: its upper tile is gone, the lower one is the last of the wall.
func (t *Table) isTakenFromTail(i int) bool {
	r := t.rules
	return t.taken > 0 && r.ReplacementFrom == ruleset.FromTail &&
		i == replacementPosition(r.ReplacementOrder, SetSize(&r.Flow), int(t.taken)-1)
}

// replacement returns the next replacement tile of chair c and advances the wall.
func (t *Table) replacement(c ruleset.Chair) tile.Face { return t.wall[t.replacementPlace(c)] }

// replacementPlace returns the wall index of the next replacement tile of chair c and
// advances the wall.
func (t *Table) replacementPlace(c ruleset.Chair) int {
	r := t.rules
	if r.ReplacementFrom == ruleset.FromFront {
		return t.frontPlace(c)
	}
	i := replacementPosition(r.ReplacementOrder, SetSize(&r.Flow), int(t.taken))
	t.taken++
	if i < int(t.front[0]) {
		i++ // the upper tile of the last stack has been drawn from the front
	}
	return i
}

// receive gives c the drawn tile f; left is the number of tiles c can still draw.
func (t *Table) receive(o *events, c ruleset.Chair, f tile.Face, cause Source, left int) {
	t.addTile(c, f)
	t.drawn, t.cause = f, cause
	o.add(EvDraw, c, f, uint8(cause), int32(left))
}

// openFlowers replaces the dealt flowers. A chair exposes all its flowers, draws as
// many tiles and repeats; with FlowersAtOnce it repeats at the first flower drawn
// ([H] 2.3). Then the next chair does the same; in round_robin the turn changes after
// each pass. It returns where a player may win with the flowers, and resumes when called
// again.
func (t *Table) openFlowers(o *events) next {
	for t.opening < NumPlayers { // rules with flowers are for four players
		c := t.dealer.Next(int(t.opening))
		s := &t.seats[c]
		switch {
		// owed counts the replacements to draw; drawing is set while they are drawn. Without
		// FlowersAtOnce a flower among them waits until the others have come. owed rises before the
		// offer: when the hand resumes here, the replacement is still to be drawn.
		case s.heldFlowers != 0 && (!t.drawing || t.rules.FlowersAtOnce && t.rules.OpeningFlowers == ruleset.SeatComplete):
			t.owed++
			if t.showFlower(o, c, tile.FirstFlower+tile.Face(bits.TrailingZeros8(s.heldFlowers))) {
				return t.offerFlowers(o)
			}
		case t.owed > 0:
			t.owed--
			t.drawing = t.owed > 0
			// The dealer's first turn begins with the tile that he got last. What others draw must not
			// take its place.
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
		// In round robin a pass begins again at the dealer while any hand has a flower.
		if t.opening == NumPlayers && t.rules.OpeningFlowers == ruleset.RoundRobin && t.flowersHeld() {
			t.opening = 0
		}
	}
	if t.rules.DealerExtraTile == ruleset.ExtraDrawn {
		t.drawn = tile.NoFace // a replacement is no turn: the dealer draws his tile yet
	}
	for c := range ruleset.Chair(t.rules.NumSeats()) {
		s := &t.seats[c]
		if c == t.dealer && t.drawn != tile.NoFace {
			// Waits are those of the hand without the drawn tile.
			t.removeTile(c, t.drawn)
			t.findWaits(s)
			t.addTile(c, t.drawn)
			continue
		}
		t.findWaits(s)
	}
	if t.rules.ReadyInitial && t.rules.Ready == ruleset.Ding {
		return t.openReady()
	}
	return firstTurn
}

func (t *Table) flowersHeld() bool {
	for c := range t.seats {
		if t.seats[c].heldFlowers != 0 {
			return true
		}
	}
	return false
}

// beginPlay begins the dealer's first turn: with the extra tile if it was dealt,
// otherwise with a draw.
func (t *Table) beginPlay() next {
	if t.drawn != tile.NoFace {
		return turn
	}
	return draw
}

// showFlower exposes a flower of c and pays its awards. It reports whether a player
// may now win with the flowers.
func (t *Table) showFlower(o *events, c ruleset.Chair, f tile.Face) bool {
	t.removeTile(c, f)
	t.seats[c].flowers |= 1 << f.Flower()
	o.add(EvFlower, c, f, 0, 0)
	return t.awardFlowers(o, c)
}

// draw draws an ordinary tile for the player in turn.
func (t *Table) draw(o *events) next {
	c := t.turn & 3
	left := t.left(c)
	if left == 0 {
		return exhaust
	}
	t.beginDraw(&t.seats[c])
	f := t.fromFront(c)
	t.receive(o, c, f, FromWall, left-1)
	if f.IsFlower() {
		return t.drewFlower(o)
	}
	return turn
}

// beginDraw ends what an ordinary draw of s ends.
func (t *Table) beginDraw(s *seat) {
	switch t.rules.PassLockEnds {
	case ruleset.PassEndsOwnDraw, ruleset.PassEndsOwnDrawOrCall, ruleset.PassEndsAnyCall, ruleset.PassEndsAnyOwnDraw:
		s.clearPassLock()
	}
	if t.rules.PonPass == ruleset.PonPassOwnDraw {
		s.passedPons = 0
	}
	s.tailDraws, s.kanDraws = 0, 0 // they count replacements in a row
	s.keptDraws++
}

// replace draws a replacement tile for the player in turn.
func (t *Table) replace(o *events, cause Source) next {
	c := t.turn & 3
	left := t.left(c)
	if left == 0 {
		return exhaust
	}
	s := &t.seats[c]
	// Under the other rules a replacement is part of the same turn, and the lock lasts until the
	// next draw from the wall.
	if t.rules.PassLockEnds == ruleset.PassEndsAnyOwnDraw {
		s.clearPassLock()
	}
	// Counts in a row, which an ordinary draw or a claim ends: hktw pays a chain of replacements,
	// hkos a win after two kans.
	s.tailDraws++
	if cause == FromKan || cause == FromKita {
		s.kanDraws++
	}
	s.keptDraws++
	f := t.replacement(c)
	t.receive(o, c, f, cause, left-1)
	if f.IsFlower() {
		return t.drewFlower(o)
	}
	return turn
}

// drewFlower continues after the draw of a flower: with the turn where exposing is
// optional, otherwise by replacing it.
func (t *Table) drewFlower(o *events) next {
	if t.rules.Flowers == ruleset.OptionalFlowers {
		return turn
	}
	if t.left(t.turn) == 0 && t.rules.LastFlower == ruleset.DiscardLastFlower {
		return t.discard(o, t.drawn, markDrawn, NotReady)
	}
	return t.exposeFlower(o, t.drawn)
}

// exposeFlower exposes a flower of the player in turn and replaces it.
func (t *Table) exposeFlower(o *events, f tile.Face) next {
	t.seats[t.turn].keptDraws-- // the flower counted when it was drawn
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

// flowerActions adds the discards and replacements of held flowers where exposing is
// optional. A player who holds flowers cannot win.
func (t *Table) flowerActions(c ruleset.Chair, l *ActionSet) {
	s := &t.seats[c]
	for set := s.heldFlowers; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		// The drawn flower has an action of its own, ActDiscardDrawn.
		if f := tile.FirstFlower + tile.Face(i); f != t.drawn {
			l.Add(ActDiscard + Action(f))
		}
		// After a claim the player discards: a replacement would be a draw.
		if t.left(c) > 0 && t.cause != FromClaim {
			l.Add(ActFlower + Action(i))
		}
	}
}
