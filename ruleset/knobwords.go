package ruleset

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// FlowerMode is a value of the knob flowers.
type FlowerMode uint8

const (
	NoFlowers       FlowerMode = iota // none: no flowers in the set
	ForcedFlowers                     // forced: a flower is exposed and replaced as soon as it is held
	OptionalFlowers                   // optional: a flower may be kept, discarded or exposed
)

// LastFlower is a value of the knob last_flower.
type LastFlower uint8

const (
	DiscardLastFlower LastFlower = iota // discard: it is discarded and the hand ends
	RevealLastFlower                    // reveal: it is exposed and the hand ends
)

// OpeningFlowers is a value of the knob opening_flowers.
type OpeningFlowers uint8

const (
	SeatComplete OpeningFlowers = iota // seat_complete: each seat replaces all its flowers before the next
	RoundRobin                         // round_robin: each seat in turn replaces those it has, again until no player holds one
)

// Walls is a value of the knob walls.
type Walls uint8

const (
	SharedWall  Walls = iota // shared: one wall for all
	WallPerSeat              // per_seat: a private wall of 34 tiles for each seat
)

// ReplacementFrom is a value of the knob replacement_from.
type ReplacementFrom uint8

const (
	FromTail  ReplacementFrom = iota // tail: from the end of the wall
	FromFront                        // front: from the front, like any draw
)

// ReplacementOrder is a value of the knob replacement_order.
type ReplacementOrder uint8

const (
	TopFirst ReplacementOrder = iota // top_first: the upper tile of each stack before the lower
	Linear                           // linear: one by one from the end
)

// Deal is a value of the knob deal.
type Deal uint8

const (
	Blocks     Deal = iota // blocks: four tiles at a time, then one, with the dealer's jump
	Sequential             // sequential: each hand in one piece
)

// DealTurn is a value of the knob deal_turn.
type DealTurn uint8

const (
	Forward  DealTurn = iota // forward: in turn order
	Backward                 // backward: against it
)

// ExtraTile is a value of the knob dealer_extra_tile.
type ExtraTile uint8

const (
	ExtraDealt ExtraTile = iota // dealt: it belongs to the deal
	ExtraDrawn                  // drawn: it is an ordinary draw
)

// LastTileWhen is a value of the knob last_tile_when.
type LastTileWhen uint8

const (
	WallEmpty     LastTileWhen = iota // wall_empty: the wall is empty
	NextWallEmpty                     // next_wall_empty: the wall of the next player is empty
)

// ExhaustedWhen is a value of the knob exhausted_when.
type ExhaustedWhen uint8

const (
	AfterLastDiscard ExhaustedWhen = iota // last_discard: after the last discard, if no player wins on it
	OnEmptyDraw                           // empty_draw: when a player finds no tile to draw
)

// RoundWind is a value of the knob round_wind.
type RoundWind uint8

const (
	WindByRound RoundWind = iota // by_round: East in the first round, then South, West, North
	WindRandom                   // random: drawn for each match
)

// SeatRotation is a value of the knob seat_rotation.
type SeatRotation uint8

const (
	NoRotation SeatRotation = iota // none: players keep their chairs
	MCRTable                       // mcr_table: they move between rounds as in the seat table of MCR
)

// StaysOnWin is a value of the knob dealer_stays_on_win.
type StaysOnWin uint8

const (
	WinNeverStays StaysOnWin = iota // never: the deal passes
	StaysAlone                      // alone: it stays if the dealer alone wins
	StaysAny                        // any: it stays if the dealer is among the winners
)

// StaysOnDraw is a value of the knob dealer_stays_on_draw.
type StaysOnDraw uint8

const (
	DrawNeverStays StaysOnDraw = iota // never: the deal passes
	StaysReady                        // ready: it stays if the dealer is ready
	StaysAlways                       // always: it stays
)

// OnSharedWin is a value of the knob counter_on_shared_win.
type OnSharedWin uint8

const (
	SharedPlusOne OnSharedWin = iota // plus_one: one more repeat
	SharedReset                      // reset: the count starts again
)

// CounterStep is a value of the knobs counter_on_draw_kept and counter_on_draw_passed.
type CounterStep uint8

const (
	PlusOne CounterStep = iota // plus_one: one more
	Keep                       // keep: as it is
	Reset                      // reset: back to zero
)

// PlacementTie is a value of the knob placement_tie.
type PlacementTie uint8

