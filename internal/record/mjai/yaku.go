package mjai

import "github.com/sparrowhall/sparrowhall/ruleset"

// yakumanFan is the fan of a yakuman in the yakus of a hora.
const yakumanFan = 100

// yakuNames are the names of the original mjai server for yaku, by pattern id. Other yaku
// are written by their id.
var yakuNames = map[string]string{
	"menzen_tsumo": "menzenchin_tsumoho", "riichi": "reach", "double_riichi": "double_reach", "ippatsu": "ippatsu",
	"chankan": "chankan", "rinshan_kaihou": "rinshankaiho", "haitei": "haiteiraoyue", "houtei": "hoteiraoyui",
	"pinfu": "pinfu", "tanyao": "tanyaochu", "iipeikou": "ipeko", "ryanpeikou": "ryanpeko", "chiitoitsu": "chitoitsu",
	"yakuhai_seat_wind": "jikaze", "yakuhai_round_wind": "bakaze",
	"yakuhai_haku": "sangenpai", "yakuhai_hatsu": "sangenpai", "yakuhai_chun": "sangenpai", "shousangen": "shosangen",
	"chanta": "honchantaiyao", "junchan": "junchantaiyao", "honroutou": "honroto", "ittsu": "ikkitsukan",
	"sanshoku_doujun": "sanshokudojun", "sanshoku_doukou": "sanshokudoko", "sankantsu": "sankantsu",
	"toitoi": "toitoiho", "sanankou": "sananko", "honitsu": "honiso", "chinitsu": "chiniso",
	"dora": "dora", "ura_dora": "uradora", "aka_dora": "akadora",
	"renhou": "renho", "tenhou": "tenho", "chiihou": "chiho", "daisangen": "daisangen",
	"suuankou": "suanko", "suuankou_tanki": "suanko", "suukantsu": "sukantsu", "tsuuiisou": "tsuiso", "ryuuiisou": "ryuiso",
	"chinroutou": "chinroto", "chuuren_poutou": "churenpoton", "junsei_chuuren_poutou": "churenpoton",
	"kokushi_musou": "kokushimuso", "kokushi_musou_13": "kokushimuso", "daisuushii": "daisushi", "shousuushii": "shosushi",
}

// yakus are pairs of a yaku and its fan. They are written, and not read: see [reading.Unread].
type yakus [][2]any

// UnmarshalJSON implements json.Unmarshaler.
func (*yakus) UnmarshalJSON([]byte) error { return nil }

func yakusOf(r *ruleset.Rules, v *ruleset.Value) yakus {
	all := r.Patterns()
	list := yakus{}
	for _, p := range v.Patterns[:v.NumPatterns] {
		name, ok := yakuNames[all[p.Pattern].ID]
		if !ok {
			name = all[p.Pattern].ID
		}
		fan := int(p.Points)
		if v.Yakuman > 0 {
			fan *= yakumanFan
		}
		list = append(list, [2]any{name, fan})
	}
	return list
}
