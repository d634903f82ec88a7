package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jansou/jansou/configs"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// The table looks for waits only near a ready hand. A hand that waits, be it for a
// fifth tile, is nowhere farther than it looks: here are hands of few kinds, of which
// many hold all four tiles.
func TestWaitsAreNear(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw"} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(7, 8))
		waiting, used := 0, 0
		for range sample(300_000, 10_000_000) {
			melds := rng.IntN(3)
			kinds := denseKinds(rng, r.HandSize/3-melds)
			var h hand.Hand
			for h.Len() < r.HandSize-3*melds {
				if k := kinds[rng.IntN(len(kinds))]; h.Count(k) < 4 {
					h.Add(k)
				}
			}
			waits := r.Waits(&h, melds)
			if waits == 0 {
				continue
			}
			waiting++
			if waits&^h.AtLeast(4) == 0 {
				used++
			}
			if n := r.Shanten(&h, melds); n > sim.MaxWaitingShanten {
				t.Fatalf("%s: %v with %d melds waits for %v at %d-shanten", preset, h.Counts(), melds, waits, n)
			}
		}
		if waiting < 1000 || used < 10 {
			t.Errorf("%s: only %d hands wait, %d of them for a fifth tile", preset, waiting, used)
		}
	}
}

// denseKinds returns a kind or two more than there are sets, mostly neighbours.
func denseKinds(rng *rand.Rand, sets int) []tile.Kind {
	var kinds []tile.Kind
	k := tile.Kind(rng.IntN(tile.NumKinds))
	for n := sets + 1 + rng.IntN(3); len(kinds) < n; k = (k + 1) % tile.NumKinds {
		if rng.IntN(4) == 0 {
			k = tile.Kind(rng.IntN(tile.NumKinds))
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
