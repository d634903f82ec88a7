package tables

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// BenchmarkPlace plays tables with random answers and no transport: the engine, the
// masks and the observations in the caller's memory.
func BenchmarkPlace(b *testing.B) {
	for _, c := range []struct{ name, rules, observation string }{
		{"observation=", "ema_2016", ""},
		{"observation=planes", "ema_2016", "planes"},
		{"three/observation=planes", "tenhou_sanma", "planes"},
	} {
		b.Run(c.name, func(b *testing.B) {
			rules, err := configs.Load(c.rules)
			if err != nil {
				b.Fatal(err)
			}
			config := Config{Rules: rules, Tables: 64, Seed: 1, AutoReset: true, Seats: playAll}
			if c.observation != "" {
				spec, err := observe.Lookup(c.observation)
				if err != nil {
					b.Fatal(err)
				}
				config.Observation = spec.For(rules.NumSeats())
			}
			s := New(context.Background(), config)
			w, out := s.own, newPiece(&config)
			w.prepare()
			for n := range s.tables {
				w.open(uint32(n), out)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			rows := 0
			round := func() {
				for n := range s.tables {
					t := &s.tables[n]
					for i := range sim.Player(sim.NumPlayers) {
						if t.decision.waiting.Has(i) {
							t.decision.answers[i] = t.decision.legal[i].Nth(rng.IntN(t.decision.legal[i].Len()))
						}
					}
					t.decision.waiting = 0
					w.answer(uint32(n), out)
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
