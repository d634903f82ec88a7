package mcr

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// majors is a set of the fan of 88 to 6 points. No hand has one twice.
type majors uint64

// minors is a bag of the fan of 4 to 1 points, flowers apart: it counts each in
// two bits, kongs and pungs of terminals or honors, of which there can be four, in
// four.
type minors uint64

// bag is the fan of a hand. Of two bags the one whose list of fan by number,
// with repetitions, comes first is the greater pair of numbers, provided that
// neither list begins the other.
type bag struct {
	majors majors
	minors minors
}

// The fan of 88 to 6 points in their order.
const (
	bigFourWinds majors = 1 << (63 - iota)
	bigThreeDragons
	allGreen
	nineGates
	fourKongs
	sevenShiftedPairs
	thirteenOrphans
	allTerminals
	littleFourWinds
	littleThreeDragons
	allHonors
	fourConcealedPungs
	pureTerminalChows
	quadrupleChow
	fourPureShiftedPungs
	fourPureShiftedChows
	threeKongs
	allTerminalsAndHonors
	sevenPairs
	greaterHonorsAndKnittedTiles
	allEvenPungs
	fullFlush
	pureTripleChow
	pureShiftedPungs
	upperTiles
	middleTiles
	lowerTiles
	pureStraight
	threeSuitedTerminalChows
	pureShiftedChows
	allFives
	triplePung
	threeConcealedPungs
	lesserHonorsAndKnittedTiles
	knittedStraight
	upperFour
	lowerFour
	bigThreeWinds
	mixedStraight
	reversibleTiles
	mixedTripleChow
	mixedShiftedPungs
	chickenHand
	lastTileDraw
	lastTileClaim
	outWithReplacementTile
	robbingTheKong
	twoConcealedKongs
	allPungs
	halfFlush
	mixedShiftedChows
	allTypes
	meldedHand
	twoDragonPungs
)

// One each of the fan of 4 to 1 points in their order.
const (
	outsideHand minors = 1 << (62 - 2*iota)
	fullyConcealedHand
	twoMeldedKongs
	mixedKongs
	lastOfKindTile
	dragonPung
	prevalentWind
	seatWind
	concealedHand
	allChows
	tileHog
	doublePung
	twoConcealedPungs
	_ // room for four of the next
	concealedKong
	allSimples
	pureDoubleChow
	mixedDoubleChow
	shortStraight
	twoTerminalChows
	_ // room for four of the next
	pungOfTerminalsOrHonors
	_ // and again
	meldedKong
	oneVoidedSuit
	noHonors
	edgeWait
	closedWait
	singleWait
	selfDrawn
)

// every returns all units of one or several minor fan.
func every(m minors) minors {
	const fourTimes = pungOfTerminalsOrHonors | concealedKong | meldedKong
	m |= m & fourTimes << 2
	return m | m<<1
}

// row describes a fan: its place in a bag, what it is worth, and which others
// are not counted with it. Pairs of fan that no reading of a hand has together
// are not listed, and neither are fan of which single units are not counted.
type row struct {
	number           int
	id, name, native string
	points           int
	fan, excludes    bag
}

