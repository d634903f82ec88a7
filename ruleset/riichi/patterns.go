package riichi

import (
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Indices of the patterns, in the order in which the rules list them. A set of
// patterns is a uint64 with their bits.
const (
	riichi = iota
	doubleRiichi
	ippatsu
	menzenTsumo
	pinfu
	tanyao
	iipeikou
	yakuhaiHaku
	yakuhaiHatsu
	yakuhaiChun
	yakuhaiSeatWind
	yakuhaiRoundWind
	rinshanKaihou
	chankan
	haitei
	houtei
	sanshokuDoujun
	ittsu
	chanta
	chiitoitsu
	toitoi
	sanankou
	sankantsu
	sanshokuDoukou
	honroutou
	shousangen
	honitsu
	junchan
	ryanpeikou
	chinitsu
	renhou
	dora
	akaDora
	uraDora
	kokushiMusou
	kokushiMusou13
	chuurenPoutou
	junseiChuurenPoutou
	tenhou
	chiihou
	suuankou
	suuankouTanki
	suukantsu
	ryuuiisou
	chinroutou
	tsuuiisou
	daisangen
	shousuushii
	daisuushii
	nukiDora // of three players alone
	numPatterns
)

// rows describe the patterns. Han are those of a closed and of an open hand (S4
// 4.2.1-4.2.4, S0 yaku); a yaku without an open value needs a closed hand.
var rows = [numPatterns]struct {
	id, native, source string
	closed, open       uint8
}{
	riichi:              {"riichi", "立直", "S4 4.2.1.1, S0 riichi 11", 1, 0},
	doubleRiichi:        {"double_riichi", "双立直", "S4 4.2.1.2, S0 yaku", 2, 0},
	ippatsu:             {"ippatsu", "一发", "S4 4.2.1.3, S0 riichi 12", 1, 0},
	menzenTsumo:         {"menzen_tsumo", "门清自摸", "S4 4.2.1.4, S0 yaku", 1, 0},
	pinfu:               {"pinfu", "平和", "S4 4.2.1.5, S0 yaku", 1, 0},
	tanyao:              {"tanyao", "断幺九", "S4 4.2.1.7, S0 sum.3", 1, 1},
	iipeikou:            {"iipeikou", "一色二顺", "S4 4.2.1.6, S0 yaku", 1, 0},
	yakuhaiHaku:         {"yakuhai_haku", "翻牌 白", "S4 4.2.1.10, S0 yaku", 1, 1},
	yakuhaiHatsu:        {"yakuhai_hatsu", "翻牌 发", "S4 4.2.1.10, S0 yaku", 1, 1},
	yakuhaiChun:         {"yakuhai_chun", "翻牌 中", "S4 4.2.1.10, S0 yaku", 1, 1},
	yakuhaiSeatWind:     {"yakuhai_seat_wind", "门风", "S4 4.2.1.10, S0 seats 6", 1, 1},
	yakuhaiRoundWind:    {"yakuhai_round_wind", "圈风", "S4 4.2.1.10, S0 seats 6", 1, 1},
	rinshanKaihou:       {"rinshan_kaihou", "杠上开花", "S4 4.2.1.13, S0 yaku", 1, 1},
	chankan:             {"chankan", "抢杠", "S4 4.2.1.12, S0 robbing 1-3", 1, 1},
	haitei:              {"haitei", "海底捞月", "S4 4.2.1.14, S0 yaku", 1, 1},
	houtei:              {"houtei", "河底捞鱼", "S4 4.2.1.15, S0 yaku", 1, 1},
	sanshokuDoujun:      {"sanshoku_doujun", "三色同顺", "S4 4.2.1.9, S0 yaku", 2, 1},
	ittsu:               {"ittsu", "一气贯通", "S4 4.2.1.8, S0 yaku", 2, 1},
	chanta:              {"chanta", "混全带幺", "S4 4.2.1.11, S0 yaku", 2, 1},
	chiitoitsu:          {"chiitoitsu", "七对子", "S4 4.2.2.1, S0 yaku", 2, 0},
	toitoi:              {"toitoi", "对对和", "S4 4.2.2.5, S0 yaku", 2, 2},
	sanankou:            {"sanankou", "三暗刻", "S4 4.2.2.3, S0 yaku", 2, 2},
	sankantsu:           {"sankantsu", "三杠子", "S4 4.2.2.4, S0 yaku", 2, 2},
	sanshokuDoukou:      {"sanshoku_doukou", "三色同刻", "S4 4.2.2.2, S0 yaku", 2, 2},
	honroutou:           {"honroutou", "混老头", "S4 4.2.2.8, S0 yaku", 2, 2},
	shousangen:          {"shousangen", "小三元", "S4 4.2.2.7, S0 yaku", 2, 2},
	honitsu:             {"honitsu", "混一色", "S4 4.2.2.6, S0 yaku", 3, 2},
	junchan:             {"junchan", "纯全带幺", "S4 4.2.2.9, S0 yaku", 3, 2},
	ryanpeikou:          {"ryanpeikou", "二色二顺", "S4 4.2.3.1, S0 yaku", 3, 0},
	chinitsu:            {"chinitsu", "清一色", "S4 4.2.4.1, S0 yaku", 6, 5},
	renhou:              {"renhou", "人和", "S4 4.2.4.2", 5, 0},
	dora:                {"dora", "宝牌", "S4 4.2.1.16, S0 dora 1, 6-9", 0, 0},
	akaDora:             {"aka_dora", "赤牌", "S0 tiles 5, dora 9", 0, 0},
	uraDora:             {"ura_dora", "里宝牌", "S4 3.12, S0 dora 8", 0, 0},
	kokushiMusou:        {"kokushi_musou", "十三幺", "S4 4.2.5.1, S0 yaku", 0, 0},
	kokushiMusou13:      {"kokushi_musou_13", "十三幺十三面", "S4 4.2.5.1, S0 sum.32", 0, 0},
	chuurenPoutou:       {"chuuren_poutou", "九莲宝灯", "S4 4.2.5.2, S0 yaku", 0, 0},
	junseiChuurenPoutou: {"junsei_chuuren_poutou", "纯正九莲宝灯", "S4 4.2.5.2, S0 sum.32", 0, 0},
	tenhou:              {"tenhou", "天和", "S4 4.2.5.3, S0 yaku", 0, 0},
	chiihou:             {"chiihou", "地和", "S4 4.2.5.4, S0 yaku", 0, 0},
	suuankou:            {"suuankou", "四暗刻", "S4 4.2.5.5, S0 yaku", 0, 0},
	suuankouTanki:       {"suuankou_tanki", "四暗刻单骑", "S4 4.2.5.5, S0 sum.32", 0, 0},
	suukantsu:           {"suukantsu", "四杠子", "S4 4.2.5.6, S0 yaku", 0, 0},
	ryuuiisou:           {"ryuuiisou", "绿一色", "S4 4.2.5.7, S0 yaku", 0, 0},
	chinroutou:          {"chinroutou", "清老头", "S4 4.2.5.8, S0 yaku", 0, 0},
	tsuuiisou:           {"tsuuiisou", "字一色", "S4 4.2.5.9, S0 yaku", 0, 0},
	daisangen:           {"daisangen", "大三元", "S4 4.2.5.10, S0 yaku", 0, 0},
	shousuushii:         {"shousuushii", "小四喜", "S4 4.2.5.11, S0 yaku", 0, 0},
	daisuushii:          {"daisuushii", "大四喜", "S4 4.2.5.12, S0 yaku", 0, 0},
	nukiDora:            {"nuki_dora", "拔北宝牌", "SM 5.4", 0, 0},
}

// patterns describes rows to callers. A name is the id in words: the field writes romaji in English
// texts too.
var patterns = func() (list [numPatterns]ruleset.Pattern) {
	for i, r := range rows {
		name := strings.ReplaceAll(strings.ReplaceAll(r.id, "_13", " juusanmen"), "_", " ")
		list[i] = ruleset.Pattern{ID: r.id, Name: strings.ToUpper(name[:1]) + name[1:], Native: r.native, Source: r.source, Yakuman: isYakuman(i)}
	}
	return list
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
	for id, r := range rows {
		l := ruleset.Listing{
			ID: r.id, Listed: ruleset.Price{Closed: int16(r.closed), Open: int16(r.open)}, Split: r.open > 0, Max: maxHan,
		}
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
