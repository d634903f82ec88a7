package standings

import "github.com/sparrowhall/sparrowhall/sim"

// UntilClear plays a tournament until its best agent is clear. It calls play with one
// number of matches after another; play must play up to that number and add the matches
// to the tally. The standings are examined at each. first matches are in the tally
// already, end is the number of all.
//
// It returns whether the best agent is clear, wrongly with at most probability
// alpha over all looks together (see [Tally.Leader]), and the first error of play.
// The looks depend on nothing but the numbers of matches, so that a tournament
// that was interrupted ends where it would have ended.
func (t *Tally) UntilClear(alpha float64, first, end uint64, play func(look uint64) error) (clear bool, err error) {
	return until(nextLook, first, end, play, func() bool {
		_, clear := t.Leader(alpha)
		return clear
	})
}

// Until lets a tournament be played until there is a verdict, as [Tally.UntilClear]
// does until an agent is clear.
func (t *Trial) Until(first, end uint64, play func(look uint64) error) (decided bool, err error) {
	return until(nextTrialLook, first, end, play, func() bool { return t.Evidence().Verdict != Open })
}

// until plays up to one look after another, from the first on that is not played, and
// returns whether the matter is decided.
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

// nextLook returns after how many matches somebody may be found clear, when the
// look before was after a number of them. The looks are so far apart that few
// workers wait.
func nextLook(matches uint64) uint64 {
	return (matches*9/8/sim.BlockSize + 4) * sim.BlockSize
}
