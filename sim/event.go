package sim

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/tile"
)

// EventType tells what happened.
type EventType uint8

// The events, in the order in which a hand meets them.
const (
	EvSeats        EventType = iota // Value: the players of chairs 0..3, a byte each; Tile: the round wind, if drawn for the match
	EvHandStart                     // Player: dealer; Detail: round; Value: deal index | counter<<16; Tile: deposits
	EvDeal                          // Value: up to four faces, a byte each, NoFace where fewer
	EvDraw                          // Tile; Detail: Source; Value: tiles left
	EvFlower                        // Tile
	EvFlowerChoice                  // Detail: 1 win, 0 award
	EvDiscard                       // Tile; Detail: DiscardDrawn | DiscardReady
	EvReady                         // Detail: ReadyTier; Value: 0 declared, 1 accepted
	EvChi                           // Tile: claimed; Detail: giver | place<<2 | own reds<<4
	EvPon                           // Tile: claimed; Detail: giver | own reds<<4
	EvOpenKan                       // Tile: claimed; Detail: giver
	EvClosedKan                     // Tile: kind
	EvAddedKan                      // Tile: the added tile
	EvKanDone                       // the kan was not robbed
	EvIndicator                     // Tile; Detail: 0 dora, 1 ura
	EvDeclare                       // Detail: 1 tenpai, 0 noten
	EvExhausted                     // the wall is empty and nobody won
	EvAbort                         // Detail: AbortReason
	EvWin                           // Tile; Detail: WinKind; Value: giver or the player himself
	EvValue                         // Value: points; Detail: han (riichi); Tile: fu (riichi)
	EvReveal                        // Detail: 0 the hand of Player becomes public, 1 his hidden closed kan of the kind Tile
	EvPay                           // Player: from; Detail: to | reason<<4; Value: units. The pot is 4
	EvDebt                          // Player: creditor; Detail: debtor | wins<<2; Value: units, 0 deletes
	EvHandEnd                       // Detail: 1 the dealer stays; Value: counter | deposits<<16
	EvPlacement                     // Detail: rank; Value: placement points in 1/120
	EvForfeit                       // Player answered illegally or too late
	EvTruncated                     // the match was cut off at max_hands or a limit of the engine
	EvMatchEnd                      // the last event
	NumEventTypes
)

// Event is one thing that happened, in eight bytes. Player is -1 where no
// player is meant.
type Event struct {
	Type   EventType
	Player Player
	Tile   tile.Face
	Detail uint8
	Value  int32
}

// Source is where a drawn tile came from.
type Source uint8

// The sources of tiles and thereby the causes of a turn.
const (
	FromDeal   Source = iota // the dealer's last dealt tile
	FromWall                 // an ordinary draw
	FromKan                  // the replacement for a kan
	FromFlower               // the replacement for a flower
	FromClaim                // no draw: a chi or pon
)

// Marks of a discard, in Event.Detail and elsewhere.
const (
	DiscardDrawn   uint8 = 1 << iota // the drawn tile
	DiscardReady                     // with a ready declaration
	DiscardClaimed                   // another player took it; not in events
)

// AbortReason tells why a hand was aborted.
type AbortReason uint8

// The abortive draws (riichi presets).
const (
	AbortNineKinds AbortReason = iota
	AbortFourWinds
	AbortFourRiichi
	AbortFourKans
	AbortTripleRon
)

// String returns the name written in transcripts and datasets.
func (r AbortReason) String() string {
	return [...]string{"nine_kinds", "four_winds", "four_riichi", "four_kans", "triple_ron"}[r]
}

// WinKind tells how a hand was won.
type WinKind uint8

// The ways to win.
const (
	WinSelfDraw WinKind = iota
	WinDiscard
	WinRob
	WinFlower
)

// String returns the name written in transcripts and datasets.
func (k WinKind) String() string { return [...]string{"self_draw", "discard", "rob", "flower"}[k] }

// For returns e as player p sees it: the tiles that others are dealt and draw
// are NoFace, and so is the kind of a closed kan that the rules keep hidden.
func (e Event) For(p Player, r *ruleset.Flow) Event {
	if e.Player == p {
		return e
	}
	switch e.Type {
	case EvDeal:
		e.Value = -1
	case EvDraw:
		e.Tile = tile.NoFace
	case EvClosedKan:
		if !r.ClosedKanVisible {
			e.Tile = tile.NoFace
		}
	}
	return e
}

// Pay returns the two sides, the amount and the reason of an EvPay event. The
// pot is player 4.
func (e Event) Pay() (from, to Player, amount int32, reason ruleset.Reason) {
	return e.Player, Player(e.Detail & 15), e.Value, ruleset.Reason(e.Detail >> 4)
}

// HandStart returns the figures of an EvHandStart event.
func (e Event) HandStart() (round, dealIndex, counter, deposits int) {
	return int(e.Detail), int(e.Value & 0xffff), int(e.Value >> 16), int(e.Tile)
}
