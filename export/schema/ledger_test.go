package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// pay and debt are the events of the ledger.
func pay(from, to sim.Player, amount int32) sim.Event {
	return sim.Event{Type: sim.EvPay, Player: from, Detail: uint8(to) | uint8(ruleset.ForDebt)<<4, Value: amount}
}

func debt(creditor, debtor sim.Player, points int32, wins uint8) sim.Event {
	return sim.Event{Type: sim.EvDebt, Player: creditor, Detail: uint8(debtor) | wins<<2, Value: points}
}

// Each kind of change is told from the others by the events alone.
func TestDebtBook(t *testing.T) {
	end := sim.Event{Type: sim.EvHandEnd, Player: -1}
	type change struct {
		creditor, debtor uint8
		points           int32
		wins             uint8
		paid             int32
		reason           string
	}
	for name, hands := range map[string][]struct {
		events  []sim.Event
		changes []change
		debts   []Debt
	}{
		"grown, kept, collected": {
			{[]sim.Event{debt(2, 1, 40, 1), end}, []change{{2, 1, 40, 1, 0, "new"}}, []Debt{{2, 1, 40, 1}}},
			{[]sim.Event{debt(2, 1, 82, 2), end}, []change{{2, 1, 82, 2, 0, "grown"}}, []Debt{{2, 1, 82, 2}}},
			{[]sim.Event{end}, nil, []Debt{{2, 1, 82, 2}}},
			{
				[]sim.Event{pay(1, 2, 82), debt(0, 3, 20, 1), debt(2, 1, 0, 0), end},
				[]change{{0, 3, 20, 1, 0, "new"}, {2, 1, 0, 0, 82, "collected"}},
				[]Debt{{0, 3, 20, 1}},
			},
			{
				[]sim.Event{pay(3, 0, 20), debt(0, 3, 0, 0), debt(3, 1, 8, 1), end, pay(1, 3, 8), debt(3, 1, 0, 0)},
				[]change{{0, 3, 0, 0, 20, "collected"}, {3, 1, 8, 1, 0, "new"}, {3, 1, 0, 0, 8, "collected"}},
				nil,
			},
		},
		"halved": {
			{[]sim.Event{debt(0, 1, 42, 1), debt(0, 2, 2, 1), end}, []change{{0, 1, 42, 1, 0, "new"}, {0, 2, 2, 1, 0, "new"}}, []Debt{{0, 1, 42, 1}, {0, 2, 2, 1}}},
			// Half of one point, rounded down, is no payment.
			{
				[]sim.Event{pay(1, 0, 20), debt(0, 1, 0, 0), debt(0, 2, 0, 0), debt(1, 0, 10, 1), debt(2, 0, 10, 1), end},
				[]change{{0, 1, 0, 0, 20, "halved"}, {0, 2, 0, 0, 0, "halved"}, {1, 0, 10, 1, 0, "new"}, {2, 0, 10, 1, 0, "new"}},
				[]Debt{{1, 0, 10, 1}, {2, 0, 10, 1}},
			},
			// Half of one point, rounded up, is all of it.
			{
				[]sim.Event{pay(0, 1, 10), pay(0, 2, 5), debt(0, 1, 6, 1), debt(1, 0, 0, 0), debt(2, 0, 0, 0), end},
				[]change{{0, 1, 6, 1, 0, "new"}, {1, 0, 0, 0, 10, "halved"}, {2, 0, 0, 0, 5, "halved"}},
				[]Debt{{0, 1, 6, 1}},
			},
			{[]sim.Event{end, pay(1, 0, 2), debt(0, 1, 0, 0)}, []change{{0, 1, 0, 0, 2, "halved"}}, nil},
		},
		"cut": {
			{
				[]sim.Event{debt(0, 1, 42, 1), debt(0, 2, 30, 1), end, pay(1, 0, 42), debt(0, 1, 0, 0)},
				[]change{{0, 1, 42, 1, 0, "new"}, {0, 2, 30, 1, 0, "new"}, {0, 1, 0, 0, 42, "cut"}},
				[]Debt{{0, 2, 30, 1}},
			},
			{[]sim.Event{end, debt(0, 2, 0, 0)}, []change{{0, 2, 0, 0, 0, "void"}}, nil},
		},
		"collected, then new": {
			{[]sim.Event{debt(0, 1, 42, 1), debt(0, 2, 30, 1), end}, []change{{0, 1, 42, 1, 0, "new"}, {0, 2, 30, 1, 0, "new"}}, []Debt{{0, 1, 42, 1}, {0, 2, 30, 1}}},
			// The debts to 0 are paid and begin again, the second with as much.
			{
				[]sim.Event{pay(1, 0, 42), pay(2, 0, 30), debt(0, 1, 44, 1), end},
				[]change{{0, 1, 0, 0, 42, "collected"}, {0, 1, 44, 1, 0, "new"}, {0, 2, 0, 0, 30, "collected"}, {0, 2, 30, 1, 0, "new"}},
				[]Debt{{0, 1, 44, 1}, {0, 2, 30, 1}},
			},
		},
	} {
		var b debtBook
		agents := [sim.NumPlayers]string{"a", "b", "b", "c"}
		for i, hand := range hands {
			h := HandRow{Match: 9, Hand: uint16(i), Ruleset: "r", Agent0: agents[0], Agent1: agents[1], Agent2: agents[2], Agent3: agents[3]}
			first := len(b.rows)
			b.readHand(&h, hand.events, i == len(hands)-1)
			want := []LedgerRow{}
			for order, c := range hand.changes {
				want = append(want, LedgerRow{
					Match: 9, Hand: uint16(i), Order: uint8(order), Ruleset: "r", Creditor: c.creditor, Debtor: c.debtor,
					CreditorAgent: agents[c.creditor], DebtorAgent: agents[c.debtor],
					Points: c.points, Wins: c.wins, Paid: c.paid, Reason: c.reason,
				})
			}
			if d := cmp.Diff(want, append([]LedgerRow{}, b.rows[first:]...)); d != "" {
				t.Errorf("%s, hand %d: changes (-want):\n%s", name, i, d)
			}
			if d := cmp.Diff(hand.debts, h.Debts); d != "" {
				t.Errorf("%s, hand %d: debts (-want):\n%s", name, i, d)
			}
		}
	}
}
