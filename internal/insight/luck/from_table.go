package luck

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// SetTable sets m to a hand in progress, in a turn or where a discard may be claimed. Follow takes
// the events from the next step of the table on. It serves searches, which begin in the middle of
// a hand. It does not allocate.
func (m *LinearControlVariate) SetTable(t *sim.Table) { m.tracker.state.setTable(t) }

// setTable sets s to the state of a hand in progress.
func (s *State) setTable(t *sim.Table) {
	r, v := s.rules, t.View(0)
	s.points, s.round, s.dealer = t.Points(), v.Round(), v.Dealer()
	s.roundWind, s.drawnWind = v.RoundWind(), r.RoundWind == ruleset.WindRandom
	s.counter, s.deposits = v.Counter(), v.Deposits()
	for p := range sim.Player(sim.NumPlayers) {
		c := v.ChairOf(p)
		s.chairOf[p], s.who[c] = c, p
	}
	s.ledger = ruleset.Ledger{}
	if v.HasDebts() {
		for creditor, c := range s.chairOf {
			for debtor, d := range v.Debts(sim.Player(creditor)) {
				s.ledger[c][s.chairOf[debtor]] = d
			}
		}
	}
	s.beginHand()
	for p := range sim.Player(r.NumSeats()) {
		s.setSeat(p, t.View(p))
	}
	s.dealt = r.NumSeats() * r.HandSize
	s.discards = v.NumDiscards()
	for i := range s.discards {
		s.removeFromPool(v.Discard(i).Tile)
	}
	for i := range v.NumIndicators() {
		s.turnIndicator(v.Indicator(i))
	}
	s.mover, s.left = v.Turn(), v.TilesLeftOf(v.Turn())
	s.drawn = t.View(s.mover).Drawn()
	if v.Phase() == sim.PhaseClaim {
		s.mover = s.playerAfter(s.mover, 1)
	}
}

// setSeat sets the seat of player p, whose view is v, and removes its tiles from the pool.
func (s *State) setSeat(p sim.Player, v sim.View) {
	st := &s.seats[p]
	st.hand, st.reds, st.heldFlowers = v.Hand(), v.Reds(), v.HeldFlowers()
	st.open, st.ready, st.ippatsu = v.IsOpen(p), v.Ready(p) != sim.NotReady, v.Ippatsu(p)
	st.flowers, st.norths = v.Flowers(p), uint8(v.Norths(p))
	for kinds := st.hand.Kinds(); kinds != 0; kinds = kinds.Rest() {
		k, reds := kinds.First(), 0
		if k.IsFive() {
			reds = int(st.reds[k.Suit()])
		}
		s.removeKind(k, st.hand.Count(k), reds)
	}
	for f := range tile.Face(8) {
		if (st.heldFlowers|st.flowers)>>f&1 != 0 {
			s.removeFromPool(tile.FirstFlower + f)
		}
	}
	s.removeKind(tile.North, int(st.norths), 0)
	st.n = uint8(v.NumMelds(p))
	for i := range st.melds[:st.n] {
		m := v.Meld(p, i)
		st.melds[i] = m
		s.removeMeld(&m)
	}
	declared := false
	for i := range v.NumDiscards() {
		d := v.Discard(i)
		k := d.Tile.Kind()
		if k == tile.NoKind {
			continue
		}
		if d.Player == p {
			st.river |= k.Bit()
		}
		if declared {
			st.passed |= k.Bit()
		}
		declared = declared || d.Player == p && d.Ready && st.ready
	}
}

// removeMeld removes from the pool the tiles of a meld that are not among the discards.
func (s *State) removeMeld(m *hand.Meld) {
	reds := int(m.Reds)
	if m.ClaimedRed {
		reds--
	}
	switch m.Type {
	case hand.Chi:
		for i := range tile.Kind(3) {
			if k := m.Kind + i; i != tile.Kind(m.Claimed) {
				if k.IsFive() {
					s.removeKind(k, 1, reds)
				} else {
					s.removeKind(k, 1, 0)
				}
			}
		}
	case hand.Pon:
		s.removeKind(m.Kind, 2, reds)
	case hand.OpenKan, hand.AddedKan:
		s.removeKind(m.Kind, 3, reds)
	case hand.ClosedKan:
		s.removeKind(m.Kind, 4, reds)
	}
}

// removeKind removes n tiles of kind k from the pool, some of them red.
func (s *State) removeKind(k tile.Kind, n, reds int) {
	s.pool[k] -= uint8(n - reds)
	if reds > 0 {
		s.pool[tile.RedOf(k.Suit())] -= uint8(reds)
	}
	s.poolSize -= n
}
