package sim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// lastDiscard reports whether the discard being claimed is the last one: the next
// player has no tile left to draw (S4 3.14, S0 sum.14; mcr 2.10, mcr 2.15).
func (t *Table) lastDiscard() bool {
	return t.left(t.turn.Next(1)) == 0 && (!t.afterReplacement() || t.rules.LastDiscardAfterKan)
}

// afterReplacement reports whether the turn began with a replacement for a kan or for a
// North set aside.
func (t *Table) afterReplacement() bool { return t.cause == FromKan || t.cause == FromKita }

// openClaims opens the claim window after a discard. No player can use most discards;
// a few set operations show that at once. askClaims checks the rest.
func (t *Table) openClaims(o *events) next {
	if t.window.IsFlower() {
		return t.discardUnclaimed(o)
	}
	// The set may hold kinds that no player can use, never lack one that a player can.
	// Most discards end here, so all three players are tested at once.
	// With three players the fourth seat holds no tile, so the test of all three others needs no
	// special case.
	d := t.turn
	next, across, before := &t.seats[(d+1)&3], &t.seats[(d+2)&3], &t.seats[(d+3)&3]
	interest := next.hand.Kinds().ChiKinds() |
		next.waits | across.waits | before.waits |
		next.hand.AtLeast(2) | across.hand.AtLeast(2) | before.hand.AtLeast(2)
	if t.rules.ChiFrom == ruleset.ChiFromAny {
		interest |= across.hand.Kinds().ChiKinds() | before.hand.Kinds().ChiKinds()
	}
	if !interest.Has(t.window.Kind()) {
		return t.discardUnclaimed(o)
	}
	t.askClaims()
	return t.openWindow(PhaseClaim, claims)
}

// askClaims computes the legal claims of each player for the current discard.
func (t *Table) askClaims() {
	k := t.window.Kind()
	winOnly := t.lastDiscard() && t.rules.LastDiscard == ruleset.LastDiscardWinOnly
	// The answers begin as passes, so that closeClaims need not know who was asked.
	t.answers = [NumPlayers]Action{ActPass, ActPass, ActPass, ActPass}
	for i := ruleset.Chair(1); i < NumPlayers; i++ {
		c := (t.turn + i) & 3
		l := &t.legal[c]
		*l = ActionSet{}
		s := &t.seats[c]
		// The cheap tests first: canWin computes the value of a hand.
		if s.waits.Has(k) && t.mayWinOn(s, k, true) && t.canWin(c, k, t.discardFlags(c)) {
			l.Add(ActWin)
		}
		// A hand that has declared ready does not change (riichi 2.6).
		if s.ready == NotReady && !winOnly && t.mayCall(s, i).Has(k) {
			t.callActions(c, i, l)
		}
		t.askIfChoice(c, l)
	}
}

// mayCall returns the kinds that s, i places after the discarder, holds the tiles to
// call.
func (t *Table) mayCall(s *seat, i ruleset.Chair) tile.Set {
	kinds := s.hand.AtLeast(2)
	if i == 1 && t.rules.ChiFrom == ruleset.ChiFromLeft || t.rules.ChiFrom == ruleset.ChiFromAny {
		kinds |= s.hand.Kinds().ChiKinds()
	}
	return kinds
}

// askIfChoice asks c unless it could only pass: forced moves are no decisions.
func (t *Table) askIfChoice(c ruleset.Chair, l *ActionSet) {
	if *l != (ActionSet{}) {
		l.Add(ActPass)
		t.asked |= c.Bit()
	}
}

// openWindow waits for the chairs that were asked, or closes the window if there are
// none.
func (t *Table) openWindow(p Phase, closed next) next {
	// asked shrinks with the answers; who passed a win is found in askedAll when the window closes.
	t.askedAll = t.asked
	if t.asked == 0 {
		return closed
	}
	t.phase = p
	return wait
}

// mayWinOn reports whether the player is not furiten for a win on kind k, a discard or
// the tile of a kan (riichi 2.9, S4 3.13, S0 win 5). The river counts with all its tiles,
// also those that others have claimed.
func (t *Table) mayWinOn(s *seat, k tile.Kind, discard bool) bool {
	r := t.rules
	if !discard && !r.LocksBlockRob {
		return true
	}
	switch r.RiverLock {
	case ruleset.LockKind:
		if s.river.Has(k) {
			return false
		}
	case ruleset.LockHand:
		if s.waits&s.river != 0 {
			return false
		}
	}
	return !s.passLock && !s.passedKinds.Has(k)
}

