package hkos

import (
	_ "embed"
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/internal/rows"
)

// The patterns in the order of the table ([K] 6.2): the constant, which is the index, and behind it
// the id, the names and the faan, as package rows reads them. A set of patterns is a uint64 with
// their bits.
const (
	allSequences          = iota // all_sequences: All Sequences; 平糊; 1
	allTriplets                  // all_triplets: All Triplets; 對對糊; 3
	fourConcealedTriplets        // four_concealed_triplets: Four Concealed Triplets; 坎坎糊; 8
	mixedOneSuit                 // mixed_one_suit: Mixed One-Suit; 混一色; 3
	pureOneSuit                  // pure_one_suit: Pure One-Suit; 清一色; 7
	mixedGreaterTerminals        // mixed_greater_terminals: Terminals and Honors; 花么九; 1
	dragonPung                   // dragon_pung: Dragon Pung; 番子; 1
	smallThreeDragons            // small_three_dragons: Small Three Dragons; 小三元; 3
	bigThreeDragons              // big_three_dragons: Big Three Dragons; 大三元; 5
	seatWind                     // seat_wind: Seat Wind; 門風; 1
	prevalentWind                // prevalent_wind: Prevalent Wind; 圈風; 1
	smallFourWinds               // small_four_winds: Small Four Winds; 小四喜; 3
	allHonors                    // all_honors: All Honors; 字一色; 10
	pureGreaterTerminals         // pure_greater_terminals: All Terminals; 清么九; 10
	nineGates                    // nine_gates: Nine Gates; 九子連環; 10
	thirteenTerminals            // thirteen_terminals: Thirteen Terminals; 十三么; 13
	bigFourWinds                 // big_four_winds: Big Four Winds; 大四喜; 13
	fourKong                     // four_kong: Four Kong; 十八羅漢; 13
	sevenPairs                   // seven_pairs: Seven Pairs; 七對子; 4
	selfDraw                     // self_draw: Self-draw; 自摸; 1
	concealedHand                // concealed_hand: Concealed Hand; 門前清; 1
	winOnKong                    // win_on_kong: Win on Kong; 槓上開花; 1
	winOnDoubleKong              // win_on_double_kong: Win on Double Kong; 連槓開花; 8
	robbingAKong                 // robbing_a_kong: Robbing a Kong; 搶槓; 1
	finalDraw                    // final_draw: Final Draw; 海底撈月; 1
	finalDiscard                 // final_discard: Final Discard; 河底撈魚; 1
	blessingOfHeaven             // blessing_of_heaven: Blessing of Heaven; 天糊; 13
	blessingOfEarth              // blessing_of_earth: Blessing of Earth; 地糊; 13
	blessingOfMan                // blessing_of_man: Blessing of Man; 人糊; 13
	noFlowers                    // no_flowers: No Flowers; 無花; 1
	properFlower                 // proper_flower: Seat Flower; 正花; 1
	oneFlowerSet                 // one_flower_set: One Flower Set; 一台花; 2
	sevenFlowers                 // seven_flowers: Seven Flowers; 花糊; 3
	eightFlowers                 // eight_flowers: Eight Flowers; 大花糊; 8
	flowerDraw                   // flower_draw: Win on a Flower; 花上自摸; 1
	kong                         // kong: Kong; 槓; 1
	numPatterns
)

// Sets of patterns: the limit hands ([K] 6.3), all that the tiles make, those of flowers
// ([K] 5.2), and those that imply concealedHand.
const (
	limits    uint64 = 1<<allHonors | 1<<pureGreaterTerminals | 1<<nineGates | 1<<thirteenTerminals | 1<<bigFourWinds | 1<<fourKong
	ofTiles   uint64 = 1<<(sevenPairs+1) - 1
	ofFlowers uint64 = 1<<noFlowers | 1<<properFlower | 1<<oneFlowerSet
	concealed uint64 = 1<<nineGates | 1<<thirteenTerminals | 1<<sevenPairs | 1<<blessingOfHeaven | 1<<blessingOfEarth
)

//go:embed patterns.go
var source string

// patterns describes the patterns to callers, and listed has the faan of the table.
var patterns, listed = func() (list [numPatterns]ruleset.Pattern, faan [numPatterns]int16) {
	for id, r := range rows.Table(source) {
		list[id] = ruleset.Pattern{ID: r[0], Name: r[1], Native: r[2], Source: fmt.Sprintf("[K] 6.2 row %d", id+1)}
		faan[id] = rows.Number(r[3])
	}
	return list, faan
}()

// maxFaan is the highest price of a pattern.
const maxFaan = 100

// Prices holds the price of each pattern where it is not that of the table.
type Prices [numPatterns]ruleset.Price

// Listings describes the patterns in their order.
func (Prices) Listings() []ruleset.Listing {
	list := make([]ruleset.Listing, numPatterns)
	for id, p := range patterns {
		list[id] = ruleset.Listing{ID: p.ID, Listed: ruleset.Price{Closed: listed[id], Open: listed[id]}, MinOpen: 1, Max: maxFaan}
	}
	return list
}
