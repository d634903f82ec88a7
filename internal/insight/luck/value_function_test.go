package luck

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// long reports whether long samples are asked for.
func long() bool { return os.Getenv("SPARROWHALL_LONG") != "" }

// TestWeights sees that there are weights for every preset and that they survive
// being written, and bounds their size.
func TestWeights(t *testing.T) {
	size := 0
	seen := map[string]bool{}
	for _, preset := range append(configs.Names(), sanma) {
		r := load(t, preset)
		if seen[r.FittedName()] {
			continue
		}
		seen[r.FittedName()] = true
		e := estimate(t, r)
		data := e.AppendTo(nil)
		size += len(data)
		again, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.AppendTo(nil), data) {
			t.Errorf("%s: weights change when they are written", r.Family)
		}
	}
	if size > 2<<20 {
		t.Errorf("all weights take %d bytes, allowed: 2 MB", size)
	}
}

// magicTerm is the place of the highest byte of the first linear term in a file.
const magicTerm = 8 + 4*4 + 2*NumDiscardFeatures + 4*NumClasses + 7

// TestParse sees what is refused.
func TestParse(t *testing.T) {
	e := estimate(t, load(t, "ema_2016"))
	good := e.AppendTo(nil)
	change := func(at int, to byte) []byte {
		data := bytes.Clone(good)
		data[at] = to
		return data
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"nothing", "cut off", nil},
		{"half", "cut off", good[:len(good)/2]},
		{"term", "a linear term of", change(magicTerm, 0x7f)},
		{"more", "1 bytes follow", append(bytes.Clone(good), 0)},
		{"other", "no value function", change(0, 'x')},
		{"version", "version 9", change(7, 9)},
		{"inputs", "fit them again", change(8, 1)},
		{"size", "hidden values", change(13, 200)},
	} {
		if _, err := Parse(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzParse sees that no bytes lead to a panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte("hallval\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := Parse(data); err == nil && !bytes.Equal(e.AppendTo(nil), data) {
			t.Error("weights change when they are written")
		}
	})
}

// TestAsk compares the answer of the evaluator, which goes on from the last
// question, with that of a fresh one.
func TestAsk(t *testing.T) {
	r := load(t, "tenhou")
	e := estimate(t, r)
	four := seated(t, "greedy")
	m := sim.Match{Seed: 9}
	m.Play(r, &four)
	going := evaluator{function: e, seats: sim.NumPlayers}
	list, err := NewControlVariate(r, e).AppendSamples(nil, e.Scale, &m)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		fresh := evaluator{function: e, seats: sim.NumPlayers}
		if a, b := going.evaluate(&s.In), fresh.evaluate(&s.In); a != b {
			t.Fatalf("sample %d: %v, afresh %v", i, a, b)
		}
	}
}
