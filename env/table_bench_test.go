package env

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// BenchmarkPlace plays tables with random answers and no transport: the engine, the
// masks and the observations in the caller's memory.
func BenchmarkPlace(b *testing.B) {
	for _, observation := range []string{"", "planes"} {
		b.Run("observation="+observation, func(b *testing.B) {
			e, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			s, refused := e.setup(&envv1.Open{
				Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 64, Seed: 1, Observation: observation, AutoReset: true,
			})
			if refused != nil {
				b.Fatal(refused)
			}
			w := &worker{setup: s, ctx: context.Background()}
			w.make()
			places := make([]place, s.tables)
			out := newPiece(s.spec)
			for n := range places {
				w.open(uint32(n), &places[n], out)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			rows := 0
			round := func() {
				for n := range places {
					p := &places[n]
					for i := range sim.Player(sim.NumPlayers) {
						if p.waiting.Has(i) {
							p.answers[i] = p.legal[i].Nth(rng.IntN(p.legal[i].Len()))
						}
					}
					p.waiting = 0
					w.answer(uint32(n), p, out)
				}
				rows += out.rows
				out.clear()
			}
			for range 1000 {
				round()
			}
			rows = 0
			b.ReportAllocs()
			for b.Loop() {
				round()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
		})
	}
}
