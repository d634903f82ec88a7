package bench

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func maker(t testing.TB, spec string) func() sim.Agent {
	t.Helper()
	make, err := agents.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return make
}

func TestPlay(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	p, err := MeasurePlay(t.Context(), r, maker(t, "random"), 1, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if p.Hands < 8*p.Matches || p.Decisions < p.Hands || p.MatchesPerSecond <= 0 {
		t.Errorf("%+v", p)
	}
	// What is left are the buffers of the first match and the runner's own.
	if p.AllocationsPerDecide > 0.01 {
		t.Errorf("%v allocations a decision", p.AllocationsPerDecide)
	}
	if ratio, err := TwoWorkers(t.Context(), r, maker(t, "random"), time.Millisecond); err != nil || ratio <= 0 {
		t.Errorf("two workers: %v, %v", ratio, err)
	}
}

func TestRecorded(t *testing.T) {
	r, err := configs.Open("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	if ratio, err := Recorded(t.Context(), r, "random", maker(t, "random"), 1, time.Millisecond); err != nil || ratio <= 0 {
		t.Errorf("recorded: %v, %v", ratio, err)
	}
}

// The hands that are scored are complete under every ruleset, and some of them
// may win.
func TestRandomWin(t *testing.T) {
	for _, preset := range configs.Names() {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		won := 0
		for range 1000 {
			w := randomWin(rng, r)
			var v ruleset.Value
			r.Value(&w, &v)
			if !v.Shape {
				t.Fatalf("%s: %+v is not complete", preset, w)
			}
			if v.OK {
				won++
			}
		}
		if won < 50 {
			t.Errorf("%s: only %d of 1000 hands may win", preset, won)
		}
	}
}

func TestHandFigures(t *testing.T) {
	r, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	if ns, err := Scoring(r, time.Millisecond); err != nil || ns <= 0 {
		t.Errorf("scoring: %v, %v", ns, err)
	}
	if s := MeasureShanten(5, time.Millisecond); s.Counts <= 0 || s.Cached <= 0 {
		t.Errorf("shanten: %+v", s)
	}
	if ns := Shuffle(time.Millisecond); ns <= 0 {
		t.Errorf("shuffle: %v", ns)
	}
}

// BenchmarkPlay plays matches of every family by random, greedy and value players.
func BenchmarkPlay(b *testing.B) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "zung_jung", "hkma_hktw", "hk_old_style", "taiwanese"} {
		// Random players hardly ever win, and in hktw a draw keeps the deal.
		r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(20)})
		if err != nil {
			b.Fatal(err)
		}
		for _, spec := range []string{"random", "greedy", "value"} {
			newAgent := maker(b, spec)
			b.Run(preset+"/"+spec, func(b *testing.B) {
				list := [sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()}
				var m sim.Match
				var hands, decisions uint64
				for b.Loop() {
					m.Seed++
					m.Play(r, &list)
					hands += uint64(len(m.Hands))
					decisions += uint64(len(m.Actions))
				}
				b.ReportAllocs()
				b.ReportMetric(float64(hands)/b.Elapsed().Seconds(), "hands/s")
				b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
			})
		}
	}
}
