package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
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

// The bound by which a far hand is told is never above what its shanten is found to be,
// nor does a hand that it calls far wait, be it for a fifth tile. Of hands of tiles that
// do not fit together it is seldom the bound that says nothing.
func TestShantenLowerBound(t *testing.T) {
	for _, preset := range []string{"ema_2016", "mcr_2006", "zung_jung", "hkma_hktw"} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(9, 10))
		far, told := 0, 0
		for i := range sample(100_000, 10_000_000) {
			melds := make([]hand.Meld, rng.IntN(4))
			for m := range melds {
				melds[m] = hand.Meld{Type: hand.MeldType(rng.IntN(5)), Kind: tile.Kind(rng.IntN(7))}
			}
			kinds := denseKinds(rng, r.HandSize/3-len(melds))
			for k := range tile.Kind(tile.NumKinds) {
				if i%2 == 0 || i%8 == 1 && tile.Orphans.Has(k) {
					kinds = append(kinds, k)
				}
			}
			var h hand.Hand
			for h.Len() < r.HandSize-3*len(melds) {
				if k := kinds[rng.IntN(len(kinds))]; h.Count(k) < 4 {
					h.Add(k)
				}
			}
			shanten, bound := r.HandShanten(&h, melds), r.ShantenLowerBound(&h, melds)
			if bound > shanten {
				t.Fatalf("%s: %v with %v: bound %d, shanten %d", preset, h.Counts(), melds, bound, shanten)
			}
			if w := r.HandWaits(&h, melds); bound > sim.MaxWaitingShanten && w != 0 {
				t.Fatalf("%s: %v with %v: bound %d, but it waits for %v", preset, h.Counts(), melds, bound, w)
			}
			if i%2 == 0 && len(melds) > 1 && shanten > sim.MaxWaitingShanten {
				far++
				if bound > sim.MaxWaitingShanten {
					told++
				}
			}
		}
		if 3*told < 2*far {
			t.Errorf("%s: of %d hands that are far from ready only %d are told to be", preset, far, told)
		}
	}
}

// denseKinds returns a kind or two more than there are sets, mostly neighbors.
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
