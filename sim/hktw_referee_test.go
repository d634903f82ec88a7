package sim_test

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// hktwLaw is a second, slow implementation of what players may do, earn and owe in
// Hong Kong-style Taiwanese, written from sections 2 and 3 of the league rules. It
// finds shapes by trying; the value of a won hand it takes from the events. The
// pull is that of the preset.
//
// It is the law of Taiwanese too, which has neither the special forms nor the pull; see
// taiwanese_referee_test.go.
type hktwLaw struct {
	frame
	locks
	taiwanese bool

	// Of the match: what players owe each other, in half points, and the debts that
	// may still be cut between two hands.
	debts map[pair]owing

	// Of the hand.
	opened   bool // the first tile has been drawn
	anyCall  bool
	callers  uint8
	tier     sim.ReadyTier // declared with the discard to come
	ippatsu  [4]bool
	grass    [4]bool // paid
	sets     [4]uint8
	kans     [4]int // closed ones
	entitled sim.Player
	single   sim.Player // holder of the eighth flower, -1 if the entitled player is
	offered  bool       // the entitled player is asked
	chase    int        // discards in a row by players in turn, without a call
	due      []payment  // awards that must be paid next, in order
	won      []wonHand
	settled  map[pair]int // debts paid in this hand
	paid     int          // payments of other kinds
	net      [4]int       // what they moved
}

// pair is a creditor and a debtor.
type pair [2]sim.Player

type owing struct{ points, wins int }

// payment is an award from one player to another.
type payment struct {
	from, to sim.Player
	amount   int
}

func (l *hktwLaw) clone() law {
	c := *l
	c.winners, c.due, c.won = slices.Clone(l.winners), slices.Clone(l.due), slices.Clone(l.won)
	c.debts, c.settled = map[pair]owing{}, map[pair]int{}
	for p, d := range l.debts {
		c.debts[p] = d
	}
	for p, n := range l.settled {
		c.settled[p] = n
	}
	return &c
}

func (l *hktwLaw) saw(s *shadow, e sim.Event) error {
	if err := l.frame.saw(s, e); err != nil {
		return err
	}
	l.locks.saw(s, e, l)
	if len(l.due) > 0 && e.Type != sim.EvPay {
		return fmt.Errorf("not paid: %+v", l.due)
	}
	switch p := e.Player; e.Type {
	case sim.EvHandStart:
		*l = hktwLaw{frame: l.frame, taiwanese: l.taiwanese, debts: l.debts, entitled: -1, single: -1, settled: map[pair]int{}}
	case sim.EvDraw:
		l.opened = l.opened || sim.Source(e.Detail) == sim.FromWall
	case sim.EvFlower:
		l.sawFlower(s, p, e.Tile)
	case sim.EvFlowerChoice:
		return l.sawChoice(s, e)
	case sim.EvClosedKan:
		l.opened = true
	case sim.EvReady:
		return l.sawReady(s, e)
	case sim.EvDiscard:
		return l.sawDiscard(s, e)
	case sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvKanDone:
		l.sawCall(s, e)
	case sim.EvWin:
		l.won = append(l.won, wonHand{p, sim.Player(e.Value), sim.WinKind(e.Detail), e.Tile, 0})
	case sim.EvValue:
		l.won[len(l.won)-1].value = int(e.Value)
	case sim.EvPay:
		return l.sawPay(s, e)
	case sim.EvDebt:
		return l.sawDebt(s, e)
	case sim.EvHandEnd:
		if l.taiwanese {
			return l.settleTaiwanese(s)
		}
		return l.settle(s)
	case sim.EvMatchEnd:
		if len(l.debts) > 0 {
			return fmt.Errorf("debts after the match: %v", l.debts)
		}
	}
	return nil
}

// each lets every other player pay p so much.
func (l *hktwLaw) each(p sim.Player, amount int) {
	for i := range sim.Player(3) {
		l.due = append(l.due, payment{(p + 1 + i) & 3, p, amount})
	}
}

