package schema

import "github.com/sparrowhall/sparrowhall/sim"

// The rows of the tables. The fields with tags are the columns, in their order; columnsOf turns
// them into Arrow columns. The tags are in the files of datasets, so a change of one changes the
// bytes of datasets:
//
//   - column is the name, doc the description and unit the unit, where there is one. The unit
//     "amount" is that of points in the family of the ruleset.
//   - words names the dictionary of a column of words.
//   - null is set in a column that may be null, which stands for NoPlayer, nil or no word.
//   - per is the number of parts of a unit that the field counts; the column is a float.
//
// Columns are signed whatever the fields are, since differences of unsigned ones wrap in pandas
// and polars. All runs have the same columns in the same order, so that tables concatenate.

// MatchRow is the result of one player in one match.
type MatchRow struct {
	Match     uint64 `column:"match" doc:"number of the match in the run, from 0"`
	Ruleset   string `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	Seed      uint64 `column:"seed" doc:"seed of the match, 64 bits with a sign; 0 in a sealed run, where it follows from the seed that the manifest reveals"`
	Player    uint8  `column:"player" unit:"player number 0..3" doc:"whose row it is; player 0 deals first"`
	Name      string `column:"agent" words:"agents" doc:"name of the agent that played"`
	Agent     uint8  `column:"agent_index" doc:"place in the manifest's list of the agent that played, from 0; it separates agents of one name"`
	Points    int32  `column:"points" unit:"amount" doc:"points at the end, shares of leftover deposits included"`
	Rank      uint8  `column:"rank" doc:"place 1..4; players who tie share the better one where the ruleset does not break ties"`
	Placement int32  `column:"placement" per:"120" unit:"placement points" doc:"final score of the match"` // in 1/ruleset.PlacementUnit
	Hands     uint16 `column:"hands" unit:"hands" doc:"hands played in the match"`
	Wins      uint16 `column:"wins" unit:"hands" doc:"hands the player won"`
	SelfDraws uint16 `column:"self_draws" unit:"hands" doc:"hands the player won without another's tile"`
	DealIns   uint16 `column:"deal_ins" unit:"hands" doc:"hands in which the player gave a winning tile"`
	Readies   uint16 `column:"readies" unit:"hands" doc:"hands in which the player's ready declaration (riichi) was accepted"`
	Calls     uint16 `column:"calls" unit:"hands" doc:"hands in which the player called chi, pon or open kan"`
	Draws     uint16 `column:"draws" unit:"hands" doc:"hands that no player won"`
	Decisions uint32 `column:"decisions" unit:"decisions" doc:"decisions the player made"`
	Truncated bool   `column:"truncated" doc:"the match was cut off, at max_hands or at a limit of the engine"`
	Forfeited bool   `column:"forfeited" doc:"the agent answered illegally; defaults were played for it from there on"`
	WallSet   uint64 `column:"wall_set" doc:"the duplicate set; matches of the same one have the same walls and agents. Where no two matches have, the number of the match"`
	Seating   uint8  `column:"seating" doc:"which seating of the duplicate set it is, from 0"`
	Actions   []byte `column:"actions" null:"true" unit:"action ids" doc:"where nothing but matches is recorded, in the row of player 0: every answer of the match, a byte each. They are in the order of the decision points, players ascending within one; null in all other rows"`
}

// HandRow is one hand. End is a sim.WinKind, a sim.AbortReason, "exhausted" or "forfeit".
type HandRow struct {
	Match   uint64 `column:"match" doc:"number of the match in the run, from 0"`
	Hand    uint16 `column:"hand" doc:"number of the hand in the match, from 0"`
	Ruleset string `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	// Not a list: DuckDB reads lists of words as numbers, and texts of their own take much more.
	Agent0    string                `column:"agent_0" words:"agents" doc:"name of the agent of player 0"`
	Agent1    string                `column:"agent_1" words:"agents" doc:"name of the agent of player 1"`
	Agent2    string                `column:"agent_2" words:"agents" doc:"name of the agent of player 2"`
	Agent3    string                `column:"agent_3" words:"agents" null:"true" doc:"name of the agent of player 3; null where three play"`
	Points    [sim.NumPlayers]int32 `column:"points" unit:"amount" doc:"points of each player before the hand"`
	Round     uint8                 `column:"round" doc:"wind round: 0 East, 1 South, ..."`
	Dealer    uint8                 `column:"dealer" unit:"player number 0..3" doc:"who dealt"`
	DealIndex uint16                `column:"deal_index" unit:"hands" doc:"hands played before in this round under this dealer; part of the key of the wall"`
	Counter   uint16                `column:"counter" doc:"honba or dealer repeats when the hand began"`
	Deposits  uint16                `column:"deposits" unit:"sticks" doc:"riichi sticks on the table when the hand began"`
	End       string                `column:"end" words:"ends" doc:"how the hand ended: self_draw, discard, rob, flower (won); exhausted; nine_kinds, four_winds, four_riichi, four_kans, triple_ron (aborted)"`
	Giver     uint8                 `column:"giver" null:"true" unit:"player number 0..3" doc:"who gave the winning tile; null if no player did"`
	Wins      []Win                 `column:"wins" doc:"the winners, nearest to the giver first"`
	Payments  [sim.NumPlayers]int32 `column:"payments" unit:"amount" doc:"points each player gained, in the last hand shares of leftover deposits included"`
	Awards    [sim.NumPlayers]int32 `column:"awards" unit:"amount" doc:"points each player gained by awards in mid-hand, which are part of payments; 0 except in family hktw"`
	Debts     []Debt                `column:"debts" doc:"what is owed after the hand, in the order of creditors and debtors; empty except in family hktw"`
	// Ready is the sim.ReadyTier of each player, Dealt in grouped notation, TenpaiTurn that of
	// sim.HandMark.
	Ready      [sim.NumPlayers]uint8  `column:"ready" doc:"ready declaration of each player that was accepted: 0 none, 1 ordinary, 2 double riichi; in hktw 3 in the first go-around, 4 with the first discard, 5 before the first draw"`
	Called     [sim.NumPlayers]bool   `column:"called" doc:"whether each player called chi, pon or open kan"`
	Tenpai     [sim.NumPlayers]bool   `column:"tenpai" doc:"whether each player showed a ready hand at the exhausted wall"`
	Discards   uint8                  `column:"discards" unit:"tiles" doc:"discards of all players"`
	Dealt      [sim.NumPlayers]string `column:"dealt" doc:"the tiles each player was dealt, in order, flowers included"`
	ReadyTurn  [sim.NumPlayers]uint8  `column:"ready_turn" unit:"discards" doc:"how many tiles each player had discarded when his ready declaration was accepted, the tile declared with included; 0 if none was, or before the first draw"`
	TenpaiTurn [sim.NumPlayers]uint8  `column:"tenpai_turn" unit:"discards" doc:"after which of his discards, counted from 1, each player waited for a tile for the first time; 0 if after none"`
	Actions    []byte                 `column:"actions" null:"true" unit:"action ids" doc:"where decisions are not recorded, every answer of the hand, a byte each, in the order of the decision points, players ascending within one; with the seed of the match they replay it. Null where table decisions has them"`
}

