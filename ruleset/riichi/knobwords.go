package riichi

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// Leftover is a value of the knob leftover_deposits.
type Leftover uint8

const (
	LeftoverFirst Leftover = iota // first_place: to the first place; those who tie share
	LeftoverSplit                 // first_place_split: to the first place, divided by those who tie
	LeftoverVoid                  // void: to no player
)

// Counted is a value of the knob counted_limit.
type Counted uint8

const (
	CountedSanbaiman Counted = iota // sanbaiman: it is worth a sanbaiman
	CountedYakuman                  // yakuman: it is worth a yakuman
)

// Renhou is a value of the knob renhou.
type Renhou uint8

const (
	NoRenhou         Renhou = iota // none: it is nothing
	RenhouFlat                     // mangan_flat: a mangan without any other yaku or bonus tile
	RenhouCumulative               // mangan_cumulative: 5 han that add up with other yaku
	RenhouYakuman                  // yakuman: a yakuman
)

// RonPayment is a value of the knob ron_payment.
type RonPayment uint8

const (
	DiscarderPays RonPayment = iota // discarder: the discarder pays for all
	EachPays                        // each: every player pays as for a self-draw
)

// HonbaMultiRon is a value of the knob honba_multi_ron.
type HonbaMultiRon uint8

const (
	HonbaEach    HonbaMultiRon = iota // each: every winner
	HonbaNearest                      // nearest: the winner nearest after the giver
)

// DepositsMultiRon is a value of the knob deposits_multi_ron.
type DepositsMultiRon uint8

const (
	OwnDepositBack  DepositsMultiRon = iota // own_back_rest_nearest: a winner's own stick returns, the nearest takes the rest
	DepositsNearest                         // nearest: the nearest winner takes all
)

// Nagashi is a value of the knob nagashi_mangan.
type Nagashi uint8

const (
	NoNagashi        Nagashi = iota // none: there is no such payment
	NagashiDrawBonus                // draw_bonus: a mangan by self-draw, in place of the noten payments
)

// PaoScope is a value of the knob pao_scope.
type PaoScope uint8

const (
	PaoWholeHand     PaoScope = iota // whole_hand: the whole hand
	PaoLiableYakuman                 // liable_yakuman: the yakuman the player is liable for
)

// PaoHonba is a value of the knob pao_honba_on_ron.
type PaoHonba uint8

const (
	PaoHonbaDiscarder PaoHonba = iota // discarder: the discarder
	PaoHonbaLiable                    // liable: the player who is liable
)

// PaoMultiple is a value of the knob pao_multiple.
type PaoMultiple uint8

const (
	PaoFirstOnly  PaoMultiple = iota // first_only: the earlier liable player pays for everything
	PaoPerYakuman                    // per_yakuman: each covers an own yakuman
)

// DoubleSet is a set of the knob double_yakuman.
type DoubleSet uint8

const (
	DoubleDaisuushii    DoubleSet = 1 << iota // daisuushii: triplets of all winds
	DoubleSuuankouTanki                       // suuankou_tanki: suuankou that waits for its pair
	DoubleJunseiChuuren                       // junsei_chuuren_poutou: chuuren poutou that waits for nine kinds
	DoubleKokushi13                           // kokushi_musou_13: kokushi musou that waits for thirteen kinds
)

// PaoSet is a set of the knob pao_yakuman.
type PaoSet uint8

const (
	PaoDaisangen  PaoSet = 1 << iota // daisangen: the third set of dragons
	PaoDaisuushii                    // daisuushii: the fourth set of winds
	PaoSuukantsu                     // suukantsu: the fourth kan
)

// SelfDrawGap is a value of the knob self_draw_gap.
type SelfDrawGap uint8

const (
	GapLost   SelfDrawGap = iota // lost: no player pays it (tsumo loss)
	GapShared                    // shared: the two payers add half of it each, rounded up to 100
)