// sawFlower is section 2.10, points 1 to 3.
func (l *hktwLaw) sawFlower(s *shadow, p sim.Player, f tile.Face) {
	r := s.rules
	half := int(r.DiPoints) // half a di, in half points
	flowers := s.flowers
	flowers[p] |= 1 << f.Flower()
	set := uint8(0)
	for i, color := range []uint8{0x0f, 0xf0} {
		if flowers[p]&color == color && l.sets[p]>>i&1 == 0 {
			set = 1 << i
		}
	}
	if flowers[p]&15|flowers[p]>>4 == 15 && (!l.grass[p] || !r.AwardGrassOnce && flowers[p] == 0xff) {
		l.grass[p] = true
		if n := int(r.AwardGrass) * half; n > 0 && (set == 0 || r.AwardGrassAndSet) {
			l.each(p, n)
		}
	}
	if set != 0 {
		l.sets[p] |= set
		if n := int(r.AwardFlowerSet) * half; n > 0 {
			l.each(p, n)
		}
	}
	if flowers[0]|flowers[1]|flowers[2]|flowers[3] != 0xff {
		return
	}
	for q := range sim.Player(4) {
		switch bits.OnesCount8(flowers[q]) {
		case 8, 7:
			l.entitled = q
		case 1:
			l.single = q
		}
	}
	if l.entitled < 0 {
		return
	}
	if bits.OnesCount8(flowers[l.entitled]) == 8 {
		l.single = -1
	}
	l.offered = l.flowersMayWin(s) && r.FlowerWinOptional
}

// flowersMayWin reports whether the entitled player may win with the flowers.
func (l *hktwLaw) flowersMayWin(s *shadow) bool {
	r := s.rules
	may := r.FlowerWinEight
	if l.single >= 0 {
		may = r.FlowerWinSeven
	}
	return may && (l.started(s) || r.FlowerWinOpening)
}

// sawChoice is what follows the choice of 2.10.
func (l *hktwLaw) sawChoice(s *shadow, e sim.Event) error {
	r := s.rules
	if e.Player != l.entitled {
		return fmt.Errorf("player %d is entitled", l.entitled)
	}
	if win := e.Detail == 1; !l.offered && win != l.flowersMayWin(s) {
		return fmt.Errorf("want a win: %v", !win)
	} else if win {
		l.offered = false
		return nil
	}
	if l.offered && r.PassLockOnFlowerWin {
		l.lock(s, l.entitled, tile.NoKind)
	}
	l.offered = false
	half := int(r.DiPoints)
	if l.single < 0 {
		if n := int(r.AwardEightFlowers) * half; n > 0 {
			l.each(l.entitled, n)
		}
	} else if n := int(r.AwardSevenFlowers) * half; n > 0 {
		l.due = append(l.due, payment{l.single, l.entitled, n})
	}
	return nil
}

// sawReady keeps the tier of a declaration (2.8), to be judged by its discard.
func (l *hktwLaw) sawReady(s *shadow, e sim.Event) error {
	p, tier := e.Player, sim.ReadyTier(e.Detail)
	if e.Value == 0 {
		l.tier = tier
		return nil
	}
	want := l.tier
	if !l.started(s) {
		want = sim.ReadyHeaven
		if s.rules.ReadyTiers == ruleset.NoTiers {
			want = sim.ReadyOrdinary
		}
	}
	if tier != want {
		return fmt.Errorf("accepted as tier %d, declared as %d", tier, want)
	}
	l.ippatsu[p] = s.rules.OneShot
	return nil
}

// sawDiscard judges the tier of a declaration and counts the chase (2.8, 2.11).
func (l *hktwLaw) sawDiscard(s *shadow, e sim.Event) error {
	r, p := s.rules, e.Player
	if e.Detail&sim.DiscardReady != 0 {
		want := sim.ReadyOrdinary
		first := s.discards[p] == 0
		switch {
		case l.taiwanese:
			want = l.taiwaneseTier(s, p)
		case !first || r.ReadyTiers == ruleset.NoTiers:
		case r.ReadyTiers == ruleset.FirstDiscardTiers && p == s.dealer:
			want = sim.ReadyHeaven
		case r.ReadyTiers == ruleset.FirstDiscardTiers:
			want = sim.ReadyEarth
		case !l.anyCall && p == s.dealer && e.Detail&sim.DiscardDrawn != 0:
			want = sim.ReadyHeaven
		case !l.anyCall:
			want = sim.ReadyEarth
		case l.callers == 1<<p && len(s.river)+1 <= 4:
			want = sim.ReadyHuman
		}
		if l.tier != want {
			return fmt.Errorf("ready of tier %d, by the rule text %d", l.tier, want)
		}
	}
	l.ippatsu[p] = false
	l.opened = true
	l.chase++
	if r.ChaseScope == ruleset.NoChase || l.chase < 4 || r.ChaseScope == ruleset.ChaseFirstGoAround && len(s.river) > 3 {
		return nil
	}
	last := s.river[len(s.river)-3:]
	for i, d := range last {
		if d.Tile != e.Tile || d.Player != (p+1+sim.Player(i))&3 {
			return nil
		}
	}
	di := r.AwardChaseInner
	if tile.Orphans.Has(e.Tile.Kind()) {
		di = r.AwardChaseOuter
	}
	first := last[0].Player
	for i := range sim.Player(3) {
		if n := int(di) * r.DiPoints; n > 0 {
			l.due = append(l.due, payment{first, (first + 1 + i) & 3, n})
		}
	}
	return nil
}

