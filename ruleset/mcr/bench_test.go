package mcr_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// BenchmarkValue scores random winning hands: as play brings them about, and
// those of all fan that the tests use.
func BenchmarkValue(b *testing.B) {
	for _, c := range []struct {
		name string
		win  func(*rand.Rand) ruleset.Win
	}{
		{"typical", typicalWin},
		{"all", randomWin},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := rulestest.Rules(b, "mcr_2006", nil)
			rng := rand.New(rand.NewPCG(1, 2))
			wins := make([]ruleset.Win, 8192)
			for i := range wins {
				wins[i] = c.win(rng)
			}
			b.ReportAllocs()
			var v ruleset.Value
			i, complete := 0, true
			for b.Loop() {
				r.Value(&wins[i%len(wins)], &v)
				complete = complete && v.Shape
				i++
			}
			if !complete {
				b.Fatal("a winning hand has no value")
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "hands/s")
		})
	}
}

// BenchmarkShanten measures all shapes together, for hands as dealt.
func BenchmarkShanten(b *testing.B) {
	hands := dealtHands(14)
	r := rulestest.Rules(b, "mcr_2006", nil)
	b.ReportAllocs()
	i, sum := 0, 0
	for b.Loop() {
		sum += r.Shanten(&hands[i%len(hands)], 0)
		i++
	}
	if sum <= 0 {
		b.Fatal("dealt hands are complete")
	}
}

// BenchmarkWaits measures all shapes together, for hands as dealt.
func BenchmarkWaits(b *testing.B) {
	hands := dealtHands(13)
	r := rulestest.Rules(b, "mcr_2006", nil)
	b.ReportAllocs()
	i := 0
	var waits tile.Set
	for b.Loop() {
		waits |= r.Waits(&hands[i%len(hands)], 0)
		i++
	}
	if waits == tile.All {
		b.Fatal("dealt hands wait for everything")
	}
}

func dealtHands(n int) []hand.Hand {
	rng := rand.New(rand.NewPCG(3, 4))
	hands := make([]hand.Hand, 8192)
	for i := range hands {
		for _, t := range rng.Perm(136)[:n] {
			hands[i].Add(tile.Kind(t / 4))
		}
	}
	return hands
}
