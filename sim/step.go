package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// next is the next step of the state machine.
type next uint8

const (
	wait          next = iota // a player must answer, or a hand must be dealt
	opening                   // dealt flowers are replaced, then the dealer plays
	draw                      // the player in turn draws from the front
	firstTurn                 // the dealer plays first
	replaceFlower             // the player in turn draws for a flower he has exposed
	turn                      // the player in turn may act
	claims                    // the claim window closes
	robs                      // the window after a kan closes
	exhaust                   // the hand ends at an exhausted wall
	declare                   // the next player declares ready or not
	between                   // choices between two hands, then the next deal
)

// run plays on until a player must answer or a hand must be dealt.
func (t *Table) run(o *events, n next) {
	for n != wait {
		// draw and turn follow nearly every discard. Testing them first is easier to
		// predict than the branch of a switch.
		if n == draw {
			n = t.draw(o)
		}
		if n == turn {
			n = t.beginTurn(o)
			continue
		}
		switch n {
		case opening:
			n = t.openFlowers(o)
		case firstTurn:
			n = t.beginPlay()
		case replaceFlower:
			n = t.replace(o, FromFlower)
		case claims:
			n = t.closeClaims(o)
		case robs:
			n = t.closeRob(o)
		case exhaust:
			n = t.exhaust(o)
		case declare:
			n = t.declareReady(o)
		case between:
			n = t.betweenHands()
		}
	}
}

// resolve applies the answers of the decision point and plays on.
func (t *Table) resolve(o *events) {
	n := wait
	switch t.phase {
	case PhaseReady:
		n = t.closeReady(o)
	case PhaseFlowers:
		n = t.closeFlowers(o)
	case PhaseTurn:
		n = t.act(o, t.answers[t.turn])
	case PhaseClaim:
		n = claims
	case PhaseRob:
		n = robs
	case PhaseDeclare:
		n = t.declareAs(o, t.turn, t.answers[t.turn] == ActTenpai)
	case PhaseBetween:
		n = t.closeBetween(o)
	}
	t.run(o, n)
}

// startHand deals the hand and plays to its first decision point.
func (t *Table) startHand(dst []Event) []Event {
	o := &events{list: &dst, t: t}
	t.setUp(o)
	t.run(o, opening)
	return dst
}

// setUp resets the state of the hand and deals (S4 2.6, S0 deal 2-5).
func (t *Table) setUp(o *events) {
	r := t.rules
	if t.phase != PhaseDeal {
		panic("sim: StartHand called in phase " + t.phase.String())
	}
	if t.dealer == 0 && t.dealIndex == 0 {
		t.seatPlayers(o)
	}
	t.seats = [NumPlayers]seat{}
	for c := range t.seats {
		for i := range t.seats[c].liable {
			t.seats[c].liable[i] = ruleset.NoChair
		}
	}
	t.visible = [tile.NumKinds]uint8{}
	if r.TileSet == ruleset.NoMiddleCharacters {
		// Tiles that are not there cannot be drawn: they count as seen.
		for k := tile.Kind(1); k < 8; k++ {
			t.visible[k] = 4
		}
	}
	t.front, t.taken, t.limit = [NumPlayers]uint8{}, 0, uint8(SetSize(&r.Flow)-r.DeadWall)
	if r.Walls == ruleset.WallPerSeat {
		t.limit = seatWall
	}
	t.opening, t.owed, t.drawing = 0, 0, false
	t.callers, t.chase = 0, 0
	t.tenpaiTurn = [NumPlayers]uint8{}
	t.kans, t.indicators, t.pending, t.kanChairs = 0, 0, 0, 0
	t.sticks, t.liabilities, t.discards = 0, 0, 0
	t.declaredBy, t.declared = 0, 0
	t.abortable, t.noCalls = true, true
	deposits, round, rest := packHandStart(t.round, t.dealIndex, t.counter, t.deposits)
	o.add(EvHandStart, t.dealer, deposits, round, rest)
	t.turn = t.dealer
	t.drawn = tile.NoFace
	t.deal(o)
	if r.Dora {
		t.turnIndicator(o)
	}
}

