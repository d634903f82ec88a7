package fitting_test

import (
	"math"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/belief"
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
			all := s.All()
			n := float64(all.Counts)
			t.Logf("%d counts: %.4f by chance, %.4f by beliefs", all.Counts, all.EvenTiles/n, all.OddsTiles/n)
			const margin = 0.015
			if all.OddsTiles/n > all.EvenTiles/n-margin {
				t.Errorf("by chance %.4f, by beliefs %.4f nats a count; want %.3f less", all.EvenTiles/n, all.OddsTiles/n, margin)
			}
			for k := range s {
				o := &s[k]
				if o.Hands == 0 || fitting.OpponentKind(k) == fitting.OpponentDeclared {
					continue
				}
				hands := float64(o.Hands)
				believed, dealt := o.BelievedReady/hands, o.OddsDealt/hands
				const most = 0.05
				if math.Abs(dealt-believed) > most {
					t.Errorf("%v: %.3f of the hands are believed to be ready, %.3f are dealt ready", fitting.OpponentKind(k), believed, dealt)
				}
			}
		})
	}
}
