// Code generated from knobwords.go. DO NOT EDIT.

package hkos

import "github.com/sparrowhall/sparrowhall/ruleset"

func (SequencesPair) Words() []ruleset.Word    { return words[0] }
func (ConcealedFlowers) Words() []ruleset.Word { return words[1] }
func (RobPayment) Words() []ruleset.Word       { return words[2] }
func (LiabilitySet) Words() []ruleset.Word     { return words[3] }
func (LiabilityScope) Words() []ruleset.Word   { return words[4] }

var words = [...][]ruleset.Word{
	{{Text: "any", Meaning: "any pair"}, {Text: "suited", Meaning: "a pair of numbers"}},
	{{Text: "any", Meaning: "it counts with exposed flowers too"}, {Text: "no_exposed", Meaning: "it counts without flowers only"}},
	{{Text: "discard", Meaning: "the robbed player pays as a discarder"}, {Text: "self_draw_all", Meaning: "the robbed player pays what all would pay for a self-draw"}},
	{{Text: "twelve_tiles", Meaning: "the fourth set claimed"}, {Text: "twelve_tiles_one_suit", Meaning: "the fourth set claimed, all of one suit"}, {Text: "nine_tiles_one_suit", Meaning: "the third set of one suit claimed, or one after it"}, {Text: "big_three_dragons", Meaning: "the third set of dragons claimed"}, {Text: "big_four_winds", Meaning: "the fourth set of winds claimed"}, {Text: "four_kong", Meaning: "the fourth kan claimed"}, {Text: "kan_draw", Meaning: "the open kan on whose replacement the hand is won"}},
	{{Text: "self_draw", Meaning: "self-draws, for which the liable player pays all"}, {Text: "all_wins", Meaning: "wins on discards and robbed kans too"}},
}