// lockPass makes the player furiten after declining a win on a tile of kind k, as the
// rules say.
func (t *Table) lockPass(s *seat, k tile.Kind) {
	r := t.rules
	// Riichi counts wins passed since the deal (riichi 2.9), other rules only those after the first
	// own discard.
	if s.discards == 0 && !r.PassLockFromDeal {
		return
	}
	switch r.PassLock {
	case ruleset.LockOff:
		return
	case ruleset.LockKind:
		s.passedKinds |= k.Bit()
	case ruleset.LockHand:
		s.passLock = true
	}
	if s.ready != NotReady && r.PassLockFinal {
		s.passFinal = true // clearPassLock keeps the lock from here on
	}
}

// lockPassers applies lockPass to all players who could have won on the current
// discard.
func (t *Table) lockPassers() {
	k := t.window.Kind()
	// No player has won, so whoever could have has passed: the answers need not be read.
	for i := ruleset.Chair(1); i < NumPlayers; i++ {
		c := (t.turn + i) & 3
		s := &t.seats[c]
		if !s.waits.Has(k) {
			continue
		}
		// Otherwise the shape is enough: a hand without a yaku locks itself too.
		if t.rules.PassLockSetBy == ruleset.PassSetByLegalWin && !(t.askedAll.Has(c) && t.legal[c].Has(ActWin)) {
			continue
		}
		t.lockPass(s, k)
	}
}

// callActions adds the chi, pon and open kan that c, i places after the
// discarder, may claim.
func (t *Table) callActions(c, i ruleset.Chair, l *ActionSet) {
	r := t.rules
	s := &t.seats[c]
	k := t.window.Kind()
	reds, fives := 0, k.IsFive()
	if fives {
		reds = int(s.reds[k.Suit()])
	}
	if n := s.hand.Count(k); n >= 2 {
		if !s.passedPons.Has(k) && t.leavesDiscard(s, k, k, r.SwapBan, hand.Meld{Type: hand.Pon, Kind: k}) {
			// How many red fives of the hand the pon shows is the player's choice.
			for use := 0; use <= 2; use++ {
				if use <= reds && 2-use <= n-reds {
					l.Add(ActPon + Action(use))
				}
			}
		}
		if n >= 3 && t.mayKan(c) {
			// It needs neither a red five to choose nor a discard to be left: all tiles of the kind
			// leave the hand, and a replacement comes.
			l.Add(ActOpenKan)
		}
	}
	if k.IsHonor() || i != 1 && r.ChiFrom == ruleset.ChiFromLeft || r.ChiFrom == ruleset.ChiFromNone {
		return
	}
	// place is that of the claimed tile in the run, from the lowest.
	rank := k.Rank()
	for place := range 3 {
		low := rank - place
		if low < 0 || low > 6 { // runs begin with 1 to 7
			continue
		}
		lowest := k - tile.Kind(place)
		a, b := lowest, lowest+1 // the two tiles from the hand
		if place == 0 {
			a, b = lowest+1, lowest+2
		} else if place == 1 {
			b = lowest + 2
		}
		kinds := s.hand.Kinds()
		if !kinds.Has(a) || !kinds.Has(b) || !t.leavesDiscard(s, a, b, r.SwapBan, hand.Meld{Type: hand.Chi, Kind: lowest, Claimed: uint8(place)}) {
			continue
		}
		// At most one of the two is a five, with or without its red tile.
		five := a
		if b.IsFive() {
			five = b
		}
		red := 0
		if five.IsFive() {
			red = int(s.reds[five.Suit()])
		}
		if red == 0 || s.hand.Count(five) > red {
			l.Add(ActChi + Action(place))
		}
		if red > 0 {
			l.Add(ActChiRed + Action(place))
		}
	}
}

// leavesDiscard reports whether a claim with the tiles a and b leaves a discard that
// the swap-calling ban allows (riichi 2.3: otherwise the claim is illegal).
func (t *Table) leavesDiscard(s *seat, a, b tile.Kind, mode ruleset.SwapBan, m hand.Meld) bool {
	// A held flower may always be discarded, and no ban applies to it. Without a ban any tile
	// may: a hand without flowers has a tile more than whole sets, so two leave it one at least.
	if mode == ruleset.SwapFree || s.heldFlowers != 0 {
		return true
	}
	if s.hand.Kinds().Len() > 4 {
		return true // at most two kinds leave the hand, and two are banned
	}
	// The kinds of which no tile is left.
	gone := (a.Bit() | b.Bit()) &^ s.hand.AtLeast(2)
	if a == b {
		gone = a.Bit() &^ s.hand.AtLeast(3)
	}
	return s.hand.Kinds()&^gone&^ruleset.SwapBanned(m, mode) != 0
}

