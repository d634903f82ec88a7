package sim_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// zungJungLaw is a second, slow implementation of what players may do and pay in
// Universal Mahjong and Zung Jung, written from sections 2 and 4 of the rule text.
// It finds shapes by trying, and asks the ruleset for the points of a complete hand
// alone. Payments are those of the presets.
type zungJungLaw struct {
	frame
	locks
	won    []wonHand
	paid   [4]int // in this hand
	thrown []thrown
}

// wonHand is a win of the hand.
type wonHand struct {
	winner, from sim.Player // from is the winner for a self-draw
	kind         sim.WinKind
	tile         tile.Face
	value        int
}

// thrown is an entry of the discard log; for a robbed kan the robbed tile is the
// last.
type thrown struct {
	by   sim.Player
	kind tile.Kind
}

func (l *zungJungLaw) clone() law {
	c := *l
	c.winners = append([]sim.Player(nil), l.winners...)
	c.won = append([]wonHand(nil), l.won...)
	c.thrown = append([]thrown(nil), l.thrown...)
	return &c
}

func (l *zungJungLaw) saw(s *shadow, e sim.Event) error {
	if err := l.frame.saw(s, e); err != nil {
		return err
	}
	l.locks.saw(s, e, l)
	switch e.Type {
	case sim.EvHandStart:
		l.won, l.paid, l.thrown = nil, [4]int{}, nil
	case sim.EvDiscard:
		l.thrown = append(l.thrown, thrown{e.Player, e.Tile.Kind()})
	case sim.EvWin:
		if sim.WinKind(e.Detail) == sim.WinRob && len(l.won) == 0 {
			l.thrown = append(l.thrown, thrown{sim.Player(e.Value), e.Tile.Kind()})
		}
		l.won = append(l.won, wonHand{e.Player, sim.Player(e.Value), sim.WinKind(e.Detail), e.Tile, 0})
	case sim.EvValue:
		l.won[len(l.won)-1].value = int(e.Value)
	case sim.EvPay:
		from, to, amount, reason := e.Pay()
		if reason != ruleset.ForWin || len(l.won) == 0 {
			return fmt.Errorf("nothing is paid but wins")
		}
		l.paid[from] -= int(amount)
		l.paid[to] += int(amount)
	case sim.EvHandEnd:
		if want := l.owed(s); l.paid != want {
			return fmt.Errorf("paid %v, by the rule text %v", l.paid, want)
		}
	}
	return nil
}

// owed returns what each player wins or loses in the hand (4.1 to 4.3).
func (l *zungJungLaw) owed(s *shadow) (net [4]int) {
	const par = 25
	for _, w := range l.won {
		responsible := w.from
		if s.rules.SameRoundImmunity && w.kind != sim.WinSelfDraw {
			responsible = l.firstThrower(w.winner, w.tile.Kind())
		}
		for p := range sim.Player(4) {
			pays := w.value
			switch {
			case p == w.winner:
				continue
			case responsible == w.winner || w.value <= par:
			case p == responsible:
				pays = 3*w.value - 2*par
			default:
				pays = par
			}
			net[p] -= pays
			net[w.winner] += pays
		}
	}
	return net
}

// firstThrower returns who threw the winning kind first since the winner's own last
// discard, that included; the winner himself if he did (4.3).
func (l *zungJungLaw) firstThrower(winner sim.Player, k tile.Kind) sim.Player {
	from := 0
	for i, t := range l.thrown {
		if t.by == winner {
			from = i
		}
	}
	for _, t := range l.thrown[from:] {
		if t.kind == k {
			return t.by
		}
	}
	return winner
}

// completes reports whether p's tiles, with another of kind k unless that is
// NoKind, are a winning shape (3.1).
func (l *zungJungLaw) completes(s *shadow, p sim.Player, k tile.Kind) bool {
	n := s.counts(p)
	if k != tile.NoKind {
		n[k]++
	}
	melds := len(s.melds[p])
	return isStandard(&n, 4-melds) || melds == 0 && (isSevenPairs(&n) || isOrphans(&n))
}

