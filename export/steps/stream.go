package steps

import (
	"encoding/json"
	"io"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// form is the columns and the metadata of a stream.
type form struct {
	fields       []arrow.Field
	keys, values []string
}

// newForm returns a form without columns for the rules of a ruleset.
func newForm(version int, name string, r *ruleset.Rules) *form {
	return &form{
		keys:   []string{"version", "ruleset", "family", unitKey},
		values: []string{strconv.Itoa(version), name, r.Family, strconv.Itoa(r.Unit())},
	}
}

// unitKey is the metadata key of the number of units in a point.
const unitKey = "units_per_point"

// column adds a column.
func (f *form) column(name string, t arrow.DataType, doc string) {
	f.fields = append(f.fields, arrow.Field{Name: name, Type: t, Metadata: arrow.NewMetadata([]string{"description"}, []string{doc})})
}

// tensors adds a column for each tensor of an observation, and its description as metadata
// with the key prefix.
func (f *form) tensors(prefix string, s *observe.Spec) error {
	for i := range s.Tensors {
		t := &s.Tensors[i]
		f.fields = append(f.fields, arrow.Field{Name: prefix + "." + t.Name, Type: &arrow.FixedSizeBinaryType{ByteWidth: t.Size()}})
	}
	text, err := json.Marshal(s)
	f.keys, f.values = append(f.keys, prefix), append(f.values, string(text))
	return err
}

// stream writes rows of columns of fixed size as an Arrow stream.
type stream struct {
	out    io.Writer
	ipc    *ipc.Writer // nil before it is open
	schema *arrow.Schema
	data   [][]byte // the rows of each column that are not yet written
	rows   int
}

// open begins the stream.
func (s *stream) open(f *form) {
	metadata := arrow.NewMetadata(f.keys, f.values)
	s.schema = arrow.NewSchema(f.fields, &metadata)
	s.data = make([][]byte, len(f.fields))
	s.ipc = ipc.NewWriter(s.out, ipc.WithSchema(s.schema), ipc.WithAllocator(memory.DefaultAllocator))
}

// value returns the metadata of a key.
func (s *stream) value(key string) string {
	md := s.schema.Metadata()
	if i := md.FindKey(key); i >= 0 {
		return md.Values()[i]
	}
	return ""
}

// flush writes the rows as a record batch.
func (s *stream) flush() error {
	if s.rows == 0 {
		return nil
	}
	arrays := make([]arrow.Array, len(s.data))
	for i, f := range s.schema.Fields() {
		data := array.NewData(f.Type, s.rows, []*memory.Buffer{nil, memory.NewBufferBytes(s.data[i])}, nil, 0, 0)
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	record := array.NewRecord(s.schema, arrays, int64(s.rows))
	err := s.ipc.Write(record)
	record.Release()
	for i := range arrays {
		arrays[i].Release()
		s.data[i] = s.data[i][:0]
	}
	s.rows = 0
	return err
}

// Close writes the remaining rows and ends the stream.
func (s *stream) Close() error {
	if s.ipc == nil {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.ipc.Close()
}
