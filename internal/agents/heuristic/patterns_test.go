package heuristic_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// TestPatternsInPlay counts the patterns in the wins of greedy players under one
// preset of each family and logs those that never occurred. docs/rules lists them
// afterDiscard a long run: SPARROWHALL_LONG=1 go test ./internal/agents/heuristic -run PatternsInPlay -v.
func TestPatternsInPlay(t *testing.T) {
	matches := map[string]int{"ema_2016": 300, "mcr_2006": 60, "zung_jung": 200, "hkma_hktw": 200}
	for preset, n := range matches {
		if os.Getenv("SPARROWHALL_LONG") != "" {
			n *= 500
		}
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			seen := make([]int, len(r.Patterns()))
			seats := lineup(t, 0xf, "greedy", "")
			m := sim.Match{Keep: sim.KeepValues}
			for i := range n {
				m.Seed = sim.MatchSeed(1, uint64(i))
				m.Play(r, seats)
				for _, v := range m.Values {
					for _, p := range v.Patterns[:v.NumPatterns] {
						seen[p.Pattern]++
					}
				}
			}
			var never []string
			for i, p := range r.Patterns() {
				if seen[i] == 0 {
					never = append(never, p.ID)
				}
			}
			if len(never) > len(seen)/2 {
				t.Errorf("%d of %d patterns never occurred", len(never), len(seen))
			}
			t.Logf("%d matches; %d of %d patterns occurred; never: %s", n, len(seen)-len(never), len(seen), strings.Join(never, ", "))
		})
	}
}
