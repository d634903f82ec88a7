package heuristic

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// TestNovice compares what the lower levels and greedy discard: far from a win greedy gives up
// a wind, the novices a terminal without neighbors. Of a ready hand level 2 keeps the waits.
func TestNovice(t *testing.T) {
	for name, test := range map[string]struct {
		setup
		greedy, first, second string
	}{
		"far": {
			setup{preset: "ema_2016", hands: [sim.NumPlayers]string{"12m33577p24578s3z"}, dora: "7z", draws: "9m"},
			"discard 3z", "discard drawn", "discard drawn",
		},
		"ready": {
			setup{preset: "zung_jung", hands: [sim.NumPlayers]string{"123m567p12399s46s"}, draws: "1z"},
			"discard drawn", "discard 6s", "discard drawn",
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := test.play(t, 0)
			for agent, want := range map[sim.Agent]string{
				NewGreedy(): test.greedy, newLevel(1)(): test.first, newLevel(2)(): test.second,
			} {
				if a := agent.Act(table.View(0)); a.String() != want {
					t.Errorf("%T: %v, want %s", agent, a, want)
				}
			}
		})
	}
}