// sawCall is a chow, a pung, or a completed kong.
func (l *hktwLaw) sawCall(s *shadow, e sim.Event) {
	r, p := s.rules, e.Player
	if e.Type != sim.EvKanDone {
		l.chase = 0
	}
	l.anyCall = true
	l.callers |= 1 << p
	if r.OneShotBrokenBy == ruleset.OneShotCallOrKan {
		l.ippatsu = [4]bool{}
	}
	if e.Type == sim.EvKanDone && s.at == pointRobClosed {
		n := int(r.AwardClosedKan) * r.DiPoints
		if r.AwardKanEscalates {
			n <<= l.kans[p]
		}
		l.kans[p]++
		if n > 0 {
			l.each(p, n)
		}
	}
}

// sawPay takes a payment off what is due.
func (l *hktwLaw) sawPay(s *shadow, e sim.Event) error {
	from, to, amount, reason := e.Pay()
	switch reason {
	case ruleset.ForAward:
		if len(l.due) == 0 || l.due[0] != (payment{from, to, int(amount)}) {
			return fmt.Errorf("due are %+v", l.due)
		}
		l.due = l.due[1:]
	case ruleset.ForDebt:
		if len(l.due) > 0 {
			return fmt.Errorf("not paid: %+v", l.due)
		}
		d := l.debts[pair{to, from}]
		if !s.playing && int(amount) != d.points {
			return fmt.Errorf("paid for a debt of %+v", d)
		}
		l.settled[pair{to, from}] += int(amount)
	default:
		l.paid++
		l.net[from] -= int(amount)
		l.net[to] += int(amount)
	}
	return nil
}

// sawDebt keeps the ledger between hands and after the match, when debts only end,
// and only those that have been paid. What a hand changes settle works out.
func (l *hktwLaw) sawDebt(s *shadow, e sim.Event) error {
	if s.playing {
		return nil
	}
	p := pair{e.Player, sim.Player(e.Detail & 3)}
	d, ok := l.debts[p]
	if !ok || e.Value != 0 || l.settled[p] != d.points {
		return fmt.Errorf("%d paid of %+v", l.settled[p], d)
	}
	delete(l.debts, p)
	delete(l.settled, p)
	return nil
}

// legal is section 2.5.
func (l *hktwLaw) legal(s *shadow) (sets [4]sim.ActionSet) {
	for p := range sim.Player(4) {
		set := &sets[p]
		switch {
		case l.offered:
			if p == l.entitled {
				set.Add(sim.ActFlowerWin)
				set.Add(sim.ActFlowerAward)
			}
		case !l.started(s):
			if s.rules.ReadyInitial && s.rules.Ready == ruleset.Ding && l.dealt(s) && l.isReady(s, p) {
				set.Add(sim.ActReadyNow)
				set.Add(sim.ActPass)
			}
		case s.at == pointTurn && p == s.turn:
			l.legalTurn(s, set)
		case p == s.turn:
		case s.at == pointClaim:
			k := s.window.Kind()
			if l.completes(s, p, k) && !l.barsDiscard(s, p, k, 0) {
				set.Add(sim.ActWin)
			}
			if s.ready[p] == sim.NotReady {
				s.legalCallsOf(p, l.pons[p], set)
			}
			if *set != (sim.ActionSet{}) {
				set.Add(sim.ActPass)
			}
		case s.at == pointRobAdded || s.at == pointRobClosed:
			if k := s.window.Kind(); l.robs(s, p, k) && !l.barsRob(s, p, k, 0) {
				set.Add(sim.ActWin)
				set.Add(sim.ActPass)
			}
		}
		if set.Len() < 2 {
			*set = sim.ActionSet{}
		}
	}
	return sets
}

// dealt reports whether every player has replaced the flowers dealt.
func (l *hktwLaw) dealt(s *shadow) bool {
	for p := range s.held {
		n := 0
		for _, c := range s.held[p][:tile.FirstFlower] {
			n += c
		}
		if n < 16 {
			return false
		}
	}
	return true
}

