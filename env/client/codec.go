package client

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// codec is the protobuf codec of one stream. It does not copy batches: their columns are
// slices of the last message, valid until the next one.
type codec struct {
	encoding.CodecV2
	received mem.Buffer // with the last batch
}

func newCodec() *codec { return &codec{CodecV2: encoding.GetCodecV2(proto.Name)} }

// Unmarshal implements encoding.CodecV2.
func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(*envv1.PlayResponse)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	if c.received != nil {
		c.received.Free()
	}
	c.received = data.MaterializeToBuffer(mem.DefaultBufferPool())
	if b := new(envv1.Batch); readBatch(c.received.ReadOnlyData(), r, b) {
		r.Response = &envv1.PlayResponse_Batch{Batch: b}
		return nil
	}
	c.received.Free()
	c.received = nil
	return c.CodecV2.Unmarshal(data, v)
}

// Numbers of the fields of PlayResponse and Batch that readBatch knows.
const (
	fieldRequestID   = 1
	fieldBatch       = 3
	fieldRows        = 1
	fieldObservation = 9
	fieldDraining    = 15
	fieldSharedRank  = 16
)

// readBatch decodes a response with a batch, whose columns become slices of text. It
// returns false for other responses and for unknown fields.
func readBatch(text []byte, r *envv1.PlayResponse, b *envv1.Batch) bool {
	columns := [fieldSharedRank + 1]*[]byte{
		2: &b.Table, 3: &b.Player, 4: &b.Step, 5: &b.Flags, 6: &b.Reward, 7: &b.Owed, 8: &b.Mask,
		10: &b.LastRow, 11: &b.LastPoints, 12: &b.LastRank, 13: &b.LastPlacement, 14: &b.LastSeed,
		fieldSharedRank: &b.LastSharedRank,
	}
	found := false
	ok := fields(text, func(n protowire.Number, number uint64, part []byte) bool {
		switch {
		case n == fieldRequestID && part == nil:
			r.RequestId = number
		case n == fieldBatch && part != nil && !found:
			found = true
			return fields(part, func(n protowire.Number, number uint64, part []byte) bool {
				switch {
				case n == fieldRows && part == nil:
					b.Rows = uint32(number)
				case n == fieldDraining && part == nil:
					b.Draining = number != 0
				case n == fieldObservation && part != nil:
					b.Observation = append(b.Observation, part)
				case int(n) < len(columns) && columns[n] != nil && part != nil:
					*columns[n] = part
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	if !ok || !found {
		r.RequestId = 0
		return false
	}
	return true
}

// fields calls take for each field of a protobuf message: with the number of the field, and
// with its varint, or its bytes if part is not nil. It returns false for malformed text, for
// fields of other types, and if take returns false.
func fields(text []byte, take func(n protowire.Number, number uint64, part []byte) bool) bool {
	for len(text) > 0 {
		n, kind, size := protowire.ConsumeTag(text)
		if size < 0 {
			return false
		}
		text = text[size:]
		var number uint64
		var part []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(text)
		case protowire.BytesType:
			part, size = protowire.ConsumeBytes(text)
		default:
			return false
		}
		if size < 0 || !take(n, number, part) {
			return false
		}
		text = text[size:]
	}
	return true
}
