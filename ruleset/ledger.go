package ruleset

// Debt is a win, or several in a row, that the loser has not paid yet. No debt
// has zero points.
type Debt struct {
	// Points is the amount in the ruleset's unit, at most MaxDebt; Wins is the
	// number of wins it is made of, counted up to MaxDebtWins.
	Points int32
	Wins   uint8
}

// Limits of a debt, which grows with each win it is made of. With three debts at the
// limit to one player, the points still fit 32 bits.
const (
	MaxDebt     = 6_000_000
	MaxDebtWins = 63
)

// Ledger is the debts between the players: Ledger[a][b] is what chair b owes
// chair a. It is a plain value; the zero value has no debts.
type Ledger [NumPlayers][NumPlayers]Debt

// MayCut reports whether the debtor of d may end it between two hands by paying it
// in full ([H] 3.5).
func (f *Flow) MayCut(d Debt) bool {
	return f.PullCutAfter > 0 && d.Points > 0 && int(d.Wins) >= f.PullCutAfter
}

// Gain returns what chair c gains by the payments of s, and by the debts in its ledger that were
// not in the one before.
func (s *Settlement) Gain(c Chair, before *Ledger) (units int32) {
	for _, p := range s.Payments[:s.NumPayments] {
		switch c {
		case p.To:
			units += p.Amount
		case p.From:
			units -= p.Amount
		}
	}
	for o := range s.Ledger {
		units += s.Ledger[c][o].Points - before[c][o].Points
		units -= s.Ledger[o][c].Points - before[o][c].Points
	}
	return units
}

// Collect appends the payment of what debtor owes creditor to s, reduced to
// amount, and deletes the debt. Without a debt it does nothing.
func (l *Ledger) Collect(s *Settlement, creditor, debtor Chair, amount int) {
	if l[creditor][debtor].Points != 0 {
		s.Pay(debtor, creditor, amount, ForDebt)
		l[creditor][debtor] = Debt{}
	}
}

// DebtCollector is implemented by a Scorer under which players may owe each
// other points.
type DebtCollector interface {
	// Collect ends all debts of s.Ledger at the end of a match and appends the
	// payments. It allocates nothing.
	Collect(s *Settlement)
}
