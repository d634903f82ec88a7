package luck

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// State is a hand in progress with all hands known, but not the order of the
// undealt tiles. It follows a match by its events. It is a plain value, so assigning it
// copies it.
type State struct {
	rules *ruleset.Rules
	guide *guide
	// onlyKnownPlans limits the search of plans to those found before, where hands differ from
	// those summarized by a tile or two.
	onlyKnownPlans bool

	// The match.
	points    [sim.NumPlayers]int32
	ledger    ruleset.Ledger // by chair, whose players never change where there are debts
	who       [sim.NumPlayers]sim.Player
	chairOf   [sim.NumPlayers]ruleset.Chair
	round     int
	dealer    sim.Player
	roundWind tile.Wind
	drawnWind bool // the round wind was drawn for the match
	counter   int
	deposits  int

	// The hand.
	seats        [sim.NumPlayers]seat
	pool         [tile.NumFaces]uint8 // tiles that no player holds or has seen
	poolSize     int
	left         int // tiles the player who drew last could still draw
	discards     int
	dealt        int // tiles dealt so far
	indicators   [ruleset.MaxIndicators]tile.Kind
	numDora      int
	dora         [tile.NumKinds]uint8 // how often an indicator points to each kind
	mover        sim.Player           // the player in turn, or the next to draw
	nextDiscards [sim.NumPlayers]nextDiscard
	drawn        tile.Face // the mover's drawn tile until the discard, else NoFace
	won          win
}

// win is a declared win whose ura indicators are about to be turned.
type win struct {
	winner  sim.Player // -1 before, or after several
	from    ruleset.Chair
	face    tile.Face
	ura     [ruleset.MaxIndicators]tile.Kind
	numUra  int
	settled bool
}

// seat is one player's part of a State.
type seat struct {
	hand          hand.Hand
	reds          [3]uint8 // concealed red fives of each suit
	melds         [hand.MaxMelds]hand.Meld
	n             uint8 // melds
	open          bool
	ready         bool
	ippatsu       bool
	flowers       uint8    // exposed
	norths        uint8    // set aside
	heldFlowers   uint8    // flowers among the concealed tiles
	river         tile.Set // kinds discarded
	passed        tile.Set // kinds discarded by others since the player was ready
	summarized    bool     // summary is that of the tiles
	wasSummarized bool     // and was before the draw
	summary       handSummary
}

// NewState returns the state before the first event of a match.
func NewState(r *ruleset.Rules) State {
	s := State{rules: r, guide: guideOf(r), drawn: tile.NoFace}
	for p := range s.points {
		if p < r.NumSeats() {
			s.points[p] = int32(r.StartingPoints * r.Unit())
		}
		s.who[p], s.chairOf[p] = sim.Player(p), ruleset.Chair(p)
	}
	return s
}

// NetPoints returns each player's points in units, with debts counted as paid.
func (s *State) NetPoints() (w [sim.NumPlayers]int32) {
	w = s.points
	for creditor := range s.ledger {
		for debtor, d := range s.ledger[creditor] {
			w[s.who[creditor]] += d.Points
			w[s.who[debtor]] -= d.Points
		}
	}
	return w
}

// Apply follows one event. The events must contain every tile of the match.
func (s *State) Apply(e sim.Event) {
	switch e.Type {
	case sim.EvSeats:
		s.setSeats(e)
	case sim.EvHandStart:
		s.startHand(e)
	case sim.EvDeal:
		faces, _ := e.Deal()
		for _, f := range faces {
			if f != tile.NoFace {
				s.takeFromPool(e.Player, f)
				s.dealt++
			}
		}
	case sim.EvDraw:
		s.draw(e, e.Tile)
	case sim.EvKita:
		s.setNorthAside(e.Player)
	case sim.EvKitaDone:
		s.endIppatsu()
	case sim.EvFlower:
		s.removeTile(e.Player, e.Tile)
		s.seats[e.Player].flowers |= 1 << e.Tile.Flower()
		s.drawn = tile.NoFace
	case sim.EvDiscard:
		s.discard(e)
	case sim.EvReady:
		if _, accepted := e.Ready(); accepted {
			st := &s.seats[e.Player]
			st.ready, st.ippatsu, st.summarized = true, true, false
		}
	case sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan:
		s.meld(e)
	case sim.EvIndicator:
		if e.Ura() {
			s.turnUra(e)
		} else {
			s.turnIndicator(e.Tile)
		}
	case sim.EvWin:
		s.declareWin(e)
	case sim.EvPay:
		s.pay(e)
	case sim.EvDebt:
		debtor, debt := e.Debt()
		s.ledger[s.chairOf[e.Player]][s.chairOf[debtor]] = debt
	}
}