// mayKan reports whether the rules leave room for another kan: closed or added
// ones in a turn, open ones in a claim window.
func (t *Table) mayKan(c ruleset.Chair) bool {
	r := t.rules
	inTurn := c == t.turn
	if r.MaxKans != ruleset.NoLimit && int(t.kans) >= int(r.MaxKans) {
		return false
	}
	if inTurn && t.cause == FromClaim && !r.KanAfterClaim {
		return false
	}
	if inTurn && r.KanNeedsNextWall && t.left(c.Next(1)) == 0 {
		return false
	}
	// With private walls an open kan is legal even without a replacement tile; the
	// hand then ends (mcr 2.15).
	return t.left(c) >= r.KanMinWall || !inTurn && r.Walls == ruleset.WallPerSeat
}

// closeClaims resolves the answers to a discard by priority: wins, then pon and kan,
// then chi (riichi 2.4).
func (t *Table) closeClaims(o *events) next {
	if n, won := t.closeWins(o, WinDiscard); won {
		return n
	}
	// The order is that of the rules: the fourth declaration aborts the hand before any claim
	// (riichi 2.11).
	t.passWins(o)
	if reason, ok := t.abortAfterDiscard(); ok {
		return t.abort(o, reason)
	}
	best, bestRank := ruleset.NoChair, 0
	for i := ruleset.Chair(1); i < NumPlayers; i++ {
		c := (t.turn + i) & 3
		// Only chis tie, where several players may chi: the next in turn comes first.
		if rank := claimRank(t.answers[c]); rank > bestRank {
			best, bestRank = c, rank
		}
	}
	if best == ruleset.NoChair {
		return t.passTurn()
	}
	return t.claim(o, best, t.answers[best])
}

// passWins continues after a discard that no player has won on. A declaration then stands, and
// its stick is paid (S4 3.12, S0 riichi 9).
func (t *Table) passWins(o *events) {
	t.lockPassers()
	if t.rules.PonPass != ruleset.PonPassOff {
		t.lockPonPassers()
	}
	t.acceptReady(o)
}

// claimRank returns the priority of an answer that does not win: 2 for pon and kan, 1
// for chi, 0 for pass.
func claimRank(a Action) int {
	// Passes are most of the answers and have the highest ids; then come open kan, pons
	// and chis downwards.
	switch {
	case a > ActOpenKan:
		return 0
	case a >= ActPon:
		return 2
	}
	return 1
}

// discardUnclaimed continues after a discard that no player could claim. No hand waits for
// it, so no player is locked by passing it.
func (t *Table) discardUnclaimed(o *events) next {
	// As in closeClaims: the fourth declaration must stand before it can abort the hand.
	if t.seats[t.turn&3].declaring != NotReady {
		t.acceptReady(o)
	}
	if reason, ok := t.abortAfterDiscard(); ok {
		return t.abort(o, reason)
	}
	return t.passTurn()
}

// passTurn gives the turn to the next chair, which draws if a tile is left.
func (t *Table) passTurn() next {
	t.turn = t.rules.NextChair(t.turn, 1)
	return draw
}

// closeWins ends the hand if a player won in the window. The answers of players who
// were not asked are ActPass.
func (t *Table) closeWins(o *events, kind WinKind) (next, bool) {
	var winners [3]ruleset.Chair
	n := 0
	for i := ruleset.Chair(1); i < NumPlayers; i++ {
		c := (t.turn + i) & 3
		if t.answers[c] == ActWin {
			winners[n] = c
			n++
		}
	}
	switch {
	case n == 0:
		return wait, false
	case t.rules.MultiWin == ruleset.WinNearest:
		n = 1 // winners are in turn order after the giver
	case n == 3 && t.rules.MultiWin == ruleset.WinAllAbortOnTriple:
		return t.abort(o, AbortTripleRon), true
	}
	return t.win(o, kind, t.turn, winners[:n]), true
}

// lockPonPassers notes the kind for the players who let a pon of it pass.
func (t *Table) lockPonPassers() {
	for c := range ruleset.Chair(NumPlayers) {
		if !t.askedAll.Has(c) {
			continue
		}
		// The ids of pons, by their number of red fives, are neighbors.
		const pons = 3
		offered := t.legal[c].Kinds(ActPon)&(1<<pons-1) != 0
		took := t.answers[c] >= ActPon && t.answers[c] < ActPon+pons
		// A player who took an open kan is noted too, which does no harm: no tile of the kind is
		// left.
		if offered && !took {
			t.seats[c].passedPons |= t.window.Kind().Bit()
		}
	}
}

