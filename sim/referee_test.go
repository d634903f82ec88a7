package sim_test

import (
	"fmt"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// This file is a second, slow implementation of what players may do under riichi
// rules, written from sections 2.3 to 2.11 of the rule text. It looks at a shadow
// only, finds shapes by trying, and asks the ruleset for the yaku of a hand alone.
// mcr_referee_test.go has the same for MCR.

// hasReferee reports whether the legal actions under the rules can be judged.
func hasReferee(r *ruleset.Rules) bool { return r.Family != "" }

// isComplete reports whether the concealed tiles n, with so many melds, are a
// complete shape (1, complete shape).
func isComplete(n *[tile.NumKinds]int, melds int) bool {
	return isStandard(n, 4-melds) || melds == 0 && (isPairs(n) || isOrphans(n))
}

func isPairs(n *[tile.NumKinds]int) bool {
	pairs := 0
	for _, c := range n {
		switch c {
		case 0:
		case 2:
			pairs++
		default:
			return false
		}
	}
	return pairs == 7
}

func isOrphans(n *[tile.NumKinds]int) bool {
	total := 0
	for k, c := range n {
		if orphan := tile.Orphans.Has(tile.Kind(k)); orphan != (c > 0) {
			return false
		}
		total += c
	}
	return total == 14
}

// isStandard reports whether n is so many sets and a pair.
func isStandard(n *[tile.NumKinds]int, sets int) bool {
	total := 0
	for _, c := range n {
		total += c
	}
	if total != 3*sets+2 {
		return false
	}
	for k := range n {
		if n[k] >= 2 {
			n[k] -= 2
			ok := isSets(n, 0)
			n[k] += 2
			if ok {
				return true
			}
		}
	}
	return false
}

func isSets(n *[tile.NumKinds]int, k int) bool {
	for k < len(n) && n[k] == 0 {
		k++
	}
	if k == len(n) {
		return true
	}
	if n[k] >= 3 {
		n[k] -= 3
		ok := isSets(n, k)
		n[k] += 3
		if ok {
			return true
		}
	}
	if k < 27 && k%9 < 7 && n[k+1] > 0 && n[k+2] > 0 {
		n[k]--
		n[k+1]--
		n[k+2]--
		ok := isSets(n, k)
		n[k]++
		n[k+1]++
		n[k+2]++
		return ok
	}
	return false
}

// waitsOf returns the kinds that complete n, even those held four times.
func waitsOf(n *[tile.NumKinds]int, melds int) (w tile.Set) {
	for k := range n {
		n[k]++
		if isComplete(n, melds) {
			w |= tile.Kind(k).Bit()
		}
		n[k]--
	}
	return w
}

// alwaysTriplet reports whether every division of n into sets and a pair has a
// triplet of kind t.
func alwaysTriplet(n *[tile.NumKinds]int, t tile.Kind) bool {
	for k := range n {
		if n[k] < 2 {
			continue
		}
		n[k] -= 2
		without := dividesWithout(n, 0, int(t))
		n[k] += 2
		if without {
			return false
		}
	}
	return true
}

// dividesWithout reports whether the kinds from k on divide into sets none of
// which is a triplet of t.
func dividesWithout(n *[tile.NumKinds]int, k, t int) bool {
	for k < len(n) && n[k] == 0 {
		k++
	}
	if k == len(n) {
		return true
	}
	if n[k] >= 3 && k != t {
		n[k] -= 3
		ok := dividesWithout(n, k, t)
		n[k] += 3
		if ok {
			return true
		}
	}
	if k < 27 && k%9 < 7 && n[k+1] > 0 && n[k+2] > 0 {
		n[k]--
		n[k+1]--
		n[k+2]--
		ok := dividesWithout(n, k, t)
		n[k]++
		n[k+1]++
		n[k+2]++
		return ok
	}
	return false
}

// waiting returns the tiles of p without the drawn one.
func (s *shadow) waiting(p sim.Player) (n [tile.NumKinds]int) {
	n = s.counts(p)
	if p == s.turn && s.drawn != tile.NoFace {
		n[s.drawn.Kind()]--
	}
	return n
}

// open reports whether the hand of p is open: all melds but closed kans open it.
func (s *shadow) open(p sim.Player) bool {
	for _, m := range s.melds[p] {
		if m.kind != hand.ClosedKan {
			return true
		}
	}
	return false
}

// liveWait reports whether p, who has so many concealed tiles of kind k, may be ready for
// it: whether another one can be left, as far as the rules ask.
func (s *shadow) liveWait(p sim.Player, k tile.Kind, own int) bool {
	if s.rules.LiveWait == ruleset.LiveConcealedAndMelds {
		for _, m := range s.melds[p] {
			for _, f := range m.faces {
				if f.Kind() == k {
					own++
				}
			}
		}
	}
	return own < 4 || s.rules.LiveWait == ruleset.AnyWait
}

// isReady is the test of 2.10 for the tiles n of p.
func (s *shadow) isReady(p sim.Player, n *[tile.NumKinds]int) bool {
	w := waitsOf(n, len(s.melds[p]))
	for ; w != 0; w = w.Rest() {
		if k := w.First(); s.liveWait(p, k, n[k]) {
			return true
		}
	}
	return false
}

// furiten reports whether p may not win on another player's tile (2.9).
func (s *shadow) furiten(p sim.Player) bool {
	n := s.waiting(p)
	return s.temporary[p] || s.permanent[p] || waitsOf(&n, len(s.melds[p]))&s.thrown[p] != 0
}

// flags returns the circumstances of a win by p now.
func (s *shadow) flags(p sim.Player) (f ruleset.Flags) {
	switch s.ready[p] {
	case sim.ReadyOrdinary:
		f |= ruleset.FlagRiichi
	case sim.ReadyDouble:
		f |= ruleset.FlagDoubleRiichi
	}
	if s.ippatsu[p] {
		f |= ruleset.FlagIppatsu
	}
	first := s.discards[p] == 0 && !s.interrupted
	switch s.at {
	case pointTurn:
		if s.cause == sim.FromKan {
			f |= ruleset.FlagAfterKan
		} else if s.cause == sim.FromKita {
			f |= ruleset.FlagAfterKita
		} else if s.live[0] == 0 {
			f |= ruleset.FlagLastTile
		}
		if first && p == s.dealer {
			f |= ruleset.FlagHeavenly
		} else if first {
			f |= ruleset.FlagEarthly
		}
	case pointClaim:
		if s.live[0] == 0 {
			f |= ruleset.FlagLastTile
		}
		if first && p != s.dealer {
			f |= ruleset.FlagHuman
		}
	case pointRobAdded:
		f |= ruleset.FlagRobbingKan
	case pointRobKita:
		f |= ruleset.FlagRobbingKita
	case pointRobClosed:
		f |= ruleset.FlagRobbingClosedKan
	}
	return f
}

// hasYaku reports whether the complete hand of p, with the tile f, may win.
func (s *shadow) hasYaku(p sim.Player, f tile.Face) bool {
	w := ruleset.Win{
		Tile:      f.Kind(),
		SelfDraw:  s.at == pointTurn,
		SeatWind:  tile.Wind((int(p-s.dealer) + s.rules.NumSeats()) % s.rules.NumSeats()),
		RoundWind: tile.Wind(s.round) & 3,
		Flags:     s.flags(p),
	}
	n := s.counts(p)
	if !w.SelfDraw {
		n[f.Kind()]++
	}
	for i, f := range s.indicators {
		w.Indicators[i] = f.Kind()
		w.NumIndicators++
	}
	v := s.valueOf(&w, p, &n)
	return v.Shape && v.OK
}

// mayWin reports whether p may win on the tile of the window.
func (s *shadow) mayWin(p sim.Player) bool {
	n := s.counts(p)
	n[s.window.Kind()]++
	return isComplete(&n, len(s.melds[p])) && !s.furiten(p) && s.hasYaku(p, s.window)
}

// legal returns who is asked at the point the events have led to, and what each
// may do. A player with fewer than two actions is not asked.
func (s *shadow) legal() (sets [4]sim.ActionSet) {
	switch {
	case s.rules.Family == "mcr":
		return s.legalMCR()
	case s.law != nil:
		return s.law.legal(s)
	}
	switch s.at {
	case pointTurn:
		s.legalTurn(&sets[s.turn])
	case pointClaim:
		for p := range sim.Player(4) {
			if p != s.turn {
				s.legalClaim(p, &sets[p])
			}
		}
	case pointRobAdded:
		for p := range sim.Player(4) {
			if p != s.turn && s.rules.RobAddedKan && s.mayWin(p) {
				sets[p].Add(sim.ActWin)
				sets[p].Add(sim.ActPass)
			}
		}
	case pointRobKita:
		for p := range sim.Player(4) {
			n := s.counts(p)
			n[tile.North]++
			allowed := s.rules.RobKita == ruleset.RobKitaAlways || s.rules.RobKita == ruleset.RobKitaOrphans && isOrphans(&n)
			if p != s.turn && allowed && s.mayWin(p) {
				sets[p].Add(sim.ActWin)
				sets[p].Add(sim.ActPass)
			}
		}
	case pointRobClosed:
		for p := range sim.Player(4) {
			n := s.counts(p)
			n[s.window.Kind()]++
			if p != s.turn && s.rules.RobClosedKan == ruleset.RobClosedOrphans && isOrphans(&n) && s.mayWin(p) {
				sets[p].Add(sim.ActWin)
				sets[p].Add(sim.ActPass)
			}
		}
	case pointDeclare:
		if s.declared < s.rules.NumSeats() && s.rules.TenpaiDeclaration == ruleset.TenpaiOptional {
			p := s.next(s.dealer, s.declared)
			if n := s.counts(p); s.ready[p] == sim.NotReady && s.isReady(p, &n) {
				sets[p].Add(sim.ActTenpai)
				sets[p].Add(sim.ActNoten)
			}
		}
	}
	for p := range sets {
		if sets[p].Len() < 2 {
			sets[p] = sim.ActionSet{}
		}
	}
	return sets
}

// legalClaim adds what p may do about a discard (2.3, CALL_WINDOW).
func (s *shadow) legalClaim(p sim.Player, l *sim.ActionSet) {
	if s.mayWin(p) {
		l.Add(sim.ActWin)
	}
	if s.ready[p] == sim.NotReady && s.live[0] >= 1 {
		s.legalCalls(p, l)
	}
	if *l != (sim.ActionSet{}) {
		l.Add(sim.ActPass)
	}
}

func (s *shadow) legalCalls(p sim.Player, l *sim.ActionSet) {
	k := s.window.Kind()
	n, reds := s.all(p, k)
	left := s.counts(p)
	for use := 0; use <= 2; use++ {
		if use <= reds && 2-use <= n-reds {
			left[k] -= 2
			if mayDiscard(&left, k.Bit()) {
				l.Add(sim.ActPon + sim.Action(use))
			}
			left[k] += 2
		}
	}
	if n == 3 && s.kans < int(s.rules.MaxKans) {
		l.Add(sim.ActOpenKan)
	}
	if p != (s.turn+1)&3 || k.IsHonor() || s.rules.ChiFrom == ruleset.ChiFromNone {
		return
	}
	for place := range 3 {
		low := k.Rank() - place
		if low < 0 || low > 6 {
			continue
		}
		banned := k.Bit()
		var own []tile.Kind
		for i := range 3 {
			if i != place {
				own = append(own, k+tile.Kind(i)-tile.Kind(place))
			}
		}
		if place == 0 && low+3 <= 8 {
			banned |= (k + 3).Bit()
		}
		if place == 2 && low-1 >= 0 {
			banned |= (k - 3).Bit()
		}
		if left[own[0]] == 0 || left[own[1]] == 0 {
			continue
		}
		left[own[0]]--
		left[own[1]]--
		if mayDiscard(&left, banned) {
			ordinary, red := true, false
			for _, o := range own {
				if n, reds := s.all(p, o); reds > 0 {
					ordinary, red = n > reds, true
				}
			}
			if ordinary {
				l.Add(sim.ActChi + sim.Action(place))
			}
			if red {
				l.Add(sim.ActChiRed + sim.Action(place))
			}
		}
		left[own[0]]++
		left[own[1]]++
	}
}

func mayDiscard(n *[tile.NumKinds]int, banned tile.Set) bool {
	for k, c := range n {
		if c > 0 && !banned.Has(tile.Kind(k)) {
			return true
		}
	}
	return false
}

// legalTurn adds what the player in turn may do (2.3, SELF_ACTION).
func (s *shadow) legalTurn(l *sim.ActionSet) {
	p := s.turn
	n := s.counts(p)
	afterDraw := s.drawn != tile.NoFace
	ready := s.ready[p] != sim.NotReady
	if afterDraw {
		l.Add(sim.ActDiscardDrawn)
		if isComplete(&n, len(s.melds[p])) && s.hasYaku(p, s.drawn) {
			l.Add(sim.ActWin)
		}
		if s.rules.NineKindsAbort && !s.interrupted && s.discards[p] == 0 {
			kinds := 0
			for k, c := range n {
				if c > 0 && tile.Orphans.Has(tile.Kind(k)) {
					kinds++
				}
			}
			if kinds >= 9 {
				l.Add(sim.ActNineKinds)
			}
		}
	}
	if !ready {
		for f, c := range s.held[p] {
			if afterDraw && tile.Face(f) == s.drawn {
				c--
			}
			if c > 0 && !s.banned.Has(tile.Face(f).Kind()) {
				l.Add(sim.ActDiscard + sim.Action(f))
			}
		}
	}
	if afterDraw && s.kans < int(s.rules.MaxKans) && s.live[0] >= 1 {
		for k := range tile.Kind(tile.NumKinds) {
			if n[k] == 4 && (!ready || s.readyKan(p, k)) {
				l.Add(sim.ActClosedKan + sim.Action(k))
			}
		}
		for _, m := range s.melds[p] {
			if k := m.faces[0].Kind(); m.kind == hand.Pon && n[k] > 0 && !ready {
				l.Add(sim.ActAddedKan + sim.Action(k))
			}
		}
	}
	if s.rules.Kita != ruleset.NoKita && n[tile.North] > 0 && s.live[0] >= max(1, s.rules.KitaMinWall) &&
		(afterDraw || s.rules.KitaAfterClaim) &&
		(!ready || s.rules.KitaReady == ruleset.KitaReadyDrawn && s.drawn == tile.Face(tile.North)) {
		l.Add(sim.ActKita)
	}
	if afterDraw && !ready && s.mayRiichi(p) {
		for a := range l.All {
			f := s.drawn
			if a < sim.ActDiscardDrawn {
				f = tile.Face(a)
			} else if a != sim.ActDiscardDrawn {
				break
			}
			n[f.Kind()]--
			w := waitsOf(&n, len(s.melds[p]))
			ok := w != 0 && (s.isReady(p, &n) || !s.rules.RiichiLiveShape) &&
				(s.rules.RiichiFuriten || w&(s.thrown[p]|f.Kind().Bit()) == 0)
			n[f.Kind()]++
			switch {
			case !ok:
			case a == sim.ActDiscardDrawn:
				l.Add(sim.ActReadyDrawn)
			default:
				l.Add(sim.ActReady + a)
			}
		}
	}
}

// mayRiichi checks the conditions of 2.6 that do not depend on the discard.
func (s *shadow) mayRiichi(p sim.Player) bool {
	return s.rules.Ready == ruleset.Riichi && !s.open(p) && s.live[0] >= s.rules.RiichiMinWall &&
		(s.rules.RiichiMinPoints == ruleset.NoLimit || s.points[p] >= int(s.rules.RiichiMinPoints))
}

// readyKan is the algorithm of 2.7.
func (s *shadow) readyKan(p sim.Player, t tile.Kind) bool {
	if s.drawn.Kind() != t || s.rules.ReadyKan == ruleset.ReadyKanNever {
		return false
	}
	n := s.waiting(p)
	melds := len(s.melds[p])
	before := waitsOf(&n, melds)
	n[t] -= 3
	after := waitsOf(&n, melds+1)
	n[t] += 3
	if before != after {
		return false
	}
	if s.rules.ReadyKan == ruleset.ReadyKanWaitsSame {
		return true
	}
	for ; before != 0; before = before.Rest() {
		w := before.First()
		n[w]++
		// A fifth tile completes nothing that could come about.
		strict := n[w] > 4 || alwaysTriplet(&n, t)
		n[w]--
		if !strict {
			return false
		}
	}
	return true
}

// judge compares the table at a decision point with the rule text.
func (s *shadow) judge(t *sim.Table) error {
	if s.law != nil && s.playing {
		if err := s.law.compare(s, t); err != nil {
			return err
		}
	}
	want := s.legal()
	for p := range sim.Player(4) {
		got := t.Legal(p)
		if t.Phase() == sim.PhaseBetween {
			continue
		}
		if got != want[p] {
			return fmt.Errorf("player %d may %s; by the rule text %s", p, list(&got), list(&want[p]))
		}
	}
	for p := range sim.Player(4) {
		if !s.riichi || !s.playing || p == s.turn && s.at == pointTurn {
			continue
		}
		n := s.waiting(p)
		v := t.View(p)
		w := waitsOf(&n, len(s.melds[p]))
		if v.Waits() != w {
			return fmt.Errorf("player %d waits for %v, by trying %v", p, v.Waits(), w)
		}
		if w != 0 && v.Furiten(w.First()) != s.furiten(p) {
			return fmt.Errorf("player %d furiten: %v, by the rule text %v", p, v.Furiten(w.First()), s.furiten(p))
		}
	}
	return nil
}

// nobodyAsked reports an error if somebody has a choice now; the table moved on
// without asking.
func (s *shadow) nobodyAsked(e sim.Event) error {
	if e.Type == sim.EvDraw && sim.Source(e.Detail) == sim.FromFlower && len(s.river) == 0 && !s.interrupted {
		return nil // for a dealt flower
	}
	for p, l := range s.legal() {
		if l != (sim.ActionSet{}) {
			return fmt.Errorf("event %+v, but player %d was not asked: %s", e, p, list(&l))
		}
	}
	return nil
}

// outcome returns the types of event that may follow the answers at a window
// (2.4): wins first, then pon and kan, then chi.
func (s *shadow) outcome(answers map[sim.Player]sim.Action) (want sim.Event, ok bool) {
	if s.at != pointClaim && s.at != pointRobAdded && s.at != pointRobClosed && s.at != pointRobKita {
		return want, false
	}
	var winners []sim.Player
	best, rank := sim.Event{Type: sim.EvDraw, Player: -1}, 0
	for i := range 3 {
		p := s.next(s.turn, i+1)
		a, asked := answers[p]
		switch {
		case !asked:
		case a == sim.ActWin:
			winners = append(winners, p)
		case a == sim.ActOpenKan:
			best, rank = sim.Event{Type: sim.EvOpenKan, Player: p}, 2
		case a >= sim.ActPon && a < sim.ActOpenKan:
			best, rank = sim.Event{Type: sim.EvPon, Player: p}, 2
		case a >= sim.ActChi && a < sim.ActPon && rank < 1:
			best, rank = sim.Event{Type: sim.EvChi, Player: p}, 1
		}
	}
	switch {
	case len(winners) == 3 && s.rules.MultiWin == ruleset.WinAllAbortOnTriple:
		return sim.Event{Type: sim.EvAbort, Player: -1}, true
	case len(winners) > 0:
		return sim.Event{Type: sim.EvWin, Player: winners[0]}, true
	}
	return best, rank > 0
}

// abortsNow reports whether an abortive draw follows the discard in the window
// when nobody wins on it (2.11).
func (s *shadow) abortsNow() bool {
	r := s.rules
	ready := 0
	for p, tier := range s.ready {
		if tier != sim.NotReady || sim.Player(p) == s.turn && s.river[len(s.river)-1].Ready {
			ready++
		}
	}
	kanners := 0
	for p := range s.melds {
		for _, m := range s.melds[p] {
			if m.kind.IsKan() {
				kanners |= 1 << p
			}
		}
	}
	winds := len(s.river) == 4 && !s.interrupted && tile.Winds.Has(s.river[0].Tile.Kind())
	for _, d := range s.river {
		winds = winds && d.Tile == s.river[0].Tile
	}
	return r.FourWindsAbort && winds ||
		r.FourRiichiAbort && ready == 4 ||
		r.FourKansAbort == ruleset.FourKansEnd && s.kans == 4 && bits.OnesCount(uint(kanners)) > 1
}
