// Code generated from knobwords.go. DO NOT EDIT.

package zungjung

// Values returns the words of Exclusion in the order of its constants.
func (Exclusion) Values() []string { return []string{"series", "category"} }

// Meanings returns what the words of Exclusion mean.
func (Exclusion) Meanings() []string {
	return []string{
		"of each series, such as 4.2",
		"of each category, such as 4",
	}
}

// Values returns the words of PayoffScheme in the order of its constants.
func (PayoffScheme) Values() []string { return []string{"competition", "uniform", "discarder_all"} }

// Meanings returns what the words of PayoffScheme mean.
func (PayoffScheme) Meanings() []string {
	return []string{
		"the giver pays what the others save beyond the par score",
		"everybody pays the same",
		"the giver pays for all",
	}
}
