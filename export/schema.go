package export

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// column is a column of a table with rows of type R: its field, how rows are
// put into a builder of it, and how a value is taken out of an array of it.
type column[R any] struct {
	field arrow.Field
	// since is the schema version that has it first, 0 for the first of all.
	since int
	// until is the last schema version that has it, 0 if later ones do.
	until int
	// words are the dictionaries of its fields, those of nested ones in their order.
	words [][]string
	write func(b array.Builder, rows []R)
	read  func(a arrow.Array, i int, r *R)
}

// from returns the column as one that schema version v has first.
func (c column[R]) from(v int) column[R] {
	c.since = v
	return c
}

// before returns the column as one that schema versions before v have.
func (c column[R]) before(v int) column[R] {
	c.until = v - 1
	return c
}

// Units of columns.
const (
	noUnit        = ""
	inPoints      = "points, in family hktw half points"
	inHalfPoints  = "half points"
	inPlacement   = "1/120 placement point"
	inHands       = "hands"
	inDecisions   = "decisions"
	inTiles       = "tiles"
	inTurns       = "discards"
	inSticks      = "sticks"
	inActionIDs   = "action ids"
	inActionFlags = "bits"
	inPlayers     = "player number 0..3"
)

// layout is the tables of a run and their columns.
type layout struct {
	// version is the schema version.
	version   int
	record    Table
	tables    []Table
	matches   []column[MatchRow]
	hands     []column[HandRow]
	decisions []column[DecisionRow]
	ledger    []column[LedgerRow]
	records   []column[Origin]
	walls     []column[wallRow]
	setSize   int // of the walls of an import
	bounds    bounds
}

// layoutOf returns the layout of a run under the rules that is recorded up to a
// table, in a schema version.
func layoutOf(r *ruleset.Rules, record Table, tournament bool, version int) *layout {
	amounts := inPoints
	if r.Unit() > 1 {
		amounts = inHalfPoints
	}
	var patterns []string
	for _, p := range r.Patterns() {
		patterns = append(patterns, p.ID)
	}
	return newLayout(record, hasDebts(r), tournament, amounts, patterns).at(version)
}

// hasDebts reports whether the players may owe each other points.
func hasDebts(r *ruleset.Rules) bool {
	_, ok := r.Scorer.(ruleset.DebtCollector)
	return ok
}

// newLayout returns the layout of a run whose amounts are in the given unit, and the
// columns of all versions. If the players may owe each other points there are columns
// and a table for that, and columns for the schedule of a tournament.
func newLayout(record Table, debts, tournament bool, amounts string, patterns []string) *layout {
	l := &layout{
		bounds:    bounds{maxBatchRows, maxBatchBytes, ownBatchRows},
		record:    record,
		matches:   matchColumns(amounts),
		hands:     handColumns(amounts, debts, patterns),
		decisions: decisionColumns,
		ledger:    ledgerColumns(amounts),
		records:   originColumns(),
		walls:     wallColumns(),
	}
	if tournament {
		l.matches = append(l.matches, scheduleColumns...)
	}
	if record == Matches {
		l.matches = append(l.matches, matchLog)
	}
	for t := range record + 1 {
		l.tables = append(l.tables, t)
	}
	if debts && record >= Hands {
		l.tables = append(l.tables, Ledger)
	}
	return l
}

// at makes the layout that of a schema version.
func (l *layout) at(version int) *layout {
	l.version = version
	l.matches, l.hands = upTo(version, l.matches), upTo(version, l.hands)
	l.decisions, l.ledger = upTo(version, l.decisions), upTo(version, l.ledger)
	l.records, l.walls = upTo(version, l.records), upTo(version, l.walls)
	return l
}

// upTo returns the columns that a schema version has.
func upTo[R any](version int, columns []column[R]) []column[R] {
	return slices.DeleteFunc(slices.Clone(columns), func(c column[R]) bool {
		return c.since > version || c.until > 0 && c.until < version
	})
}

// sameColumns reports whether two schemas are of the same table and version, with
// the same names, types and units. Descriptions may have become better.
func sameColumns(a, b *arrow.Schema) bool {
	return a.Metadata().Equal(b.Metadata()) && slices.EqualFunc(a.Fields(), b.Fields(), func(x, y arrow.Field) bool {
		xUnit, _ := x.Metadata.GetValue("unit")
		yUnit, _ := y.Metadata.GetValue("unit")
		return x.Name == y.Name && x.Nullable == y.Nullable && xUnit == yUnit && arrow.TypeEqual(x.Type, y.Type)
	})
}

// logTable is the table that holds the action logs.
func (l *layout) logTable() Table { return min(l.record, Hands) }

// words returns the dictionaries of a table in the order of its fields.
func (l *layout) words(t Table) [][]string {
	switch t {
	case Matches:
		return wordsOf(l.matches)
	case Hands:
		return wordsOf(l.hands)
	case Decisions:
		return wordsOf(l.decisions)
	case Ledger:
		return wordsOf(l.ledger)
	case Records:
		return wordsOf(l.records)
	default:
		return wordsOf(l.walls)
	}
}

