package schema

import "github.com/sparrowhall/sparrowhall/sim"

// MatchRow is the result of one player in one match.
type MatchRow struct {
	Match uint64
	Seed  uint64 // of the match, 0 in a sealed run
	// Player is 0..3, Agent the number of the agent that played for the player.
	Player, Agent uint8
	Points        int32
	Rank          uint8
	// Placement is in units of ruleset.PlacementUnit.
	Placement int32
	// Hands is the number of hands in the match. Wins, SelfDraws, DealIns, Readies and
	// Calls count the hands in which the player won, won by self-draw, dealt in, declared
	// ready, and called; Draws counts the hands without a winner.
	Hands, Wins, SelfDraws, DealIns, Readies, Calls, Draws uint16
	Decisions                                              uint32
	Truncated, Forfeited                                   bool
	// WallSet and Seating are the place of the match in the schedule of a tournament, 0
	// elsewhere.
	WallSet uint64
	Seating uint8
	// Actions is the action log of the match, in the row of player 0 and only if no more
	// than matches is recorded; otherwise nil.
	Actions []byte
}

// HandRow is one hand.
type HandRow struct {
	// Match is the number of the match in its run.
	Match uint64
	Hand  uint16 // within the match
	// Round is the wind round, 0 for East. DealIndex is the number of hands that Dealer
	// has dealt before in this round. Counter is the number of honba or repeats, Deposits
	// that of riichi sticks.
	Round     uint8
	Dealer    uint8
	DealIndex uint16
	Counter   uint16
	Deposits  uint16
	// End is how the hand ended: a sim.WinKind, "exhausted", a sim.AbortReason or
	// "forfeit".
	End string
	// Giver is the player who dealt in, NoPlayer if there is none.
	Giver    uint8
	Wins     []Win
	Payments [sim.NumPlayers]int32
	// Awards is the part of Payments that was paid during the hand, Debts the debts after
	// it. Both are empty under rules without debts.
	Awards [sim.NumPlayers]int32
	Debts  []Debt
	// Ready is the sim.ReadyTier of each player.
	Ready    [sim.NumPlayers]uint8
	Called   [sim.NumPlayers]bool
	Tenpai   [sim.NumPlayers]bool
	Discards uint8
	// Dealt are the tiles dealt to each player, in grouped notation. ReadyTurn is the
	// number of discards that each player had made when the declaration was accepted;
	// TenpaiTurn is that of sim.HandMark.
	Dealt                 [sim.NumPlayers]string
	ReadyTurn, TenpaiTurn [sim.NumPlayers]uint8
	// Actions is the action log of the hand: a byte for each decision, in order.
	Actions []byte
}

// size returns about the bytes of the columns of variable size.
func (h *HandRow) size() int {
	const eachWin, eachPattern, eachDebt, dealt = 32, 3, 16, 96
	n := dealt + len(h.Actions) + eachDebt*len(h.Debts)
	for i := range h.Wins {
		n += eachWin + eachPattern*len(h.Wins[i].Patterns)
	}
	return n
}

// NoPlayer is the number of no player.
const NoPlayer = 0xff

// Ends of a hand that sim has no name for.
const (
	exhausted = "exhausted" // the wall is empty
	forfeit   = "forfeit"   // the match ends too, because of an illegal action
)

// Win is a won hand. The winning tile, han and fu are those of EvWin and EvValue; the tile
// of a win by flowers alone is "-". Points is in the unit of payments.
type Win struct {
	// Player is the winner.
	Player  uint8
	Tile    string
	Points  int32
	Han, Fu uint8
	// Yakuman is the multiple of a yakuman hand, 0 for others.
	Yakuman  uint8
	Patterns []Pattern
}

// Pattern is an element of the value of a hand.
type Pattern struct {
	// ID is the name of the pattern in the ruleset.
	ID string
	// Value is in the unit of the family: han, yakuman, fan or points.
	Value int16
}

// DecisionRow is one decision.
type DecisionRow struct {
	// Match is the number of the match in its run.
	Match uint64
	Hand  uint16 // within the match
	// Index is the number of the decision in the hand, and the place of Action in the
	// action log.
	Index  uint16
	Player uint8
	Legal  sim.ActionSet
	Action sim.Action
}

// Debt is what one player owes another.
type Debt struct {
	// Creditor is the player to whom Debtor owes Points.
	Creditor, Debtor uint8
	Points           int32
	// Wins is the number of wins that the debt is made of.
	Wins uint8
}

// LedgerRow is one change of a debt.
type LedgerRow struct {
	// Match is the number of the match in its run.
	Match uint64
	Hand  uint16 // within the match
	// Order is the number of the change in the hand.
	Order            uint8
	Creditor, Debtor uint8
	// Points and Wins are the debt after the change, zero if it has ended.
	Points int32
	Wins   uint8
	// Paid is the payment by the debtor.
	Paid int32
	// Reason is "new", "grown", "halved", "collected", "cut" or "void".
	Reason string
}

// Origin is the source of an imported match.
type Origin struct {
	Match uint64
	// Record is the name of the file in the imported folder, Part the number of the match
	// in it, from 0.
	Record string
	Part   uint32
	// Names are those of the players.
	Names [sim.NumPlayers]string
	// WholeWalls is set if the record gives the walls; otherwise tiles that no player has
	// seen are filled in.
	WholeWalls bool
	// CutBefore is set if the record begins in the middle of its match. The other fields
	// are then the standing that the match was replayed from; see [sim.Match.Start].
	CutBefore                   bool
	StartRound, StartDealer     uint8
	StartCounter, StartDeposits uint16
	StartPoints                 [sim.NumPlayers]int32
}

// Start returns the standing that the match begins with, nil for its beginning.
func (o *Origin) Start() *sim.MatchState {
	if !o.CutBefore {
		return nil
	}
	return &sim.MatchState{
		Round: int(o.StartRound), Dealer: sim.Player(o.StartDealer & 3),
		Counter: int(o.StartCounter), Deposits: int(o.StartDeposits), Points: o.StartPoints,
	}
}

// setStart sets the standing that the match begins with.
func (o *Origin) setStart(s *sim.MatchState) {
	if o.CutBefore = s != nil; !o.CutBefore {
		return
	}
	o.StartRound, o.StartDealer = uint8(s.Round), uint8(s.Dealer)
	o.StartCounter, o.StartDeposits, o.StartPoints = uint16(s.Counter), uint16(s.Deposits), s.Points
}

// size returns about the bytes of the columns of variable size.
func (o *Origin) size() int {
	n := len(o.Record)
	for _, name := range o.Names {
		n += len(name)
	}
	return n
}

// wallRow is the wall of an imported hand.
type wallRow struct {
	match     uint64
	hand      uint16
	tiles     []byte
	roundWind uint8
}
