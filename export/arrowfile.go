package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// file is what is written to: an *os.File but in tests.
type file interface {
	io.WriteCloser
	Sync() error
}

// arrowFile writes an Arrow IPC file from messages that are encoded already.
//
// The Arrow library's own file writer encodes and compresses where it writes,
// that is in the one goroutine that all workers wait for. What it writes around
// the messages is taken from it: see envelope.
type arrowFile struct {
	file
	envelope *envelope
	hash     hash.Hash
	size     int64
	rows     int64
	places   []place
	firsts   []uint64 // the first match of each batch
	batches  batcher
}

// place is that of a record batch in a file.
type place struct {
	offset int64
	header int32
	body   int64
}

// placeSize is what a place takes in a footer.
const placeSize = 24

// put writes the place as it stands in a footer.
func (p place) put(dst []byte) {
	binary.LittleEndian.PutUint64(dst, uint64(p.offset))
	binary.LittleEndian.PutUint32(dst[8:], uint32(p.header))
	binary.LittleEndian.PutUint64(dst[16:], uint64(p.body))
}

func newArrowFile(f file, e *envelope, b batcher) (*arrowFile, error) {
	a := &arrowFile{file: f, envelope: e, hash: sha256.New(), batches: b}
	return a, a.write(e.head)
}

func (a *arrowFile) write(p []byte) error {
	a.hash.Write(p)
	a.size += int64(len(p))
	_, err := a.Write(p)
	return err
}

// append adds the rows of the block that begins with a match, and writes the batches
// that are encoded.
func (a *arrowFile) append(first uint64, pieces []piece) error {
	a.batches.add(first, pieces)
	return a.writeBatches(false)
}

// writeBatches writes the batches that are encoded, or waits for all.
func (a *arrowFile) writeBatches(all bool) error {
	for {
		b := a.batches.take(all)
		if b == nil {
			return nil
		}
		if b.err != nil {
			return b.err
		}
		m := &b.message
		a.rows += m.rows
		a.places = append(a.places, place{a.size, int32(m.header), int64(len(m.bytes) - m.header)})
		a.firsts = append(a.firsts, b.first)
		if err := a.write(m.bytes); err != nil {
			return err
		}
	}
}

// batchFirst returns the first match of each batch, nil if there is one.
func (a *arrowFile) batchFirst() []uint64 {
	if len(a.firsts) == 1 {
		return nil
	}
	return a.firsts
}

// finish writes the last batches and what stands after them.
func (a *arrowFile) finish() error {
	a.batches.flush()
	if err := a.writeBatches(true); err != nil {
		return err
	}
	return a.write(a.envelope.tail(a.places))
}

// Close closes the file, whole or not.
func (a *arrowFile) Close() error {
	a.batches.drop()
	return a.file.Close()
}

// envelope is what stands before and after the record batches of a file.
type envelope struct {
	// head ends with the dictionaries.
	head []byte
	// footer is the footer of a file with one batch, schema and dictionaries are the
	// places of those in it.
	footer               []byte
	schema, dictionaries int
}

// newEnvelope takes the envelope of files of a table from one without rows.
func newEnvelope(l *layout, t Table) (*envelope, error) {
	words := l.dictionaries(t)
	b := array.NewRecordBuilder(memory.DefaultAllocator, numbered(words.schema))
	defer b.Release()
	none := words.record(b.NewRecord())
	defer none.Release()
	var empty seekableBuffer
	w, err := ipc.NewFileWriter(&empty, ipc.WithSchema(words.schema))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.Write(none), w.Close()); err != nil {
		return nil, err
	}
	file := empty.Bytes()
	end := len(file) - len(magic) - 4
	begin := end - int(binary.LittleEndian.Uint32(file[end:]))
	e := &envelope{footer: file[begin:end]}
	root := flatbuffers.Table{Bytes: e.footer, Pos: flatbuffers.GetUOffsetT(e.footer)}
	table, ok := reference(&root, footerSchema)
	batches, n, err := vector(&root, footerBatches)
	if !ok || n != 1 || err != nil {
		return nil, errors.New("export: an Arrow file without rows has no schema or batch")
	}
	e.head = file[:binary.LittleEndian.Uint64(e.footer[batches:])]
	e.schema = int(table.Pos)
	dictionaries, _, err := vector(&root, footerDictionaries)
	e.dictionaries = int(dictionaries) - 4 // where its length stands
	return e, err
}

// tail returns what stands after the batches: the end of the stream, the footer,
// its size and the magic. The footer is a flatbuffer: the table Footer of the
// Arrow format (version, schema, dictionaries, record batches) with its vtable,
// then the vector of the batches, then the footer of the file without rows, of which it
// takes the schema and the dictionaries.
func (e *envelope) tail(batches []place) []byte {
	const (
		version5    = 4
		vtable      = 4
		table       = 16
		schema      = 24 // references to what the fields hold
		dicts       = 28
		records     = 32
		numRecords  = 36 // what they hold
		firstRecord = 40
	)
	le := binary.LittleEndian
	inner := firstRecord + placeSize*len(batches)
	f := make([]byte, inner, inner+len(e.footer))
	le.PutUint32(f, table)
	le.PutUint16(f[vtable:], table-vtable) // size of the vtable
	le.PutUint16(f[vtable+2:], records+4-table)
	le.PutUint16(f[vtable+4:], 4) // places of the fields in the table
	le.PutUint16(f[vtable+6:], schema-table)
	le.PutUint16(f[vtable+8:], dicts-table)
	le.PutUint16(f[vtable+10:], records-table)
	le.PutUint32(f[table:], table-vtable)
	le.PutUint16(f[table+4:], version5)
	le.PutUint32(f[schema:], uint32(inner+e.schema-schema))
	le.PutUint32(f[dicts:], uint32(inner+e.dictionaries-dicts))
	le.PutUint32(f[records:], numRecords-records)
	le.PutUint32(f[numRecords:], uint32(len(batches)))
	for i, b := range batches {
		b.put(f[firstRecord+placeSize*i:])
	}
	f = append(f, e.footer...)
	endOfStream := []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}
	size := le.AppendUint32(nil, uint32(len(f)))
	return bytes.Join([][]byte{endOfStream, f, size, magic}, nil)
}

// seekableBuffer is a buffer that knows its place, which is all the seeking the
// file writer does.
type seekableBuffer struct{ bytes.Buffer }

// Seek returns the number of bytes written.
func (b *seekableBuffer) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return int64(b.Len()), nil
}
