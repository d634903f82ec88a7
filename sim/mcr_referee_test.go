package sim_test

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// This file is a second, slow implementation of what players may do under MCR
// rules, written from section 2 of the rule text. It looks at a shadow only, finds
// shapes by trying, and asks the ruleset for the points of a complete hand alone.

// isCompleteMCR reports whether the concealed tiles n, with so many melds, are a
// winning shape: sets and a pair, seven pairs, thirteen orphans, fourteen different
// honors and knitted tiles, or a knitted straight with a set and a pair.
func isCompleteMCR(n *[tile.NumKinds]int, melds int) bool {
	if isStandard(n, 4-melds) {
		return true
	}
	for _, knitted := range knittedStraights {
		rest, straight := *n, true
		for _, k := range knitted {
			rest[k]--
			straight = straight && rest[k] >= 0
		}
		if straight && isStandard(&rest, 1-melds) || melds == 0 && isKnitted(n, knitted) {
			return true
		}
	}
	return melds == 0 && (isOrphans(n) || isSevenPairs(n))
}

// isSevenPairs counts four of a kind as two pairs.
func isSevenPairs(n *[tile.NumKinds]int) bool {
	pairs := 0
	for _, c := range n {
		if c%2 != 0 {
			return false
		}
		pairs += c / 2
	}
	return pairs == 7
}

// isKnitted reports whether n is fourteen different tiles, all honors or among the
// given knitted ones.
func isKnitted(n *[tile.NumKinds]int, knitted [9]int) bool {
	may := [tile.NumKinds]bool{}
	for k := 27; k < tile.NumKinds; k++ {
		may[k] = true
	}
	for _, k := range knitted {
		may[k] = true
	}
	total := 0
	for k, c := range n {
		if c > 1 || c == 1 && !may[k] {
			return false
		}
		total += c
	}
	return total == 14
}

// knittedStraights are the six ways to give 147, 258 and 369 to the suits.
var knittedStraights = func() (all [][9]int) {
	for _, first := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var kinds [9]int
		for suit, rank := range first {
			for i := range 3 {
				kinds[suit*3+i] = suit*9 + rank + 3*i
			}
		}
		all = append(all, kinds)
	}
	return all
}()

// winsMCR reports whether p may win with the tile f: drawn, or of the window.
func (s *shadow) winsMCR(p sim.Player, f tile.Face) bool {
	n := s.counts(p)
	total := len(s.melds[p]) * 3
	for _, c := range n {
		total += c
	}
	selfDraw := s.at == pointTurn
	if !selfDraw {
		n[f.Kind()]++
		total++
	}
	// With a flower among the concealed tiles there are too few others.
	if f.IsFlower() || total != 14 || !isCompleteMCR(&n, len(s.melds[p])) {
		return false
	}
	w := ruleset.Win{
		Tile:      f.Kind(),
		SelfDraw:  selfDraw,
		SeatWind:  tile.Wind(s.chair(p)-s.chair(s.dealer)) & 3,
		RoundWind: s.roundWind(),
		Flags:     s.flagsMCR(p, f.Kind()),
		Flowers:   s.flowers[p],
	}
	v := s.valueOf(&w, p, &n)
	return v.OK
}

// flagsMCR returns the circumstances of a win by p with a tile of kind k (2.12).
func (s *shadow) flagsMCR(p sim.Player, k tile.Kind) (f ruleset.Flags) {
	switch s.at {
	case pointRobAdded:
		return ruleset.FlagRobbingKan
	case pointRobClosed:
		return ruleset.FlagRobbingClosedKan
	}
	last := s.turn
	if s.rules.LastTileWhen == ruleset.NextWallEmpty {
		last = s.next(s.turn, 1)
	}
	if s.live[last] == 0 {
		f |= ruleset.FlagLastTile
	}
	open := 0
	for i, d := range s.river {
		if winning := s.at == pointClaim && i == len(s.river)-1; !d.Claimed && !winning && d.Tile.Kind() == k {
			open++
		}
	}
	for q := range s.melds {
		for _, m := range s.melds[q] {
			for _, f := range m.faces {
				if m.kind != hand.ClosedKan && f.Kind() == k {
					open++
				}
			}
		}
	}
	if open == 3 {
		f |= ruleset.FlagLastCopy
	}
	if s.at != pointTurn {
		return f
	}
	if s.cause == sim.FromKan {
		f |= ruleset.FlagAfterKan
	}
	if p == s.dealer && len(s.river) == 0 && !s.interrupted {
		f |= ruleset.FlagHeavenly
	}
	return f
}

// chair returns the place of p in turn order.
func (s *shadow) chair(p sim.Player) (c int) {
	for c = range s.who {
		if s.who[c] == p {
			break
		}
	}
	return c
}

