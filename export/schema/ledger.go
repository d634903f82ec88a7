package schema

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Reasons of a change of a debt.
const (
	debtNew       = "new"       // a win at the cost of a player who owed nothing
	debtGrown     = "grown"     // a further win
	debtHalved    = "halved"    // ended by paying a part
	debtCollected = "collected" // paid in full
	debtCut       = "cut"       // paid in full, by choice between two hands
	debtVoid      = "void"      // ended without a payment
)

var debtReasons = []string{debtNew, debtGrown, debtHalved, debtCollected, debtCut, debtVoid}

// debtBook follows the debts of a match through the events of payments and debts, and makes
// rows of the changes. Its matrices are indexed by creditor and debtor.
type debtBook struct {
	rows []LedgerRow
	// recorded is the debts up to the last row, owed the debts now, and paid[a][b] the
	// payments by b to a since the last row.
	recorded, owed ruleset.Ledger
	paid           [sim.NumPlayers][sim.NumPlayers]int32
}

// readHand enters the events of a hand and fills in the debts after it. A debt that is paid
// in full after the end of a hand is cut by choice or, after the last hand, collected.
func (b *debtBook) readHand(h *HandRow, events []sim.Event, last bool) {
	first := len(b.rows)
	inFull := debtCut
	if last {
		inFull = debtCollected
	}
	for _, e := range events {
		switch e.Type {
		case sim.EvPay:
			if from, to, amount, reason := e.Pay(); reason == ruleset.ForDebt {
				b.paid[to][from] += amount
			}
		case sim.EvDebt:
			debtor, owed := e.Debt()
			b.owed[e.Player][debtor] = owed
		case sim.EvHandEnd:
			b.addRows(h, debtCollected)
		}
	}
	b.addRows(h, inFull)
	for i := range b.rows[first:] {
		b.rows[first+i].Order = uint8(i)
	}
	for creditor, row := range b.owed {
		for debtor, d := range row {
			if d.Points != 0 {
				h.Debts = append(h.Debts, Debt{uint8(creditor), uint8(debtor), d.Points, d.Wins})
			}
		}
	}
}

// addRows adds the changes since the last call. inFull is the reason of a debt that was
// paid in full.
func (b *debtBook) addRows(h *HandRow, inFull string) {
	for creditor := range b.owed {
		for debtor, after := range b.owed[creditor] {
			before, paid := b.recorded[creditor][debtor], b.paid[creditor][debtor]
			row := LedgerRow{
				Match: h.Match, Hand: h.Hand, Ruleset: h.Ruleset, Creditor: uint8(creditor), Debtor: uint8(debtor),
				CreditorAgent: h.agent(uint8(creditor)), DebtorAgent: h.agent(uint8(debtor)),
			}
			if before.Points != 0 && (paid != 0 || after.Points == 0) {
				row.Paid, row.Reason = paid, inFull
				switch {
				case b.owed[debtor][creditor].Points != 0 || paid != 0 && paid < before.Points:
					row.Reason = debtHalved
				case paid == 0:
					row.Reason = debtVoid
				}
				b.rows = append(b.rows, row)
				row.Paid, before = 0, ruleset.Debt{}
			}
			if after == before {
				continue
			}
			row.Points, row.Wins, row.Reason = after.Points, after.Wins, debtGrown
			if before.Points == 0 {
				row.Reason = debtNew
			}
			b.rows = append(b.rows, row)
		}
	}
	b.recorded = b.owed
	b.paid = [sim.NumPlayers][sim.NumPlayers]int32{}
}
