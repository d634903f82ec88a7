package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// EventType is the type of an Event.
type EventType uint8

// The event types. Comments list the fields that hold data beside Player.
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
	EvExhausted                     // the wall is empty without a win
	EvAbort                         // Detail: AbortReason
	EvWin                           // Tile; Detail: WinKind; Value: giver or the player himself
	EvValue                         // Value: points; Detail: han (riichi); Tile: fu (riichi)
	EvReveal                        // Detail: 0 the hand of Player becomes public, 1 his hidden closed kan of the kind Tile
	EvPay                           // Player: from; Detail: to | reason<<4; Value: units. The pot is 4
	EvDebt                          // Player: creditor; Detail: debtor | wins<<2; Value: units, 0 deletes
	EvHandEnd                       // Detail: 1 the dealer stays; Value: counter | deposits<<16
	EvPlacement                     // Detail: rank; Value: placement points in 1/120
	EvForfeit                       // Player answered illegally or too late
	EvTruncated                     // the match was truncated at max_hands or a limit of the engine
	EvMatchEnd                      // the last event
	EvKita                          // the player sets a North aside
	EvKitaDone                      // it was not won on
	NumEventTypes
)

// Values of Detail or Value in events that report one of two.
const (
	flowerAward, flowerWin        uint8 = 0, 1
	readyDeclared, readyAccepted  int32 = 0, 1
	doraIndicator, uraIndicator   uint8 = 0, 1
	declaredNoten, declaredTenpai uint8 = 0, 1
	revealedHand, revealedKan     uint8 = 0, 1
	dealPasses, dealStays         uint8 = 0, 1
)

// Event is an event of a match, packed into eight bytes. The accessor for its Type
// reads Tile, Detail and Value, such as [Event.Draw] for EvDraw. Player is -1 in events
// without a player.
type Event struct {
	Type   EventType
	Player Player
	Tile   tile.Face
	Detail uint8
	Value  int32
}

// Source is where a drawn tile came from, or how a turn began.
type Source uint8

// Values of Source.
const (
	FromDeal   Source = iota // the dealer's last dealt tile
	FromWall                 // an ordinary draw
	FromKan                  // the replacement for a kan
	FromFlower               // the replacement for a flower
	FromClaim                // no draw: a chi or pon
	FromKita                 // the replacement for a North set aside
)

// Marks of a discard, in Event.Detail and the results of View.DiscardMarks.
const (
	DiscardDrawn   uint8 = 1 << iota // the drawn tile
	DiscardReady                     // with a ready declaration
	DiscardClaimed                   // another player took it; not in events
)

// AbortReason is the reason of an abortive draw.
type AbortReason uint8

// The abortive draws (riichi presets).
const (
	AbortNineKinds  AbortReason = iota // a player shows nine kinds of terminals and honors
	AbortFourWinds                     // the first four discards are one wind
	AbortFourRiichi                    // all four players are in riichi
	AbortFourKans                      // four kans by more than one player
	AbortTripleRon                     // three players win on one discard
)

// String returns the name written in datasets.
func (r AbortReason) String() string {
	return [...]string{"nine_kinds", "four_winds", "four_riichi", "four_kans", "triple_ron"}[r]
}

// WinKind is how a hand was won.
type WinKind uint8

// The ways to win.
const (
	WinSelfDraw WinKind = iota // on the drawn tile
	WinDiscard                 // on another's discard
	WinRob                     // on the tile of another's kan
	WinFlower                  // with seven or eight flowers
	WinRobKita                 // on a North that another sets aside
)

// String returns the name written in datasets.
func (k WinKind) String() string {
	return [...]string{"self_draw", "discard", "rob", "flower", "rob_kita"}[k]
}

// SeenBy returns e as player p sees it: the tiles that others are dealt and draw
// are NoFace, and so is the kind of a closed kan that the rules keep hidden. Where they hide
// the origin of discards, no discard of another is marked as drawn.
func (e Event) SeenBy(p Player, r *ruleset.Flow) Event {
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
	case EvDiscard:
		if r.OriginHidden {
			e.Detail &^= DiscardDrawn
		}
	}
	return e
}

