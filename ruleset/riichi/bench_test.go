package riichi_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
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

// BenchmarkShantenCounts measures the shanten over all three shapes of 14 tiles that
// are given by their counts.
func BenchmarkShantenCounts(b *testing.B) {
	r := rulestest.Rules(b, "ema_2016", nil)
	rng := rand.New(rand.NewPCG(1, 2))
	deals := make([][tile.NumKinds]uint8, 8192)
	for i := range deals {
		for n := 0; n < 14; {
			if k := rng.IntN(tile.NumKinds); deals[i][k] < 4 {
				deals[i][k]++
				n++
			}
		}
	}
	b.ReportAllocs()
	var h hand.Hand
	i, total := 0, 0
	for b.Loop() {
		h = hand.FromCounts(&deals[i%len(deals)])
		total += r.Shanten(&h, 0)
		i++
	}
	_ = total
}
