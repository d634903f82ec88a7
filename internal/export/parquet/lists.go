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
	s := variableSchema(r.Schema())
	return arrowfile.MakeRecord(s, r.NumRows(), func(i int) arrow.ArrayData {
		return arrowfile.ConvertData(s.Field(i).Type, r.Column(i).Data(), variableData)
	})
}

// variableData returns the data of words as plain text, and that of a list of fixed size with
// offsets; nil for others. The caller releases it.
func variableData(t arrow.DataType, d arrow.ArrayData) arrow.ArrayData {
	switch fixed := d.DataType().(type) {
	case *arrow.DictionaryType:
		return texts(d)
	case *arrow.FixedSizeListType:
		offsets := make([]int32, d.Offset()+d.Len()+1)
		for i := range offsets {
			offsets[i] = int32(i) * fixed.Len()
		}
		buffers := []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
		return array.NewData(t, d.Len(), buffers, d.Children(), d.NullN(), d.Offset())
	}
	return nil
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
