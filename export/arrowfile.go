package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
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
	batches  []batch
	// blocks is the number of batches of each block.
	blocks []int
}

// batch is the place of a record batch in a file.
type batch struct {
	offset int64
	header int32
	body   int64
}

func newArrowFile(f file, e *envelope) (*arrowFile, error) {
	a := &arrowFile{file: f, envelope: e, hash: sha256.New()}
	return a, a.write(e.head)
}

func (a *arrowFile) write(p []byte) error {
	a.hash.Write(p)
	a.size += int64(len(p))
	_, err := a.Write(p)
	return err
}

// append writes the record batches of a block.
func (a *arrowFile) append(messages []message) error {
	a.blocks = append(a.blocks, len(messages))
	for i := range messages {
		m := &messages[i]
		a.rows += m.rows
		a.batches = append(a.batches, batch{a.size, int32(m.header), int64(len(m.bytes) - m.header)})
		if err := a.write(m.bytes); err != nil {
			return err
		}
	}
	return nil
}

// divided returns the number of batches of each block, nil if all have one.
func (a *arrowFile) divided() []int {
	if len(a.batches) == len(a.blocks) {
		return nil
	}
	return a.blocks
}

// finish writes what stands after the last batch.
func (a *arrowFile) finish() error { return a.write(a.envelope.tail(a.batches)) }

// envelope is what stands before and after the record batches of a file.
type envelope struct {
	head []byte
	// footer is the footer of a file without batches, schema the place of the
	// schema in it.
	footer []byte
	schema int
}

// newEnvelope takes the envelope of files of a schema from an empty file.
func newEnvelope(schema *arrow.Schema) (*envelope, error) {
	var empty seekableBuffer
	w, err := ipc.NewFileWriter(&empty, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	b := empty.Bytes()
	end := len(b) - len(magic) - 4
	begin := end - int(binary.LittleEndian.Uint32(b[end:]))
	e := &envelope{head: b[:begin], footer: b[begin:end]}
	root := flatbuffers.Table{Bytes: e.footer, Pos: flatbuffers.GetUOffsetT(e.footer)}
	table, ok := reference(&root, footerSchema)
	if !ok {
		return nil, errors.New("export: an empty Arrow file has no schema")
	}
	e.schema = int(table.Pos)
	return e, nil
}

// tail returns what stands after the batches: the end of the stream, the footer,
// its size and the magic. The footer is a flatbuffer: the table Footer of the
// Arrow format (version, schema, dictionaries, record batches) with its vtable,
// then the vectors it refers to, then the footer of the empty file, of which it
// takes the schema.
func (e *envelope) tail(batches []batch) []byte {
	const (
		version5    = 4
		vtable      = 4
		table       = 16
		schema      = 24 // references to what the fields hold
		dicts       = 28
		records     = 32
		noDicts     = 36 // what they hold
		numRecords  = 44
		firstRecord = 48
		recordSize  = 24
	)
	le := binary.LittleEndian
	inner := firstRecord + recordSize*len(batches)
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
	le.PutUint32(f[dicts:], noDicts-dicts)
	le.PutUint32(f[records:], numRecords-records)
	le.PutUint32(f[numRecords:], uint32(len(batches)))
	for i, b := range batches {
		r := f[firstRecord+recordSize*i:]
		le.PutUint64(r, uint64(b.offset))
		le.PutUint32(r[8:], uint32(b.header))
		le.PutUint64(r[16:], uint64(b.body))
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
