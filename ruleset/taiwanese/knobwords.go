package taiwanese

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// PinghuSet is a set of the knob pinghu_conditions.
type PinghuSet uint8

// Members of PinghuSet.
const (
	PinghuNoFlowers PinghuSet = 1 << iota // no_flowers: no flower
	PinghuNoHonors                        // no_honors: no pair of honors
	PinghuTwoSided                        // two_sided: a chow completed at either end, and a wait for several kinds
	PinghuDiscard                         // not_self_drawn: no self-draw
)

// IsSet marks a knob that is a set of words.
func (PinghuSet) IsSet() {}

// LiabilitySet is a set of the knob liability.
type LiabilitySet uint8

// Members of LiabilitySet.
const (
	LiableDragons LiabilitySet = 1 << iota // big_three_dragons: the third set of dragons claimed
	LiableWinds                            // big_four_winds: the fourth set of winds claimed
	LiableOneSuit                          // fifteen_tiles_one_suit: the fifth set claimed, all of one suit
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
