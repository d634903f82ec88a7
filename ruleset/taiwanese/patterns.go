package taiwanese

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Indices of the patterns, those of the table in its order ([T] 6).
const (
	dealer = iota
	selfDraw
	concealed
	concealedSelfDraw
	trueSingle
	halfBegging
	allBegging
	seatWind
	prevalentWind
	dragonPung
	properFlower
	oneFlowerSet
	twoFlowerSets
	sevenRobOne
	robbingKong
	kongDraw
	flowerDraw
	lastTile
	allChows
	concealedPungs3
	concealedPungs4
	concealedPungs5
	allPungs
	halfFlush
	fullFlush
	allHonors
	smallThreeDragons
	bigThreeDragons
	smallFourWinds
	bigFourWinds
	readyHeaven
	readyEarth
	readyEarly
	ready
	heavenlyWin
	earthlyWin
	humanWin
	likGu
	flower
	honorPung
	kong
	numPatterns
)

// Groups of patterns of which a hand has one at most.
const (
	anyGroup = iota
	beggingGroup
	tailGroup
	pungsGroup
	suitGroup
	dragonsGroup
	windsGroup
	readyGroup
	firstGroup
	numGroups
)

// rows describe the patterns of the table: what they count, how often one hand may have them,
// and the group whose others it then lacks.
var rows = [numPatterns]struct {
	id, name, native string
	tai              int16
	times, group     uint8
}{
	dealer:            {"dealer", "Dealer Item", "莊家連拉", 1, 1, anyGroup},
	selfDraw:          {"self_draw", "Self-draw", "自摸", 1, 1, anyGroup},
	concealed:         {"concealed", "Concealed Hand", "門清", 1, 1, anyGroup},
	concealedSelfDraw: {"concealed_self_draw", "Concealed Self-draw", "門清自摸", 3, 1, anyGroup},
	trueSingle:        {"true_single", "Single Wait", "獨聽", 1, 1, anyGroup},
	halfBegging:       {"half_begging", "Half Begging", "半求", 1, 1, beggingGroup},
	allBegging:        {"all_begging", "All Begging", "全求", 2, 1, beggingGroup},
	seatWind:          {"seat_wind", "Seat Wind", "門風", 1, 1, anyGroup},
	prevalentWind:     {"prevalent_wind", "Prevalent Wind", "圈風", 1, 1, anyGroup},
	dragonPung:        {"dragon_pung", "Dragon Pung", "三元牌", 1, 3, anyGroup},
	properFlower:      {"proper_flower", "Seat Flower", "正花", 1, 2, anyGroup},
	oneFlowerSet:      {"one_flower_set", "One Flower Set", "花槓", 2, 2, anyGroup},
	twoFlowerSets:     {"two_flower_sets", "Eight Flowers", "八仙過海", 8, 1, anyGroup},
	sevenRobOne:       {"seven_rob_one", "Seven Rob One", "七搶一", 8, 1, anyGroup},
	robbingKong:       {"robbing_kong", "Robbing a Kong", "搶槓", 1, 1, tailGroup},
	kongDraw:          {"kong_draw", "Draw after a Kong", "槓上開花", 1, 1, tailGroup},
	flowerDraw:        {"flower_draw", "Draw after a Flower", "花上自摸", 1, 1, tailGroup},
	lastTile:          {"last_tile", "Last Tile", "海底撈月", 1, 1, anyGroup},
	allChows:          {"all_chows", "All Chows", "平胡", 2, 1, anyGroup},
	concealedPungs3:   {"concealed_pungs_3", "Three Concealed Pungs", "三暗刻", 2, 1, pungsGroup},
	concealedPungs4:   {"concealed_pungs_4", "Four Concealed Pungs", "四暗刻", 5, 1, pungsGroup},
	concealedPungs5:   {"concealed_pungs_5", "Five Concealed Pungs", "五暗刻", 8, 1, pungsGroup},
	allPungs:          {"all_pungs", "All Pungs", "碰碰胡", 4, 1, anyGroup},
	halfFlush:         {"half_flush", "Half Flush", "混一色", 4, 1, suitGroup},
	fullFlush:         {"full_flush", "Full Flush", "清一色", 8, 1, suitGroup},
	allHonors:         {"all_honors", "All Honors", "字一色", 16, 1, suitGroup},
	smallThreeDragons: {"small_three_dragons", "Small Three Dragons", "小三元", 4, 1, dragonsGroup},
	bigThreeDragons:   {"big_three_dragons", "Big Three Dragons", "大三元", 8, 1, dragonsGroup},
	smallFourWinds:    {"small_four_winds", "Small Four Winds", "小四喜", 8, 1, windsGroup},
	bigFourWinds:      {"big_four_winds", "Big Four Winds", "大四喜", 16, 1, windsGroup},
	readyHeaven:       {"ready_heaven", "Heavenly Ready", "天聽", 8, 1, readyGroup},
	readyEarth:        {"ready_earth", "Earthly Ready", "地聽", 4, 1, readyGroup},
	readyEarly:        {"ready_early", "Early Ready", "咪幾", 8, 1, readyGroup},
	ready:             {"ready", "Ready", "聽牌", 1, 1, readyGroup},
	heavenlyWin:       {"heavenly_win", "Heavenly Win", "天胡", 24, 1, firstGroup},
	earthlyWin:        {"earthly_win", "Earthly Win", "地胡", 16, 1, firstGroup},
	humanWin:          {"human_win", "Human Win", "人胡", 8, 1, firstGroup},
	likGu:             {"lik_gu", "Lik Gu", "嚦咕嚦咕", 8, 1, anyGroup},
	flower:            {"flower", "Flower", "見花", 1, 8, anyGroup},
	honorPung:         {"honor_pung", "Honor Pung", "見字", 1, 5, anyGroup},
	kong:              {"kong", "Kong", "槓", 1, 5, anyGroup},
}

// patterns describes rows to callers.
var patterns = func() (list [numPatterns]ruleset.Pattern) {
	for i, r := range rows {
		row := i + 1
		if i >= honorPung { // flower and honor_pung share a row
			row--
		}
		list[i] = ruleset.Pattern{ID: r.id, Name: r.name, Native: r.native, Source: fmt.Sprintf("[T] 6 row %d", row)}
	}
	return list
}()

// maxTai is the highest price of a pattern.
const maxTai = 100

// Prices holds the price of each pattern where it is not that of the table.
type Prices [numPatterns]ruleset.Price

// Listings describes the patterns in their order. The dealer item is priced by a knob of its
// own, which a price here replaces.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numPatterns)
	for id, r := range rows {
		list[id] = ruleset.Listing{ID: r.id, Listed: ruleset.Price{Closed: r.tai, Open: r.tai}, MinOpen: 1, Max: maxTai}
	}
	list[dealer].Listed = ruleset.Price{}
	return list
}
