package sim_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A law is what the referee of a family keeps in mind besides the shadow, and the
// rules it judges by.
type law interface {
	// saw takes note of an event that the shadow has yet to carry out. It returns
	// an error if the rules would have had another.
	saw(s *shadow, e sim.Event) error
	// legal returns who is asked at the point the events have led to, and what each
	// may do.
	legal(s *shadow) [4]sim.ActionSet
	// compare tells where views differ from what the law knows.
	compare(s *shadow, t *sim.Table) error
	clone() law
}

// newLaw returns the law of a family at the start of a hand; nil for the families whose rules
// the shadow itself knows. It panics for a family that has neither.
func newLaw(r *ruleset.Rules, m sim.MatchState) law {
	switch r.Family {
	case "zungjung":
		return &zungJungLaw{thirteenLaw: thirteenLaw{pairs: true, orphans: true}}
	case "hkos":
		return &hkosLaw{thirteenLaw: thirteenLaw{orphans: true}}
	case "taiwanese":
		return &hktwLaw{taiwanese: true, debts: map[pair]owing{}}
	case "hktw":
		l := &hktwLaw{debts: map[pair]owing{}}
		for a, row := range m.Ledger {
			for b, d := range row {
				if d.Points > 0 {
					l.debts[pair{sim.Player(a), sim.Player(b)}] = owing{int(d.Points), int(d.Wins)}
				}
			}
		}
		return l
	case "riichi", "mcr":
		return nil
	}
	panic("family " + r.Family + " has no referee: write a law for it and return it here")
}

// frame is the part of a law about how hands and the match end.
type frame struct {
	winners   []sim.Player
	mustEnd   bool // no further hand
	truncated bool // ... because of max_hands
}

// saw checks who deals on, and that the match ends when it must.
func (f *frame) saw(s *shadow, e sim.Event) error {
	r := s.rules
	switch e.Type {
	case sim.EvHandStart:
		if f.mustEnd {
			return fmt.Errorf("the match goes on")
		}
		f.winners = nil
	case sim.EvWin:
		f.winners = append(f.winners, e.Player)
	case sim.EvHandEnd:
		stays, counter := r.DealerStaysOnDraw == ruleset.StaysAlways, s.honba
		step := r.CounterOnDrawPassed
		if stays {
			step = r.CounterOnDrawKept
		}
		switch step {
		case ruleset.PlusOne:
			counter++
		case ruleset.Reset:
			counter = 0
		}
		if len(f.winners) > 0 {
			stays = slices.Contains(f.winners, s.dealer) &&
				(r.DealerStaysOnWin == ruleset.StaysAny || r.DealerStaysOnWin == ruleset.StaysAlone && len(f.winners) == 1)
			counter = 0
			if stays && (len(f.winners) == 1 || r.CounterOnSharedWin == ruleset.SharedPlusOne) {
				counter = s.honba + 1
			}
		}
		if (e.Detail == 1) != stays || int(e.Value&0xffff) != counter {
			return fmt.Errorf("want the dealer to stay: %v, counter %d", stays, counter)
		}
		last := s.round == r.Rounds-1 && s.chair(s.dealer) == r.HandsPerRound-1
		over := last && !(stays && r.LastDealerPlaysOn)
		f.truncated = !over && r.MaxHands > 0 && s.hands+1 >= r.MaxHands
		f.mustEnd = over || f.truncated
	case sim.EvTruncated:
		if !f.truncated {
			return fmt.Errorf("the match is not at max_hands")
		}
	case sim.EvMatchEnd:
		if !f.mustEnd {
			return fmt.Errorf("the match is not at its end")
		}
	}
	return nil
}

// locks is the part of a law about passed wins and passed pons.
type locks struct {
	passed   [4]tile.Set // kinds passed, pass_lock = kind
	locked   [4]bool     // pass_lock = hand
	final    [4]bool     // to the end of the hand
	declined [4]bool     // a self-draw, earlier in this turn
	pons     [4]tile.Set // kinds of which a pon was passed
}

