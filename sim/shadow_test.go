package sim_test

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A shadow rebuilds a match from its events alone. It shares no code with the
// table, so that the two can be compared.
type shadow struct {
	rules  *ruleset.Rules
	riichi bool // of the riichi family, all of which it knows
	law    law  // of another family, if it has one

	// The match.
	who        [4]sim.Player // of each chair
	wind       tile.Face     // the round wind if drawn for the match
	points     [4]int
	pot        int // points on the table
	start      int // of all points at the start, pot included
	round      int
	dealer     sim.Player
	dealIndex  int
	honba      int
	nextRound  int // what the last hand_end leads to
	nextDealer int // chair
	hands      int
	over       bool

	// The hand.
	held       [4][tile.NumFaces]int // concealed tiles, the drawn one included
	flowers    [4]uint8              // exposed
	drawn      tile.Face             // of the player in turn
	melds      [4][]shadowMeld
	norths     [4]int // set aside
	river      []sim.Discard
	live       [4]int // tiles left in each player's wall; in a shared one all alike
	indicators []tile.Face
	playing    bool

	// What decisions depend on; kept for riichi rules.
	at          point
	turn        sim.Player // in turn, or whose discard or kan the point is about
	window      tile.Face
	cause       sim.Source
	discards    [4]int
	thrown      [4]tile.Set // kinds in the own river
	ready       [4]sim.ReadyTier
	ippatsu     [4]bool
	temporary   [4]bool // furiten until the own next draw or call
	permanent   [4]bool // furiten for the rest of the hand
	banned      tile.Set
	kans        int
	declared    int  // players who have said ready or not, from the dealer on
	interrupted bool // a chi, pon or kan was made
	called      bool // a chi, pon or open kan was made
}

// point is where in the flow of a hand the events have led.
type point uint8

const (
	pointNone point = iota
	pointTurn
	pointClaim
	pointRobAdded
	pointRobClosed
	pointRobKita
	pointDeclare
	pointEnded
)

// shadowMeld is a set laid down, with its faces.
type shadowMeld struct {
	kind  hand.MeldType
	faces []tile.Face // sorted
	from  sim.Player  // the giver, -1 for a closed kan
	given tile.Face   // the claimed tile
	added tile.Face   // the tile added to a pon
	shown bool        // revealed after being hidden
}

func newShadow(r *ruleset.Rules, m sim.MatchState, dealer ruleset.Chair) *shadow {
	s := &shadow{
		rules: r, riichi: r.Family == "riichi", who: [4]sim.Player{0, 1, 2, 3}, wind: tile.NoFace, pot: m.Deposits * r.RiichiStick,
		nextRound: m.Round, nextDealer: int(dealer), honba: m.Counter, dealIndex: m.DealIndex,
	}
	for p, n := range m.Points {
		s.points[p] = int(n)
	}
	s.start = s.total()
	s.law = newLaw(r, m)
	return s
}

// clone returns a copy that shares nothing.
func (s *shadow) clone() *shadow {
	c := *s
	c.river = slices.Clone(s.river)
	c.indicators = slices.Clone(s.indicators)
	for p := range c.melds {
		c.melds[p] = slices.Clone(s.melds[p])
	}
	if s.law != nil {
		c.law = s.law.clone()
	}
	return &c
}

func (s *shadow) total() int {
	return s.points[0] + s.points[1] + s.points[2] + s.points[3] + s.pot
}

// counts returns the concealed tiles of p by kind, the drawn one included.
func (s *shadow) counts(p sim.Player) (n [tile.NumKinds]int) {
	for f, c := range s.held[p][:tile.FirstFlower] {
		if c > 0 {
			n[tile.Face(f).Kind()] += c
		}
	}
	return n
}

func (s *shadow) take(p sim.Player, f tile.Face) { s.held[p][f]++ }

func (s *shadow) give(p sim.Player, f tile.Face) error {
	if s.held[p][f] == 0 {
		return fmt.Errorf("player %d does not hold %v", p, f)
	}
	s.held[p][f]--
	return nil
}

// giveKind takes n tiles of a kind out of the hand, so many of them red.
func (s *shadow) giveKind(p sim.Player, k tile.Kind, n, reds int) ([]tile.Face, error) {
	var faces []tile.Face
	for i := range n {
		f := tile.Face(k)
		if i < reds {
			f = tile.RedOf(k.Suit())
		}
		if err := s.give(p, f); err != nil {
			return nil, err
		}
		faces = append(faces, f)
	}
	return faces, nil
}

