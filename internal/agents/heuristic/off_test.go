package heuristic

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// TestPatternsOff asks the players in hands that are worth calling or keeping for
// one pattern alone, and again under a ruleset that does not have it: nobody goes
// for what does not exist.
func TestPatternsOff(t *testing.T) {
	for name, test := range map[string]struct {
		pattern   string
		setup     setup
		p         sim.Player
		with, off string
		players   []string
	}{
		"simples": {
			"tanyao", setup{
				preset: "ema_2016", dora: "4s", draws: "5m", script: []string{"0: discard drawn"},
				hands: [sim.NumPlayers]string{"9m", "23467m34567p55s8s"},
			}, 1, "chi low", "pass", []string{"greedy", "value"},
		},
		"all triplets": {
			"toitoi", setup{
				preset: "ema_2016", dora: "3p", draws: "9m", script: []string{"0: discard drawn"},
				hands: [sim.NumPlayers]string{"8m", "111m99m444p88p3s7s2z"},
			}, 1, "pon", "pass", []string{"greedy", "value"},
		},
		"like sequences": {
			"mixed_triple_chow", setup{
				preset: "mcr_2006", draws: "5s",
				hands: [sim.NumPlayers]string{"234m23455678p24s"},
			}, 0, "discard drawn", "discard 5p", []string{"greedy"}, // for value, closed waits are worth a point as well
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, knobs := range []map[string]any{nil, {"patterns." + test.pattern: "off"}} {
				test.setup.knobs = knobs
				want := test.with
				if knobs != nil {
					want = test.off
				}
				value, err := NewValue("")
				if err != nil {
					t.Fatal(err)
				}
				agents := map[string]sim.Agent{"greedy": NewGreedy(), "value": value()}
				for _, name := range test.players {
					table := test.setup.play(t, test.p)
					if a := agents[name].Act(table.View(test.p)); a.String() != want {
						t.Errorf("%s, %v: %v, want %s", name, knobs, a, want)
					}
				}
			}
		})
	}
}