func (s *State) setSeats(e sim.Event) {
	who, wind, drawn := e.Seats()
	for c, p := range who {
		s.who[c], s.chairOf[p] = p, ruleset.Chair(c)
	}
	if drawn {
		s.drawnWind, s.roundWind = true, wind
	}
}

func (s *State) startHand(e sim.Event) {
	round, _, counter, deposits := e.HandStart()
	s.round = round
	s.dealer, s.mover, s.counter, s.deposits = e.Player, e.Player, counter, deposits
	if !s.drawnWind {
		s.roundWind = tile.Wind(round & 3)
	}
	s.beginHand()
}

// beginHand sets the state of the hand to that before the deal.
func (s *State) beginHand() {
	r := s.rules
	s.seats = [sim.NumPlayers]seat{}
	s.nextDiscards = [sim.NumPlayers]nextDiscard{}
	s.pool = [tile.NumFaces]uint8{}
	for k := range tile.Kind(tile.NumKinds) {
		if !r.HasKind(k) {
			continue
		}
		s.pool[k] = 4
		if k.IsFive() {
			reds := uint8(r.AkaDora[k.Suit()])
			s.pool[k] -= reds
			s.pool[tile.RedOf(k.Suit())] = reds
		}
	}
	if r.Flowers != ruleset.NoFlowers {
		for f := tile.FirstFlower; f < tile.NumFaces; f++ {
			s.pool[f] = 1
		}
	}
	s.poolSize = sim.SetSize(&r.Flow)
	s.left = s.poolSize - r.DeadWall - r.NumSeats()*r.HandSize
	if r.Walls == ruleset.WallPerSeat {
		s.left /= sim.NumPlayers
	}
	s.discards, s.dealt, s.numDora = 0, 0, 0
	s.indicators = [ruleset.MaxIndicators]tile.Kind{}
	s.dora = [tile.NumKinds]uint8{}
	s.drawn = tile.NoFace
	s.won = win{winner: -1}
}

// takeFromPool moves a face from the pool to the concealed tiles of p.
func (s *State) takeFromPool(p sim.Player, f tile.Face) {
	s.pool[f]--
	s.poolSize--
	s.addTile(p, f)
}

// addTile adds a face to the concealed tiles of p.
func (s *State) addTile(p sim.Player, f tile.Face) {
	st := &s.seats[p]
	st.summarized = false
	if f.IsFlower() {
		st.heldFlowers |= 1 << f.Flower()
		return
	}
	if f.IsRed() {
		st.reds[f.Kind().Suit()]++
	}
	st.hand.Add(f.Kind())
}

// removeTile removes a face from the concealed tiles of p.
func (s *State) removeTile(p sim.Player, f tile.Face) {
	st := &s.seats[p]
	st.summarized = false
	if f.IsFlower() {
		st.heldFlowers &^= 1 << f.Flower()
		return
	}
	if f.IsRed() {
		st.reds[f.Kind().Suit()]--
	}
	st.hand.Remove(f.Kind())
}

// draw gives the face f to the player of a draw.
func (s *State) draw(e sim.Event, f tile.Face) {
	was := s.seats[e.Player].summarized
	s.takeFromPool(e.Player, f)
	s.seats[e.Player].wasSummarized = was
	_, s.left = e.Draw()
	s.mover, s.drawn = e.Player, f
}

func (s *State) discard(e sim.Event) {
	s.removeTile(e.Player, e.Tile)
	st := &s.seats[e.Player]
	// A discard of the drawn tile leaves the hand as it was summarized, unless it is a
	// wait, which may set furiten.
	if st.wasSummarized && e.Tile == s.drawn && e.Player == s.mover && e.Tile.Kind() != tile.NoKind && !st.summary.useful.Has(e.Tile.Kind()) {
		st.summarized = true
	}
	st.wasSummarized = false
	if st.ippatsu {
		st.ippatsu, st.summarized = false, false
	}
	if k := e.Tile.Kind(); k != tile.NoKind {
		st.river |= k.Bit()
		for p := range s.seats {
			if s.seats[p].ready {
				s.seats[p].passed |= k.Bit()
			}
		}
	}
	s.discards++
	s.mover = s.playerAfter(e.Player, 1)
	s.drawn = tile.NoFace
}

// playerAfter returns the player n places after p in turn order.
func (s *State) playerAfter(p sim.Player, n int) sim.Player {
	return s.who[s.rules.NextChair(s.chairOf[p], n)]
}

func (s *State) setNorthAside(p sim.Player) {
	s.removeTile(p, tile.Face(tile.North))
	s.seats[p].norths++
	s.mover, s.drawn = p, tile.NoFace
}

func (s *State) endIppatsu() {
	for p := range s.seats {
		if st := &s.seats[p]; st.ippatsu {
			st.ippatsu, st.summarized = false, false
		}
	}
}