// abortAfterDiscard returns the abortive draw that follows a discard without a win, if
// any (riichi 2.11).
func (t *Table) abortAfterDiscard() (AbortReason, bool) {
	r := t.rules
	if r.FourWindsAbort && t.abortable && t.discards == NumPlayers {
		k := t.log[0].face.Kind()
		if tile.Winds.Has(k) && t.log[1].face.Kind() == k && t.log[2].face.Kind() == k && t.log[3].face.Kind() == k {
			return AbortFourWinds, true
		}
	}
	if r.FourRiichiAbort && t.readyChairs().Len() == NumPlayers {
		return AbortFourRiichi, true
	}
	// Four kans of one player play on, since they may still become suukantsu.
	if r.FourKansAbort == ruleset.FourKansEnd && t.kans == 4 && t.kanChairs.Len() > 1 {
		return AbortFourKans, true
	}
	return 0, false
}

func (t *Table) readyChairs() ruleset.Chairs {
	var set ruleset.Chairs
	for c := range ruleset.Chair(NumPlayers) {
		if t.seats[c].ready != NotReady {
			set |= c.Bit()
		}
	}
	return set
}

// claim carries out a chi, pon or open kan by c.
func (t *Table) claim(o *events, c ruleset.Chair, a Action) next {
	f := t.window
	k := f.Kind()
	d := t.turn
	s := &t.seats[c]
	t.log[t.discards-1].marks |= markClaimed
	t.abortable, t.noCalls = false, false
	t.callers |= c.Bit()
	// A claim interrupts the chase; kans in a turn and flowers do not (hktw 2.11).
	t.chase, t.kanClosed, t.kita = 0, false, false
	t.endIppatsu()
	switch t.rules.PassLockEnds {
	case ruleset.PassEndsOwnDrawOrCall:
		s.clearPassLock()
	case ruleset.PassEndsAnyCall:
		for i := range t.seats {
			t.seats[i].clearPassLock()
		}
	}
	m := hand.Meld{Kind: k, From: uint8(t.rules.SeatWind(d, c)), ClaimedRed: f.IsRed()}
	// An open kan shows all red fives of the hand. With a pon the action says how many, with a chi
	// there is at most one.
	place, ownReds := uint8(0), uint8(0)
	var typ EventType
	switch {
	case a == ActOpenKan:
		typ, m.Type = EvOpenKan, hand.OpenKan
		if k.IsFive() {
			ownReds = s.reds[k.Suit()]
		}
		t.expose(c, k, 3, int(ownReds))
	case a >= ActPon:
		typ, m.Type = EvPon, hand.Pon
		ownReds = uint8(a - ActPon)
		t.expose(c, k, 2, int(ownReds))
	default:
		typ, m.Type = EvChi, hand.Chi
		place = uint8(a-ActChi) % 3 // the ids with a red five follow those without
		if a >= ActChiRed {
			ownReds = 1
		}
		m.Kind, m.Claimed = k-tile.Kind(place), place
		for i := range tile.Kind(3) {
			if own := m.Kind + i; own != k {
				reds := 0
				if own.IsFive() {
					reds = int(ownReds)
				}
				t.expose(c, own, 1, reds)
			}
		}
	}
	m.Reds = ownReds
	if m.ClaimedRed {
		m.Reds++
	}
	t.addMeld(s, m)
	o.add(typ, c, f, PackCall(t.who[d], int(place), int(ownReds)), 0)
	// The event before this names the player who was in turn; from here on it is the claimer's
	// turn.
	t.turn, t.cause, t.drawn = c, FromClaim, tile.NoFace
	s.tailDraws, s.kanDraws = 0, 0
	t.noteLiability(s, d)
	// After a chi or pon the discard finds the waits. A kan draws before it, and drawn tiles
	// are judged by the waits of the hand without them.
	if m.Type == hand.OpenKan {
		t.findWaits(s)
		t.setLiable(s, rinshanLiability, d)
		return t.completeKan(o, t.rules.KanDoraOpen)
	}
	s.bannedKinds = ruleset.SwapBanned(m, t.rules.SwapBan)
	return turn
}

// noteLiability makes d liable (pao) for the patterns that the newest meld of s
// completes (S4 4.2.5.10, S0 pay 5).
func (t *Table) noteLiability(s *seat, d ruleset.Chair) {
	for set := t.rules.Liability(s.melds[:s.numMelds]); set != 0; set &= set - 1 {
		t.setLiable(s, bits.TrailingZeros8(set), d)
	}
}

