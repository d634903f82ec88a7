package schema

import (
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Options select which tables and columns a [Layout] has.
type Options struct {
	// Record is the table up to which the run is recorded, Decisions at most.
	Record Table
	// Import adds the tables Records and Walls.
	Import bool
	// Ruleset is the name of the ruleset, Agents those of the agents, which may repeat.
	Ruleset string
	Agents  []string
	// Made are the keys and values that say what made the files, in their metadata.
	Made [][2]string
}

// Layout is the tables of a run and their columns.
type Layout struct {
	options Options
	// Tables are the tables that are recorded.
	Tables []Table
	// Bounds limit the record batches.
	Bounds arrowfile.Bounds
	// SetSize is the number of tiles in a wall.
	SetSize int
	// Matches to Origins are the columns of the tables Matches to Records.
	Matches   Columns[MatchRow]
	Hands     Columns[HandRow]
	Decisions Columns[DecisionRow]
	Wins      Columns[WinRow]
	Ledger    Columns[LedgerRow]
	Origins   Columns[Origin]
	Walls     Columns[WallRow]
}

// NewLayout returns the layout of a run under the rules.
func NewLayout(r *ruleset.Rules, o Options) *Layout {
	amounts := inPoints
	if r.Unit() > 1 {
		amounts = inHalfPoints
	}
	var patterns []string
	for _, p := range r.Patterns() {
		patterns = append(patterns, p.ID)
	}
	l := newLayout(o, r.NumSeats(), hasDebts(r), amounts, patterns)
	l.SetSize = sim.SetSize(&r.Flow)
	return l
}

// hasDebts reports whether players may owe each other points.
func hasDebts(r *ruleset.Rules) bool {
	_, ok := r.Scorer.(ruleset.DebtCollector)
	return ok
}

// newLayout returns the layout of a run of so many players, whose amounts are in the given
// unit. Debts have a table of their own.
func newLayout(o Options, seats int, debts bool, amounts string, patterns []string) *Layout {
	_, actions := sim.ActionTable(seats)
	c := &runColumns{seats, amounts, map[string][]string{
		"ends": endsOf(seats), "faces": faceWords, "patterns": patterns, "reasons": debtReasons, "actions": actionWords[:actions],
		"rulesets": {o.Ruleset}, "agents": slices.Compact(slices.Sorted(slices.Values(o.Agents))),
	}}
	l := &Layout{
		options: o, Bounds: arrowfile.DefaultBounds, Matches: columnsOf[MatchRow](c),
		Hands: columnsOf[HandRow](c), Decisions: columnsOf[DecisionRow](c), Wins: columnsOf[WinRow](c), Ledger: columnsOf[LedgerRow](c),
		Origins: columnsOf[Origin](c), Walls: columnsOf[WallRow](c),
	}
	for t := range o.Record + 1 {
		l.Tables = append(l.Tables, t)
	}
	if o.Record >= Hands {
		l.Tables = append(l.Tables, Wins)
		if debts {
			l.Tables = append(l.Tables, Ledger)
		}
	}
	if o.Import {
		l.Tables = append(l.Tables, Records, Walls)
	}
	return l
}

// agents returns the number of each agent's name in the dictionary.
func (l *Layout) agents() map[string]int32 {
	for i := range l.Matches {
		if l.Matches[i].field.Name == "agent" {
			return l.Matches[i].numbers
		}
	}
	return nil
}

// LogTable returns the table that has the answers of the players.
func (l *Layout) LogTable() Table { return l.options.Record }

// ReplayTables returns the tables from which a match is replayed.
func (l *Layout) ReplayTables() []Table {
	tables := l.Tables[:1]
	if t := l.LogTable(); t != Matches {
		tables = []Table{Matches, t}
	}
	if l.options.Import {
		tables = append(slices.Clip(tables), Records, Walls)
	}
	return tables
}

func (l *Layout) columns(t Table) []column {
	return [...][]column{l.Matches, l.Hands, l.Decisions, l.Wins, l.Ledger, l.Origins, l.Walls}[t]
}

// Schema returns the Arrow schema of a table.
func (l *Layout) Schema(t Table) *arrow.Schema {
	keys, values := []string{"sparrowhall.table", "sparrowhall.schema_version"}, []string{t.String(), strconv.Itoa(Version)}
	for _, made := range l.options.Made {
		keys, values = append(keys, "sparrowhall."+made[0]), append(values, made[1])
	}
	metadata := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fieldsOf(l.columns(t)), &metadata)
}

// Envelope returns what precedes and follows the record batches in the files of a table.
func (l *Layout) Envelope(t Table) (*arrowfile.Envelope, error) {
	return arrowfile.NewEnvelope(l.Schema(t), wordsOf(l.columns(t)))
}

// Dictionaries returns the dictionaries of a table.
func (l *Layout) Dictionaries(t Table) *arrowfile.Dictionaries {
	return arrowfile.NewDictionaries(l.Schema(t), wordsOf(l.columns(t)))
}
