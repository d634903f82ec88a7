package sim

import (
	"fmt"

	"github.com/jansou/jansou/ruleset"
)

// Standing is where a match stands when a hand is about to be dealt.
type Standing struct {
	// Round counts the wind rounds from 0; Dealer is who deals, DealIndex the
	// number of hands already played in this round under this dealer.
	Round     int
	Dealer    Player
	DealIndex int
	// Counter is the number of honba or dealer repeats, Deposits the number of
	// riichi sticks on the table.
	Counter, Deposits int
	// Points are in the unit of the rules.
	Points [NumPlayers]int32
}

// NewTableAt returns a table that waits for StartHand in the middle of a match.
// The error names the figure that no match can have.
func NewTableAt(r *ruleset.Rules, seed uint64, s Standing) (Table, error) {
	t := NewTable(r, seed)
	for _, n := range [...]struct {
		name     string
		n, limit int
	}{
		{"round", s.Round, 4 * r.Rounds},
		{"dealer", int(s.Dealer), NumPlayers},
		{"deal index", s.DealIndex, 1 << 15},
		{"counter", s.Counter, 1 << 15},
		{"deposits", s.Deposits, 1 << 7},
	} {
		if n.n < 0 || n.n >= n.limit {
			return t, fmt.Errorf("sim: a match cannot stand at %s %d; allowed: 0 to %d", n.name, n.n, n.limit-1)
		}
	}
	t.round = uint8(s.Round)
	if r.SeatRotation == ruleset.MCRTable {
		t.seatRound()
	}
	t.dealer = t.chairOf[s.Dealer]
	t.dealIndex, t.counter, t.deposits = int32(s.DealIndex), int32(s.Counter), int32(s.Deposits)
	t.points = s.Points
	return t, nil
}

// Standing returns where the match stands. It is meant for tables in PhaseDeal.
func (t *Table) Standing() Standing {
	who := t.who
	if t.rules.SeatRotation == ruleset.MCRTable {
		who = mcrSeats[t.round&3] // the players move as the round begins
	}
	return Standing{
		Round: int(t.round), Dealer: who[t.dealer], DealIndex: int(t.dealIndex),
		Counter: int(t.counter), Deposits: int(t.deposits), Points: t.points,
	}
}

// StepValues is Step that also appends what each winning hand is worth to
// values.
func (t *Table) StepValues(p Player, a Action, dst []Event, values *[]ruleset.Value) ([]Event, error) {
	out := events{list: dst, t: t, values: values}
	err := t.step(p, a, &out)
	return out.list, err
}
