package arrowfile

import (
	"bytes"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
)

// Equal reports whether n values of an array, from index i on, equal those of another of
// the same type, from index j on. It is array.SliceEqual at the speed of comparing bytes.
func Equal(a arrow.ArrayData, i int, b arrow.ArrayData, j, n int) bool {
	if a.NullN() == 0 && b.NullN() == 0 {
		return equalValues(a, i, b, j, n)
	}
	for k := range n { // values below a null do not count
		ok := isValid(a, i+k)
		if ok != isValid(b, j+k) || ok && !equalValues(a, i+k, b, j+k, 1) {
			return false
		}
	}
	return true
}

func isValid(a arrow.ArrayData, i int) bool {
	bits := a.Buffers()[0]
	return a.NullN() == 0 || bits == nil || bits.Len() == 0 || bitutil.BitIsSet(bits.Bytes(), a.Offset()+i)
}

// equalValues is Equal where no value is null.
func equalValues(a arrow.ArrayData, i int, b arrow.ArrayData, j, n int) bool {
	if n == 0 {
		return true
	}
	i, j = i+a.Offset(), j+b.Offset()
	switch typ := a.DataType().(type) {
	case *arrow.ListType:
		x, y, ok := sameSizes(a, i, b, j, n)
		return ok && Equal(a.Children()[0], int(x[0]), b.Children()[0], int(y[0]), int(x[n]-x[0]))
	case *arrow.FixedSizeListType:
		k := int(typ.Len())
		return Equal(a.Children()[0], k*i, b.Children()[0], k*j, k*n)
	case *arrow.StructType:
		for c, child := range a.Children() {
			if !Equal(child, i, b.Children()[c], j, n) {
				return false
			}
		}
		return true
	case *arrow.StringType, *arrow.BinaryType:
		x, y, ok := sameSizes(a, i, b, j, n)
		if !ok || x[0] == x[n] {
			return ok
		}
		return bytes.Equal(a.Buffers()[2].Bytes()[x[0]:x[n]], b.Buffers()[2].Bytes()[y[0]:y[n]])
	case *arrow.BooleanType:
		x, y := a.Buffers()[1].Bytes(), b.Buffers()[1].Bytes()
		for k := range n {
			if bitutil.BitIsSet(x, i+k) != bitutil.BitIsSet(y, j+k) {
				return false
			}
		}
		return true
	case *arrow.DictionaryType:
		x := arrow.Int32Traits.CastFromBytes(a.Buffers()[1].Bytes())[i : i+n]
		y := arrow.Int32Traits.CastFromBytes(b.Buffers()[1].Bytes())[j : j+n]
		p, q := array.NewStringData(a.Dictionary()), array.NewStringData(b.Dictionary())
		defer p.Release()
		defer q.Release()
		if array.Equal(p, q) {
			return slices.Equal(x, y)
		}
		return slices.EqualFunc(x, y, func(v, w int32) bool { return p.Value(int(v)) == q.Value(int(w)) })
	case arrow.FixedWidthDataType:
		w := typ.Bytes()
		return bytes.Equal(a.Buffers()[1].Bytes()[w*i:w*(i+n)], b.Buffers()[1].Bytes()[w*j:w*(j+n)])
	}
	return false
}

// sameSizes returns the offsets of n lists or texts and of n others, and whether their
// sizes are the same.
func sameSizes(a arrow.ArrayData, i int, b arrow.ArrayData, j, n int) (x, y []int32, ok bool) {
	x = arrow.Int32Traits.CastFromBytes(a.Buffers()[1].Bytes())[i : i+n+1]
	y = arrow.Int32Traits.CastFromBytes(b.Buffers()[1].Bytes())[j : j+n+1]
	for k := range x {
		if x[k]-x[0] != y[k]-y[0] {
			return x, y, false
		}
	}
	return x, y, true
}
