package env

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sparrowhall/sparrowhall/env/internal/fairqueue"
	"github.com/sparrowhall/sparrowhall/env/internal/tables"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Field numbers of PlayResponse and Batch.
const (
	fieldRequestID   = 1
	fieldBatch       = 3
	fieldRows        = 1
	fieldObservation = 9
	fieldDraining    = 15
)

// columnFields are the field numbers of the columns of package tables.
var columnFields = [tables.NumColumns]protowire.Number{2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16}

func fieldOf(c int) protowire.Number {
	if c < tables.NumColumns {
		return columnFields[c]
	}
	return fieldObservation
}

// batch is a PlayResponse with a Batch that is not yet encoded.
type batch struct {
	id       uint64
	round    *tables.Round
	tensors  int
	draining bool
	// Encoding takes a turn of the client.
	queue  *fairqueue.Queue
	client string
}

// size returns the number of bytes of the Batch and its number of rows.
func (b *batch) size() (size, rows int) {
	if rows = b.round.Len(); rows > 0 {
		size += protowire.SizeTag(fieldRows) + protowire.SizeVarint(uint64(rows))
	}
	for c := range tables.NumColumns + b.tensors {
		if n := b.round.ColumnSize(c); n > 0 || c >= tables.NumColumns {
			size += protowire.SizeTag(fieldOf(c)) + protowire.SizeBytes(n)
		}
	}
	if b.draining {
		size += protowire.SizeTag(fieldDraining) + 1
	}
	return size, rows
}

// wireSize returns the number of bytes of the PlayResponse, and the size and rows of
// the Batch in it.
func (b *batch) wireSize() (total, size, rows int) {
	size, rows = b.size()
	total = protowire.SizeTag(fieldBatch) + protowire.SizeBytes(size)
	if b.id != 0 {
		total += protowire.SizeTag(fieldRequestID) + protowire.SizeVarint(b.id)
	}
	return total, size, rows
}

// appendWire appends the PlayResponse to dst as package proto encodes it, but directly
// from the columns of the round.
func (b *batch) appendWire(dst []byte, size, rows int) []byte {
	if b.id != 0 {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, fieldRequestID, protowire.VarintType), b.id)
	}
	dst = protowire.AppendTag(dst, fieldBatch, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(size))
	if rows > 0 {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, fieldRows, protowire.VarintType), uint64(rows))
	}
	// In the order of the field numbers, where the observation is among the columns.
	for c := range tables.ColumnLastRow {
		dst = b.appendColumn(dst, c)
	}
	for c := range b.tensors {
		dst = b.appendColumn(dst, tables.NumColumns+c)
	}
	for c := tables.ColumnLastRow; c < tables.NumColumns; c++ {
		dst = b.appendColumn(dst, c)
	}
	if b.draining {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, fieldDraining, protowire.VarintType), 1)
	}
	return dst
}

func (b *batch) appendColumn(dst []byte, c int) []byte {
	n := b.round.ColumnSize(c)
	if n == 0 && c < tables.NumColumns {
		return dst
	}
	dst = protowire.AppendTag(dst, fieldOf(c), protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(n))
	return b.round.AppendColumn(dst, c)
}

// message is a request that is not yet decoded.
type message struct{ text []byte }

// codec is the protobuf codec with a fast path for batches. It leaves a message
// undecoded, and encodes the response of Describe once.
type codec struct {
	encoding.CodecV2
	describe  *envv1.DescribeResponse
	described mem.BufferSlice
}

func newCodec(describe *envv1.DescribeResponse) (codec, error) {
	c := codec{CodecV2: encoding.GetCodecV2(proto.Name), describe: describe}
	var err error
	c.described, err = c.CodecV2.Marshal(describe)
	c.described = mem.BufferSlice{mem.SliceBuffer(c.described.Materialize())} // which is never freed
	return c, err
}

// Marshal implements encoding.CodecV2.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.(*batch)
	if !ok && v == any(c.describe) {
		return c.described, nil
	}
	if !ok {
		return c.CodecV2.Marshal(v)
	}
	defer b.queue.Begin(b.client).End()
	total, size, rows := b.wireSize()
	if mem.IsBelowBufferPoolingThreshold(total) {
		return mem.BufferSlice{mem.SliceBuffer(b.appendWire(make([]byte, 0, total), size, rows))}, nil
	}
	pool := mem.DefaultBufferPool()
	buf := pool.Get(total)
	*buf = b.appendWire((*buf)[:0], size, rows)
	return mem.BufferSlice{mem.NewBuffer(buf, pool)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if m, ok := v.(*message); ok {
		m.text = data.Materialize()
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}
