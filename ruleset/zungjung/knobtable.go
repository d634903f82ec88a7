// Code generated from knobwords.go. DO NOT EDIT.

package zungjung

import "github.com/sparrowhall/sparrowhall/ruleset"

func (Exclusion) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "series", Meaning: "of each series, such as 4.2"}, {Text: "category", Meaning: "of each category, such as 4"}}
}

func (PayoffScheme) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "competition", Meaning: "the giver pays what the others save beyond the par score"}, {Text: "uniform", Meaning: "everybody pays the same"}, {Text: "discarder_all", Meaning: "the giver pays for all"}}
}
