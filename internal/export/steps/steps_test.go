package steps_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
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
			if err := w.Write(t.Context(), d); err != nil {
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

// What a hand has paid and what is owed after it is what its first decisions return.
func TestReturnsCountDebts(t *testing.T) {
	d, err := dataset.Open("../../../export/dataset/testdata/hkma_hktw")
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		match uint64
		hand  int64
	}
	worth, owing := map[key][4]int32{}, 0
	var before [4]int32
	for h, err := range d.HandRows() {
		if err != nil {
			t.Fatal(err)
		}
		if h.Hand == 0 {
			before = [4]int32{}
		}
		var net [4]int32
		for _, debt := range h.Debts {
			net[debt.Creditor] += debt.Points
			net[debt.Debtor] -= debt.Points
			owing++
		}
		all := h.Payments
		for p := range all {
			all[p] += net[p] - before[p]
		}
		worth[key{h.Match, int64(h.Hand)}], before = all, net
	}
	if owing == 0 {
		t.Fatal("nothing is owed")
	}
	var out bytes.Buffer
	w := steps.NewWriter(&out, steps.Options{})
	if err := errors.Join(w.Write(t.Context(), d), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	seen := map[key][4]bool{}
	for r.Next() {
		record := r.Record()
		column := func(name string) arrow.Array { return record.Column(record.Schema().FieldIndices(name)[0]) }
		for i := range int(record.NumRows()) {
			k := key{uint64(column("match").(*array.Int64).Value(i)), int64(column("hand").(*array.Int32).Value(i))}
			p := column("player").(*array.Int32).Value(i)
			if seen[k][p] {
				continue
			}
			first := seen[k]
			first[p] = true
			seen[k] = first
			if got := column("hand_return").(*array.Int32).Value(i); got != worth[k][p] {
				t.Errorf("match %d, hand %d: player %d returns %d, want %d", k.match, k.hand, p, got, worth[k][p])
			}
		}
	}
	if len(seen) != len(worth) {
		t.Errorf("%d of %d hands have rows", len(seen), len(worth))
	}
}

func TestInterrupted(t *testing.T) {
	d, err := dataset.Open("../../../export/dataset/testdata/ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := steps.NewWriter(io.Discard, steps.Options{}).Write(ctx, d); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
