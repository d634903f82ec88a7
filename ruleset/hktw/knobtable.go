// Code generated from knobwords.go. DO NOT EDIT.

package hktw

// Values returns the words of DealerItemDraw in the order of its constants.
func (DealerItemDraw) Values() []string { return []string{"dealer_pays_only", "all_pay"} }

// Meanings returns what the words of DealerItemDraw mean.
func (DealerItemDraw) Meanings() []string {
	return []string{
		"the dealer alone",
		"all who pay, if the dealer is among winner and payers",
	}
}

// Values returns the words of Rounding in the order of its constants.
func (Rounding) Values() []string { return []string{"ceil", "floor", "half_up"} }

// Meanings returns what the words of Rounding mean.
func (Rounding) Meanings() []string {
	return []string{
		"up",
		"down",
		"to the nearest, a half up",
	}
}

// Values returns the words of PullOutsider in the order of its constants.
func (PullOutsider) Values() []string { return []string{"grow", "settle_then_new"} }

// Meanings returns what the words of PullOutsider mean.
func (PullOutsider) Meanings() []string {
	return []string{
		"the debt grows",
		"it is paid, and a new one begins",
	}
}

// Values returns the words of PullHold in the order of its constants.
func (PullHold) Values() []string { return []string{"settle", "hold"} }

// Meanings returns what the words of PullHold mean.
func (PullHold) Meanings() []string {
	return []string{
		"the debt is paid",
		"it stays",
	}
}

// Values returns the words of PullEnd in the order of its constants.
func (PullEnd) Values() []string { return []string{"settle", "void", "half"} }

// Meanings returns what the words of PullEnd mean.
func (PullEnd) Meanings() []string {
	return []string{
		"they are paid",
		"they are dropped",
		"half of each is paid",
	}
}

// Values returns the words of SingleCount in the order of its constants.
func (SingleCount) Values() []string { return []string{"off", "same_fan"} }

// Meanings returns what the words of SingleCount mean.
func (SingleCount) Meanings() []string {
	return []string{
		"every instance counts",
		"two instances differ in two melds",
	}
}

// Values returns the words of HandKongs in the order of its constants.
func (HandKongs) Values() []string { return []string{"any", "concealed_only", "none"} }

// Meanings returns what the words of HandKongs mean.
func (HandKongs) Meanings() []string {
	return []string{
		"any but added kans",
		"closed kans only",
		"none",
	}
}

// Values returns the words of SelfDrawMode in the order of its constants.
func (SelfDrawMode) Values() []string { return []string{"replace", "add"} }

// Meanings returns what the words of SelfDrawMode mean.
func (SelfDrawMode) Meanings() []string {
	return []string{
		"it replaces concealed and self_draw",
		"it replaces self_draw alone",
	}
}

// Values returns the words of LastTileScope in the order of its constants.
func (LastTileScope) Values() []string { return []string{"draw_only", "draw_and_discard"} }

// Meanings returns what the words of LastTileScope mean.
func (LastTileScope) Meanings() []string {
	return []string{
		"the last draw",
		"the last draw and the discard after it",
	}
}

// Values returns the words of TailChain in the order of its constants.
func (TailChain) Values() []string { return []string{"linear10", "double5"} }

// Meanings returns what the words of TailChain mean.
func (TailChain) Meanings() []string {
	return []string{
		"by its value with each tile",
		"doubled with each tile",
	}
}

// Values returns the words of HumanWinScope in the order of its constants.
func (HumanWinScope) Values() []string {
	return []string{"first_go_around", "self_draw_only", "discard_only"}
}

// Meanings returns what the words of HumanWinScope mean.
func (HumanWinScope) Meanings() []string {
	return []string{
		"by self-draw or on a discard",
		"by self-draw",
		"on a discard",
	}
}

// Values returns the words of IdenticalIn in the order of its constants.
func (IdenticalIn) Values() []string { return []string{"any", "two_suits"} }

// Meanings returns what the words of IdenticalIn mean.
func (IdenticalIn) Meanings() []string {
	return []string{
		"of any two pairs of chows",
		"of pairs in two suits",
	}
}

// Values returns the words of ReturnMode in the order of its constants.
func (ReturnMode) Values() []string { return []string{"add", "replace"} }

// Meanings returns what the words of ReturnMode mean.
func (ReturnMode) Meanings() []string {
	return []string{
		"they count beside the returns",
		"they count instead of them",
	}
}

// Values returns the words of LikGuDouble in the order of its constants.
func (LikGuDouble) Values() []string { return []string{"sum", "max"} }

// Meanings returns what the words of LikGuDouble mean.
func (LikGuDouble) Meanings() []string {
	return []string{
		"both values add up",
		"the higher value counts",
	}
}

// Values returns the words of DisjointPair in the order of its constants.
func (DisjointPair) Values() []string { return []string{"any", "honor"} }

// Meanings returns what the words of DisjointPair mean.
func (DisjointPair) Meanings() []string {
	return []string{
		"any kind",
		"an honor",
	}
}

// Values returns the words of OrphansKong in the order of its constants.
func (OrphansKong) Values() []string { return []string{"any", "concealed", "none"} }

// Meanings returns what the words of OrphansKong mean.
func (OrphansKong) Meanings() []string {
	return []string{
		"closed and open kans",
		"closed kans",
		"none",
	}
}

// Values returns the words of SpecialTypes in the order of its constants.
func (SpecialTypes) Values() []string { return []string{"none", "orphans_seven", "seven"} }

// Meanings returns what the words of SpecialTypes mean.
func (SpecialTypes) Meanings() []string {
	return []string{
		"in neither special form",
		"in thirteen orphans",
		"in sixteen disjoint too",
	}
}
