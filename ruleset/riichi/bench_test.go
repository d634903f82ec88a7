package riichi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/internal/rulestest"
	"github.com/jansou/jansou/ruleset/riichi"
)

// BenchmarkValue scores random winning hands of all shapes, with melds, kans and
// circumstances.
func BenchmarkValue(b *testing.B) {
	r, cfg := rulestest.Rules(b, "ema_2016", nil), rulestest.Config[*riichi.Config](b, "ema_2016", nil)
	rng := rand.New(rand.NewPCG(1, 2))
	wins := make([]ruleset.Win, 8192)
	for i := range wins {
		wins[i] = randomWin(rng, cfg)
	}
	b.ReportAllocs()
	var v ruleset.Value
	i, total := 0, 0
	for b.Loop() {
		r.Value(&wins[i%len(wins)], &v)
		total += int(v.Points)
		i++
	}
	if total == 0 {
		b.Fatal("no hand was worth anything")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hands/s")
}
