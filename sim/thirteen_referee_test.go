package sim_test

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// thirteenLaw is what the laws of families with thirteen tiles and without a ready declaration
// have alike.
type thirteenLaw struct {
	frame
	locks
	pairs, orphans bool // seven pairs, and thirteen orphans, are hands
}

// completes reports whether p's tiles, with another of kind k unless that is
// NoKind, are a winning shape.
func (l *thirteenLaw) completes(s *shadow, p sim.Player, k tile.Kind) bool {
	n := s.counts(p)
	if k != tile.NoKind {
		n[k]++
	}
	melds := len(s.melds[p])
	return isStandard(&n, 4-melds) || melds == 0 && (l.pairs && isSevenPairs(&n) || l.orphans && isOrphans(&n))
}

// robs reports whether p's hand is completed by the tile of the kan in the window
// in a way that may rob it.
func (l *thirteenLaw) robs(s *shadow, p sim.Player, k tile.Kind) bool {
	if s.at == pointRobClosed {
		return s.rules.RobClosedKan == ruleset.RobClosedOrphans && s.orphansWith(p, s.window)
	}
	return s.rules.RobAddedKan && l.completes(s, p, k)
}

// waits returns the kinds that p waits for.
func (l *thirteenLaw) waits(s *shadow, p sim.Player) (w tile.Set) {
	for k := range tile.Kind(tile.NumKinds) {
		if l.completes(s, p, k) {
			w |= k.Bit()
		}
	}
	return w
}

// legalOf returns what each player may do; worth reports whether a complete hand may win.
func (l *thirteenLaw) legalOf(s *shadow, worth func(sim.Player, tile.Face) bool) (sets [4]sim.ActionSet) {
	for p := range sim.Player(4) {
		set := &sets[p]
		switch {
		case s.at == pointTurn && p == s.turn:
			s.legalDiscards(set)
			s.legalKans(set)
			barred := s.rules.PassLockBlocksDraw && l.bars(p, s.drawn.Kind())
			if s.drawn != tile.NoFace && l.completes(s, p, tile.NoKind) && !barred && worth(p, s.drawn) {
				set.Add(sim.ActWin)
			}
		case p == s.turn:
		case s.at == pointClaim:
			k := s.window.Kind()
			if l.completes(s, p, k) && !l.barsDiscard(s, p, k, l.waits(s, p)) && worth(p, s.window) {
				set.Add(sim.ActWin)
			}
			s.legalCallsOf(p, l.pons[p], set)
		case s.at == pointRobAdded, s.at == pointRobClosed:
			k := s.window.Kind()
			if l.robs(s, p, k) && !l.barsRob(s, p, k, l.waits(s, p)) && worth(p, s.window) {
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

// plainWin returns the win of p, whose hand is complete with the tile f, but for the hand and
// what families look at differently.
func (s *shadow) plainWin(p sim.Player, f tile.Face) ruleset.Win {
	w := ruleset.Win{
		Tile:      f.Kind(),
		SelfDraw:  s.at == pointTurn,
		SeatWind:  tile.Wind(p-s.dealer) & 3,
		RoundWind: tile.Wind(s.round) & 3,
	}
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
	if s.live[p] == 0 && (s.at == pointTurn || s.at == pointClaim) {
		w.Flags |= ruleset.FlagLastTile
	}
	return w
}
