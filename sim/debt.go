package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// ledgerOfChairs returns the debts by chair; the table stores them by player.
func (t *Table) ledgerOfChairs() (l ruleset.Ledger) {
	for a := range l {
		for b := range l[a] {
			l[a][b] = t.ledger[t.who[a]][t.who[b]]
		}
	}
	return l
}

// keepLedger stores the debts by chair after a hand.
func (t *Table) keepLedger(o *events, l *ruleset.Ledger) {
	for a := range l {
		for b := range l[a] {
			if d := l[a][b]; d != t.ledger[t.who[a]][t.who[b]] {
				t.setDebt(o, t.who[a], t.who[b], d)
			}
		}
	}
}

func (t *Table) setDebt(o *events, creditor, debtor Player, d ruleset.Debt) {
	t.ledger[creditor][debtor] = d
	o.add(EvDebt, t.chairOf[creditor], tile.NoFace, packDebt(debtor, d.Wins), d.Points)
}

// collectDebts settles the debts left at the end of the match.
func (t *Table) collectDebts(o *events) {
	c, ok := t.rules.Scorer.(ruleset.DebtCollector)
	if !ok || t.ledger == (ruleset.Ledger{}) {
		return
	}
	x := settlements.Get().(*settling)
	defer settlements.Put(x)
	x.st = ruleset.Settlement{From: ruleset.NoChair, Dealer: t.dealer, Ledger: t.ledgerOfChairs()}
	c.Collect(&x.st)
	t.payAll(o, &x.st)
	t.keepLedger(o, &x.st.Ledger)
}