// legalTurn is the states TURN and AFTER_CALL of 2.5.
func (l *hktwLaw) legalTurn(s *shadow, set *sim.ActionSet) {
	r, p := s.rules, s.turn
	if s.drawn.IsFlower() {
		return // revealed at once
	}
	if s.drawn != tile.NoFace {
		barred := r.PassLockBlocksDraw && l.bars(p, s.drawn.Kind())
		if l.completes(s, p, tile.NoKind) && !barred {
			set.Add(sim.ActWin)
		}
	}
	if s.ready[p] != sim.NotReady {
		set.Add(sim.ActDiscardDrawn)
		if r.ReadyKan != ruleset.ReadyKanNever && s.drawn != tile.NoFace && s.live[p] >= r.KanMinWall && l.sameWait(s) {
			set.Add(sim.ActClosedKan + sim.Action(s.drawn))
		}
		return
	}
	s.legalDiscards(set)
	if r.Ready == ruleset.Ding && !(r.ReadyClosedOnly && s.open(p)) {
		held := &s.held[p]
		for a := range set.All {
			if !a.IsDiscard() {
				continue
			}
			f := s.drawn
			if a < sim.ActDiscardDrawn {
				f = tile.Face(a)
			}
			held[f]--
			if l.isReady(s, p) {
				if a == sim.ActDiscardDrawn {
					set.Add(sim.ActReadyDrawn)
				} else {
					set.Add(sim.ActReady + a)
				}
			}
			held[f]++
		}
	}
	s.legalKans(set)
}

// isReady reports whether a tile of which p does not hold all four, as live_wait
// counts them, completes p's hand (2.8).
func (l *hktwLaw) isReady(s *shadow, p sim.Player) bool {
	for k := range tile.Kind(tile.NumKinds) {
		if l.completes(s, p, k) && s.liveWait(p, k, s.held[p][k]) {
			return true
		}
	}
	return false
}

// sameWait reports whether the player in turn, who is ready, holds four of the drawn
// kind and would wait for the same after laying them down.
func (l *hktwLaw) sameWait(s *shadow) bool {
	p, k := s.turn, s.drawn.Kind()
	if s.held[p][k] != 4 {
		return false
	}
	s.held[p][k] = 3
	before := l.waits(s, p)
	s.held[p][k] = 0
	s.melds[p] = append(s.melds[p], shadowMeld{kind: hand.ClosedKan, faces: slices.Repeat([]tile.Face{tile.Face(k)}, 4), from: -1})
	after := l.waits(s, p)
	s.melds[p] = s.melds[p][:len(s.melds[p])-1]
	s.held[p][k] = 4
	return before == after
}

// waits returns the kinds that complete p's tiles.
func (l *hktwLaw) waits(s *shadow, p sim.Player) (w tile.Set) {
	for k := range tile.Kind(tile.NumKinds) {
		if l.completes(s, p, k) {
			w |= k.Bit()
		}
	}
	return w
}

// completes reports whether p's tiles, with another of kind k unless that is
// NoKind, are complete (4.1, 5).
func (l *hktwLaw) completes(s *shadow, p sim.Player, k tile.Kind) bool {
	n := s.counts(p)
	if k != tile.NoKind {
		n[k]++
	}
	if l.taiwanese {
		return isStandard(&n, 5-len(s.melds[p]))
	}
	return isStandard(&n, 5-len(s.melds[p])) || len(s.melds[p]) == 0 && (isLikGu(&n) || isDisjoint(&n)) || l.isOrphans(s, p, &n)
}

// isOrphans reports whether the concealed tiles n of p are thirteen orphans, one of
// them doubled, and a set: in the hand, or a concealed or direct kong laid down (5.3).
func (l *hktwLaw) isOrphans(s *shadow, p sim.Player, n *[tile.NumKinds]int) bool {
	switch melds := s.melds[p]; {
	case len(melds) == 1:
		return (melds[0].kind == hand.ClosedKan || melds[0].kind == hand.OpenKan) && isOrphans(n)
	case len(melds) > 1:
		return false
	}
	rest := *n
	total := 0
	for k := range rest {
		if tile.Orphans.Has(tile.Kind(k)) {
			if rest[k]--; rest[k] < 0 {
				return false
			}
		}
		total += rest[k]
	}
	if total != 4 {
		return false
	}
	for k := range rest {
		if tile.Orphans.Has(tile.Kind(k)) && rest[k] > 0 {
			rest[k]--
			ok := isSets(&rest, 0)
			rest[k]++
			if ok {
				return true
			}
		}
	}
	return false
}

