package fit

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestLearn lets a network learn a function that no line fits.
func TestLearn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	n := NewNetwork(1, 2, 16, 8, 1)
	const rows, steps = 64, 1500
	b := n.NewBatch(rows)
	loss := 0.0
	for step := range steps {
		var want [rows]float32
		for r := range rows {
			in := b.Input(r)
			in[0], in[1] = rng.Float32()*2-1, rng.Float32()*2-1
			want[r] = float32(math.Abs(float64(in[0]))) * in[1]
		}
		n.Forward(b)
		loss = 0
		for r := range rows {
			d := b.Output(r)[0] - want[r]
			loss += float64(d*d) / rows
			b.Slope(r)[0] = d / rows
		}
		n.Learn(b, rateAfter(1e-2, float64(step)/steps))
	}
	if loss > 0.002 { // |x|y has a variance of 1/9
		t.Errorf("a mean squared error of %.4f is left", loss)
	}
}

// TestSlopes compares a step of the network with differences of its loss.
func TestSlopes(t *testing.T) {
	n := NewNetwork(3, 3, 5, 4, 2)
	b := n.NewBatch(2)
	for r := range 2 {
		copy(b.Input(r), []float32{0.5, -1, float32(r)})
	}
	loss := func() (sum float64) {
		n.Forward(b)
		for r := range 2 {
			for _, v := range b.Output(r) {
				sum += float64(v) * float64(v) / 2
			}
		}
		return sum
	}
	loss()
	for r := range 2 {
		copy(b.Slope(r), b.Output(r))
	}
	n.Learn(b, 0)
	weights, _ := n.Layer(0)
	const step = 1e-2
	for i, slope := range b.grads[0].Data {
		was := weights[i]
		weights[i] = was + step
		up := loss()
		weights[i] = was - step
		down := loss()
		weights[i] = was
		if got := (up - down) / (2 * step); math.Abs(got-float64(slope)) > 1e-2*(1+math.Abs(got)) {
			t.Errorf("weight %d: slope %v, by differences %v", i, slope, got)
		}
	}
}

// TestFrom goes on from an estimate: before the first step it is what it was.
func TestFrom(t *testing.T) {
	o := &ValueOptions{Scale: 40}
	e, err := luck.NewValueFunction(NewNetwork(7, luck.NumInputs, 6, 3, sim.NumPlayers).Layers(), o.Scale, &o.DiscardWeights)
	if err != nil {
		t.Fatal(err)
	}
	again, err := luck.NewValueFunction(networkOf(e).Layers(), o.Scale, &o.DiscardWeights)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.AppendTo(nil), e.AppendTo(nil)) {
		t.Error("the network of an estimate makes another")
	}
}

// TestFollow works out targets of a hand of three samples by hand.
func TestFollow(t *testing.T) {
	samples := []luck.Sample{{}, {}, {Last: true}}
	row := func(x float32) (v [sim.NumPlayers]float32) { v[0] = x; return v }
	truth := [][sim.NumPlayers]float32{row(5), row(4), row(3)} // a unit was gained between each two
	values := [][sim.NumPlayers]float32{row(0), row(10), row(20)}
	targets := make([][sim.NumPlayers]float32, 3)
	computeTargets(samples, truth, values, targets, 0.5)
	// The last: 3. Before it: 1 + half of 20 + half of 3. First: 1 + half of 10 + half of that.
	if targets[2][0] != 3 || targets[1][0] != 12.5 || targets[0][0] != 12.25 {
		t.Errorf("targets %v", targets)
	}
}
