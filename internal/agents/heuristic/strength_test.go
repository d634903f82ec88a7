package heuristic_test

import (
	"math"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

// TestValueBeatsGreedy plays the same walls with a value player in each seat in
// turn among three greedy ones. Its lead, the mean difference of final points,
// must be above zero; with SPARROWHALL_LONG so must its 95 % interval, each set of
// four matches counting as one draw.
func TestValueBeatsGreedy(t *testing.T) {
	for preset, sets := range map[string]int{
		"ema_2016": 20, "mcr_2006": 6, "botzone": 80, "universal": 12, "zung_jung": 12, "hkma_hktw": 50,
	} {
		long := os.Getenv("SPARROWHALL_LONG") != ""
		if long {
			sets *= 25
		}
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			var seats [sim.NumPlayers]*[sim.NumPlayers]sim.Agent
			for p := range seats {
				seats[p] = lineup(t, 1<<p, "value", "greedy")
			}
			var m sim.Match
			sum, squares := 0.0, 0.0
			for i := range sets {
				m.Seed = sim.MatchSeed(1, uint64(i))
				lead := 0.0
				for p := range seats {
					m.Play(r, seats[p])
					total := int32(0)
					for _, points := range m.Final.Points {
						total += points
					}
					own := m.Final.Points[p]
					lead += (float64(own) - float64(total-own)/3) / sim.NumPlayers / float64(r.Unit())
				}
				sum += lead
				squares += lead * lead
			}
			n := float64(sets)
			mean := sum / n
			half := 1.96 * math.Sqrt((squares/n-mean*mean)/(n-1))
			t.Logf("lead %.1f ± %.1f points in %d sets of four matches", mean, half, sets)
			if mean <= 0 || long && mean <= half {
				t.Errorf("no lead")
			}
		})
	}
}

// TestValueWins holds four value players to the share of hands that somebody
// wins, so that defense does not become a habit.
func TestValueWins(t *testing.T) {
	for preset, least := range map[string]float64{
		"ema_2016": 0.8, "mcr_2006": 0.65, "universal": 0.85, "hkma_hktw": 0.85,
	} {
		matches := 12
		if os.Getenv("SPARROWHALL_LONG") != "" {
			matches *= 50
		}
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r := load(t, preset)
			seats := lineup(t, 0xf, "value", "")
			var m sim.Match
			hands, won := 0, 0
			for i := range matches {
				m.Seed = sim.MatchSeed(1, uint64(i))
				m.Play(r, seats)
				hands += len(m.Hands)
				open := true
				for _, e := range m.Events {
					switch e.Type {
					case sim.EvHandStart:
						open = true
					case sim.EvWin:
						if open { // several may win
							won++
						}
						open = false
					}
				}
			}
			share := float64(won) / float64(hands)
			t.Logf("%.1f %% of %d hands are won", 100*share, hands)
			if share < least {
				t.Errorf("%.1f %% of the hands are won, want %.0f %%", 100*share, 100*least)
			}
		})
	}
}