const (
	TieSplit                       PlacementTie = iota // split: players who tie share what their places earn
	TieSplitRemainderToFirstDealer                     // split_remainder_to_start_dealer: they share, and what does not divide goes to the one nearest the first dealer
	TieSeatOrder                                       // seat_order: the one nearest the first dealer is ahead
	TieHigh                                            // high: each has what the best of their places earns
)

// Tobi is a value of the knob tobi.
type Tobi uint8

const (
	NoTobi      Tobi = iota // none: no player ends the match by going broke
	BelowZero               // below_zero: a player below zero ends it
	ZeroOrBelow             // zero_or_below: a player at zero or below ends it
)

// Yame is a value of the knobs agari_yame and tenpai_yame.
type Yame uint8

const (
	NoYame       Yame = iota // none: the match goes on
	AutoYame                 // auto: it ends with the dealer in the lead
	OptionalYame             // optional: the dealer in the lead may end it
)

// Extension is a value of the knob extension.
type Extension uint8

const (
	NoExtension Extension = iota // none: the match ends with its last round
	SuddenDeath                  // sudden_death: a further round, until a player reaches the goal
)

// ChiFrom is a value of the knob chi_from.
type ChiFrom uint8

const (
	ChiFromLeft ChiFrom = iota // left: of the player to the left alone
	ChiFromAny                 // any: of any player
	ChiFromNone                // none: of no player
)

// SwapBan is a value of the knob swap_ban.
type SwapBan uint8

const (
	SwapFree            SwapBan = iota // none: any discard
	SwapSameTile                       // same_tile: not the tile just claimed
	SwapSameAndOtherEnd                // same_and_other_end: nor the one that would have completed the other end of the sequence
)

// LastDiscard is a value of the knob last_discard_claims.
type LastDiscard uint8

const (
	LastDiscardWinOnly LastDiscard = iota // win_only: it may only be won
	LastDiscardAll                        // all: it may be called too
)

// MultiWin is a value of the knob multi_win.
type MultiWin uint8

const (
	WinNearest          MultiWin = iota // nearest: only the winner nearest after the giver
	WinAll                              // all: all of them
	WinAllAbortOnTriple                 // all_abort_on_triple: all of two; three end the hand without a winner
)

// RobClosed is a value of the knob rob_closed_kan.
type RobClosed uint8

const (
	RobClosedNever   RobClosed = iota // never: no player may win on the tile of a closed kan
	RobClosedOrphans                  // orphans: thirteen orphans may
	RobClosedAlways                   // always: any hand may
)

// ReadyMode is a value of the knob ready.
type ReadyMode uint8

const (
	NoReady ReadyMode = iota // none: there is no declaration
	Riichi                   // riichi: riichi: a stake and a closed hand
	Ding                     // ding: ding (叮): nothing is staked
)

// ReadyKan is a value of the knob ready_kan.
type ReadyKan uint8

const (
	ReadyKanNever     ReadyKan = iota // never: never
	ReadyKanWaitsSame                 // waits_same: if the waits stay the same
	ReadyKanShapeSame                 // waits_and_shape_same: if the waits and the sets they are read from stay the same
)

// LiveWait is a value of the knob live_wait.
type LiveWait uint8

const (
	AnyWait               LiveWait = iota // none: any wait counts
	LiveConcealed                         // concealed: one of which the own concealed tiles hold all four copies does not
	LiveConcealedAndMelds                 // concealed_and_melds: nor one of which these and the own melds do
)

// ReadyTiers is a value of the knob ready_tiers.
type ReadyTiers uint8

const (
	NoTiers           ReadyTiers = iota // off: all declarations are alike
	LeagueTiers                         // hkma: before the first draw, with the first discard, in the first go-around, later
	FirstDiscardTiers                   // first_discard: before the first draw or with the first discard, later
	UncalledTiers                       // uncalled: with the first discard before any call or kan, later
)

// Earthly is a value of the knob earthly_scope.
type Earthly uint8

const (
	EarthlyDealerDiscard Earthly = iota // dealer_discard: on the dealer's first discard
	EarthlyFirstDraw                    // first_draw: on the first own draw
)

// OneShotEnd is a value of the knob one_shot_broken_by.
type OneShotEnd uint8

const (
	OneShotCallOrKan OneShotEnd = iota // any_call_or_kong: any call or completed kan ends it
	OneShotNothing                     // nothing: nothing does
)

// ChaseScope is a value of the knob chase_scope.
type ChaseScope uint8

const (
	NoChase            ChaseScope = iota // off: no payment
	ChaseAnyTime                         // any_time: whenever four discards in a row are of one kind
	ChaseFirstGoAround                   // first_go_around: only if they are the first four of the hand
)