// shapes is what a family's law knows about hands.
type shapes interface {
	// completes reports whether p's hand is complete with another tile of kind k.
	completes(s *shadow, p sim.Player, k tile.Kind) bool
	// robs reports whether it is so in a way that may rob the kan in the window.
	robs(s *shadow, p sim.Player, k tile.Kind) bool
	legal(s *shadow) [4]sim.ActionSet
}

func (l *locks) saw(s *shadow, e sim.Event, family shapes) {
	r, p := s.rules, e.Player
	switch e.Type {
	case sim.EvHandStart:
		*l = locks{}
	case sim.EvDraw, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvKanDone:
		l.close(s, e, family)
	}
	switch e.Type {
	case sim.EvDraw:
		ordinary := sim.Source(e.Detail) == sim.FromWall
		if ordinary && r.PassLockEnds != ruleset.PassEndsOwnDiscard || r.PassLockEnds == ruleset.PassEndsAnyOwnDraw {
			l.clear(p)
		}
		if ordinary && r.PonPass == ruleset.PonPassOwnDraw {
			l.pons[p] = 0
		}
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		for q := range sim.Player(4) {
			if q == p && r.PassLockEnds == ruleset.PassEndsOwnDrawOrCall || r.PassLockEnds == ruleset.PassEndsAnyCall {
				l.clear(q)
			}
		}
	case sim.EvClosedKan, sim.EvAddedKan:
		l.decline(s, p, family)
	case sim.EvDiscard:
		l.decline(s, p, family)
		if r.PassLockEnds == ruleset.PassEndsOwnDiscard && !l.declined[p] {
			l.clear(p)
		}
		l.declined[p] = false
		if r.PonPass == ruleset.PonPassOwnDiscard {
			l.pons[p] = 0
		}
	}
}

// close lets those who did not win on the tile of the window, or claim it for a
// pon, have passed it.
func (l *locks) close(s *shadow, e sim.Event, family shapes) {
	r, k := s.rules, s.window.Kind()
	rob := s.at == pointRobAdded || s.at == pointRobClosed && r.RobClosedKan != ruleset.RobClosedNever
	if rob && !r.PassLockOnRob || !rob && s.at != pointClaim {
		return
	}
	asked := family.legal(s)
	for p := range sim.Player(4) {
		if p == s.turn {
			continue
		}
		done := family.completes(s, p, k)
		if rob {
			done = family.robs(s, p, k)
		}
		if done && (r.PassLockSetBy == ruleset.PassSetByShape || asked[p].Has(sim.ActWin)) {
			l.lock(s, p, k)
		}
		if asked[p].Has(sim.ActPon) && !(e.Type == sim.EvPon && e.Player == p) && r.PonPass != ruleset.PonPassOff {
			l.pons[p] |= k.Bit()
		}
	}
}

// decline lets p, who does something else than win with his drawn tile, have
// declined it if it completes his hand.
func (l *locks) decline(s *shadow, p sim.Player, family shapes) {
	r := s.rules
	if !r.PassLockOnOwnDraw || s.drawn == tile.NoFace || s.drawn.IsFlower() {
		return
	}
	asked := family.legal(s)
	if family.completes(s, p, tile.NoKind) && (r.PassLockSetBy == ruleset.PassSetByShape || asked[p].Has(sim.ActWin)) {
		l.lock(s, p, s.drawn.Kind())
		l.declined[p] = true
	}
}

func (l *locks) lock(s *shadow, p sim.Player, k tile.Kind) {
	if s.discards[p] == 0 && !s.rules.PassLockFromDeal {
		return
	}
	switch s.rules.PassLock {
	case ruleset.LockOff:
		return
	case ruleset.LockKind:
		l.passed[p] |= k.Bit()
	case ruleset.LockHand:
		l.locked[p] = true
	}
	l.final[p] = l.final[p] || s.rules.PassLockFinal && s.ready[p] != sim.NotReady
}

func (l *locks) clear(p sim.Player) {
	if !l.final[p] {
		l.passed[p], l.locked[p] = 0, false
	}
}

// bars reports whether passed wins forbid p to win on a tile of kind k.
func (l *locks) bars(p sim.Player, k tile.Kind) bool { return l.locked[p] || l.passed[p].Has(k) }

