package reading

import (
	"maps"

	"github.com/sparrowhall/sparrowhall/sim"
)

// YakuByName returns the pattern ids of riichi by the Japanese names of a form: those
// that all forms share, and its own.
func YakuByName(own map[string]string) map[string]string {
	all := maps.Clone(sharedYaku)
	maps.Copy(all, own)
	return all
}

var sharedYaku = map[string]string{
	"門前清自摸和": "menzen_tsumo", "立直": "riichi", "一発": "ippatsu", "槍槓": "chankan", "嶺上開花": "rinshan_kaihou",
	"海底摸月": "haitei", "河底撈魚": "houtei", "平和": "pinfu", "断幺九": "tanyao", "一盃口": "iipeikou",
	"自風 東": "yakuhai_seat_wind", "自風 南": "yakuhai_seat_wind", "自風 西": "yakuhai_seat_wind", "自風 北": "yakuhai_seat_wind",
	"場風 東": "yakuhai_round_wind", "場風 南": "yakuhai_round_wind", "場風 西": "yakuhai_round_wind", "場風 北": "yakuhai_round_wind",
	"七対子": "chiitoitsu", "混全帯幺九": "chanta", "一気通貫": "ittsu", "三色同順": "sanshoku_doujun", "三色同刻": "sanshoku_doukou",
	"三槓子": "sankantsu", "対々和": "toitoi", "三暗刻": "sanankou", "小三元": "shousangen", "混老頭": "honroutou",
	"二盃口": "ryanpeikou", "純全帯幺九": "junchan", "混一色": "honitsu", "清一色": "chinitsu", "人和": "renhou",
	"天和": "tenhou", "地和": "chiihou", "大三元": "daisangen", "四暗刻": "suuankou", "四暗刻単騎": "suuankou_tanki",
	"字一色": "tsuuiisou", "緑一色": "ryuuiisou", "清老頭": "chinroutou", "九蓮宝燈": "chuuren_poutou",
	"純正九蓮宝燈": "junsei_chuuren_poutou", "国士無双": "kokushi_musou", "大四喜": "daisuushii", "小四喜": "shousuushii",
	"四槓子": "suukantsu", "ドラ": "dora", "裏ドラ": "ura_dora", "赤ドラ": "aka_dora",
}

// AbortByName are the abortive draws of riichi by their Japanese names.
var AbortByName = map[string]sim.AbortReason{
	"九種九牌": sim.AbortNineKinds, "四風連打": sim.AbortFourWinds, "四家立直": sim.AbortFourRiichi,
	"四槓散了": sim.AbortFourKans, "四開槓": sim.AbortFourKans, "三家和了": sim.AbortTripleRon, "三家和": sim.AbortTripleRon,
}
