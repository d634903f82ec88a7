package export

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Block collects the rows of one block of matches of a run. It belongs to one
// goroutine at a time.
type Block struct {
	// Rows are the rows of table matches so far, four a match.
	Rows []MatchRow

	maker rowMaker
	// tables is nil if nothing is written, as are pieces, the rows of each table of
	// the layout.
	tables *tables
	pieces [][]piece
	// last is the number of the last match that is written.
	last uint64
}

// NewBlock returns an empty block of the run that w writes. If w is nil, the
// block has only its Rows.
func (w *Writer) NewBlock() *Block {
	if w == nil {
		return &Block{}
	}
	// Files are listed in new manifests at the same time, so this does not look
	// at the manifest.
	_, end := w.run.span()
	b := &Block{maker: newRowMaker(w.rules, w.run), last: end - 1, pieces: make([][]piece, len(w.layout.tables))}
	b.tables = newTables(w.mem, w.layout, b.addPiece)
	return b
}

// addPiece takes rows of a table: the last of the block, or as many as a batch has at
// most.
func (b *Block) addPiece(t Table, r arrow.Record, bytes int, last bool) error {
	l := b.tables.layout
	list := &b.pieces[slices.Index(l.tables, t)]
	p := piece{rows: int(r.NumRows()), bytes: bytes}
	if last && len(*list) == 0 && p.rows < l.bounds.ownRows {
		r.Retain()
		p.record = r
		*list = append(*list, p)
		return nil
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	p.message = e.encode(r)
	*list = append(*list, p)
	return nil
}

// begin empties a block that is used again, before its first match.
func (b *Block) begin(match uint64) {
	if match%sim.BlockSize != 0 || len(b.Rows) == 0 {
		return
	}
	b.Rows = b.Rows[:0]
	for i := range b.pieces {
		b.pieces[i] = nil
	}
}

// Add adds a match. Matches come in the order of their numbers; m must keep what
// Run.Keep says. With the last match of the block its rows are encoded, so that
// this, too, is done by many goroutines. The error is that of a match with more
// than 65,535 hands, or of the encoding.
func (b *Block) Add(m *sim.Match) error {
	b.begin(m.Index)
	if err := b.maker.read(m); err != nil {
		return err
	}
	b.Rows = append(b.Rows, b.maker.players[:]...)
	if b.tables == nil {
		return nil
	}
	if err := b.tables.add(&b.maker, m); err != nil {
		return err
	}
	if m.Index%sim.BlockSize != sim.BlockSize-1 && m.Index != b.last {
		return nil
	}
	for _, t := range b.tables.layout.tables {
		if err := b.tables.flush(t, true); err != nil {
			return err
		}
	}
	return nil
}

// tables builds the tables of a block.
type tables struct {
	layout  *layout
	matches builder[MatchRow]
	hands   builder[HandRow]
	ledger  builder[LedgerRow]
	records builder[Origin]
	walls   builder[wallRow]

	decisions decisionTable
	// full takes rows of a table and about the bytes of their columns: as many as a
	// batch has at most, or the last of the block. The record may be retained.
	full func(t Table, r arrow.Record, bytes int, last bool) error
}

func newTables(mem memory.Allocator, l *layout, full func(Table, arrow.Record, int, bool) error) *tables {
	t := &tables{layout: l, decisions: decisionTable{schema: numbered(l.schema(Decisions))}, full: full}
	t.matches = newBuilder(mem, t, Matches, l.matches, func(r *MatchRow) int { return len(r.Actions) })
	t.hands = newBuilder(mem, t, Hands, l.hands, (*HandRow).size)
	t.ledger = newBuilder(mem, t, Ledger, l.ledger, func(r *LedgerRow) int { return 0 })
	t.records = newBuilder(mem, t, Records, l.records, (*Origin).size)
	t.walls = newBuilder(mem, t, Walls, l.walls, func(r *wallRow) int { return len(r.tiles) })
	return t
}

// add adds the rows that have just been made of a match.
func (t *tables) add(rows *rowMaker, m *sim.Match) error {
	err := t.addRows(rows)
	if err == nil {
		err = t.addDecisions(m)
	}
	return err
}

// addRows is add without the decisions.
func (t *tables) addRows(rows *rowMaker) error {
	l := t.layout
	if l.record == Matches {
		rows.players[0].Actions = rows.actions
	}
	err := t.matches.add(rows.players[:])
	if l.record >= Hands && err == nil {
		if err = t.hands.add(rows.hands); err == nil && rows.book != nil {
			err = t.ledger.add(rows.book.rows)
		}
	}
	return err
}

// flush passes on what there is of a table, the last of the block or not, and empties
// it.
func (t *tables) flush(table Table, last bool) error {
	r, bytes := t.take(table)
	defer r.Release()
	return t.full(table, r, bytes, last)
}

// take returns the rows of a table, and about the bytes of their columns, and empties
// it.
func (t *tables) take(table Table) (r arrow.Record, bytes int) {
	switch table {
	case Matches:
		return t.matches.take()
	case Hands:
		return t.hands.take()
	case Decisions:
		return t.decisions.take()
	case Ledger:
		return t.ledger.take()
	case Records:
		return t.records.take()
	default:
		return t.walls.take()
	}
}

// builder builds the record batches of a table.
type builder[R any] struct {
	*array.RecordBuilder
	tables  *tables
	table   Table
	columns []column[R]
	// size is what a row takes beside the columns of fixed size.
	size        func(*R) int
	rows, bytes int
}

// fixedBytes is about what the columns of fixed size take in a row.
const fixedBytes = 128

func newBuilder[R any](mem memory.Allocator, t *tables, table Table, columns []column[R], size func(*R) int) builder[R] {
	return builder[R]{RecordBuilder: array.NewRecordBuilder(mem, numbered(t.layout.schema(table))), tables: t, table: table, columns: columns, size: size}
}

// add adds rows and passes on the batches that they fill. A batch is full when
// the next row does not fit, so that which rows it has depends on them alone.
func (b *builder[R]) add(rows []R) error {
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && b.fits(fixedBytes+b.size(&rows[n])) {
			n++
		}
		writeRows(b.RecordBuilder, b.columns, rows[:n])
		if rows = rows[n:]; len(rows) > 0 {
			if err := b.tables.flush(b.table, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits counts one more row in the batch if it fits.
func (b *builder[R]) fits(bytes int) bool {
	most := &b.tables.layout.bounds
	if b.rows > 0 && (b.rows == most.rows || b.bytes+bytes > most.bytes) {
		return false
	}
	b.rows++
	b.bytes += bytes
	return true
}

func (b *builder[R]) take() (r arrow.Record, bytes int) {
	bytes = b.bytes
	b.rows, b.bytes = 0, 0
	return b.NewRecord(), bytes
}

func writeRows[R any](b *array.RecordBuilder, columns []column[R], rows []R) {
	for i := range columns {
		columns[i].write(b.Field(i), rows)
	}
}

// decisionTable builds the table of decisions, of which there are so many that
// going through builders, value by value, would take longer than playing.
type decisionTable struct {
	schema *arrow.Schema
	match  []uint64
	hand   []uint16
	index  []uint16
	player []uint8
	legal  []byte
	action []uint8
}

// addDecisions adds the decisions of a match, if they are recorded.
func (t *tables) addDecisions(m *sim.Match) error {
	if t.layout.record < Decisions {
		return nil
	}
	d := &t.decisions
	hand, first := 0, 0
	for i := 0; i < len(m.Choices); {
		for hand+1 < len(m.Hands) && m.Hands[hand+1].Action <= i {
			hand++
			first = m.Hands[hand].Action
		}
		end := len(m.Choices)
		if hand+1 < len(m.Hands) {
			end = min(end, m.Hands[hand+1].Action)
		}
		room := t.layout.bounds.rows - len(d.match)
		if room == 0 {
			if err := t.flush(Decisions, false); err != nil {
				return err
			}
			continue
		}
		end = min(end, i+room)
		d.add(m, hand, first, i, end)
		i = end
	}
	return nil
}

// add adds the decisions of a match from number i up to end, which are of one hand whose
// first is given, a column at a time.
func (d *decisionTable) add(m *sim.Match, hand, first, i, end int) {
	n := end - i
	match, hands, index := longer(&d.match, n), longer(&d.hand, n), longer(&d.index, n)
	for j := range match {
		match[j] = m.Index
	}
	for j := range hands {
		hands[j] = uint16(hand)
	}
	for j := range index {
		index[j] = uint16(i - first + j)
	}
	player, action := longer(&d.player, n), longer(&d.action, n)
	for j := range player {
		player[j] = uint8(m.Choices[i+j].Player)
	}
	for j := range action {
		action[j] = uint8(m.Actions[i+j])
	}
	d.legal = slices.Grow(d.legal, n*legalBytes+legalSlack)
	for j := range n {
		d.legal = appendLegal(d.legal, &m.Choices[i+j].Legal)
	}
}

// longer makes a column longer by n rows, which it returns.
func longer[T any](column *[]T, n int) []T {
	*column = slices.Grow(*column, n)
	begin := len(*column)
	*column = (*column)[:begin+n]
	return (*column)[begin:]
}

func (d *decisionTable) take() (r arrow.Record, bytes int) {
	n := len(d.match)
	columns := [...][]byte{
		arrow.Uint64Traits.CastToBytes(d.match),
		arrow.Uint16Traits.CastToBytes(d.hand),
		arrow.Uint16Traits.CastToBytes(d.index),
		d.player,
		d.legal,
		d.action,
	}
	arrays := make([]arrow.Array, len(columns))
	for i, bytes := range columns {
		data := array.NewData(d.schema.Field(i).Type, n, []*memory.Buffer{nil, memory.NewBufferBytes(bytes)}, nil, 0, 0)
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	r = array.NewRecord(d.schema, arrays, int64(n))
	for _, a := range arrays {
		a.Release()
	}
	if n < ownBatchRows { // the record may be retained
		*d = decisionTable{schema: d.schema}
	}
	d.match, d.hand, d.index = d.match[:0], d.hand[:0], d.index[:0]
	d.player, d.legal, d.action = d.player[:0], d.legal[:0], d.action[:0]
	return r, fixedBytes / 4 * n
}
