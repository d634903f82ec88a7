package hktw

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// DealerItemDraw is a value of the knob dealer_item_on_self_draw.
type DealerItemDraw uint8

const (
	DealerPaysItem DealerItemDraw = iota // dealer_pays_only: the dealer alone
	AllPayItem                           // all_pay: all who pay, if the dealer is among winner and payers
)

// Rounding is a value of the knobs pull_growth_round and pull_half_round.
type Rounding uint8

const (
	RoundCeil   Rounding = iota // ceil: up
	RoundFloor                  // floor: down
	RoundHalfUp                 // half_up: to the nearest, a half up
)

// PullOutsider is a value of the knob pull_creditor_and_outsider.
type PullOutsider uint8

const (
	PullGrows         PullOutsider = iota // grow: the debt grows
	PullSettleThenNew                     // settle_then_new: it is paid, and a new one begins
)

// PullHold is a value of the knobs pull_both_win_off_third and pull_outsider_also_wins.
type PullHold uint8

const (
	PullSettles PullHold = iota // settle: the debt is paid
	PullHolds                   // hold: it stays
)

// PullEnd is a value of the knob pull_end_of_match.
type PullEnd uint8

const (
	DebtsSettled PullEnd = iota // settle: they are paid
	DebtsVoid                   // void: they are dropped
	DebtsHalved                 // half: half of each is paid
)

// SingleCount is a value of the knob single_count.
type SingleCount uint8

const (
	SingleCountOff     SingleCount = iota // off: every instance counts
	SingleCountSameFan                    // same_fan: two instances differ in two melds
)

// SelfDrawMode is a value of the knob concealed_self_draw_mode.
type SelfDrawMode uint8

const (
	SelfDrawReplaces SelfDrawMode = iota // replace: it replaces concealed and self_draw
	SelfDrawAdds                         // add: it replaces self_draw alone
)

// LastTileScope is a value of the knob last_tile_scope.
type LastTileScope uint8

const (
	LastDrawOnly       LastTileScope = iota // draw_only: the last draw
	LastDrawAndDiscard                      // draw_and_discard: the last draw and the discard after it
)

// TailChain is a value of the knob tail_chain_formula.
type TailChain uint8

const (
	TailLinear TailChain = iota // linear10: by its value with each tile
	TailDouble                  // double5: doubled with each tile
)

// HumanWinScope is a value of the knob human_win_scope.
type HumanWinScope uint8

const (
	HumanFirstGoAround HumanWinScope = iota // first_go_around: by self-draw or on a discard
	HumanSelfDraw                           // self_draw_only: by self-draw
	HumanDiscard                            // discard_only: on a discard
)

// IdenticalIn is a value of the knob double_identical_scope.
type IdenticalIn uint8

const (
	IdenticalAny      IdenticalIn = iota // any: of any two pairs of chows
	IdenticalTwoSuits                    // two_suits: of pairs in two suits
)

// ReturnMode is a value of the knob eight_return_mode.
type ReturnMode uint8

const (
	ReturnsAdd     ReturnMode = iota // add: they count beside the returns
	ReturnsReplace                   // replace: they count instead of them
)

// LikGuDouble is a value of the knob lik_gu_double.
type LikGuDouble uint8

const (
	LikGuSum LikGuDouble = iota // sum: both values add up
	LikGuMax                    // max: the higher value counts
)

// DisjointPair is a value of the knob disjoint_pair.
type DisjointPair uint8

const (
	DisjointAny   DisjointPair = iota // any: any kind
	DisjointHonor                     // honor: an honor
)

// OrphansKong is a value of the knob thirteen_orphans_kong.
type OrphansKong uint8

const (
	OrphansKongAny       OrphansKong = iota // any: closed and open kans
	OrphansKongConcealed                    // concealed: closed kans
	OrphansKongNone                         // none: none
)

// SpecialTypes is a value of the knob special_forms_count_types.
type SpecialTypes uint8

const (
	SpecialTypesNone    SpecialTypes = iota // none: in neither special form
	SpecialTypesOrphans                     // orphans_seven: in thirteen orphans
	SpecialTypesSeven                       // seven: in sixteen disjoint too
)
