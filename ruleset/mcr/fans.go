package mcr

import (
	_ "embed"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
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

// The fan of 88 to 6 points in the order of their numbers (GB06 3.8.1): the constant, and behind it
// the id, the names, the points, and which others are not counted with it, as package rows reads
// them. Pairs of fan that no reading of a hand has together are not listed, and neither are fan of
// which single units are not counted.
const (
	bigFourWinds                 majors = 1 << (63 - iota) // big_four_winds: Big Four Winds; 大四喜; 88; big_three_winds, all_pungs, prevalent_wind, seat_wind, pung_of_terminals_or_honors
	bigThreeDragons                                        // big_three_dragons: Big Three Dragons; 大三元; 88; two_dragon_pungs, dragon_pung
	allGreen                                               // all_green: All Green; 绿一色; 88; one_voided_suit
	nineGates                                              // nine_gates: Nine Gates; 九莲宝灯; 88; full_flush, concealed_hand, no_honors
	fourKongs                                              // four_kongs: Four Kongs; 四杠; 88; three_kongs, all_pungs, two_melded_kongs, mixed_kongs, melded_kong, single_wait
	sevenShiftedPairs                                      // seven_shifted_pairs: Seven Shifted Pairs; 连七对; 88; seven_pairs, full_flush, concealed_hand, no_honors, single_wait
	thirteenOrphans                                        // thirteen_orphans: Thirteen Orphans; 十三幺; 88; all_types, all_terminals_and_honors, concealed_hand, single_wait
	allTerminals                                           // all_terminals: All Terminals; 清幺九; 64; all_terminals_and_honors, all_pungs, outside_hand, pung_of_terminals_or_honors, no_honors
	littleFourWinds                                        // little_four_winds: Little Four Winds; 小四喜; 64; big_three_winds, pung_of_terminals_or_honors
	littleThreeDragons                                     // little_three_dragons: Little Three Dragons; 小三元; 64; two_dragon_pungs, dragon_pung
	allHonors                                              // all_honors: All Honors; 字一色; 64; all_terminals_and_honors, all_pungs, outside_hand, pung_of_terminals_or_honors
	fourConcealedPungs                                     // four_concealed_pungs: Four Concealed Pungs; 四暗刻; 64; three_concealed_pungs, all_pungs, two_concealed_pungs, concealed_hand
	pureTerminalChows                                      // pure_terminal_chows: Pure Terminal Chows; 一色双龙会; 64; full_flush, all_chows, no_honors
	quadrupleChow                                          // quadruple_chow: Quadruple Chow; 一色四同顺; 48; tile_hog
	fourPureShiftedPungs                                   // four_pure_shifted_pungs: Four Pure Shifted Pungs; 一色四节高; 48; pure_shifted_pungs, all_pungs
	fourPureShiftedChows                                   // four_pure_shifted_chows: Four Pure Shifted Chows; 一色四步高; 32
	threeKongs                                             // three_kongs: Three Kongs; 三杠; 32; two_melded_kongs, mixed_kongs, melded_kong
	allTerminalsAndHonors                                  // all_terminals_and_honors: All Terminals and Honors; 混幺九; 32; all_pungs, outside_hand, pung_of_terminals_or_honors
	sevenPairs                                             // seven_pairs: Seven Pairs; 七对; 24; concealed_hand, single_wait
	greaterHonorsAndKnittedTiles                           // greater_honors_and_knitted_tiles: Greater Honors and Knitted Tiles; 七星不靠; 24; all_types, lesser_honors_and_knitted_tiles, concealed_hand
	allEvenPungs                                           // all_even_pungs: All Even Pungs; 全双刻; 24; all_pungs, all_simples, no_honors
	fullFlush                                              // full_flush: Full Flush; 清一色; 24; no_honors
	pureTripleChow                                         // pure_triple_chow: Pure Triple Chow; 一色三同顺; 24
	pureShiftedPungs                                       // pure_shifted_pungs: Pure Shifted Pungs; 一色三节高; 24
	upperTiles                                             // upper_tiles: Upper Tiles; 全大; 24; upper_four, no_honors
	middleTiles                                            // middle_tiles: Middle Tiles; 全中; 24; all_simples, no_honors
	lowerTiles                                             // lower_tiles: Lower Tiles; 全小; 24; lower_four, no_honors
	pureStraight                                           // pure_straight: Pure Straight; 清龙; 16
	threeSuitedTerminalChows                               // three_suited_terminal_chows: Three-Suited Terminal Chows; 三色双龙会; 16; all_chows, no_honors
	pureShiftedChows                                       // pure_shifted_chows: Pure Shifted Chows; 一色三步高; 16
	allFives                                               // all_fives: All Fives; 全带五; 16; all_simples, no_honors
	triplePung                                             // triple_pung: Triple Pung; 三同刻; 16; double_pung
	threeConcealedPungs                                    // three_concealed_pungs: Three Concealed Pungs; 三暗刻; 16; two_concealed_pungs
	lesserHonorsAndKnittedTiles                            // lesser_honors_and_knitted_tiles: Lesser Honors and Knitted Tiles; 全不靠; 12; all_types, concealed_hand
	knittedStraight                                        // knitted_straight: Knitted Straight; 组合龙; 12
	upperFour                                              // upper_four: Upper Four; 大于五; 12; no_honors
	lowerFour                                              // lower_four: Lower Four; 小于五; 12; no_honors
	bigThreeWinds                                          // big_three_winds: Big Three Winds; 三风刻; 12
	mixedStraight                                          // mixed_straight: Mixed Straight; 花龙; 8
	reversibleTiles                                        // reversible_tiles: Reversible Tiles; 推不倒; 8; one_voided_suit
	mixedTripleChow                                        // mixed_triple_chow: Mixed Triple Chow; 三色三同顺; 8
	mixedShiftedPungs                                      // mixed_shifted_pungs: Mixed Shifted Pungs; 三色三节高; 8
	chickenHand                                            // chicken_hand: Chicken Hand; 无番和; 8
	lastTileDraw                                           // last_tile_draw: Last Tile Draw; 妙手回春; 8; self_drawn
	lastTileClaim                                          // last_tile_claim: Last Tile Claim; 海底捞月; 8
	outWithReplacementTile                                 // out_with_replacement_tile: Out with Replacement Tile; 杠上开花; 8; self_drawn
	robbingTheKong                                         // robbing_the_kong: Robbing the Kong; 抢杠和; 8; last_of_kind_tile
	twoConcealedKongs                                      // two_concealed_kongs: Two Concealed Kongs; 双暗杠; 8; concealed_kong
	allPungs                                               // all_pungs: All Pungs; 碰碰和; 6
	halfFlush                                              // half_flush: Half Flush; 混一色; 6
	mixedShiftedChows                                      // mixed_shifted_chows: Mixed Shifted Chows; 三色三步高; 6
	allTypes                                               // all_types: All Types; 五门齐; 6
	meldedHand                                             // melded_hand: Melded Hand; 全求人; 6; single_wait
	twoDragonPungs                                         // two_dragon_pungs: Two Dragon Pungs; 双箭刻; 6; dragon_pung
)

// One each of the fan of 4 to 1 points in the same form. One melded and one concealed kong are there
// as a case of fan 57.
const (
	outsideHand             minors = 1 << (62 - 2*iota) // outside_hand: Outside Hand; 全带幺; 4
	fullyConcealedHand                                  // fully_concealed_hand: Fully Concealed Hand; 不求人; 4; self_drawn, concealed_hand
	twoMeldedKongs                                      // two_melded_kongs: Two Melded Kongs; 双明杠; 4; melded_kong
	mixedKongs                                          // mixed_kongs: Melded and Concealed Kong; 明暗杠; 6; melded_kong, concealed_kong
	lastOfKindTile                                      // last_of_kind_tile: Last Tile; 和绝张; 4
	dragonPung                                          // dragon_pung: Dragon Pung; 箭刻; 2
	prevalentWind                                       // prevalent_wind: Prevalent Wind; 圈风刻; 2
	seatWind                                            // seat_wind: Seat Wind; 门风刻; 2
	concealedHand                                       // concealed_hand: Concealed Hand; 门前清; 2
	allChows                                            // all_chows: All Chows; 平和; 2; no_honors
	tileHog                                             // tile_hog: Tile Hog; 四归一; 2
	doublePung                                          // double_pung: Double Pung; 双同刻; 2
	twoConcealedPungs                                   // two_concealed_pungs: Two Concealed Pungs; 双暗刻; 2
	_                                                   // room for four of the next
	concealedKong                                       // concealed_kong: Concealed Kong; 暗杠; 2
	allSimples                                          // all_simples: All Simples; 断幺; 2; no_honors
	pureDoubleChow                                      // pure_double_chow: Pure Double Chow; 一般高; 1
	mixedDoubleChow                                     // mixed_double_chow: Mixed Double Chow; 喜相逢; 1
	shortStraight                                       // short_straight: Short Straight; 连六; 1
	twoTerminalChows                                    // two_terminal_chows: Two Terminal Chows; 老少副; 1
	_                                                   // room for four of the next
	pungOfTerminalsOrHonors                             // pung_of_terminals_or_honors: Pung of Terminals or Honors; 幺九刻; 1
	_                                                   // and again
	meldedKong                                          // melded_kong: Melded Kong; 明杠; 1
	oneVoidedSuit                                       // one_voided_suit: One Voided Suit; 缺一门; 1
	noHonors                                            // no_honors: No Honors; 无字; 1
	edgeWait                                            // edge_wait: Edge Wait; 边张; 1
	closedWait                                          // closed_wait: Closed Wait; 嵌张; 1
	singleWait                                          // single_wait: Single Wait; 单钓将; 1
	selfDrawn                                           // self_drawn: Self-Drawn; 自摸; 1
)

// flowerTiles is the index of the flowers, which no bag holds.
const (
	flowerTiles = 81 // flower_tiles: Flower Tiles; 花牌; 1
	numFans     = flowerTiles + 1
)

// every returns all units of one or several minor fan.
func every(m minors) minors {
	const fourTimes = pungOfTerminalsOrHonors | concealedKong | meldedKong
	m |= m & fourTimes << 2
	return m | m<<1
}

//go:embed fans.go
var source string

// row is what the table says of a fan: its place in a bag, what it is worth, and which others are not
// counted with it.
type row struct {
	points        int
	fan, excludes bag
}

// patterns describes the fan to callers, and table is that of the rule text.
var patterns, table = func() (patterns [numFans]ruleset.Pattern, table [numFans]row) {
	fan, id, number := bag{majors: bigFourWinds}, 0, 1
	fans, excluded := map[string]bag{}, [numFans]string{}
	for r := range rows.All(source) {
		if cells := strings.Split(r.Text, "; "); len(cells) > 1 { // not room for units, or a field
			patterns[id] = ruleset.Pattern{ID: r.ID, Name: cells[0], Native: cells[1], Source: fmt.Sprintf("GB06 3.8.1, fan %d", number)}
			table[id] = row{points: int(rows.Number(cells[2])), fan: fan}
			fans[r.ID], excluded[id] = fan, strings.Join(cells[3:], "")
			if id++; fan.minors != twoMeldedKongs {
				number++
			}
		}
		switch { // the constants of a block descend
		case fan.majors > twoDragonPungs:
			fan.majors >>= 1
		case fan.majors == twoDragonPungs:
			fan = bag{minors: outsideHand}
		case fan.minors > selfDrawn:
			fan.minors >>= 2
		default:
			fan = bag{}
		}
	}
	for id, list := range excluded {
		for name := range strings.SplitSeq(list, ", ") {
			other, ok := fans[name]
			if !ok && name != "" {
				panic("mcr: " + patterns[id].ID + " excludes an unknown fan " + name)
			}
			table[id].excludes.majors |= other.majors
			table[id].excludes.minors |= every(other.minors)
		}
	}
	return patterns, table
}()

// book is the rows indexed by bit: for each bit of majors, [0], and of minors, [1], its
// points, its pattern and the patterns that it excludes.
type book struct {
	points    [2][64]uint16
	pattern   [2][64]uint8
	excludes  [2][64]bag
	excluding bag // fan that exclude others
}

func newBook(table []row) (b book) {
	for i, r := range table {
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
		unit := table[fan].fan.minors
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
type Prices [numFans]ruleset.Price

// Listings describes the fan in the order of their numbers. Some are priced by
// knobs of their own, which a price here replaces.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numFans)
	for i, r := range table {
		list[i] = ruleset.Listing{
			ID: patterns[i].ID, Listed: ruleset.Price{Closed: int16(r.points), Open: int16(r.points)}, MinOpen: 1, Max: maxFan,
		}
		switch {
		case r.fan.majors == twoConcealedKongs, r.fan.minors == mixedKongs, i == flowerTiles:
			list[i].Listed = ruleset.Price{}
		}
	}
	return list
}

func placeOf(fan bag) int {
	return slices.IndexFunc(table[:], func(r row) bool { return r.fan == fan })
}
