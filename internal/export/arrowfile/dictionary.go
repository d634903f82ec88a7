package arrowfile

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// IndexSchema returns a schema in which the dictionary-encoded columns are columns of
// indices. Records are built and encoded in this form, since a file has its dictionaries
// only once. [Dictionaries] adds the words.
func IndexSchema(s *arrow.Schema) *arrow.Schema {
	metadata := s.Metadata()
	return arrow.NewSchema(ReplaceTypes(s.Fields(), func(t arrow.DataType) arrow.DataType {
		if d, ok := t.(*arrow.DictionaryType); ok {
			return d.IndexType
		}
		return t
	}), &metadata)
}

// ReplaceTypes returns the fields with their types replaced, those nested in lists and structs
// first.
func ReplaceTypes(fields []arrow.Field, replace func(arrow.DataType) arrow.DataType) []arrow.Field {
	list := make([]arrow.Field, len(fields))
	for i, f := range fields {
		switch t := f.Type.(type) {
		case *arrow.ListType:
			f.Type = arrow.ListOfField(ReplaceTypes([]arrow.Field{t.ElemField()}, replace)[0])
		case *arrow.StructType:
			f.Type = arrow.StructOf(ReplaceTypes(t.Fields(), replace)...)
		}
		f.Type = replace(f.Type)
		list[i] = f
	}
	return list
}

// MakeRecord returns a record of n rows. column returns the data of its columns, which MakeRecord
// releases. The caller releases the record.
func MakeRecord(s *arrow.Schema, n int64, column func(i int) arrow.ArrayData) arrow.Record {
	columns := make([]arrow.Array, s.NumFields())
	for i := range columns {
		data := column(i)
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewRecord(s, columns, n)
}

// ConvertData returns data as data of type t. convert returns that of an array whose own type
// differs from t, and nil where only types nested in it do. The caller releases the data.
func ConvertData(t arrow.DataType, d arrow.ArrayData, convert func(arrow.DataType, arrow.ArrayData) arrow.ArrayData) arrow.ArrayData {
	if data := convert(t, d); data != nil {
		return data
	}
	var types []arrow.DataType
	switch t := t.(type) {
	case *arrow.ListType:
		types = []arrow.DataType{t.Elem()}
	case *arrow.StructType:
		for _, f := range t.Fields() {
			types = append(types, f.Type)
		}
	default:
		d.Retain()
		return d
	}
	children := make([]arrow.ArrayData, len(types))
	for i, c := range d.Children() {
		children[i] = ConvertData(types[i], c, convert)
		defer children[i].Release()
	}
	return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// Dictionaries turns records of the index schema into records of a schema.
type Dictionaries struct {
	schema *arrow.Schema
	words  []arrow.ArrayData // of the columns, nested ones included, in their order
}

// NewDictionaries returns the dictionaries of a schema; words has those of its
// dictionary-encoded columns, nested ones included, in their order.
func NewDictionaries(schema *arrow.Schema, words [][]string) *Dictionaries {
	d := &Dictionaries{schema: schema}
	for _, list := range words {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(list, nil)
		d.words = append(d.words, b.NewArray().Data())
	}
	return d
}

// Record returns a record of the index schema with its words. The caller releases it.
func (d *Dictionaries) Record(r arrow.Record) arrow.Record {
	next := 0
	convert := func(t arrow.DataType, indices arrow.ArrayData) arrow.ArrayData {
		if _, ok := t.(*arrow.DictionaryType); !ok {
			return nil
		}
		next++
		return array.NewDataWithDictionary(t, indices.Len(), indices.Buffers(), indices.NullN(), indices.Offset(), d.words[next-1].(*array.Data))
	}
	return MakeRecord(d.schema, r.NumRows(), func(i int) arrow.ArrayData {
		return ConvertData(d.schema.Field(i).Type, r.Column(i).Data(), convert)
	})
}
