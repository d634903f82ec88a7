package arrowfile

import (
	"encoding/binary"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

// message is a record batch in the form of a file: a header and the compressed buffers.
type message struct {
	bytes  []byte
	header int   // the size of the header, with which bytes begins
	rows   int64 // of the record
}

// encoder encodes record batches. Each buffer is compressed in one call, at the fastest level
// of ZSTD. The Arrow library compresses at the default level and as a stream, which takes
// longer and megabytes of memory for each stream.
type encoder struct {
	zstd *zstd.Encoder
	low  lowByteEncoder
	meta *flatbuffers.Builder

	// nodes and buffers describe the arrays and buffers of the body in the order of the
	// format.
	nodes   []node
	buffers []buffer
	body    []byte
	bits    []byte // a bitmap whose unused last bits are cleared
}

// zstdWindow is how far back ZSTD looks for repetitions, which are near in these columns.
const zstdWindow = 1 << 17

// encoders are reused.
var encoders = sync.Pool{New: func() any {
	z, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow),
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), // files have checksums
		zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		panic(err) // the options are valid
	}
	return &encoder{zstd: z, meta: flatbuffers.NewBuilder(4 << 10)}
}}

// encode encodes a record of the index schema, as [IndexSchema] returns it.
func encode(r arrow.Record) message {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
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

// encodeEmpty encodes a record without rows.
func encodeEmpty(s *arrow.Schema) message {
	b := array.NewRecordBuilder(memory.DefaultAllocator, IndexSchema(s))
	defer b.Release()
	r := b.NewRecord()
	defer r.Release()
	return encode(r)
}

// add adds an array whose offset is 0.
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
		ends := offsets()
		e.addBytes(ends)
		e.addBytes(bytes(2)[:arrow.Int32Traits.CastFromBytes(ends)[n]])
	case *arrow.ListType:
		e.addBytes(offsets())
	case *arrow.StructType, *arrow.FixedSizeListType:
	case *arrow.BooleanType:
		e.addBits(bytes(1), n)
	case *arrow.Int32Type:
		e.addInts(bytes(1)[:n*typ.Bytes()])
	case arrow.FixedWidthDataType:
		e.addBytes(bytes(1)[:n*typ.Bytes()])
	default:
		panic("arrowfile: no column has type " + typ.String())
	}
	for _, child := range d.Children() {
		e.add(child)
	}
}

// addBits adds a bitmap of n bits.
func (e *encoder) addBits(b []byte, n int) {
	e.bits = append(e.bits[:0], b[:(n+7)/8]...)
	if rest := n % 8; rest > 0 {
		e.bits[n/8] &= 1<<rest - 1
	}
	e.addBytes(e.bits)
}

// addInts adds a buffer of integers of four bytes, in the shorter of two encodings by a sample.
func (e *encoder) addInts(b []byte) {
	if len(b) < 4*lowByteMin {
		e.addBytes(b)
		return
	}
	start := len(e.body)
	sample := b[:min(len(b), 4*lowByteSample)]
	body, ok := e.low.append(e.body, sample)
	if ok {
		e.bits = e.zstd.EncodeAll(sample, e.bits[:0])
		ok = len(body)-start <= len(e.bits)
	}
	if ok {
		body, ok = e.low.append(binary.LittleEndian.AppendUint64(e.body, uint64(len(b))), b)
	}
	if e.body = body[:start]; !ok {
		e.addBytes(b)
		return
	}
	e.body = body
	e.endBuffer(start)
}

// endBuffer ends the buffer that begins at a place of the body.
func (e *encoder) endBuffer(start int) {
	e.buffers = append(e.buffers, buffer{int64(start), int64(len(e.body) - start)})
	for len(e.body)%alignment != 0 {
		e.body = append(e.body, 0)
	}
}

// addBytes adds a buffer: its size, or -1 if compression does not make it smaller, and its
// bytes.
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
	e.endBuffer(start)
}

// header returns the description of the body, a flatbuffer.
func (e *encoder) header(rows int64) []byte {
	b := e.meta
	b.Reset()
	pairs := func(n int, pair func(i int) (int64, int64)) flatbuffers.UOffsetT {
		b.StartVector(2*alignment, n, alignment)
		for i := n - 1; i >= 0; i-- { // a flatbuffer is written from its end
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