// meld follows a call or kan.
func (s *State) meld(e sim.Event) {
	s.endIppatsu()
	st := &s.seats[e.Player]
	st.summarized = false
	s.mover, s.drawn = e.Player, tile.NoFace
	k := e.Tile.Kind()
	if e.Type == sim.EvAddedKan {
		s.removeTile(e.Player, e.Tile)
		for i := range st.melds[:st.n] {
			if m := &st.melds[i]; m.Type == hand.Pon && m.Kind == k {
				m.Type, m.AddedRed = hand.AddedKan, e.Tile.IsRed()
				if m.AddedRed {
					m.Reds++
				}
			}
		}
		return
	}
	m := hand.Meld{Kind: k}
	if e.Type == sim.EvClosedKan {
		m.Type = hand.ClosedKan
		m.Reds = st.meldOut(k, 4)
	} else {
		giver, place, reds := e.Call()
		own := uint8(reds)
		m.From = uint8(s.rules.SeatWind(s.chairOf[giver], s.chairOf[e.Player]))
		m.ClaimedRed = e.Tile.IsRed()
		st.open = true
		switch e.Type {
		case sim.EvChi:
			m.Type, m.Claimed = hand.Chi, uint8(place)
			m.Kind = k - tile.Kind(m.Claimed)
			for other := m.Kind; other < m.Kind+3; other++ {
				if other != k {
					st.hand.Remove(other)
				}
			}
			st.reds[k.Suit()] -= own
			m.Reds = own
		case sim.EvPon:
			m.Type, m.Reds = hand.Pon, own
			st.hand.Remove(k)
			st.hand.Remove(k)
			if own > 0 {
				st.reds[k.Suit()] -= own
			}
		case sim.EvOpenKan:
			m.Type = hand.OpenKan
			m.Reds = st.meldOut(k, 3)
		}
		if m.ClaimedRed {
			m.Reds++
		}
	}
	st.melds[st.n] = m
	st.n++
}

// meldOut removes n tiles of kind k, all that are held, and returns how many of them
// are red.
func (st *seat) meldOut(k tile.Kind, n int) (reds uint8) {
	for range n {
		st.hand.Remove(k)
	}
	if k.IsFive() {
		reds, st.reds[k.Suit()] = st.reds[k.Suit()], 0
	}
	return reds
}

// removeFromPool removes a tile that becomes visible to all.
func (s *State) removeFromPool(f tile.Face) {
	s.pool[f]--
	s.poolSize--
}

func (s *State) turnIndicator(f tile.Face) {
	s.removeFromPool(f)
	k := f.Kind()
	s.indicators[s.numDora] = k
	s.numDora++
	s.dora[s.rules.DoraOf(k)]++
	for p := range s.seats {
		s.seats[p].summarized = false
	}
}

func (s *State) declareWin(e sim.Event) {
	w := &s.won
	if w.winner >= 0 || w.settled {
		// The ura indicators are turned for the first winner, and known for the others.
		w.winner, w.settled = -1, true
		return
	}
	w.winner, w.from, w.face = e.Player, ruleset.NoChair, e.Tile
	if kind, giver := e.Win(); kind != sim.WinSelfDraw {
		w.from = s.chairOf[giver]
	}
}

// turnUra turns an ura indicator. For a second winner the same tiles are turned again.
func (s *State) turnUra(e sim.Event) {
	if w := &s.won; w.winner == e.Player {
		s.removeFromPool(e.Tile)
		w.ura[w.numUra] = e.Tile.Kind()
		w.numUra++
	}
}

func (s *State) pay(e sim.Event) {
	from, to, amount, reason := e.Pay()
	if from < sim.NumPlayers {
		s.points[from] -= amount
	}
	if to < sim.NumPlayers {
		s.points[to] += amount
	} else if reason == ruleset.ForRiichi {
		s.deposits++
	}
}

// inPool returns how many tiles of kind k are in the pool.
func (s *State) inPool(k tile.Kind) int {
	n := int(s.pool[k])
	if k.IsFive() {
		n += int(s.pool[tile.RedOf(k.Suit())])
	}
	return n
}

// poolOf returns how many tiles of some kinds are in the pool.
func (s *State) poolOf(kinds tile.Set) int {
	n := 0
	for ; kinds != 0; kinds = kinds.Rest() {
		n += s.inPool(kinds.First())
	}
	return n
}

// heldByOthers returns how many tiles of some kinds the players other than p hold
// concealed.
func (s *State) heldByOthers(p sim.Player, kinds tile.Set) int {
	n := 0
	for q := range s.seats {
		if sim.Player(q) != p {
			n += s.seats[q].count(kinds)
		}
	}
	return n
}

// count returns how many concealed tiles are of some kinds.
func (st *seat) count(kinds tile.Set) int {
	n := 0
	for kinds &= st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		n += st.hand.Count(kinds.First())
	}
	return n
}
