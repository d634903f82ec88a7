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

// hkosLaw is a second, slow implementation of what players may do and pay in Hong Kong Old
// Style, written from docs/rules/hkos.md. Shapes are found by trying, as in Zung Jung; the
// ruleset is asked for the faan of a complete hand alone, and the events for what they pay.
type hkosLaw struct {
	thirteenLaw
	won     []wonHand
	paid    [4]int // in this hand
	offered sim.Player
	opened  bool // a tile was drawn from the wall, or discarded
	calls   bool // a chi, pon or kan was made or declared
	row     int  // kans of the player in turn since the last draw from the wall, or claim
	liable  []liability
}

// liability is a claim that made its giver liable, in the order of their arising.
type liability struct {
	item          string
	winner, giver sim.Player
}

func (l *hkosLaw) clone() law {
	c := *l
	c.winners, c.won, c.liable = slices.Clone(l.winners), slices.Clone(l.won), slices.Clone(l.liable)
	return &c
}

func (l *hkosLaw) saw(s *shadow, e sim.Event) error {
	if err := l.frame.saw(s, e); err != nil {
		return err
	}
	l.locks.saw(s, e, l)
	switch p := e.Player; e.Type {
	case sim.EvHandStart:
		*l = hkosLaw{thirteenLaw: l.thirteenLaw, offered: -1}
	case sim.EvDraw:
		if source := sim.Source(e.Detail); source == sim.FromWall {
			l.opened, l.row = true, 0
		}
	case sim.EvDiscard:
		l.opened = true
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		l.calls, l.row = true, 0
		l.sawClaim(s, e)
	case sim.EvClosedKan, sim.EvAddedKan:
		l.calls, l.opened = true, true
	case sim.EvKanDone:
		l.row++
	case sim.EvFlower:
		held := 0
		for _, n := range s.held[p][tile.FirstFlower:] {
			held += n
		}
		if held == 1 && l.flowersMayWin(s, p, bits.OnesCount8(s.flowers[p])+1) && s.rules.FlowerWinOptional {
			l.offered = p
		}
	case sim.EvFlowerChoice:
		if s.rules.FlowerWinOptional && e.Player != l.offered {
			return fmt.Errorf("player %d has the choice", l.offered)
		}
		l.offered = -1
	case sim.EvWin:
		l.won = append(l.won, wonHand{p, sim.Player(e.Value), sim.WinKind(e.Detail), e.Tile, 0})
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

// flowersMayWin is section 4.6.
func (l *hkosLaw) flowersMayWin(s *shadow, p sim.Player, flowers int) bool {
	r := s.rules
	return (flowers == 7 && r.FlowerDrawSeven || flowers == 8 && r.FlowerWinEight) && (l.opened || l.dealt(s) || r.FlowerWinOpening)
}

// dealt reports whether all flowers dealt have been replaced, so that the dealer plays.
func (l *hkosLaw) dealt(s *shadow) bool {
	for p := range s.held {
		n := 0
		for _, c := range s.held[p][:tile.FirstFlower] {
			n += c
		}
		if n < 13 || p == int(s.dealer) && n < 14 {
			return false
		}
	}
	return true
}

// sawClaim notes what the giver of a claim is liable for by the preset (8).
func (l *hkosLaw) sawClaim(s *shadow, e sim.Event) {
	p := e.Player
	sets, dragons, winds := 1, 0, 0
	count := func(k tile.Kind) {
		if tile.Dragons.Has(k) {
			dragons++
		} else if tile.Winds.Has(k) {
			winds++
		}
	}
	for _, m := range s.melds[p] {
		if m.kind != hand.ClosedKan {
			sets++
			count(m.faces[0].Kind())
		}
	}
	if count(e.Tile.Kind()); sets == 4 {
		l.liable = append(l.liable, liability{"twelve_tiles", p, s.turn})
	}
	if tile.Dragons.Has(e.Tile.Kind()) && dragons == 3 {
		l.liable = append(l.liable, liability{"big_three_dragons", p, s.turn})
	}
	if tile.Winds.Has(e.Tile.Kind()) && winds == 4 {
		l.liable = append(l.liable, liability{"big_four_winds", p, s.turn})
	}
}

// owed returns what each player wins or loses in the hand with full gun (7.3, 8).
func (l *hkosLaw) owed(s *shadow) (net [4]int) {
	for _, w := range l.won {
		payer := w.from // of all
		if w.kind == sim.WinSelfDraw || w.kind == sim.WinFlower {
			payer = -1
			if i := slices.IndexFunc(l.liable, func(x liability) bool { return x.winner == w.winner }); i >= 0 {
				payer = l.liable[i].giver
			}
		}
		for i := range sim.Player(3) {
			q := (w.winner + 1 + i) & 3
			if payer < 0 {
				net[q] -= w.value / 3
			} else if q == payer {
				net[q] -= w.value
			}
		}
		net[w.winner] += w.value
	}
	return net
}

// worth reports whether p's complete hand reaches the minimum (5.2).
func (l *hkosLaw) worth(s *shadow, p sim.Player, f tile.Face) bool {
	w := s.plainWin(p, f)
	w.Flowers = s.flowers[p]
	switch {
	case s.at == pointTurn && s.cause == sim.FromKan && l.row > 1:
		w.Flags |= ruleset.FlagAfterTwoKans
	case s.at == pointTurn && s.cause == sim.FromFlower:
		w.Flags |= ruleset.FlagAfterFlower
	}
	if !l.calls {
		switch {
		case s.at == pointTurn && p == s.dealer && s.discards[p] == 0:
			w.Flags |= ruleset.FlagHeavenly
		case s.at == pointClaim && len(s.river) == 1:
			w.Flags |= ruleset.FlagEarthly
		case s.at == pointClaim && len(s.river) <= 4, s.at == pointTurn && s.discards[p] == 0:
			w.Flags |= ruleset.FlagHuman
		}
	}
	n := s.counts(p)
	if s.at != pointTurn {
		n[f.Kind()]++
	}
	v := s.valueOf(&w, p, &n)
	return v.Shape && v.OK
}

func (l *hkosLaw) legal(s *shadow) (sets [4]sim.ActionSet) {
	switch {
	case l.offered >= 0:
		sets[l.offered].Add(sim.ActFlowerWin)
		sets[l.offered].Add(sim.ActFlowerAward)
		return sets
	case s.at == pointTurn && (s.drawn.IsFlower() || !l.opened && !l.dealt(s)):
		return sets // flowers are exposed at once
	}
	return l.legalOf(s, func(p sim.Player, f tile.Face) bool { return l.worth(s, p, f) })
}

func (l *hkosLaw) compare(s *shadow, t *sim.Table) error {
	if l.offered >= 0 || !l.opened && !l.dealt(s) {
		return nil // waits are those of hands without flowers
	}
	return l.locks.compare(s, t, l)
}