// NoPlayer is the number of no player.
const NoPlayer = 0xff

// Ends of a hand that sim has no name for.
const (
	exhausted = "exhausted" // the wall is empty
	forfeit   = "forfeit"   // the match ends too, because of an illegal action
)

// Win is a won hand. The tile of a win by flowers alone is "-".
type Win struct {
	Player   uint8     `column:"player" unit:"player number 0..3" doc:"the winner"`
	Tile     string    `column:"tile" words:"faces" doc:"the winning tile"`
	Points   int32     `column:"points" unit:"amount" doc:"value of the hand without counters and deposits, in MCR its fan"`
	Han      uint8     `column:"han" unit:"han" doc:"riichi han, 0 in other families"`
	Fu       uint8     `column:"fu" unit:"fu" doc:"riichi fu, 0 for a yakuman and in other families"`
	Yakuman  uint8     `column:"yakuman" doc:"multiple of a yakuman hand, 0 for others"`
	Patterns []Pattern `column:"patterns" doc:"what the value is made of"`
}

// Pattern is an element of the value of a hand. ID is its name in the ruleset.
type Pattern struct {
	ID    string `column:"id" words:"patterns" doc:"pattern as scoring cases name it"`
	Value int16  `column:"value" doc:"han, fan or points it counts; for a yakuman its multiple"`
}

