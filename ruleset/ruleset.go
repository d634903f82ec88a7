package ruleset

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// NumPlayers is the largest number of players at a table, and the length of arrays with an
// element for each. How many there are is [Flow.NumSeats]: elements from there on are zero.
const NumPlayers = 4

// Chair is a place at the table in turn order, from 0. Chair 0 deals the first
// hand of each round.
type Chair int8

// NoChair means no chair; Pot is the other side of a payment
// into or out of the deposits on the table.
const (
	NoChair Chair = -1
	Pot     Chair = NumPlayers
)

// Next returns the chair n places later at a table of four; see [Flow.NextChair].
func (c Chair) Next(n int) Chair { return (c + Chair(n)) & 3 }

// Bit returns the set that holds c alone.
func (c Chair) Bit() Chairs { return 1 << (c & 3) }

// Chairs is a set of chairs: bit c is chair c. The zero value is empty.
type Chairs uint8

// Has reports whether c is in s.
func (s Chairs) Has(c Chair) bool { return s>>(c&3)&1 != 0 }

// Len returns the number of chairs in s.
func (s Chairs) Len() int { return bits.OnesCount8(uint8(s)) }

// Rules is one ruleset, complete and checked. It is never changed once made, so
// any number of tables may share it.
type Rules struct {
	// Name is the preset's name or the user file's.
	Name string
	// Family is the name of the rule family.
	Family string
	// Traits are those of the family.
	Traits Traits
	Flow
	Scorer
	// Hash identifies the resolved knobs.
	Hash [32]byte
	// Source returns the ruleset as a file with all knobs, for players who read rules; nil if
	// there is none.
	Source func() string
	// FirstWall gives places of the wall of the first hand of each match, by their index in
	// it; [tile.NoFace] leaves a place to the seed. It is nil if the seed gives all places.
	// It is not for players to read.
	FirstWall []tile.Face
}

// FittedName names what was fitted to matches of rules like these, such as the networks of
// players: the family, and for three players "_three" after it.
func (r *Rules) FittedName() string {
	if r.Seats == ThreeSeats {
		return r.Family + "_three"
	}
	return r.Family
}

// Scorer is what a rule family supplies to the table. All methods are pure and
// allocate nothing. Amounts are in the ruleset's unit (one point, in hktw half
// a point).
type Scorer interface {
	// Waits returns the kinds that complete a shape together with the
	// concealed tiles h and the given number of melds, even kinds of which all
	// four copies are held.
	Waits(h *hand.Hand, melds int) tile.Set
	// Shanten returns the number of tile exchanges the hand is away from
	// ready over all shapes of the family: 0 ready, -1 complete.
	Shanten(h *hand.Hand, melds int) int
	// ShantenLowerBound returns a number that is not above the Shanten of h, a hand
	// without a drawn tile, with the given melds, nor above that of shapes that a
	// kan among them allows; see KanShapes. It serves to rule out hands that are far
	// from ready; the result is -1 where no bound is quick to compute.
	ShantenLowerBound(h *hand.Hand, melds []hand.Meld) int
	// Value scores a complete hand by its best reading. If the tiles make no
	// shape of the family, v.Shape is false.
	Value(w *Win, v *Value)
	// Settle appends the payments of a won hand to s. Where no player is liable for a
	// pattern they do not depend on which patterns the values have.
	Settle(s *Settlement)
	// Drawn appends the payments of an exhausted wall to s: s.Ready holds the
	// players who count as ready, s.Nagashi those whose discards earn them a
	// payment.
	Drawn(s *Settlement)
	// Liability returns the patterns (bits of the family's choice below bit
	// NumLiabilities-1) that the giver of the last of melds becomes liable for.
	// The last slot always holds the giver of an open kan until the discard that
	// follows it.
	Liability(melds []hand.Meld) uint8
	// Final ranks the players at the end of a match and fills in the
	// standings.
	Final(f *Final)
	// Patterns lists the family's patterns; Value refers to them by index.
	Patterns() []Pattern
}

// NumLiabilities is the number of patterns a player can become liable for.
const NumLiabilities = 6

// Pattern is an element of value with a name: a yaku, a fan, a tai.
type Pattern struct {
	// ID is the name used in scoring cases and datasets.
	ID string
	// Name is the English name, Native the name in the language of the rules.
	Name, Native string
	// Source cites the rule text.
	Source string
	// Yakuman is set if the pattern counts multiples of a yakuman (riichi).
	Yakuman bool
}

// Flags are the circumstances of a win. Each ruleset gives value to those it knows.
type Flags uint32