// all returns how many ordinary and red tiles of a kind p holds.
func (s *shadow) all(p sim.Player, k tile.Kind) (n, reds int) {
	if k.IsFive() {
		reds = s.held[p][tile.RedOf(k.Suit())]
	}
	return s.held[p][k] + reds, reds
}

// close ends the decision point that the event shows to be over: those who let
// the tile of the window pass become furiten (2.4, 2.9).
func (s *shadow) close(e sim.Event) {
	passed := false
	switch s.at {
	case pointClaim:
		passed = e.Type != sim.EvWin
	case pointRobAdded:
		passed = e.Type == sim.EvKanDone
	case pointRobClosed:
		passed = e.Type == sim.EvKanDone && s.rules.RobClosedKan == ruleset.RobClosedOrphans
	case pointRobKita:
		passed = e.Type == sim.EvKitaDone && s.rules.RobKita == ruleset.RobKitaAlways
	}
	if !passed || !s.riichi {
		return
	}
	for p := range sim.Player(4) {
		if p == s.turn {
			continue
		}
		n := s.counts(p)
		n[s.window.Kind()]++
		if s.at == pointRobClosed && !isOrphans(&n) || !isComplete(&n, len(s.melds[p])) {
			continue
		}
		s.temporary[p] = true
		s.permanent[p] = s.permanent[p] || s.ready[p] != sim.NotReady
	}
}

func (s *shadow) apply(e sim.Event) error {
	if s.law != nil {
		if err := s.law.saw(s, e); err != nil {
			return err
		}
	}
	if e.Type != sim.EvIndicator {
		s.close(e)
	}
	p := e.Player
	switch e.Type {
	case sim.EvSeats:
		s.wind = e.Tile
		for c := range s.who {
			s.who[c] = sim.Player(e.Value >> (8 * c))
		}
		if s.rules.SeatRotation == ruleset.NoRotation && s.who != [4]sim.Player{0, 1, 2, 3} {
			return fmt.Errorf("players sit %v", s.who)
		}
	case sim.EvHandStart:
		return s.startHand(e)
	case sim.EvDeal:
		for _, f := range dealt(e) {
			s.take(p, f)
		}
	case sim.EvDraw:
		return s.draw(e)
	case sim.EvFlower:
		s.flowers[p] |= 1 << e.Tile.Flower()
		if p == s.turn {
			s.at, s.drawn = pointNone, tile.NoFace
		}
		return s.give(p, e.Tile)
	case sim.EvReveal:
		return s.reveal(e)
	case sim.EvDiscard:
		return s.discard(e)
	case sim.EvReady:
		if s.riichi && p != s.turn {
			return fmt.Errorf("player %d declares riichi out of turn", p)
		}
		if e.Value == 1 {
			s.ready[p] = sim.ReadyTier(e.Detail)
			s.ippatsu[p] = s.rules.OneShot
		}
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		return s.claim(e)
	case sim.EvClosedKan, sim.EvAddedKan, sim.EvKanDone:
		return s.kan(e)
	case sim.EvKita, sim.EvKitaDone:
		return s.kita(e)
	case sim.EvIndicator:
		if e.Detail == 0 {
			s.indicators = append(s.indicators, e.Tile)
		}
	case sim.EvExhausted:
		// Who must draw next finds no tile: the next player, or after a kan or
		// flower the one in turn.
		next := s.turn
		if s.at == pointClaim {
			next = s.next(s.turn, 1)
		}
		if s.live[next] != 0 {
			return fmt.Errorf("exhausted with %d tiles left for player %d", s.live[next], next)
		}
		s.at = pointDeclare
	case sim.EvDeclare:
		if s.at != pointDeclare || p != s.next(s.dealer, s.declared) {
			return fmt.Errorf("player %d declares out of turn", p)
		}
		s.declared++
	case sim.EvAbort:
		s.at = pointNone
	case sim.EvWin:
		s.at = pointNone
	case sim.EvPay:
		from, to, amount, _ := e.Pay()
		for _, x := range []struct {
			p sim.Player
			n int
		}{{from, -int(amount)}, {to, int(amount)}} {
			if x.p == sim.Player(ruleset.Pot) {
				s.pot += x.n
			} else {
				s.points[x.p] += x.n
			}
		}
		if amount < 0 || s.total() != s.start {
			return fmt.Errorf("points are not conserved: %v and %d on the table", s.points, s.pot)
		}
	case sim.EvHandEnd:
		return s.endHand(e)
	case sim.EvMatchEnd:
		s.over = true
	}
	return nil
}

