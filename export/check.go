package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// The checksum of a file shows what was changed by accident, not what somebody
// wrote who made the checksum fit. So every reader of rows checks that they are
// in order and that what counts something or names somebody is in range; the
// checks below say what is wrong with a row that follows another. Whether a row is
// what its match gives, only verify can tell.

// ends are the ways in which a hand can end.
var ends = func() []string {
	list := []string{exhausted, forfeit}
	for k := sim.WinSelfDraw; k <= sim.WinFlower; k++ {
		list = append(list, k.String())
	}
	for r := sim.AbortNineKinds; r <= sim.AbortTripleRon; r++ {
		list = append(list, r.String())
	}
	return list
}()

// debtReasons are the reasons of a change of a debt.
var debtReasons = []string{debtNew, debtGrown, debtHalved, debtCollected, debtCut, debtVoid}

// wrong is the error of a value that no row has.
func wrong(column string, value any) error {
	return fmt.Errorf("column %s: %v is out of range", column, value)
}

// isPlayer reports whether all are numbers of players.
func isPlayer(players ...uint8) bool {
	return !slices.ContainsFunc(players, func(p uint8) bool { return p >= sim.NumPlayers })
}

// inOrder returns what is wrong with the numbers of matches of rows that come in
// any number for a match. prev is the match before, if there is one.
func (d *Dataset) inOrder(match uint64, prev *uint64) error {
	if match < d.Manifest.first || match >= d.Manifest.next() || prev != nil && match < *prev {
		return fmt.Errorf("column match: %d is out of order", match)
	}
	return nil
}

// rowOfHand is where a row stands that is one of any number for a hand: n counts them.
type rowOfHand struct {
	match uint64
	hand  uint16
	n     uint32
}

// inHand returns what is wrong with the place of a row. prev is that of the row before,
// nil for the first; column is what n is called.
func (d *Dataset) inHand(r rowOfHand, prev *rowOfHand, column string) error {
	if prev == nil {
		prev = &rowOfHand{match: r.match, hand: r.hand, n: math.MaxUint32} // 0 follows
	}
	if err := d.inOrder(r.match, &prev.match); err != nil {
		return err
	}
	same := r.match == prev.match && r.hand == prev.hand
	switch {
	case r.match == prev.match && r.hand < prev.hand:
		return fmt.Errorf("column hand: %d is out of order", r.hand)
	case same && r.n != prev.n+1 || !same && r.n != 0:
		return fmt.Errorf("column %s: %d is out of order", column, r.n)
	}
	return nil
}

// matchCheck returns what checks the rows of table matches.
func (d *Dataset) matchCheck() func(r, prev *MatchRow) error {
	schedule := d.Run.Schedule()
	var agents [sim.NumPlayers]uint8
	return func(r, prev *MatchRow) error {
		if prev == nil || prev.Player == sim.NumPlayers-1 {
			_, agents = schedule.Match(r.Match)
		}
		return d.checkMatch(r, prev, &agents)
	}
}

// checkMatch checks a row of table matches. prev is nil for the first; agents are
// those that play the match.
func (d *Dataset) checkMatch(r, prev *MatchRow, agents *[sim.NumPlayers]uint8) error {
	match, player := d.Manifest.first, uint8(0)
	if prev != nil {
		match, player = prev.Match, prev.Player+1
		if player == sim.NumPlayers {
			match, player = match+1, 0
		}
	}
	switch {
	case r.Match != match || r.Player != player:
		return fmt.Errorf("match %d, player %d is out of order: match %d, player %d should follow", r.Match, r.Player, match, player)
	case r.Agent != agents[player]:
		return fmt.Errorf("column agent: %d plays, but by the schedule it is %d", r.Agent, agents[player])
	case r.Rank < 1 || r.Rank > sim.NumPlayers:
		return wrong("rank", r.Rank)
	case max(r.Wins, r.DealIns, r.Readies, r.Calls, r.Draws) > r.Hands || r.SelfDraws > r.Wins:
		return fmt.Errorf("more hands are counted than were played")
	case prev != nil && player > 0 && (r.Hands != prev.Hands || r.Draws != prev.Draws || r.Truncated != prev.Truncated):
		return fmt.Errorf("columns hands, draws, truncated: they differ between the players of a match")
	}
	if t := d.Run.Tournament; t != nil {
		if set, seating := t.Place(match); r.WallSet != set || int(r.Seating) != seating {
			return fmt.Errorf("wall set %d, seating %d, but by the schedule it is %d, %d", r.WallSet, r.Seating, set, seating)
		}
	}
	return nil
}

