package taiwanese

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
)

// The patterns in the order of the table ([T] 6): the constant, which is the index, and behind it the
// id, the names, the tai, how often a hand may have it, and its group, as package rows reads them.
const (
	dealer            = iota // dealer: Dealer Item; 莊家連拉; 1; 1
	selfDraw                 // self_draw: Self-draw; 自摸; 1; 1
	concealed                // concealed: Concealed Hand; 門清; 1; 1
	concealedSelfDraw        // concealed_self_draw: Concealed Self-draw; 門清自摸; 3; 1
	trueSingle               // true_single: Single Wait; 獨聽; 1; 1
	halfBegging              // half_begging: Half Begging; 半求; 1; 1; begging
	allBegging               // all_begging: All Begging; 全求; 2; 1; begging
	seatWind                 // seat_wind: Seat Wind; 門風; 1; 1
	prevalentWind            // prevalent_wind: Prevalent Wind; 圈風; 1; 1
	dragonPung               // dragon_pung: Dragon Pung; 三元牌; 1; 3
	properFlower             // proper_flower: Seat Flower; 正花; 1; 2
	oneFlowerSet             // one_flower_set: One Flower Set; 花槓; 2; 2
	twoFlowerSets            // two_flower_sets: Eight Flowers; 八仙過海; 8; 1
	sevenRobOne              // seven_rob_one: Seven Rob One; 七搶一; 8; 1
	robbingKong              // robbing_kong: Robbing a Kong; 搶槓; 1; 1; tail
	kongDraw                 // kong_draw: Draw after a Kong; 槓上開花; 1; 1; tail
	flowerDraw               // flower_draw: Draw after a Flower; 花上自摸; 1; 1; tail
	lastTile                 // last_tile: Last Tile; 海底撈月; 1; 1
	allChows                 // all_chows: All Chows; 平胡; 2; 1
	concealedPungs3          // concealed_pungs_3: Three Concealed Pungs; 三暗刻; 2; 1; pungs
	concealedPungs4          // concealed_pungs_4: Four Concealed Pungs; 四暗刻; 5; 1; pungs
	concealedPungs5          // concealed_pungs_5: Five Concealed Pungs; 五暗刻; 8; 1; pungs
	allPungs                 // all_pungs: All Pungs; 碰碰胡; 4; 1
	halfFlush                // half_flush: Half Flush; 混一色; 4; 1; suit
	fullFlush                // full_flush: Full Flush; 清一色; 8; 1; suit
	allHonors                // all_honors: All Honors; 字一色; 16; 1; suit
	smallThreeDragons        // small_three_dragons: Small Three Dragons; 小三元; 4; 1; dragons
	bigThreeDragons          // big_three_dragons: Big Three Dragons; 大三元; 8; 1; dragons
	smallFourWinds           // small_four_winds: Small Four Winds; 小四喜; 8; 1; winds
	bigFourWinds             // big_four_winds: Big Four Winds; 大四喜; 16; 1; winds
	readyHeaven              // ready_heaven: Heavenly Ready; 天聽; 8; 1; ready
	readyEarth               // ready_earth: Earthly Ready; 地聽; 4; 1; ready
	readyEarly               // ready_early: Early Ready; 咪幾; 8; 1; ready
	ready                    // ready: Ready; 聽牌; 1; 1; ready
	heavenlyWin              // heavenly_win: Heavenly Win; 天胡; 24; 1; first
	earthlyWin               // earthly_win: Earthly Win; 地胡; 16; 1; first
	humanWin                 // human_win: Human Win; 人胡; 8; 1; first
	likGu                    // lik_gu: Lik Gu; 嚦咕嚦咕; 8; 1
	flower                   // flower: Flower; 見花; 1; 8
	honorPung                // honor_pung: Honor Pung; 見字; 1; 5
	kong                     // kong: Kong; 槓; 1; 5
	numPatterns
)

//go:embed patterns.go
var source string

// row is what the table says of a pattern: its tai, how often one hand may have it, and the group of
// which a hand has one pattern at most, or none.
type row struct {
	tai, times int16
	group      string
}

// patterns describes the patterns to callers, and table is that of the rule text.
var patterns, table = func() (list [numPatterns]ruleset.Pattern, table [numPatterns]row) {
	for id, r := range rows.Table(source) {
		number := id + 1
		if id >= honorPung { // flower and honor_pung share a row
			number--
		}
		list[id] = ruleset.Pattern{ID: r[0], Name: r[1], Native: r[2], Source: fmt.Sprintf("[T] 6 row %d", number)}
		table[id] = row{tai: rows.Number(r[3]), times: rows.Number(r[4]), group: strings.Join(r[5:], "")}
	}
	return list, table
}()

// maxTai is the highest price of a pattern.
const maxTai = 100

// Prices holds the price of each pattern where it is not that of the table.
type Prices [numPatterns]ruleset.Price

// Listings describes the patterns in their order. The dealer item is priced by a knob of its
// own, which a price here replaces.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numPatterns)
	for id, r := range table {
		list[id] = ruleset.Listing{ID: patterns[id].ID, Listed: ruleset.Price{Closed: r.tai, Open: r.tai}, MinOpen: 1, Max: maxTai}
	}
	list[dealer].Listed = ruleset.Price{}
	return list
}
