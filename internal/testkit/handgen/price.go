package handgen

import (
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Price returns a random price of a pattern: mostly the listed one, else "off" or
// any other that a file may give.
func Price(rng *rand.Rand, l ruleset.Listing) ruleset.Price {
	switch rng.IntN(8) {
	case 0:
		return ruleset.PriceOff
	case 1, 2:
		n := int16(1 + rng.IntN(min(l.Max, 100)))
		p := ruleset.Price{Closed: n, Open: n}
		if l.Split && rng.IntN(2) == 0 {
			p.Open = int16(l.MinOpen + rng.IntN(int(n)))
		}
		return p
	}
	return ruleset.Price{}
}
