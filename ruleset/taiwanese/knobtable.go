// Code generated from knobwords.go. DO NOT EDIT.

package taiwanese

import "github.com/sparrowhall/sparrowhall/ruleset"

func (PinghuSet) Words() []ruleset.Word      { return words[0] }
func (LiabilitySet) Words() []ruleset.Word   { return words[1] }
func (LiabilityScope) Words() []ruleset.Word { return words[2] }

var words = [...][]ruleset.Word{
	{{Text: "no_flowers", Meaning: "no flower"}, {Text: "no_honors", Meaning: "no pair of honors"}, {Text: "two_sided", Meaning: "a chow completed at either end, and a wait for several kinds"}, {Text: "not_self_drawn", Meaning: "no self-draw"}},
	{{Text: "big_three_dragons", Meaning: "the third set of dragons claimed"}, {Text: "big_four_winds", Meaning: "the fourth set of winds claimed"}, {Text: "fifteen_tiles_one_suit", Meaning: "the fifth set claimed, all of one suit"}},
	{{Text: "self_draw", Meaning: "self-draws, for which the liable player pays all"}, {Text: "all_wins", Meaning: "wins on discards and robbed kans too"}},
}
