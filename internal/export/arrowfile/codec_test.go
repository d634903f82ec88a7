package arrowfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
)

// Batches that the Arrow library compresses with ZSTD are read, those with LZ4 refused, and those of
// columns that together would take too much memory.
func TestCodecs(t *testing.T) {
	for _, test := range []struct {
		want  string
		codec ipc.Option
		rows  int
	}{{"", ipc.WithZstd(), 1000}, {"not compressed with ZSTD", ipc.WithLZ4(), 1000}, {"a column of 40000000 bytes after 40", ipc.WithZstd(), 1e7}} {
		testCodec(t, test.want, test.codec, test.rows)
	}
}

func testCodec(t *testing.T, want string, codec ipc.Option, rows int) {
	mem := memory.DefaultAllocator
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Int32}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range 2 {
		b.Field(i).(*array.Int32Builder).AppendValues(make([]int32, rows), nil)
	}
	record := b.NewRecord()
	defer record.Release()
	file, err := os.Create(filepath.Join(t.TempDir(), "batches.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := ipc.NewFileWriter(file, ipc.WithSchema(schema), codec)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(record); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := arrowfile.NewReader(file, schema, mem)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := r.Read(0, nil)
	if err == nil {
		if !array.RecordEqual(got, record) {
			t.Error("other values are read")
		}
		got.Release()
	}
	if message := errorText(err); (message == "") != (want == "") || !strings.Contains(message, want) {
		t.Errorf("%q, want %q", message, want)
	}
	r.Release()
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