// barsDiscard reports whether p may not win on another's tile of kind k; waits are
// what p waits for.
func (l *locks) barsDiscard(s *shadow, p sim.Player, k tile.Kind, waits tile.Set) bool {
	switch s.rules.RiverLock {
	case ruleset.LockKind:
		if s.thrown[p].Has(k) {
			return true
		}
	case ruleset.LockHand:
		if s.thrown[p]&waits != 0 {
			return true
		}
	}
	return l.bars(p, k)
}

// barsRob is barsDiscard for the tile of a kan.
func (l *locks) barsRob(s *shadow, p sim.Player, k tile.Kind, waits tile.Set) bool {
	return s.rules.LocksBlockRob && l.barsDiscard(s, p, k, waits)
}

// compare holds the locks against what the players see of them.
func (l *locks) compare(s *shadow, t *sim.Table, family shapes) error {
	for p := range sim.Player(4) {
		if p == s.turn && s.at == pointTurn || s.at == pointRobAdded || s.at == pointRobClosed {
			continue
		}
		v := t.View(p)
		var waits tile.Set
		for k := range tile.Kind(tile.NumKinds) {
			if family.completes(s, p, k) {
				waits |= k.Bit()
			}
		}
		if v.Waits() != waits {
			return fmt.Errorf("player %d waits for %v, by trying %v", p, v.Waits(), waits)
		}
		for ; waits != 0; waits = waits.Rest() {
			if k := waits.First(); v.Furiten(k) != l.barsDiscard(s, p, k, v.Waits()) {
				return fmt.Errorf("player %d may not win on %v: %v, by the rule text %v", p, k, v.Furiten(k), !v.Furiten(k))
			}
		}
	}
	return nil
}

// bannedNow returns the kinds that the player in turn may not discard.
func (s *shadow) bannedNow() tile.Set {
	switch {
	case s.banned == 0 || s.rules.SwapBan == ruleset.SwapFree:
		return 0
	case s.rules.SwapBan == ruleset.SwapSameTile:
		return s.claimedKind().Bit()
	}
	return s.banned
}

func (s *shadow) legalDiscards(l *sim.ActionSet) {
	if s.drawn != tile.NoFace {
		l.Add(sim.ActDiscardDrawn)
	}
	banned := s.bannedNow()
	for f, c := range s.held[s.turn] {
		if tile.Face(f) == s.drawn {
			c--
		}
		if c > 0 && !banned.Has(tile.Face(f).Kind()) {
			l.Add(sim.ActDiscard + sim.Action(f))
		}
	}
}

// valueOf returns what a win is worth by p, who has the tiles n beside his melds.
func (s *shadow) valueOf(w *ruleset.Win, p sim.Player, n *[tile.NumKinds]int) (v ruleset.Value) {
	for k, c := range n {
		for range c {
			w.Hand.Add(tile.Kind(k))
		}
	}
	for i, m := range s.melds[p] {
		w.Melds[i] = hand.Meld{Type: m.kind, Kind: m.faces[0].Kind()}
		w.NumMelds++
	}
	s.rules.Value(w, &v)
	return v
}

// legalKans adds the closed and added kans of the player in turn.
func (s *shadow) legalKans(l *sim.ActionSet) {
	r, p := s.rules, s.turn
	claimed := s.drawn == tile.NoFace
	if s.kansLeft() == 0 || claimed && !r.KanAfterClaim || s.live[p] < r.KanMinWall {
		return
	}
	s.addOwnKans(l)
}

// addOwnKans adds the closed and added kans that the player in turn holds, where any may
// be declared at all.
func (s *shadow) addOwnKans(l *sim.ActionSet) {
	r, p := s.rules, s.turn
	claimed := s.drawn == tile.NoFace
	n := s.counts(p)
	for k, c := range n {
		if c == 4 {
			l.Add(sim.ActClosedKan + sim.Action(k))
		}
	}
	for i, m := range s.melds[p] {
		fresh := claimed && i == len(s.melds[p])-1
		if k := m.faces[0].Kind(); m.kind == hand.Pon && n[k] > 0 && (!fresh || r.KanOnFreshPon) {
			l.Add(sim.ActAddedKan + sim.Action(k))
		}
	}
}

