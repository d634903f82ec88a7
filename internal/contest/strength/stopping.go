package strength

import "github.com/sparrowhall/sparrowhall/sim"

// Stopper ends a tournament as soon as its matches decide. It looks at numbers of matches that
// are known before play. Its verdict is a function of the duplicate sets before the look, so an
// interrupted tournament ends at the same match as any other.
type Stopper interface {
	// Next returns the number of matches at the look after the one at the given number. It is
	// a multiple of [sim.BlockSize], and the first look is that after 0.
	Next(matches uint64) uint64
	// Decided reports whether the matches so far decide.
	Decided() bool
}

// roundLook returns the next number of matches that makes whole blocks and whole duplicate sets of
// so many seatings.
func roundLook(matches uint64, seatings int) uint64 {
	// Whole blocks, because the writer can stop a dataset at the end of a block alone; whole sets,
	// because a tally leaves out others.
	unit := uint64(sim.BlockSize)
	for unit%uint64(seatings) != 0 {
		unit += sim.BlockSize
	}
	return (matches + unit - 1) / unit * unit
}

// until plays a tournament until it is decided. It calls play with ascending numbers of matches,
// the looks, to play up to that number. The first matches have been played, end is the number of
// all. It reports whether the tournament was decided, and returns the first error of play.
func until(s Stopper, first, end uint64, play func(look uint64) error) (bool, error) {
	// From the first look on even where matches are there already: the looks of a continued run are
	// those of an uninterrupted one.
	for look := s.Next(0); first < end; look = s.Next(look) {
		// An earlier run has looked here and gone on.
		if look < first {
			continue
		}
		first = min(look, end)
		if err := play(first); err != nil {
			return false, err
		}
		if s.Decided() {
			return true, nil
		}
	}
	return false, nil
}
