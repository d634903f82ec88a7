package arrowfile

import (
	"encoding/binary"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// magic begins and ends an Arrow file.
var magic = []byte("ARROW1")

// The Arrow format: its metadata are flatbuffers, whose fields have numbers. The names are
// those of File.fbs, Schema.fbs and Message.fbs.
const (
	version5  = 4
	alignment = 8

	footerSchema       = 1
	footerDictionaries = 2
	footerBatches      = 3

	schemaFields   = 1
	schemaMetadata = 2

	fieldType     = 2
	fieldChildren = 5
	fieldMetadata = 6

	messageVersion    = 0
	messageHeaderType = 1
	messageHeader     = 2
	messageBodyLength = 3
	messageFields     = 5

	recordBatchType  = 3
	batchLength      = 0
	batchNodes       = 1
	batchBuffers     = 2
	batchCompression = 3
	batchFields      = 5

	compressionCodec  = 0
	compressionFields = 2
	codecLZ4          = 0
	codecZSTD         = 1
)

// place is where a record batch is in a file: its offset and the sizes of its header and
// its body.
type place struct {
	offset int64
	header int32
	body   int64
}

// placeSize is the size of a place in a footer.
const placeSize = 24

// put writes the place in the form of a footer.
func (p place) put(dst []byte) {
	binary.LittleEndian.PutUint64(dst, uint64(p.offset))
	binary.LittleEndian.PutUint32(dst[8:], uint32(p.header))
	binary.LittleEndian.PutUint64(dst[16:], uint64(p.body))
}

// node describes an array of a batch: how many values it has, and how many are null.
type node struct{ length, nulls int64 }

// buffer is the place of a buffer in the body of a batch.
type buffer struct{ offset, length int64 }

// slot returns the place of a field in a vtable.
func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

func reference(t *flatbuffers.Table, field int) (flatbuffers.Table, bool) {
	o := t.Offset(slot(field))
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
}

// vector returns the place and length of the vector that a field refers to, zero if the
// field is absent. Elements have at least four bytes.
func vector(t *flatbuffers.Table, field int) (start flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if o == 0 {
		return 0, 0, nil
	}
	start, n = t.Vector(o), t.VectorLen(o)
	if int(start)+4*n > len(t.Bytes) {
		return 0, 0, fmt.Errorf("it states a list of %d elements", n)
	}
	return start, n, nil
}

// eachPair calls visit with each element of a vector of structs of two numbers.
func eachPair(t *flatbuffers.Table, field int, visit func(a, b int64)) error {
	const size = 16
	start, n, err := vector(t, field)
	if err == nil && int(start)+size*n > len(t.Bytes) {
		err = fmt.Errorf("it states a list of %d elements", n)
	}
	for i := 0; err == nil && i < n; i++ {
		at := start + flatbuffers.UOffsetT(size*i)
		visit(t.GetInt64(at), t.GetInt64(at+size/2))
	}
	return err
}
