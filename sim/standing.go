package sim

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Standing is where a match stands when a hand is about to be dealt: all that the
// rest of the match depends on, but for the seed.
type Standing struct {
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
	// Ledger is what the players owe each other, by player (hktw).
	Ledger ruleset.Ledger
}

// NewTableAt returns a table that waits for StartHand in the middle of a match.
// The error names the figure that no match under these rules can have.
func NewTableAt(r *ruleset.Rules, seed uint64, s Standing) (Table, error) {
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

// check returns what no match can have.
func (s *Standing) check(r *ruleset.Rules) error {
	rounds := r.Rounds
	if r.Extension != ruleset.NoExtension {
		rounds++
	}
	deposits := mostDeposits
	if r.RiichiStick == 0 {
		deposits = 0
	}
	for _, n := range [...]struct {
		name   string
		n, max int
	}{
		{"round", s.Round, rounds - 1},
		{"dealer", int(s.Dealer), NumPlayers - 1},
		{"deal index", s.DealIndex, mostHands - 1},
		{"hands", s.Hands, mostHands - 1},
		{"counter", s.Counter, mostHands - 1},
		{"deposits", s.Deposits, deposits},
	} {
		if n.n < 0 || n.n > n.max {
			return fmt.Errorf("sim: a match cannot stand at %s %d; allowed: 0 to %d", n.name, n.n, n.max)
		}
	}
	for p, n := range s.Points {
		if n <= -mostPoints || n >= mostPoints {
			return fmt.Errorf("sim: a match cannot go on with player %d at %d; allowed: less than %d away from 0", p, n, mostPoints)
		}
	}
	if s.Ledger == (ruleset.Ledger{}) {
		return nil
	}
	if _, ok := r.Scorer.(ruleset.DebtCollector); !ok {
		return fmt.Errorf("sim: nobody owes anything under the rules of %s", r.Name)
	}
	for a, row := range s.Ledger {
		for b, d := range row {
			if d == (ruleset.Debt{}) {
				continue
			}
			if a == b || d.Points <= 0 || d.Points > ruleset.MaxDebt || d.Wins == 0 || d.Wins > ruleset.MaxDebtWins {
				return fmt.Errorf("sim: player %d cannot owe player %d %d out of %d wins; allowed: 1 to %d out of 1 to %d, to another player",
					b, a, d.Points, d.Wins, ruleset.MaxDebt, ruleset.MaxDebtWins)
			}
		}
	}
	return nil
}

// Standing returns where the match stands. It is meant for tables in PhaseDeal.
func (t *Table) Standing() Standing {
	who := t.who
	if t.rules.SeatRotation == ruleset.MCRTable {
		who = mcrSeats[t.round&3] // the players move as the round begins
	}
	return Standing{
		Round: int(t.round), Dealer: who[t.dealer], DealIndex: int(t.dealIndex), Hands: int(t.hands),
		Counter: int(t.counter), Deposits: int(t.deposits), Points: t.points, Ledger: t.ledger,
	}
}

// StepValues is Step that also appends what each winning hand is worth to
// values.
func (t *Table) StepValues(p Player, a Action, dst []Event, values *[]ruleset.Value) ([]Event, error) {
	err := t.step(p, a, &events{list: &dst, t: t, values: values})
	return dst, err
}