// Lock is a value of the knobs river_lock and pass_lock.
type Lock uint8

const (
	LockOff  Lock = iota // off: nothing is locked
	LockKind             // kind: a locked kind may not be won on
	LockHand             // hand: a lock on any kind of the wait stops every win on another's tile
)

// PassEnds is a value of the knob pass_lock_ends.
type PassEnds uint8

const (
	PassEndsOwnDraw       PassEnds = iota // own_draw: the player's next draw from the wall
	PassEndsOwnDiscard                    // own_discard: the player's next discard
	PassEndsOwnDrawOrCall                 // own_draw_or_call: the next draw from the wall or own call
	PassEndsAnyCall                       // any_call: any player's call, or the next draw from the wall
	PassEndsAnyOwnDraw                    // any_own_draw: the player's next draw, replacement tiles included
)

// PassSetBy is a set of the knob pass_lock_set_by.
type PassSetBy uint8

const (
	PassSetByShape    PassSetBy = iota // shape: passing a tile that completes the shape
	PassSetByLegalWin                  // legal_win: passing a win that was allowed
)

// PonPass is a value of the knob pon_pass.
type PonPass uint8

const (
	PonPassOff        PonPass = iota // off: a pon passed may be made of the next such tile
	PonPassOwnDraw                   // own_draw: not before the player's next draw
	PonPassOwnDiscard                // own_discard: not before the player's next discard
)

// Declaration is a value of the knob tenpai_declaration.
type Declaration uint8

const (
	NoDeclaration   Declaration = iota // none: no player declares; hands count for what they are
	TenpaiAutomatic                    // automatic: tenpai hands are shown by themselves
	TenpaiOptional                     // optional_in_order: each player may show or not, one after the other
)

// Suukaikan is a value of the knob suukaikan.
type Suukaikan uint8

const (
	FourKansContinue Suukaikan = iota // continue: play goes on after the fourth kan of several players
	FourKansEnd                       // abort: the hand ends
)

// IndicatorTiming is a value of the knobs kan_dora_timing_ankan and kan_dora_timing_open.
type IndicatorTiming uint8

const (
	BeforeReplacement IndicatorTiming = iota // before_rinshan: turned before the replacement tile is drawn
	OnNextDiscard                            // on_next_discard: turned with the next discard or kan
)

// TrueLast is a value of the knob true_last_mode.
type TrueLast uint8

const (
	WholeWait  TrueLast = iota // whole_wait: the winning tile is the only one left of the whole wait
	RiversOnly                 // rivers_only: the three other copies lie in the rivers
)

// HandKongs is a value of the knob concealed_hand_kongs.
type HandKongs uint8

const (
	KongsAny       HandKongs = iota // any: any but added kans
	KongsConcealed                  // concealed_only: closed kans only
	KongsNone                       // none: none
)

// PointsCurve is a word of the knob points_table.
type PointsCurve uint8

// Values of PointsCurve.
const (
	NoTable   PointsCurve = iota // none: no table: a hand pays what the family makes of its value
	HalfSpicy                    // half_spicy: doubled with each step to the knee, with each second one beyond it (半辣上)
	FullSpicy                    // full_spicy: doubled with each step (辣辣上)
)

// TileSet is a value of the knob tile_set.
type TileSet uint8

const (
	FullSet            TileSet = iota // full: all 34 kinds, 136 tiles
	NoMiddleCharacters                // no_middle_characters: without 2 to 8 of characters, 108 tiles; 1 and 9 of characters follow each other as dora
)

// KitaMode is a value of the knob kita.
type KitaMode uint8

const (
	NoKita    KitaMode = iota // none: they may not
	KitaBonus                 // bonus: each is a bonus han of the winner
)

// KitaReady is a value of the knob kita_ready.
type KitaReady uint8

const (
	KitaReadyNever KitaReady = iota // never: none
	KitaReadyDrawn                  // drawn_only: the one just drawn
)

// KitaIndicator is a value of the knob kita_indicator.
type KitaIndicator uint8

const (
	KitaBeforeRob         KitaIndicator = iota // before_rob: before others may win on it
	KitaBeforeReplacement                      // before_replacement: only before its replacement is drawn
)

// RobKita is a value of the knob rob_kita.
type RobKita uint8

const (
	RobKitaNever   RobKita = iota // never: no player
	RobKitaOrphans                // orphans: kokushi musou alone
	RobKitaAlways                 // always: any hand
)
