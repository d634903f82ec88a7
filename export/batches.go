package export

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// bounds are what a record batch has at most, so that nobody who reads it needs
// memory without a bound. Which rows share a batch follows from the rows alone: the
// batches of a file are the same whoever played its matches. A batch holds whole
// blocks of matches, as many as its bounds allow; the rows of a block that has
// ownRows or more are batches of their own, several if the bounds ask for it.
type bounds struct {
	// rows is the most rows, bytes about the most bytes of their columns before they
	// are compressed. A single row may take more.
	rows, bytes int
	ownRows     int
}

const (
	maxBatchRows  = 1 << 16
	maxBatchBytes = 1 << 21
	// ownBatchRows is from how many rows on larger batches are hardly smaller on the
	// disk: then the workers compress them, and no rows are copied.
	ownBatchRows = 1 << 14
)

// piece is the rows of a block in a table, or a part of them.
type piece struct {
	rows, bytes int
	// record has the rows unless they are a batch of their own, which is message
	// then.
	record  arrow.Record
	message message
}

// batcher makes the record batches of a file of the rows of its blocks. Those that
// are joined are encoded by other goroutines.
type batcher struct {
	bounds bounds
	mem    memory.Allocator
	// slots bounds how many batches are encoded at a time.
	slots chan struct{}

	// joined are the pieces that the next batch has so far, first is the first match
	// of the first.
	joined      []piece
	first       uint64
	rows, bytes int
	// encoding are the batches that are not written.
	encoding []*batch
}

// batch is a record batch of a file that is written.
type batch struct {
	first   uint64 // match of the first block that it has rows of
	message message
	err     error
	encoded chan struct{} // is closed when it is
}

// add adds the rows of a block whose first match is given.
func (b *batcher) add(first uint64, pieces []piece) {
	for i := range pieces {
		p := &pieces[i]
		if p.record == nil {
			b.flush()
			whole := &batch{first: first, message: p.message, encoded: make(chan struct{})}
			close(whole.encoded)
			b.encoding = append(b.encoding, whole)
			continue
		}
		if len(b.joined) > 0 && (b.rows+p.rows > b.bounds.rows || b.bytes+p.bytes > b.bounds.bytes) {
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

// flush lets the joined pieces be encoded as a batch.
func (b *batcher) flush() {
	if len(b.joined) == 0 {
		return
	}
	next := &batch{first: b.first, encoded: make(chan struct{})}
	b.encoding = append(b.encoding, next)
	pieces := b.joined
	b.joined, b.rows, b.bytes = nil, 0, 0
	b.slots <- struct{}{}
	go func() {
		defer func() {
			<-b.slots
			close(next.encoded)
		}()
		e := encoders.Get().(*encoder)
		defer encoders.Put(e)
		next.message, next.err = e.join(pieces, b.mem)
	}()
}

// take returns the next batch, nil if there is none that is encoded or, to wait for,
// none at all.
func (b *batcher) take(wait bool) *batch {
	if len(b.encoding) == 0 {
		return nil
	}
	next := b.encoding[0]
	if !wait {
		select {
		case <-next.encoded:
		default:
			return nil
		}
	}
	<-next.encoded
	b.encoding = slices.Delete(b.encoding, 0, 1)
	return next
}

// drop waits for what is being encoded and forgets it.
func (b *batcher) drop() {
	for b.take(true) != nil {
	}
	for i := range b.joined {
		b.joined[i].record.Release()
	}
	b.joined = nil
}

// join encodes the rows of pieces as one batch and releases them.
func (e *encoder) join(pieces []piece, mem memory.Allocator) (message, error) {
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
		for i := range pieces {
			rows += pieces[i].record.NumRows()
		}
		schema := r.Schema()
		for i := range pieces {
			pieces[i].record.Release()
		}
		r = array.NewRecord(schema, columns, rows)
	}
	defer r.Release()
	return e.encode(r), nil
}
