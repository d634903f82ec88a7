package parquet

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Parquet has no lists of fixed size, and those that this version of pqarrow writes
// are read as nulls elsewhere: they become lists like all others.

// variableSchema returns the schema with lists of fixed size replaced, with all that
// describes the columns.
func variableSchema(s *arrow.Schema) *arrow.Schema {
	metadata := s.Metadata()
	return arrow.NewSchema(variableFields(s.Fields()), &metadata)
}

func variableFields(fields []arrow.Field) []arrow.Field {
	list := make([]arrow.Field, len(fields))
	for i, f := range fields {
		f.Type = variableType(f.Type)
		list[i] = f
	}
	return list
}

func variableType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.FixedSizeListType:
		return arrow.ListOfField(variableFields([]arrow.Field{t.ElemField()})[0])
	case *arrow.ListType:
		return arrow.ListOfField(variableFields([]arrow.Field{t.ElemField()})[0])
	case *arrow.StructType:
		return arrow.StructOf(variableFields(t.Fields())...)
	}
	return t
}

// variableRecord returns the record with lists of fixed size replaced. The caller
// releases it.
func variableRecord(r arrow.Record) arrow.Record {
	columns := make([]arrow.Array, r.NumCols())
	for i, c := range r.Columns() {
		data := variableData(c.Data())
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	p := array.NewRecord(variableSchema(r.Schema()), columns, r.NumRows())
	for _, c := range columns {
		c.Release()
	}
	return p
}

// variableData returns the data of an array with lists of fixed size replaced: they
// get offsets, and keep their values. The caller releases it.
func variableData(d arrow.ArrayData) arrow.ArrayData {
	t := variableType(d.DataType())
	buffers := d.Buffers()
	if fixed, ok := d.DataType().(*arrow.FixedSizeListType); ok {
		offsets := make([]int32, d.Offset()+d.Len()+1)
		for i := range offsets {
			offsets[i] = int32(i) * fixed.Len()
		}
		buffers = []*memory.Buffer{buffers[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = variableData(c)
		defer children[i].Release()
	}
	if len(children) == 0 {
		d.Retain()
		return d
	}
	return array.NewData(t, d.Len(), buffers, children, d.NullN(), d.Offset())
}
