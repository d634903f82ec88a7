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

// form is what a stream has in its rows, and says of them.
type form struct {
	fields       []arrow.Field
	keys, values []string
}

// newForm begins a form of a version of its columns, for rules of a name.
func newForm(version int, name string, r *ruleset.Rules) *form {
	return &form{
		keys:   []string{"version", "ruleset", "family", unitKey},
		values: []string{strconv.Itoa(version), name, r.Family, strconv.Itoa(r.Unit())},
	}
}

// unitKey is by what a stream tells its units of a point.
const unitKey = "units_per_point"

// column adds a column.
func (f *form) column(name string, t arrow.DataType, doc string) {
	f.fields = append(f.fields, arrow.Field{Name: name, Type: t, Metadata: arrow.NewMetadata([]string{"description"}, []string{doc})})
}

// tensors adds the tensors of an observation, and its description by the name of the prefix.
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
	data   [][]byte // of each column, of the rows not yet written
	rows   int
}

// open begins the stream.
func (s *stream) open(f *form) {
	metadata := arrow.NewMetadata(f.keys, f.values)
	s.schema = arrow.NewSchema(f.fields, &metadata)
	s.data = make([][]byte, len(f.fields))
	s.ipc = ipc.NewWriter(s.out, ipc.WithSchema(s.schema), ipc.WithAllocator(memory.DefaultAllocator))
}

// value returns what the stream says of itself.
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

// Close writes what is left and ends the stream.
func (s *stream) Close() error {
	if s.ipc == nil {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.ipc.Close()
}
