package export

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// A column of words stands in the batches of a file as the numbers of its words, and
// the words stand in the file once, in a dictionary. So does all that builds and
// writes rows: their records have the numbers. Whoever shall see words gets a record
// with the dictionaries.

// numbered returns the schema with columns of numbers in place of those of words.
func numbered(s *arrow.Schema) *arrow.Schema {
	metadata := s.Metadata()
	return arrow.NewSchema(numberedFields(s.Fields()), &metadata)
}

func numberedFields(fields []arrow.Field) []arrow.Field {
	list := make([]arrow.Field, len(fields))
	for i, f := range fields {
		switch t := f.Type.(type) {
		case *arrow.DictionaryType:
			f.Type = t.IndexType
		case *arrow.ListType:
			f.Type = arrow.ListOfField(numberedFields([]arrow.Field{t.ElemField()})[0])
		case *arrow.StructType:
			f.Type = arrow.StructOf(numberedFields(t.Fields())...)
		}
		list[i] = f
	}
	return list
}

// dictionaries makes columns of words of those of their numbers.
type dictionaries struct {
	schema *arrow.Schema
	words  []arrow.ArrayData // of the columns, nested ones too, in their order
	next   int
}

func (l *layout) dictionaries(t Table) *dictionaries {
	d := &dictionaries{schema: l.schema(t)}
	for _, words := range l.words(t) {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(words, nil)
		a := b.NewArray()
		d.words = append(d.words, a.Data())
	}
	return d
}

// record returns a record of numbers with its words. The caller releases it.
func (d *dictionaries) record(r arrow.Record) arrow.Record {
	d.next = 0
	columns := make([]arrow.Array, r.NumCols())
	for i, c := range r.Columns() {
		data := d.data(d.schema.Field(i).Type, c.Data())
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewRecord(d.schema, columns, r.NumRows())
}

// data returns the data of an array with words, which has the type t then. The caller
// releases it.
func (d *dictionaries) data(t arrow.DataType, numbers arrow.ArrayData) arrow.ArrayData {
	if _, ok := t.(*arrow.DictionaryType); ok {
		d.next++
		return array.NewDataWithDictionary(t, numbers.Len(), numbers.Buffers(), numbers.NullN(), numbers.Offset(), d.words[d.next-1].(*array.Data))
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
		numbers.Retain()
		return numbers
	}
	children := make([]arrow.ArrayData, len(types))
	for i, c := range numbers.Children() {
		children[i] = d.data(types[i], c)
		defer children[i].Release()
	}
	return array.NewData(t, numbers.Len(), numbers.Buffers(), children, numbers.NullN(), numbers.Offset())
}
