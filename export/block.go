package export

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/jansou/jansou/sim"
)

// The bounds of a record batch. A batch holds a block of matches unless they are
// longer than any that end by themselves; then the block is divided, so that
// nobody who reads it needs memory without a bound.
const (
	maxBatchRows = 1 << 19
	// maxBatchBytes bounds what the rows take before they are compressed, about.
	// A single row may take more.
	maxBatchBytes = 1 << 25
)

// Block collects the rows of one block of matches of a run. It belongs to one
// goroutine at a time.
type Block struct {
	// Rows are the rows of table matches so far, four a match.
	Rows []MatchRow

	maker rowMaker
	// tables and encoders, one for each table, are nil if nothing is written.
	tables   *tables
	encoders []*encoder
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
	b := &Block{maker: newRowMaker(w.rules, w.run), last: end - 1}
	for _, t := range w.layout.tables {
		b.encoders = append(b.encoders, newEncoder(w.mem, w.layout.schema(t)))
	}
	b.tables = newTables(w.mem, w.layout, func(t Table, r arrow.Record) error {
		return b.encoders[slices.Index(w.layout.tables, t)].encode(r)
	})
	return b
}

// begin empties a block that is used again, before its first match.
func (b *Block) begin(match uint64) {
	if match%sim.BlockSize != 0 || len(b.Rows) == 0 {
		return
	}
	b.Rows = b.Rows[:0]
	for _, e := range b.encoders {
		e.begin()
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
		if err := b.tables.flush(t); err != nil {
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
	// full takes a record batch of a table, which is valid during the call: one
	// that has reached its bounds, or the last of the block.
	full func(t Table, r arrow.Record) error
}

func newTables(mem memory.Allocator, l *layout, full func(Table, arrow.Record) error) *tables {
	t := &tables{layout: l, decisions: decisionTable{schema: l.schema(Decisions)}, full: full}
	t.matches = newBuilder(mem, t, Matches, l.matches, func(r *MatchRow) int { return len(r.Actions) })
	t.hands = newBuilder(mem, t, Hands, l.hands, (*HandRow).size)
	t.ledger = newBuilder(mem, t, Ledger, l.ledger, func(r *LedgerRow) int { return 0 })
	t.records = newBuilder(mem, t, Records, l.records, (*Origin).size)
	t.walls = newBuilder(mem, t, Walls, l.walls, func(r *wallRow) int { return len(r.tiles) })
	return t
}

// add adds the rows that have just been made of a match.
func (t *tables) add(rows *rowMaker, m *sim.Match) error {
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
	if l.record >= Decisions && err == nil {
		err = t.addDecisions(m)
	}
	return err
}

// flush passes on what there is of a table and empties it.
func (t *tables) flush(table Table) error {
	r := t.take(table)
	defer r.Release()
	return t.full(table, r)
}

// take returns the rows of a table and empties it. The rows of decisions are
// valid until the next match is added.
func (t *tables) take(table Table) arrow.Record {
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
	return builder[R]{RecordBuilder: array.NewRecordBuilder(mem, t.layout.schema(table)), tables: t, table: table, columns: columns, size: size}
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
			if err := b.tables.flush(b.table); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits counts one more row in the batch if it fits.
func (b *builder[R]) fits(bytes int) bool {
	l := b.tables.layout
	if b.rows > 0 && (b.rows == l.maxRows || b.bytes+bytes > l.maxBytes) {
		return false
	}
	b.rows++
	b.bytes += bytes
	return true
}

func (b *builder[R]) take() arrow.Record {
	b.rows, b.bytes = 0, 0
	return b.NewRecord()
}

func writeRows[R any](b *array.RecordBuilder, columns []column[R], rows []R) {
	for i := range columns {
		field := b.Field(i)
		for j := range rows {
			columns[i].write(field, &rows[j])
		}
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

// addDecisions adds the decisions of a match.
func (t *tables) addDecisions(m *sim.Match) error {
	d := &t.decisions
	hand, first := 0, 0
	for i := range m.Choices {
		for hand+1 < len(m.Hands) && m.Hands[hand+1].Action <= i {
			hand++
			first = m.Hands[hand].Action
		}
		if len(d.match) == t.layout.maxRows {
			if err := t.flush(Decisions); err != nil {
				return err
			}
		}
		c := &m.Choices[i]
		d.match = append(d.match, m.Index)
		d.hand = append(d.hand, uint16(hand))
		d.index = append(d.index, uint16(i-first))
		d.player = append(d.player, uint8(c.Player))
		d.legal = appendLegal(d.legal, &c.Legal)
		d.action = append(d.action, uint8(m.Actions[i]))
	}
	return nil
}

func (d *decisionTable) take() arrow.Record {
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
	record := array.NewRecord(d.schema, arrays, int64(n))
	for _, a := range arrays {
		a.Release()
	}
	d.match, d.hand, d.index = d.match[:0], d.hand[:0], d.index[:0]
	d.player, d.legal, d.action = d.player[:0], d.legal[:0], d.action[:0]
	return record
}

// message is a record batch as it stands in a file: compressed, with its header.
type message struct {
	// bytes holds the message, of which the first header bytes are not part of
	// the body; rows is the number of its rows.
	bytes  []byte
	header int
	rows   int64
}

// encoder makes the messages of a table of a block. It takes them from the Arrow
// library by being the payload writer of a stream.
type encoder struct {
	stream *ipc.Writer
	// messages has those of the block.
	messages []message
}

func newEncoder(mem memory.Allocator, schema *arrow.Schema) *encoder {
	e := &encoder{}
	e.stream = ipc.NewWriterWithPayloadWriter(e, ipc.WithAllocator(mem), ipc.WithSchema(schema), ipc.WithLZ4())
	return e
}

// begin forgets the messages of the block before, of which the memory of the
// first is used again.
func (e *encoder) begin() {
	clear(e.messages[min(1, len(e.messages)):])
	e.messages = e.messages[:0]
}

// encode makes the message of a batch.
func (e *encoder) encode(r arrow.Record) error {
	e.messages = grow(e.messages)
	e.last().rows = r.NumRows()
	return e.stream.Write(r)
}

func (e *encoder) last() *message { return &e.messages[len(e.messages)-1] }

// Start implements ipc.PayloadWriter.
func (e *encoder) Start() error { return nil }

// WritePayload implements ipc.PayloadWriter. The stream begins with its schema,
// which the first batch replaces.
func (e *encoder) WritePayload(p ipc.Payload) error {
	const continuation, prefix, alignment = 0xffffffff, 8, 8
	meta := p.Meta()
	defer meta.Release()
	m := e.last()
	size := (meta.Len() + alignment - 1) / alignment * alignment
	m.bytes = binary.LittleEndian.AppendUint32(m.bytes[:0], continuation)
	m.bytes = binary.LittleEndian.AppendUint32(m.bytes, uint32(size))
	m.bytes = append(m.bytes, meta.Bytes()...)
	m.bytes = append(m.bytes, make([]byte, size-meta.Len())...)
	m.header = prefix + size
	return p.SerializeBody(m)
}

// Close implements ipc.PayloadWriter.
func (e *encoder) Close() error { return nil }

// Write appends to the message. It implements io.Writer.
func (m *message) Write(p []byte) (int, error) {
	m.bytes = append(m.bytes, p...)
	return len(p), nil
}
