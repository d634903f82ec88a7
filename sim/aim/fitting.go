package aim

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Fit is an aim that the melds of a position leave possible.
type Fit struct {
	*Aim
	// Need is what the position still has to make.
	Need Need
	// Index is the place of the aim in the list of the Fitting.
	Index int
	kinds tile.Set // of the aim
}

// Fitting tells which aims of a list melds leave possible. Melds change seldom, so it
// remembers what it told of the last ones. Make one with NewFitting.
type Fitting struct {
	aims []*Aim
	// known are what it told, of hands without melds first; last is the one asked for
	// last, next the one to be forgotten next.
	known      [8]fitting
	last, next int
	reachable  []uint8
}

// fitting is what a Fitting tells of melds.
type fitting struct {
	numMelds int
	melds    [hand.MaxMelds]hand.Meld
	fits     []Fit
}

// NewFitting returns the Fitting of a list of at most 256 aims, for hands of a number of sets.
func NewFitting(aims []*Aim, sets int) *Fitting {
	f := &Fitting{aims: aims, last: 1, next: 1, reachable: make([]uint8, len(aims))}
	for i := range f.known {
		f.known[i] = fitting{numMelds: -1, fits: make([]Fit, 0, len(aims))}
	}
	f.tell(&f.known[0], &Position{Sets: sets})
	return f
}

// Of returns the aims that the melds of p leave possible, in the order of the list. It
// is valid until the next call.
func (f *Fitting) Of(p *Position) []Fit {
	if p.NumMelds == 0 {
		return f.known[0].fits
	}
	if k := &f.known[f.last]; k.numMelds == p.NumMelds && k.melds == p.Melds {
		return k.fits
	}
	for i := 1; i < len(f.known); i++ {
		if k := &f.known[i]; k.numMelds == p.NumMelds && k.melds == p.Melds {
			f.last = i
			return k.fits
		}
	}
	k := &f.known[f.next]
	f.last = f.next
	f.next = max(1, (f.next+1)%len(f.known))
	f.tell(k, p)
	return k.fits
}

// Reachable returns the places, among what Of returned for p, of the aims after the first
// that may not be farther behind an aim at a distance than is worth a closer look: those
// that leave the hand at most two tiles more to exchange for tiles they have a use for, or
// whose sets lack at most one tile more. It is valid until the next call.
func (f *Fitting) Reachable(p *Position, fits []Fit, distance int) []uint8 {
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
		n += int(uint(far-distance-1) >> (bits.UintSize - 1)) // nobody foretells which are, a processor neither
	}
	return f.reachable[:n]
}

func (f *Fitting) tell(k *fitting, p *Position) {
	k.numMelds, k.melds, k.fits = p.NumMelds, p.Melds, k.fits[:0]
	laid := p.Laid()
	for i, a := range f.aims {
		// What rules out most aims comes before all that takes longer.
		if a.Shape == Standard && laid&^a.Kinds != 0 {
			continue
		}
		if n, ok := p.Need(a); ok {
			k.fits = append(k.fits, Fit{a, n, i, a.Kinds})
		}
	}
}
