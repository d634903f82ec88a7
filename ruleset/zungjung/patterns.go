package zungjung

import (
	_ "embed"
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
)

// The patterns in the order of the table ([Z] 3.4): the constant, which is the index, and behind it
// the id, the names, the points and the series, as package rows reads them. A set of patterns is a
// uint64 with their bits.
const (
	allSequences               = iota // all_sequences: All Sequences; 平和; 5; 11
	concealedHand                     // concealed_hand: Concealed Hand; 門前清; 5; 12
	noTerminals                       // no_terminals: No Terminals; 斷么九; 5; 13
	mixedOneSuit                      // mixed_one_suit: Mixed One-Suit; 混一色; 40; 21
	pureOneSuit                       // pure_one_suit: Pure One-Suit; 清一色; 80; 21
	nineGates                         // nine_gates: Nine Gates; 九蓮寶燈; 480; 22
	valueHonor                        // value_honor: Value Honor; 番牌; 10; 31
	smallThreeDragons                 // small_three_dragons: Small Three Dragons; 小三元; 40; 32
	bigThreeDragons                   // big_three_dragons: Big Three Dragons; 大三元; 130; 32
	smallThreeWinds                   // small_three_winds: Small Three Winds; 小三風; 30; 33
	bigThreeWinds                     // big_three_winds: Big Three Winds; 大三風; 120; 33
	smallFourWinds                    // small_four_winds: Small Four Winds; 小四喜; 320; 33
	bigFourWinds                      // big_four_winds: Big Four Winds; 大四喜; 400; 33
	allHonors                         // all_honors: All Honors; 字一色; 320; 34
	allTriplets                       // all_triplets: All Triplets; 對對和; 30; 41
	twoConcealedTriplets              // two_concealed_triplets: Two Concealed Triplets; 二暗刻; 5; 42
	threeConcealedTriplets            // three_concealed_triplets: Three Concealed Triplets; 三暗刻; 30; 42
	fourConcealedTriplets             // four_concealed_triplets: Four Concealed Triplets; 四暗刻; 125; 42
	oneKong                           // one_kong: One Kong; 一槓; 5; 43
	twoKong                           // two_kong: Two Kong; 二槓; 20; 43
	threeKong                         // three_kong: Three Kong; 三槓; 120; 43
	fourKong                          // four_kong: Four Kong; 四槓; 480; 43
	twoIdenticalSequences             // two_identical_sequences: Two Identical Sequences; 一般高; 10; 51
	twoIdenticalSequencesTwice        // two_identical_sequences_twice: Two Identical Sequences Twice; 兩般高; 60; 51
	threeIdenticalSequences           // three_identical_sequences: Three Identical Sequences; 一色三同順; 120; 51
	fourIdenticalSequences            // four_identical_sequences: Four Identical Sequences; 一色四同順; 480; 51
	threeSimilarSequences             // three_similar_sequences: Three Similar Sequences; 三色同順; 35; 61
	smallThreeSimilarTriplets         // small_three_similar_triplets: Small Three Similar Triplets; 三色小同刻; 30; 62
	threeSimilarTriplets              // three_similar_triplets: Three Similar Triplets; 三色同刻; 120; 62
	nineTileStraight                  // nine_tile_straight: Nine-Tile Straight; 一氣通貫; 40; 71
	threeConsecutiveTriplets          // three_consecutive_triplets: Three Consecutive Triplets; 三連刻; 100; 72
	fourConsecutiveTriplets           // four_consecutive_triplets: Four Consecutive Triplets; 四連刻; 200; 72
	mixedLesserTerminals              // mixed_lesser_terminals: Mixed Lesser Terminals; 混全帶么; 40; 81
	pureLesserTerminals               // pure_lesser_terminals: Pure Lesser Terminals; 純全帶么; 50; 81
	mixedGreaterTerminals             // mixed_greater_terminals: Mixed Greater Terminals; 混么九; 100; 81
	pureGreaterTerminals              // pure_greater_terminals: Pure Greater Terminals; 清么九; 400; 81
	finalDraw                         // final_draw: Final Draw; 海底撈月; 10; 91
	finalDiscard                      // final_discard: Final Discard; 河底撈魚; 10; 91
	winOnKong                         // win_on_kong: Win on Kong; 嶺上開花; 10; 92
	robbingAKong                      // robbing_a_kong: Robbing a Kong; 搶槓; 10; 93
	blessingOfHeaven                  // blessing_of_heaven: Blessing of Heaven; 天和; 155; 94
	blessingOfEarth                   // blessing_of_earth: Blessing of Earth; 地和; 155; 94
	thirteenTerminals                 // thirteen_terminals: Thirteen Terminals; 十三么九; 160; 101
	sevenPairs                        // seven_pairs: Seven Pairs; 七對子; 30; 102
	numTable

	// What has points by a knob instead of a place in the table: a self-draw,
	// and a win without a pattern.
	selfDraw    = numTable
	chickenHand = numTable + 1
	numPatterns = numTable + 2
)

//go:embed patterns.go
var source string

// row is what the table says of a pattern. The series has its category in the tens: 42 is series 4.2.
type row struct {
	points, series int16
}

// patterns describes the patterns to callers, and table is that of the rule text.
var patterns, table = func() (list [numPatterns]ruleset.Pattern, table [numTable]row) {
	for id, r := range rows.Table(source) {
		points, series := rows.Number(r[3]), rows.Number(r[4])
		source := fmt.Sprintf("[Z] 3.4 row %d, series %d.%d", id+1, series/10, series%10)
		list[id] = ruleset.Pattern{ID: r[0], Name: r[1], Native: r[2], Source: source}
		table[id] = row{points, series}
	}
	list[selfDraw] = ruleset.Pattern{ID: "self_draw", Name: "Self-draw", Native: "自摸", Source: "knob self_draw_points"}
	list[chickenHand] = ruleset.Pattern{ID: "chicken_hand", Name: "Chicken Hand", Native: "雞和", Source: "[Z] 3.7"}
	return list, table
}()

// maxPoints is the highest price of a pattern.
const maxPoints = 5000

// Prices holds the price of each pattern where it is not the listed one.
type Prices [numPatterns]ruleset.Price

// Listings describes the patterns in their order. Those of a self-draw and of a
// win without a pattern are priced by knobs of their own, in whose place a price
// here stands.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numPatterns)
	for id, p := range patterns {
		list[id] = ruleset.Listing{ID: p.ID, MinOpen: 1, Max: maxPoints}
		if id < numTable {
			list[id].Listed = ruleset.Price{Closed: table[id].points, Open: table[id].points}
		}
	}
	return list
}
