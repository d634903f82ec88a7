package riichi

import (
	_ "embed"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
)

// The patterns in the order in which the rules list them: the constant, which is the index, and
// behind it the id, the native name, the han of a closed and of an open hand, and the source, as
// package rows reads them. A set of patterns is a uint64 with their bits. The last is of three
// players alone.
const (
	riichi              = iota // riichi: 立直; 1; 0; S4 4.2.1.1, S0 riichi 11
	doubleRiichi               // double_riichi: 双立直; 2; 0; S4 4.2.1.2, S0 yaku
	ippatsu                    // ippatsu: 一发; 1; 0; S4 4.2.1.3, S0 riichi 12
	menzenTsumo                // menzen_tsumo: 门清自摸; 1; 0; S4 4.2.1.4, S0 yaku
	pinfu                      // pinfu: 平和; 1; 0; S4 4.2.1.5, S0 yaku
	tanyao                     // tanyao: 断幺九; 1; 1; S4 4.2.1.7, S0 sum.3
	iipeikou                   // iipeikou: 一色二顺; 1; 0; S4 4.2.1.6, S0 yaku
	yakuhaiHaku                // yakuhai_haku: 翻牌 白; 1; 1; S4 4.2.1.10, S0 yaku
	yakuhaiHatsu               // yakuhai_hatsu: 翻牌 发; 1; 1; S4 4.2.1.10, S0 yaku
	yakuhaiChun                // yakuhai_chun: 翻牌 中; 1; 1; S4 4.2.1.10, S0 yaku
	yakuhaiSeatWind            // yakuhai_seat_wind: 门风; 1; 1; S4 4.2.1.10, S0 seats 6
	yakuhaiRoundWind           // yakuhai_round_wind: 圈风; 1; 1; S4 4.2.1.10, S0 seats 6
	rinshanKaihou              // rinshan_kaihou: 杠上开花; 1; 1; S4 4.2.1.13, S0 yaku
	chankan                    // chankan: 抢杠; 1; 1; S4 4.2.1.12, S0 robbing 1-3
	haitei                     // haitei: 海底捞月; 1; 1; S4 4.2.1.14, S0 yaku
	houtei                     // houtei: 河底捞鱼; 1; 1; S4 4.2.1.15, S0 yaku
	sanshokuDoujun             // sanshoku_doujun: 三色同顺; 2; 1; S4 4.2.1.9, S0 yaku
	ittsu                      // ittsu: 一气贯通; 2; 1; S4 4.2.1.8, S0 yaku
	chanta                     // chanta: 混全带幺; 2; 1; S4 4.2.1.11, S0 yaku
	chiitoitsu                 // chiitoitsu: 七对子; 2; 0; S4 4.2.2.1, S0 yaku
	toitoi                     // toitoi: 对对和; 2; 2; S4 4.2.2.5, S0 yaku
	sanankou                   // sanankou: 三暗刻; 2; 2; S4 4.2.2.3, S0 yaku
	sankantsu                  // sankantsu: 三杠子; 2; 2; S4 4.2.2.4, S0 yaku
	sanshokuDoukou             // sanshoku_doukou: 三色同刻; 2; 2; S4 4.2.2.2, S0 yaku
	honroutou                  // honroutou: 混老头; 2; 2; S4 4.2.2.8, S0 yaku
	shousangen                 // shousangen: 小三元; 2; 2; S4 4.2.2.7, S0 yaku
	honitsu                    // honitsu: 混一色; 3; 2; S4 4.2.2.6, S0 yaku
	junchan                    // junchan: 纯全带幺; 3; 2; S4 4.2.2.9, S0 yaku
	ryanpeikou                 // ryanpeikou: 二色二顺; 3; 0; S4 4.2.3.1, S0 yaku
	chinitsu                   // chinitsu: 清一色; 6; 5; S4 4.2.4.1, S0 yaku
	renhou                     // renhou: 人和; 5; 0; S4 4.2.4.2
	dora                       // dora: 宝牌; 0; 0; S4 4.2.1.16, S0 dora 1, 6-9
	akaDora                    // aka_dora: 赤牌; 0; 0; S0 tiles 5, dora 9
	uraDora                    // ura_dora: 里宝牌; 0; 0; S4 3.12, S0 dora 8
	kokushiMusou               // kokushi_musou: 十三幺; 0; 0; S4 4.2.5.1, S0 yaku
	kokushiMusou13             // kokushi_musou_13: 十三幺十三面; 0; 0; S4 4.2.5.1, S0 sum.32
	chuurenPoutou              // chuuren_poutou: 九莲宝灯; 0; 0; S4 4.2.5.2, S0 yaku
	junseiChuurenPoutou        // junsei_chuuren_poutou: 纯正九莲宝灯; 0; 0; S4 4.2.5.2, S0 sum.32
	tenhou                     // tenhou: 天和; 0; 0; S4 4.2.5.3, S0 yaku
	chiihou                    // chiihou: 地和; 0; 0; S4 4.2.5.4, S0 yaku
	suuankou                   // suuankou: 四暗刻; 0; 0; S4 4.2.5.5, S0 yaku
	suuankouTanki              // suuankou_tanki: 四暗刻单骑; 0; 0; S4 4.2.5.5, S0 sum.32
	suukantsu                  // suukantsu: 四杠子; 0; 0; S4 4.2.5.6, S0 yaku
	ryuuiisou                  // ryuuiisou: 绿一色; 0; 0; S4 4.2.5.7, S0 yaku
	chinroutou                 // chinroutou: 清老头; 0; 0; S4 4.2.5.8, S0 yaku
	tsuuiisou                  // tsuuiisou: 字一色; 0; 0; S4 4.2.5.9, S0 yaku
	daisangen                  // daisangen: 大三元; 0; 0; S4 4.2.5.10, S0 yaku
	shousuushii                // shousuushii: 小四喜; 0; 0; S4 4.2.5.11, S0 yaku
	daisuushii                 // daisuushii: 大四喜; 0; 0; S4 4.2.5.12, S0 yaku
	nukiDora                   // nuki_dora: 拔北宝牌; 0; 0; SM 5.4
	numPatterns
)