// legalCallsOf adds the chi, pon and open kan that p may claim; pons are kinds of
// which he may make no pon.
func (s *shadow) legalCallsOf(p sim.Player, pons tile.Set, l *sim.ActionSet) {
	r, k := s.rules, s.window.Kind()
	if s.live[p] == 0 && r.LastDiscard == ruleset.LastDiscardWinOnly {
		return
	}
	n := s.counts(p)
	if n[k] >= 2 && !pons.Has(k) {
		n[k] -= 2
		if s.leaves(&n, k.Bit(), k.Bit()) {
			l.Add(sim.ActPon)
		}
		n[k] += 2
	}
	if n[k] == 3 && s.kansLeft() > 0 && s.live[p] >= r.KanMinWall {
		l.Add(sim.ActOpenKan)
	}
	if k.IsHonor() || p != s.next(s.turn, 1) && r.ChiFrom == ruleset.ChiFromLeft || r.ChiFrom == ruleset.ChiFromNone {
		return
	}
	for place := range 3 {
		low := k.Rank() - place
		if low < 0 || low > 6 {
			continue
		}
		other := k.Bit()
		if place == 0 && low+3 <= 8 {
			other |= (k + 3).Bit()
		}
		if place == 2 && low > 0 {
			other |= (k - 3).Bit()
		}
		rest, has := n, true
		for i := range 3 {
			if i != place {
				own := int(k) - place + i
				has = has && rest[own] > 0
				rest[own]--
			}
		}
		if has && s.leaves(&rest, k.Bit(), other) {
			l.Add(sim.ActChi + sim.Action(place))
		}
	}
}

// leaves reports whether a claim that leaves the tiles n leaves one to discard;
// same and other are the kinds that the two forms of swap_ban bar.
func (s *shadow) leaves(n *[tile.NumKinds]int, same, other tile.Set) bool {
	switch s.rules.SwapBan {
	case ruleset.SwapFree:
		return mayDiscard(n, 0)
	case ruleset.SwapSameTile:
		return mayDiscard(n, same)
	}
	return mayDiscard(n, other)
}

// stack returns a wall that makes rare things common: hands that are dealt ready or
// nearly so, flowers with one player, quads, and tiles of one kind with everybody.
func stack(r *ruleset.Rules, rng *rand.Rand) *sim.Wall {
	pool := fullSet(r)
	w := new(sim.Wall)
	for i := range w {
		w[i] = tile.NoFace
	}
	places := new(setup).dealPlaces(r)
	take := func(faces ...tile.Face) bool {
		for i, f := range faces {
			if pool[f] == 0 {
				for _, back := range faces[:i] {
					pool[back]++
				}
				return false
			}
			pool[f]--
		}
		return true
	}
	if everybody := tile.Face(rng.IntN(tile.NumKinds)); rng.IntN(3) == 0 && take(everybody, everybody, everybody, everybody) {
		for c := range places {
			at := len(places[c]) - 1
			w[places[c][at]], places[c] = everybody, places[c][:at]
		}
	}
	put := func(c int, faces ...tile.Face) {
		if len(places[c]) < len(faces) || !take(faces...) {
			return
		}
		for i, f := range faces {
			w[places[c][i]] = f
		}
		places[c] = places[c][len(faces):]
	}
	if rng.IntN(3) == 0 {
		// One or more wait for a tile of which another holds a pair or one.
		k := tile.Face(9*rng.IntN(3) + 1 + rng.IntN(7))
		waiting := 1 + rng.IntN(3)
		for i, c := range rng.Perm(4) {
			switch {
			case i < waiting:
				put(c, k-1, k+1)
			case i == waiting:
				put(c, k, k)
			default:
				put(c, k)
			}
		}
	}
	for _, c := range rng.Perm(4) {
		if r.Flowers != ruleset.NoFlowers && rng.IntN(3) == 0 {
			for f := range tile.Face(8) {
				if rng.IntN(8) > 0 {
					put(c, tile.FirstFlower+f)
				}
			}
		}
		switch style := rng.IntN(6); style {
		case 0:
		case 1:
			for _, k := range rng.Perm(tile.NumKinds) {
				put(c, tile.Face(k), tile.Face(k))
			}
		case 2:
			for k := range tile.Kind(tile.NumKinds) {
				if tile.Orphans.Has(k) {
					put(c, tile.Face(k))
				}
			}
			fallthrough
		default:
			for range 40 {
				k := tile.Face(rng.IntN(tile.NumKinds))
				switch n := rng.IntN(8); {
				case n == 0:
					put(c, k, k, k, k)
				case n < 3:
					put(c, k, k, k)
				case k < 27 && k%9 < 7:
					put(c, k, k+1, k+2)
				}
			}
			pair := tile.Face(rng.IntN(tile.NumKinds))
			put(c, pair, pair)
		}
	}
	var rest []tile.Face
	for f, n := range pool {
		rest = append(rest, slices.Repeat([]tile.Face{tile.Face(f)}, n)...)
	}
	rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for i := range sim.SetSize(&r.Flow) {
		if w[i] == tile.NoFace {
			w[i], rest = rest[0], rest[1:]
		}
	}
	return w
}

