package sim

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// What an event is made of comes out of it again, up to the limits.
func TestEventPacking(t *testing.T) {
	who := [NumPlayers]Player{2, 0, 3, 1}
	if got, wind, drawn := (Event{Tile: tile.Face(tile.North), Value: packSeats(&who)}).Seats(); got != who || wind != 3 || !drawn {
		t.Errorf("seats %v, %v, %v", got, wind, drawn)
	}
	var e Event
	e.Tile, e.Detail, e.Value = packHandStart(15, maxHandsPlayed, maxHandsPlayed-1, maxDeposits)
	if round, index, counter, deposits := e.HandStart(); round != 15 || index != maxHandsPlayed || counter != maxHandsPlayed-1 || deposits != maxDeposits {
		t.Errorf("hand start %d, %d, %d, %d", round, index, counter, deposits)
	}
	if faces, hidden := (Event{Value: packDeal([]tile.Face{7, 36})}).Deal(); faces != [4]tile.Face{tile.NoFace, tile.NoFace, 7, 36} || hidden {
		t.Errorf("deal %v, %v", faces, hidden)
	}
	if faces, hidden := (Event{Value: -1}).Deal(); faces[0] != tile.NoFace || !hidden {
		t.Errorf("hidden deal %v, %v", faces, hidden)
	}
	for giver := range Player(NumPlayers) {
		for place := range 3 {
			for reds := range 4 {
				if g, p, r := (Event{Detail: PackCall(giver, place, reds)}).Call(); g != giver || p != place || r != reds {
					t.Errorf("call %d, %d, %d became %d, %d, %d", giver, place, reds, g, p, r)
				}
			}
		}
	}
	for _, want := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		var detail uint8
		for i, bit := range []uint8{DiscardDrawn, DiscardReady} {
			if want[i] {
				detail |= bit
			}
		}
		if drawn, ready := (Event{Detail: detail}).Discard(); drawn != want[0] || ready != want[1] {
			t.Errorf("discard %v became %v, %v", want, drawn, ready)
		}
	}
	e.Tile, e.Detail, e.Value = packHandValue(&ruleset.Value{Fu: 110, Han: 13, Points: 32000})
	if points, han, fu := e.HandValue(); points != 32000 || han != 13 || fu != 110 {
		t.Errorf("worth %d, %d, %d", points, han, fu)
	}
	if from, to, amount, reason := (Event{Player: 1, Detail: packPay(Player(ruleset.Pot), ruleset.ForForfeit), Value: 9}).Pay(); from != 1 || to != Player(ruleset.Pot) || amount != 9 || reason != ruleset.ForForfeit {
		t.Errorf("pay %d, %d, %d, %v", from, to, amount, reason)
	}
	if debtor, owed := (Event{Detail: packDebt(3, ruleset.MaxDebtWins), Value: 5}).Debt(); debtor != 3 || owed != (ruleset.Debt{Points: 5, Wins: ruleset.MaxDebtWins}) {
		t.Errorf("debt %d, %v", debtor, owed)
	}
	if stays, counter, deposits := (Event{Detail: 1, Value: packHandEnd(maxHandsPlayed, maxDeposits)}).HandEnd(); !stays || counter != maxHandsPlayed || deposits != maxDeposits {
		t.Errorf("hand end %v, %d, %d", stays, counter, deposits)
	}
}

// A call is made by the action that its event names.
func TestCallActions(t *testing.T) {
	for reds := range 3 {
		if got := (Event{Type: EvPon, Detail: PackCall(1, 0, reds)}).Action(); got != ActPon+Action(reds) {
			t.Errorf("pon with %d red fives is %v", reds, got)
		}
	}
	for place := range 3 {
		plain, red := Event{Type: EvChi, Detail: PackCall(3, place, 0)}, Event{Type: EvChi, Detail: PackCall(3, place, 1)}
		if plain.Action() != ActChi+Action(place) || red.Action() != ActChiRed+Action(place) {
			t.Errorf("chi at place %d is %v, and %v with a red five", place, plain.Action(), red.Action())
		}
	}
	if got := (Event{Type: EvOpenKan, Detail: PackCall(2, 0, 0)}).Action(); got != ActOpenKan {
		t.Errorf("an open kan is %v", got)
	}
}