// rows describe the fan (GB06 3.8.1). One melded and one concealed kong are
// there as a case of fan 57.
var rows = [...]row{
	{1, "big_four_winds", "Big Four Winds", "大四喜", 88, bag{bigFourWinds, 0}, bag{bigThreeWinds | allPungs, every(prevalentWind | seatWind | pungOfTerminalsOrHonors)}},
	{2, "big_three_dragons", "Big Three Dragons", "大三元", 88, bag{bigThreeDragons, 0}, bag{twoDragonPungs, every(dragonPung)}},
	{3, "all_green", "All Green", "绿一色", 88, bag{allGreen, 0}, bag{0, every(oneVoidedSuit)}},
	{4, "nine_gates", "Nine Gates", "九莲宝灯", 88, bag{nineGates, 0}, bag{fullFlush, every(concealedHand | noHonors)}},
	{5, "four_kongs", "Four Kongs", "四杠", 88, bag{fourKongs, 0}, bag{threeKongs | allPungs, every(twoMeldedKongs | mixedKongs | meldedKong | singleWait)}},
	{6, "seven_shifted_pairs", "Seven Shifted Pairs", "连七对", 88, bag{sevenShiftedPairs, 0}, bag{sevenPairs | fullFlush, every(concealedHand | noHonors | singleWait)}},
	{7, "thirteen_orphans", "Thirteen Orphans", "十三幺", 88, bag{thirteenOrphans, 0}, bag{allTypes | allTerminalsAndHonors, every(concealedHand | singleWait)}},
	{8, "all_terminals", "All Terminals", "清幺九", 64, bag{allTerminals, 0}, bag{allTerminalsAndHonors | allPungs, every(outsideHand | pungOfTerminalsOrHonors | noHonors)}},
	{9, "little_four_winds", "Little Four Winds", "小四喜", 64, bag{littleFourWinds, 0}, bag{bigThreeWinds, every(pungOfTerminalsOrHonors)}},
	{10, "little_three_dragons", "Little Three Dragons", "小三元", 64, bag{littleThreeDragons, 0}, bag{twoDragonPungs, every(dragonPung)}},
	{11, "all_honors", "All Honors", "字一色", 64, bag{allHonors, 0}, bag{allTerminalsAndHonors | allPungs, every(outsideHand | pungOfTerminalsOrHonors)}},
	{12, "four_concealed_pungs", "Four Concealed Pungs", "四暗刻", 64, bag{fourConcealedPungs, 0}, bag{threeConcealedPungs | allPungs, every(twoConcealedPungs | concealedHand)}},
	{13, "pure_terminal_chows", "Pure Terminal Chows", "一色双龙会", 64, bag{pureTerminalChows, 0}, bag{fullFlush, every(allChows | noHonors)}},
	{14, "quadruple_chow", "Quadruple Chow", "一色四同顺", 48, bag{quadrupleChow, 0}, bag{0, every(tileHog)}},
	{15, "four_pure_shifted_pungs", "Four Pure Shifted Pungs", "一色四节高", 48, bag{fourPureShiftedPungs, 0}, bag{pureShiftedPungs | allPungs, 0}},
	{16, "four_pure_shifted_chows", "Four Pure Shifted Chows", "一色四步高", 32, bag{fourPureShiftedChows, 0}, bag{}},
	{17, "three_kongs", "Three Kongs", "三杠", 32, bag{threeKongs, 0}, bag{0, every(twoMeldedKongs | mixedKongs | meldedKong)}},
	{18, "all_terminals_and_honors", "All Terminals and Honors", "混幺九", 32, bag{allTerminalsAndHonors, 0}, bag{allPungs, every(outsideHand | pungOfTerminalsOrHonors)}},
	{19, "seven_pairs", "Seven Pairs", "七对", 24, bag{sevenPairs, 0}, bag{0, every(concealedHand | singleWait)}},
	{20, "greater_honors_and_knitted_tiles", "Greater Honors and Knitted Tiles", "七星不靠", 24, bag{greaterHonorsAndKnittedTiles, 0}, bag{allTypes | lesserHonorsAndKnittedTiles, every(concealedHand)}},
	{21, "all_even_pungs", "All Even Pungs", "全双刻", 24, bag{allEvenPungs, 0}, bag{allPungs, every(allSimples | noHonors)}},
	{22, "full_flush", "Full Flush", "清一色", 24, bag{fullFlush, 0}, bag{0, every(noHonors)}},
	{23, "pure_triple_chow", "Pure Triple Chow", "一色三同顺", 24, bag{pureTripleChow, 0}, bag{}},
	{24, "pure_shifted_pungs", "Pure Shifted Pungs", "一色三节高", 24, bag{pureShiftedPungs, 0}, bag{}},
	{25, "upper_tiles", "Upper Tiles", "全大", 24, bag{upperTiles, 0}, bag{upperFour, every(noHonors)}},
	{26, "middle_tiles", "Middle Tiles", "全中", 24, bag{middleTiles, 0}, bag{0, every(allSimples | noHonors)}},
	{27, "lower_tiles", "Lower Tiles", "全小", 24, bag{lowerTiles, 0}, bag{lowerFour, every(noHonors)}},
	{28, "pure_straight", "Pure Straight", "清龙", 16, bag{pureStraight, 0}, bag{}},
	{29, "three_suited_terminal_chows", "Three-Suited Terminal Chows", "三色双龙会", 16, bag{threeSuitedTerminalChows, 0}, bag{0, every(allChows | noHonors)}},
	{30, "pure_shifted_chows", "Pure Shifted Chows", "一色三步高", 16, bag{pureShiftedChows, 0}, bag{}},
	{31, "all_fives", "All Fives", "全带五", 16, bag{allFives, 0}, bag{0, every(allSimples | noHonors)}},
	{32, "triple_pung", "Triple Pung", "三同刻", 16, bag{triplePung, 0}, bag{0, every(doublePung)}},
	{33, "three_concealed_pungs", "Three Concealed Pungs", "三暗刻", 16, bag{threeConcealedPungs, 0}, bag{0, every(twoConcealedPungs)}},
	{34, "lesser_honors_and_knitted_tiles", "Lesser Honors and Knitted Tiles", "全不靠", 12, bag{lesserHonorsAndKnittedTiles, 0}, bag{allTypes, every(concealedHand)}},
	{35, "knitted_straight", "Knitted Straight", "组合龙", 12, bag{knittedStraight, 0}, bag{}},
	{36, "upper_four", "Upper Four", "大于五", 12, bag{upperFour, 0}, bag{0, every(noHonors)}},
	{37, "lower_four", "Lower Four", "小于五", 12, bag{lowerFour, 0}, bag{0, every(noHonors)}},
	{38, "big_three_winds", "Big Three Winds", "三风刻", 12, bag{bigThreeWinds, 0}, bag{}},
	{39, "mixed_straight", "Mixed Straight", "花龙", 8, bag{mixedStraight, 0}, bag{}},
	{40, "reversible_tiles", "Reversible Tiles", "推不倒", 8, bag{reversibleTiles, 0}, bag{0, every(oneVoidedSuit)}},
	{41, "mixed_triple_chow", "Mixed Triple Chow", "三色三同顺", 8, bag{mixedTripleChow, 0}, bag{}},
	{42, "mixed_shifted_pungs", "Mixed Shifted Pungs", "三色三节高", 8, bag{mixedShiftedPungs, 0}, bag{}},
	{43, "chicken_hand", "Chicken Hand", "无番和", 8, bag{chickenHand, 0}, bag{}},
	{44, "last_tile_draw", "Last Tile Draw", "妙手回春", 8, bag{lastTileDraw, 0}, bag{0, every(selfDrawn)}},
	{45, "last_tile_claim", "Last Tile Claim", "海底捞月", 8, bag{lastTileClaim, 0}, bag{}},
	{46, "out_with_replacement_tile", "Out with Replacement Tile", "杠上开花", 8, bag{outWithReplacementTile, 0}, bag{0, every(selfDrawn)}},
	{47, "robbing_the_kong", "Robbing the Kong", "抢杠和", 8, bag{robbingTheKong, 0}, bag{0, every(lastOfKindTile)}},
	{48, "two_concealed_kongs", "Two Concealed Kongs", "双暗杠", 8, bag{twoConcealedKongs, 0}, bag{0, every(concealedKong)}},
	{49, "all_pungs", "All Pungs", "碰碰和", 6, bag{allPungs, 0}, bag{}},
	{50, "half_flush", "Half Flush", "混一色", 6, bag{halfFlush, 0}, bag{}},
	{51, "mixed_shifted_chows", "Mixed Shifted Chows", "三色三步高", 6, bag{mixedShiftedChows, 0}, bag{}},
	{52, "all_types", "All Types", "五门齐", 6, bag{allTypes, 0}, bag{}},
	{53, "melded_hand", "Melded Hand", "全求人", 6, bag{meldedHand, 0}, bag{0, every(singleWait)}},
	{54, "two_dragon_pungs", "Two Dragon Pungs", "双箭刻", 6, bag{twoDragonPungs, 0}, bag{0, every(dragonPung)}},
	{55, "outside_hand", "Outside Hand", "全带幺", 4, bag{0, outsideHand}, bag{}},
	{56, "fully_concealed_hand", "Fully Concealed Hand", "不求人", 4, bag{0, fullyConcealedHand}, bag{0, every(selfDrawn | concealedHand)}},
	{57, "two_melded_kongs", "Two Melded Kongs", "双明杠", 4, bag{0, twoMeldedKongs}, bag{0, every(meldedKong)}},
	{57, "mixed_kongs", "Melded and Concealed Kong", "明暗杠", 6, bag{0, mixedKongs}, bag{0, every(meldedKong | concealedKong)}},
	{58, "last_of_kind_tile", "Last Tile", "和绝张", 4, bag{0, lastOfKindTile}, bag{}},
	{59, "dragon_pung", "Dragon Pung", "箭刻", 2, bag{0, dragonPung}, bag{}},
	{60, "prevalent_wind", "Prevalent Wind", "圈风刻", 2, bag{0, prevalentWind}, bag{}},
	{61, "seat_wind", "Seat Wind", "门风刻", 2, bag{0, seatWind}, bag{}},
	{62, "concealed_hand", "Concealed Hand", "门前清", 2, bag{0, concealedHand}, bag{}},
	{63, "all_chows", "All Chows", "平和", 2, bag{0, allChows}, bag{0, every(noHonors)}},
	{64, "tile_hog", "Tile Hog", "四归一", 2, bag{0, tileHog}, bag{}},
	{65, "double_pung", "Double Pung", "双同刻", 2, bag{0, doublePung}, bag{}},
	{66, "two_concealed_pungs", "Two Concealed Pungs", "双暗刻", 2, bag{0, twoConcealedPungs}, bag{}},
	{67, "concealed_kong", "Concealed Kong", "暗杠", 2, bag{0, concealedKong}, bag{}},
	{68, "all_simples", "All Simples", "断幺", 2, bag{0, allSimples}, bag{0, every(noHonors)}},
	{69, "pure_double_chow", "Pure Double Chow", "一般高", 1, bag{0, pureDoubleChow}, bag{}},
	{70, "mixed_double_chow", "Mixed Double Chow", "喜相逢", 1, bag{0, mixedDoubleChow}, bag{}},
	{71, "short_straight", "Short Straight", "连六", 1, bag{0, shortStraight}, bag{}},
	{72, "two_terminal_chows", "Two Terminal Chows", "老少副", 1, bag{0, twoTerminalChows}, bag{}},
	{73, "pung_of_terminals_or_honors", "Pung of Terminals or Honors", "幺九刻", 1, bag{0, pungOfTerminalsOrHonors}, bag{}},
	{74, "melded_kong", "Melded Kong", "明杠", 1, bag{0, meldedKong}, bag{}},
	{75, "one_voided_suit", "One Voided Suit", "缺一门", 1, bag{0, oneVoidedSuit}, bag{}},
	{76, "no_honors", "No Honors", "无字", 1, bag{0, noHonors}, bag{}},
	{77, "edge_wait", "Edge Wait", "边张", 1, bag{0, edgeWait}, bag{}},
	{78, "closed_wait", "Closed Wait", "嵌张", 1, bag{0, closedWait}, bag{}},
	{79, "single_wait", "Single Wait", "单钓将", 1, bag{0, singleWait}, bag{}},
	{80, "self_drawn", "Self-Drawn", "自摸", 1, bag{0, selfDrawn}, bag{}},
	{81, "flower_tiles", "Flower Tiles", "花牌", 1, bag{}, bag{}},
}