// follower discards what was discarded last if he can, and plays on like another
// agent otherwise.
type follower struct{ sim.Agent }

func (f follower) Act(v sim.View) sim.Action {
	if n := v.NumDiscards(); n > 0 && v.Phase() == sim.PhaseTurn {
		k := v.Discard(n - 1).Tile
		legal := v.Legal()
		for _, a := range []sim.Action{sim.ActDiscard + sim.Action(k), sim.ActDiscardDrawn} {
			if (a != sim.ActDiscardDrawn || v.Drawn() == k) && legal.Has(a) && !legal.Has(sim.ActWin) {
				return a
			}
		}
	}
	return f.Agent.Act(v)
}

// TestStacked plays matches from stacked walls under the presets that have a law.
func TestStacked(t *testing.T) {
	followers := [4]sim.Agent{follower{eager}, follower{closed}, follower{kanner}, follower{passer}}
	players := append(slices.Clone(tables), followers)
	for _, preset := range configs.Names() {
		if newLaw(load(t, preset), sim.MatchState{}) == nil {
			continue
		}
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			rules := load(t, preset)
			rules.MaxHands = sample(24, 0)
			c := newChecker(rules, true, sample(71, 31))
			seen := map[string]int{}
			for i := range sample(52, 3000) {
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				c.wall = func() *sim.Wall { return stack(c.rules, rng) }
				if err := c.match(uint64(i), &players[i%len(players)]); err != nil {
					t.Fatalf("table %d: %v", i%len(players), err)
				}
				countRare(c.events, seen)
			}
			t.Logf("%d decisions, %d re-deals, %v", c.decisions, c.redeals, seen)
			want := []string{"closed kan", "added kan", "heaven", "earth"}
			if sample(0, 1) == 1 {
				want = append(want, "rob")
			}
			if c.rules.FlowerDrawSeven {
				want = append(want, "flower win", "flower award")
			}
			if c.rules.Ready == ruleset.Ding {
				want = append(want, "flower win", "ready 1", "ready 4", "ready 5")
			}
			if c.rules.ReadyTiers == ruleset.LeagueTiers {
				want = append(want, "two winners", "three winners", "flower award", "chase", "ready 3")
			}
			for _, rare := range want {
				if seen[rare] == 0 {
					t.Errorf("%s does not occur", rare)
				}
			}
		})
	}
}

// countRare counts the rare things among the events of a match.
func countRare(events []sim.Event, seen map[string]int) {
	wins, discards := 0, 0
	for i, e := range events {
		switch e.Type {
		case sim.EvHandStart:
			wins, discards = 0, 0
		case sim.EvDiscard:
			discards++
			if events[i+1].Type == sim.EvPay {
				seen["chase"]++
			}
		case sim.EvClosedKan:
			seen["closed kan"]++
		case sim.EvAddedKan:
			seen["added kan"]++
		case sim.EvFlowerChoice:
			seen["flower "+[]string{"award", "win"}[e.Detail]]++
		case sim.EvReady:
			if e.Value == 1 {
				seen[fmt.Sprint("ready ", e.Detail)]++
			}
		case sim.EvWin:
			switch kind := sim.WinKind(e.Detail); {
			case kind == sim.WinRob:
				seen["rob"]++
			case kind == sim.WinSelfDraw && discards == 0:
				seen["heaven"]++
			case kind == sim.WinDiscard && discards == 1:
				seen["earth"]++
			}
			if wins++; wins > 1 {
				seen[[]string{"two winners", "three winners"}[wins-2]]++
			}
		}
	}
}

