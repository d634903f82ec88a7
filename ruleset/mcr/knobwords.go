package mcr

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// DiscardPayment is a value of the knob mcr_discard_payment.
type DiscardPayment uint8

const (
	DiscarderPaysFan DiscardPayment = iota // discarder_fan: the discarder alone pays them
	AllPayFan                              // all_fan: all three players pay them
)

// SpecialSelfDraw is a value of the knob special_self_draw.
type SpecialSelfDraw uint8

const (
	SpecialFullyConcealed SpecialSelfDraw = iota // fully_concealed: fully concealed hand
	SpecialSelfDrawn                             // self_drawn: self-drawn
)

// KongConcealment is a value of the knob kong_concealment.
type KongConcealment uint8

const (
	KongsWMO KongConcealment = iota // wmo: one adds concealed kong, two add two concealed kongs
	KongsMIL                        // mil: concealed pungs alone count
)

// InevitableHog is a value of the knob inevitable_tile_hog.
type InevitableHog uint8

const (
	AbsorbOneHog InevitableHog = iota // absorb_one: one such quad is free
	CountAllHogs                      // count_all: every quad counts
)

// NineGatesPungs is a value of the knob nine_gates_terminal_pungs.
type NineGatesPungs uint8

const (
	AbsorbOnePung  NineGatesPungs = iota // absorb_one: one pung of terminals
	AbsorbAllPungs                       // absorb_all: all pungs of terminals
)

// KnittedWaits is a value of the knob knitted_straight_waits.
type KnittedWaits uint8

const (
	ResidualWait    KnittedWaits = iota // residual: by the tiles beside the straight
	WaitOutsideBody                     // outside_body: the same, unless the tile is of the straight
	NoKnittedWait                       // none: none
)

// ClaimedPung is a value of the knob pung_by_discard.
type ClaimedPung uint8

const (
	ClaimedMelded    ClaimedPung = iota // melded: it is melded
	ClaimedConcealed                    // concealed: it is concealed
)

// InitialWinTile is a value of the knob initial_win_tile.
type InitialWinTile uint8

const (
	LastReceived     InitialWinTile = iota // last_received: the last tile received
	NoInitialWinTile                       // none: none
)
