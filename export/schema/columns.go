package schema

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The columns of the tables. Their descriptions are in the files of datasets, so a change
// of one changes the bytes of datasets.

func matchColumns(amounts string) Columns[MatchRow] {
	return Columns[MatchRow]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *MatchRow) *uint64 { return &r.Match }),
		scalar("seed", noUnit, "seed of the match; 0 in a sealed run, where it follows from the seed that the manifest reveals", func(r *MatchRow) *uint64 { return &r.Seed }),
		scalar("player", inPlayers, "whose row it is; player 0 deals first", func(r *MatchRow) *uint8 { return &r.Player }),
		scalar("agent", noUnit, "place in the manifest's list of the agent that played, from 0", func(r *MatchRow) *uint8 { return &r.Agent }),
		scalar("points", amounts, "points at the end, shares of leftover deposits included", func(r *MatchRow) *int32 { return &r.Points }),
		scalar("rank", noUnit, "place 1..4; players who tie share the better one where the ruleset does not break ties", func(r *MatchRow) *uint8 { return &r.Rank }),
		scalar("placement", inPlacement, "final score of the match", func(r *MatchRow) *int32 { return &r.Placement }),
		scalar("hands", inHands, "hands played in the match", func(r *MatchRow) *uint16 { return &r.Hands }),
		scalar("wins", inHands, "hands the player won", func(r *MatchRow) *uint16 { return &r.Wins }),
		scalar("self_draws", inHands, "hands the player won without another's tile", func(r *MatchRow) *uint16 { return &r.SelfDraws }),
		scalar("deal_ins", inHands, "hands in which the player gave a winning tile", func(r *MatchRow) *uint16 { return &r.DealIns }),
		scalar("readies", inHands, "hands in which the player's ready declaration (riichi) was accepted", func(r *MatchRow) *uint16 { return &r.Readies }),
		scalar("calls", inHands, "hands in which the player called chi, pon or open kan", func(r *MatchRow) *uint16 { return &r.Calls }),
		scalar("draws", inHands, "hands nobody won", func(r *MatchRow) *uint16 { return &r.Draws }),
		scalar("decisions", inDecisions, "decisions the player made", func(r *MatchRow) *uint32 { return &r.Decisions }),
		scalar("truncated", noUnit, "the match was cut off, at max_hands or at a limit of the engine", func(r *MatchRow) *bool { return &r.Truncated }),
		scalar("forfeited", noUnit, "the agent answered illegally; defaults were played for it from there on", func(r *MatchRow) *bool { return &r.Forfeited }),
	}
}

// scheduleColumns are the columns of the matches of a tournament.
var scheduleColumns = Columns[MatchRow]{
	scalar("wall_set", noUnit, "only in a tournament: the wall set; matches of the same one have the same walls and agents", func(r *MatchRow) *uint64 { return &r.WallSet }),
	scalar("seating", noUnit, "only in a tournament: which seating of the wall set it is, from 0", func(r *MatchRow) *uint8 { return &r.Seating }),
}

// matchLog is the last column of the matches where nothing else is recorded.
var matchLog = column[MatchRow]{
	field: describe(arrow.Field{Name: "actions", Type: arrow.BinaryTypes.Binary, Nullable: true}, inActionIDs,
		"only where nothing but matches is recorded; in the row of player 0 every answer of the match, a byte each, in the order of the decision points, players ascending within one; null in the other rows"),
	write: func(b array.Builder, rows []MatchRow) {
		for i := range rows {
			if rows[i].Actions == nil {
				b.AppendNull()
			} else {
				b.(*array.BinaryBuilder).Append(rows[i].Actions)
			}
		}
	},
	read: func(a arrow.Array, i int, r *MatchRow) {
		r.Actions = nil
		if a.IsValid(i) {
			r.Actions = a.(*array.Binary).Value(i)
		}
	},
}

