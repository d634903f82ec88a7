package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Hopeless is a distance beyond all others, that of hands that may not win.
const Hopeless = 16

// Need is what a position still has to make of the sets of an aim: the kinds it takes
// at least one, two and three tiles of, and the number of sets.
type Need struct {
	Kinds [3]tile.Set
	Sets  int
}

// Missing returns the kinds of which h holds fewer tiles than needed.
func (n *Need) Missing(h *hand.Hand) tile.Set {
	return n.Kinds[0]&^h.AtLeast(1) | n.Kinds[1]&^h.AtLeast(2) | n.Kinds[2]&^h.AtLeast(3)
}

// Lacking returns how many of the tiles h does not hold.
func (n *Need) Lacking(h *hand.Hand) int {
	return (n.Kinds[0] &^ h.AtLeast(1)).Len() + (n.Kinds[1] &^ h.AtLeast(2)).Len() + (n.Kinds[2] &^ h.AtLeast(3)).Len()
}

// TakeFrom returns h without the needed tiles, and how many of these h lacks.
func (n *Need) TakeFrom(h hand.Hand) (rest hand.Hand, lacking int) {
	for _, kinds := range n.Kinds {
		for ; kinds != 0; kinds = kinds.Rest() {
			if k := kinds.First(); h.Count(k) > 0 {
				h.Remove(k)
			} else {
				lacking++
			}
		}
	}
	return h, lacking
}

func (n *Need) add(kinds tile.Set) {
	n.Kinds[2] |= n.Kinds[1] & kinds
	n.Kinds[1] |= n.Kinds[0] & kinds
	n.Kinds[0] |= kinds
}

// Need returns what p still has to make for the aim, and whether its melds leave the
// aim possible.
func (p *Position) Need(a *Aim) (n Need, ok bool) {
	if p.NumMelds == 0 {
		return a.need, true
	}
	if !p.fits(a) {
		return n, false
	}
	n = p.needOf(a)
	return n, n.Sets <= p.Sets
}

func (p *Position) needOf(a *Aim) (n Need) {
	if a.Knitted != 0 {
		return Need{[3]tile.Set{a.Knitted}, 3}
	}
	for _, set := range a.Sets[:a.NumSets] {
		if p.hasMeld(set) {
			continue
		}
		n.Sets++
		if set.IsSequence() {
			n.add(7 * set.Kind().Bit())
			continue
		}
		for i := range n.Kinds {
			n.Kinds[i] |= set.Kind().Bit()
		}
	}
	return n
}

// fits reports whether the kinds and shapes of the melds of p leave the aim possible.
func (p *Position) fits(a *Aim) bool {
	switch a.Shape {
	case SevenPairs:
		return p.NumMelds == 0
	case Other, Irregular: // knitted tiles go with a set
		return p.NumMelds <= 1
	}
	for _, m := range p.Melds[:p.NumMelds] {
		kinds := m.Kind.Bit()
		if m.Type == hand.Chi {
			if a.Shape == Triplets || a.Shape == Terminals && tile.EdgeSequences&kinds == 0 {
				return false
			}
			kinds *= 7
		} else if a.Shape == Terminals && tile.Orphans&kinds == 0 {
			return false
		}
		if kinds&^a.Kinds != 0 {
			return false
		}
	}
	return true
}

// Distance returns the shanten of p with respect to the aim, whose need is n: -1
// complete, 0 tenpai, Hopeless if it is not known to be possible. It is exact except for
// Terminals, where it may be too high.
func (b *Book) Distance(p *Position, a *Aim, n *Need) int {
	switch a.Shape {
	case Any:
		return b.Rules.Shanten(&p.Hand, p.NumMelds)
	case Triplets:
		return tripletsDistance(&p.Hand, p.Sets)
	case Terminals:
		return terminalsDistance(&p.Hand, p.Sets)
	case SevenPairs:
		return p.Hand.PairsShanten()
	case Irregular:
		if d := b.Rules.Shanten(&p.Hand, p.NumMelds); d < p.Hand.Shanten(p.Sets) {
			return d
		}
		return Hopeless
	case Other:
		if d := b.Rules.Shanten(&p.Hand, p.NumMelds); d < p.Hand.Shanten(p.Sets) && (p.NumMelds > 0 || d < p.Hand.PairsShanten()) {
			return d
		}
		return Hopeless
	}
	if n.Sets == 0 {
		return p.Hand.ShantenOf(a.Kinds, p.Sets)
	}
	return n.Lacking(&p.Hand) + p.Hand.ShantenWithout(&n.Kinds, a.Kinds, p.Sets-n.Sets)
}

// Ukeire returns the kinds that lower the distance of p to the aim, which is d. It
// contains those of among and whatever the sets of the aim lack. If seven pairs are as
// near as any other shape, Ukeire for Any returns the kinds for seven pairs alone. It
// changes p only during the call.
func (b *Book) Ukeire(p *Position, a *Aim, n *Need, d int, among tile.Set) tile.Set {
	among &= a.Kinds &^ p.Hand.AtLeast(4)
	switch a.Shape {
	case Standard:
		if n.Sets == 0 {
			return p.Hand.UkeireOf(a.Kinds, p.Sets) & among
		}
		rest, _ := n.TakeFrom(p.Hand)
		return n.Missing(&p.Hand) | rest.UkeireOf(a.Kinds, p.Sets-n.Sets)&among
	case SevenPairs:
		return p.Hand.PairsUkeire() & among
	case Any:
		if b.pairs && p.NumMelds == 0 && p.Hand.PairsShanten() == d {
			return p.Hand.PairsUkeire()
		}
	}
	var useful tile.Set
	for ; among != 0; among = among.Rest() {
		k := among.First()
		p.Hand.Add(k)
		if b.Distance(p, a, n) < d {
			useful |= k.Bit()
		}
		p.Hand.Remove(k)
	}
	return useful
}

