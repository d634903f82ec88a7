package export

import (
	"bytes"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// identical reports whether two arrays of one type hold the same bytes, and so are
// equal. Equal ones may hold others, say below a null: array.Equal knows, but takes
// longer to compare a block than it takes to play it.
func identical(a, b arrow.ArrayData) bool {
	n := a.Len()
	if n != b.Len() || a.NullN() != b.NullN() || a.Offset() != 0 || b.Offset() != 0 {
		return false
	}
	if a.NullN() > 0 && !samePrefix(a.Buffers()[0], b.Buffers()[0], (n+7)/8) {
		return false
	}
	switch typ := a.DataType().(type) {
	case *arrow.ListType:
		return samePrefix(a.Buffers()[1], b.Buffers()[1], arrow.Int32Traits.BytesRequired(n+1)) && identicalChildren(a, b)
	case *arrow.StructType, *arrow.FixedSizeListType:
		return identicalChildren(a, b)
	case *arrow.StringType, *arrow.BinaryType:
		offsets := a.Buffers()[1]
		if !samePrefix(offsets, b.Buffers()[1], arrow.Int32Traits.BytesRequired(n+1)) {
			return false
		}
		end := 0
		if n > 0 {
			end = int(arrow.Int32Traits.CastFromBytes(offsets.Bytes())[n])
		}
		return samePrefix(a.Buffers()[2], b.Buffers()[2], end)
	case arrow.FixedWidthDataType:
		return samePrefix(a.Buffers()[1], b.Buffers()[1], (n*typ.BitWidth()+7)/8)
	}
	return false
}

func identicalChildren(a, b arrow.ArrayData) bool {
	for i, child := range a.Children() {
		if !identical(child, b.Children()[i]) {
			return false
		}
	}
	return true
}

// samePrefix reports whether two buffers begin with the same n bytes. What follows
// is padding.
func samePrefix(a, b *memory.Buffer, n int) bool {
	if n == 0 {
		return true
	}
	return a != nil && b != nil && n > 0 && a.Len() >= n && b.Len() >= n && bytes.Equal(a.Bytes()[:n], b.Bytes()[:n])
}
