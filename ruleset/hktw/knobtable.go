// Code generated from knobwords.go. DO NOT EDIT.

package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

func (DealerItemDraw) Words() []ruleset.Word { return words[0] }
func (Rounding) Words() []ruleset.Word       { return words[1] }
func (PullOutsider) Words() []ruleset.Word   { return words[2] }
func (PullHold) Words() []ruleset.Word       { return words[3] }
func (PullEnd) Words() []ruleset.Word        { return words[4] }
func (SingleCount) Words() []ruleset.Word    { return words[5] }
func (SelfDrawMode) Words() []ruleset.Word   { return words[6] }
func (LastTileScope) Words() []ruleset.Word  { return words[7] }
func (TailChain) Words() []ruleset.Word      { return words[8] }
func (HumanWinScope) Words() []ruleset.Word  { return words[9] }
func (IdenticalIn) Words() []ruleset.Word    { return words[10] }
func (ReturnMode) Words() []ruleset.Word     { return words[11] }
func (LikGuDouble) Words() []ruleset.Word    { return words[12] }
func (DisjointPair) Words() []ruleset.Word   { return words[13] }
func (OrphansKong) Words() []ruleset.Word    { return words[14] }
func (SpecialTypes) Words() []ruleset.Word   { return words[15] }

var words = [...][]ruleset.Word{
	{{Text: "dealer_pays_only", Meaning: "the dealer alone"}, {Text: "all_pay", Meaning: "all who pay, if the dealer is among winner and payers"}},
	{{Text: "ceil", Meaning: "up"}, {Text: "floor", Meaning: "down"}, {Text: "half_up", Meaning: "to the nearest, a half up"}},
	{{Text: "grow", Meaning: "the debt grows"}, {Text: "settle_then_new", Meaning: "it is paid, and a new one begins"}},
	{{Text: "settle", Meaning: "the debt is paid"}, {Text: "hold", Meaning: "it stays"}},
	{{Text: "settle", Meaning: "they are paid"}, {Text: "void", Meaning: "they are dropped"}, {Text: "half", Meaning: "half of each is paid"}},
	{{Text: "off", Meaning: "every instance counts"}, {Text: "same_fan", Meaning: "two instances differ in two melds"}},
	{{Text: "replace", Meaning: "it replaces concealed and self_draw"}, {Text: "add", Meaning: "it replaces self_draw alone"}},
	{{Text: "draw_only", Meaning: "the last draw"}, {Text: "draw_and_discard", Meaning: "the last draw and the discard after it"}},
	{{Text: "linear10", Meaning: "by its value with each tile"}, {Text: "double5", Meaning: "doubled with each tile"}},
	{{Text: "first_go_around", Meaning: "by self-draw or on a discard"}, {Text: "self_draw_only", Meaning: "by self-draw"}, {Text: "discard_only", Meaning: "on a discard"}},
	{{Text: "any", Meaning: "of any two pairs of chows"}, {Text: "two_suits", Meaning: "of pairs in two suits"}},
	{{Text: "add", Meaning: "they count beside the returns"}, {Text: "replace", Meaning: "they count instead of them"}},
	{{Text: "sum", Meaning: "both values add up"}, {Text: "max", Meaning: "the higher value counts"}},
	{{Text: "any", Meaning: "any kind"}, {Text: "honor", Meaning: "an honor"}},
	{{Text: "any", Meaning: "closed and open kans"}, {Text: "concealed", Meaning: "closed kans"}, {Text: "none", Meaning: "none"}},
	{{Text: "none", Meaning: "in neither special form"}, {Text: "orphans_seven", Meaning: "in thirteen orphans"}, {Text: "seven", Meaning: "in sixteen disjoint too"}},
}