//go:embed patterns.go
var source string

// patterns describes the patterns to callers, and listed has the han of a closed and of an open hand
// (S4 4.2.1-4.2.4, S0 yaku): a yaku without an open value needs a closed hand. A name is the id in
// words: the field writes romaji in English texts too.
var patterns, listed = func() (list [numPatterns]ruleset.Pattern, han [numPatterns]ruleset.Price) {
	for id, r := range rows.Table(source) {
		name := strings.ReplaceAll(strings.ReplaceAll(r[0], "_13", " juusanmen"), "_", " ")
		list[id] = ruleset.Pattern{ID: r[0], Name: strings.ToUpper(name[:1]) + name[1:], Native: r[1], Source: r[4], Yakuman: isYakuman(id)}
		han[id] = ruleset.Price{Closed: rows.Number(r[2]), Open: rows.Number(r[3])}
	}
	return list, han
}()

// doubles are the patterns of the bits of DoubleSet.
var doubles = [...]int{daisuushii, suuankouTanki, junseiChuurenPoutou, kokushiMusou13}

// The highest prices of yaku and of yakuman.
const (
	maxHan      = 13
	maxMultiple = 6
)

// isYakuman reports whether a pattern is priced by multiples of a yakuman.
func isYakuman(id int) bool { return id >= kokushiMusou && id <= daisuushii }

// Prices holds the price of each pattern where it is not the listed one.
type Prices [numPatterns]ruleset.Price

// Listings describes the patterns in their order.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numPatterns)
	for id, han := range listed {
		l := ruleset.Listing{ID: patterns[id].ID, Listed: han, Split: han.Open > 0, Max: maxHan}
		switch {
		case isYakuman(id):
			l.Listed, l.Max = ruleset.Price{Closed: 1, Open: 1}, maxMultiple
		case id >= dora:
			l.Listed = ruleset.Price{Closed: 1, Open: 1}
		case id == renhou:
			l.Listed = ruleset.Price{}
		}
		list[id] = l
	}
	return list
}

// lowered are the patterns that contain another one, which is therefore not
// counted beside them: where the greater does not exist the lesser counts. Those
// marked are two forms of one shape, which ends with the lesser.
var lowered = [...]struct {
	id, of int
	shape  bool
}{
	{doubleRiichi, riichi, false},
	{ryanpeikou, iipeikou, false},
	{suukantsu, sankantsu, false},
	{suuankouTanki, suuankou, false},
	{suuankou, sanankou, false},
	{junseiChuurenPoutou, chuurenPoutou, false},
	{kokushiMusou13, kokushiMusou, true},
}