func (s *shadow) startHand(e sim.Event) error {
	round, dealIndex, honba, deposits := e.HandStart()
	if s.playing || round != s.nextRound || e.Player != s.who[s.nextDealer] || honba != s.honba || dealIndex != s.dealIndex {
		return fmt.Errorf("hand of round %d, dealer %d, deal %d, honba %d; want %d, %d, %d, %d",
			round, e.Player, dealIndex, honba, s.nextRound, s.who[s.nextDealer], s.dealIndex, s.honba)
	}
	if deposits*s.rules.RiichiStick != s.pot {
		return fmt.Errorf("%d sticks on the table, %d points", deposits, s.pot)
	}
	*s = shadow{
		rules: s.rules, riichi: s.riichi, law: s.law, who: s.who, wind: s.wind, points: s.points, pot: s.pot, start: s.start, hands: s.hands,
		round: round, dealer: e.Player, dealIndex: dealIndex, honba: honba, nextDealer: s.nextDealer,
		playing: true, drawn: tile.NoFace, window: tile.NoFace, turn: e.Player,
	}
	left := 136 - s.rules.DeadWall - 4*s.rules.HandSize
	if s.rules.NumSeats() == 3 {
		left = 108 - 14 - 3*13 // SM 2.2
	}
	if s.rules.Flowers != ruleset.NoFlowers {
		left += 8
	}
	if s.rules.Walls == ruleset.WallPerSeat {
		left /= 4
	}
	s.live = [4]int{left, left, left, left}
	return nil
}

// next returns the player n places after p in turn order.
func (s *shadow) next(p sim.Player, n int) sim.Player {
	return s.who[(slices.Index(s.who[:], p)+n)%s.rules.NumSeats()]
}

func (s *shadow) draw(e sim.Event) error {
	p, source := e.Player, sim.Source(e.Detail)
	if source == sim.FromDeal || source == sim.FromWall {
		if s.at == pointClaim {
			s.turn = s.next(s.turn, 1)
		}
		s.temporary[p] = false
	}
	for q := range s.live {
		if s.rules.Walls == ruleset.SharedWall || sim.Player(q) == p {
			s.live[q]--
		}
	}
	if int(e.Value) != s.live[p] || s.live[p] < 0 {
		return fmt.Errorf("player %d draws with %d left; want %d", p, e.Value, s.live[p])
	}
	s.take(p, e.Tile)
	if source == sim.FromFlower && (p != s.turn || s.rules.DealerExtraTile == ruleset.ExtraDrawn && s.cause == sim.FromDeal) {
		return nil // in the opening
	}
	if p != s.turn {
		return fmt.Errorf("player %d draws in the turn of %d", p, s.turn)
	}
	s.cause = source
	s.drawn = e.Tile
	s.at = pointTurn
	return nil
}

func (s *shadow) discard(e sim.Event) error {
	p := e.Player
	if s.at != pointTurn || p != s.turn {
		return fmt.Errorf("player %d discards out of turn", p)
	}
	drawn := e.Detail&sim.DiscardDrawn != 0
	if drawn && s.drawn != e.Tile {
		return fmt.Errorf("discarded %v is not the drawn %v", e.Tile, s.drawn)
	}
	s.river = append(s.river, sim.Discard{Player: p, Tile: e.Tile, Drawn: drawn, Ready: e.Detail&sim.DiscardReady != 0})
	if !e.Tile.IsFlower() {
		s.thrown[p] |= e.Tile.Kind().Bit()
	}
	s.discards[p]++
	s.ippatsu[p] = false
	s.banned = 0
	s.drawn, s.window = tile.NoFace, e.Tile
	s.at = pointClaim
	return s.give(p, e.Tile)
}

