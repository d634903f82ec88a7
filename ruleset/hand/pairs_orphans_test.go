package hand

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// slowPairs returns the shanten toward seven pairs, at most perKind of a kind,
// from the tiles held of each kind.
func slowPairs(c *counts, perKind int) int {
	const pairs = 7
	var missing [pairs + 1]int // tiles, by number of pairs chosen so far
	for n := range missing {
		missing[n] = 100 * n
	}
	for _, held := range c {
		for n := pairs; n > 0; n-- {
			for p := 1; p <= min(perKind, n); p++ {
				missing[n] = min(missing[n], missing[n-p]+max(0, 2*p-int(held)))
			}
		}
	}
	return missing[pairs] - 1
}

// slowOrphans returns the shanten toward the thirteen orphans, whichever of
// them is the pair.
func slowOrphans(c *counts) int {
	best := 14
	for pair := tile.Orphans; pair != 0; pair = pair.Rest() {
		missing := 0
		for kinds := tile.Orphans; kinds != 0; kinds = kinds.Rest() {
			want := 1
			if kinds.First() == pair.First() {
				want = 2
			}
			missing += max(0, want-int(c[kinds.First()]))
		}
		best = min(best, missing)
	}
	return best - 1
}

// dealPairs returns a hand of n tiles made mostly of pairs, some of them equal.
func dealPairs(rng *rand.Rand, n int) Hand {
	var c counts
	for left := n; left > 0; {
		k, m := rng.IntN(tile.NumKinds), min(left, 2)
		if rng.IntN(8) == 0 {
			m = 1
		}
		if int(c[k])+m <= 4 {
			c[k] += uint8(m)
			left -= m
		}
	}
	return FromCounts(&c)
}

// dealOrphans returns a hand of n tiles made mostly of different orphans.
func dealOrphans(rng *rand.Rand, n int) Hand {
	var c counts
	for kinds := tile.Orphans; kinds != 0; kinds = kinds.Rest() {
		c[kinds.First()] = 1
	}
	for left := 13; left != n || rng.IntN(3) > 0; {
		k := rng.IntN(tile.NumKinds)
		switch {
		case left < n && c[k] < 4:
			c[k]++
			left++
		case left >= n && c[k] > 0:
			c[k]--
			left--
		}
	}
	return FromCounts(&c)
}

func TestSpecialShapesAgainstSlow(t *testing.T) {
	shapes := []struct {
		name    string
		shanten func(*Hand) int
		ukeire  func(*Hand) tile.Set
		waits   func(*Hand) tile.Set
		slow    func(*counts) int
	}{
		{
			"pairs", (*Hand).PairsShanten, (*Hand).PairsUkeire, (*Hand).PairsWaits,
			func(c *counts) int { return slowPairs(c, 1) },
		},
		{
			"pairs with quads", (*Hand).PairsQuadsShanten, (*Hand).pairsQuadsUkeire, (*Hand).PairsQuadsWaits,
			func(c *counts) int { return slowPairs(c, 2) },
		},
		{"orphans", (*Hand).OrphansShanten, (*Hand).OrphansUkeire, (*Hand).OrphansWaits, slowOrphans},
	}
	for _, shape := range shapes {
		rng := rand.New(rand.NewPCG(3, 0))
		ready, complete := 0, 0
		for i := range sample(5_000, 1_000_000) {
			n := 13 + i%2
			h := deal(rng, 4, n-12)
			switch i / 2 % 3 {
			case 1:
				h = dealPairs(rng, n)
			case 2:
				h = dealOrphans(rng, n)
			}
			c := *h.Counts()
			now := shape.slow(&c)
			if got := shape.shanten(&h); got != now {
				t.Fatalf("%s: %s: shanten %d, want %d", shape.name, text(&h), got, now)
			}
			if now < 0 {
				complete++
			}
			if n == 14 {
				if got := shape.waits(&h); got != 0 {
					t.Fatalf("%s: %s: waits %v after a draw", shape.name, text(&h), got)
				}
				continue
			}
			var ukeire, waits tile.Set
			for k := range tile.Kind(tile.NumKinds) {
				c[k]++
				if c[k] <= 4 && shape.slow(&c) < now {
					ukeire |= k.Bit()
				}
				c[k]--
			}
			if now == 0 {
				waits = ukeire
				ready++
			}
			if got := shape.ukeire(&h); got != ukeire {
				t.Fatalf("%s: %s: ukeire %v, want %v", shape.name, text(&h), got, ukeire)
			}
			if got := shape.waits(&h); got != waits {
				t.Fatalf("%s: %s: waits %v, want %v", shape.name, text(&h), got, waits)
			}
		}
		if ready == 0 || complete == 0 {
			t.Errorf("%s: %d hands ready, %d complete", shape.name, ready, complete)
		}
	}
}
