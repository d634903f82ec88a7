package export

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Debt is what one player owes another.
type Debt struct {
	// Creditor is the player who is owed Points by Debtor.
	Creditor, Debtor uint8
	Points           int32
	// Wins is the number of wins it is made of.
	Wins uint8
}

// LedgerRow is one change of what one player owes another.
type LedgerRow struct {
	// Match is the number of the match in its run.
	Match uint64
	Hand  uint16 // within the match
	// Order counts the changes of the hand.
	Order            uint8
	Creditor, Debtor uint8
	// Points and Wins are the debt after the change, zero if it has ended.
	Points int32
	Wins   uint8
	// Paid is what the debtor paid.
	Paid int32
	// Reason is "new", "grown", "halved", "collected", "cut" or "void".
	Reason string
}

// Reasons of a change.
const (
	debtNew       = "new"       // a win off somebody who owed nothing
	debtGrown     = "grown"     // another one
	debtHalved    = "halved"    // ended by a part of it
	debtCollected = "collected" // paid in full
	debtCut       = "cut"       // paid in full, by choice between two hands
	debtVoid      = "void"      // ended without a payment
)

// debtBook follows the debts of a match by its events, which tell what was paid
// and what is then owed, and makes rows of the changes. Players index it.
type debtBook struct {
	rows []LedgerRow
	// before is what was owed when the changes in work began, owed what is owed
	// now, and paid[a][b] what b has paid a.
	before, owed ruleset.Ledger
	paid         [sim.NumPlayers][sim.NumPlayers]int32
}

// begin empties the book for another match.
func (b *debtBook) begin() { *b = debtBook{rows: b.rows[:0]} }

// read enters the events of a hand and fills in what is owed after it. What is
// paid after the end of a hand is cut by choice, or collected after the last.
func (b *debtBook) read(h *HandRow, events []sim.Event, last bool) {
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
			b.change(h, debtCollected)
		}
	}
	b.change(h, inFull)
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

// change makes rows of the changes in work; inFull is the reason of a debt that
// was paid in full.
func (b *debtBook) change(h *HandRow, inFull string) {
	for creditor := range b.owed {
		for debtor, now := range b.owed[creditor] {
			was, paid := b.before[creditor][debtor], b.paid[creditor][debtor]
			row := LedgerRow{Match: h.Match, Hand: h.Hand, Creditor: uint8(creditor), Debtor: uint8(debtor)}
			if was.Points != 0 && (paid != 0 || now.Points == 0) {
				row.Paid, row.Reason = paid, inFull
				switch {
				case b.owed[debtor][creditor].Points != 0 || paid != 0 && paid < was.Points:
					row.Reason = debtHalved
				case paid == 0:
					row.Reason = debtVoid
				}
				b.rows = append(b.rows, row)
				row.Paid, was = 0, ruleset.Debt{}
			}
			if now == was {
				continue
			}
			row.Points, row.Wins, row.Reason = now.Points, now.Wins, debtGrown
			if was.Points == 0 {
				row.Reason = debtNew
			}
			b.rows = append(b.rows, row)
		}
	}
	b.before = b.owed
	b.paid = [sim.NumPlayers][sim.NumPlayers]int32{}
}