// expose moves n tiles of kind k, reds of them red, from the concealed tiles of c to the
// visible ones.
func (t *Table) expose(c ruleset.Chair, k tile.Kind, n, reds int) {
	s := &t.seats[c]
	for range n {
		s.hand.Remove(k)
	}
	if reds > 0 {
		s.reds[k.Suit()] -= uint8(reds)
	}
	t.visible[k] += uint8(n)
}

func (t *Table) turnIndicator(o *events) {
	if t.indicators == ruleset.MaxIndicators {
		return
	}
	f := t.wall[IndicatorIndex(&t.rules.Flow, int(t.indicators))]
	t.indicators++
	t.visible[f.Kind()]++
	o.add(EvIndicator, ruleset.NoChair, f, doraIndicator, 0)
}

// turnPending turns the indicators that wait for a discard or another replacement.
func (t *Table) turnPending(o *events) {
	for ; t.pending > 0; t.pending-- {
		t.turnIndicator(o)
	}
}

func (s *seat) clearPassLock() {
	if !s.passFinal {
		s.passLock = false
		s.passedKinds = 0
	}
}

// beginTurn asks the player in turn, or plays the action if only one is legal.
func (t *Table) beginTurn(o *events) next {
	c := t.turn & 3
	l := &t.legal[c]
	*l = ActionSet{}
	t.turnActions(c, l)
	if l[0]&(l[0]-1) == 0 && l.Len() < 2 {
		return t.act(o, l.First())
	}
	t.phase = PhaseTurn
	t.asked = c.Bit()
	t.askedAll = t.asked
	return wait
}

func (t *Table) act(o *events, a Action) next {
	c := t.turn & 3
	s := &t.seats[c]
	t.lockDeclined(c, a)
	switch {
	case a == ActDiscardDrawn:
		return t.discard(o, t.drawn, markDrawn, NotReady)
	case a < ActDiscardDrawn:
		return t.discard(o, tile.Face(a), 0, NotReady)
	case a == ActReadyDrawn:
		return t.discard(o, t.drawn, markDrawn|markReady, t.readyTier(s, true))
	case a < ActReadyDrawn:
		return t.discard(o, tile.Face(a-ActReady), markReady, t.readyTier(s, false))
	case a == ActWin:
		return t.win(o, WinSelfDraw, ruleset.NoChair, []ruleset.Chair{c})
	case a == ActNineKinds:
		return t.abort(o, AbortNineKinds)
	case a >= ActFlower && a < ActFlowerWin:
		return t.exposeFlower(o, tile.FirstFlower+tile.Face(a-ActFlower))
	case a >= ActClosedKan && a < ActAddedKan:
		return t.closedKan(o, tile.Kind(a-ActClosedKan))
	case a == ActKita:
		return t.setNorthAside(o)
	default:
		return t.addedKan(o, tile.Kind(a-ActAddedKan))
	}
}

// lockDeclined locks the player in turn for a win by the drawn tile that action a declines.
func (t *Table) lockDeclined(c ruleset.Chair, a Action) {
	s := &t.seats[c]
	if t.rules.PassLockOnOwnDraw && a != ActWin && t.drawn != tile.NoFace && s.waits.Has(t.drawn.Kind()) &&
		(t.rules.PassLockSetBy == ruleset.PassSetByShape || t.legal[c].Has(ActWin)) {
		t.lockPass(s, t.drawn.Kind())
		s.declinedWin = true
	}
}

// discard discards a tile of the player in turn and opens the claim window.
func (t *Table) discard(o *events, f tile.Face, marks uint8, declaring ReadyTier) next {
	t.layDown(o, f, marks, declaring)
	return t.openClaims(o)
}

