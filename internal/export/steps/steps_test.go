package steps_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/export/steps"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// The matches of every dataset give a row for each decision, each in one shard.
func TestWrite(t *testing.T) {
	dirs, err := filepath.Glob("../../../export/dataset/testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no datasets", err)
	}
	for _, dir := range dirs {
		d, err := dataset.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		planes, err := observe.Lookup("planes")
		if err != nil {
			t.Fatal(err)
		}
		decisions := map[uint64]int{}
		for m, err := range d.Replays(0) {
			if err != nil {
				t.Fatal(err)
			}
			decisions[m.Match.Index] = len(m.Match.Actions)
		}
		got := map[uint64]int{}
		for shard := range uint64(2) {
			var out bytes.Buffer
			w := steps.NewWriter(&out, steps.Options{Observation: planes, Hidden: true, Shanten: true, Shard: shard, Shards: 2})
			if err := w.Write(d); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := ipc.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			for r.Next() {
				record := r.Record()
				matches := record.Column(0).(*array.Int64)
				for i := range int(record.NumRows()) {
					if match := uint64(matches.Value(i)); match%2 != shard {
						t.Fatalf("%s: match %d is in shard %d", dir, match, shard)
					} else {
						got[match]++
					}
				}
			}
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			r.Release()
		}
		for match, n := range decisions {
			if got[match] != n {
				t.Errorf("%s: match %d has %d rows; it has %d decisions", dir, match, got[match], n)
			}
		}
		if len(decisions) == 0 {
			t.Errorf("%s: no matches", dir)
		}
	}
}
