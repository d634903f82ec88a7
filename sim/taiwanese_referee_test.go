package sim_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// This file is what the law of hktw has otherwise for Taiwanese, written from
// docs/rules/taiwanese.md.

// started reports whether the opening is over: a tile has been drawn from the wall, or, where
// the dealer's extra tile is dealt, all flowers dealt have been replaced (2.1, 2.2).
func (l *hktwLaw) started(s *shadow) bool {
	if l.opened || s.rules.DealerExtraTile != ruleset.ExtraDealt || !l.dealt(s) {
		return l.opened
	}
	n := 0
	for _, c := range s.held[s.dealer][:tile.FirstFlower] {
		n += c
	}
	return n == 17
}

// taiwaneseTier is sections 3.8 and 3.9: the tier of a declaration with the discard that p makes.
func (l *hktwLaw) taiwaneseTier(s *shadow, p sim.Player) sim.ReadyTier {
	r := s.rules
	if s.discards[p] == 0 && (r.ReadyTiers == ruleset.FirstDiscardTiers || r.ReadyTiers == ruleset.UncalledTiers && !l.anyCall) {
		if p == s.dealer {
			return sim.ReadyHeaven
		}
		return sim.ReadyEarth
	}
	if !l.anyCall && len(s.river) < r.ReadyWithin {
		return sim.ReadyHuman
	}
	return sim.ReadyOrdinary
}

// settleTaiwanese is section 7 with the dealer item of the preset and ten points for a tai; the
// value of a won hand holds the base.
func (l *hktwLaw) settleTaiwanese(s *shadow) error {
	var net [4]int
	for _, w := range l.won {
		for x := range sim.Player(4) {
			if x == w.winner || w.from != w.winner && x != w.from {
				continue
			}
			points := w.value
			if w.winner == s.dealer || x == s.dealer {
				points += 10 * (1 + 2*s.honba)
			}
			net[x] -= 2 * points
			net[w.winner] += 2 * points
		}
	}
	if net != l.net {
		return fmt.Errorf("paid %v, by the rule text %v", l.net, net)
	}
	return nil
}
