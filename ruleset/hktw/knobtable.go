// Code generated from knobwords.go. DO NOT EDIT.

package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

func (DealerItemDraw) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "dealer_pays_only", Meaning: "the dealer alone"}, {Text: "all_pay", Meaning: "all who pay, if the dealer is among winner and payers"}}
}

func (Rounding) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "ceil", Meaning: "up"}, {Text: "floor", Meaning: "down"}, {Text: "half_up", Meaning: "to the nearest, a half up"}}
}

func (PullOutsider) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "grow", Meaning: "the debt grows"}, {Text: "settle_then_new", Meaning: "it is paid, and a new one begins"}}
}

func (PullHold) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "settle", Meaning: "the debt is paid"}, {Text: "hold", Meaning: "it stays"}}
}

func (PullEnd) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "settle", Meaning: "they are paid"}, {Text: "void", Meaning: "they are dropped"}, {Text: "half", Meaning: "half of each is paid"}}
}

func (SingleCount) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "off", Meaning: "every instance counts"}, {Text: "same_fan", Meaning: "two instances differ in two melds"}}
}

func (SelfDrawMode) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "replace", Meaning: "it replaces concealed and self_draw"}, {Text: "add", Meaning: "it replaces self_draw alone"}}
}

func (LastTileScope) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "draw_only", Meaning: "the last draw"}, {Text: "draw_and_discard", Meaning: "the last draw and the discard after it"}}
}

func (TailChain) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "linear10", Meaning: "by its value with each tile"}, {Text: "double5", Meaning: "doubled with each tile"}}
}

func (HumanWinScope) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "first_go_around", Meaning: "by self-draw or on a discard"}, {Text: "self_draw_only", Meaning: "by self-draw"}, {Text: "discard_only", Meaning: "on a discard"}}
}

func (IdenticalIn) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "any", Meaning: "of any two pairs of chows"}, {Text: "two_suits", Meaning: "of pairs in two suits"}}
}

func (ReturnMode) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "add", Meaning: "they count beside the returns"}, {Text: "replace", Meaning: "they count instead of them"}}
}

func (LikGuDouble) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "sum", Meaning: "both values add up"}, {Text: "max", Meaning: "the higher value counts"}}
}

func (DisjointPair) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "any", Meaning: "any kind"}, {Text: "honor", Meaning: "an honor"}}
}

func (OrphansKong) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "any", Meaning: "closed and open kans"}, {Text: "concealed", Meaning: "closed kans"}, {Text: "none", Meaning: "none"}}
}

func (SpecialTypes) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "none", Meaning: "in neither special form"}, {Text: "orphans_seven", Meaning: "in thirteen orphans"}, {Text: "seven", Meaning: "in sixteen disjoint too"}}
}
