// Code generated from knobwords.go. DO NOT EDIT.

package riichi

import "github.com/sparrowhall/sparrowhall/ruleset"

func (Leftover) Words() []ruleset.Word         { return words[0] }
func (Counted) Words() []ruleset.Word          { return words[1] }
func (Renhou) Words() []ruleset.Word           { return words[2] }
func (RonPayment) Words() []ruleset.Word       { return words[3] }
func (HonbaMultiRon) Words() []ruleset.Word    { return words[4] }
func (DepositsMultiRon) Words() []ruleset.Word { return words[5] }
func (Nagashi) Words() []ruleset.Word          { return words[6] }
func (PaoScope) Words() []ruleset.Word         { return words[7] }
func (PaoHonba) Words() []ruleset.Word         { return words[8] }
func (PaoMultiple) Words() []ruleset.Word      { return words[9] }
func (DoubleSet) Words() []ruleset.Word        { return words[10] }
func (PaoSet) Words() []ruleset.Word           { return words[11] }
func (SelfDrawGap) Words() []ruleset.Word      { return words[12] }

var words = [...][]ruleset.Word{
	{{Text: "first_place", Meaning: "to the first place; those who tie share"}, {Text: "first_place_split", Meaning: "to the first place, divided by those who tie"}, {Text: "void", Meaning: "to no player"}},
	{{Text: "sanbaiman", Meaning: "it is worth a sanbaiman"}, {Text: "yakuman", Meaning: "it is worth a yakuman"}},
	{{Text: "none", Meaning: "it is nothing"}, {Text: "mangan_flat", Meaning: "a mangan without any other yaku or bonus tile"}, {Text: "mangan_cumulative", Meaning: "5 han that add up with other yaku"}, {Text: "yakuman", Meaning: "a yakuman"}},
	{{Text: "discarder", Meaning: "the discarder pays for all"}, {Text: "each", Meaning: "every player pays as for a self-draw"}},
	{{Text: "each", Meaning: "every winner"}, {Text: "nearest", Meaning: "the winner nearest after the giver"}},
	{{Text: "own_back_rest_nearest", Meaning: "a winner's own stick returns, the nearest takes the rest"}, {Text: "nearest", Meaning: "the nearest winner takes all"}},
	{{Text: "none", Meaning: "there is no such payment"}, {Text: "draw_bonus", Meaning: "a mangan by self-draw, in place of the noten payments"}},
	{{Text: "whole_hand", Meaning: "the whole hand"}, {Text: "liable_yakuman", Meaning: "the yakuman the player is liable for"}},
	{{Text: "discarder", Meaning: "the discarder"}, {Text: "liable", Meaning: "the player who is liable"}},
	{{Text: "first_only", Meaning: "the earlier liable player pays for everything"}, {Text: "per_yakuman", Meaning: "each covers an own yakuman"}},
	{{Text: "daisuushii", Meaning: "triplets of all winds"}, {Text: "suuankou_tanki", Meaning: "suuankou that waits for its pair"}, {Text: "junsei_chuuren_poutou", Meaning: "chuuren poutou that waits for nine kinds"}, {Text: "kokushi_musou_13", Meaning: "kokushi musou that waits for thirteen kinds"}},
	{{Text: "daisangen", Meaning: "the third set of dragons"}, {Text: "daisuushii", Meaning: "the fourth set of winds"}, {Text: "suukantsu", Meaning: "the fourth kan"}},
	{{Text: "lost", Meaning: "no player pays it (tsumo loss)"}, {Text: "shared", Meaning: "the two payers add half of it each, rounded up to 100"}},
}
