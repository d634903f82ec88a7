package stats

import (
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Gains returns what each player gained in a hand, in the unit of payments: the payments, and the
// change of what is owed to him over what he owes. before are the debts after the hand before, none
// for the first. A debt that is paid is no gain: it was one in the hand that made it.
func Gains(h *schema.HandRow, before []schema.Debt) [sim.NumPlayers]int32 {
	gains := h.Payments
	for _, d := range h.Debts {
		gains[d.Creditor] += d.Points
		gains[d.Debtor] -= d.Points
	}
	for _, d := range before {
		gains[d.Creditor] -= d.Points
		gains[d.Debtor] += d.Points
	}
	return gains
}

// debtsBefore returns the debts before hand i of a match.
func (m *match) debtsBefore(i int) []schema.Debt {
	if i == 0 {
		return nil
	}
	return m.hands[i-1].Debts
}