// flowerTiles is the index of the flowers, which no bag holds.
const flowerTiles = len(rows) - 1

// patterns describes rows to callers.
var patterns = func() (list [len(rows)]ruleset.Pattern) {
	for i, r := range rows {
		list[i] = ruleset.Pattern{
			ID: r.id, Name: r.name, Native: r.native,
			Source: fmt.Sprintf("GB06 3.8.1, fan %d", r.number),
		}
	}
	return list
}()

// book is the rows indexed by bit: for each bit of majors, [0], and of minors, [1], its
// points, its pattern and the patterns that it excludes.
type book struct {
	points    [2][64]uint16
	pattern   [2][64]uint8
	excludes  [2][64]bag
	excluding bag // fan that exclude others
}

func newBook(rows []row) (b book) {
	for i, r := range rows {
		note := func(half, bit, units int) {
			b.points[half][bit] = uint16(units * r.points)
			b.pattern[half][bit] = uint8(i)
			b.excludes[half][bit] = r.excludes
		}
		for m := r.fan.majors; m != 0; m &= m - 1 {
			note(0, bits.TrailingZeros64(uint64(m)), 1)
		}
		units := 1
		for m := every(r.fan.minors); m != 0; m &= m - 1 {
			note(1, bits.TrailingZeros64(uint64(m)), units)
			units *= 2
		}
		if r.excludes != (bag{}) {
			b.excluding.majors |= r.fan.majors
			b.excluding.minors |= every(r.fan.minors)
		}
	}
	return b
}