// handColumns returns the columns of the hands. The action log is the last.
func handColumns(amounts string, debts bool, patterns []string) Columns[HandRow] {
	const (
		endText  = "how the hand ended: self_draw, discard, rob, flower (won); exhausted; nine_kinds, four_winds, four_riichi, four_kans, triple_ron (aborted)"
		winsText = "the winners, nearest to the giver first"
	)
	end := func(r *HandRow) *string { return &r.End }
	wins := func(r *HandRow) *[]Win { return &r.Wins }
	columns := Columns[HandRow]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *HandRow) *uint64 { return &r.Match }),
		scalar("hand", noUnit, "number of the hand in the match, from 0", func(r *HandRow) *uint16 { return &r.Hand }),
		scalar("round", noUnit, "wind round: 0 East, 1 South, ...", func(r *HandRow) *uint8 { return &r.Round }),
		scalar("dealer", inPlayers, "who dealt", func(r *HandRow) *uint8 { return &r.Dealer }),
		scalar("deal_index", inHands, "hands played before in this round under this dealer; part of the key of the wall", func(r *HandRow) *uint16 { return &r.DealIndex }),
		scalar("counter", noUnit, "honba or dealer repeats when the hand began", func(r *HandRow) *uint16 { return &r.Counter }),
		scalar("deposits", inSticks, "riichi sticks on the table when the hand began", func(r *HandRow) *uint16 { return &r.Deposits }),
		scalar("end", noUnit, endText, end).before(wordColumns),
		word("end", endText, ends, end).from(wordColumns),
		{
			field: describe(arrow.Field{Name: "giver", Type: arrow.PrimitiveTypes.Uint8, Nullable: true}, inPlayers,
				"who gave the winning tile; null if nobody did"),
			write: func(b array.Builder, rows []HandRow) {
				for i := range rows {
					if rows[i].Giver == NoPlayer {
						b.AppendNull()
					} else {
						b.(*array.Uint8Builder).Append(rows[i].Giver)
					}
				}
			},
			read: func(a arrow.Array, i int, r *HandRow) {
				r.Giver = NoPlayer
				if a.IsValid(i) {
					r.Giver = a.(*array.Uint8).Value(i)
				}
			},
		},
		list("wins", noUnit, winsText, winColumns(amounts, patterns).in(wordColumns-1), wins).before(wordColumns),
		list("wins", noUnit, winsText, winColumns(amounts, patterns).in(Version), wins).from(wordColumns),
		four("payments", amounts, "points each player gained, in the last hand shares of leftover deposits included", func(r *HandRow) *[4]int32 { return &r.Payments }),
	}
	if debts {
		columns = append(columns,
			four("awards", amounts, "points each player gained by awards in mid-hand, which are part of payments", func(r *HandRow) *[4]int32 { return &r.Awards }),
			list("debts", noUnit, "what is owed after the hand, in the order of creditors and debtors", debtColumns(amounts), func(r *HandRow) *[]Debt { return &r.Debts }),
		)
	}
	return append(columns,
		four("ready", noUnit, "ready declaration of each player that was accepted: 0 none, 1 ordinary, 2 double riichi; in hktw 3 in the first go-around, 4 with the first discard, 5 before the first draw", func(r *HandRow) *[4]uint8 { return &r.Ready }),
		four("called", noUnit, "whether each player called chi, pon or open kan", func(r *HandRow) *[4]bool { return &r.Called }),
		four("tenpai", noUnit, "whether each player showed a ready hand at the exhausted wall", func(r *HandRow) *[4]bool { return &r.Tenpai }),
		scalar("discards", inTiles, "discards of all players", func(r *HandRow) *uint8 { return &r.Discards }),
		four("dealt", noUnit, "the tiles each player was dealt, in order, flowers included", func(r *HandRow) *[4]string { return &r.Dealt }).from(tileColumns),
		four("ready_turn", inTurns, "how many tiles each player had discarded when his ready declaration was accepted, the tile declared with included; 0 if none was, or before the first draw", func(r *HandRow) *[4]uint8 { return &r.ReadyTurn }).from(tileColumns),
		four("tenpai_turn", inTurns, "after which of his discards, counted from 1, each player waited for a tile for the first time; 0 if after none", func(r *HandRow) *[4]uint8 { return &r.TenpaiTurn }).from(tileColumns),
		scalar("actions", inActionIDs, "every answer of the hand, a byte each, in the order of the decision points, players ascending within one; with the seed of the match they replay it", func(r *HandRow) *[]byte { return &r.Actions }),
	)
}

func winColumns(amounts string, patterns []string) Columns[Win] {
	const patternsText = "what the value is made of"
	tileOf := func(r *Win) *string { return &r.Tile }
	patternsOf := func(r *Win) *[]Pattern { return &r.Patterns }
	return Columns[Win]{
		scalar("player", inPlayers, "the winner", func(r *Win) *uint8 { return &r.Player }),
		scalar("tile", noUnit, "the winning tile", tileOf).before(wordColumns),
		word("tile", "the winning tile", faceWords, tileOf).from(wordColumns),
		scalar("points", amounts, "value of the hand without counters and deposits, in MCR its fan", func(r *Win) *int32 { return &r.Points }),
		scalar("han", "han", "riichi han, 0 in other families", func(r *Win) *uint8 { return &r.Han }),
		scalar("fu", "fu", "riichi fu, 0 for a yakuman and in other families", func(r *Win) *uint8 { return &r.Fu }),
		scalar("yakuman", noUnit, "multiple of a yakuman hand, 0 for others", func(r *Win) *uint8 { return &r.Yakuman }),
		list("patterns", noUnit, patternsText, patternColumns(patterns).in(wordColumns-1), patternsOf).before(wordColumns),
		list("patterns", noUnit, patternsText, patternColumns(patterns).in(Version), patternsOf).from(wordColumns),
	}
}

