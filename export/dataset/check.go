package dataset

import (
	"fmt"
	"math"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A checksum reveals accidental changes, but not those of a writer who made the checksum
// fit. So every reader of rows checks that they are in order and in range. Only Verify
// compares them with the matches.

// checkOrder checks the match of a row in a table with any number of rows for each match. prev
// is the match of the row before, nil for the first.
func (d *Dataset) checkOrder(match uint64, prev *uint64) error {
	if match < d.Manifest.first || match >= d.Manifest.next() || prev != nil && match < *prev {
		return fmt.Errorf("column match: %d is out of order", match)
	}
	return nil
}

// rowOfHand is the position of a row in a table with any number of rows for each hand: n is its
// number in the hand.
type rowOfHand struct {
	match uint64
	hand  uint16
	n     uint32
}

// handRowCheck returns a function that checks the rows of a table with any number of rows for
// each hand. place returns the place of a row; column is the name of the column with n.
func handRowCheck[R any](d *Dataset, column string, place func(*R) rowOfHand, check func(r *R, seats int) error) func(r, prev *R) error {
	return func(row, before *R) error {
		r := place(row)
		prev := rowOfHand{match: r.match, hand: r.hand, n: math.MaxUint32} // 0 follows
		if before != nil {
			prev = place(before)
		}
		if err := d.checkOrder(r.match, &prev.match); err != nil {
			return err
		}
		same := r.match == prev.match && r.hand == prev.hand
		switch {
		case r.match == prev.match && r.hand < prev.hand:
			return fmt.Errorf("column hand: %d is out of order", r.hand)
		case same && r.n != prev.n+1 || !same && r.n != 0:
			return fmt.Errorf("column %s: %d is out of order", column, r.n)
		}
		return check(row, d.rules.NumSeats())
	}
}

// matchCheck returns a function that checks the rows of table matches.
func (d *Dataset) matchCheck() func(r, prev *schema.MatchRow) error {
	schedule, seats := d.Run.Schedule(), d.rules.NumSeats()
	var agents [sim.NumPlayers]uint8
	return func(r, prev *schema.MatchRow) error {
		if prev == nil || int(prev.Player) == seats-1 {
			_, agents = schedule.Match(r.Match)
		}
		return d.checkMatch(r, prev, &agents)
	}
}

// checkMatch checks a row of table matches. prev is nil for the first; agents are those of
// the match in the schedule.
func (d *Dataset) checkMatch(r, prev *schema.MatchRow, agents *[sim.NumPlayers]uint8) error {
	match, player, seats := d.Manifest.first, uint8(0), d.rules.NumSeats()
	if prev != nil {
		match, player = prev.Match, prev.Player+1
		if int(player) == seats {
			match, player = match+1, 0
		}
	}
	switch {
	case r.Match != match || r.Player != player:
		return fmt.Errorf("match %d, player %d is out of order: match %d, player %d should follow", r.Match, r.Player, match, player)
	case r.Agent != agents[player]:
		return fmt.Errorf("column agent: %d, but the schedule has %d", r.Agent, agents[player])
	case prev != nil && player > 0 && (r.Hands != prev.Hands || r.Draws != prev.Draws || r.Truncated != prev.Truncated):
		return fmt.Errorf("columns hands, draws, truncated: they differ between the players of a match")
	}
	if err := r.Check(seats); err != nil {
		return err
	}
	if set, seating := d.Run.Place(match); r.WallSet != set || int(r.Seating) != seating {
		return fmt.Errorf("duplicate set %d, seating %d, but the schedule has %d, %d", r.WallSet, r.Seating, set, seating)
	}
	return nil
}

func (d *Dataset) checkHand(r, prev *schema.HandRow) error {
	var before *uint64
	hand := uint16(0)
	if prev != nil {
		before = &prev.Match
		if r.Match == prev.Match {
			hand = prev.Hand + 1
		}
	}
	if err := d.checkOrder(r.Match, before); err != nil {
		return err
	}
	if r.Hand != hand || prev != nil && r.Match == prev.Match && hand == 0 {
		return fmt.Errorf("column hand: %d, but %d should follow", r.Hand, hand)
	}
	return r.Check(d.rules.NumSeats())
}

// checkWin checks a row of table wins. prev is nil for the first.
func (d *Dataset) checkWin(r, prev *schema.WinRow) error {
	var before *uint64
	if prev != nil {
		before = &prev.Match
	}
	if err := d.checkOrder(r.Match, before); err != nil {
		return err
	}
	win, index := uint8(0), uint8(0)
	switch {
	case prev == nil || r.Match != prev.Match || r.Hand > prev.Hand:
	case r.Hand < prev.Hand:
		return fmt.Errorf("column hand: %d is out of order", r.Hand)
	case r.Win == prev.Win:
		win, index = prev.Win, prev.Index+1
	default:
		win = prev.Win + 1
	}
	if r.Win != win || r.Index != index {
		return fmt.Errorf("columns win, index: %d, %d, but %d, %d should follow", r.Win, r.Index, win, index)
	}
	return r.Check(d.rules.NumSeats())
}

// decisionPlace and changePlace return the places of rows of the tables decisions and ledger.
func decisionPlace(r *schema.DecisionRow) rowOfHand {
	return rowOfHand{r.Match, r.Hand, uint32(r.Index)}
}

func changePlace(r *schema.LedgerRow) rowOfHand { return rowOfHand{r.Match, r.Hand, uint32(r.Order)} }

// checkRecord checks a row of table records. prev is nil for the first.
func (d *Dataset) checkRecord(r, prev *schema.Origin) error {
	match := d.Manifest.first
	if prev != nil {
		match = prev.Match + 1
	}
	if r.Match != match {
		return fmt.Errorf("column match: %d, but %d should follow", r.Match, match)
	}
	return nil
}
