package hktw

import (
	_ "embed"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
)

// The fan in the order of the catalog ([H] 4.5): the constant, which is the index, and behind it the
// id, the names, the values with an open and with concealed melds only, which differ for combinations
// of melds, and the section, as package rows reads them.
const (
	base                  = iota // base: Base; 底; 5; 5; 4.5.1
	dealer                       // dealer: Dealer item; 莊家連拉; 1; 1; 4.5.1
	concealed                    // concealed: Concealed hand; 門清; 3; 3; 4.5.2
	ready                        // ready: Ready; 叮; 5; 5; 4.5.2
	concealedReady               // concealed_ready: Concealed ready; 門叮; 10; 10; 4.5.2
	oneShot                      // one_shot: One shot; 一發; 5; 5; 4.5.2
	selfDraw                     // self_draw: Self draw; 自摸; 1; 1; 4.5.2
	concealedSelfDraw            // concealed_self_draw: Concealed self draw; 門摸; 5; 5; 4.5.2
	halfBegging                  // half_begging: Half begging; 半求人; 15; 15; 4.5.2
	allBegging                   // all_begging: All begging; 全求人; 30; 30; 4.5.2
	lastTile                     // last_tile: Last tile; 海底; 10; 10; 4.5.2
	robbingKong                  // robbing_kong: Robbing a kong; 搶槓; 10; 10; 4.5.2
	flowerDraw                   // flower_draw: Draw after a flower; 花摸; 2; 2; 4.5.2
	kongDraw                     // kong_draw: Draw after a kong; 槓摸; 5; 5; 4.5.2
	tailChain                    // tail_chain: Consecutive tail draws; 尾牌連摸; 10; 10; 4.5.2
	doubleWin                    // double_win: Double win; 雙響; 5; 5; 4.5.2
	tripleWin                    // triple_win: Triple win; 三響; 10; 10; 4.5.2
	withinTen                    // within_ten: Within ten; 十子; 10; 10; 4.5.2
	withinSeven                  // within_seven: Within seven; 七子; 20; 20; 4.5.2
	withinFour                   // within_four: Within four; 四子; 40; 40; 4.5.2
	humanWin                     // human_win: Human win; 人糊; 80; 80; 4.5.2
	earthlyWin                   // earthly_win: Earthly win; 地糊; 120; 120; 4.5.2
	heavenlyWin                  // heavenly_win: Heavenly win; 天糊; 120; 120; 4.5.2
	readyHuman                   // ready_human: Human ready; 人叮; 20; 20; 4.5.2
	readyEarth                   // ready_earth: Earthly ready; 地叮; 30; 30; 4.5.2
	readyHeaven                  // ready_heaven: Heavenly ready; 天叮; 40; 40; 4.5.2
	fourthCopy                   // fourth_copy: Fourth copy; 四絕; 5; 5; 4.5.2
	trueLast                     // true_last: True last; 真絕; 10; 10; 4.5.2
	noFlowers                    // no_flowers: No flowers; 無花; 1; 1; 4.5.3
	flower                       // flower: Flower; 花牌; 1; 1; 4.5.3
	properFlower                 // proper_flower: Seat flower; 正花; 1; 1; 4.5.3
	oneFlowerSet                 // one_flower_set: One flower set; 一台花; 10; 10; 4.5.3
	twoFlowerSets                // two_flower_sets: Two flower sets; 兩台花; 40; 40; 4.5.3
	sevenRobOne                  // seven_rob_one: Seven rob one; 七搶一; 30; 30; 4.5.3
	noHonors                     // no_honors: No honors; 無字; 1; 1; 4.5.4
	noHonorsNoFlowers            // no_honors_no_flowers: No honors, no flowers; 無字花; 5; 5; 4.5.4
	honorPung                    // honor_pung: Honor pung; 字牌刻; 1; 1; 4.5.4
	properHonor                  // proper_honor: Proper honor; 正字; 1; 1; 4.5.4
	smallThreeDragons            // small_three_dragons: Small three dragons; 小三元; 30; 30; 4.5.4
	bigThreeDragons              // big_three_dragons: Big three dragons; 大三元; 60; 60; 4.5.4
	smallThreeWinds              // small_three_winds: Small three winds; 小三風; 20; 20; 4.5.4
	bigThreeWinds                // big_three_winds: Big three winds; 大三風; 40; 40; 4.5.4
	smallFourWinds               // small_four_winds: Small four winds; 小四喜; 80; 80; 4.5.4
	bigFourWinds                 // big_four_winds: Big four winds; 大四喜; 120; 120; 4.5.4
	allHonors                    // all_honors: All honors; 字一色; 80; 80; 4.5.4
	halfFlush                    // half_flush: Half flush; 混一色; 30; 30; 4.5.5
	fullFlush                    // full_flush: Full flush; 清一色; 80; 80; 4.5.5
	missingSuit                  // missing_suit: Missing one suit; 缺一門; 5; 5; 4.5.5
	missingFive                  // missing_five: No fives; 缺五; 10; 10; 4.5.5
	allSimples                   // all_simples: All simples; 斷么; 5; 5; 4.5.5
	mixedOutside                 // mixed_outside: Mixed outside hand; 混帶么; 20; 20; 4.5.5
	pureOutside                  // pure_outside: Pure outside hand; 全帶么; 40; 40; 4.5.5
	mixedTerminals               // mixed_terminals: All terminals and honors; 混么; 60; 60; 4.5.5
	pureTerminals                // pure_terminals: All terminals; 清么; 160; 160; 4.5.5
	mixedCommonRank              // mixed_common_rank: Mixed common rank; 混滿庭芳; 20; 20; 4.5.5
	pureCommonRank               // pure_common_rank: Pure common rank; 純滿庭芳; 40; 40; 4.5.5
	smallFiveTypes               // small_five_types: Small five types; 小五門; 10; 10; 4.5.5
	bigFiveTypes                 // big_five_types: Big five types; 大五門; 15; 15; 4.5.5
	smallSevenTypes              // small_seven_types: Small seven types; 小七門; 15; 15; 4.5.5
	bigSevenTypes                // big_seven_types: Big seven types; 大七門; 20; 20; 4.5.5
	allChows                     // all_chows: All chows; 平糊; 5; 5; 4.5.6
	grandAllChows                // grand_all_chows: Grand all chows; 大平; 15; 15; 4.5.6
	mixedPairChows               // mixed_pair_chows: Two-suit chows; 相逢; 2; 2; 4.5.6
	mixedTripleChows             // mixed_triple_chows: Three-suit chows; 三相逢; 8; 15; 4.5.6
	mixedStraight                // mixed_straight: Mixed straight; 雜龍; 8; 15; 4.5.6
	pureStraight                 // pure_straight: Pure straight; 清龍; 10; 20; 4.5.6
	mixedSteps                   // mixed_steps: Mixed steps; 雜步高; 5; 10; 4.5.6
	pureSteps                    // pure_steps: Pure steps; 清步高; 15; 30; 4.5.6
	linkedChain                  // linked_chain: Linked chain; 連環套; 10; 20; 4.5.6
	identicalChows               // identical_chows: Identical chows; 一般高; 5; 5; 4.5.6
	doubleIdenticalChows         // double_identical_chows: Double identical chows; 雙般高; 15; 15; 4.5.6
	tripleIdenticalChows         // triple_identical_chows: Triple identical chows; 一色三同順; 30; 30; 4.5.6
	quadIdenticalChows           // quad_identical_chows: Quadruple identical chows; 一色四同順; 120; 120; 4.5.6
	terminalChows                // terminal_chows: Terminal chows; 老少上; 3; 3; 4.5.6
	kong                         // kong: Kong; 槓子; 1; 2; 4.5.7
	allPungs                     // all_pungs: All pungs; 對對糊; 30; 30; 4.5.7
	concealedPungs2              // concealed_pungs_2: Two concealed pungs; 二暗刻; 5; 5; 4.5.7
	concealedPungs3              // concealed_pungs_3: Three concealed pungs; 三暗刻; 15; 15; 4.5.7
	concealedPungs4              // concealed_pungs_4: Four concealed pungs; 四暗刻; 30; 30; 4.5.7
	concealedPungs5              // concealed_pungs_5: Five concealed pungs; 五暗刻; 80; 80; 4.5.7
	pureConcealedPungs           // pure_concealed_pungs: Five concealed triplets; 坎坎糊; 120; 120; 4.5.7
	linkedPungs2                 // linked_pungs_2: Two linked pungs; 二連刻; 5; 5; 4.5.7
	smallLinkedPungs3            // small_linked_pungs_3: Small three linked pungs; 小三連刻; 10; 10; 4.5.7
	linkedPungs3                 // linked_pungs_3: Three linked pungs; 三連刻; 20; 20; 4.5.7
	samePungs2                   // same_pungs_2: Two same pungs; 二同刻; 5; 5; 4.5.7
	smallSamePungs3              // small_same_pungs_3: Small three same pungs; 小三同刻; 15; 15; 4.5.7
	samePungs3                   // same_pungs_3: Three same pungs; 三同刻; 30; 30; 4.5.7
	smallMixedLinkedPungs        // small_mixed_linked_pungs: Small mixed linked pungs; 小三色連刻; 8; 8; 4.5.7
	mixedLinkedPungs             // mixed_linked_pungs: Mixed linked pungs; 三色連刻; 15; 15; 4.5.7
	terminalPungs                // terminal_pungs: Terminal pungs; 老少碰; 5; 5; 4.5.7
	pair258                      // pair_258: 2-5-8 pair; 將眼; 2; 2; 4.5.8
	pungWait                     // pung_wait: Pung wait; 對碰; 1; 1; 4.5.8
	trueSingle                   // true_single: True single; 獨獨; 2; 2; 4.5.8
	fakeSingle                   // fake_single: Fake single; 假獨; 1; 1; 4.5.8
	returnTwo                    // return_two: Four in two groups; 四歸二; 5; 10; 4.5.8
	returnThree                  // return_three: Four in three groups; 四歸三; 10; 20; 4.5.8
	returnFour                   // return_four: Four in four groups; 四歸四; 20; 40; 4.5.8
	eightReturn                  // eight_return: Two returns; 八歸; 10; 20; 4.5.8
	twelveReturn                 // twelve_return: Three returns; 十二歸; 40; 40; 4.5.8
	bigChicken                   // big_chicken: Big chicken; 大雞; 30; 30; 4.5.9
	bigDuck                      // big_duck: Big duck; 大鴨; 10; 10; 4.5.9
	likGu                        // lik_gu: Lik gu; 嚦咕嚦咕; 40; 40; 4.5.9
	sixteenDisjoint              // sixteen_disjoint: Sixteen disjoint; 十六不搭; 50; 50; 4.5.9
	disjointSame                 // disjoint_same: Disjoint, same ranks; 不搭三相; 20; 20; 4.5.9
	disjointStraight             // disjoint_straight: Disjoint straight; 不搭雜龍; 30; 30; 4.5.9
	thirteenOrphans              // thirteen_orphans: Thirteen orphans; 十三么; 120; 120; 4.5.9
	numFans
)

