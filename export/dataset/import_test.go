package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// importRun is a run of matches that were played elsewhere.
func importRun(t *testing.T, preset string, record schema.Table) *Run {
	run := newRun(t, preset, record)
	run.Agents = []string{"x", "x", "x", "x"}
	run.KeepSeats = true
	run.Import = &Import{Format: "x", Digest: "0123"}
	return run
}

// imported are the matches that were played already, by ruleset and number.
var imported = map[string]*sim.Match{}

// importMatch plays a match with walls that its seed does not give.
func importMatch(run *Run, index uint64) *sim.Match {
	r := run.Ruleset.Rules()
	key := fmt.Sprint(r.Name, run.Record, index)
	if m := imported[key]; m != nil {
		return m
	}
	m := &sim.Match{Index: index, Keep: run.Keep()}
	m.Seed, m.Agents = run.Schedule().Match(index)
	for i := range 60 {
		m.Walls = append(m.Walls, sim.NewWall(&r.Flow, 1000+index, i, 0, 0))
	}
	agents := [sim.NumPlayers]sim.Agent{random{}, random{}, random{}, random{}}
	if index%8 == 0 {
		agents[index/8%sim.NumPlayers] = climber{}
	}
	m.Play(r, &agents)
	m.Walls = m.Walls[:len(m.Hands)]
	imported[key] = m
	return m
}

func importRecord(index uint64) *schema.Origin {
	return &schema.Origin{
		Match: index, Record: fmt.Sprintf("%d.rec", index/2), Part: uint32(index % 2),
		Names: [4]string{"a", "b", "", "四"}, WholeWalls: index%3 == 0,
	}
}

// writeImport writes the dataset of a run from the match on that is missing up to
// another.
func writeImport(t *testing.T, dir string, run *Run, end uint64) {
	t.Helper()
	w, err := Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	b := w.NewBlock()
	for n := w.Next(); n < end; n++ {
		if err := b.AddImported(importMatch(run, n), importRecord(n)); err != nil {
			t.Fatal(err)
		}
		if n%sim.BlockSize == sim.BlockSize-1 || n == run.Matches-1 {
			if err := w.Append(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func openImport(t *testing.T, dir string) *Dataset {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// An import is a dataset like others: it can be verified and played again,
// whatever is recorded, and is continued to the same bytes.
func TestImport(t *testing.T) {
	for _, preset := range []string{"tenhou", "botzone"}[:samples(1, 2, 2)] {
		for record := range schema.Decisions + 1 {
			run := importRun(t, preset, record)
			dir, parts := t.TempDir(), t.TempDir()
			writeImport(t, dir, run, run.Matches)
			writeImport(t, parts, run, sim.BlockSize)
			writeImport(t, parts, run, run.Matches)
			if d := cmp.Diff(contents(t, dir), contents(t, parts)); d != "" {
				t.Errorf("%s, %v: other bytes when continued:\n%s", preset, record, d)
			}
			d := openImport(t, dir)
			if err := d.Verify(context.Background(), 2, func(int) {}); err != nil {
				t.Errorf("%s, %v: %v", preset, record, err)
			}
			index := uint64(0)
			for m, err := range d.Replays(sim.KeepValues) {
				if err != nil {
					t.Fatal(err)
				}
				want := importMatch(run, index)
				if m.Names != [4]string{"a", "b", "x", "四"} {
					t.Errorf("%s, %v: names %q", preset, record, m.Names)
				}
				if m.Match.WallsFilledIn == importRecord(index).WholeWalls {
					t.Errorf("%s, %v: match %d, walls filled in: %v", preset, record, index, m.Match.WallsFilledIn)
				}
				if m.Match.Index != index || !slices.Equal(m.Match.Events, want.Events) {
					t.Fatalf("%s, %v: match %d is another", preset, record, index)
				}
				if index%sim.BlockSize != 9 {
					index++
					continue
				}
				one, err := d.Match(index)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(one.Events, want.Events) {
					t.Errorf("%s, %v: match %d alone is another", preset, record, index)
				}
				if names, err := d.Names(one); err != nil || names != [4]string{"a", "b", "x", "四"} {
					t.Errorf("%s, %v: names %q, error %v", preset, record, names, err)
				}
				index++
			}
			if index != run.Matches {
				t.Errorf("%d matches played again, want %d", index, run.Matches)
			}
			index = 0
			for row, err := range d.Origins() {
				if err != nil {
					t.Fatal(err)
				}
				want := *importRecord(index)
				if want.Ruleset = preset; row != want {
					t.Errorf("record %+v, want %+v", row, want)
				}
				index++
			}
		}
	}
}

// Walls that are not those that were played show.
func TestImportDamage(t *testing.T) {
	run := importRun(t, "tenhou", schema.Decisions)
	good := t.TempDir()
	writeImport(t, good, run, run.Matches)
	set := func(column, row int, value func(old []byte) []byte) func(int, arrow.Record) arrow.Record {
		return func(batch int, r arrow.Record) arrow.Record {
			if batch != 0 {
				return r
			}
			old := r.Column(column).(*array.Binary)
			b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
			for i := range old.Len() {
				v := old.Value(i)
				if i == row {
					v = value(slices.Clone(v))
				}
				b.Append(v)
			}
			changed, err := r.SetColumn(column, b.NewArray())
			if err != nil {
				panic(err)
			}
			return changed
		}
	}
	for _, test := range []struct {
		name, file string
		change     func(int, arrow.Record) arrow.Record
		want       string
	}{
		{"tiles", "walls-000000.arrow", set(2, 3, func(b []byte) []byte { b[0], b[60] = b[60], b[0]; return b }), "match"},
		{"a tile less", "walls-000000.arrow", set(2, 3, func(b []byte) []byte { return b[1:] }), "row 3 has 135 tiles; the set has 136"},
		{"no tile", "walls-000000.arrow", set(2, 3, func(b []byte) []byte { b[9] = 99; return b }), "row 3: there is no tile 99"},
		{"a wall less", "walls-000000.arrow", func(i int, r arrow.Record) arrow.Record {
			if i > 0 {
				return r
			}
			return r.NewSlice(0, r.NumRows()-1)
		}, "walls of"},
		{"first wall", "walls-000000.arrow", func(i int, r arrow.Record) arrow.Record {
			if i > 0 {
				return r
			}
			return r.NewSlice(1, r.NumRows())
		}, "row 0 is out of order"},
		{"a record less", "records-000000.arrow", func(i int, r arrow.Record) arrow.Record {
			if i > 0 {
				return r
			}
			return r.NewSlice(0, r.NumRows()-1)
		}, "63 rows for 64 matches"},
	} {
		dir := copyOf(t, good)
		rewrite(t, dir, test.file, true, test.change)
		err := openImport(t, dir).Verify(context.Background(), 1, func(int) {})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// A dataset of an import is not continued with other records, nor as a run that is
// played here.
func TestImportOccupied(t *testing.T) {
	run := importRun(t, "tenhou", schema.Hands)
	dir := t.TempDir()
	writeImport(t, dir, run, sim.BlockSize)
	other := *run
	other.Import = &Import{Format: "x", Digest: "4567"}
	played := *run
	played.Import = nil
	for want, run := range map[string]*Run{
		"import is x records with digest 0123 there, x records with digest 4567 here": &other,
		"import is x records with digest 0123 there, none here":                       &played,
	} {
		if _, err := Create(dir, run, false); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := Open(dir); err != nil {
		t.Error(err)
	}
	for _, err := range openImport(t, dir).LedgerRows() {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("error %v", err)
		}
	}
}
