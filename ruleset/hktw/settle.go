package hktw

import "github.com/sparrowhall/sparrowhall/ruleset"

// owed is what each chair owes each winner of a hand, in points.
type owed [ruleset.NumPlayers][ruleset.NumPlayers]int

// nothing is the amount for a chair that has not lost to the winner. A win that is worth
// zero, which is possible where fan are disabled, still counts for the pull.
const nothing = -1

// Settle lets a won hand enter the pull, or pays it at once ([H] 3.3, 4.9).
func (s *Scorer) Settle(t *ruleset.Settlement) {
	var due owed
	// nothing and not 0: see there.
	for w := range due {
		due[w] = [ruleset.NumPlayers]int{nothing, nothing, nothing, nothing}
	}
	flowers := false
	for i := range t.Winners[:t.NumWinners] {
		w := &t.Winners[i]
		flowers = flowers || w.Value.FlowerWin
		for n := range ruleset.NumPlayers - 1 {
			c := w.Chair.Next(n + 1)
			if t.From == ruleset.NoChair || c == w.Responsible {
				due[w.Chair][c] = s.Share(t, w, c)
			}
		}
	}
	if s.knobs.Pull && (s.knobs.PullFlowerWin || !flowers) {
		s.pull(t, &due)
		return
	}
	for w, row := range due {
		for c, points := range row {
			if points != nothing {
				t.Pay(ruleset.Chair(c), ruleset.Chair(w), units*points, ruleset.ForWin)
			}
		}
	}
}

// Share returns the fan, or points, that chair c owes a winner, the dealer item included.
func (s *Scorer) Share(t *ruleset.Settlement, w *ruleset.Winner, c ruleset.Chair) int {
	items := 0
	switch {
	case c == t.Dealer,
		w.Chair == t.Dealer && (t.From == ruleset.NoChair || s.knobs.DealerItemWin),
		t.From == ruleset.NoChair && s.knobs.DealerItemDraw == AllPayItem:
		items = int(w.Value.DealerItems)
	}
	return int(w.Value.Base) + items*s.dealerItem(t.Counter)
}

// units is the number of units in a point.
const units = 2

// pull carries a won hand into the ledger: every debt as it was
// before the hand grows, shrinks, stays or is paid by who won off whom ([H]
// 3.3, 3.5).
func (s *Scorer) pull(t *ruleset.Settlement, due *owed) {
	var winners ruleset.Chairs
	for _, w := range t.Winners[:t.NumWinners] {
		winners |= w.Chair.Bit()
	}
	// All debts are judged by the ledger before the hand, so their order does not matter ([H] 3.5,
	// P12).
	before := t.Ledger
	for a := range ruleset.Chair(ruleset.NumPlayers) {
		for b := range ruleset.Chair(ruleset.NumPlayers) {
			d := before[a][b]
			if d.Points == 0 {
				continue
			}
			points := int(d.Points) / units
			switch {
			case due[a][b] != nothing && (s.knobs.PullOutsider == PullGrows || t.NumWinners == 1):
				grown := s.knobs.PullGrowthRound.of(points * int(s.knobs.PullGrowth))
				t.Ledger[a][b] = debt(grown+due[a][b], d.Wins+1)
				// The win is in the grown debt, and must not begin a new one below.
				due[a][b] = nothing
			// The debtor has won off the creditor: half is paid, and the win begins a debt of its
			// own ([H] 3.3, 3.5).
			case due[b][a] != nothing:
				t.Ledger.Collect(t, a, b, units*s.knobs.PullHalfRound.of(points))
			case s.holds(winners, a, b) && due[a][b] == nothing:
			default:
				t.Ledger.Collect(t, a, b, units*points)
			}
		}
	}
	for a, row := range due {
		for b, points := range row {
			// A win that is worth zero has changed the old debts and leaves none.
			if points > 0 {
				t.Ledger[a][b] = debt(points, 1)
			}
		}
	}
}

// debt returns a debt of so many points, or as many as a debt may have.
func debt(points int, wins uint8) ruleset.Debt {
	return ruleset.Debt{
		Points: int32(min(units*points, ruleset.MaxDebt)),
		Wins:   min(wins, ruleset.MaxDebtWins),
	}
}

// holds reports whether what b owes a stays as it is although a player has won,
// b not being the one who paid.
func (s *Scorer) holds(winners ruleset.Chairs, a, b ruleset.Chair) bool {
	switch {
	case !winners.Has(a):
		return false
	case winners == a.Bit():
		return true
	case winners.Has(b):
		return s.knobs.PullBothWin == PullHolds
	}
	return s.knobs.PullOutsiderWins == PullHolds
}

// of returns half of a number of halves, rounded.
func (r Rounding) of(halves int) int {
	if r == RoundFloor {
		return halves / 2
	}
	// Halves round up either way.
	return (halves + 1) / 2
}

// Collect ends all debts at the end of a match ([H] 3.3).
func (s *Scorer) Collect(t *ruleset.Settlement) {
	for a := range ruleset.Chair(ruleset.NumPlayers) {
		for b := range ruleset.Chair(ruleset.NumPlayers) {
			points := int(t.Ledger[a][b].Points) / units
			switch s.knobs.PullEnd {
			case DebtsVoid:
				points = 0
			case DebtsHalved:
				points = s.knobs.PullHalfRound.of(points)
			}
			t.Ledger.Collect(t, a, b, units*points)
		}
	}
}

// Drawn appends nothing: a drawn hand changes neither points nor debts ([H] 2.12).
func (s *Scorer) Drawn(*ruleset.Settlement) {}