// faceWords are the texts of the faces and that of none.
var faceWords = func() (words []string) {
	for f := range tile.Face(tile.NumFaces) {
		words = append(words, f.String())
	}
	return append(words, tile.NoFace.String())
}()

func debtColumns(amounts string) Columns[Debt] {
	return Columns[Debt]{
		scalar("creditor", inPlayers, "who is owed", func(r *Debt) *uint8 { return &r.Creditor }),
		scalar("debtor", inPlayers, "who owes", func(r *Debt) *uint8 { return &r.Debtor }),
		scalar("points", amounts, "what is owed", func(r *Debt) *int32 { return &r.Points }),
		scalar("wins", noUnit, "number of wins it is made of", func(r *Debt) *uint8 { return &r.Wins }),
	}
}

func patternColumns(patterns []string) Columns[Pattern] {
	const idText = "pattern as scoring cases name it"
	id := func(r *Pattern) *string { return &r.ID }
	return Columns[Pattern]{
		scalar("id", noUnit, idText, id).before(wordColumns),
		word("id", idText, patterns, id).from(wordColumns),
		scalar("value", noUnit, "han, fan or points it counts; for a yakuman its multiple", func(r *Pattern) *int16 { return &r.Value }),
	}
}

// legalBytes is the size of a packed set of actions.
const legalBytes = (sim.NumActions + 7) / 8

var decisionColumns = Columns[DecisionRow]{
	scalar("match", noUnit, "number of the match in the run, from 0", func(r *DecisionRow) *uint64 { return &r.Match }),
	scalar("hand", noUnit, "number of the hand in the match, from 0", func(r *DecisionRow) *uint16 { return &r.Hand }),
	scalar("index", noUnit, "number of the decision in the hand, from 0: the place of the action in the hand's action log", func(r *DecisionRow) *uint16 { return &r.Index }),
	scalar("player", inPlayers, "who decided", func(r *DecisionRow) *uint8 { return &r.Player }),
	{
		field: describe(arrow.Field{Name: "legal", Type: &arrow.FixedSizeBinaryType{ByteWidth: legalBytes}}, inActionFlags,
			"the actions that were legal: action id a is bit a%8, counted from the lowest, of byte a/8"),
		write: func(b array.Builder, rows []DecisionRow) {
			for i := range rows {
				b.(*array.FixedSizeBinaryBuilder).Append(appendLegal(nil, &rows[i].Legal))
			}
		},
		read: func(a arrow.Array, i int, r *DecisionRow) {
			var words [24]byte
			copy(words[:], a.(*array.FixedSizeBinary).Value(i))
			for w := range r.Legal {
				r.Legal[w] = binary.LittleEndian.Uint64(words[8*w:])
			}
		},
	},
	column[DecisionRow]{
		field: describe(arrow.Field{Name: "action", Type: arrow.PrimitiveTypes.Uint8}, inActionIDs, "the answer"),
		write: writeActions,
		read:  func(a arrow.Array, i int, r *DecisionRow) { r.Action = sim.Action(a.(*array.Uint8).Value(i)) },
	}.before(wordColumns),
	column[DecisionRow]{
		field: describe(arrow.Field{Name: "action", Type: wordType}, noUnit, "the answer; its number in the dictionary is its action id"),
		write: writeActions,
		read: func(a arrow.Array, i int, r *DecisionRow) {
			r.Action = sim.Action(a.(*array.Dictionary).GetValueIndex(i))
		},
		words: [][]string{actionWords},
	}.from(wordColumns),
}

func writeActions(b array.Builder, rows []DecisionRow) {
	for i := range rows {
		b.(*array.Uint8Builder).Append(uint8(rows[i].Action))
	}
}

// actionWords are the texts of the actions in the order of their ids.
var actionWords = func() (words []string) {
	for a := range sim.Action(sim.NumActions) {
		words = append(words, a.String())
	}
	return words
}()

