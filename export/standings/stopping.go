package standings

import "github.com/sparrowhall/sparrowhall/sim"

// UntilClear plays a tournament until its best agent is clear of all others. It calls play with
// ascending numbers of matches, the looks; play must play up to that number and add the matches
// to the tally. The first matches are in the tally already, end is the number of all.
//
// It reports whether the best agent is clear, which is wrong with at most probability alpha over
// all looks together (see [Tally.Leader]), and returns the first error of play. The looks depend
// on the numbers of matches alone, so an interrupted tournament ends at the same match.
func (t *Tally) UntilClear(alpha float64, first, end uint64, play func(look uint64) error) (clear bool, err error) {
	return until(nextLook, first, end, play, func() bool {
		_, clear := t.Leader(alpha)
		return clear
	})
}

// Until plays a tournament until there is a verdict, like [Tally.UntilClear].
func (t *Trial) Until(first, end uint64, play func(look uint64) error) (decided bool, err error) {
	return until(nextTrialLook, first, end, play, func() bool { return t.Evidence().Verdict != Open })
}

// until plays from look to look, and stops when decided returns true.
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
