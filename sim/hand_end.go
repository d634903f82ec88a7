package sim

import (
	"slices"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// settling holds the arguments of a Scorer at the end of a hand, pooled like appraisal.
type settling struct {
	st  ruleset.Settlement
	win ruleset.Win
}

var settlements = sync.Pool{New: func() any { return new(settling) }}

// win ends the hand with the given winners, nearest to the giver first; from is
// NoChair for a self-draw.
func (t *Table) win(o *events, kind WinKind, from ruleset.Chair, winners []ruleset.Chair) next {
	// Arguments of an interface method escape: taken from the pool, they allocate nothing.
	x := settlements.Get().(*settling)
	defer settlements.Put(x)
	st, win := &x.st, &x.win
	t.openSettlement(st, kind, from)
	f := t.window
	switch {
	case kind == WinFlower:
		f = tile.NoFace
	case from == ruleset.NoChair:
		f = t.drawn
	default:
		// A declaration whose tile is won on is void: no stick is paid
		// (S4 3.12, S0 riichi 9).
		t.seats[from].declaring = NotReady
	}
	dealerWon := false
	for _, c := range winners {
		w := t.addWinner(st, c, f.Kind())
		s := &t.seats[c]
		flags := t.winFlags(kind, c)
		switch len(winners) {
		case 2:
			flags |= ruleset.FlagDoubleWin
		case 3:
			flags |= ruleset.FlagTripleWin
		}
		*win = ruleset.Win{}
		t.describeWin(win, c, f.Kind(), flags)
		o.add(EvWin, c, f, uint8(kind), int32(t.giverOf(c, from)))
		o.add(EvReveal, c, tile.NoFace, revealedHand, 0)
		// The ura indicators belong to the winner alone, so they follow his EvWin.
		if s.ready != NotReady && t.rules.Dora {
			n := t.rules.UraIndicators(int(t.indicators))
			win.NumUra = uint8(n)
			for j := range n {
				f := t.wall[IndicatorIndex(&t.rules.Flow, j)+1] // below the dora indicator
				win.Ura[j] = f.Kind()
				o.add(EvIndicator, c, f, uraIndicator, 0)
			}
		}
		t.rules.Value(win, &w.Value)
		if o.values != nil {
			*o.values = append(*o.values, w.Value)
		}
		fu, han, points := packHandValue(&w.Value)
		o.add(EvValue, c, fu, han, points)
		dealerWon = dealerWon || c == t.dealer
	}
	// All winners are settled together: sticks and honba may go to one of them only (riichi 5.7).
	t.rules.Settle(st)
	t.payAll(o, st)
	t.keepLedger(o, &st.Ledger)

	end := HandEnd{Ending: EndWin, DealerWon: dealerWon, MultipleWinners: len(winners) > 1}
	// Honba end with a win by which the deal passes (riichi 2.12).
	counter := int32(0)
	if end.Stays(t.rules) && (len(winners) == 1 || t.rules.CounterOnSharedWin == ruleset.SharedPlusOne) {
		counter = t.counter + 1
	}
	return t.endHand(o, end, counter)
}

// openSettlement sets st to the settlement of wins that are still to be added.
func (t *Table) openSettlement(st *ruleset.Settlement, kind WinKind, from ruleset.Chair) {
	*st = ruleset.Settlement{
		From: from, Robbed: kind == WinRob, // a North set aside is no kan: its giver pays as a discarder
		Dealer: t.dealer, Counter: int(t.counter), Deposits: int(t.deposits), Sticks: t.sticks, Ledger: t.ledgerOfChairs(),
	}
}

// addWinner adds the winner c, whose value the caller sets, on a tile of kind k.
func (t *Table) addWinner(st *ruleset.Settlement, c ruleset.Chair, k tile.Kind) *ruleset.Winner {
	w, s := &st.Winners[st.NumWinners], &t.seats[c]
	st.NumWinners++
	w.Chair, w.Responsible = c, t.responsible(c, st.From, k)
	w.Liable, w.LiableOrder = s.liable, s.liableAt
	return w
}

// giverOf returns who gave the tile: by the form of EvWin the winner himself on a self-draw.
func (t *Table) giverOf(winner, from ruleset.Chair) Player {
	if from == ruleset.NoChair {
		return t.who[winner]
	}
	return t.who[from]
}

// pay moves points between chairs or between a chair and the pot.
func (t *Table) pay(o *events, from, to ruleset.Chair, amount int32, reason ruleset.Reason) {
	giver, taker := Player(ruleset.Pot), Player(ruleset.Pot)
	if from != ruleset.Pot {
		giver = t.who[from]
		t.points[giver] -= amount
	}
	if to != ruleset.Pot {
		taker = t.who[to]
		t.points[taker] += amount
	}
	// Not by add, which takes a chair: the giver may be the pot.
	*o.list = append(*o.list, Event{EvPay, giver, tile.NoFace, packPay(taker, reason), amount})
}

func (t *Table) payAll(o *events, st *ruleset.Settlement) {
	// In the order of the settlement, which is part of the record.
	for _, p := range st.Payments[:st.NumPayments] {
		t.pay(o, p.From, p.To, p.Amount, p.Reason)
		if p.From == ruleset.Pot { // only rules with sticks pay from it
			t.deposits -= p.Amount / int32(t.rules.RiichiStick)
		}
	}
}

// exhaust ends a hand at an exhausted wall.
func (t *Table) exhaust(o *events) next {
	o.add(EvExhausted, ruleset.NoChair, tile.NoFace, 0, 0)
	t.drawn, t.window = tile.NoFace, tile.NoFace // no tile is left to win on
	switch t.rules.TenpaiDeclaration {
	case ruleset.TenpaiOptional:
		return declare
	// From the dealer on, as where players declare by themselves, so that the events have one
	// order.
	case ruleset.TenpaiAutomatic:
		for i := range t.rules.NumSeats() {
			c := t.rules.NextChair(t.dealer, i)
			t.noteDeclaration(o, c, t.isReady(c))
		}
	}
	return t.settleDraw(o)
}

// isReady reports whether c is ready at an exhausted wall: its own tiles do not use up
// all copies of its waits (S4 3.14, S0 draw 2-3).
func (t *Table) isReady(c ruleset.Chair) bool {
	s := &t.seats[c]
	return ruleset.LiveWaits(s.waits, &s.hand, s.melds[:s.numMelds], t.rules.LiveWait) != 0
}

// declareReady asks the players from the dealer on whether they declare ready (S0 draw
// 2, 7). A riichi hand is always shown (S0 pen. B-I).
func (t *Table) declareReady(o *events) next {
	if int(t.declaredBy) == t.rules.NumSeats() {
		return t.settleDraw(o)
	}
	c := t.rules.NextChair(t.dealer, int(t.declaredBy))
	if s := &t.seats[c]; s.ready != NotReady || !t.isReady(c) {
		return t.declareAs(o, c, t.isReady(c))
	}
	t.turn = c
	l := &t.legal[c]
	*l = ActionSet{}
	l.Add(ActTenpai)
	l.Add(ActNoten)
	t.phase = PhaseDeclare
	t.asked = c.Bit()
	t.askedAll = t.asked
	return wait
}

// declareAs records what c declares and goes on to the next chair.
func (t *Table) declareAs(o *events, c ruleset.Chair, ready bool) next {
	t.noteDeclaration(o, c, ready)
	t.declaredBy++
	return declare
}

// noteDeclaration records for the payments that c is ready or not, and shows a ready hand to all
// (S0 draw 2).
func (t *Table) noteDeclaration(o *events, c ruleset.Chair, ready bool) {
	if !ready {
		o.add(EvDeclare, c, tile.NoFace, declaredNoten, 0)
		return
	}
	t.declared |= c.Bit()
	o.add(EvDeclare, c, tile.NoFace, declaredTenpai, 0)
	o.add(EvReveal, c, tile.NoFace, revealedHand, 0)
}

// settleDraw makes the payments at an exhausted wall and ends the hand.
func (t *Table) settleDraw(o *events) next {
	x := settlements.Get().(*settling)
	defer settlements.Put(x)
	st := &x.st
	// The other fields keep stale values: Drawn reads no winners.
	st.From, st.Dealer, st.NumWinners, st.NumPayments = ruleset.NoChair, t.dealer, 0, 0
	st.Counter, st.Deposits, st.Sticks = int(t.counter), int(t.deposits), t.sticks
	st.Ready, st.Nagashi = t.declared, t.nagashi()
	st.Ledger = ruleset.Ledger{}
	t.rules.Drawn(st)
	t.payAll(o, st)
	end := HandEnd{Ending: EndDraw, DealerReady: t.declared.Has(t.dealer)}
	// Whether honba go on depends on whether the deal passes (riichi 2.12).
	step := t.rules.CounterOnDrawPassed
	if end.Stays(t.rules) {
		step = t.rules.CounterOnDrawKept
	}
	counter := t.counter
	switch step {
	case ruleset.PlusOne:
		counter++
	case ruleset.Reset:
		counter = 0
	}
	return t.endHand(o, end, counter)
}

// nagashi returns the chairs that discarded terminals and honors only, none of them
// claimed.
func (t *Table) nagashi() ruleset.Chairs {
	// river has kinds and forgets which tiles were claimed; the log knows.
	var set ruleset.Chairs
	for c := range ruleset.Chair(NumPlayers) {
		if s := &t.seats[c]; s.discards > 0 && s.river&^tile.Orphans == 0 {
			set |= c.Bit()
		}
	}
	for _, e := range t.log[:t.discards] {
		if e.marks&markClaimed != 0 {
			set &^= e.chair.Bit()
		}
	}
	return set
}

// abort ends the hand without payments; the dealer stays (riichi 2.11).
func (t *Table) abort(o *events, reason AbortReason) next {
	o.add(EvAbort, ruleset.NoChair, tile.NoFace, uint8(reason), 0)
	return t.endHand(o, HandEnd{Ending: EndAbort}, t.counter+1)
}

// endHand ends the hand and decides how the match continues (riichi 2.12, riichi 2.13).
func (t *Table) endHand(o *events, end HandEnd, counter int32) next {
	stays := end.Stays(t.rules)
	detail := dealPasses
	if stays {
		detail = dealStays
	}
	// EvHandEnd has the counter and the sticks of the next hand, so they are set before it.
	t.revealKans(o)
	t.counter = counter
	t.hands++
	o.add(EvHandEnd, ruleset.NoChair, tile.NoFace, detail, packHandEnd(t.counter, t.deposits))
	t.turn = ruleset.NoChair
	c := Progress{Round: int(t.round), Dealer: t.dealer, DealerPlayer: t.who[t.dealer], Points: t.points}
	over, mayStop := c.Advance(t.rules, end)
	// The wall of a hand follows from round, dealer and dealIndex alone (docs/determinism.md):
	// no two hands of a match may have the same three.
	if stays {
		t.dealIndex++
	} else {
		t.dealIndex = 0
	}
	t.round, t.dealer = uint8(c.Round), c.Dealer
	switch {
	case over:
		t.endMatch(o)
	case t.rules.MaxHands > 0 && int(t.hands) >= t.rules.MaxHands, t.outOfRange():
		t.truncate(o)
	default:
		t.mayStop = mayStop
		t.between = 0
		return between
	}
	return wait
}

// truncate ends a match that is not over by the rules.
func (t *Table) truncate(o *events) {
	t.truncated = true
	o.add(EvTruncated, ruleset.NoChair, tile.NoFace, 0, 0)
	t.endMatch(o)
}

// cutOff truncates a match between two hands and appends the events to dst.
func (t *Table) cutOff(dst []Event) []Event {
	t.truncate(&events{list: &dst, t: t})
	return dst
}

// Limits of a match, so that its numbers fit events and final scores: hands and
// repeats, sticks on the table, and the distance of a player's points from zero. Only a
// dealer who never loses the deal gets there.
const (
	maxHandsPlayed = 1<<15 - 1
	maxDeposits    = 1<<8 - 1
	maxPoints      = 10_000_000
)

// outOfRange reports whether the match is at a limit and must be truncated.
func (t *Table) outOfRange() bool {
	// Checked between hands only: the fields of events have room for what one hand adds.
	return max(t.hands, t.dealIndex, t.counter) >= maxHandsPlayed || t.deposits > maxDeposits ||
		max(slices.Max(t.points[:]), -slices.Min(t.points[:])) >= maxPoints
}

// revealKans reveals the closed kans whose kind was hidden during the hand (mcr 2.13).
func (t *Table) revealKans(o *events) {
	if t.rules.ClosedKanVisible {
		return
	}
	for c := range ruleset.Chair(NumPlayers) {
		s := &t.seats[c]
		for _, m := range s.melds[:s.numMelds] {
			if m.Type == hand.ClosedKan {
				o.add(EvReveal, c, tile.Face(m.Kind), revealedKan, 0)
			}
		}
	}
}

// betweenHands offers the choices between two hands one at a time and then waits for
// the next deal.
func (t *Table) betweenHands() next {
	// between survives from one decision to the next, so each debt is offered once.
	for ; t.between < NumPlayers*NumPlayers; t.between++ {
		creditor, debtor := t.between/NumPlayers, t.between%NumPlayers
		if t.rules.MayCut(t.ledger[creditor][debtor]) {
			return t.offer(t.chairOf[debtor], ActCutDebt)
		}
	}
	if t.mayStop {
		return t.offer(t.dealer, ActEndMatch)
	}
	t.turn = ruleset.NoChair
	t.phase = PhaseDeal
	return wait
}

// offer asks c between two hands whether to do a.
func (t *Table) offer(c ruleset.Chair, a Action) next {
	l := &t.legal[c]
	*l = ActionSet{}
	l.Add(ActPass)
	l.Add(a)
	t.turn = c
	t.phase = PhaseBetween
	t.asked = c.Bit()
	t.askedAll = t.asked
	return wait
}

// closeBetween carries out a choice between two hands.
func (t *Table) closeBetween(o *events) next {
	switch a := t.answers[t.turn]; {
	case a == ActEndMatch:
		t.endMatch(o)
		return wait
	case a == ActCutDebt:
		creditor, debtor := t.between/NumPlayers, t.between%NumPlayers
		t.pay(o, t.chairOf[debtor], t.chairOf[creditor], t.ledger[creditor][debtor].Points, ruleset.ForDebt)
		// A debt that is cut is paid in full and does not grow by the pull any more (hktw 3.5, P9).
		t.setDebt(o, Player(creditor), Player(debtor), ruleset.Debt{})
	case t.between == NumPlayers*NumPlayers: // past the debts, the dealer plays on
		t.mayStop = false
	}
	if t.between < NumPlayers*NumPlayers {
		t.between++
	}
	return between
}

// Forfeit records that player p, whose answer the table waits for, has given an illegal one,
// and appends the events to dst. Where the rules have a penalty he pays it and the match is
// over. Elsewhere the table still waits, and the caller plays DefaultAction for him until
// the match ends, as [Match.Play] does.
func (t *Table) Forfeit(p Player, dst []Event) []Event {
	o := &events{list: &dst, t: t}
	c := t.chairOf[p]
	o.add(EvForfeit, c, tile.NoFace, 0, 0)
	if cost := int32(t.rules.ForfeitPoints); cost > 0 {
		// Only MCR has this penalty, which four play.
		for i := 1; i < NumPlayers; i++ {
			t.pay(o, c, c.Next(i), cost, ruleset.ForForfeit)
		}
		t.endMatch(o)
	}
	return dst
}

// endMatch pays the open debts, ranks the players and pays out the sticks left on the table.
func (t *Table) endMatch(o *events) {
	t.phase = PhaseOver
	t.asked = 0
	t.collectDebts(o) // before the ranks, which count what is paid (hktw)
	f := &t.final
	f.Points = t.points
	f.Deposits = int(t.deposits)
	f.Rounds = t.rules.Rounds
	t.rules.Final(f)
	for p, share := range f.Share {
		if share != 0 {
			t.pay(o, ruleset.Pot, t.chairOf[p], share, ruleset.ForDeposit)
		}
	}
	// Sticks that go to no player stay on the table. Without sticks RiichiStick is 0, and so
	// is the total.
	if total := f.Share[0] + f.Share[1] + f.Share[2] + f.Share[3]; total != 0 {
		t.deposits -= total / int32(t.rules.RiichiStick)
	}
	f.Points = t.points // with the sticks, which Final has shared out
	for p := range t.rules.NumSeats() {
		o.add(EvPlacement, t.chairOf[p], tile.NoFace, f.Rank[p], int32(f.Placement[p]))
	}
	o.add(EvMatchEnd, ruleset.NoChair, tile.NoFace, 0, 0)
}
