package schema

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

// ends are the ways in which a hand of three players can end. Only three players can end it in
// the last way.
var ends = func() []string {
	list := []string{exhausted, forfeit}
	for k := sim.WinSelfDraw; k <= sim.WinFlower; k++ {
		list = append(list, k.String())
	}
	for r := sim.AbortNineKinds; r <= sim.AbortTripleRon; r++ {
		list = append(list, r.String())
	}
	return append(list, sim.WinRobKita.String())
}()

// endsOf returns the ways in which a hand of so many players can end.
func endsOf(seats int) []string {
	if seats == 3 {
		return ends
	}
	return ends[:len(ends)-1]
}

// rangeError is the error of a value that no row has.
func rangeError(column string, value any) error {
	return fmt.Errorf("column %s: %v is out of range", column, value)
}

// arePlayers reports whether all are numbers of so many players.
func arePlayers(seats int, players ...uint8) bool {
	return !slices.ContainsFunc(players, func(p uint8) bool { return int(p) >= seats })
}

// Check returns an error if a value is out of range in a match of so many players.
func (r *MatchRow) Check(seats int) error {
	switch {
	case r.Rank < 1 || int(r.Rank) > seats:
		return rangeError("rank", r.Rank)
	case max(r.Wins, r.DealIns, r.Readies, r.Calls, r.Draws) > r.Hands || r.SelfDraws > r.Wins:
		return fmt.Errorf("more hands are counted than were played")
	}
	return nil
}

// Check returns an error if a value is out of range in a match of so many players.
func (h *HandRow) Check(seats int) error {
	switch {
	case !arePlayers(seats, h.Dealer):
		return rangeError("dealer", h.Dealer)
	case h.Giver != NoPlayer && !arePlayers(seats, h.Giver):
		return rangeError("giver", h.Giver)
	case !slices.Contains(endsOf(seats), h.End):
		return rangeError("end", fmt.Sprintf("%q", h.End))
	case len(h.Wins) > seats:
		return fmt.Errorf("column wins: %d winners", len(h.Wins))
	case slices.ContainsFunc(h.Wins, func(w Win) bool { return !arePlayers(seats, w.Player) || w.Player == h.Giver }):
		return fmt.Errorf("column wins.player: a winner is no player, or dealt into the own hand")
	case slices.ContainsFunc(h.Debts, func(d Debt) bool { return !arePlayers(seats, d.Creditor, d.Debtor) }):
		return fmt.Errorf("column debts: a creditor or debtor is no player")
	case slices.Max(h.Ready[:]) > uint8(sim.ReadyHeaven):
		return rangeError("ready", h.Ready)
	}
	return nil
}

// Check returns an error if a value is out of range in a match of so many players.
func (r *WinRow) Check(seats int) error {
	switch {
	case !arePlayers(seats, r.Player, r.Dealer) || r.Giver != NoPlayer && !arePlayers(seats, r.Giver):
		return fmt.Errorf("columns player, dealer, giver: %d, %d, %d are out of range", r.Player, r.Dealer, r.Giver)
	case int(r.Win) >= seats:
		return rangeError("win", r.Win)
	}
	return nil
}

// Check returns an error if a value is out of range in a match of so many players.
func (r *DecisionRow) Check(seats int) error {
	_, actions := sim.ActionTable(seats)
	switch {
	case !arePlayers(seats, r.Player):
		return rangeError("player", r.Player)
	case r.Legal[len(r.Legal)-1]>>(actions%64) != 0:
		return fmt.Errorf("column legal: there are %d actions", actions)
	case int(r.Action) >= actions || !r.Legal.Has(r.Action):
		return fmt.Errorf("column action: %d is not among the legal actions", r.Action)
	}
	return nil
}

// Check returns an error if a value is out of range in a match of so many players.
func (r *LedgerRow) Check(seats int) error {
	switch {
	case !arePlayers(seats, r.Creditor, r.Debtor) || r.Creditor == r.Debtor:
		return fmt.Errorf("columns creditor, debtor: %d, %d are out of range", r.Creditor, r.Debtor)
	case !slices.Contains(debtReasons, r.Reason):
		return rangeError("reason", fmt.Sprintf("%q", r.Reason))
	}
	return nil
}
