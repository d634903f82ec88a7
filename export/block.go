package export

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/jansou/jansou/sim"
)

// Block collects the rows of one block of matches of a run. It belongs to one
// goroutine at a time.
type Block struct {
	// Rows are the rows of table matches so far, four a match.
	Rows []MatchRow

	maker rowMaker
	// tables and messages, one for each table, are nil if nothing is written.
	tables   *tables
	messages []*message
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
	b := &Block{
		maker:  newRowMaker(w.rules, w.run),
		tables: newTables(w.mem, w.layout),
		last:   end - 1,
	}
	for _, t := range w.layout.tables {
		b.messages = append(b.messages, newMessage(w.mem, w.layout.schema(t)))
	}
	return b
}

// Add adds a match. Matches come in the order of their numbers; m must keep what
// Run.Keep says. With the last match of the block its rows are encoded, so that
// this, too, is done by many goroutines. The error is that of a match with more
// than 65,535 hands, or of the encoding.
func (b *Block) Add(m *sim.Match) error {
	if m.Index%sim.BlockSize == 0 {
		b.Rows = b.Rows[:0]
	}
	if err := b.maker.read(m); err != nil {
		return err
	}
	b.Rows = append(b.Rows, b.maker.players[:]...)
	if b.tables == nil {
		return nil
	}
	b.tables.add(&b.maker, m)
	if m.Index%sim.BlockSize != sim.BlockSize-1 && m.Index != b.last {
		return nil
	}
	for i, t := range b.tables.layout.tables {
		r := b.tables.take(t)
		err := b.messages[i].encode(r)
		r.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// tables builds the tables of a block.
type tables struct {
	layout    *layout
	matches   *array.RecordBuilder
	hands     *array.RecordBuilder
	ledger    *array.RecordBuilder
	records   *array.RecordBuilder
	walls     *array.RecordBuilder
	decisions decisionTable
}

func newTables(mem memory.Allocator, l *layout) *tables {
	return &tables{
		layout:    l,
		matches:   array.NewRecordBuilder(mem, l.schema(Matches)),
		hands:     array.NewRecordBuilder(mem, l.schema(Hands)),
		ledger:    array.NewRecordBuilder(mem, l.schema(Ledger)),
		records:   array.NewRecordBuilder(mem, l.schema(Records)),
		walls:     array.NewRecordBuilder(mem, l.schema(Walls)),
		decisions: decisionTable{schema: l.schema(Decisions)},
	}
}

// add adds the rows that have just been made of a match.
func (t *tables) add(rows *rowMaker, m *sim.Match) {
	l := t.layout
	if l.record == Matches {
		rows.players[0].Actions = rows.actions
	}
	writeRows(t.matches, l.matches, rows.players[:])
	if l.record >= Hands {
		writeRows(t.hands, l.hands, rows.hands)
		if rows.book != nil {
			writeRows(t.ledger, l.ledger, rows.book.rows)
		}
	}
	if l.record >= Decisions {
		t.decisions.add(m)
	}
}

func writeRows[R any](b *array.RecordBuilder, columns []column[R], rows []R) {
	for i := range columns {
		field := b.Field(i)
		for j := range rows {
			columns[i].write(field, &rows[j])
		}
	}
}

// take returns the rows of a table and empties it. The rows of decisions are
// valid until the next match is added.
func (t *tables) take(table Table) arrow.Record {
	switch table {
	case Matches:
		return t.matches.NewRecord()
	case Hands:
		return t.hands.NewRecord()
	case Decisions:
		return t.decisions.take()
	case Ledger:
		return t.ledger.NewRecord()
	case Records:
		return t.records.NewRecord()
	default:
		return t.walls.NewRecord()
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

func (d *decisionTable) add(m *sim.Match) {
	hand, first := 0, 0
	for i := range m.Choices {
		for hand+1 < len(m.Hands) && m.Hands[hand+1].Action <= i {
			hand++
			first = m.Hands[hand].Action
		}
		c := &m.Choices[i]
		d.match = append(d.match, m.Index)
		d.hand = append(d.hand, uint16(hand))
		d.index = append(d.index, uint16(i-first))
		d.player = append(d.player, uint8(c.Player))
		d.legal = appendLegal(d.legal, &c.Legal)
		d.action = append(d.action, uint8(m.Actions[i]))
	}
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
// It encodes one batch after another and takes them from the Arrow library by
// being the payload writer of a stream.
type message struct {
	stream *ipc.Writer
	// bytes holds the message, of which the first header bytes are not part of
	// the body; rows is the number of its rows.
	bytes  []byte
	header int
	rows   int64
}

func newMessage(mem memory.Allocator, schema *arrow.Schema) *message {
	m := &message{}
	m.stream = ipc.NewWriterWithPayloadWriter(m, ipc.WithAllocator(mem), ipc.WithSchema(schema), ipc.WithLZ4())
	return m
}

// encode makes the message of a batch.
func (m *message) encode(r arrow.Record) error {
	m.rows = r.NumRows()
	return m.stream.Write(r)
}

// Start implements ipc.PayloadWriter.
func (m *message) Start() error { return nil }

// WritePayload implements ipc.PayloadWriter. The stream begins with its schema,
// which the first batch replaces.
func (m *message) WritePayload(p ipc.Payload) error {
	const continuation, prefix, alignment = 0xffffffff, 8, 8
	meta := p.Meta()
	defer meta.Release()
	size := (meta.Len() + alignment - 1) / alignment * alignment
	m.bytes = binary.LittleEndian.AppendUint32(m.bytes[:0], continuation)
	m.bytes = binary.LittleEndian.AppendUint32(m.bytes, uint32(size))
	m.bytes = append(m.bytes, meta.Bytes()...)
	m.bytes = append(m.bytes, make([]byte, size-meta.Len())...)
	m.header = prefix + size
	return p.SerializeBody(m)
}

// Write appends to the message. It implements io.Writer.
func (m *message) Write(p []byte) (int, error) {
	m.bytes = append(m.bytes, p...)
	return len(p), nil
}

// Close implements ipc.PayloadWriter.
func (m *message) Close() error { return nil }