// The functions below are the only ones that pack and unpack Detail and Value. Deposits
// and fu are stored as the tile of events that have none.

func packSeats(who *[NumPlayers]Player) (value int32) {
	for c, p := range who {
		value |= int32(p) << (8 * c)
	}
	return value
}

// Seats returns the players of the chairs of an EvSeats event, and the round wind
// if one was drawn for the match.
func (e Event) Seats() (who [NumPlayers]Player, wind tile.Wind, drawn bool) {
	for c := range who {
		who[c] = Player(e.Value>>(8*c)) & 3
	}
	if e.Tile == tile.NoFace {
		return who, 0, false
	}
	return who, tile.Wind(e.Tile.Kind() - tile.East), true
}

func packHandStart(round uint8, dealIndex, counter, deposits int32) (t tile.Face, detail uint8, value int32) {
	return tile.Face(deposits), round, dealIndex | counter<<16
}

// HandStart returns the state of the match in an EvHandStart event. round is the wind round
// from 0, dealIndex the hands already played in it under this dealer. counter is the honba
// or dealer repeats, deposits the riichi sticks on the table.
func (e Event) HandStart() (round, dealIndex, counter, deposits int) {
	return int(e.Detail), int(e.Value & 0xffff), int(e.Value >> 16), int(e.Tile)
}

func packDeal(faces []tile.Face) int32 {
	value := int32(-1)
	for _, f := range faces {
		value = value<<8 | int32(f)
	}
	return value
}

// Deal returns the tiles of an EvDeal event, filled up with NoFace to four. All are
// NoFace if the tiles are hidden.
func (e Event) Deal() (faces [4]tile.Face, hidden bool) {
	for i := range faces {
		faces[i] = tile.Face(e.Value >> (24 - 8*i))
	}
	return faces, e.Value == -1
}

// Draw returns where the tile of an EvDraw event came from, and how many are left.
func (e Event) Draw() (from Source, left int) { return Source(e.Detail), int(e.Value) }

// FlowerChoice reports whether the player of an EvFlowerChoice event wins with the
// flowers; otherwise he takes the award.
func (e Event) FlowerChoice() (win bool) { return e.Detail != 0 }

// Discard reports whether the tile of an EvDiscard event was the drawn one (tsumogiri),
// and whether ready was declared with it.
func (e Event) Discard() (drawn, ready bool) {
	return e.Detail&DiscardDrawn != 0, e.Detail&DiscardReady != 0
}

// Ready returns the tier of an EvReady event, and whether it is the acceptance of the
// declaration, after which no win on its tile is possible.
func (e Event) Ready() (tier ReadyTier, accepted bool) { return ReadyTier(e.Detail), e.Value != 0 }

// PackCall returns the Detail of an EvChi, EvPon or EvOpenKan event; see
// [Event.Call].
func PackCall(giver Player, place, reds int) uint8 {
	return uint8(giver)&3 | uint8(place)<<2 | uint8(reds)<<4
}

// Call returns the player who discarded the claimed tile of an EvChi, EvPon or EvOpenKan
// event. place is that of the tile in a chi, 0 for the lowest, and reds the number of red
// fives among the claimer's own tiles.
func (e Event) Call() (giver Player, place, reds int) {
	return Player(e.Detail & 3), int(e.Detail >> 2 & 3), int(e.Detail >> 4)
}

// Action returns the answer that makes an EvChi, EvPon or EvOpenKan event.
func (e Event) Action() Action {
	_, place, reds := e.Call()
	switch {
	case e.Type == EvChi && reds > 0:
		return ActChiRed + Action(place)
	case e.Type == EvChi:
		return ActChi + Action(place)
	case e.Type == EvPon:
		return ActPon + Action(reds)
	}
	return ActOpenKan
}

