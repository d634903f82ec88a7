package arrowfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// Envelope is the bytes before and after the record batches, the same in all files of one
// schema but for the list of batches. They come from a file without rows that the Arrow
// library has written.
type Envelope struct {
	// head is the magic, the schema and the dictionaries.
	head []byte
	// footer is the footer of the file without rows; schema and dictionaries are the
	// places of these two in it.
	footer               []byte
	schema, dictionaries int
}

// NewEnvelope returns the envelope of files with a schema whose dictionaries, in the order
// of the fields, have these words.
func NewEnvelope(schema *arrow.Schema, words [][]string) (*Envelope, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, IndexSchema(schema))
	defer b.Release()
	empty := NewDictionaries(schema, words).Record(b.NewRecord())
	defer empty.Release()
	var out seekableBuffer
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(w.Write(empty), w.Close()); err != nil {
		return nil, err
	}
	file := out.Bytes()
	end := len(file) - len(magic) - 4
	begin := end - int(binary.LittleEndian.Uint32(file[end:]))
	e := &Envelope{footer: file[begin:end]}
	root := flatbuffers.Table{Bytes: e.footer, Pos: flatbuffers.GetUOffsetT(e.footer)}
	table, ok := reference(&root, footerSchema)
	batches, n, err := vector(&root, footerBatches)
	if !ok || n != 1 || err != nil {
		return nil, errors.New("arrowfile: an Arrow file without rows has no schema or batch")
	}
	e.head = file[:binary.LittleEndian.Uint64(e.footer[batches:])]
	e.schema = int(table.Pos)
	dictionaries, _, err := vector(&root, footerDictionaries)
	e.dictionaries = int(dictionaries) - 4 // the vector begins with its length
	return e, err
}

// Head returns the bytes before the batches.
func (e *Envelope) Head() []byte { return e.head }

// tail returns the bytes after the batches: the end of the stream, the footer, its size and
// the magic. The footer is a flatbuffer: the table Footer of the format (version, schema,
// dictionaries, record batches) with its vtable, then the vector of the batches, then the
// footer of the file without rows, whose schema and dictionaries the table refers to.
func (e *Envelope) tail(batches []place) []byte {
	const (
		vtable      = 4
		table       = 16
		schema      = 24 // references to the values of the fields
		dicts       = 28
		records     = 32
		numRecords  = 36 // the values
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

// seekableBuffer is a buffer with the one kind of seeking that the file writer of the
// Arrow library does.
type seekableBuffer struct{ bytes.Buffer }

// Seek returns the number of bytes written.
func (b *seekableBuffer) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return int64(b.Len()), nil
}