func (s *shadow) claim(e sim.Event) error {
	p, k := e.Player, e.Tile.Kind()
	giver := sim.Player(e.Detail & 3)
	if s.at != pointClaim || giver != s.turn || e.Tile != s.window || p == giver {
		return fmt.Errorf("player %d claims %v from %d; the window holds %v of %d", p, e.Tile, giver, s.window, s.turn)
	}
	m := shadowMeld{from: giver, given: e.Tile}
	reds := int(e.Detail >> 4 & 3)
	var own []tile.Face
	var err error
	switch e.Type {
	case sim.EvPon:
		m.kind = hand.Pon
		own, err = s.giveKind(p, k, 2, reds)
		s.banned = k.Bit()
	case sim.EvOpenKan:
		m.kind = hand.OpenKan
		n, reds := s.all(p, k)
		if n != 3 {
			return fmt.Errorf("open kan with %d tiles", n)
		}
		own, err = s.giveKind(p, k, 3, reds)
	case sim.EvChi:
		m.kind = hand.Chi
		place := int(e.Detail >> 2 & 3)
		low := k - tile.Kind(place)
		if k.IsHonor() || k.Rank() < place || low.Rank() > 6 || p != s.next(giver, 1) && s.rules.ChiFrom == ruleset.ChiFromLeft {
			return fmt.Errorf("chi of %v at place %d by %d from %d", k, place, p, giver)
		}
		s.banned = k.Bit()
		if place == 0 && low.Rank() < 6 {
			s.banned |= (low + 3).Bit()
		} else if place == 2 && low.Rank() > 0 {
			s.banned |= (low - 1).Bit()
		}
		for i := range tile.Kind(3) {
			if low+i == k {
				continue
			}
			red := 0
			if (low + i).IsFive() {
				red = reds
			}
			var f []tile.Face
			f, err = s.giveKind(p, low+i, 1, red)
			if err != nil {
				return err
			}
			own = append(own, f...)
		}
	}
	if err != nil {
		return err
	}
	m.faces = append(own, e.Tile)
	tile.SortFaces(m.faces)
	s.melds[p] = append(s.melds[p], m)
	s.river[len(s.river)-1].Claimed = true
	s.interrupted, s.called = true, true
	s.ippatsu = [4]bool{}
	s.temporary[p] = false
	s.turn, s.cause, s.drawn = p, sim.FromClaim, tile.NoFace
	s.at = pointTurn
	if e.Type == sim.EvOpenKan {
		s.at = pointNone
		s.banned = 0
	}
	return nil
}

func (s *shadow) kan(e sim.Event) error {
	p := e.Player
	if p != s.turn {
		return fmt.Errorf("kan of player %d out of turn", p)
	}
	switch e.Type {
	case sim.EvClosedKan:
		k := e.Tile.Kind()
		n, reds := s.all(p, k)
		if n != 4 {
			return fmt.Errorf("closed kan with %d tiles", n)
		}
		faces, err := s.giveKind(p, k, 4, reds)
		if err != nil {
			return err
		}
		tile.SortFaces(faces)
		s.melds[p] = append(s.melds[p], shadowMeld{kind: hand.ClosedKan, faces: faces, from: -1, given: tile.NoFace})
		s.at, s.window = pointRobClosed, e.Tile
		s.interrupted = true
		s.ippatsu = [4]bool{}
	case sim.EvAddedKan:
		s.at, s.window = pointRobAdded, e.Tile
		s.drawn = tile.NoFace
		return s.give(p, e.Tile)
	case sim.EvKanDone:
		if s.at == pointRobAdded {
			i := slices.IndexFunc(s.melds[p], func(m shadowMeld) bool {
				return m.kind == hand.Pon && m.faces[0].Kind() == s.window.Kind()
			})
			if i < 0 {
				return fmt.Errorf("no pon of %v to add to", s.window)
			}
			m := &s.melds[p][i]
			m.kind, m.added = hand.AddedKan, s.window
			m.faces = append(slices.Clone(m.faces), s.window)
			tile.SortFaces(m.faces)
		}
		s.kans++
		s.interrupted = true
		s.ippatsu = [4]bool{}
		s.at = pointNone
	}
	s.drawn = tile.NoFace
	return nil
}

// kita sets a North aside, or ends the window in which it could be won on (SM 5.2).
func (s *shadow) kita(e sim.Event) error {
	p := e.Player
	if p != s.turn {
		return fmt.Errorf("player %d sets a North aside out of turn", p)
	}
	if e.Type == sim.EvKitaDone {
		if s.at != pointRobKita {
			return fmt.Errorf("no North is being set aside")
		}
		if s.rules.KitaEndsOneShot {
			s.ippatsu = [4]bool{}
		}
		s.at = pointNone
		return nil
	}
	if s.at != pointTurn || e.Tile != tile.Face(tile.North) {
		return fmt.Errorf("player %d sets %v aside", p, e.Tile)
	}
	s.norths[p]++
	if s.rules.KitaEndsFirstTurn {
		s.interrupted, s.called = true, true
	}
	s.at, s.window, s.drawn = pointRobKita, e.Tile, tile.NoFace
	return s.give(p, e.Tile)
}