// setLiable makes d liable in slot i. Where several players are liable the settlement
// needs the order.
func (t *Table) setLiable(s *seat, i int, d ruleset.Chair) {
	s.liable[i] = d
	t.liabilities++
	s.liableAt[i] = t.liabilities
}

// rinshanLiability is the slot for the giver of an open kan. Some rules make him liable
// for a win on its replacement tile. It ends with the turn.
const rinshanLiability = ruleset.NumLiabilities - 1

// openRob opens the window in which the other players may rob a kan.
func (t *Table) openRob() next {
	t.askRob()
	return t.openWindow(PhaseRob, robs)
}

// askRob computes which players may rob the current kan.
func (t *Table) askRob() {
	k := t.window.Kind()
	// If the rules allow no robbing, no chair is asked, and the window closes at once. Nor is the
	// chair that stays empty where three play: it waits for nothing.
	allowed := t.mayBeRobbed()
	t.answers = [NumPlayers]Action{ActPass, ActPass, ActPass, ActPass}
	for i := ruleset.Chair(1); allowed && i < NumPlayers; i++ {
		c := (t.turn + i) & 3
		l := &t.legal[c]
		*l = ActionSet{}
		s := &t.seats[c]
		if t.mayRob(c, k) && t.mayWinOn(s, k, false) && t.canWin(c, k, t.robFlags(c)) {
			l.Add(ActWin)
		}
		t.askIfChoice(c, l)
	}
}

// mayBeRobbed reports whether the rules let any player win on the tile of the current kan,
// or on the North that is set aside.
func (t *Table) mayBeRobbed() bool {
	switch {
	case t.kita:
		return t.rules.RobKita != ruleset.RobKitaNever
	case t.kanClosed:
		return t.rules.RobClosedKan != ruleset.RobClosedNever
	}
	return t.rules.RobAddedKan
}

// mayRob reports whether the rules allow c to complete its hand with the tile of the
// kan: an added kan by any hand, a closed one by thirteen orphans alone unless the
// rules allow all. So it is with a North that is set aside.
func (t *Table) mayRob(c ruleset.Chair, k tile.Kind) bool {
	if !t.seats[c].waits.Has(k) {
		return false
	}
	if t.kita {
		return t.rules.RobKita == ruleset.RobKitaAlways || t.canWin(c, k, t.robFlags(c))
	}
	// With this flag only thirteen orphans have a value.
	return !t.kanClosed || t.rules.RobClosedKan != ruleset.RobClosedOrphans || t.canWin(c, k, t.robFlags(c))
}

// closeRob resolves the answers to a kan.
func (t *Table) closeRob(o *events) next {
	kind := WinRob
	if t.kita {
		kind = WinRobKita
	}
	if n, won := t.closeWins(o, kind); won {
		return n
	}
	// The tile of an added kan has been shown to all, so whoever waits for it has passed it
	// even where it may not be robbed. A closed kan or a North passes only where it may be.
	k := t.window.Kind()
	if t.rules.PassLockOnRob && (t.mayBeRobbed() || !t.kanClosed && !t.kita) {
		for i := ruleset.Chair(1); i < NumPlayers; i++ {
			c := (t.turn + i) & 3
			if t.mayRob(c, k) && (t.rules.PassLockSetBy == ruleset.PassSetByShape || t.askedAll.Has(c)) {
				t.lockPass(&t.seats[c], k)
			}
		}
	}
	if t.kita {
		return t.replaceNorth(o)
	}
	c := t.turn
	s := &t.seats[c]
	if t.kanClosed {
		// Plus one: 0 is a kan that could not be robbed, see rebuildRobLocks.
		s.kanAt[s.numMelds-1] = t.discards + 1
		return t.completeKan(o, t.rules.KanDoraClosed)
	}
	// The pon becomes a kan only now: a kan that is robbed was never made (S4 4.2.1.12).
	for i := range s.melds[:s.numMelds] {
		if m := &s.melds[i]; m.Type == hand.Pon && m.Kind == k {
			m.Type = hand.AddedKan
			s.kanAt[i] = t.discards + 1
			if t.window.IsRed() {
				m.AddedRed = true
				m.Reds++
			}
		}
	}
	s.ponKinds &^= k.Bit()
	s.minShanten = -1 // a hand with a kan may have shapes of its own
	return t.completeKan(o, t.rules.KanDoraOpen)
}
