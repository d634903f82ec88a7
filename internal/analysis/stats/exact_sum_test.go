package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A sum is the nearest number to the true one, whatever the order and the groups.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var list []float64
		want := new(big.Float).SetPrec(2000)
		for range 1 + r.IntN(60) {
			v := math.Ldexp(2*r.Float64()-1, r.IntN(140)-70)
			if r.IntN(10) == 0 && len(list) > 0 {
				v = -list[r.IntN(len(list))] // which cancels
			}
			list = append(list, v)
			want.Add(want, new(big.Float).SetFloat64(v))
		}
		var forth exactSum
		var groups [4]exactSum
		for i, v := range list {
			forth.add(v)
			groups[i%4].add(v)
		}
		joined := groups[3]
		for i := range 3 {
			text, err := groups[i].MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			var read exactSum
			if err := read.UnmarshalText(text); err != nil || read != groups[i] {
				t.Fatalf("%s read back: %v, %v", text, read, err)
			}
			joined.merge(&read)
		}
		if joined != forth {
			t.Errorf("%v in groups: %v, %v", list, joined, forth)
		}
		if nearest, _ := want.Float64(); forth.value() != nearest {
			t.Errorf("%v: %v, want %v", list, forth.value(), nearest)
		}
	}
	for _, text := range []string{"", "x", "Inf", "0x1p+400", "0x1p-193", "0x1p+128"} {
		var e exactSum
		if e.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read as %v", text, e.value())
		}
	}
}
