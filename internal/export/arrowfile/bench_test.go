package arrowfile_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
)

// BenchmarkCodec compares this package with the Arrow library: reading the record batches
// of the tables of 256 matches, encoding them, and comparing them with themselves. The
// metric is time for each match.
func BenchmarkCodec(b *testing.B) {
	rules, err := configs.Open("tenhou")
	if err != nil {
		b.Fatal(err)
	}
	const matches = 256
	run := &dataset.Run{
		Ruleset: rules, Seed: 1, Matches: matches, Agents: []string{"random", "random", "random", "random"},
		Record: schema.Decisions, FileMatches: matches,
	}
	dir := b.TempDir()
	exporttest.Play(b, run, dir)
	layout := schema.NewLayout(rules.Rules(), schema.Options{Record: schema.Decisions})
	var records, indices []arrow.Record
	for _, t := range run.Tables() {
		read(b, filepath.Join(dir, t.String()+"-000000.arrow"), func(r arrow.Record) {
			r.Retain()
			records = append(records, r)
			columns := make([]arrow.Array, r.NumCols())
			for c := range columns {
				data := array.NewData(arrowfile.IndexSchema(r.Schema()).Field(c).Type, int(r.NumRows()), r.Column(c).Data().Buffers(), r.Column(c).Data().Children(), r.Column(c).NullN(), 0)
				columns[c] = array.MakeFromData(data)
			}
			if t == schema.Decisions { // without nested dictionaries
				indices = append(indices, array.NewRecord(arrowfile.IndexSchema(r.Schema()), columns, r.NumRows()))
			}
		})
	}
	perMatch := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/matches, "µs/match")
	}
	b.Run("read/here", func(b *testing.B) {
		for b.Loop() {
			var memory []byte
			for _, t := range run.Tables() {
				f, err := os.Open(filepath.Join(dir, t.String()+"-000000.arrow"))
				if err != nil {
					b.Fatal(err)
				}
				r, err := arrowfile.NewReader(f, layout.Schema(t), mem)
				if err != nil {
					b.Fatal(err)
				}
				for i := range r.NumBatches() {
					var batch arrow.Record
					if batch, memory, err = r.Read(i, memory); err != nil {
						b.Fatal(err)
					}
					batch.Release()
				}
				r.Release()
				f.Close()
			}
		}
		perMatch(b)
	})
	b.Run("read/library", func(b *testing.B) {
		for b.Loop() {
			for _, t := range run.Tables() {
				read(b, filepath.Join(dir, t.String()+"-000000.arrow"), func(arrow.Record) {})
			}
		}
		perMatch(b)
	})
	b.Run("encode/here", func(b *testing.B) {
		for b.Loop() {
			for _, r := range indices {
				arrowfile.EncodePiece(r)
			}
		}
		perMatch(b)
	})
	b.Run("encode/library", func(b *testing.B) {
		for b.Loop() {
			w := ipc.NewWriter(io.Discard, ipc.WithSchema(indices[0].Schema()), ipc.WithZstd())
			for _, r := range indices {
				if err := w.Write(r); err != nil {
					b.Fatal(err)
				}
			}
			w.Close()
		}
		perMatch(b)
	})
	for name, equal := range map[string]func(a, b arrow.Array, i int64) bool{
		"here": func(a, b arrow.Array, i int64) bool {
			return arrowfile.Equal(a.Data(), int(i), b.Data(), int(i), a.Len()-int(i))
		},
		"library": func(a, b arrow.Array, i int64) bool {
			return array.SliceEqual(a, i, int64(a.Len()), b, i, int64(b.Len()))
		},
	} {
		b.Run("compare/"+name, func(b *testing.B) {
			for b.Loop() {
				for _, r := range records {
					for _, c := range r.Columns() {
						if !equal(c, c, 0) {
							b.Fatal("a column differs from itself")
						}
					}
				}
			}
			perMatch(b)
		})
	}
}

var mem = memory.DefaultAllocator

// read reads the record batches of a file with the Arrow library.
func read(b *testing.B, path string, visit func(arrow.Record)) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		batch, err := r.RecordAt(i)
		if err != nil {
			b.Fatal(err)
		}
		visit(batch)
		batch.Release()
	}
}