// isLikGu reports whether n is seven pairs and a triplet, four of a kind two pairs
// (5.1).
func isLikGu(n *[tile.NumKinds]int) bool {
	total, triplets := 0, 0
	for _, c := range n {
		switch c {
		case 1:
			return false
		case 3:
			triplets++
		}
		total += c
	}
	return total == 17 && triplets == 1
}

// isDisjoint reports whether n is all honors and in each suit three ranks at least
// three apart, one of the sixteen doubled (5.2).
func isDisjoint(n *[tile.NumKinds]int) bool {
	total, kinds := 0, 0
	for k, c := range n {
		total += c
		if c == 0 {
			if k >= 27 {
				return false
			}
			continue
		}
		kinds++
		for d := 1; d < 3; d++ {
			if k < 27 && k%9+d < 9 && n[k+d] > 0 {
				return false
			}
		}
	}
	for suit := range 3 {
		ranks := 0
		for _, c := range n[9*suit : 9*suit+9] {
			if c > 0 {
				ranks++
			}
		}
		if ranks != 3 {
			return false
		}
	}
	return total == 17 && kinds == 16
}

// robs is section 2.9.
func (l *hktwLaw) robs(s *shadow, p sim.Player, k tile.Kind) bool {
	if s.at == pointRobAdded {
		return s.rules.RobAddedKan && l.completes(s, p, k)
	}
	switch s.rules.RobClosedKan {
	case ruleset.RobClosedOrphans:
		n := s.counts(p)
		n[k]++
		return !l.taiwanese && l.isOrphans(s, p, &n)
	case ruleset.RobClosedAlways:
		return l.completes(s, p, k)
	}
	return false
}

func (l *hktwLaw) compare(s *shadow, t *sim.Table) error {
	for p := range sim.Player(4) {
		if got := t.View(p).Ippatsu(p); got != l.ippatsu[p] {
			return fmt.Errorf("player %d has one shot: %v, by the rule text %v", p, got, l.ippatsu[p])
		}
	}
	if err := l.compareLedger(t); err != nil || !l.started(s) || l.offered {
		return err
	}
	return l.locks.compare(s, t, l)
}

// compareLedger holds the debts against those of all views.
func (l *hktwLaw) compareLedger(t *sim.Table) error {
	for q := range sim.Player(4) {
		for a := range sim.Player(4) {
			for b, d := range t.View(q).Debts(a) {
				if want := l.debts[pair{a, sim.Player(b)}]; int(d.Points) != want.points || int(d.Wins) != want.wins {
					return fmt.Errorf("player %d sees that %d owes %d %+v; by the rule text %+v", q, b, a, d, want)
				}
			}
		}
	}
	return nil
}

// settle is section 3.3: it looks at every debt as it was before the hand.
func (l *hktwLaw) settle(s *shadow) error {
	owed := map[pair]int{} // winner and payer
	flowers := false
	for _, w := range l.won {
		flowers = flowers || w.kind == sim.WinFlower
		for x := range sim.Player(4) {
			if x == w.winner || w.from != w.winner && x != w.from {
				continue
			}
			n := w.value
			if !flowers && (w.winner == s.dealer || x == s.dealer) {
				n += 1 + 2*s.honba
			}
			owed[pair{w.winner, x}] = 2 * n
		}
	}
	drawn := len(l.won) == 0
	next, settled := map[pair]owing{}, map[pair]int{}
	for p, d := range l.debts {
		back := pair{p[1], p[0]}
		_, again := owed[p]
		_, struck := owed[back]
		switch {
		case drawn:
			next[p] = d
		case again:
			next[p] = owing{2*((d.points/2*3+1)/2) + owed[p], d.wins + 1}
			delete(owed, p)
		case struck:
			settled[p] = 2 * (d.points / 2 / 2)
		case len(l.winners) == 1 && l.winners[0] == p[0]:
			next[p] = d
		default:
			settled[p] = d.points
		}
	}
	for p, n := range owed {
		next[p] = owing{n, 1}
	}
	if l.paid > 0 || len(settled) != len(l.settled) {
		return fmt.Errorf("settled %v and %d payments; by the rule text %v", l.settled, l.paid, settled)
	}
	for p, n := range settled {
		if l.settled[p] != n {
			return fmt.Errorf("settled %v; by the rule text %v", l.settled, settled)
		}
	}
	l.debts, l.settled = next, map[pair]int{}
	return nil
}
