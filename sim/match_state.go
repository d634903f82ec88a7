package sim

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// MatchState is the state of a match before a hand is dealt. With the seed it determines
// the rest of the match.
type MatchState struct {
	// Round counts the wind rounds from 0; Dealer is who deals, DealIndex the
	// number of hands already played in this round under this dealer, Hands the
	// number played in the match.
	Round     int
	Dealer    Player
	DealIndex int
	Hands     int
	// Counter is the number of honba or dealer repeats, Deposits the number of
	// riichi sticks on the table.
	Counter, Deposits int
	// Points are in the unit of the rules.
	Points [NumPlayers]int32
	// Ledger has the debts between the players, by player (hktw).
	Ledger ruleset.Ledger
}

// NewTableAt returns a table that waits for StartHand in the middle of a match. The
// error names the field of s that is invalid under the rules.
func NewTableAt(r *ruleset.Rules, seed uint64, s MatchState) (Table, error) {
	t := NewTable(r, seed)
	if err := s.check(r); err != nil {
		return t, err
	}
	t.round = uint8(s.Round)
	if r.SeatRotation == ruleset.MCRTable {
		t.seatRound()
	}
	t.dealer = t.chairOf[s.Dealer]
	t.dealIndex, t.hands = int32(s.DealIndex), int32(s.Hands)
	t.counter, t.deposits = int32(s.Counter), int32(s.Deposits)
	t.points, t.ledger = s.Points, s.Ledger
	return t, nil
}

// check returns an error if no match under the rules has this state.
func (s *MatchState) check(r *ruleset.Rules) error {
	rounds := r.Rounds
	if r.Extension != ruleset.NoExtension {
		rounds++
	}
	deposits := maxDeposits
	if r.RiichiStick == 0 {
		deposits = 0
	}
	for _, n := range [...]struct {
		name   string
		n, max int
	}{
		{"round", s.Round, rounds - 1},
		{"dealer", int(s.Dealer), r.NumSeats() - 1},
		{"deal index", s.DealIndex, maxHandsPlayed - 1},
		{"hands", s.Hands, maxHandsPlayed - 1},
		{"counter", s.Counter, maxHandsPlayed - 1},
		{"deposits", s.Deposits, deposits},
	} {
		if n.n < 0 || n.n > n.max {
			return fmt.Errorf("sim: invalid match state: %s %d; allowed: 0 to %d", n.name, n.n, n.max)
		}
	}
	for p, n := range s.Points {
		if n <= -maxPoints || n >= maxPoints {
			return fmt.Errorf("sim: invalid match state: player %d at %d; allowed: less than %d away from 0", p, n, maxPoints)
		}
	}
	if s.Ledger == (ruleset.Ledger{}) {
		return nil
	}
	if _, ok := r.Scorer.(ruleset.DebtCollector); !ok {
		return fmt.Errorf("sim: invalid match state: it has debts; the rules of %s have none", r.Name)
	}
	for a, row := range s.Ledger {
		for b, d := range row {
			if d == (ruleset.Debt{}) {
				continue
			}
			if a == b || d.Points <= 0 || d.Points > ruleset.MaxDebt || d.Wins == 0 || d.Wins > ruleset.MaxDebtWins {
				return fmt.Errorf("sim: invalid match state: player %d owes player %d %d for %d wins; allowed: 1 to %d for 1 to %d, to another player",
					b, a, d.Points, d.Wins, ruleset.MaxDebt, ruleset.MaxDebtWins)
			}
		}
	}
	return nil
}

// MatchState returns the state of the match, for tables in PhaseDeal.
func (t *Table) MatchState() MatchState {
	who := t.who
	if t.rules.SeatRotation == ruleset.MCRTable {
		who = mcrSeatTable[t.round&3] // the players move as the round begins
	}
	return MatchState{
		Round: int(t.round), Dealer: who[t.dealer], DealIndex: int(t.dealIndex), Hands: int(t.hands),
		Counter: int(t.counter), Deposits: int(t.deposits), Points: t.points, Ledger: t.ledger,
	}
}

// StepValues is Step that also appends the value of each winning hand to values.
func (t *Table) StepValues(p Player, a Action, dst []Event, values *[]ruleset.Value) ([]Event, error) {
	err := t.step(p, a, &events{list: &dst, t: t, values: values})
	return dst, err
}
