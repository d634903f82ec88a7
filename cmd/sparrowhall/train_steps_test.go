package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestTrainSteps makes pairs by expert and by a network, and finds them in the stream of
// train steps with what they brought, both actions legal.
func TestTrainSteps(t *testing.T) {
	for _, first := range []string{"expert:net=off", "net:../../internal/agents/net/testdata/advice.safetensors"} {
		file := filepath.Join(t.TempDir(), "a.pairs")
		if _, errOut, status := sparrowhall(t, "", "train", "pairs", "--quiet", "--ruleset", "tenhou", "--share", "1000",
			"--agents", first+",value,value,value", "--matches", "3", "--out", file); status != statusOK {
			t.Fatal(errOut)
		}
		want := readPairs(t, file)
		text, errOut, status := sparrowhall(t, "", "train", "steps", "--observation", "planes", file)
		if status != statusOK {
			t.Fatal(errOut)
		}
		r, err := ipc.NewReader(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		md := r.Schema().Metadata()
		if i := md.FindKey("family"); i < 0 || md.Values()[i] != "riichi" {
			t.Errorf("the stream says %v", md)
		}
		n, lucky := 0, 0
		for r.Next() {
			record := r.Record()
			matches, more, luck := record.Column(0).(*array.Int64), record.Column(6).(*array.Int32), record.Column(7).(*array.Int32)
			masks, played, other := record.Column(3).(*array.FixedSizeBinary), record.Column(4).(*array.Int32), record.Column(5).(*array.Int32)
			for i := range int(record.NumRows()) {
				w := want[n]
				if uint64(matches.Value(i)) != w.match || more.Value(i) != w.more-w.Luck || luck.Value(i) != w.Luck || other.Value(i) != int32(w.Action) || played.Value(i) != int32(w.played) {
					t.Fatalf("%s, row %d: match %d, %d more and %d luck, %v and not %v; want %+v", first, n, matches.Value(i), more.Value(i), luck.Value(i),
						sim.Action(other.Value(i)), sim.Action(played.Value(i)), w)
				}
				for _, a := range []int32{played.Value(i), other.Value(i)} {
					if masks.Value(i)[a/8]>>(a%8)&1 == 0 {
						t.Fatalf("%s, row %d: %v is not legal", first, n, sim.Action(a))
					}
				}
				if w.Luck != 0 {
					lucky++
				}
				n++
			}
		}
		if r.Err() != nil || n != len(want) || n < 100 || lucky == 0 {
			t.Errorf("%s: %d rows of %d pairs, %d with luck: %v", first, n, len(want), lucky, r.Err())
		}
		r.Release()
	}
	for want, args := range map[string][]string{
		`networks do not read "events"`:                          {"--observation", "events", "x.pairs"},
		"no/such.pairs":                                          {"no/such.pairs"},
		"train_steps_test.go: rollout: this is no file of pairs": {"train_steps_test.go"},
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"train", "steps"}, args...)...); status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%v: status %d, want %q in %q", args, status, want, errOut)
		}
	}
}

// madePair is a pair, its match, what was played, and the units that the other brought more.
type madePair struct {
	rollout.Pair
	match  uint64
	played uint8
	more   int32
}

func readPairs(t *testing.T, file string) (list []madePair) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := rollout.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for number := uint64(0); ; number++ {
		var m rollout.Match
		if err := in.Read(&m); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Pairs {
			list = append(list, madePair{p, number, m.Actions[p.At], p.Other.Points[p.Player] - m.Baselines[p.Hand].Points[p.Player]})
		}
	}
}
