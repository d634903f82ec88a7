package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
)

// decoder decodes record batches, those of encoder and those of the Arrow library. It
// decompresses each buffer at once into memory of the caller. The Arrow library
// decompresses each as a stream, with goroutines and memory of its own.
type decoder struct {
	zstd   *zstd.Decoder
	packed []byte // the message

	// nodes and buffers describe the arrays and buffers of the body in the order of the
	// format; plain has the decompressed buffers.
	nodes   []node
	buffers []buffer
	plain   [][]byte
}

// decoders are reused.
var decoders = sync.Pool{New: func() any {
	z, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.IgnoreChecksum(true)) // files have checksums
	if err != nil {
		panic(err) // the options are valid
	}
	return &decoder{zstd: z}
}}

// decode returns the record batch at a place of a file, with the types and dictionaries of
// the columns of prototype. The columns are in dst, or in new memory if there is not enough
// room, which is returned: the record is valid until that memory is reused. Damage is an
// error or a panic.
func (d *decoder) decode(file io.ReaderAt, at place, prototype arrow.Record, dst []byte) (arrow.Record, []byte, error) {
	body, rows, packed, err := d.read(file, at)
	if err == nil {
		dst, err = d.unpack(body, packed, dst)
	}
	if err != nil {
		return nil, dst, err
	}
	next := func(i int) arrow.ArrayData { return d.nextArray(prototype.Column(i).Data()) }
	return MakeRecord(prototype.Schema(), rows, next), dst, nil
}

// read reads a message, and the nodes and buffers from its header. It returns the body and
// whether its buffers are compressed.
func (d *decoder) read(file io.ReaderAt, at place) (body []byte, rows int64, packed bool, err error) {
	const prefix = 8
	if at.header < prefix || at.body < 0 || at.offset < 0 || int64(at.header)+at.body > maxAllocation {
		return nil, 0, false, fmt.Errorf("a record batch of %d and %d bytes at %d", at.header, at.body, at.offset)
	}
	size := int(at.header) + int(at.body)
	d.packed = slices.Grow(d.packed[:0], size)[:size]
	if _, err := file.ReadAt(d.packed, at.offset); err != nil {
		return nil, 0, false, err
	}
	header, body := d.packed[prefix:at.header], d.packed[at.header:]
	message := flatbuffers.Table{Bytes: header, Pos: flatbuffers.GetUOffsetT(header)}
	batch, ok := reference(&message, messageHeader)
	if kind := message.GetByteSlot(slot(messageHeaderType), 0); !ok || kind != recordBatchType {
		return nil, 0, false, errors.New("a message is no record batch")
	}
	d.nodes, d.buffers = d.nodes[:0], d.buffers[:0]
	err = errors.Join(
		eachPair(&batch, batchNodes, func(length, nulls int64) { d.nodes = append(d.nodes, node{length, nulls}) }),
		eachPair(&batch, batchBuffers, func(offset, length int64) { d.buffers = append(d.buffers, buffer{offset, length}) }))
	compression, packed := reference(&batch, batchCompression)
	if packed && compression.GetByteSlot(slot(compressionCodec), codecLZ4) != codecZSTD {
		err = errors.Join(err, errors.New("a record batch is not compressed with ZSTD"))
	}
	return body, batch.GetInt64Slot(slot(batchLength), 0), packed, err
}

// unpackSlack is the room behind a buffer that the ZSTD decoder needs for its fast paths.
const unpackSlack = 64

// unpack sets plain to the buffers of a body, which it puts into dst or, if there is not
// enough room, into new memory, which it returns.
func (d *decoder) unpack(body []byte, packed bool, dst []byte) ([]byte, error) {
	const prefix = 8
	sizes, total := make([]int, len(d.buffers)), 0
	for i, b := range d.buffers {
		if b.offset < 0 || b.length < 0 || b.offset > int64(len(body)) || b.length > int64(len(body))-b.offset {
			return dst, fmt.Errorf("a buffer of %d bytes at %d", b.length, b.offset)
		}
		size := b.length
		if packed && size > 0 {
			if size = int64(binary.LittleEndian.Uint64(body[b.offset:][:b.length])); size == -1 {
				size = b.length - prefix
			}
		}
		if size < 0 || size > maxAllocation-int64(total) {
			return dst, fmt.Errorf("a column of %d bytes after %d", size, total)
		}
		sizes[i] = int(size)
		total += (int(size) + unpackSlack + alignment - 1) / alignment * alignment
	}
	if cap(dst) < total {
		dst = make([]byte, total+total/8) // the next batch is of about this size
	}
	dst = dst[:cap(dst)]
	d.plain = d.plain[:0]
	next := 0
	for i, b := range d.buffers {
		source, size := body[b.offset:][:b.length], sizes[i]
		room := dst[next : next : next+size+unpackSlack]
		switch {
		case !packed || b.length == 0:
			room = append(room, source...)
		case binary.LittleEndian.Uint64(source) == ^uint64(0):
			room = append(room, source[prefix:]...)
		default:
			var err error
			if room, err = d.zstd.DecodeAll(source[prefix:], room); err != nil {
				return dst, err
			}
		}
		if len(room) != size {
			return dst, fmt.Errorf("a column of %d bytes has %d", size, len(room))
		}
		d.plain = append(d.plain, room[:size:size])
		next += (size + unpackSlack + alignment - 1) / alignment * alignment
	}
	return dst, nil
}

// nextArray returns the array of the next nodes and buffers, with the type and the dictionaries
// of prototype. The caller releases it.
func (d *decoder) nextArray(prototype arrow.ArrayData) arrow.ArrayData {
	n := d.nodes[0]
	d.nodes = d.nodes[1:]
	length, nulls := int(n.length), int(n.nulls)
	take := func() *memory.Buffer {
		b := d.plain[0]
		d.plain = d.plain[1:]
		return memory.NewBufferBytes(b)
	}
	buffers := []*memory.Buffer{take()}
	if nulls == 0 {
		buffers[0] = nil
	}
	var children []arrow.ArrayData
	switch t := prototype.DataType().(type) {
	case *arrow.DictionaryType:
		return array.NewDataWithDictionary(t, length, append(buffers, take()), nulls, 0, prototype.Dictionary().(*array.Data))
	case *arrow.StringType, *arrow.BinaryType:
		buffers = append(buffers, take(), take())
	case *arrow.StructType, *arrow.FixedSizeListType:
	default: // fixed width, bits, and lists, whose buffer has their offsets
		buffers = append(buffers, take())
	}
	for _, c := range prototype.Children() {
		child := d.nextArray(c)
		defer child.Release()
		children = append(children, child)
	}
	return array.NewData(prototype.DataType(), length, buffers, children, nulls, 0)
}
