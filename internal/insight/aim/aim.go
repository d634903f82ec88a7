// Package aim evaluates the hands that a player may aim at: which hands win under a
// ruleset, their shanten and ukeire, and their value. It is the hand evaluation of the
// players, the value functions and the viewers.
//
// An [Aim] is a kind of hand, such as a flush or three like sequences. A [Book] holds
// the aims of a ruleset, with the value of an example of each. It scores examples with
// the ruleset instead of reading a table of patterns, so it follows the knobs of every
// family. A [Position] is a player's tiles, a [Completion] a likely complete hand made
// of them, and [Stakes] compute the payments.
//
//	book := aim.NewBook(rules)
//	for i := range book.Aims {
//		a := &book.Aims[i]
//		if need, ok := position.Need(a); ok {
//			d := book.Distance(&position, a, &need)
//			useful := book.Ukeire(&position, a, &need, d, tile.All)
//			...
//
// All arithmetic is in integers. Only NewBook and the other constructors allocate.
package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Aim is a kind of hand that a player may aim at.
type Aim struct {
	Shape Shape
	// Class groups aims that exclude each other.
	Class Class
	// Kinds are the kinds of tiles the hand may consist of.
	Kinds tile.Set
	// Sets[:NumSets] are sets that the hand must have. Knitted tiles, one of each kind,
	// take the place of three sets.
	Sets    [3]hand.Set
	NumSets uint8
	Knitted tile.Set
	// Closed and Open are the worth of an example without melds and with one.
	Closed, Open Worth

	need Need // of a hand without melds
}

// Worth is what a non-dealer gains by a win without dora, honba, deposits and debts, in
// units. Discard is for a tile discarded by another non-dealer, SelfDraw for the same
// value paid as a self-draw. It is zero if the hand may not win.
type Worth struct{ Discard, SelfDraw int32 }

// MayOpen reports whether a hand with open melds may have the aim.
func (a *Aim) MayOpen() bool {
	return a.Shape != SevenPairs && a.Shape != Other && a.Knitted == 0
}

// Shape is the form of the complete hand of an aim.
type Shape uint8

// Any, Irregular and Other have no shanten of their own: a scorer reports that of the nearest
// shape of its family. So the distance of Irregular and Other is Hopeless unless they are
// the nearest.
const (
	Standard   Shape = iota // any sets and a pair
	Triplets                // triplets and a pair
	Terminals               // a terminal or honor in every set and the pair
	SevenPairs              // seven pairs
	Other                   // a shape other than sets and a pair or seven pairs
	Irregular               // a shape other than sets and a pair
	Any                     // any shape of the family
)

// Class groups aims. Of a class, a hand follows the nearest aim: the others are
// excluded by it or add little.
type Class uint8

// The classes.
const (
	Plain Class = iota
	Simples
	HalfFlush
	FullFlush
	Band // kinds of a few ranks, and the reversible ones
	AllTriplets
	Outside
	Pairs
	OtherShape
	Honors // a triplet of an honor
	Runs   // straights, and one sequence in three suits
	Shifted
	KnittedTiles
	NumClasses = iota
)

var classNames = [...]string{
	"plain", "simples", "half flush", "full flush", "band", "triplets", "outside",
	"pairs", "other shape", "honors", "runs", "shifted runs", "knitted",
}

// String returns the name of the class in English.
func (c Class) String() string { return classNames[c] }

// outsideKinds are the kinds of outside hands.
const outsideKinds = tile.EdgeSequences*7 | tile.HonorSet

func aimAtSets(c Class, sets ...hand.Set) Aim {
	a := Aim{Class: c, Kinds: tile.All, NumSets: uint8(len(sets))}
	copy(a.Sets[:], sets)
	return a
}

func simples() Aim     { return Aim{Class: Simples, Kinds: tile.Simples} }
func allTriplets() Aim { return Aim{Class: AllTriplets, Shape: Triplets, Kinds: tile.All} }
func outside() Aim     { return Aim{Class: Outside, Shape: Terminals, Kinds: outsideKinds} }

func halfFlush(s tile.Suit) Aim {
	return Aim{Class: HalfFlush, Kinds: tile.SuitSet(s) | tile.HonorSet}
}

func fullFlush(s tile.Suit) Aim { return Aim{Class: FullFlush, Kinds: tile.SuitSet(s)} }

// sequence returns the sequence of a suit from a rank, 0 to 6.
func sequence(s, rank int) hand.Set { return hand.Sequence(tile.Kind(9*s + rank)) }

// straight returns the aim at 123 456 789 of a suit.
func straight(s int) Aim {
	return aimAtSets(Runs, sequence(s, 0), sequence(s, 3), sequence(s, 6))
}

// likeSequences returns the aim at the sequences from a rank in all suits.
func likeSequences(rank int) Aim {
	return aimAtSets(Runs, sequence(0, rank), sequence(1, rank), sequence(2, rank))
}

// catalog lists the aims of all families, the plain hand first.
func catalog() []Aim {
	aims := []Aim{
		{Kinds: tile.All},
		simples(),
		{Kinds: tile.Reversible, Class: Band},
		allTriplets(), outside(),
		{Shape: SevenPairs, Kinds: tile.All, Class: Pairs},
		{Shape: Other, Kinds: tile.All, Class: OtherShape},
	}
	for s := tile.Characters; s < tile.Honors; s++ {
		aims = append(aims, halfFlush(s), fullFlush(s))
	}
	const lower, upper tile.Set = 0b1111, 0b1111 << 5
	aims = append(aims,
		Aim{Kinds: tile.Ones * lower, Class: Band},
		Aim{Kinds: tile.Ones * upper, Class: Band})
	for k := tile.East; k < tile.NumKinds; k++ {
		aims = append(aims, aimAtSets(Honors, hand.Triplet(k)))
	}
	for s := range 3 {
		aims = append(aims, straight(s))
		for step := 1; step <= 2; step++ {
			for r := 0; r+2*step < 7; r++ {
				aims = append(aims, aimAtSets(Shifted, sequence(s, r), sequence(s, r+step), sequence(s, r+2*step)))
			}
		}
	}
	for r := range 7 {
		aims = append(aims, likeSequences(r))
	}
	for _, suits := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		aims = append(aims, aimAtSets(Runs, sequence(suits[0], 0), sequence(suits[1], 3), sequence(suits[2], 6)))
		for r := range 5 {
			aims = append(aims, aimAtSets(Shifted, sequence(suits[0], r), sequence(suits[1], r+1), sequence(suits[2], r+2)))
		}
		const third tile.Set = 1<<0 | 1<<3 | 1<<6
		knitted := third<<(9*suits[0]) | third<<(9*suits[1]+1) | third<<(9*suits[2]+2)
		aims = append(aims, Aim{Kinds: tile.All, Knitted: knitted, Class: KnittedTiles})
	}
	return aims
}