// robs reports whether p's hand is completed by the tile of the kan in the window
// in a way that may rob it (2.8).
func (l *zungJungLaw) robs(s *shadow, p sim.Player, k tile.Kind) bool {
	if s.at == pointRobClosed {
		return s.rules.RobClosedKan == ruleset.RobClosedOrphans && s.orphansWith(p, s.window)
	}
	return s.rules.RobAddedKan && l.completes(s, p, k)
}

// waits returns the kinds that p waits for.
func (l *zungJungLaw) waits(s *shadow, p sim.Player) (w tile.Set) {
	for k := range tile.Kind(tile.NumKinds) {
		if l.completes(s, p, k) {
			w |= k.Bit()
		}
	}
	return w
}

// canWin reports whether p's complete hand reaches the least value (3.7).
func (l *zungJungLaw) worth(s *shadow, p sim.Player, f tile.Face) bool {
	w := ruleset.Win{
		Tile:      f.Kind(),
		SelfDraw:  s.at == pointTurn,
		SeatWind:  tile.Wind(p-s.dealer) & 3,
		RoundWind: tile.Wind(s.round) & 3,
	}
	n := s.counts(p)
	switch s.at {
	case pointTurn:
		if s.cause == sim.FromKan {
			w.Flags |= ruleset.FlagAfterKan
		}
	case pointRobAdded:
		w.Flags |= ruleset.FlagRobbingKan
	case pointRobClosed:
		w.Flags |= ruleset.FlagRobbingClosedKan
	}
	if s.at != pointTurn {
		n[f.Kind()]++
	}
	if s.live[p] == 0 && (s.at == pointTurn || s.at == pointClaim) {
		w.Flags |= ruleset.FlagLastTile
	}
	eastKan := false
	for _, m := range s.melds[s.dealer] {
		eastKan = eastKan || m.kind == hand.ClosedKan
	}
	if !eastKan || !s.rules.BlessingsVoid {
		switch {
		case s.at == pointTurn && len(s.river) == 0:
			w.Flags |= ruleset.FlagHeavenly
		case s.at == pointClaim && len(s.river) == 1:
			w.Flags |= ruleset.FlagEarthly
		}
	}
	v := s.valueOf(&w, p, &n)
	return v.Shape && v.OK
}

// legal is section 2.5.
func (l *zungJungLaw) legal(s *shadow) (sets [4]sim.ActionSet) {
	for p := range sim.Player(4) {
		set := &sets[p]
		switch {
		case s.at == pointTurn && p == s.turn:
			s.legalDiscards(set)
			s.legalKans(set)
			barred := s.rules.PassLockBlocksDraw && l.bars(p, s.drawn.Kind())
			if s.drawn != tile.NoFace && l.completes(s, p, tile.NoKind) && !barred && l.worth(s, p, s.drawn) {
				set.Add(sim.ActWin)
			}
		case p == s.turn:
		case s.at == pointClaim:
			k := s.window.Kind()
			if l.completes(s, p, k) && !l.barsDiscard(s, p, k, l.waits(s, p)) && l.worth(s, p, s.window) {
				set.Add(sim.ActWin)
			}
			s.legalCallsOf(p, l.pons[p], set)
		case s.at == pointRobAdded, s.at == pointRobClosed:
			k := s.window.Kind()
			if l.robs(s, p, k) && !l.barsRob(s, p, k, l.waits(s, p)) && l.worth(s, p, s.window) {
				set.Add(sim.ActWin)
			}
		}
		if p != s.turn && *set != (sim.ActionSet{}) {
			set.Add(sim.ActPass)
		}
		if set.Len() < 2 {
			*set = sim.ActionSet{}
		}
	}
	return sets
}

func (l *zungJungLaw) compare(s *shadow, t *sim.Table) error { return l.locks.compare(s, t, l) }
