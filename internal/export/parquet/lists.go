package parquet

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
)

// Parquet has no lists of fixed size, and those that this version of pqarrow writes read as
// nulls in other programs: they become lists of variable size. Dictionary-encoded words
// become plain text, for which Parquet has dictionaries of its own.

// variableSchema returns the schema with lists of fixed size and words replaced. It keeps
// the descriptions of the columns.
func variableSchema(s *arrow.Schema) *arrow.Schema {
	metadata := s.Metadata()
	return arrow.NewSchema(arrowfile.ReplaceTypes(s.Fields(), variableType), &metadata)
}

// variableType replaces a list of fixed size, whose elements are plain values, or words.
func variableType(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.FixedSizeListType:
		return arrow.ListOfField(t.ElemField())
	case *arrow.DictionaryType:
		return t.ValueType
	}
	return t
}

// variableRecord returns the record with lists of fixed size and words replaced. The caller
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

// variableData returns the data of an array with lists of fixed size and words replaced.
// The lists get offsets and keep their values. The caller releases it.
func variableData(d arrow.ArrayData) arrow.ArrayData {
	t := arrowfile.ReplaceTypes([]arrow.Field{{Type: d.DataType()}}, variableType)[0].Type
	if t.ID() == arrow.STRING && d.DataType().ID() == arrow.DICTIONARY {
		return texts(d)
	}
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

// texts returns the data of an array of words as plain text. The caller releases it.
func texts(d arrow.ArrayData) arrow.ArrayData {
	words := array.NewDictionaryData(d)
	defer words.Release()
	dictionary := words.Dictionary().(*array.String)
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(words.Len())
	for i := range words.Len() {
		b.Append(dictionary.Value(words.GetValueIndex(i)))
	}
	a := b.NewArray()
	defer a.Release()
	a.Data().Retain()
	return a.Data()
}
