// Code generated from knobwords.go. DO NOT EDIT.

package mcr

// Values returns the words of DiscardPayment in the order of its constants.
func (DiscardPayment) Values() []string { return []string{"discarder_fan", "all_fan"} }

// Meanings returns what the words of DiscardPayment mean.
func (DiscardPayment) Meanings() []string {
	return []string{
		"the discarder alone pays them",
		"all three players pay them",
	}
}

// Values returns the words of SpecialSelfDraw in the order of its constants.
func (SpecialSelfDraw) Values() []string { return []string{"fully_concealed", "self_drawn"} }

// Meanings returns what the words of SpecialSelfDraw mean.
func (SpecialSelfDraw) Meanings() []string {
	return []string{
		"fully concealed hand",
		"self-drawn",
	}
}

// Values returns the words of KongConcealment in the order of its constants.
func (KongConcealment) Values() []string { return []string{"wmo", "mil"} }

// Meanings returns what the words of KongConcealment mean.
func (KongConcealment) Meanings() []string {
	return []string{
		"one adds concealed kong, two add two concealed kongs",
		"concealed pungs alone count",
	}
}

// Values returns the words of InevitableHog in the order of its constants.
func (InevitableHog) Values() []string { return []string{"absorb_one", "count_all"} }

// Meanings returns what the words of InevitableHog mean.
func (InevitableHog) Meanings() []string {
	return []string{
		"one such quad is free",
		"every quad counts",
	}
}

// Values returns the words of NineGatesPungs in the order of its constants.
func (NineGatesPungs) Values() []string { return []string{"absorb_one", "absorb_all"} }

// Meanings returns what the words of NineGatesPungs mean.
func (NineGatesPungs) Meanings() []string {
	return []string{
		"one pung of terminals",
		"all pungs of terminals",
	}
}

// Values returns the words of KnittedWaits in the order of its constants.
func (KnittedWaits) Values() []string { return []string{"residual", "outside_body", "none"} }

// Meanings returns what the words of KnittedWaits mean.
func (KnittedWaits) Meanings() []string {
	return []string{
		"by the tiles beside the straight",
		"the same, unless the tile is of the straight",
		"none",
	}
}

// Values returns the words of ClaimedPung in the order of its constants.
func (ClaimedPung) Values() []string { return []string{"melded", "concealed"} }

// Meanings returns what the words of ClaimedPung mean.
func (ClaimedPung) Meanings() []string {
	return []string{
		"it is melded",
		"it is concealed",
	}
}

// Values returns the words of InitialWinTile in the order of its constants.
func (InitialWinTile) Values() []string { return []string{"last_received", "none"} }

// Meanings returns what the words of InitialWinTile mean.
func (InitialWinTile) Meanings() []string {
	return []string{
		"the last tile received",
		"none",
	}
}