func wordsOf[R any](columns []column[R]) (words [][]string) {
	for i := range columns {
		words = append(words, columns[i].words...)
	}
	return words
}

// schema returns the schema of a table.
func (l *layout) schema(t Table) *arrow.Schema {
	metadata := arrow.NewMetadata(
		[]string{"jansou.table", "jansou.schema_version"},
		[]string{t.String(), strconv.Itoa(l.version)},
	)
	switch t {
	case Matches:
		return arrow.NewSchema(fields(l.matches), &metadata)
	case Hands:
		return arrow.NewSchema(fields(l.hands), &metadata)
	case Decisions:
		return arrow.NewSchema(fields(l.decisions), &metadata)
	case Ledger:
		return arrow.NewSchema(fields(l.ledger), &metadata)
	case Records:
		return arrow.NewSchema(fields(l.records), &metadata)
	default:
		return arrow.NewSchema(fields(l.walls), &metadata)
	}
}

func matchColumns(amounts string) []column[MatchRow] {
	return []column[MatchRow]{
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
var scheduleColumns = []column[MatchRow]{
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
func handColumns(amounts string, debts bool, patterns []string) []column[HandRow] {
	const (
		endText  = "how the hand ended: self_draw, discard, rob, flower (won); exhausted; nine_kinds, four_winds, four_riichi, four_kans, triple_ron (aborted)"
		winsText = "the winners, nearest to the giver first"
	)
	end := func(r *HandRow) *string { return &r.End }
	wins := func(r *HandRow) *[]Win { return &r.Wins }
	columns := []column[HandRow]{
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
		list("wins", noUnit, winsText, upTo(wordColumns-1, winColumns(amounts, patterns)), wins).before(wordColumns),
		list("wins", noUnit, winsText, upTo(SchemaVersion, winColumns(amounts, patterns)), wins).from(wordColumns),
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

func winColumns(amounts string, patterns []string) []column[Win] {
	const patternsText = "what the value is made of"
	tileOf := func(r *Win) *string { return &r.Tile }
	patternsOf := func(r *Win) *[]Pattern { return &r.Patterns }
	return []column[Win]{
		scalar("player", inPlayers, "the winner", func(r *Win) *uint8 { return &r.Player }),
		scalar("tile", noUnit, "the winning tile", tileOf).before(wordColumns),
		word("tile", "the winning tile", faceWords, tileOf).from(wordColumns),
		scalar("points", amounts, "value of the hand without counters and deposits, in MCR its fan", func(r *Win) *int32 { return &r.Points }),
		scalar("han", "han", "riichi han, 0 in other families", func(r *Win) *uint8 { return &r.Han }),
		scalar("fu", "fu", "riichi fu, 0 for a yakuman and in other families", func(r *Win) *uint8 { return &r.Fu }),
		scalar("yakuman", noUnit, "multiple of a yakuman hand, 0 for others", func(r *Win) *uint8 { return &r.Yakuman }),
		list("patterns", noUnit, patternsText, upTo(wordColumns-1, patternColumns(patterns)), patternsOf).before(wordColumns),
		list("patterns", noUnit, patternsText, upTo(SchemaVersion, patternColumns(patterns)), patternsOf).from(wordColumns),
	}
}

// faceWords are the texts of the faces and that of none.
var faceWords = func() (words []string) {
	for f := range tile.Face(tile.NumFaces) {
		words = append(words, f.String())
	}
	return append(words, tile.NoFace.String())
}()

func debtColumns(amounts string) []column[Debt] {
	return []column[Debt]{
		scalar("creditor", inPlayers, "who is owed", func(r *Debt) *uint8 { return &r.Creditor }),
		scalar("debtor", inPlayers, "who owes", func(r *Debt) *uint8 { return &r.Debtor }),
		scalar("points", amounts, "what is owed", func(r *Debt) *int32 { return &r.Points }),
		scalar("wins", noUnit, "number of wins it is made of", func(r *Debt) *uint8 { return &r.Wins }),
	}
}

func patternColumns(patterns []string) []column[Pattern] {
	const idText = "pattern as scoring cases name it"
	id := func(r *Pattern) *string { return &r.ID }
	return []column[Pattern]{
		scalar("id", noUnit, idText, id).before(wordColumns),
		word("id", idText, patterns, id).from(wordColumns),
		scalar("value", noUnit, "han, fan or points it counts; for a yakuman its multiple", func(r *Pattern) *int16 { return &r.Value }),
	}
}

// legalBytes is the size of a packed set of actions.
const legalBytes = (sim.NumActions + 7) / 8

var decisionColumns = []column[DecisionRow]{
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

func ledgerColumns(amounts string) []column[LedgerRow] {
	const reasonText = "new, grown (by a further win), halved (ended by a part), collected (paid in full), cut (paid in full by choice between two hands), void (ended without a payment)"
	reason := func(r *LedgerRow) *string { return &r.Reason }
	return []column[LedgerRow]{
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

// describe adds the metadata of a field.
func describe(f arrow.Field, unit, doc string) arrow.Field {
	keys, values := []string{"description"}, []string{doc}
	if unit != noUnit {
		keys, values = append(keys, "unit"), append(values, unit)
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	return f
}

// value is what a scalar column can hold.
type value interface {
	arrow.NumericType | bool | string | []byte
}

type appender[T any] interface{ Append(T) }

// inRoom is a builder of values of one size, which need not look for room for each.
type inRoom[T any] interface{ UnsafeAppend(T) }

// roomIn returns a builder with room for n more values, nil if they have no size.
func roomIn[T any](b array.Builder, n int) inRoom[T] {
	if _, bytes := b.(*array.BinaryBuilder); bytes {
		return nil
	}
	values, _ := b.(inRoom[T])
	b.Reserve(n)
	return values
}

type valuer[T any] interface{ Value(int) T }

// scalar returns a column of plain values.
func scalar[R any, T value](name, unit, doc string, at func(*R) *T) column[R] {
	return column[R]{
		field: describe(arrow.Field{Name: name, Type: arrow.GetDataType[T]()}, unit, doc),
		write: func(b array.Builder, rows []R) {
			if values := roomIn[T](b, len(rows)); values != nil {
				for i := range rows {
					values.UnsafeAppend(*at(&rows[i]))
				}
				return
			}
			values := b.(appender[T])
			for i := range rows {
				values.Append(*at(&rows[i]))
			}
		},
		read: func(a arrow.Array, i int, r *R) { *at(r) = a.(valuer[T]).Value(i) },
	}
}

// wordType is the type of a column of words: their numbers in a dictionary.
var wordType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}

// word returns a column of words of a dictionary, of 256 at most.
func word[R any](name, doc string, dictionary []string, at func(*R) *string) column[R] {
	numbers := make(map[string]uint8, len(dictionary))
	for i, w := range dictionary {
		numbers[w] = uint8(i)
	}
	return column[R]{
		field: describe(arrow.Field{Name: name, Type: wordType}, noUnit, doc),
		words: [][]string{dictionary},
		write: func(b array.Builder, rows []R) {
			for i := range rows {
				w := *at(&rows[i])
				n, ok := numbers[w]
				if !ok {
					panic(fmt.Sprintf("export: column %s: %q is not in its dictionary", name, w))
				}
				b.(*array.Uint8Builder).Append(n)
			}
		},
		read: func(a arrow.Array, i int, r *R) {
			d := a.(*array.Dictionary)
			*at(r) = d.Dictionary().(*array.String).Value(d.GetValueIndex(i))
		},
	}
}

// four returns a column with a value for each player.
func four[R any, T value](name, unit, doc string, at func(*R) *[sim.NumPlayers]T) column[R] {
	return column[R]{
		field: describe(arrow.Field{
			Name: name,
			Type: arrow.FixedSizeListOfNonNullable(sim.NumPlayers, arrow.GetDataType[T]()),
		}, unit, doc+", by player number"),
		write: func(b array.Builder, rows []R) {
			l := b.(*array.FixedSizeListBuilder)
			for range rows {
				l.Append(true)
			}
			if values := roomIn[T](l.ValueBuilder(), sim.NumPlayers*len(rows)); values != nil {
				for i := range rows {
					for _, v := range at(&rows[i]) {
						values.UnsafeAppend(v)
					}
				}
				return
			}
			values := l.ValueBuilder().(appender[T])
			for i := range rows {
				for _, v := range at(&rows[i]) {
					values.Append(v)
				}
			}
		},
		read: func(a arrow.Array, i int, r *R) {
			l := a.(*array.FixedSizeList)
			first, _ := l.ValueOffsets(i)
			values := l.ListValues().(valuer[T])
			for p := range at(r) {
				at(r)[p] = values.Value(int(first) + p)
			}
		},
	}
}

// list returns a column with any number of rows of another table.
func list[R, E any](name, unit, doc string, columns []column[E], at func(*R) *[]E) column[R] {
	return column[R]{
		field: describe(arrow.Field{Name: name, Type: arrow.ListOfNonNullable(arrow.StructOf(fields(columns)...))}, unit, doc),
		words: wordsOf(columns),
		write: func(b array.Builder, rows []R) {
			l := b.(*array.ListBuilder)
			elements := l.ValueBuilder().(*array.StructBuilder)
			for i := range rows {
				l.Append(true)
				list := *at(&rows[i])
				for range list {
					elements.Append(true)
				}
				for j := range columns {
					columns[j].write(elements.FieldBuilder(j), list)
				}
			}
		},
		read: func(a arrow.Array, i int, r *R) {
			l := a.(*array.List)
			first, last := l.ValueOffsets(i)
			rows := l.ListValues().(*array.Struct)
			if first < 0 || last < first || last > int64(rows.Len()) {
				panic("a list reaches beyond its values")
			}
			elements := make([]E, last-first)
			for i := range elements {
				for j := range columns {
					columns[j].read(rows.Field(j), int(first)+i, &elements[i])
				}
			}
			*at(r) = elements
		},
	}
}

func fields[R any](columns []column[R]) []arrow.Field {
	list := make([]arrow.Field, len(columns))
	for i := range columns {
		list[i] = columns[i].field
	}
	return list
}