// layDown discards a tile of the player in turn.
func (t *Table) layDown(o *events, f tile.Face, marks uint8, declaring ReadyTier) {
	c := t.turn & 3
	s := &t.seats[c]
	k := f.Kind()
	if declaring != NotReady {
		o.add(EvReady, c, tile.NoFace, uint8(declaring), readyDeclared)
	}
	t.removeTile(c, f)
	if t.drawn == tile.NoFace || k != t.drawn.Kind() {
		t.findWaits(s)
	}
	if t.rules.PassLockEnds == ruleset.PassEndsOwnDiscard && !s.declinedWin {
		s.clearPassLock()
	}
	s.declinedWin = false
	if t.rules.PonPass == ruleset.PonPassOwnDiscard {
		s.passedPons = 0
	}
	if marks&markDrawn != 0 && s.keptDraws > 0 {
		s.keptDraws--
	}
	s.bannedKinds = 0
	s.ippatsu = false
	s.discards++
	if p := t.who[c]; s.waits != 0 && t.tenpaiTurn[p] == 0 {
		t.tenpaiTurn[p] = s.discards
	}
	s.declaring = declaring
	s.liable[rinshanLiability] = ruleset.NoChair
	t.log[t.discards] = logEntry{c, f, marks}
	if t.rules.OriginHidden && s.ready == NotReady {
		t.log[t.discards].marks |= markHidden
	}
	t.discards++
	if k != tile.NoKind {
		s.river |= k.Bit()
		t.visible[k]++
	}
	t.drawn = tile.NoFace
	t.window = f
	o.add(EvDiscard, c, f, marks, 0)
	t.turnPending(o)
	if t.rules.ChaseScope != ruleset.NoChase {
		t.noteChase(o)
	}
}

// closedKan declares a closed kan and opens the window to rob it. The declaration ends
// ippatsu and first turns (S4 3.6, S0 kan 11-12); under ding the completed kan does
// ([H] 2.8).
func (t *Table) closedKan(o *events, k tile.Kind) next {
	c := t.turn
	s := &t.seats[c]
	reds := uint8(0)
	if k.IsFive() {
		reds = s.reds[k.Suit()]
	}
	t.expose(c, k, 4, int(reds))
	if !t.rules.ClosedKanVisible {
		t.visible[k] -= 4
	}
	t.addMeld(s, hand.Meld{Type: hand.ClosedKan, Kind: k, Reds: reds})
	t.drawn = tile.NoFace
	t.findWaits(s)
	o.add(EvClosedKan, c, tile.Face(k), 0, 0)
	if t.rules.Ready != ruleset.Ding {
		t.abortable = false
		t.endIppatsu()
	}
	t.window, t.kanClosed, t.kita = tile.Face(k), true, false
	return t.openRob()
}

// addedKan adds the fourth tile to a pon and opens the window to rob it. The meld stays
// a pon until the window closes (S4 4.2.1.12, S0 robbing 1-3).
func (t *Table) addedKan(o *events, k tile.Kind) next {
	c := t.turn
	f := tile.Face(k)
	if k.IsFive() && t.seats[c].reds[k.Suit()] > 0 {
		f = tile.RedOf(k.Suit())
	}
	t.removeTile(c, f)
	t.visible[k]++
	t.drawn = tile.NoFace
	s := &t.seats[c]
	t.findWaits(s)
	o.add(EvAddedKan, c, f, 0, 0)
	t.window, t.kanClosed, t.kita = f, false, false
	return t.openRob()
}

func (t *Table) addMeld(s *seat, m hand.Meld) {
	s.melds[s.numMelds] = m
	s.numMelds++
	s.minShanten = -1 // the shanten may depend on the melds
	if m.IsOpen() {
		s.open = true
	}
	if m.Type == hand.Pon {
		s.ponKinds |= m.Kind.Bit()
	}
}

func (t *Table) endIppatsu() {
	if t.rules.OneShotBrokenBy == ruleset.OneShotNothing {
		return
	}
	for c := range t.seats {
		t.seats[c].ippatsu = false
	}
}

// completeKan completes a kan that was not robbed: indicator, then the replacement.
func (t *Table) completeKan(o *events, timing ruleset.IndicatorTiming) next {
	c := t.turn
	o.add(EvKanDone, c, tile.NoFace, 0, 0)
	t.kans++
	t.kanChairs |= c.Bit()
	t.callers |= c.Bit()
	if t.kanClosed {
		t.awardClosedKan(o, c)
	}
	t.abortable = false
	t.endIppatsu()
	if t.rules.KanDora {
		// An indicator that waits for a discard is turned before the replacement of the
		// next kan.
		t.turnPending(o)
		if timing == ruleset.OnNextDiscard {
			t.pending = 1
		} else {
			t.turnIndicator(o)
		}
	}
	return t.replace(o, FromKan)
}
