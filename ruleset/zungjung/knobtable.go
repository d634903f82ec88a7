// Code generated from knobwords.go. DO NOT EDIT.

package zungjung

import "github.com/sparrowhall/sparrowhall/ruleset"

func (Exclusion) Words() []ruleset.Word    { return words[0] }
func (PayoffScheme) Words() []ruleset.Word { return words[1] }

var words = [...][]ruleset.Word{
	{{Text: "series", Meaning: "of each series, such as 4.2"}, {Text: "category", Meaning: "of each category, such as 4"}},
	{{Text: "competition", Meaning: "the giver pays what the others save beyond the par score"}, {Text: "uniform", Meaning: "all pay the same"}, {Text: "discarder_all", Meaning: "the giver pays for all"}},
}
