package agents_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestHandSpread measures the spread that families state, in matches of greedy. Units once stood
// where points belong.
func TestHandSpread(t *testing.T) {
	measured := 0
	for _, preset := range []string{"ema_2016", "mcr_2006", "zung_jung", "hkma_hktw", "hk_old_style", "taiwanese"} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		family := configs.FamilyNamed(r.Family)
		measured++
		players, gains := table(t, "greedy", "greedy"), []float64(nil)
		for seed := range uint64(200) {
			m := sim.Match{Seed: seed}
			m.Play(r, players)
			last, hands := [sim.NumPlayers]int32{}, -1
			err := m.ReplaySteps(r, func(before *sim.Table, _ sim.Player, _ sim.Action, _ []sim.Event) {
				if before == nil || before.Hands() == hands {
					return
				}
				points := before.Points()
				if hands >= 0 {
					for p, before := range last {
						gains = append(gains, float64(points[p]-before))
					}
				}
				last, hands = points, before.Hands()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// The gains of a hand sum to 0, so those of two of four players have the covariance -variance / 3.
		got, want := stat.StdDev(gains, nil)*math.Sqrt(8./3)/float64(r.Unit()), float64(family.Traits.HandSpread)
		t.Logf("%s (%s): %.1f points in %d hands, stated %.0f", family.Name, preset, got, len(gains)/sim.NumPlayers, want)
		if ratio := got / want; !(ratio > 0.75 && ratio < 1.33) {
			t.Errorf("%s: the spread of a hand is %.1f points, Traits.HandSpread is %.0f", preset, got, want)
		}
	}
	if measured != len(configs.Families) {
		t.Errorf("%d families measured, there are %d", measured, len(configs.Families))
	}
}