// roundWind returns the wind of the round, or of the match if one was drawn.
func (s *shadow) roundWind() tile.Wind {
	if k := s.wind.Kind(); tile.Winds.Has(k) {
		return tile.Wind(k - tile.East)
	}
	return tile.Wind(s.round) & 3
}

// legalMCR is legal for the MCR family.
func (s *shadow) legalMCR() (sets [4]sim.ActionSet) {
	for p := range sim.Player(4) {
		l := &sets[p]
		switch {
		case s.at == pointTurn && p == s.turn:
			s.turnMCR(l)
		case p == s.turn:
		case s.at == pointClaim && !s.window.IsFlower():
			s.claimMCR(p, l)
		case s.at == pointRobAdded && s.rules.RobAddedKan,
			s.at == pointRobClosed && s.rules.RobClosedKan == ruleset.RobClosedOrphans && s.orphansWith(p, s.window):
			if s.winsMCR(p, s.window) {
				l.Add(sim.ActWin)
			}
		}
		if p != s.turn && *l != (sim.ActionSet{}) {
			l.Add(sim.ActPass)
		}
		if l.Len() < 2 {
			*l = sim.ActionSet{}
		}
	}
	return sets
}

func (s *shadow) orphansWith(p sim.Player, f tile.Face) bool {
	n := s.counts(p)
	n[f.Kind()]++
	return isOrphans(&n)
}

// turnMCR adds what the player in turn may do: TURN and AFTER_CLAIM of 2.5.
func (s *shadow) turnMCR(l *sim.ActionSet) {
	r, p := s.rules, s.turn
	if s.drawn.IsFlower() && r.Flowers == ruleset.ForcedFlowers {
		return // exposed, or as the last tile discarded, by the table
	}
	claimed := s.drawn == tile.NoFace
	if !claimed {
		l.Add(sim.ActDiscardDrawn)
		if s.winsMCR(p, s.drawn) {
			l.Add(sim.ActWin)
		}
	}
	for f, c := range s.held[p] {
		f := tile.Face(f)
		if f == s.drawn {
			c--
		}
		if c > 0 && !(r.SwapBan == ruleset.SwapSameTile && s.banned != 0 && f.Kind() == s.claimedKind()) {
			l.Add(sim.ActDiscard + sim.Action(f))
		}
		if f.IsFlower() && s.held[p][f] > 0 && !claimed && s.live[p] > 0 {
			l.Add(sim.ActFlower + sim.Action(f.Flower()))
		}
	}
	if s.kansLeft() == 0 || claimed && !r.KanAfterClaim || s.live[p] < r.KanMinWall || r.KanNeedsNextWall && s.live[s.next(p, 1)] == 0 {
		return
	}
	s.addOwnKans(l)
}

// claimedKind returns the kind that the player in turn claimed last: if anything is
// banned, in this turn.
func (s *shadow) claimedKind() tile.Kind {
	melds := s.melds[s.turn]
	i := len(melds) - 1
	for melds[i].from < 0 {
		i--
	}
	return melds[i].given.Kind()
}

// kansLeft returns how many kans the knob max_kans leaves.
func (s *shadow) kansLeft() int {
	if s.rules.MaxKans == ruleset.NoLimit {
		return 1
	}
	return max(int(s.rules.MaxKans)-s.kans, 0)
}

// claimMCR adds what p may claim of a discard (2.7).
func (s *shadow) claimMCR(p sim.Player, l *sim.ActionSet) {
	r, k := s.rules, s.window.Kind()
	if s.winsMCR(p, s.window) {
		l.Add(sim.ActWin)
	}
	if s.live[s.next(s.turn, 1)] == 0 && r.LastDiscard == ruleset.LastDiscardWinOnly {
		return
	}
	n := s.counts(p)
	total := 0
	for _, c := range s.held[p] {
		total += c
	}
	// A claim must leave a tile that may be discarded, which under swap_ban is one
	// of another kind.
	free := r.SwapBan == ruleset.SwapFree
	if n[k] >= 2 && (free || total > n[k]) {
		l.Add(sim.ActPon)
	}
	if n[k] == 3 && s.kansLeft() > 0 && (s.live[p] >= r.KanMinWall || r.Walls == ruleset.WallPerSeat) {
		l.Add(sim.ActOpenKan)
	}
	if k.IsHonor() || p != s.next(s.turn, 1) && r.ChiFrom == ruleset.ChiFromLeft {
		return
	}
	for place := range 3 {
		low := k.Rank() - place
		if low < 0 || low > 6 {
			continue
		}
		has := true
		for i := range 3 {
			if other := int(k) - place + i; i != place && n[other] == 0 {
				has = false
			}
		}
		if has && (free || total-2 > n[k]) {
			l.Add(sim.ActChi + sim.Action(place))
		}
	}
}