// The circumstances.
const (
	FlagRiichi           Flags = 1 << iota // riichi accepted
	FlagDoubleRiichi                       // riichi on the first own turn, uninterrupted
	FlagIppatsu                            // within one uninterrupted go-around of the declaration
	FlagReady                              // ready (ding) declared in an ordinary turn
	FlagReadyHuman                         // ready declared in the first go-around
	FlagReadyEarth                         // ready declared with the first own discard
	FlagReadyHeaven                        // ready declared before the first draw
	FlagLastTile                           // last tile, or the discard after it
	FlagAfterKan                           // self-draw of a replacement for a kan
	FlagAfterFlower                        // self-draw of a replacement for a flower
	FlagRobbingKan                         // on the tile of an added kan
	FlagRobbingClosedKan                   // on the tile of a closed kan
	FlagLastCopy                           // the fourth copy, the others being visible to all
	FlagSoleLive                           // no other wait tile can be drawn any more
	FlagHeavenly                           // dealer's win on the dealt tiles
	FlagEarthly                            // win on the first draw, or as the ruleset defines it
	FlagHuman                              // win on a discard before the first own draw
	FlagDoubleWin                          // one of two winners on a tile
	FlagTripleWin                          // one of three winners on a tile
	FlagFlowerWin8                         // all eight flowers, declared as a win
	FlagFlowerWin7                         // seven flowers, alone or robbing the eighth, declared as a win
	FlagAfterTwoKans                       // self-draw of a replacement for a kan made with the replacement of another
	FlagAfterKita                          // self-draw of a replacement for a North set aside
	FlagRobbingKita                        // on a North that another player sets aside
)

// MaxIndicators is the largest number of dora indicators: one, and one for each
// of four kans.
const MaxIndicators = 5

// Win is a complete hand and how it was completed: all that its value depends
// on.
type Win struct {
	// Hand is the concealed tiles, the winning tile included.
	Hand hand.Hand
	// Melds[:NumMelds] are the sets laid down, in order.
	Melds    [hand.MaxMelds]hand.Meld
	NumMelds uint8
	// Tile is the kind of the winning tile.
	Tile      tile.Kind
	SelfDraw  bool
	SeatWind  tile.Wind
	RoundWind tile.Wind
	Flags     Flags
	// Reds is the number of red fives in the whole hand, melds included.
	Reds uint8
	// Flowers has bit i set for the exposed flower i, 0..7.
	Flowers uint8
	// Norths is the number of Norths that the winner has set aside (kita), 0..4. They are
	// in neither Hand nor Melds.
	Norths uint8
	// Indicators[:NumIndicators] are the dora indicators turned, Ura the tiles
	// below them; NumUra of them count if the winner is in riichi.
	Indicators    [MaxIndicators]tile.Kind
	Ura           [MaxIndicators]tile.Kind
	NumIndicators uint8
	NumUra        uint8
	// Discards is the number of tiles in all rivers as the ruleset counts them,
	// NoCount if it is not known. TailDraws is the number of replacement tiles
	// drawn in one go before the win.
	Discards  uint8
	TailDraws uint8
	// Dealer reports whether a dealer item applies between winner and payer,
	// Streak how many repeats it counts (hktw).
	Dealer bool
	Streak uint8
}

// NoCount is an unknown number of discards.
const NoCount = 0xff

// MaxPatterns is the largest number of patterns in a value.
const MaxPatterns = 64

// Scored is one pattern of a value: its index in Scorer.Patterns and what it
// counts.
type Scored struct {
	Pattern uint8
	// Points are han, multiples of a yakuman, fan or points, as the family counts.
	Points int16
}

// Value is what a hand is worth. It depends on the hand alone, not on honba,
// deposits or who pays.
type Value struct {
	// Shape reports whether the tiles are complete at all, OK whether the hand
	// may win: it reaches the least value of the ruleset.
	Shape, OK bool
	// Patterns[:NumPatterns] is the best reading.
	Patterns    [MaxPatterns]Scored
	NumPatterns uint8
	// Han and Fu are riichi's; Fu is 0 for a yakuman or a flat value. Yakuman is
	// the multiple of a yakuman hand, 0 for others.
	Han, Fu uint8
	Yakuman uint8
	// Points is the family's total: in riichi the value of the win to the
	// winner without honba and deposits (as a dealer or not, by self-draw or
	// not, as Win says), in MCR the fan.
	Points int32
	// Base is what payments are computed from, where it differs from Points.
	Base int32
	// DealerItems is how often a payment between the dealer and another adds the
	// dealer item to Base, FlowerWin reports that the flowers alone were the win
	// (hktw).
	DealerItems uint8
	FlowerWin   bool
}