// reveal notes a closed kan that was hidden until now.
func (s *shadow) reveal(e sim.Event) error {
	if e.Detail == 0 {
		return nil
	}
	for i, m := range s.melds[e.Player] {
		if m.kind == hand.ClosedKan && m.faces[0].Kind() == e.Tile.Kind() && !m.shown {
			s.melds[e.Player][i].shown = true
			return nil
		}
	}
	return fmt.Errorf("player %d reveals a closed kan of %v", e.Player, e.Tile)
}

func (s *shadow) endHand(e sim.Event) error {
	for p := range s.melds {
		for _, m := range s.melds[p] {
			if m.kind == hand.ClosedKan && m.shown == s.rules.ClosedKanVisible {
				return fmt.Errorf("player %d: the closed kan %v is revealed: %v", p, m.faces, m.shown)
			}
		}
	}
	s.hands++
	s.playing = false
	s.at = pointEnded
	s.honba = int(e.Value & 0xffff)
	if int(e.Value>>16)*s.rules.RiichiStick != s.pot {
		return fmt.Errorf("%d sticks on the table, %d points", e.Value>>16, s.pot)
	}
	s.nextRound = s.round
	s.dealIndex++
	if e.Detail == 0 {
		s.dealIndex = 0
		if s.nextDealer++; s.nextDealer == s.rules.HandsPerRound {
			s.nextDealer = 0
			s.nextRound++
		}
	}
	return nil
}

// compare tells where the table's views differ from the shadow.
func (s *shadow) compare(t *sim.Table) error {
	for p := range sim.Player(4) {
		v := t.View(p)
		if !s.playing {
			continue
		}
		var got [tile.NumFaces]int
		for _, f := range concealed(v) {
			got[f]++
		}
		if v.Norths(p) != s.norths[p] {
			return fmt.Errorf("player %d has set %d Norths aside, by the events %d", p, v.Norths(p), s.norths[p])
		}
		if v.Flowers(p) != s.flowers[p] {
			return fmt.Errorf("player %d has the flowers %08b, by the events %08b", p, v.Flowers(p), s.flowers[p])
		}
		if got != s.held[p] {
			return fmt.Errorf("player %d holds %v, by the events %v", p, got, s.held[p])
		}
		if drawn := v.Drawn(); t.Phase() == sim.PhaseTurn && p == s.turn && drawn != s.drawn {
			return fmt.Errorf("drawn tile %v, by the events %v", drawn, s.drawn)
		}
		if v.NumMelds(p) != len(s.melds[p]) {
			return fmt.Errorf("player %d has %d melds, by the events %d", p, v.NumMelds(p), len(s.melds[p]))
		}
		for i, m := range s.melds[p] {
			got := v.Meld(p, i)
			if err := m.compare(s, p, got); err != nil {
				return err
			}
		}
		if s.riichi && v.Ippatsu(p) != s.ippatsu[p] || v.Ready(p) != s.ready[p] || v.River(p) != s.thrown[p] {
			return fmt.Errorf("player %d: ready %v, ippatsu %v, river %v; by the events %v, %v, %v",
				p, v.Ready(p), v.Ippatsu(p), v.River(p), s.ready[p], s.ippatsu[p], s.thrown[p])
		}
	}
	v := t.View(0)
	points := v.Points()
	for p := range points {
		if int(points[p]) != s.points[p] {
			return fmt.Errorf("points %v, by the events %v", points, s.points)
		}
	}
	if v.Deposits()*s.rules.RiichiStick != s.pot || v.Counter() != s.honba {
		return fmt.Errorf("%d sticks, counter %d; by the events %d points, %d", v.Deposits(), v.Counter(), s.pot, s.honba)
	}
	if !s.playing {
		if m := t.MatchState(); !t.Over() && (m.Round != s.nextRound || int(t.DealerChair()) != s.nextDealer || m.DealIndex != s.dealIndex) {
			return fmt.Errorf("next hand %+v, by the events %d, %d, %d", m, s.nextRound, s.nextDealer, s.dealIndex)
		}
		return nil
	}
	left := [4]int{v.TilesLeftOf(0), v.TilesLeftOf(1), v.TilesLeftOf(2), v.TilesLeftOf(3)}
	if v.NumDiscards() != len(s.river) || left != s.live || v.NumIndicators() != len(s.indicators) {
		return fmt.Errorf("%d discards, %d left, %d indicators; by the events %d, %d, %d",
			v.NumDiscards(), left, v.NumIndicators(), len(s.river), s.live, len(s.indicators))
	}
	for i, d := range s.river {
		// The discarder sees all of it, whatever the rules hide.
		if got := t.View(d.Player).Discard(i); got != d {
			return fmt.Errorf("discard %d: %+v, by the events %+v", i, got, d)
		}
	}
	for i, f := range s.indicators {
		if v.Indicator(i) != f {
			return fmt.Errorf("indicator %d: %v, by the events %v", i, v.Indicator(i), f)
		}
	}
	return s.compareVisible(v)
}

