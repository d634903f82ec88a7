package fitting

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
)

// TestImprove learns which of two actions is better from pairs in which noise drowns it.
func TestImprove(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	worth := func(s, a []perceptron.Input) float64 {
		w := float64(a[0].Value) / perceptron.One
		if s[0].At == 0 {
			return w
		}
		return -w
	}
	var rows []PairRow
	var room []perceptron.Input
	for i := range 40_000 {
		s := []perceptron.Input{{At: uint16(rng.IntN(2)), Value: perceptron.One}}
		a := []perceptron.Input{{At: 2, Value: int8(rng.IntN(65) - 32)}}
		b := []perceptron.Input{{At: 2, Value: int8(rng.IntN(65) - 32)}}
		r := NewPairRow(&room, s, a, b)
		r.Gain[0] = float32(worth(s, b) - worth(s, a) + rng.NormFloat64())
		r.HeldOut = i%10 == 9
		rows = append(rows, r)
	}
	o := &PairOptions{
		Sizes: perceptron.Sizes{Inputs: 3, First: 8, Second: 4, Outputs: NumTargets}, Epochs: 6, Batch: 500, Rate: 2e-3, Seed: 1,
		Weights: [NumTargets]float32{1, 1},
	}
	processors := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(processors)
	n, err := Pairs(t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	net, err := n.Round("a test")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(1)
	other, err := Pairs(t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := other.Round("a test"); err != nil || !bytes.Equal(again.AppendTo(nil), net.AppendTo(nil)) {
		t.Errorf("one processor fits another network than three: %v", err)
	}
	for situation := range uint16(2) {
		answer := func(v int8) float64 {
			var s perceptron.Sums
			net.Begin(&s)
			net.Add(&s, []perceptron.Input{{At: situation, Value: perceptron.One}, {At: 2, Value: v}})
			return float64(net.Evaluate(&s)[0]) / perceptron.OutputUnit
		}
		for _, v := range []int8{-32, -16, 16, 32} {
			want := float64(v) / perceptron.One
			if situation == 1 {
				want = -want
			}
			if got := answer(v) - answer(0); math.Abs(got-want) > 0.3 {
				t.Errorf("situation %d: %d brings %.2f more than 0, want %.2f", situation, v, got, want)
			}
		}
	}
	// A larger network that begins with this one answers as it does.
	o.From, o.Rate, o.Epochs = net, 1e-9, 1
	o.Sizes.First, o.Sizes.Second = 12, 6
	wider, err := Pairs(t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	var want [][NumTargets]float32
	n.Predict(func(_ *PairRow, more [NumTargets]float32) { want = append(want, more) })
	i := 0
	wider.Predict(func(_ *PairRow, more [NumTargets]float32) {
		if math.Abs(float64(more[0]-want[i][0])) > 0.01 {
			t.Fatalf("row %d: the wider network says %v, the one it began with %v", i, more, want[i])
		}
		i++
	})
}
