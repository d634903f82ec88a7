package perceptron

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// random returns a network with weights of about the size of fitted ones.
func random(t testing.TB, seed uint64, s Sizes) ([3]FloatLayer, *Network) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	sizes := [4]int{s.Inputs, s.First, s.Second, s.Outputs}
	var layers [3]FloatLayer
	for i := range layers {
		for range sizes[i] * sizes[i+1] {
			layers[i].Weights = append(layers[i].Weights, float32(rng.NormFloat64()/math.Sqrt(float64(min(sizes[i], 40)))))
		}
		for range sizes[i+1] {
			layers[i].Biases = append(layers[i].Biases, float32(rng.NormFloat64()/4))
		}
	}
	n, err := Round("a test", layers)
	if err != nil {
		t.Fatal(err)
	}
	return layers, n
}

// slow answers by the definition, with fractions.
func slow(layers *[3]FloatLayer, inputs []Input) []float64 {
	values := make([]float64, len(layers[0].Weights)/len(layers[0].Biases))
	for _, x := range inputs {
		values[x.At] += float64(x.Value) / One
	}
	for i, l := range layers {
		next := make([]float64, len(l.Biases))
		for j := range next {
			next[j] = float64(l.Biases[j])
			for k, v := range values {
				next[j] += v * float64(l.Weights[k*len(next)+j])
			}
			if i < 2 {
				next[j] = max(next[j], 0)
			}
		}
		values = next
	}
	return values
}

// TestAnswer compares answers with those of the same network with fractions.
func TestAnswer(t *testing.T) {
	layers, n := random(t, 1, Sizes{200, 24, 12, 2})
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		var inputs []Input
		for range 30 {
			inputs = append(inputs, Input{At: uint16(rng.IntN(200)), Value: int8(rng.IntN(65) - 32)})
		}
		var s Sums
		n.Begin(&s)
		n.Add(&s, inputs[:10])
		n.Add(&s, inputs[10:])
		got, want := n.Evaluate(&s), slow(&layers, inputs)
		for o, w := range want {
			if g := float64(got[o]) / OutputUnit; math.Abs(g-w) > 0.03*(1+math.Abs(w)) {
				t.Errorf("output %d: %v, with fractions %v", o, g, w)
			}
		}
	}
}

// TestVectors compares sums and answers with those by the definition, for networks of many
// sizes and inputs of all values.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for i, sizes := range []Sizes{
		{9, 16, 16, 1}, {300, 32, 16, 2}, {359, 32, 16, 4}, {40, 48, 32, 3}, {100, 64, 32, 2}, {50, 128, 128, 4}, {30, 112, 48, 2}, {30, 24, 16, 2},
	} {
		_, n := random(t, uint64(i), sizes)
		for w := range n.layers[0].Weights {
			n.layers[0].Weights[w] *= 4 // so that values are cut off
		}
		for numInputs := range 70 {
			inputs := make([]Input, numInputs)
			for j := range inputs {
				inputs[j] = Input{At: uint16(rng.IntN(sizes.Inputs)), Value: int8(rng.IntN(255) - 127)}
			}
			var s, want Sums
			n.Begin(&s)
			n.Begin(&want)
			n.Add(&s, inputs)
			for _, x := range inputs {
				for j := range sizes.First {
					want[j] += int32(x.Value) * int32(n.layers[0].Weights[int(x.At)*sizes.First+j])
				}
			}
			if s != want {
				t.Fatalf("%+v, %d inputs: sums %v, want %v", sizes, numInputs, s, want)
			}
			if got, want := n.Evaluate(&s), n.evaluatePortably(&s); got != want {
				t.Fatalf("%+v, %d inputs: answer %v, want %v", sizes, numInputs, got, want)
			}
		}
		if canPair != (n.pairs != nil) && sizes.First != 24 {
			t.Errorf("%+v is evaluated one by one", sizes)
		}
		for _, inputs := range [][]Input{{{At: uint16(sizes.Inputs)}}, {{}, {At: uint16(sizes.Inputs)}}, {{}, {At: 1 << 15}, {}}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%+v: inputs %v were added", sizes, inputs)
					}
				}()
				var s Sums
				n.Add(&s, inputs)
			}()
		}
	}
}

// TestParse reads what was written, and refuses what is something else.
func TestParse(t *testing.T) {
	_, n := random(t, 3, Sizes{20, 5, 4, 2})
	data := n.AppendTo(nil)
	again, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Round("a test", n.Layers())
	if err != nil || string(same.AppendTo(nil)) != string(data) {
		t.Errorf("its layers make another network: %v", err)
	}
	if again.Purpose != "a test" || string(again.AppendTo(nil)) != string(data) {
		t.Error("what was read is written otherwise")
	}
	damaged := func(at int, by byte) []byte {
		d := append([]byte(nil), data...)
		d[at] += by
		return d
	}
	for want, d := range map[string][]byte{
		"no network":              []byte("something else"),
		"is no network":           nil,
		"version 2":               damaged(7, 1),
		"is damaged":              damaged(len(data)/2, 1),
		"cut off":                 data[:40],
		"its checksum is another": data[:len(data)-1],
	} {
		if _, err := Parse(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Round("", [3]FloatLayer{{Weights: make([]float32, 2), Biases: make([]float32, MaxHidden+1)}}); err == nil {
		t.Error("a layer too large is taken")
	}
	large := [3]FloatLayer{{make([]float32, 4000), make([]float32, 1)}, {make([]float32, 1), make([]float32, 1)}, {make([]float32, 1), make([]float32, 1)}}
	for i := range large[0].Weights {
		large[0].Weights[i] = 7
	}
	if _, err := Round("", large); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("weights whose sum does not fit: %v", err)
	}
}

func BenchmarkAnswer(b *testing.B) {
	_, n := random(b, 1, Sizes{400, 64, 32, 2})
	var inputs []Input
	for i := range 30 {
		inputs = append(inputs, Input{At: uint16(13 * i), Value: int8(i)})
	}
	for b.Loop() {
		var s Sums
		n.Begin(&s)
		n.Add(&s, inputs)
		n.Evaluate(&s)
	}
}