// Debt is what one player owes another.
type Debt struct {
	Creditor uint8 `column:"creditor" unit:"player number 0..3" doc:"who is owed"`
	Debtor   uint8 `column:"debtor" unit:"player number 0..3" doc:"who owes"`
	Points   int32 `column:"points" unit:"amount" doc:"what is owed"`
	Wins     uint8 `column:"wins" doc:"number of wins it is made of"`
}

// WinRow is one pattern of a won hand, or a won hand without patterns.
type WinRow struct {
	Match   uint64 `column:"match" doc:"number of the match in the run, from 0"`
	Hand    uint16 `column:"hand" doc:"number of the hand in the match, from 0"`
	Win     uint8  `column:"win" doc:"number of the winner in the hand, from 0; nearest to the giver first"`
	Index   uint8  `column:"index" doc:"number of the pattern in the win, from 0; the rows with 0 are one for each win"`
	Ruleset string `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	Player  uint8  `column:"player" unit:"player number 0..3" doc:"the winner"`
	Agent   string `column:"agent" words:"agents" doc:"name of the winner's agent"`
	Giver   uint8  `column:"giver" null:"true" unit:"player number 0..3" doc:"who gave the winning tile; null if no player did"`
	Dealer  uint8  `column:"dealer" unit:"player number 0..3" doc:"who dealt"`
	Tile    string `column:"tile" words:"faces" doc:"the winning tile"`
	Turn    uint8  `column:"turn" unit:"go-arounds" doc:"go-around in which the hand was won, from 1: one more than the discards before, by the number of players"`
	Ready   uint8  `column:"ready" doc:"the winner's ready declaration, as in table hands"`
	Called  bool   `column:"called" doc:"whether the winner called chi, pon or open kan"`
	Points  int32  `column:"points" unit:"amount" doc:"value of the hand without counters and deposits, in MCR its fan"`
	Han     uint8  `column:"han" unit:"han" doc:"riichi han, 0 in other families"`
	Fu      uint8  `column:"fu" unit:"fu" doc:"riichi fu, 0 for a yakuman and in other families"`
	Yakuman uint8  `column:"yakuman" doc:"multiple of a yakuman hand, 0 for others"`
	Pattern string `column:"pattern" words:"patterns" null:"true" doc:"pattern as scoring cases name it; null in the one row of a win without patterns"`
	Value   int16  `column:"value" doc:"han, fan or points the pattern counts; for a yakuman its multiple"`
}

// DecisionRow is one decision.
type DecisionRow struct {
	Match   uint64        `column:"match" doc:"number of the match in the run, from 0"`
	Hand    uint16        `column:"hand" doc:"number of the hand in the match, from 0"`
	Index   uint16        `column:"index" doc:"number of the decision in the hand, from 0: the place of the action in the hand's action log"`
	Ruleset string        `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	Player  uint8         `column:"player" unit:"player number 0..3" doc:"who decided"`
	Agent   string        `column:"agent" words:"agents" doc:"name of the agent that decided"`
	Round   uint8         `column:"round" doc:"wind round: 0 East, 1 South, ..."`
	Dealer  uint8         `column:"dealer" unit:"player number 0..3" doc:"who dealt"`
	Counter uint16        `column:"counter" doc:"honba or dealer repeats when the hand began"`
	Turn    uint8         `column:"turn" unit:"go-arounds" doc:"go-around in which the decision falls, from 1: one more than the discards before, by the number of players"`
	Legal   sim.ActionSet `column:"legal" unit:"bits" doc:"the actions that were legal: action id a is bit a%8, counted from the lowest, of byte a/8"`
	Action  sim.Action    `column:"action" words:"actions" doc:"the answer; its number in the dictionary is its action id"`
}

