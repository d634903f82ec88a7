package arrowfile

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Bounds limit the size of record batches, and with it the memory that a reader needs.
// Which rows share a batch follows from the rows alone, so a file does not depend on how
// many workers played its matches. A batch holds whole blocks of matches, as many as fit.
// The rows of a block with OwnRows or more are batches of their own, several if one would
// exceed the bounds.
type Bounds struct {
	// Rows is the most rows of a batch, Bytes about the most bytes of its columns before
	// compression. A single row may take more bytes.
	Rows, Bytes int
	OwnRows     int
}

// DefaultBounds are the bounds of datasets. From 16,384 rows on, larger batches are hardly
// smaller on the disk; then workers encode their own, and no rows are copied.
var DefaultBounds = Bounds{Rows: 1 << 16, Bytes: 1 << 21, OwnRows: 1 << 14}

// Piece is the rows of a block in a table, or a part of them.
type Piece struct {
	rows, bytes int
	// record has the rows that are to be joined with those of other blocks; it is nil if
	// message has them as a batch of their own.
	record  arrow.Record
	message message
}

// NewPiece returns the rows of a record, which it retains, to be joined with those of other
// blocks. The columns take about the given number of bytes.
func NewPiece(r arrow.Record, bytes int) Piece {
	r.Retain()
	return Piece{rows: int(r.NumRows()), bytes: bytes, record: r}
}

// EncodePiece encodes the rows of a record as a batch of their own.
func EncodePiece(r arrow.Record) Piece {
	return Piece{message: encode(r)}
}

// batcher makes the record batches of a file from the rows of its blocks. Other goroutines
// encode the batches that are joined from several pieces.
type batcher struct {
	bounds Bounds
	mem    memory.Allocator
	slots  chan struct{} // its capacity is how many batches are encoded at a time

	// joined are the pieces of the next batch so far; first is the first match of the
	// first piece.
	joined      []Piece
	first       uint64
	rows, bytes int
	// unwritten are the batches that take has not returned, encoded or not.
	unwritten []*batch
}

// batch is a record batch of a file that is being written.
type batch struct {
	first   uint64 // the first match of the first block that has rows in it
	message message
	err     error
	encoded chan struct{} // closed once message or err is set
}

// add adds the rows of a block, of which the number of the first match is given.
func (b *batcher) add(first uint64, pieces []Piece) {
	for i := range pieces {
		p := &pieces[i]
		if p.record == nil {
			b.flush()
			whole := &batch{first: first, message: p.message, encoded: make(chan struct{})}
			close(whole.encoded)
			b.unwritten = append(b.unwritten, whole)
			continue
		}
		if len(b.joined) > 0 && (b.rows+p.rows > b.bounds.Rows || b.bytes+p.bytes > b.bounds.Bytes) {
			b.flush()
		}
		if len(b.joined) == 0 {
			b.first = first
		}
		b.joined = append(b.joined, *p)
		b.rows += p.rows
		b.bytes += p.bytes
	}
}

// flush starts to encode the joined pieces as a batch.
func (b *batcher) flush() {
	if len(b.joined) == 0 {
		return
	}
	next := &batch{first: b.first, encoded: make(chan struct{})}
	b.unwritten = append(b.unwritten, next)
	pieces := b.joined
	b.joined, b.rows, b.bytes = nil, 0, 0
	b.slots <- struct{}{}
	go func() {
		defer func() {
			<-b.slots
			close(next.encoded)
		}()
		next.message, next.err = join(pieces, b.mem)
	}()
}

// take removes and returns the next batch: nil if there is none or, unless wait is set, if
// it is not yet encoded.
func (b *batcher) take(wait bool) *batch {
	if len(b.unwritten) == 0 {
		return nil
	}
	next := b.unwritten[0]
	if !wait {
		select {
		case <-next.encoded:
		default:
			return nil
		}
	}
	<-next.encoded
	b.unwritten = slices.Delete(b.unwritten, 0, 1)
	return next
}

// drop waits for the batches that are being encoded and discards all.
func (b *batcher) drop() {
	for b.take(true) != nil {
	}
	for i := range b.joined {
		b.joined[i].record.Release()
	}
	b.joined = nil
}

// join encodes the rows of pieces as one batch and releases their records.
func join(pieces []Piece, mem memory.Allocator) (message, error) {
	r := pieces[0].record
	if len(pieces) > 1 {
		columns := make([]arrow.Array, r.NumCols())
		parts := make([]arrow.Array, len(pieces))
		rows := int64(0)
		for c := range columns {
			for i := range pieces {
				parts[i] = pieces[i].record.Column(c)
			}
			var err error
			if columns[c], err = array.Concatenate(parts, mem); err != nil {
				return message{}, err
			}
			defer columns[c].Release()
		}
		schema := r.Schema()
		for i := range pieces {
			rows += pieces[i].record.NumRows()
			pieces[i].record.Release()
		}
		r = array.NewRecord(schema, columns, rows)
	}
	defer r.Release()
	return encode(r), nil
}
