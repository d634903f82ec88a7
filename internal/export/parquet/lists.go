package parquet

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
)

// Parquet has no lists of fixed size, and those that this version of pqarrow writes read as
// nulls in other programs: they become lists of variable size. Dictionary-encoded words
// become plain text, for which Parquet has dictionaries of its own.

// partition is the column that the name of a folder has. A file with it too is refused by readers
// whose types of the two differ.
const partition = "ruleset"

// variableSchema returns the schema with lists of fixed size and words replaced, and without the
// partition. It keeps the descriptions of the columns.
func variableSchema(s *arrow.Schema) *arrow.Schema {
	metadata := s.Metadata()
	fields := slices.DeleteFunc(slices.Clone(s.Fields()), func(f arrow.Field) bool { return f.Name == partition })
	return arrow.NewSchema(arrowfile.ReplaceTypes(fields, variableType), &metadata)
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

// variableRecord returns the record in the form of variableSchema. The caller releases it.
func variableRecord(r arrow.Record) arrow.Record {
	s := variableSchema(r.Schema())
	return arrowfile.MakeRecord(s, r.NumRows(), func(i int) arrow.ArrayData {
		column := r.Column(r.Schema().FieldIndices(s.Field(i).Name)[0])
		return arrowfile.ConvertData(s.Field(i).Type, column.Data(), variableData)
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
		if words.IsNull(i) {
			b.AppendNull()
			continue
		}
		b.Append(dictionary.Value(words.GetValueIndex(i)))
	}
	a := b.NewArray()
	defer a.Release()
	a.Data().Retain()
	return a.Data()
}
