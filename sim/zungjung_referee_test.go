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
	thirteenLaw
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

// worth reports whether p's complete hand reaches the least value (3.7).
func (l *zungJungLaw) worth(s *shadow, p sim.Player, f tile.Face) bool {
	w := s.plainWin(p, f)
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
	n := s.counts(p)
	if s.at != pointTurn {
		n[f.Kind()]++
	}
	v := s.valueOf(&w, p, &n)
	return v.Shape && v.OK
}

func (l *zungJungLaw) legal(s *shadow) [4]sim.ActionSet {
	return l.legalOf(s, func(p sim.Player, f tile.Face) bool { return l.worth(s, p, f) })
}

func (l *zungJungLaw) compare(s *shadow, t *sim.Table) error { return l.locks.compare(s, t, l) }
