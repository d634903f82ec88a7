// Code generated from knobwords.go. DO NOT EDIT.

package riichi

// Values returns the words of Leftover in the order of its constants.
func (Leftover) Values() []string { return []string{"first_place", "first_place_split", "void"} }

// Meanings returns what the words of Leftover mean.
func (Leftover) Meanings() []string {
	return []string{
		"to the first place; those who tie share",
		"to the first place, divided by those who tie",
		"to nobody",
	}
}

// Values returns the words of Counted in the order of its constants.
func (Counted) Values() []string { return []string{"sanbaiman", "yakuman"} }

// Meanings returns what the words of Counted mean.
func (Counted) Meanings() []string {
	return []string{
		"it is worth a sanbaiman",
		"it is worth a yakuman",
	}
}

// Values returns the words of Renhou in the order of its constants.
func (Renhou) Values() []string {
	return []string{"none", "mangan_flat", "mangan_cumulative", "yakuman"}
}

// Meanings returns what the words of Renhou mean.
func (Renhou) Meanings() []string {
	return []string{
		"it is nothing",
		"a mangan without any other yaku or bonus tile",
		"5 han that add up with other yaku",
		"a yakuman",
	}
}

// Values returns the words of HonbaMultiRon in the order of its constants.
func (HonbaMultiRon) Values() []string { return []string{"each", "nearest"} }

// Meanings returns what the words of HonbaMultiRon mean.
func (HonbaMultiRon) Meanings() []string {
	return []string{
		"every winner",
		"the winner nearest after the giver",
	}
}

// Values returns the words of DepositsMultiRon in the order of its constants.
func (DepositsMultiRon) Values() []string { return []string{"own_back_rest_nearest", "nearest"} }

// Meanings returns what the words of DepositsMultiRon mean.
func (DepositsMultiRon) Meanings() []string {
	return []string{
		"a winner's own stick returns, the nearest takes the rest",
		"the nearest winner takes all",
	}
}

// Values returns the words of Nagashi in the order of its constants.
func (Nagashi) Values() []string { return []string{"none", "draw_bonus"} }

// Meanings returns what the words of Nagashi mean.
func (Nagashi) Meanings() []string {
	return []string{
		"there is no such payment",
		"a mangan by self-draw, in place of the noten payments",
	}
}

// Values returns the words of PaoScope in the order of its constants.
func (PaoScope) Values() []string { return []string{"whole_hand", "liable_yakuman"} }

// Meanings returns what the words of PaoScope mean.
func (PaoScope) Meanings() []string {
	return []string{
		"the whole hand",
		"the yakuman the player is liable for",
	}
}

// Values returns the words of PaoHonba in the order of its constants.
func (PaoHonba) Values() []string { return []string{"discarder", "liable"} }

// Meanings returns what the words of PaoHonba mean.
func (PaoHonba) Meanings() []string {
	return []string{
		"the discarder",
		"the player who is liable",
	}
}

// Values returns the words of PaoMultiple in the order of its constants.
func (PaoMultiple) Values() []string { return []string{"first_only", "per_yakuman"} }

// Meanings returns what the words of PaoMultiple mean.
func (PaoMultiple) Meanings() []string {
	return []string{
		"the earlier liable player pays for everything",
		"each covers an own yakuman",
	}
}

// Values returns the words of DoubleSet in the order of its constants.
func (DoubleSet) Values() []string {
	return []string{"daisuushii", "suuankou_tanki", "junsei_chuuren_poutou", "kokushi_musou_13"}
}

// Meanings returns what the words of DoubleSet mean.
func (DoubleSet) Meanings() []string {
	return []string{
		"big four winds",
		"four concealed triplets, pair wait",
		"true nine gates",
		"thirteen orphans, thirteen-sided wait",
	}
}

// Values returns the words of PaoSet in the order of its constants.
func (PaoSet) Values() []string { return []string{"daisangen", "daisuushii", "suukantsu"} }

// Meanings returns what the words of PaoSet mean.
func (PaoSet) Meanings() []string {
	return []string{
		"the third set of dragons",
		"the fourth set of winds",
		"the fourth kan",
	}
}
