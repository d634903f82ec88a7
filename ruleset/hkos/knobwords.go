package hkos

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// SequencesPair is a value of the knob all_sequences_pair.
type SequencesPair uint8

// Values of SequencesPair.
const (
	AnyPair    SequencesPair = iota // any: any pair
	SuitedPair                      // suited: a pair of numbers
)

// ConcealedFlowers is a value of the knob concealed_hand_flowers.
type ConcealedFlowers uint8

// Values of ConcealedFlowers.
const (
	AnyFlowers       ConcealedFlowers = iota // any: it counts with exposed flowers too
	NoExposedFlowers                         // no_exposed: it counts without flowers only
)

// RobPayment is a value of the knob rob_payment.
type RobPayment uint8

// Values of RobPayment.
const (
	RobAsDiscard  RobPayment = iota // discard: the robbed player pays as a discarder
	RobAsSelfDraw                   // self_draw_all: the robbed player pays what all would pay for a self-draw
)

// LiabilitySet is a set of the knob liability.
type LiabilitySet uint8

// Members of LiabilitySet.
const (
	TwelveTiles        LiabilitySet = 1 << iota // twelve_tiles: the fourth set claimed
	TwelveTilesOneSuit                          // twelve_tiles_one_suit: the fourth set claimed, all of one suit
	NineTilesOneSuit                            // nine_tiles_one_suit: the third set of one suit claimed, or one after it
	LiableDragons                               // big_three_dragons: the third set of dragons claimed
	LiableWinds                                 // big_four_winds: the fourth set of winds claimed
	LiableKans                                  // four_kong: the fourth kan claimed
	LiableKanDraw                               // kan_draw: the open kan on whose replacement the hand is won
)

// IsSet marks a knob that is a set of words.
func (LiabilitySet) IsSet() {}

// LiabilityScope is a value of the knob liability_scope.
type LiabilityScope uint8

// Values of LiabilityScope.
const (
	LiableSelfDraw LiabilityScope = iota // self_draw: self-draws, for which the liable player pays all
	LiableAllWins                        // all_wins: wins on discards and robbed kans too
)
