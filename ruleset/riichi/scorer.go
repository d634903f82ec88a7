package riichi

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
)

// scorer is a Config made ready for use.
type scorer struct {
	Config
	// han[0] is what each yaku is worth in a closed hand, han[1] in an open one;
	// allowed are the yaku worth anything.
	han     [2][numPatterns]uint8
	allowed [2]uint64
	// multiple is what each yakuman counts for, bonusHan what each dora, red five
	// and ura dora does.
	multiple [numPatterns]uint8
	bonusHan [3]int
	// off are the patterns that do not exist; pairs and orphans tell whether seven
	// pairs and thirteen orphans do.
	off            uint64
	pairs, orphans bool
}

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer {
	s := &scorer{Config: *c, bonusHan: [3]int{1, 1, 1}}
	for id, r := range rows {
		s.han[0][id], s.han[1][id] = r.closed, r.open
		s.multiple[id] = 1
	}
	for i, id := range doubles {
		if c.DoubleYakuman>>i&1 != 0 {
			s.multiple[id] = 2
		}
	}
	for id, p := range c.Patterns {
		s.price(id, p)
	}
	if !c.Kuitan {
		s.han[1][tanyao] = 0
	}
	for open, han := range s.han {
		for id, n := range han {
			if n > 0 {
				s.allowed[open] |= 1 << id
			}
		}
	}
	s.pairs = s.off&(1<<chiitoitsu) == 0
	s.orphans = s.off&(1<<kokushiMusou) == 0
	if s.off&(1<<renhou) != 0 {
		s.Renhou = NoRenhou
	}
	for bit, id := range paoPatterns {
		if s.off>>id&1 != 0 {
			s.PaoYakuman &^= 1 << bit
		}
	}
	return s
}

// price enters what the ruleset says of a pattern.
func (s *scorer) price(id int, p ruleset.Price) {
	switch {
	case p.IsOff():
		s.off |= 1 << id
		s.han[0][id], s.han[1][id] = 0, 0
		if id >= dora && !isYakuman(id) {
			s.bonusHan[id-dora] = 0
		}
	case !p.IsGiven():
	case isYakuman(id) || id == renhou && s.Renhou == RenhouYakuman:
		s.multiple[id] = uint8(p.Closed)
	case id >= dora:
		s.bonusHan[id-dora] = int(p.Closed)
	default:
		s.han[0][id] = uint8(p.Closed)
		if rows[id].open > 0 {
			s.han[1][id] = uint8(p.Open)
		}
	}
}

// Patterns lists the yaku and the bonus tiles.
func (s *scorer) Patterns() []ruleset.Pattern { return patterns[:] }

// Waits returns the kinds that complete four sets and a pair, seven different
// pairs or thirteen orphans (S4 1.3, S0 shapes 1-3).
func (s *scorer) Waits(h *hand.Hand, melds int) tile.Set {
	waits := h.Waits(4 - melds)
	if melds > 0 {
		return waits
	}
	if s.pairs {
		waits |= h.PairsWaits()
	}
	if s.orphans {
		waits |= h.OrphansWaits()
	}
	return waits
}

// Shanten returns the least distance to any of the shapes.
func (s *scorer) Shanten(h *hand.Hand, melds int) int {
	n := h.Shanten(4 - melds)
	if melds > 0 {
		return n
	}
	if s.pairs {
		n = min(n, h.PairsShanten())
	}
	if s.orphans {
		n = min(n, h.OrphansShanten())
	}
	return n
}
