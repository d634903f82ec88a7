package standings

import "github.com/sparrowhall/sparrowhall/sim"

// until plays a tournament until it is decided. It calls play with ascending numbers of matches,
// the looks, to play up to that number. The first matches have been played, end is the number of
// all; next returns the look after another.
//
// It reports whether the tournament was decided, and returns the first error of play. The looks
// depend on the numbers of matches alone, so an interrupted tournament ends at the same match.
func until(next func(uint64) uint64, first, end uint64, play func(look uint64) error, decided func() bool) (bool, error) {
	for look := next(0); first < end; look = next(look) {
		if look < first {
			continue
		}
		first = min(look, end)
		if err := play(first); err != nil {
			return false, err
		}
		if decided() {
			return true, nil
		}
	}
	return false, nil
}

// nextLook returns the number of matches at the look after the one at the given number. Looks
// are far apart, since workers wait for each other at them.
func nextLook(matches uint64) uint64 {
	return (matches*9/8/sim.BlockSize + 4) * sim.BlockSize
}