// LedgerRow is one change of a debt.
type LedgerRow struct {
	Match    uint64 `column:"match" doc:"number of the match in the run, from 0"`
	Hand     uint16 `column:"hand" doc:"number of the hand in the match, from 0"`
	Order    uint8  `column:"order" doc:"number of the change in the hand, from 0"`
	Ruleset  string `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	Creditor uint8  `column:"creditor" unit:"player number 0..3" doc:"who is owed"`
	Debtor   uint8  `column:"debtor" unit:"player number 0..3" doc:"who owes"`
	// CreditorAgent and DebtorAgent are the names of their agents.
	CreditorAgent string `column:"creditor_agent" words:"agents" doc:"name of the agent that is owed"`
	DebtorAgent   string `column:"debtor_agent" words:"agents" doc:"name of the agent that owes"`
	Points        int32  `column:"points" unit:"amount" doc:"what is owed after the change"`
	Wins          uint8  `column:"wins" doc:"number of wins the debt is made of after the change"`
	Paid          int32  `column:"paid" unit:"amount" doc:"what the debtor paid"`
	Reason        string `column:"reason" words:"reasons" doc:"new, grown (by a further win), halved (ended by a part), collected (paid in full), cut (paid in full by choice between two hands), void (ended without a payment)"`
}

// Origin is the source of an imported match. If CutBefore is set, the fields after it are the
// standing that the match was replayed from; see [sim.Match.Start].
type Origin struct {
	Match         uint64                 `column:"match" doc:"number of the match in the run, from 0"`
	Ruleset       string                 `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	Record        string                 `column:"record" doc:"name of the file that the match was read from"`
	Part          uint32                 `column:"part" doc:"number of the match in the file, from 0"`
	Names         [sim.NumPlayers]string `column:"names" doc:"names of the players, empty where the record has none"`
	WholeWalls    bool                   `column:"whole_walls" doc:"the record gives the walls; otherwise the tiles that were never dealt, drawn or turned are filled in"`
	CutBefore     bool                   `column:"cut_before" doc:"the record begins in the midst of its match, where the columns start_ say; otherwise these are 0"`
	StartRound    uint8                  `column:"start_round" doc:"wind round in which the record begins: 0 East, 1 South, ..."`
	StartDealer   uint8                  `column:"start_dealer" unit:"player number 0..3" doc:"who deals first in the record"`
	StartCounter  uint16                 `column:"start_counter" doc:"honba or dealer repeats when the record begins"`
	StartDeposits uint16                 `column:"start_deposits" unit:"sticks" doc:"riichi sticks on the table when the record begins"`
	StartPoints   [sim.NumPlayers]int32  `column:"start_points" unit:"points, in family hktw half points" doc:"points of each player when the record begins"`
}

// WallRow is the wall of an imported hand.
type WallRow struct {
	Match     uint64 `column:"match" doc:"number of the match in the run, from 0"`
	Hand      uint16 `column:"hand" doc:"number of the hand in the match, from 0"`
	Tiles     []byte `column:"tiles" unit:"faces" doc:"the wall in the order in which it is taken from the front, a face each byte: 0-33 the kinds 1m..9m 1p..9p 1s..9s 1z..7z, 34-36 the red fives, 37-44 the flowers"`
	Ruleset   string `column:"ruleset" words:"rulesets" doc:"name of the ruleset"`
	RoundWind uint8  `column:"round_wind" doc:"the round wind under rules that draw one for a match, 0-3 East South West North; otherwise 0"`
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

// size returns about the bytes of the columns of variable size.
func (o *Origin) size() int {
	n := len(o.Record)
	for _, name := range o.Names {
		n += len(name)
	}
	return n
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
