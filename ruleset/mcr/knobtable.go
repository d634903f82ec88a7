// Code generated from knobwords.go. DO NOT EDIT.

package mcr

import "github.com/sparrowhall/sparrowhall/ruleset"

func (DiscardPayment) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "discarder_fan", Meaning: "the discarder alone pays them"}, {Text: "all_fan", Meaning: "all three players pay them"}}
}

func (SpecialSelfDraw) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "fully_concealed", Meaning: "fully concealed hand"}, {Text: "self_drawn", Meaning: "self-drawn"}}
}

func (KongConcealment) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "wmo", Meaning: "one adds concealed kong, two add two concealed kongs"}, {Text: "mil", Meaning: "concealed pungs alone count"}}
}

func (InevitableHog) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "absorb_one", Meaning: "one such quad is free"}, {Text: "count_all", Meaning: "every quad counts"}}
}

func (NineGatesPungs) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "absorb_one", Meaning: "one pung of terminals"}, {Text: "absorb_all", Meaning: "all pungs of terminals"}}
}

func (KnittedWaits) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "residual", Meaning: "by the tiles beside the straight"}, {Text: "outside_body", Meaning: "the same, unless the tile is of the straight"}, {Text: "none", Meaning: "none"}}
}

func (ClaimedPung) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "melded", Meaning: "it is melded"}, {Text: "concealed", Meaning: "it is concealed"}}
}

func (InitialWinTile) Words() []ruleset.Word {
	return []ruleset.Word{{Text: "last_received", Meaning: "the last tile received"}, {Text: "none", Meaning: "none"}}
}
