package fitting_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/insight/belief"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/tools/fitting"
)

// TestRedeals checks that redeals by beliefs predict hands clearly better than uniform ones,
// in every family.
func TestRedeals(t *testing.T) {
	newValue, err := agents.New("value")
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.Load(preset)
			if err != nil {
				t.Fatal(err)
			}
			var seats [sim.NumPlayers]sim.Agent
			for p := range seats {
				seats[p] = newValue()
			}
			var s fitting.RedealScore
			var reader belief.Estimator
			for i := range uint64(2) {
				m := &sim.Match{Index: i, Seed: sim.MatchSeed(11, i)}
				m.Play(r, &seats)
				if err := s.Add(r, m, &reader, 30, 60); err != nil {
					t.Fatal(err)
				}
			}
			n := float64(s.Counts)
			t.Logf("%d counts: %.4f by chance, %.4f by beliefs", s.Counts, s.Even/n, s.Believed/n)
			const margin = 0.015
			if s.Believed/n > s.Even/n-margin {
				t.Errorf("by chance %.4f, by beliefs %.4f nats a count; want %.3f less", s.Even/n, s.Believed/n, margin)
			}
		})
	}
}