// legalSlack is how much more room appendLegal wants than it fills.
const legalSlack = len(sim.ActionSet{})*8 - legalBytes

// appendLegal appends a packed set of actions to dst.
func appendLegal(dst []byte, legal *sim.ActionSet) []byte {
	n := len(dst)
	for _, w := range legal {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst[:n+legalBytes]
}

func ledgerColumns(amounts string) Columns[LedgerRow] {
	const reasonText = "new, grown (by a further win), halved (ended by a part), collected (paid in full), cut (paid in full by choice between two hands), void (ended without a payment)"
	reason := func(r *LedgerRow) *string { return &r.Reason }
	return Columns[LedgerRow]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *LedgerRow) *uint64 { return &r.Match }),
		scalar("hand", noUnit, "number of the hand in the match, from 0", func(r *LedgerRow) *uint16 { return &r.Hand }),
		scalar("order", noUnit, "number of the change in the hand, from 0", func(r *LedgerRow) *uint8 { return &r.Order }),
		scalar("creditor", inPlayers, "who is owed", func(r *LedgerRow) *uint8 { return &r.Creditor }),
		scalar("debtor", inPlayers, "who owes", func(r *LedgerRow) *uint8 { return &r.Debtor }),
		scalar("points", amounts, "what is owed after the change", func(r *LedgerRow) *int32 { return &r.Points }),
		scalar("wins", noUnit, "number of wins the debt is made of after the change", func(r *LedgerRow) *uint8 { return &r.Wins }),
		scalar("paid", amounts, "what the debtor paid", func(r *LedgerRow) *int32 { return &r.Paid }),
		scalar("reason", noUnit, reasonText, reason).before(wordColumns),
		word("reason", reasonText, debtReasons, reason).from(wordColumns),
	}
}

func originColumns() Columns[Origin] {
	return Columns[Origin]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *Origin) *uint64 { return &r.Match }),
		scalar("record", noUnit, "name of the file that the match was read from", func(r *Origin) *string { return &r.Record }),
		scalar("part", noUnit, "number of the match in the file, from 0", func(r *Origin) *uint32 { return &r.Part }).from(importStarts),
		{
			field: scalar("part", noUnit, "number of the match in the file, from 0", func(*Origin) *uint16 { return nil }).field,
			read:  func(a arrow.Array, i int, r *Origin) { r.Part = uint32(a.(*array.Uint16).Value(i)) },
			until: importStarts - 1,
		},
		four("names", noUnit, "names of the players, empty where the record has none", func(r *Origin) *[4]string { return &r.Names }),
		scalar("whole_walls", noUnit, "the record gives the walls; otherwise the tiles that were never dealt, drawn or turned are filled in", func(r *Origin) *bool { return &r.WholeWalls }),
		scalar("cut_before", noUnit, "the record begins in the midst of its match, where the columns start_ say; otherwise these are 0", func(r *Origin) *bool { return &r.CutBefore }).from(importStarts),
		scalar("start_round", noUnit, "wind round in which the record begins: 0 East, 1 South, ...", func(r *Origin) *uint8 { return &r.StartRound }).from(importStarts),
		scalar("start_dealer", inPlayers, "who deals first in the record", func(r *Origin) *uint8 { return &r.StartDealer }).from(importStarts),
		scalar("start_counter", noUnit, "honba or dealer repeats when the record begins", func(r *Origin) *uint16 { return &r.StartCounter }).from(importStarts),
		scalar("start_deposits", inSticks, "riichi sticks on the table when the record begins", func(r *Origin) *uint16 { return &r.StartDeposits }).from(importStarts),
		four("start_points", inPoints, "points of each player when the record begins", func(r *Origin) *[4]int32 { return &r.StartPoints }).from(importStarts),
	}
}

func wallColumns() Columns[wallRow] {
	return Columns[wallRow]{
		scalar("match", noUnit, "number of the match in the run, from 0", func(r *wallRow) *uint64 { return &r.match }),
		scalar("hand", noUnit, "number of the hand in the match, from 0", func(r *wallRow) *uint16 { return &r.hand }),
		scalar("tiles", "faces", "the wall in the order in which it is taken from the front, a face each byte: 0-33 the kinds 1m..9m 1p..9p 1s..9s 1z..7z, 34-36 the red fives, 37-44 the flowers", func(r *wallRow) *[]byte { return &r.tiles }),
		scalar("round_wind", noUnit, "the round wind under rules that draw one for a match, 0-3 East South West North; otherwise 0", func(r *wallRow) *uint8 { return &r.roundWind }),
	}
}