// Indices of fan that only a Variant has.
const (
	seatWind = numFans + iota
	prevalentWind
	dragonPung
	numAll
)

//go:embed patterns.go
var source string

// patterns describes the fan to callers, and listed has the values of the catalog. The dealer item and
// the base are knobs of their own.
var patterns, listed = func() (list [numFans]ruleset.Pattern, values [numFans]price) {
	for id, r := range rows.Table(source) {
		list[id] = ruleset.Pattern{ID: r[0], Name: r[1], Native: r[2], Source: "[H] " + r[5]}
		values[id] = price{rows.Number(r[3]), rows.Number(r[4])}
	}
	return list, values
}()

// maxPoints is the highest price of a fan.
const maxPoints = 1000

// Prices holds the price of each fan where it is not that of the catalog.
type Prices [numFans]ruleset.Price

// Listings describes the fan in their order. Base and dealer item are priced by
// knobs of their own, which a price here replaces.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numFans)
	for id, p := range listed {
		list[id] = ruleset.Listing{
			ID: patterns[id].ID, Listed: ruleset.Price{Closed: p.concealed, Open: p.open}, Split: p.open != p.concealed, MinOpen: 1, Max: maxPoints,
		}
		if id == base || id == dealer {
			list[id].Listed = ruleset.Price{}
		}
	}
	return list
}

// fans is a set of fan.
type fans [2]uint64

func fansOf(ids ...int) (f fans) {
	for _, id := range ids {
		f.add(id)
	}
	return f
}

func (f *fans) add(id int) { f[id>>6&1] |= 1 << (id & 63) }

func (f *fans) has(id int) bool { return f[id>>6&1]>>(id&63)&1 != 0 }

func (f fans) and(g fans) fans { return fans{f[0] & g[0], f[1] & g[1]} }

func (f fans) or(g fans) fans { return fans{f[0] | g[0], f[1] | g[1]} }

func (f fans) without(g fans) fans { return fans{f[0] &^ g[0], f[1] &^ g[1]} }

// next returns the lowest fan of f, which must not be empty, and f without it.
func (f fans) next() (int, fans) {
	if f[0] != 0 {
		return bits.TrailingZeros64(f[0]), fans{f[0] & (f[0] - 1), f[1]}
	}
	return 64 + bits.TrailingZeros64(f[1]), fans{0, f[1] & (f[1] - 1)}
}