// AppendSpent appends the tiles that e takes out of the concealed hand of its player:
// the tile of a discard, flower or added kan, the own tiles of a chi, pon or kan. It
// appends none for other events, or if the kind of a closed kan is hidden.
func (e Event) AppendSpent(dst []tile.Face, r *ruleset.Flow) []tile.Face {
	k := e.Tile.Kind()
	_, place, reds := e.Call()
	spend := func(k tile.Kind) {
		f := tile.Face(k)
		if k.IsFive() && reds > 0 {
			f = tile.RedOf(k.Suit())
			reds--
		}
		dst = append(dst, f)
	}
	copies := 0
	switch e.Type {
	case EvDiscard, EvFlower, EvAddedKan:
		return append(dst, e.Tile)
	case EvChi:
		low := k - tile.Kind(place)
		for own := low; own < low+3; own++ {
			if own != k {
				spend(own)
			}
		}
	case EvKita:
		return append(dst, tile.Face(tile.North))
	case EvPon:
		copies = 2
	case EvOpenKan:
		copies = 3
	case EvClosedKan:
		if e.Tile == tile.NoFace {
			return dst
		}
		copies = 4
		if k.IsFive() {
			reds = r.AkaDora[k.Suit()]
		}
	}
	for range copies {
		spend(k)
	}
	return dst
}

// Ura reports whether the tile of an EvIndicator event is an ura indicator.
func (e Event) Ura() bool { return e.Detail != 0 }

// Declare reports whether the player of an EvDeclare event shows a ready hand.
func (e Event) Declare() (tenpai bool) { return e.Detail != 0 }

// Abort returns the reason of an EvAbort event.
func (e Event) Abort() AbortReason { return AbortReason(e.Detail) }

// Win returns how the hand of an EvWin event was won, and the player who gave the tile:
// the winner himself for a self-draw.
func (e Event) Win() (kind WinKind, giver Player) { return WinKind(e.Detail), Player(e.Value) }

func packHandValue(v *ruleset.Value) (t tile.Face, detail uint8, value int32) {
	return tile.Face(v.Fu), v.Han, v.Points
}

// HandValue returns the points of an EvValue event, and for a riichi hand its han and
// fu.
func (e Event) HandValue() (points int32, han, fu int) { return e.Value, int(e.Detail), int(e.Tile) }

// Reveal reports whether an EvReveal event shows a hidden closed kan; otherwise it shows
// the player's hand.
func (e Event) Reveal() (kan bool) { return e.Detail != 0 }

func packPay(taker Player, reason ruleset.Reason) uint8 { return uint8(taker) | uint8(reason)<<4 }

// Pay returns the payer, the payee, the amount and the reason of an EvPay event. The
// pot is player 4.
func (e Event) Pay() (from, to Player, amount int32, reason ruleset.Reason) {
	return e.Player, Player(e.Detail & 15), e.Value, ruleset.Reason(e.Detail >> 4)
}

func packDebt(debtor Player, wins uint8) uint8 { return uint8(debtor) | wins<<2 }

// Debt returns the debtor of an EvDebt event and the debt to e.Player, which is zero if
// it ends.
func (e Event) Debt() (debtor Player, owed ruleset.Debt) {
	return Player(e.Detail & 3), ruleset.Debt{Points: e.Value, Wins: e.Detail >> 2}
}

func packHandEnd(counter, deposits int32) int32 { return counter | deposits<<16 }

// HandEnd returns whether the dealer stays after an EvHandEnd event, and the counter and
// deposits of the next hand.
func (e Event) HandEnd() (stays bool, counter, deposits int) {
	return e.Detail != 0, int(e.Value & 0xffff), int(e.Value >> 16)
}

// Placement returns the rank, from 1, and the placement points, in 1/120, of an
// EvPlacement event.
func (e Event) Placement() (rank int, points int32) { return int(e.Detail), e.Value }
