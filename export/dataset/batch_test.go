package dataset

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// bounded plays a run with other bounds of record batches.
func bounded(t *testing.T, dir string, run *Run, workers, rows, bytes int) *Dataset {
	t.Helper()
	w, err := Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	w.layout.Bounds = arrowfile.Bounds{Rows: rows, Bytes: bytes, OwnRows: rows}
	job := &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), First: w.Next(), Count: w.End() - w.Next(),
		Keep: run.Keep(), Workers: workers,
		NewAgent: func(number int) sim.Agent { return testAgents[run.Agents[number]] },
	}
	if err := sim.Run(t.Context(), job, w.NewBlock, (*Block).Add, w.Append); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d := mustOpen(t, dir)
	d.layout.Bounds = arrowfile.Bounds{Rows: rows, Bytes: bytes, OwnRows: rows}
	return d
}

// A block of matches that is too large for a record batch is divided, and read as
// if it were not. No batch is larger than its bounds.
func TestDividedBlocks(t *testing.T) {
	for i, preset := range []string{"ema_2016", shortHKTW(t)} {
		for _, record := range []schema.Table{schema.Matches, schema.Hands, schema.Decisions} {
			if i > 0 && record != schema.Hands {
				continue // debts are recorded with hands
			}
			run := newRun(t, preset, record)
			run.Agents, run.Matches = randomAgents, sim.BlockSize+8
			whole := t.TempDir()
			mustPlay(t, whole, run, 2)
			want := mustOpen(t, whole)
			for _, bounds := range [][2]int{{100, 1 << 30}, {1 << 30, 6000}, {1, 1}} {
				if bounds[0] == 1 && record != schema.Matches {
					continue // a batch a row takes long
				}
				dir := t.TempDir()
				got := bounded(t, dir, run, 2, bounds[0], bounds[1])
				divided := false
				for _, f := range got.Manifest.Files {
					divided = divided || f.BatchFirst != nil
				}
				if !divided {
					t.Errorf("%s, %s, %v: no block is divided", preset, record, bounds)
				}
				for _, table := range run.Tables() {
					for r, err := range got.Records(table) {
						if err != nil {
							t.Fatal(err)
						}
						if int(r.NumRows()) > bounds[0] {
							t.Errorf("%s: a batch of %d rows", table, r.NumRows())
						}
					}
				}
				if diff := cmp.Diff(collect(t, want.MatchRows()), collect(t, got.MatchRows())); diff != "" {
					t.Errorf("%s, %s, %v: matches (-whole +divided):\n%s", preset, record, bounds, diff)
				}
				if record >= schema.Hands {
					if diff := cmp.Diff(collect(t, want.HandRows()), collect(t, got.HandRows())); diff != "" {
						t.Errorf("%s, %s, %v: hands (-whole +divided):\n%s", preset, record, bounds, diff)
					}
				}
				if err := got.Verify(t.Context(), 2, func(int) {}); err != nil {
					t.Errorf("%s, %s, %v: %v", preset, record, bounds, err)
				}
				if m, err := got.Match(70); err != nil || m.Index != 70 {
					t.Errorf("%s, %s, %v: %v", preset, record, bounds, err)
				}
				other := t.TempDir()
				bounded(t, other, run, 1, bounds[0], bounds[1])
				if diff := cmp.Diff(contents(t, dir), contents(t, other)); diff != "" {
					t.Errorf("%s, %s, %v: bytes depend on workers:\n%s", preset, record, bounds, diff)
				}
			}
		}
	}
}

// What the manifest says of batches is checked.
func TestBatchesDamage(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	run.Agents = randomAgents
	whole := t.TempDir()
	bounded(t, whole, run, 2, 50, 1<<30)
	if n := len(mustOpen(t, whole).Manifest.Files[0].BatchFirst); n < 3 {
		t.Fatalf("%d batches", n)
	}
	for want, firsts := range map[string][]uint64{
		"number 0 has":              {64, 64},
		"number 1 has":              {0, 63},
		"number 2 has":              {0, 0, 128},
		"no 1 batches":              {0},
		"record batches; there sho": {0, 0},
	} {
		dir := copyOf(t, whole)
		changeManifest(t, dir, func(m *Manifest) { m.Files[0].BatchFirst = firsts })
		d, err := Open(dir)
		if err == nil {
			err = d.Verify(t.Context(), 1, func(int) {})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", firsts, err, want)
		}
	}
	// Batches that other bounds have made have the same rows.
	d := mustOpen(t, whole)
	collect(t, d.HandRows())
	if err := d.Verify(t.Context(), 1, func(int) {}); err != nil {
		t.Error(err)
	}
}

// TestRecordsAtOnce lets many read the record batches of a file at the same time whose
// columns have dictionaries.
func TestRecordsAtOnce(t *testing.T) {
	dir := t.TempDir()
	run := newRun(t, "ema_2016", schema.Hands)
	run.Matches = 1
	mustPlay(t, dir, run, 1)
	d := mustOpen(t, dir)
	p, err := d.openPart(0, []schema.Table{schema.Hands}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	f := p.files[schema.Hands]
	times := 2000
	if testing.Short() {
		times = 50 // enough for the race detector
	}
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range times {
				r, err := f.record(0)
				if err != nil {
					t.Error(err)
					return
				}
				r.Release()
			}
		})
	}
	readers.Wait()
}
