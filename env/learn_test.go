package env_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/internal/experience"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// learner opens tables of zung_jung with features, and memory for the decisions of a learner.
func learner(t testing.TB, numTables, places, width int) (*inlineConn, *experience.Buffer) {
	t.Helper()
	c := newInline(t, newEnv(t, env.Options{}))
	open := &envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: &envv1.Open{
		Rules: &envv1.Open_Preset{Preset: "zung_jung"}, Tables: uint32(numTables), Observation: "features",
		Episode: envv1.Episode_EPISODE_HAND, AutoReset: true,
	}}}
	if err := c.Send(open); err != nil {
		t.Fatal(err)
	}
	spec, _ := observe.Lookup("features")
	in, err := experience.NewInputs(spec, 40)
	if err != nil {
		t.Fatal(err)
	}
	columns := make([]int16, (1+tile.NumKinds)*sim.NumActions)
	for i := range columns {
		columns[i] = int16(i % sim.NumActions)
	}
	b, err := experience.New(experience.Options{
		Tables: numTables, Width: width, Columns: columns, Reward: experience.PointsClipped, Spread: 40, Results: make([]float64, 2*numTables),
	}, in)
	if err != nil {
		t.Fatal(err)
	}
	floats := func(each int) []float32 { return make([]float32, places*each) }
	err = b.Attach(experience.Memory{
		Numbers: floats(in.Numbers), Legal: make([]uint64, 3*places),
		LogProb: floats(1), Value: floats(1), Advantage: floats(1), Outcome: floats(1),
		Action: make([]byte, places), LatestTile: make([]byte, places), Kinds: make([]byte, places*tile.NumKinds*in.Channels),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

// TestLearn has a learner play by random outputs. No answer is refused, and every decision has a
// place of its own until it has been taken.
func TestLearn(t *testing.T) {
	const numTables, places, width = 4, 4000, sim.NumActions + 1
	c, b := learner(t, numTables, places, width)
	rng, taken, total := rand.New(rand.NewPCG(1, 1)), make([]int32, 64), 0
	for total < 1000 {
		if n := len(b.Pending()); n > 0 {
			outputs, uniform := make([]float32, n*width), make([]float64, n)
			for i := range outputs {
				outputs[i] = float32(rng.NormFloat64())
			}
			for i := range uniform {
				uniform[i] = rng.Float64()
			}
			if err := b.Choose(outputs, uniform); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.stream.Learn(b); err != nil {
			t.Fatal(err)
		}
		if b.Ready() >= len(taken) {
			total += len(b.Take(taken))
			if f, err := b.Gradient(taken, make([]float32, len(taken)*width), make([]float32, len(taken)*width), experience.Loss{Clip: 0.2, Deviation: 1}); err != nil || f.Entropy <= 0 {
				t.Fatalf("the gradient of taken decisions: %+v, %v", f, err)
			}
		}
	}
	if err := b.Choose(nil, nil); err == nil {
		t.Error("decisions without outputs were made")
	}
	// With all taken again, only the decisions of hands in progress are in use.
	for b.Ready() > 0 {
		b.Take(taken)
	}
	b.Take(taken)
	if used := places - b.Free(); used < len(b.Pending()) || used > 40*4*numTables {
		t.Errorf("%d places are in use", used)
	}
}

// BenchmarkLearn plays 1,024 tables by random outputs, at what a decision costs beside the network
// and the gradient.
func BenchmarkLearn(b *testing.B) {
	const numTables, places, width = 1024, 1 << 17, sim.NumActions + 1
	c, buffer := learner(b, numTables, places, width)
	rng, taken := rand.New(rand.NewPCG(1, 1)), make([]int32, 1<<14)
	outputs, uniform := make([]float32, 8*numTables*width), make([]float64, 8*numTables)
	for i := range outputs {
		outputs[i] = float32(rng.NormFloat64())
	}
	for i := range uniform {
		uniform[i] = rng.Float64()
	}
	done := 0
	for b.Loop() {
		n := len(buffer.Pending())
		if n > 0 {
			if err := buffer.Choose(outputs[:n*width], uniform[:n]); err != nil {
				b.Fatal(err)
			}
		}
		if err := c.stream.Learn(buffer); err != nil {
			b.Fatal(err)
		}
		if buffer.Ready() >= len(taken) {
			buffer.Take(taken)
		}
		done += n
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/decision")
}
