// Code generated from knobwords.go. DO NOT EDIT.

package mcr

import "github.com/sparrowhall/sparrowhall/ruleset"

func (DiscardPayment) Words() []ruleset.Word  { return words[0] }
func (SpecialSelfDraw) Words() []ruleset.Word { return words[1] }
func (KongConcealment) Words() []ruleset.Word { return words[2] }
func (InevitableHog) Words() []ruleset.Word   { return words[3] }
func (NineGatesPungs) Words() []ruleset.Word  { return words[4] }
func (KnittedWaits) Words() []ruleset.Word    { return words[5] }
func (ClaimedPung) Words() []ruleset.Word     { return words[6] }
func (InitialWinTile) Words() []ruleset.Word  { return words[7] }

var words = [...][]ruleset.Word{
	{{Text: "discarder_fan", Meaning: "the discarder alone pays them"}, {Text: "all_fan", Meaning: "all three players pay them"}},
	{{Text: "fully_concealed", Meaning: "fully concealed hand"}, {Text: "self_drawn", Meaning: "self-drawn"}},
	{{Text: "wmo", Meaning: "one adds concealed kong, two add two concealed kongs"}, {Text: "mil", Meaning: "concealed pungs alone count"}},
	{{Text: "absorb_one", Meaning: "one such quad is free"}, {Text: "count_all", Meaning: "every quad counts"}},
	{{Text: "absorb_one", Meaning: "one pung of terminals"}, {Text: "absorb_all", Meaning: "all pungs of terminals"}},
	{{Text: "residual", Meaning: "by the tiles beside the straight"}, {Text: "outside_body", Meaning: "the same, unless the tile is of the straight"}, {Text: "none", Meaning: "none"}},
	{{Text: "melded", Meaning: "it is melded"}, {Text: "concealed", Meaning: "it is concealed"}},
	{{Text: "last_received", Meaning: "the last tile received"}, {Text: "none", Meaning: "none"}},
}