// UkeireAfterDiscard returns a superset of the ukeire of p after any one discard that
// leaves it at the distance d. What helps a hand without one of its tiles also helps
// the whole hand, unless that has all four copies. For Other and Irregular, which one
// more tile may make Hopeless, the result may lack kinds.
func (b *Book) UkeireAfterDiscard(p *Position, a *Aim, n *Need, d int, among tile.Set) tile.Set {
	if a.Shape == Any && b.pairs && p.NumMelds == 0 && p.Hand.PairsShanten() <= d {
		return among // Ukeire would return the kinds for seven pairs alone
	}
	return b.Ukeire(p, a, n, d, among) | among&p.Hand.AtLeast(4)
}

// ConnectedUkeire returns the part of Ukeire that connects to tiles held, or that the
// sets of the aim lack. If a hand has few tiles for its aim, any tile that begins a set
// lowers the distance. Counting those tiles would make the farthest aims look the
// widest.
func (b *Book) ConnectedUkeire(p *Position, a *Aim, n *Need, d int, among tile.Set) tile.Set {
	switch a.Shape {
	case Standard:
		if n.Sets == 0 && a.Kinds == tile.All && p.Hand.Len() == 3*p.Sets+1 {
			break // all its tiles belong to the aim
		}
		rest := p.Hand
		if n.Sets > 0 {
			rest, _ = n.TakeFrom(p.Hand)
		}
		among &= Neighbors(rest.Kinds())
	case Triplets, Terminals:
		among &= Neighbors(p.Hand.Kinds())
	}
	return b.Ukeire(p, a, n, d, among)
}

// Neighbors returns the kinds within two ranks of the given ones. It does not separate
// suits, so it contains some kinds of other suits.
func Neighbors(kinds tile.Set) tile.Set {
	kinds |= kinds<<1 | kinds>>1
	return kinds | kinds<<1 | kinds>>1
}

// tripletsDistance returns the distance to triplets and a pair: the kinds with the most
// copies become triplets, the next one the pair.
func tripletsDistance(h *hand.Hand, sets int) int {
	threes := h.AtLeast(3).Len()
	twos := h.AtLeast(2).Len() - threes
	ones := h.Kinds().Len() - threes - twos
	useful := 0
	take := func(kinds *int, tiles int, most int) int {
		n := min(*kinds, most)
		*kinds -= n
		useful += n * tiles
		return most - n
	}
	left := take(&threes, 3, sets)
	left = take(&twos, 2, left)
	take(&ones, 1, left)
	pair := take(&threes, 2, 1)
	pair = take(&twos, 2, pair)
	take(&ones, 1, pair)
	return 3*sets + 2 - useful - 1
}

// terminalsDistance returns an upper bound of the distance to an outside hand. It
// greedily takes the sets that lack the fewest tiles, once with sequences first and
// once with triplets first.
func terminalsDistance(tiles *hand.Hand, sets int) int {
	all := multisetOf(tiles)
	best := outsideLacking(all, sets, true)
	if all[2]&tile.Orphans != 0 { // without triplets the order does not matter
		best = min(best, outsideLacking(all, sets, false))
	}
	return best - 1
}

// outsideLacking returns how many tiles the outside hand of one of these orders lacks.
func outsideLacking(h multiset, sets int, runsFirst bool) int {
	lacking := 0
	for range sets {
		lacking += h.takeOutside(runsFirst)
	}
	switch {
	case h[1]&tile.Orphans != 0:
		return lacking
	case h[0]&tile.Orphans != 0:
		return lacking + 1
	}
	return lacking + 2
}

// takeOutside removes the most complete set with a terminal or honor from h and returns
// how many tiles it lacks.
func (h *multiset) takeOutside(runsFirst bool) int {
	const edges = tile.EdgeSequences
	kinds, pairs, triplets := h[0], h[1]&tile.Orphans, h[2]&tile.Orphans
	low, mid, high := kinds&edges, kinds>>1&edges, kinds>>2&edges
	full, two := low&mid&high, low&mid|low&high|mid&high
	switch {
	case full != 0 && (runsFirst || triplets == 0):
		return h.takeRun(full.First()).Len()
	case triplets != 0:
		return h.takeTriplet(triplets.First())
	case pairs.Len() > 1 || pairs != 0 && two == 0: // one pair is kept as the head
		return h.takeTriplet(pairs.First())
	case two != 0:
		return h.takeRun(two.First()).Len()
	case low|mid|high != 0:
		return h.takeRun((low | mid | high).First()).Len()
	case kinds&tile.Orphans != 0:
		return h.takeTriplet((kinds & tile.Orphans).First())
	}
	return 3
}
