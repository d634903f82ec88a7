package sim

import (
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// nineKinds is the number of different terminals and honors that allows an
// abortive draw in the first turn.
const nineKinds = 9

func (t *Table) turnActions(c ruleset.Chair, l *ActionSet) {
	r := t.rules
	// The mask spares the check of the index.
	s := &t.seats[c&3]
	drawnKind := t.drawn.Kind()
	if s.ready != NotReady {
		l.Add(ActDiscardDrawn) // a hand that has declared ready does not change (riichi 2.6)
	} else {
		t.discardActions(s, l)
	}
	if s.heldFlowers != 0 {
		t.flowerActions(c, l)
	}
	if t.drawn != tile.NoFace {
		// waits are those of the hand before the draw. canWin, which computes the value, is
		// last.
		if s.waits.Has(drawnKind) && !(r.PassLockBlocksDraw && (s.passLock || s.passedKinds.Has(drawnKind))) &&
			t.canWin(c, drawnKind, t.drawFlags(c)) {
			l.Add(ActWin)
		}
		if r.NineKindsAbort && t.abortable && s.discards == 0 && (s.hand.Kinds()&tile.Orphans).Len() >= nineKinds {
			l.Add(ActNineKinds)
		}
	}
	if quads, added := s.hand.AtLeast(4), s.ponKinds&s.hand.Kinds(); quads|added != 0 && t.mayKan(c) {
		t.kanActions(s, quads, added, l)
	}
	if r.Kita != ruleset.NoKita && t.maySetNorthAside(c) {
		l.Add(ActKita)
	}
	// minShanten is a lower bound: above readyFrom no discard leaves a ready hand, and the
	// exact shanten is not computed.
	readyFrom, readyFromOpen := int(t.readyFrom), int(t.readyFromOpen)
	if s.open {
		readyFrom = readyFromOpen
	}
	if int(s.minShanten) <= readyFrom && s.ready == NotReady && t.mayDeclareReady(c, readyFrom) {
		t.readyActions(s, l)
	}
}

// discardActions adds the discards of a player who has not declared ready: each face
// held before the draw, and the drawn tile.
func (t *Table) discardActions(s *seat, l *ActionSet) {
	// Ids of discards are kinds, so a set of kinds is a set of actions and is added at once.
	held := s.hand.Kinds() &^ s.bannedKinds
	drawnKind := t.drawn.Kind()
	drawn := uint64(0)
	if t.drawn != tile.NoFace {
		drawn = 1 << ActDiscardDrawn
		// Branch-free: whether the drawn tile is the only one of its kind is
		// unpredictable. A flower removes nothing.
		held &^= drawnKind.Bit() &^ s.hand.AtLeast(2)
	}
	l[0] |= uint64(held) | drawn
	if s.reds == [3]uint8{} {
		return
	}
	for suit, reds := range s.reds {
		if reds == 0 {
			continue
		}
		red := tile.RedOf(tile.Suit(suit))
		five := red.Kind()
		if !held.Has(five) {
			continue
		}
		// Counted without the drawn tile, which has an action of its own.
		n := s.hand.Count(five)
		if t.drawn != tile.NoFace && drawnKind == five {
			n--
			if t.drawn.IsRed() {
				reds--
			}
		}
		// Red and plain five are different actions; without a plain one its bit goes.
		if reds > 0 {
			l.Add(ActDiscard + Action(red))
		}
		if n == int(reds) {
			l[0] &^= uint64(five.Bit())
		}
	}
}

// kanActions adds closed and added kans. A player in riichi may only declare a kan of
// the drawn tile that leaves his hand as it is (riichi 2.7).
func (t *Table) kanActions(s *seat, quads, added tile.Set, l *ActionSet) {
	r := t.rules
	// Most rules do not let a pon be raised in the turn of its claim: who holds the fourth tile
	// claims an open kan instead.
	if t.cause == FromClaim && !r.KanOnFreshPon {
		if m := s.melds[s.numMelds-1]; m.Type == hand.Pon {
			added &^= m.Kind.Bit()
		}
	}
	if s.ready != NotReady {
		added = 0
		// ReadyKanAllowed takes the hand before the draw.
		if quads &= t.drawn.Kind().Bit(); quads != 0 {
			k := t.drawn.Kind()
			s.hand.Remove(k)
			if !ruleset.ReadyKanAllowed(r.Scorer, &s.hand, int(s.numMelds), k, r.ReadyKan) {
				quads = 0
			}
			s.hand.Add(k)
		}
	}
	l.addKinds(ActClosedKan, quads)
	l.addKinds(ActAddedKan, added)
}

// readyShanten returns the highest shanten, with a drawn tile, of closed and open hands
// that may be declared ready; -2 where the rules do not allow it.
func readyShanten(r *ruleset.Rules) (closed, open int8) {
	const never = -2 // a complete hand has -1
	if r.Ready == ruleset.NoReady {
		return never, never
	}
	// Ready hands have shanten 0, or 1 if they hold all copies of each wait themselves: see
	// maxWaitingShanten. Where such waits do not count, the hands of shanten 1 need no search.
	if r.LiveWait == ruleset.AnyWait || r.Ready == ruleset.Riichi && !r.RiichiLiveShape {
		closed = maxWaitingShanten
	}
	if r.ReadyClosedOnly {
		return closed, never
	}
	return closed, closed
}

// mayDeclareReady checks the conditions of a ready declaration that do not depend on
// the discard (riichi 2.6). The hand must have a shanten of at most from.
func (t *Table) mayDeclareReady(c ruleset.Chair, from int) bool {
	r := t.rules
	s := &t.seats[c]
	// The cheap conditions first: the shanten of fourteen tiles costs more than all of them.
	if r.Ready == ruleset.Riichi && (t.cause == FromClaim || t.left(c) < r.RiichiMinWall ||
		r.RiichiMinPoints != ruleset.NoLimit && t.points[t.who[c]] < int32(r.RiichiMinPoints)) {
		return false
	}
	s.minShanten = int8(r.HandShanten(&s.hand, s.melds[:s.numMelds])) // the best bound for findWaits
	return int(s.minShanten) <= from
}

// readyActions adds a ready declaration for each legal discard that leaves a ready hand.
func (t *Table) readyActions(s *seat, l *ActionSet) {
	r := t.rules
	// A kind is tried once, whether its tiles are red or not: waits do not depend on that.
	var kinds tile.Set
	// The tile is taken from the hand and put back, which spares a copy; the set of kinds was taken
	// before.
	for set := s.hand.Kinds(); set != 0; set = set.Rest() {
		k := set.First()
		s.hand.Remove(k)
		if w := r.HandWaits(&s.hand, s.melds[:s.numMelds]); w != 0 && t.readyWith(s, w, k) {
			kinds |= k.Bit()
		}
		s.hand.Add(k)
	}
	if kinds == 0 {
		return
	}
	// A declaration is legal where its discard is.
	for f := range tile.FirstFlower {
		if kinds.Has(f.Kind()) && l.Has(ActDiscard+Action(f)) {
			l.Add(ActReady + Action(f))
		}
	}
	if t.drawn != tile.NoFace && kinds.Has(t.drawn.Kind()) {
		l.Add(ActReadyDrawn)
	}
}

// readyWith reports whether the hand, waiting for w after discarding k, may be
// declared ready.
func (t *Table) readyWith(s *seat, w tile.Set, k tile.Kind) bool {
	r := t.rules
	if r.Ready == ruleset.Riichi {
		if !r.RiichiFuriten && w&(s.river|k.Bit()) != 0 {
			return false
		}
		if !r.RiichiLiveShape {
			return true
		}
	}
	return ruleset.LiveWaits(w, &s.hand, s.melds[:s.numMelds], r.LiveWait) != 0
}

// canWin reports whether c may win with a tile of kind k under the circumstances f: the
// hand is complete and has the minimum value.
func (t *Table) canWin(c ruleset.Chair, k tile.Kind, f ruleset.Flags) bool {
	x := appraisals.Get().(*appraisal)
	x.win, x.value = ruleset.Win{}, ruleset.Value{}
	t.describeWin(&x.win, c, k, f)
	t.rules.Value(&x.win, &x.value)
	// Read before Put: another goroutine may get the appraisal at once.
	ok := x.value.Shape && x.value.OK
	appraisals.Put(x)
	return ok
}

// appraisal holds the argument and result of Scorer.Value. Arguments of an interface
// method escape to the heap, so they are pooled.
type appraisal struct {
	win   ruleset.Win
	value ruleset.Value
}

var appraisals = sync.Pool{New: func() any { return new(appraisal) }}

// describeWin fills in the win of c with a tile of kind k. A drawn tile is in the hand
// already; a win with the flowers has none. It leaves out the hidden ura indicators.
func (t *Table) describeWin(w *ruleset.Win, c ruleset.Chair, k tile.Kind, f ruleset.Flags) {
	s := &t.seats[c]
	w.Hand = s.hand
	w.Melds = s.melds
	w.NumMelds = s.numMelds
	w.Tile = k
	// A win by eight flowers counts as self-drawn. One by seven does unless it robs the eighth,
	// which another player holds.
	w.SelfDraw = c == t.turn && f&ruleset.FlagFlowerWin7 == 0 || f&ruleset.FlagFlowerWin8 != 0 ||
		f&ruleset.FlagFlowerWin7 != 0 && t.eighthFlower == ruleset.NoChair
	w.SeatWind = t.seatWind(c)
	w.RoundWind = t.currentRoundWind()
	w.Flags = f
	w.Flowers = s.flowers
	w.Norths = s.norths
	const robbing = ruleset.FlagRobbingKan | ruleset.FlagRobbingClosedKan
	w.Discards = t.countRiverTiles(!w.SelfDraw && f&robbing == 0)
	w.TailDraws = s.tailDraws
	reds := s.reds[0] + s.reds[1] + s.reds[2]
	for _, m := range s.melds[:s.numMelds] {
		reds += m.Reds
	}
	// A claimed tile is in no hand yet; Value takes the complete hand.
	if !w.SelfDraw && k != tile.NoKind {
		w.Hand.Add(k)
		if t.window.IsRed() {
			reds++
		}
	}
	w.Reds = reds
	w.NumIndicators = t.indicators
	for i := range t.indicators {
		w.Indicators[i] = t.wall[IndicatorIndex(&t.rules.Flow, int(i))].Kind()
	}
}

func (t *Table) currentRoundWind() tile.Wind {
	if t.rules.RoundWind == ruleset.WindRandom {
		return t.roundWind
	}
	return tile.Wind(t.round & 3)
}
