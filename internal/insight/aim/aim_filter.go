package aim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// PossibleAim is an aim that the melds of a position leave possible.
type PossibleAim struct {
	Aim *Aim
	// Need is what the position still has to make.
	Need Need
	// Index is the index of the aim in the list of the filter.
	Index int
	kinds tile.Set // of the aim
}

// AimFilter lists the aims that are possible with given melds. It caches the lists of
// the last few melds, since melds seldom change. Use NewAimFilter to make one.
type AimFilter struct {
	aims []*Aim
	// lists are the cached lists, that of hands without melds first; last is the one used
	// last, next the one to be replaced next.
	lists      [8]meldedAims
	last, next int
	reachable  []uint8
}

// meldedAims lists the aims that are possible with some melds.
type meldedAims struct {
	numMelds int
	melds    [hand.MaxMelds]hand.Meld
	aims     []PossibleAim
}

// NewAimFilter returns a filter of at most 256 aims for hands of a number of sets.
func NewAimFilter(aims []*Aim, sets int) *AimFilter {
	f := &AimFilter{aims: aims, last: 1, next: 1, reachable: make([]uint8, len(aims))}
	for i := range f.lists {
		f.lists[i] = meldedAims{numMelds: -1, aims: make([]PossibleAim, 0, len(aims))}
	}
	f.compute(&f.lists[0], &Position{Sets: sets})
	return f
}

// Possible returns the aims that the melds of p leave possible, in the order of the
// filter's list. The slice is valid until the next call.
func (f *AimFilter) Possible(p *Position) []PossibleAim {
	if p.NumMelds == 0 {
		return f.lists[0].aims
	}
	if k := &f.lists[f.last]; k.numMelds == p.NumMelds && k.melds == p.Melds {
		return k.aims
	}
	for i := 1; i < len(f.lists); i++ {
		if k := &f.lists[i]; k.numMelds == p.NumMelds && k.melds == p.Melds {
			f.last = i
			return k.aims
		}
	}
	k := &f.lists[f.next]
	f.last = f.next
	f.next = max(1, (f.next+1)%len(f.lists))
	f.compute(k, p)
	return k.aims
}

// Reachable returns the indices in fits, which Possible returned for p, of the aims that may
// be near. These are the aims after the first that require at most distance + 2 tiles to be
// exchanged, or whose sets lack at most distance + 1 tiles. The slice is valid until the
// next call.
func (f *AimFilter) Reachable(p *Position, fits []PossibleAim, distance int) []uint8 {
	h := &p.Hand
	one, two, three, four := h.AtLeast(1), h.AtLeast(2), h.AtLeast(3), h.AtLeast(4)
	n := 0
	for i := 1; i < len(fits); i++ {
		fit := &fits[i]
		var far int
		if need := &fit.Need; need.Sets > 0 { // such aims have a use for all kinds
			far = (need.Kinds[0] &^ one).Len() + (need.Kinds[1] &^ two).Len() + (need.Kinds[2] &^ three).Len() - 1
		} else {
			k := fit.kinds
			far = 3*p.Sets - 1 - (one & k).Len() - (two & k).Len() - (three & k).Len() - (four & k).Len()
		}
		f.reachable[n] = uint8(i)
		n += int(uint(far-distance-1) >> (bits.UintSize - 1)) // branch-free: the condition is unpredictable
	}
	return f.reachable[:n]
}

// compute fills k with the aims that the melds of p leave possible.
func (f *AimFilter) compute(k *meldedAims, p *Position) {
	k.numMelds, k.melds, k.aims = p.NumMelds, p.Melds, k.aims[:0]
	melded := p.MeldedKinds()
	for i, a := range f.aims {
		// This cheap test rules out most aims.
		if a.Shape == Standard && melded&^a.Kinds != 0 {
			continue
		}
		if n, ok := p.Need(a); ok {
			k.aims = append(k.aims, PossibleAim{a, n, i, a.Kinds})
		}
	}
}
