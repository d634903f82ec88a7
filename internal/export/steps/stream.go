package steps

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// form is the columns and the metadata of a stream.
type form struct {
	fields       []arrow.Field
	keys, values []string
	seats        int // players
}

// column is a column of every stream of a kind.
type column struct {
	name, doc string
	t         arrow.DataType
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
	unit   int      // number of units in a point
	seats  int      // players
	data   [][]byte // the rows of each column that are not yet written
	rows   int
}

// begin begins the stream with the name and the rules of its first source, which may be
// datasets or files. It has the columns and those that more adds. The rules of further sources
// must count points in the same units and be for as many players.
func (s *stream) begin(version int, sources, name string, r *ruleset.Rules, columns []column, more func(*form) error) error {
	if s.ipc != nil {
		if r.Unit() != s.unit {
			return fmt.Errorf("steps: the %s count points in different units; read those of %s separately", sources, name)
		}
		if n := r.NumSeats(); n != s.seats {
			return fmt.Errorf("steps: %s has %d players, the %s before it %d; read them separately", name, n, sources, s.seats)
		}
		return nil
	}
	s.seats = r.NumSeats()
	f := &form{
		seats:  s.seats,
		keys:   []string{"version", "ruleset", "family", "units_per_point"},
		values: []string{strconv.Itoa(version), name, r.Family, strconv.Itoa(r.Unit())},
	}
	if s.seats == 3 {
		f.keys, f.values = append(f.keys, "seats"), append(f.values, "3")
	}
	for _, c := range columns {
		doc := c.doc
		if s.seats == 3 {
			doc = ofThree.Replace(doc)
		}
		f.fields = append(f.fields, arrow.Field{Name: c.name, Type: c.t, Metadata: arrow.NewMetadata([]string{"description"}, []string{doc})})
	}
	if err := more(f); err != nil {
		return err
	}
	metadata := arrow.NewMetadata(f.keys, f.values)
	s.schema, s.unit, s.data = arrow.NewSchema(f.fields, &metadata), r.Unit(), make([][]byte, len(f.fields))
	s.ipc = ipc.NewWriter(s.out, ipc.WithSchema(s.schema), ipc.WithAllocator(memory.DefaultAllocator))
	return nil
}

// ofThree converts descriptions to those of three players.
var ofThree = strings.NewReplacer("0 to 3", "0 to 2", "1 to 4", "1 to 3")

// flush writes the rows as a record batch.
func (s *stream) flush() error {
	if s.rows == 0 {
		return nil
	}
	record := arrowfile.MakeRecord(s.schema, int64(s.rows), func(i int) arrow.ArrayData {
		return array.NewData(s.schema.Field(i).Type, s.rows, []*memory.Buffer{nil, memory.NewBufferBytes(s.data[i])}, nil, 0, 0)
	})
	err := s.ipc.Write(record)
	record.Release()
	for i := range s.data {
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
