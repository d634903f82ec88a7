package riichi

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
)

// scorer is a compiled Config.
type scorer struct {
	knobs Config
	// worth[0] is what each pattern counts for in a closed hand, worth[1] in an open
	// one: han, for yakuman multiples. The places behind the patterns are empty.
	worth [2][64 + 1]ruleset.Scored
	// allowed are the patterns worth anything, hanBits[i] those whose han have bit i
	// set: four bits, as no price is above maxHan.
	allowed [2]uint64
	hanBits [2][4]uint64
	// yakuman are the patterns that are worth multiples of a yakuman.
	yakuman uint64
	// lowered are the patterns that do not exist (from) but contain one that counts
	// instead (to), as in the list of that name.
	lowered []struct{ from, to uint64 }
	// bonusHan is what each dora, red five, ura dora and North set aside counts for.
	bonusHan [4]int
	// limits are those of the base by han.
	limits [14]int32
	// dealer is the factor of what the dealer pays and wins.
	dealer int32
	shares shares
	// gapShared reports whether two payers share what a fourth player would pay.
	gapShared bool
	hand.Shapes
	// pinfu reports whether the pattern exists on a discard and by self-draw.
	pinfu [2]bool
}

// Compile returns the scorer for the knobs.
func (c *Config) Compile() ruleset.Scorer {
	dealer := int32(c.DealerFactor) + 2
	s := &scorer{
		knobs: *c, limits: limitsOf(c.Counted), yakuman: when(c.Renhou == RenhouYakuman, 1<<renhou),
		dealer: dealer, shares: c.sharesOf(dealer),
		gapShared: c.Seats == ruleset.ThreeSeats && c.SelfDrawGap == GapShared,
	}
	off := uint64(0)
	for id := range numPatterns {
		s.yakuman |= when(isYakuman(id), 1<<id)
		off |= when(c.Patterns[id].IsOff(), 1<<id)
		price := c.price(id)
		for open, points := range [...]int16{price.Closed, price.Open} {
			s.worth[open][id] = ruleset.Scored{Pattern: uint8(id), Points: points}
			s.allowed[open] |= when(points > 0, 1<<id)
			for i := range s.hanBits[open] {
				s.hanBits[open][i] |= when(points>>i&1 != 0, 1<<id)
			}
		}
	}
	for i, id := range [...]int{dora, akaDora, uraDora, nukiDora} {
		s.bonusHan[i] = int(s.worth[0][id].Points)
	}
	for _, l := range lowered {
		if off>>l.id&1 != 0 {
			s.lowered = append(s.lowered, struct{ from, to uint64 }{1 << l.id, 1 << l.of})
		}
	}
	exists := func(id int) bool { return off>>id&1 == 0 }
	s.Shapes = hand.Shapes{Pairs: exists(chiitoitsu), Orphans: exists(kokushiMusou)}
	s.pinfu = [2]bool{exists(pinfu), exists(pinfu) && c.PinfuTsumo}
	if !exists(renhou) {
		s.knobs.Renhou = NoRenhou
	}
	for bit, id := range paoPatterns {
		if !exists(int(id)) {
			s.knobs.PaoYakuman &^= 1 << bit
		}
	}
	return s
}

// price returns what a pattern counts for, nothing if it does not exist.
func (c *Config) price(id int) ruleset.Price {
	han := listed[id]
	if id >= dora || id == renhou && c.Renhou == RenhouYakuman {
		han = ruleset.Price{Closed: 1, Open: 1}
	}
	if i := slices.Index(doubles[:], id); i >= 0 && c.DoubleYakuman>>i&1 != 0 {
		han = ruleset.Price{Closed: 2, Open: 2}
	}
	p := c.Patterns[id]
	switch {
	case p.IsOff():
		return ruleset.Price{}
	case !p.IsGiven():
		p = han
	case id >= dora:
		p.Open = p.Closed
	case han.Open == 0:
		p.Open = 0
	}
	if id == tanyao && !c.Kuitan {
		p.Open = 0
	}
	return p
}

// Patterns lists the yaku and the bonus tiles.
func (s *scorer) Patterns() []ruleset.Pattern {
	if s.knobs.Seats == ruleset.FourSeats {
		return patterns[:nukiDora]
	}
	return patterns[:]
}
