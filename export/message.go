package export

import (
	"encoding/binary"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

// message is a record batch as it stands in a file: compressed, with its header.
type message struct {
	// bytes holds the message, of which the first header bytes are not part of
	// the body; rows is the number of its rows.
	bytes  []byte
	header int
	rows   int64
}

// encoder makes messages. The Arrow library's own encoder compresses with ZSTD at a
// level that takes longer than playing, and as a stream, which takes megabytes for
// each.
type encoder struct {
	zstd *zstd.Encoder
	meta *flatbuffers.Builder

	// nodes and buffers describe the arrays and buffers of the body in the order of
	// the format.
	nodes   []node
	buffers []buffer
	body    []byte
	padded  []byte // a bitmap with what follows its bits cleared
}

// node is an array: how many values it has, and how many of them are null.
type node struct{ length, nulls int64 }

// buffer is the place of a buffer in the body.
type buffer struct{ offset, length int64 }

// zstdWindow is as far as ZSTD looks back: rows hardly repeat what is further away.
const zstdWindow = 1 << 17

// encoders are used again.
var encoders = sync.Pool{New: func() any { return newEncoder() }}

func newEncoder() *encoder {
	z, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow),
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), // files have checksums
		zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		panic(err) // the options are right
	}
	return &encoder{zstd: z, meta: flatbuffers.NewBuilder(4 << 10)}
}

// The numbers of the Arrow format that a message of a record batch needs.
const (
	version5        = 4
	recordBatchType = 3
	codecLZ4        = 0
	codecZSTD       = 1

	messageVersion    = 0
	messageHeaderType = 1
	messageHeader     = 2
	messageBodyLength = 3
	messageFields     = 5

	batchLength      = 0
	batchNodes       = 1
	batchBuffers     = 2
	batchCompression = 3
	batchFields      = 5

	compressionCodec  = 0
	compressionFields = 2

	alignment = 8
)

// encode makes the message of a record of numbers.
func (e *encoder) encode(r arrow.Record) message {
	e.nodes, e.buffers, e.body = e.nodes[:0], e.buffers[:0], e.body[:0]
	for _, c := range r.Columns() {
		e.add(c.Data())
	}
	meta := e.header(r.NumRows())
	const continuation, prefix = 0xffffffff, 8
	size := (len(meta) + alignment - 1) / alignment * alignment
	b := make([]byte, 0, prefix+size+len(e.body))
	b = binary.LittleEndian.AppendUint32(b, continuation)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = append(b, meta...)
	b = append(b, make([]byte, size-len(meta))...)
	return message{bytes: append(b, e.body...), header: prefix + size, rows: r.NumRows()}
}

// withoutRows makes the message of a record of no rows.
func withoutRows(s *arrow.Schema) message {
	b := array.NewRecordBuilder(memory.DefaultAllocator, numbered(s))
	defer b.Release()
	r := b.NewRecord()
	defer r.Release()
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	return e.encode(r)
}

// add adds an array, which begins at the first of its values.
func (e *encoder) add(d arrow.ArrayData) {
	n := d.Len()
	e.nodes = append(e.nodes, node{int64(n), int64(d.NullN())})
	if d.NullN() > 0 {
		e.addBits(d.Buffers()[0].Bytes(), n)
	} else {
		e.addBytes(nil)
	}
	bytes := func(i int) []byte {
		if b := d.Buffers()[i]; b != nil {
			return b.Bytes()
		}
		return nil
	}
	offsets := func() []byte {
		if n == 0 {
			return make([]byte, arrow.Int32SizeBytes)
		}
		return bytes(1)[:arrow.Int32Traits.BytesRequired(n+1)]
	}
	switch typ := d.DataType().(type) {
	case *arrow.StringType, *arrow.BinaryType:
		places := offsets()
		e.addBytes(places)
		e.addBytes(bytes(2)[:arrow.Int32Traits.CastFromBytes(places)[n]])
	case *arrow.ListType:
		e.addBytes(offsets())
	case *arrow.StructType, *arrow.FixedSizeListType:
	case *arrow.BooleanType:
		e.addBits(bytes(1), n)
	case arrow.FixedWidthDataType:
		e.addBytes(bytes(1)[:n*typ.Bytes()])
	default:
		panic("export: no column has type " + typ.String())
	}
	for _, child := range d.Children() {
		e.add(child)
	}
}

// addBits adds a bitmap of n bits.
func (e *encoder) addBits(b []byte, n int) {
	e.padded = append(e.padded[:0], b[:(n+7)/8]...)
	if rest := n % 8; rest > 0 {
		e.padded[n/8] &= 1<<rest - 1
	}
	e.addBytes(e.padded)
}

// addBytes adds a buffer: its size, or -1 where it is not compressed, and its bytes.
func (e *encoder) addBytes(b []byte) {
	start := len(e.body)
	if len(b) > 0 {
		e.body = binary.LittleEndian.AppendUint64(e.body, uint64(len(b)))
		packed := len(e.body)
		if e.body = e.zstd.EncodeAll(b, e.body); len(e.body)-packed >= len(b) {
			e.body = binary.LittleEndian.AppendUint64(e.body[:start], ^uint64(0))
			e.body = append(e.body, b...)
		}
	}
	e.buffers = append(e.buffers, buffer{int64(start), int64(len(e.body) - start)})
	for len(e.body)%alignment != 0 {
		e.body = append(e.body, 0)
	}
}

// header returns the description of the body, a flatbuffer.
func (e *encoder) header(rows int64) []byte {
	b := e.meta
	b.Reset()
	pairs := func(n int, pair func(i int) (int64, int64)) flatbuffers.UOffsetT {
		b.StartVector(2*alignment, n, alignment)
		for i := n - 1; i >= 0; i-- { // it is written from its end
			first, second := pair(i)
			b.Prep(alignment, 2*alignment)
			b.PrependInt64(second)
			b.PrependInt64(first)
		}
		return b.EndVector(n)
	}
	buffers := pairs(len(e.buffers), func(i int) (int64, int64) { return e.buffers[i].offset, e.buffers[i].length })
	nodes := pairs(len(e.nodes), func(i int) (int64, int64) { return e.nodes[i].length, e.nodes[i].nulls })
	b.StartObject(compressionFields)
	b.PrependInt8Slot(compressionCodec, codecZSTD, 0)
	compression := b.EndObject()
	b.StartObject(batchFields)
	b.PrependInt64Slot(batchLength, rows, 0)
	b.PrependUOffsetTSlot(batchNodes, nodes, 0)
	b.PrependUOffsetTSlot(batchBuffers, buffers, 0)
	b.PrependUOffsetTSlot(batchCompression, compression, 0)
	batch := b.EndObject()
	b.StartObject(messageFields)
	b.PrependInt64Slot(messageBodyLength, int64(len(e.body)), 0)
	b.PrependUOffsetTSlot(messageHeader, batch, 0)
	b.PrependInt16Slot(messageVersion, version5, 0)
	b.PrependUint8Slot(messageHeaderType, recordBatchType, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}
