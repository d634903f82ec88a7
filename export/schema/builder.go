package schema

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Builder builds the Arrow records of the tables of a block of matches.
type Builder struct {
	layout    *Layout
	matches   tableBuilder[MatchRow]
	hands     tableBuilder[HandRow]
	ledger    tableBuilder[LedgerRow]
	origins   tableBuilder[Origin]
	walls     tableBuilder[WallRow]
	decisions decisionBuilder
	wins      tableBuilder[WinRow]
	full      func(t Table, r arrow.Record, bytes int, last bool) error
}

// NewBuilder returns a builder that calls full with records of the index schema: when the
// next row would exceed the bounds of the layout, and on Flush. Their columns take about
// the given number of bytes; last is that of Flush. A record may be retained.
func NewBuilder(mem memory.Allocator, l *Layout, full func(t Table, r arrow.Record, bytes int, last bool) error) *Builder {
	b := &Builder{layout: l, full: full}
	b.matches = newTableBuilder(mem, b, Matches, l.Matches, func(r *MatchRow) int { return len(r.Actions) })
	b.hands = newTableBuilder(mem, b, Hands, l.Hands, (*HandRow).size)
	b.ledger = newTableBuilder(mem, b, Ledger, l.Ledger, func(*LedgerRow) int { return 0 })
	b.origins = newTableBuilder(mem, b, Records, l.Origins, (*Origin).size)
	b.walls = newTableBuilder(mem, b, Walls, l.Walls, func(r *WallRow) int { return len(r.Tiles) })
	b.wins = newTableBuilder(mem, b, Wins, l.Wins, func(*WinRow) int { return 0 })
	b.decisions = decisionBuilder{schema: arrowfile.IndexSchema(l.Schema(Decisions)), ownRows: l.Bounds.OwnRows, agents: l.agents()}
	return b
}

// AddRows adds the rows of the match that maker has read last.
func (b *Builder) AddRows(maker *Maker) error {
	if b.layout.options.Record == Matches {
		maker.Players[0].Actions = maker.actions
	}
	if b.layout.options.Record == Decisions {
		for i := range maker.hands {
			maker.hands[i].Actions = nil
		}
	}
	err := b.matches.add(maker.Players)
	if b.layout.options.Record >= Hands && err == nil {
		if err = b.hands.add(maker.hands); err == nil {
			err = b.wins.add(maker.winRows())
		}
		if err == nil && maker.book != nil {
			err = b.ledger.add(maker.book.rows)
		}
	}
	return err
}

// AddDecisions adds the decisions of the match that maker has read last, if they are recorded.
func (b *Builder) AddDecisions(maker *Maker, m *sim.Match) error {
	if b.layout.options.Record < Decisions {
		return nil
	}
	for hand, mark := range m.Hands {
		end := len(m.Choices)
		if hand+1 < len(m.Hands) {
			end = m.Hands[hand+1].FirstAction
		}
		for i := mark.FirstAction; i < end; {
			n := min(end-i, b.layout.Bounds.Rows-len(b.decisions.match))
			if n == 0 {
				if err := b.Flush(Decisions, false); err != nil {
					return err
				}
				continue
			}
			b.decisions.add(m, &maker.hands[hand], mark.FirstAction, i, i+n)
			i += n
		}
	}
	return nil
}

// AddOrigin adds the origin and the walls of a match of an import.
func (b *Builder) AddOrigin(m *sim.Match, o *Origin) error {
	row := *o
	row.Match, row.Ruleset = m.Index, b.layout.options.Ruleset
	row.setStart(m.Start)
	if err := b.origins.add([]Origin{row}); err != nil {
		return err
	}
	rows := make([]WallRow, len(m.Walls))
	for i := range m.Walls {
		rows[i] = WallRow{m.Index, uint16(i), make([]byte, b.layout.SetSize), row.Ruleset, uint8(m.RoundWind)}
		for j := range rows[i].Tiles {
			rows[i].Tiles[j] = byte(m.Walls[i][j])
		}
	}
	return b.walls.add(rows)
}

// Flush calls full with the rows of a table and last, and removes the rows.
func (b *Builder) Flush(t Table, last bool) error {
	tables := [...]interface{ take() (arrow.Record, int) }{&b.matches, &b.hands, &b.decisions, &b.wins, &b.ledger, &b.origins, &b.walls}
	r, bytes := tables[t].take()
	defer r.Release()
	return b.full(t, r, bytes, last)
}

// tableBuilder builds the records of a table.
type tableBuilder[R any] struct {
	record  *array.RecordBuilder
	builder *Builder
	table   Table
	columns Columns[R]
	size    func(*R) int // bytes of a row in columns of variable size
	// rows and bytes are the size of the next record so far.
	rows, bytes int
}

// fixedBytes is about the size of a row in the columns of fixed size.
const fixedBytes = 128

func newTableBuilder[R any](mem memory.Allocator, b *Builder, t Table, columns Columns[R], size func(*R) int) tableBuilder[R] {
	schema := arrowfile.IndexSchema(b.layout.Schema(t))
	return tableBuilder[R]{record: array.NewRecordBuilder(mem, schema), builder: b, table: t, columns: columns, size: size}
}

// add adds rows and flushes the records that they fill. A record is full when the next row
// does not fit, so that the division into records depends on the rows alone.
func (b *tableBuilder[R]) add(rows []R) error {
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && b.fits(fixedBytes+b.size(&rows[n])) {
			n++
		}
		b.columns.write(b.record, rows[:n])
		if rows = rows[n:]; len(rows) > 0 {
			if err := b.builder.Flush(b.table, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits counts one more row if it fits into the record.
func (b *tableBuilder[R]) fits(bytes int) bool {
	bounds := &b.builder.layout.Bounds
	if b.rows > 0 && (b.rows == bounds.Rows || b.bytes+bytes > bounds.Bytes) {
		return false
	}
	b.rows++
	b.bytes += bytes
	return true
}

func (b *tableBuilder[R]) take() (r arrow.Record, bytes int) {
	bytes = b.bytes
	b.rows, b.bytes = 0, 0
	return b.record.NewRecord(), bytes
}
