// Package handgen makes winning hands at random for tests. Tiles drawn at random
// hardly ever make a rare pattern, so hands are built from ideas that lead to
// them.
package handgen

import (
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Maker makes hands of a number of sets and a pair.
type Maker struct {
	*rand.Rand
	numSets int
	counts  [tile.NumKinds]int // of the whole hand
	sets    []hand.Set
	pair    tile.Kind
}

// New returns a maker of hands with 4 or 5 sets, the same ones for the same seed.
func New(seed uint64, sets int) *Maker {
	return &Maker{Rand: rand.New(rand.NewPCG(seed, seed)), numSets: sets}
}

// Pick returns one of its arguments.
func Pick[T any](m *Maker, of ...T) T { return of[m.IntN(len(of))] }

// Chance is true percent times of a hundred.
func (m *Maker) Chance(percent int) bool { return m.IntN(100) < percent }

// Kind returns any kind.
func (m *Maker) Kind() tile.Kind { return tile.Kind(m.IntN(tile.NumKinds)) }

// put adds tiles if there are enough of them.
func (m *Maker) put(kinds ...tile.Kind) bool {
	next := m.counts
	for _, k := range kinds {
		if next[k]++; next[k] > 4 {
			return false
		}
	}
	m.counts = next
	return true
}

func (m *Maker) triplet(k tile.Kind) {
	if len(m.sets) < m.numSets && m.put(k, k, k) {
		m.sets = append(m.sets, hand.Triplet(k))
	}
}

// sequence adds the sequence from a kind of rank 0..6.
func (m *Maker) sequence(k tile.Kind) {
	if len(m.sets) < m.numSets && m.put(k, k+1, k+2) {
		m.sets = append(m.sets, hand.Sequence(k))
	}
}

// twins sets the pair, if there is none yet.
func (m *Maker) twins(k tile.Kind) {
	if m.pair == tile.NoKind && m.put(k, k) {
		m.pair = k
	}
}

// InSuit returns the kind of a rank, counted from 0, in one of the three suits.
func InSuit(suit, rank int) tile.Kind { return tile.Kind(9*suit + rank) }

// theme adds some sets and perhaps the pair of one idea.
func (m *Maker) theme() {
	s, r := m.IntN(3), m.IntN(9)
	suits := m.Perm(3)
	switch m.IntN(16) {
	case 0: // winds
		for i := range 3 + m.IntN(2) {
			m.triplet(tile.East + tile.Kind((i+r)%4))
		}
		m.twins(tile.East + tile.Kind(m.IntN(4)))
	case 1: // dragons
		for i := range 2 + m.IntN(2) {
			m.triplet(tile.White + tile.Kind((i+r)%3))
		}
		m.twins(tile.White + tile.Kind(m.IntN(3)))
	case 2: // triplets of one rank
		m.triplet(InSuit(0, r))
		m.triplet(InSuit(1, r))
		if m.Chance(50) {
			m.triplet(InSuit(2, r))
		} else {
			m.twins(InSuit(2, r))
		}
	case 3: // sequences of one rank
		for suit := range 3 {
			m.sequence(InSuit(suit, r%7))
		}
	case 4: // consecutive triplets
		for i := range 3 + m.IntN(2) {
			m.triplet(InSuit(s, r%6+i))
		}
	case 5: // equal sequences
		for range 2 + m.IntN(3) {
			m.sequence(InSuit(s, r%7))
		}
	case 6: // two times two equal sequences
		other := InSuit(m.IntN(3), m.IntN(7))
		for range 2 {
			m.sequence(InSuit(s, r%7))
			m.sequence(other)
		}
	case 7: // a straight in one suit
		for i := range 3 {
			m.sequence(InSuit(s, 3*i))
		}
	case 8: // terminals
		for range m.numSets {
			m.triplet(InSuit(m.IntN(3), Pick(m, 0, 8)))
		}
		m.twins(InSuit(m.IntN(3), Pick(m, 0, 8)))
	case 9: // a straight, or steps, in three suits
		step, from := Pick(m, 3, 1), 0
		if step == 1 {
			from = r % 5
		}
		for i, suit := range suits {
			m.sequence(InSuit(suit, from+step*i))
		}
	case 10: // steps of one or two in one suit
		step := Pick(m, 1, 2)
		for i := range 3 {
			m.sequence(InSuit(s, r%3+step*i))
		}
	case 11: // steps of triplets in three suits, one of them perhaps the pair
		pair := m.IntN(6)
		for i, suit := range suits {
			if k := InSuit(suit, r%7+i); i == pair {
				m.twins(k)
			} else {
				m.triplet(k)
			}
		}
	case 12: // one rank in all sets
		for range m.numSets {
			if m.Chance(60) && r < 7 {
				m.sequence(InSuit(m.IntN(3), max(0, min(6, r-m.IntN(3)))))
			} else {
				m.triplet(InSuit(m.IntN(3), r))
			}
		}
		m.twins(InSuit(m.IntN(3), r))
	case 13: // all suits, winds and dragons
		for suit := range 3 {
			m.sequence(InSuit(suit, m.IntN(7)))
		}
		m.triplet(tile.East + tile.Kind(m.IntN(4)))
		m.triplet(tile.White + tile.Kind(m.IntN(3)))
	}
}

// fill completes the sets and the pair with kinds from a set, as far as it can.
func (m *Maker) fill(from tile.Set, sequences int) {
	for range 40 {
		k := m.Kind()
		switch {
		case !from.Has(k):
		case m.pair == tile.NoKind && m.Chance(30):
			m.twins(k)
		case m.Chance(sequences):
			if !k.IsHonor() && k.Rank() <= 6 && 7*k.Bit()&^from == 0 {
				m.sequence(k)
			}
		default:
			m.triplet(k)
		}
	}
}

// edges are the ranks 1-3 and 7-9 of every suit.
const edges = tile.Ones * 0x1c7

// Standard returns a complete hand of sets and a pair, some of the sets laid down,
// without winning tile and circumstances.
func (m *Maker) Standard() ruleset.Win {
	for {
		m.counts, m.sets, m.pair = [tile.NumKinds]int{}, nil, tile.NoKind
		m.theme()
		suit := tile.SuitSet(tile.Suit(m.IntN(3)))
		from := Pick(m, tile.All, tile.All, suit, suit|tile.HonorSet, tile.Simples, tile.Orphans,
			tile.Terminals, tile.HonorSet, tile.Orphans|suit, edges, edges|tile.HonorSet, tile.Suited&^suit)
		m.fill(from, Pick(m, 0, 50, 90, 100))
		m.fill(tile.All, 50)
		if len(m.sets) == m.numSets && m.pair != tile.NoKind {
			return m.arrange()
		}
	}
}

// arrange lays some of the sets down.
func (m *Maker) arrange() ruleset.Win {
	var w ruleset.Win
	m.Shuffle(len(m.sets), func(i, j int) { m.sets[i], m.sets[j] = m.sets[j], m.sets[i] })
	called, kans := Pick(m, 0, 0, 30, 70, 100), Pick(m, 0, 0, 20, 95)
	for _, s := range m.sets {
		meld := hand.Meld{Kind: s.Kind(), From: uint8(1 + m.IntN(3))}
		switch {
		case s.IsTriplet() && m.counts[s.Kind()] == 3 && m.Chance(kans):
			meld.Type = Pick(m, hand.OpenKan, hand.AddedKan, hand.ClosedKan)
		case !m.Chance(called):
			for i := range tile.Kind(3) {
				if s.IsTriplet() {
					i = 0
				}
				w.Hand.Add(s.Kind() + i)
			}
			continue
		case s.IsTriplet():
			meld.Type = hand.Pon
		default:
			meld.Type, meld.From = hand.Chi, 3
		}
		w.Melds[w.NumMelds] = meld
		w.NumMelds++
	}
	w.Hand.Add(m.pair)
	w.Hand.Add(m.pair)
	return w
}

// Pairs returns a hand of pairs, and of four equal tiles if quads allows them,
// with the given number of tiles; one more than pairs is a triplet.
func (m *Maker) Pairs(tiles int, quads bool) hand.Hand {
	suit := tile.SuitSet(tile.Suit(m.IntN(3)))
	from := Pick(m, tile.All, suit, suit|tile.HonorSet, tile.Simples, tile.Orphans, tile.Terminals, tile.HonorSet)
	if m.Chance(20) {
		from = tile.HonorSet
		for s := range 3 {
			from |= InSuit(s, m.IntN(9)).Bit()
		}
	}
	quads = quads && m.Chance(40)
	var h hand.Hand
	for left := 400; h.Len() < tiles-1; left-- {
		if left == 0 { // the kinds have too few tiles
			h, from, left = hand.Hand{}, tile.All, 400
		}
		k := m.Kind()
		if m.Chance(40) && k < 21 {
			k = k/3*3 + tile.Kind(h.Len()%3) // sequences of pairs
		}
		if from.Has(k) && (h.Count(k) == 0 || h.Count(k) == 2 && (quads || from.Len() < tiles/2)) {
			h.Add(k)
			h.Add(k)
		}
	}
	if h.Len() == tiles {
		return h
	}
	if twice := h.AtLeast(2) &^ h.AtLeast(3); twice != 0 {
		h.Add(twice.First())
		return h
	}
	return m.Pairs(tiles, quads)
}

// Orphans returns the thirteen orphans, one of them doubled.
func (m *Maker) Orphans() (h hand.Hand) {
	AddOrphans(m.Rand, &h)
	return h
}

// Thirteen returns a complete hand of thirteen tiles and the winning one, without
// circumstances. It is four sets and a pair, thirteen orphans, seven pairs with quads among
// them, or 1112345678999 and one more of a suit.
func (m *Maker) Thirteen() ruleset.Win {
	var w ruleset.Win
	switch {
	case m.Chance(3):
		w.Hand = m.Orphans()
	case m.Chance(7):
		w.Hand = m.Pairs(14, true)
	case m.Chance(3):
		AddNineGates(m.Rand, &w.Hand)
	default:
		w = m.Standard()
	}
	w.Tile = m.Held(&w.Hand)
	return w
}

// Held returns a kind that a hand holds.
func (m *Maker) Held(h *hand.Hand) tile.Kind { return KindOf(m.Rand, h.Kinds()) }

// Exchange replaces a tile of a hand by another.
func (m *Maker) Exchange(h *hand.Hand) {
	for {
		out, in := m.Held(h), m.Kind()
		if h.Count(in) < 4 && in != out {
			h.Remove(out)
			h.Add(in)
			return
		}
	}
}

// Break changes the winning tile to one that hardly ever completes the hand.
func Break(w *ruleset.Win) {
	w.Hand.Remove(w.Tile)
	for w.Tile = 0; w.Hand.Count(w.Tile) == 4; {
		w.Tile++
	}
	w.Hand.Add(w.Tile)
}