// Add appends a pattern to v. It panics if there are MaxPatterns already: no hand
// has so many.
func (v *Value) Add(pattern uint8, points int16) {
	if v.NumPatterns == MaxPatterns {
		panic("ruleset: a value of more than MaxPatterns patterns")
	}
	v.Patterns[v.NumPatterns] = Scored{pattern, points}
	v.NumPatterns++
}

// Winner is one winner of a hand as settlement sees it.
type Winner struct {
	Chair Chair
	Value Value
	// Liable[i] is the chair liable for the pattern of bit i, or NoChair.
	Liable [NumLiabilities]Chair
	// LiableOrder[i] counts the liabilities of the hand in order of their
	// arising.
	LiableOrder [NumLiabilities]uint8
	// Responsible is the chair that pays as the one who gave the tile, NoChair
	// for a self-draw or where no player is.
	Responsible Chair
}

// Settlement is a finished hand and the payments it leads to.
type Settlement struct {
	// Winners[:NumWinners], nearest to the giver of the tile first.
	Winners    [3]Winner
	NumWinners uint8
	// From is the chair that gave the winning tile, NoChair for a self-draw.
	From   Chair
	Dealer Chair
	// Robbed reports whether that tile was the one of a kan.
	Robbed bool
	// Counter is the number of honba or of dealer repeats, Deposits the number
	// of riichi sticks on the table, own ones included; Sticks are the chairs that
	// staked one in this hand.
	Counter  int
	Deposits int
	Sticks   Chairs
	// Ready and Nagashi are used by Drawn.
	Ready   Chairs
	Nagashi Chairs
	// Ledger is what the players owe each other from earlier hands; Settle leaves
	// there what they owe after this one (hktw).
	Ledger Ledger
	// Payments[:NumPayments] is the result, in the order the payments are made.
	Payments    [maxPayments]Payment
	NumPayments uint8
}

// maxPayments is the largest number of payments one hand leads to.
const maxPayments = 48

// Payment is an amount moved between two chairs, or between a chair and the
// pot. Amount is never negative.
type Payment struct {
	// From is who pays and To who gains; one of them may be [Pot].
	From, To Chair
	Amount   int32
	Reason   Reason
}

// Reason is what a payment is for.
type Reason uint8

// Reasons of payments.
const (
	ForWin Reason = iota
	ForCounter
	ForDeposit
	ForRiichi
	ForNoten
	ForNagashi
	ForAward
	ForDebt
	ForForfeit
)

// String returns the name of the reason as written in datasets.
func (r Reason) String() string {
	return [...]string{"win", "counter", "deposit", "riichi", "noten", "nagashi", "award", "debt", "forfeit"}[r]
}

// Pay appends a payment; a zero amount or a payment to oneself adds nothing. It
// panics if there are maxPayments already, which no hand leads to, if the amount is
// negative or more than an int32 holds, or if from or to is neither a chair nor Pot.
func (s *Settlement) Pay(from, to Chair, amount int, reason Reason) {
	switch {
	case amount == 0 || from == to:
		return
	case s.NumPayments == maxPayments:
		panic("ruleset: a settlement of more than maxPayments payments")
	case amount < 0 || amount > math.MaxInt32:
		panic(fmt.Sprintf("ruleset: chair %d pays %d to %d for %v: allowed are amounts of 0 to %d", from, amount, to, reason, math.MaxInt32))
	case max(from, to) > Pot:
		panic(fmt.Sprintf("ruleset: chair %d pays %d to %d for %v: allowed are chairs 0 to %d and %d, the pot", from, amount, to, reason, NumPlayers-1, Pot))
	}
	s.Payments[s.NumPayments] = Payment{from, to, int32(amount), reason}
	s.NumPayments++
}

// Final is the end of a match: points in, standings out. Indices are players;
// player 0 dealt first.
type Final struct {
	Points [NumPlayers]int32
	// Deposits is the number of riichi sticks left on the table.
	Deposits int
	// Rounds is the number of wind rounds the match was set to.
	Rounds int
	// Rank is the place of each player, 1..4; players who tie share the better
	// place only where the ruleset does not break ties.
	Rank [NumPlayers]uint8
	// Share is the number of points of the leftover sticks given to each.
	Share [NumPlayers]int32
	// Placement is the final score of each player.
	Placement [NumPlayers]Placement
}