// compareVisible checks the counts of tiles that lie open.
func (s *shadow) compareVisible(v sim.View) error {
	var open [tile.NumKinds]int
	for _, d := range s.river {
		if !d.Claimed && !d.Tile.IsFlower() {
			open[d.Tile.Kind()]++
		}
	}
	for _, f := range s.indicators {
		open[f.Kind()]++
	}
	for p := range s.melds {
		for _, m := range s.melds[p] {
			if m.kind == hand.ClosedKan && !s.rules.ClosedKanVisible {
				continue
			}
			for _, f := range m.faces {
				open[f.Kind()]++
			}
		}
	}
	if s.at == pointRobAdded {
		open[s.window.Kind()]++
	}
	for p, n := range s.norths {
		open[tile.North] += n
		if p == 0 && s.rules.TileSet == ruleset.NoMiddleCharacters {
			for k := 1; k < 8; k++ {
				open[k] = 4 // not in the set
			}
		}
	}
	for k := range tile.Kind(tile.NumKinds) {
		if v.Visible(k) != open[k] {
			return fmt.Errorf("%d tiles of %v visible, by the events %d", v.Visible(k), k, open[k])
		}
	}
	return nil
}

// compare checks a meld as player p sees his own.
func (m *shadowMeld) compare(s *shadow, p sim.Player, got hand.Meld) error {
	reds := 0
	for _, f := range m.faces {
		if f.IsRed() {
			reds++
		}
	}
	want := hand.Meld{Type: m.kind, Kind: m.faces[0].Kind(), Reds: uint8(reds), AddedRed: m.added.IsRed()}
	if m.from >= 0 {
		seats := s.rules.NumSeats()
		want.From = uint8((slices.Index(s.who[:], m.from) - slices.Index(s.who[:], p) + seats) % seats)
		want.ClaimedRed = m.given.IsRed()
	}
	if m.kind == hand.Chi {
		want.Claimed = uint8(m.given.Kind() - want.Kind)
	}
	if got != want {
		return fmt.Errorf("player %d: meld %+v, by the events %+v", p, got, want)
	}
	return nil
}

// tiles counts all tiles of the hand by face: in hands, melds, rivers and on the
// table; those still in the wall come from it.
func (s *shadow) tiles(t *sim.Table) (n [tile.NumFaces]int) {
	for _, f := range t.WallTiles() {
		n[f]++
	}
	if f := t.KanTile(); f != tile.NoFace {
		n[f]++
	}
	for p := range s.held {
		for f, c := range s.held[p] {
			n[f] += c
		}
		for _, m := range s.melds[p] {
			for _, f := range m.faces {
				n[f]++
			}
		}
		addFlowers(&n, s.flowers[p])
		n[tile.North] += s.norths[p]
	}
	for _, d := range s.river {
		if !d.Claimed {
			n[d.Tile]++
		}
	}
	return n
}

func addFlowers(n *[tile.NumFaces]int, flowers uint8) {
	for i := range tile.Face(8) {
		n[tile.FirstFlower+i] += int(flowers >> i & 1)
	}
}

// fullSet returns the set of tiles of the rules by face.
func fullSet(r *ruleset.Rules) (n [tile.NumFaces]int) {
	for k := range tile.Kind(tile.NumKinds) {
		if r.TileSet == ruleset.NoMiddleCharacters && k >= 1 && k <= 7 {
			continue
		}
		n[k] = 4
		if k.IsFive() {
			n[k] -= r.AkaDora[k.Suit()]
			n[tile.RedOf(k.Suit())] = r.AkaDora[k.Suit()]
		}
	}
	if r.Flowers != ruleset.NoFlowers {
		addFlowers(&n, 0xff)
	}
	return n
}
