package parquet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
)

func played(t *testing.T, preset string, matches, fileMatches uint64) *dataset.Dataset {
	t.Helper()
	rules, err := configs.Open(preset)
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{
		Ruleset: rules, Seed: 1, Matches: matches, Agents: []string{"greedy", "greedy", "greedy", "greedy"},
		Record: schema.Decisions, FileMatches: fileMatches,
	}
	return exporttest.Open(t, run)
}

// rows returns every row of some records as text.
func rows(t *testing.T, r arrow.Record) (list []string) {
	t.Helper()
	for i := range int(r.NumRows()) {
		text := ""
		for c, field := range r.Schema().Fields() {
			if field.Name == partition {
				continue
			}
			text += field.Name + "=" + r.Column(c).ValueStr(i) + " "
		}
		list = append(list, text)
	}
	return list
}

func read(t *testing.T, path string) (list []string, groups int) {
	t.Helper()
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := in.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	all := array.NewTableReader(table, 0)
	defer all.Release()
	for all.Next() {
		list = append(list, rows(t, all.Record())...)
	}
	return list, f.NumRowGroups()
}

// What is read again are the rows of the dataset, a file for each of its files.
func TestRoundTrip(t *testing.T) {
	for _, preset := range []string{"ema_2016", "hkma_hktw"} {
		d := played(t, preset, 70, 64)
		out := filepath.Join(t.TempDir(), "made", "lake")
		matches := 0
		if err := Write(t.Context(), d, out, nil, func(n int) { matches += n }); err != nil {
			t.Fatal(err)
		}
		if want := int(d.Matches()) * len(d.Run.Tables()); matches != want {
			t.Errorf("%s: %d matches are told of; want %d", preset, matches, want)
		}
		for _, table := range d.Run.Tables() {
			var want, got []string
			for r, err := range d.Records(table) {
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, rows(t, r)...)
			}
			for n := range 2 {
				part, _ := read(t, filepath.Join(out, table.String(), "ruleset="+preset, fmt.Sprintf("part-%06d.parquet", n)))
				got = append(got, part...)
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d rows are read that differ from the dataset's %d", preset, table, len(got), len(want))
			}
		}
		if list, _ := filepath.Glob(filepath.Join(out, "..", "*")); len(list) != 1 {
			t.Errorf("%s: beside the folder there is %v", preset, list)
		}
		if err := Write(t.Context(), d, out, nil, nil); !errors.Is(err, ErrOccupied) {
			t.Errorf("%s: a second export gives %v; want %v", preset, err, ErrOccupied)
		}
	}
}

// Memory is bounded by row groups: they are closed as they fill.
func TestRowGroups(t *testing.T) {
	defer func(n uint64) { groupBytes = n }(groupBytes)
	groupBytes = 1 << 12
	d := played(t, "ema_2016", 192, 192)
	out := filepath.Join(t.TempDir(), "lake")
	if err := Write(t.Context(), d, out, []schema.Table{schema.Decisions}, nil); err != nil {
		t.Fatal(err)
	}
	_, groups := read(t, filepath.Join(out, "decisions", "ruleset=ema_2016", "part-000000.parquet"))
	batches := 0
	for range d.Records(schema.Decisions) {
		batches++
	}
	if groups != batches || batches < 3 {
		t.Errorf("%d row groups of %d record batches that each fill one", groups, batches)
	}
	if _, err := os.Stat(filepath.Join(out, "hands")); err == nil {
		t.Error("a table was written that was not asked for")
	}
}

// Nothing is left of an export/dataset that does not come to its end.
func TestFailures(t *testing.T) {
	d := played(t, "ema_2016", 70, 64)
	parent := t.TempDir()
	out := filepath.Join(parent, "lake")
	ctx, cancel := context.WithCancel(t.Context())
	if err := Write(ctx, d, out, nil, func(int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted export gives %v", err)
	}
	if err := Write(t.Context(), d, out, []schema.Table{schema.Ledger}, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a table that was not recorded gives %v", err)
	}
	if list, _ := os.ReadDir(parent); len(list) != 0 {
		t.Errorf("%v is left", list)
	}
}
