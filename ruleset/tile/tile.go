// Package tile names the mahjong tiles: kinds, faces, winds, sets of kinds, and
// their notation in text.
package tile

import "math/bits"

// Kind is one of the 34 kinds of tile that sets are made of:
//   - 0-8 are 1m..9m (characters);
//   - 9-17 are 1p..9p (dots);
//   - 18-26 are 1s..9s (bamboo);
//   - 27-33 are East South West North White Green Red.
//
// Flowers have no kind.
type Kind uint8

// NumKinds is the number of kinds: 3 suits x 9 ranks + 7 honors.
const NumKinds = 34

// Honors and the sentinel for "no kind".
const (
	East Kind = 27 + iota
	South
	West
	North
	White
	Green
	Red

	NoKind Kind = 0xff
)

// Suit is the group a kind belongs to.
type Suit uint8

// The suits in the order of the kinds. Honors counts as the fourth.
const (
	Characters Suit = iota
	Dots
	Bamboo
	Honors
)

// suitOf and rankOf save a division on the hot path.
var suitOf, rankOf = func() (suit [256]Suit, rank [256]uint8) {
	for k := range NumKinds {
		suit[k] = Suit(k / 9)
		rank[k] = uint8(k % 9)
	}
	return suit, rank
}()

// Suit returns the suit of k; k must be a kind.
func (k Kind) Suit() Suit { return suitOf[k] }

// Rank returns the zero-based rank of k inside its suit: 0..8, for honors 0..6.
func (k Kind) Rank() int { return int(rankOf[k]) }

// IsHonor reports whether k is a wind or a dragon.
func (k Kind) IsHonor() bool { return k >= East && k <= Red }

// Bit returns the set that holds k alone.
func (k Kind) Bit() Set { return 1 << (k & 63) }

// Next returns the kind that follows k cyclically in its group: 1..9 inside a
// suit, East-South-West-North, White-Green-Red. It is the dora an indicator of
// kind k points to.
func (k Kind) Next() Kind { return next[k] }

var next = func() (next [NumKinds]Kind) {
	for k := range Kind(NumKinds) {
		next[k] = k + 1
	}
	next[8], next[17], next[26] = 0, 9, 18
	next[North], next[Red] = East, White
	return next
}()

// Wind is a seat wind or round wind: 0 East, 1 South, 2 West, 3 North.
type Wind uint8

// Kind returns the kind of tile that shows w.
func (w Wind) Kind() Kind { return East + Kind(w&3) }

// String returns E, S, W or N.
func (w Wind) String() string { return "ESWN"[w&3 : w&3+1] }

// Face is what is printed on a tile, 0..44: 0-33 are the kinds, 34-36 the red
// fives 0m 0p 0s, 37-44 the flowers 1f..8f (1-4 spring summer autumn winter,
// 5-8 plum orchid chrysanthemum bamboo). Action ids use the same numbers.
type Face uint8

// Bounds of the faces.
const (
	RedFive     Face = 34 // 0m; 0p and 0s follow
	FirstFlower Face = 37
	NumFaces         = 45
	NoFace      Face = 0xff
)

// Kind returns the kind of f: a red five is a five, a flower has NoKind.
func (f Face) Kind() Kind {
	if f < RedFive {
		return Kind(f)
	}
	if f < FirstFlower {
		return Kind(f-RedFive)*9 + 4
	}
	return NoKind
}

// IsRed reports whether f is a red five.
func (f Face) IsRed() bool { return f >= RedFive && f < FirstFlower }

// IsFlower reports whether f is a flower.
func (f Face) IsFlower() bool { return f >= FirstFlower && f < NumFaces }

// Flower returns the zero-based number of a flower, 0..7.
func (f Face) Flower() int { return int(f - FirstFlower) }

// RedOf returns the red five of a suit.
func RedOf(s Suit) Face { return RedFive + Face(s) }

// IsFive reports whether k is the five of a suit, the only kinds with a red face.
func (k Kind) IsFive() bool { return k < East && k.Rank() == 4 }

// Set is a set of kinds: bit k is kind k.
type Set uint64

// Sets of kinds that rules speak of.
const (
	All       Set = 1<<NumKinds - 1
	Suited    Set = 1<<27 - 1
	HonorSet  Set = All &^ Suited
	Winds     Set = 0xf << 27
	Dragons   Set = 7 << 31
	Terminals Set = 1<<0 | 1<<8 | 1<<9 | 1<<17 | 1<<18 | 1<<26
	// Orphans are the thirteen terminals and honors (yaochuuhai).
	Orphans Set = Terminals | HonorSet
	Simples Set = All &^ Orphans
	// Greens are 2s 3s 4s 6s 8s and the green dragon.
	Greens Set = 1<<19 | 1<<20 | 1<<21 | 1<<23 | 1<<25 | 1<<32
	// Reversible are the kinds that look the same upside down.
	Reversible Set = 0b110011111<<9 | 0b110111010<<18 | 1<<White
)

// Masks of ranks. Ones times a set of Ranks is these ranks of every suit.
const (
	Ranks Set = 0x1ff // the nine ranks, in the first suit
	Ones  Set = 1<<0 | 1<<9 | 1<<18
	// Sequences are the lowest kinds of all sequences, EdgeSequences those of the
	// sequences 123 and 789.
	Sequences     Set = Ones * 0x7f
	EdgeSequences Set = Ones | Ones<<6

	// These keep shifts inside a suit.
	rank1to8 Set = Ones * 0xff
	rank2to9 Set = rank1to8 << 1
	rank3to9 Set = Sequences << 2
)

// SuitSet returns all kinds of suit s.
func SuitSet(s Suit) Set {
	if s == Honors {
		return HonorSet
	}
	return 0x1ff << (9 * s)
}

// Has reports whether s contains k.
func (s Set) Has(k Kind) bool { return s>>(k&63)&1 != 0 }

// Len returns the number of kinds in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// First returns the lowest kind of s, which must not be empty.
func (s Set) First() Kind { return Kind(bits.TrailingZeros64(uint64(s))) }

// Last returns the highest kind of s, which must not be empty.
func (s Set) Last() Kind { return Kind(bits.Len64(uint64(s)) - 1) }

// InOneSuit reports whether the numbers of s are of one suit at most.
func (s Set) InOneSuit() bool {
	s &= Suited
	return s&^Ranks == 0 || s&^(Ranks<<9) == 0 || s&^(Ranks<<18) == 0
}

// Rest returns s without its lowest kind.
func (s Set) Rest() Set { return s & (s - 1) }

// Neighbors returns the kinds at most two ranks from one held in s, in its
// suit: those that could make a sequence with it.
func (s Set) Neighbors() Set {
	return s&rank1to8<<1 | s&rank2to9>>1 | s&Sequences<<2 | s&rank3to9>>2
}

// ChiKinds returns the kinds that two tiles held in s complete to a sequence.
func (s Set) ChiKinds() Set {
	up1 := s & rank1to8 << 1 // kinds whose lower neighbor is held
	up2 := s & Sequences << 2
	dn1 := s & rank2to9 >> 1
	dn2 := s & rank3to9 >> 2
	return up1&up2 | up1&dn1 | dn1&dn2
}
