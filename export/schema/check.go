package schema

import (
	"fmt"
	"slices"

	"github.com/sparrowhall/sparrowhall/sim"
)

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

// rangeError is the error of a value that no row has.
func rangeError(column string, value any) error {
	return fmt.Errorf("column %s: %v is out of range", column, value)
}

// arePlayers reports whether all are numbers of players.
func arePlayers(players ...uint8) bool {
	return !slices.ContainsFunc(players, func(p uint8) bool { return p >= sim.NumPlayers })
}

// Check returns an error if a value is out of range.
func (r *MatchRow) Check() error {
	switch {
	case r.Rank < 1 || r.Rank > sim.NumPlayers:
		return rangeError("rank", r.Rank)
	case max(r.Wins, r.DealIns, r.Readies, r.Calls, r.Draws) > r.Hands || r.SelfDraws > r.Wins:
		return fmt.Errorf("more hands are counted than were played")
	}
	return nil
}

// Check returns an error if a value is out of range.
func (h *HandRow) Check() error {
	switch {
	case !arePlayers(h.Dealer):
		return rangeError("dealer", h.Dealer)
	case h.Giver != NoPlayer && !arePlayers(h.Giver):
		return rangeError("giver", h.Giver)
	case !slices.Contains(ends, h.End):
		return rangeError("end", fmt.Sprintf("%q", h.End))
	case len(h.Wins) > sim.NumPlayers:
		return fmt.Errorf("column wins: %d winners", len(h.Wins))
	case slices.ContainsFunc(h.Wins, func(w Win) bool { return !arePlayers(w.Player) || w.Player == h.Giver }):
		return fmt.Errorf("column wins.player: a winner is no player, or dealt into the own hand")
	case slices.ContainsFunc(h.Debts, func(d Debt) bool { return !arePlayers(d.Creditor, d.Debtor) }):
		return fmt.Errorf("column debts: a creditor or debtor is no player")
	case slices.Max(h.Ready[:]) > uint8(sim.ReadyHeaven):
		return rangeError("ready", h.Ready)
	}
	return nil
}

// Check returns an error if a value is out of range.
func (r *DecisionRow) Check() error {
	switch {
	case !arePlayers(r.Player):
		return rangeError("player", r.Player)
	case r.Legal[len(r.Legal)-1]>>(sim.NumActions%64) != 0:
		return fmt.Errorf("column legal: there are %d actions", sim.NumActions)
	case r.Action >= sim.NumActions || !r.Legal.Has(r.Action):
		return fmt.Errorf("column action: %d is not among the legal actions", r.Action)
	}
	return nil
}

// Check returns an error if a value is out of range.
func (r *LedgerRow) Check() error {
	switch {
	case !arePlayers(r.Creditor, r.Debtor) || r.Creditor == r.Debtor:
		return fmt.Errorf("columns creditor, debtor: %d, %d are out of range", r.Creditor, r.Debtor)
	case !slices.Contains(debtReasons, r.Reason):
		return rangeError("reason", fmt.Sprintf("%q", r.Reason))
	}
	return nil
}