// counted returns the fan of a reading without those that others exclude. A
// fan that is itself excluded still excludes. Minor fan exclude no major ones.
func (b *book) counted(held bag) bag {
	left := held
	for m := held.majors & b.excluding.majors; m != 0; m &= m - 1 {
		e := &b.excludes[0][bits.TrailingZeros64(uint64(m))&63]
		left.majors &^= e.majors
		left.minors &^= e.minors
	}
	for m := held.minors & b.excluding.minors; m != 0; m &= m - 1 {
		left.minors &^= b.excludes[1][bits.TrailingZeros64(uint64(m))&63].minors
	}
	return left
}

func (b *book) worth(held bag) int {
	sum := 0
	for m := held.majors; m != 0; m &= m - 1 {
		sum += int(b.points[0][bits.TrailingZeros64(uint64(m))&63])
	}
	for m := held.minors; m != 0; m &= m - 1 {
		sum += int(b.points[1][bits.TrailingZeros64(uint64(m))&63])
	}
	return sum
}

// list appends the fan of a bag to v in the order of their numbers.
func (b *book) list(held bag, v *ruleset.Value) {
	for m := held.majors; m != 0; {
		bit := 63 - bits.LeadingZeros64(uint64(m))&63
		v.Add(b.pattern[0][bit], int16(b.points[0][bit]))
		m &^= 1 << bit
	}
	for m := held.minors; m != 0; {
		fan := b.pattern[1][63-bits.LeadingZeros64(uint64(m))&63]
		unit := rows[fan].fan.minors
		shift := bits.TrailingZeros64(uint64(unit)) & 63
		count := int16(m & every(unit) >> shift)
		v.Add(fan, count*int16(b.points[1][shift]))
		m &^= every(unit)
	}
}