// checkHand checks a row of table hands. prev is nil for the first.
func (d *Dataset) checkHand(r, prev *HandRow) error {
	var before *uint64
	hand := uint16(0)
	if prev != nil {
		before = &prev.Match
		if r.Match == prev.Match {
			hand = prev.Hand + 1
		}
	}
	if err := d.inOrder(r.Match, before); err != nil {
		return err
	}
	switch {
	case r.Hand != hand || prev != nil && r.Match == prev.Match && hand == 0:
		return fmt.Errorf("column hand: %d, but %d should follow", r.Hand, hand)
	case !isPlayer(r.Dealer):
		return wrong("dealer", r.Dealer)
	case r.Giver != NoPlayer && !isPlayer(r.Giver):
		return wrong("giver", r.Giver)
	case !slices.Contains(ends, r.End):
		return wrong("end", fmt.Sprintf("%q", r.End))
	case len(r.Wins) > sim.NumPlayers:
		return fmt.Errorf("column wins: %d winners", len(r.Wins))
	case slices.ContainsFunc(r.Wins, func(w Win) bool { return !isPlayer(w.Player) || w.Player == r.Giver }):
		return fmt.Errorf("column wins.player: a winner is no player, or gave himself the tile")
	case slices.ContainsFunc(r.Debts, func(d Debt) bool { return !isPlayer(d.Creditor, d.Debtor) }):
		return fmt.Errorf("column debts: a creditor or debtor is no player")
	case slices.Max(r.Ready[:]) > uint8(sim.ReadyHeaven):
		return wrong("ready", r.Ready)
	}
	return nil
}

// checkDecision checks a row of table decisions. prev is nil for the first.
func (d *Dataset) checkDecision(r, prev *DecisionRow) error {
	var before *rowOfHand
	if prev != nil {
		before = &rowOfHand{prev.Match, prev.Hand, uint32(prev.Index)}
	}
	if err := d.inHand(rowOfHand{r.Match, r.Hand, uint32(r.Index)}, before, "index"); err != nil {
		return err
	}
	switch {
	case !isPlayer(r.Player):
		return wrong("player", r.Player)
	case r.Legal[len(r.Legal)-1]>>(sim.NumActions%64) != 0:
		return fmt.Errorf("column legal: there are %d actions", sim.NumActions)
	case r.Action >= sim.NumActions || !r.Legal.Has(r.Action):
		return fmt.Errorf("column action: %d is not among the legal actions", r.Action)
	}
	return nil
}

// checkLedger checks a row of table ledger. prev is nil for the first.
func (d *Dataset) checkLedger(r, prev *LedgerRow) error {
	var before *rowOfHand
	if prev != nil {
		before = &rowOfHand{prev.Match, prev.Hand, uint32(prev.Order)}
	}
	if err := d.inHand(rowOfHand{r.Match, r.Hand, uint32(r.Order)}, before, "order"); err != nil {
		return err
	}
	switch {
	case !isPlayer(r.Creditor, r.Debtor) || r.Creditor == r.Debtor:
		return fmt.Errorf("columns creditor, debtor: %d, %d are out of range", r.Creditor, r.Debtor)
	case !slices.Contains(debtReasons, r.Reason):
		return wrong("reason", fmt.Sprintf("%q", r.Reason))
	}
	return nil
}

// checkRecord checks a row of table records. prev is nil for the first.
func (d *Dataset) checkRecord(r, prev *Origin) error {
	match := d.Manifest.first
	if prev != nil {
		match = prev.Match + 1
	}
	if r.Match != match {
		return fmt.Errorf("column match: %d, but %d should follow", r.Match, match)
	}
	return nil
}