// playKnobs plays a preset under every variation, judged and others, and under
// several at once.
func playKnobs(t *testing.T, preset string, judged, others []knobs) {
	t.Run(preset, func(t *testing.T) {
		t.Parallel()
		for i, k := range slices.Concat(judged, others) {
			playBoth(t, preset, k, uint64(i), i < len(judged))
		}
	})
	t.Run(preset+" several", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(1, 3))
		for i := range sample(16, 400) {
			all := knobs{}
			list := judged
			if i%4 == 0 {
				list = slices.Concat(judged, others)
			}
			for range 1 + rng.IntN(6) {
				maps.Copy(all, list[rng.IntN(len(list))])
			}
			playBoth(t, preset, all, uint64(i), i%4 != 0)
		}
	})
}

// playBoth plays matches under a preset with some knobs changed, from the walls of
// their seeds and from stacked ones.
func playBoth(t *testing.T, preset string, k knobs, seed uint64, judged bool) {
	t.Helper()
	if sample(0, 1) == 1 || seed%4 == 0 {
		playVariation(t, preset, k, seed, judged)
	}
	overrides := knobs{}
	for key, value := range k {
		overrides[key] = tomlValue(value)
	}
	if overrides["max_hands"] == nil {
		overrides["max_hands"] = int64(8)
	}
	r, err := configs.LoadWith(preset, overrides)
	if err != nil {
		return // refused there already
	}
	c := newChecker(r, judged, sample(71, 29))
	for i := range sample(1, 12) {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		c.wall = func() *sim.Wall { return stack(r, rng) }
		if err := c.match(seed, &tables[(int(seed)+i)%len(tables)]); err != nil {
			t.Errorf("%s with %v, stacked: %v", preset, k, err)
			return
		}
	}
}

// relockedByLaw checks that the locks of players who were dealt new hands follow
// from what they have let pass since their last own discard, or since their last
// ordinary draw, or since their declaration where that lasts.
func relockedByLaw(old, t *sim.Table, viewer sim.Player) error {
	r := t.Rules()
	for p := range sim.Player(4) {
		v := t.View(p)
		acting := p == v.Turn() && t.Phase() != sim.PhaseClaim
		if p == viewer || v.Hand() == old.View(p).Hand() || v.Waits() == 0 || acting {
			continue
		}
		lasting := v.Ready(p) != sim.NotReady && r.PassLockFinal
		passed := unrobbed(t, p, v.NumDiscards())
		for i := v.NumDiscards() - 1; i >= 0; i-- {
			d := v.Discard(i)
			k := d.Tile.Kind()
			window := t.Phase() == sim.PhaseClaim && i == v.NumDiscards()-1
			if d.Player != p {
				passed |= unrobbed(t, p, i)
				if !window {
					passed |= k.Bit()
				}
				continue
			}
			if r.PassLockOnOwnDraw && d.Drawn {
				passed |= k.Bit()
			}
			claimed := i > 0 && v.Discard(i-1).Claimed
			if lasting && d.Ready || !lasting && (r.PassLockEnds == ruleset.PassEndsOwnDiscard || !claimed) {
				break
			}
			passed |= unrobbed(t, p, i)
		}
		passed &= v.Waits()
		for waits := v.Waits(); waits != 0; waits = waits.Rest() {
			k := waits.First()
			want := r.PassLock == ruleset.LockHand && passed != 0 || r.PassLock == ruleset.LockKind && passed.Has(k) ||
				r.RiverLock == ruleset.LockKind && v.River(p).Has(k) || r.RiverLock == ruleset.LockHand && v.River(p)&v.Waits() != 0
			if v.Furiten(k) != want {
				return fmt.Errorf("re-dealt player %d may not win on %v: %v; has passed %v", p, k, v.Furiten(k), passed)
			}
		}
	}
	return nil
}