// before reports whether a bag of the same points comes first in the canonical
// order.
func (b bag) before(c bag) bool {
	return b.majors > c.majors || b.majors == c.majors && b.minors > c.minors
}

// and returns the fan of both bags.
func (b bag) and(c bag) bag { return bag{b.majors | c.majors, b.minors + c.minors} }

func (b bag) without(c bag) bag { return bag{b.majors &^ c.majors, b.minors &^ c.minors} }

// maxFan is the highest price of a fan.
const maxFan = 1000

// Prices holds the price of each fan where it is not the listed one.
type Prices [len(rows)]ruleset.Price

// Listings describes the fan in the order of their numbers. Some are priced by
// knobs of their own, which a price here replaces.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, len(rows))
	for i, r := range rows {
		list[i] = ruleset.Listing{
			ID: r.id, Listed: ruleset.Price{Closed: int16(r.points), Open: int16(r.points)}, MinOpen: 1, Max: maxFan,
		}
		switch {
		case r.fan.majors == twoConcealedKongs, r.fan.minors == mixedKongs, i == flowerTiles:
			list[i].Listed = ruleset.Price{}
		}
	}
	return list
}

func placeOf(fan bag) int {
	return slices.IndexFunc(rows[:], func(r row) bool { return r.fan == fan })
}
