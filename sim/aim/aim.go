// Package aim tells what hands a player may go for: which hands win under a
// ruleset, how far a hand is from each, with which tiles, and what it would be
// worth. Players, observations, estimates and viewers stand on it.
//
// An Aim is a kind of hand, such as a flush or three like sequences. A Book holds
// what a ruleset says of the aims: which are enough to win with nothing else of
// value, and what an example of each is worth. It has no table of patterns; the
// ruleset is asked about examples, so it follows the knobs of every family. A
// Position is a player's tiles; Book.Need, Book.Distance and Book.Useful measure
// it against an aim. A Completion makes a likely complete hand of it, and Stakes
// tell who would pay what for that.
//
// Everything here is integers, and nothing is allocated but by Study.
package aim

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Aim is a kind of hand worth going for: what it is made of, and sets that it
// holds among others.
type Aim struct {
	Shape Shape
	// Class groups aims of which a hand goes for one at a time.
	Class Class
	// Kinds are those the hand may be made of.
	Kinds tile.Set
	// Sets[:NumSets] are held; Knitted tiles, one of each kind, stand in the place
	// of three sets.
	Sets    [3]hand.Set
	NumSets uint8
	Knitted tile.Set
	// Closed and Open are what an example is worth with no melds and with one.
	Closed, Open Worth

	need Need // of a hand without melds
}

// Worth is what a non-dealer is paid for a win without dora, honba, deposits and
// debts, in units: when another non-dealer discards the tile, and if all pay for the
// same value as for a self-draw. It is zero if the hand may not win.
type Worth struct{ Discard, SelfDraw int32 }

// MayOpen reports whether a hand with open melds may have the aim.
func (a *Aim) MayOpen() bool {
	return a.Shape != SevenPairs && a.Shape != Other && a.Knitted == 0
}

// Shape is what the sets and the pair of an aim look like.
type Shape uint8

// Three shapes stand for those that are not sets and a pair, as what players ask
// differs. Any is for those whom each complete hand serves: the scorer tells the
// nearest shape, whichever it is. Irregular is for those whom sets and a pair do
// not serve: whatever is nearer than these. Other is for those who look at seven
// pairs by themselves, which have useful tiles and a worth of their own: what is
// nearer than both. The scorer tells the nearest shape alone, so the latter two
// are hopeless until they are the nearest.
const (
	Standard   Shape = iota // sets and a pair
	Triplets                // triplets and a pair
	Terminals               // a terminal or honor in every set and the pair
	SevenPairs              // no sets at all
	Other                   // a shape of the family that is none of these
	Irregular               // Other or seven pairs
	Any                     // any shape of the family
)

// Class groups aims. Of the aims of a class one rules out the other, or makes it
// cheap beside it, so a player follows the nearest.
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

// outsideKinds are those of which outside hands are made.
const outsideKinds = tile.EdgeSequences*7 | tile.HonorSet

// holding returns the aim at some sets.
func holding(c Class, sets ...hand.Set) Aim {
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
	return holding(Runs, sequence(s, 0), sequence(s, 3), sequence(s, 6))
}

// like returns the aim at the sequences from a rank in all suits.
func like(rank int) Aim {
	return holding(Runs, sequence(0, rank), sequence(1, rank), sequence(2, rank))
}

// catalogue lists the aims of all families, the plain hand first.
func catalogue() []Aim {
	aims := []Aim{
		{Kinds: tile.All},
		simples(),
		{Kinds: tile.Reversible, Class: Band},
		allTriplets(),
		outside(),
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
		aims = append(aims, holding(Honors, hand.Triplet(k)))
	}
	for s := range 3 {
		aims = append(aims, straight(s))
		for step := 1; step <= 2; step++ {
			for r := 0; r+2*step < 7; r++ {
				aims = append(aims, holding(Shifted, sequence(s, r), sequence(s, r+step), sequence(s, r+2*step)))
			}
		}
	}
	for r := range 7 {
		aims = append(aims, like(r))
	}
	for _, of := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		aims = append(aims, holding(Runs, sequence(of[0], 0), sequence(of[1], 3), sequence(of[2], 6)))
		for r := range 5 {
			aims = append(aims, holding(Shifted, sequence(of[0], r), sequence(of[1], r+1), sequence(of[2], r+2)))
		}
		const third tile.Set = 1<<0 | 1<<3 | 1<<6
		knitted := third<<(9*of[0]) | third<<(9*of[1]+1) | third<<(9*of[2]+2)
		aims = append(aims, Aim{Kinds: tile.All, Knitted: knitted, Class: KnittedTiles})
	}
	return aims
}
