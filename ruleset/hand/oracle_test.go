package hand

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// sample returns quick, or long when SPARROWHALL_LONG selects the long tests.
func sample(quick, long int) int {
	if os.Getenv("SPARROWHALL_LONG") == "" {
		return quick
	}
	return long
}

type counts = [tile.NumKinds]uint8

// deal returns a random hand of 3*sets+extra tiles, extra 1 or 2. Plain deals
// are rarely near ready and spread over all suits, so most are drawn from less
// than the whole wall, and half are made of complete hands by exchanging up to
// three tiles.
func deal(rng *rand.Rand, sets, extra int) Hand {
	kinds := tile.All
	switch rng.IntN(8) {
	case 0: // one suit
		kinds = tile.SuitSet(tile.Suit(rng.IntN(3)))
	case 1: // one suit and honors
		kinds = tile.SuitSet(tile.Suit(rng.IntN(3))) | tile.HonorSet
	case 2: // two suits
		kinds = tile.Suited &^ tile.SuitSet(tile.Suit(rng.IntN(3)))
	case 3: // terminals and honors
		kinds = tile.Orphans
	case 4: // few kinds, so many quads
		for kinds.Len() > sets+2 {
			kinds &^= tile.Kind(rng.IntN(tile.NumKinds)).Bit()
		}
	}
	var c counts
	n := 0
	put := func(tiles ...tile.Kind) {
		for _, k := range tiles {
			c[k]++
			n++
		}
	}
	take := func() {
		for {
			if k := rng.IntN(tile.NumKinds); c[k] > 0 {
				c[k]--
				n--
				return
			}
		}
	}
	if rng.IntN(2) == 0 {
		for left := 50 * sets; n < 3*sets && left > 0; left-- {
			if b := blocks[rng.IntN(len(blocks))]; fits(&c, kinds, b[:]...) {
				put(b[:]...)
			}
		}
		for left := 50; n == 3*sets && left > 0; left-- {
			if k := tile.Kind(rng.IntN(tile.NumKinds)); fits(&c, kinds, k, k) {
				put(k, k)
			}
		}
		for range min(n, rng.IntN(4)) {
			take()
		}
		if n > 3*sets+extra {
			take()
		}
	}
	for n < 3*sets+extra {
		if k := tile.Kind(rng.IntN(tile.NumKinds)); fits(&c, kinds, k) {
			put(k)
		}
	}
	return FromCounts(&c)
}

// fits reports whether the tiles are of the given kinds and can join c.
func fits(c *counts, kinds tile.Set, tiles ...tile.Kind) bool {
	more := *c
	for _, k := range tiles {
		more[k]++
		if !kinds.Has(k) || more[k] > 4 {
			return false
		}
	}
	return true
}

// eachHand calls check with n random hands of all sizes that stand before
// (extra 1) or after (extra 2) a draw.
func eachHand(t *testing.T, n, extra int, check func(t *testing.T, h *Hand, sets int)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(extra)))
	for i := range n {
		sets := [...]int{4, 5, 4, 5, 0, 1, 2, 3}[i%8] // half of the hands are whole
		h := deal(rng, sets, extra)
		check(t, &h, sets)
		if t.Failed() {
			t.Fatalf("hand %v", text(&h))
		}
	}
}

func text(h *Hand) string {
	var faces []tile.Face
	for k, n := range h.Counts() {
		for range n {
			faces = append(faces, tile.Face(k))
		}
	}
	return tile.FormatFaces(faces)
}

func read(t testing.TB, s string) Hand {
	t.Helper()
	faces, err := tile.ParseFaces(s)
	if err != nil {
		t.Fatal(err)
	}
	var h Hand
	for _, f := range faces {
		h.Add(f.Kind())
	}
	return h
}

// blocks are all sets there are.
var blocks = func() (all [][3]tile.Kind) {
	for k := range tile.Kind(tile.NumKinds) {
		all = append(all, [3]tile.Kind{k, k, k})
		if !k.IsHonor() && k.Rank() <= 6 {
			all = append(all, [3]tile.Kind{k, k + 1, k + 2})
		}
	}
	return all
}()

// slowShanten tries all complete hands that are nearer and nearer.
func slowShanten(c *counts, sets int) int {
	for missing := 0; ; missing++ {
		var target counts
		if reachable(c, &target, 0, sets, missing) {
			return missing - 1
		}
	}
}

// reachable reports whether target, filled up with sets sets from the given
// block on and a pair, can miss at most the given number of tiles in c.
func reachable(c, target *counts, first, sets, missing int) bool {
	// add puts tiles into the target and returns how many more are missing, or
	// too many for a fifth tile of a kind.
	add := func(tiles ...tile.Kind) (cost int) {
		for _, k := range tiles {
			target[k]++
			if target[k] > 4 {
				cost += 100
			}
			if target[k] > c[k] {
				cost++
			}
		}
		return cost
	}
	remove := func(tiles ...tile.Kind) {
		for _, k := range tiles {
			target[k]--
		}
	}
	if sets == 0 {
		for k := range tile.Kind(tile.NumKinds) {
			cost := add(k, k)
			remove(k, k)
			if cost <= missing {
				return true
			}
		}
		return false
	}
	for i := first; i < len(blocks); i++ {
		b := blocks[i]
		cost := add(b[:]...)
		ok := cost <= missing && reachable(c, target, i, sets-1, missing-cost)
		remove(b[:]...)
		if ok {
			return true
		}
	}
	return false
}

// slowDivisions returns all ways to take sets sets and a pair out of c until
// nothing is left.
func slowDivisions(c *counts, sets int) []Division {
	var all []Division
	rest := *c
	var sofar Division
	var divide func(first, n int)
	divide = func(first, n int) {
		if n == sets {
			if rest == (counts{}) {
				all = append(all, sofar)
			}
			return
		}
		for i := first; i < len(blocks); i++ {
			b := blocks[i]
			taken := 0
			for taken < 3 && rest[b[taken]] > 0 {
				rest[b[taken]]--
				taken++
			}
			if taken == 3 {
				before := sofar
				if b[0] == b[1] {
					sofar.runsAndTriplets |= uint64(b[0].Bit()) << suitsBits
				} else {
					var runs tile.Copies
					sofar.AddRuns(&runs)
					runs.Add(b[0].Bit())
					sofar.runsAndTriplets |= uint64(runs[0])
					sofar.runs2And3 = uint64(runs[1] | runs[2]<<suitsBits)
					sofar.pairAndRuns4 |= uint64(runs[3]) << suitsBits
				}
				divide(i, n+1)
				sofar = before
			}
			for _, k := range b[:taken] {
				rest[k]++
			}
		}
	}
	for k := range tile.Kind(tile.NumKinds) {
		if rest[k] >= 2 {
			rest[k] -= 2
			sofar.Pair = k
			sofar.pairAndRuns4 = uint64(k.Bit() & tile.Suited)
			divide(0, 0)
			rest[k] += 2
		}
	}
	return all
}

// slowWaits tries one more tile of each kind, be it a fifth.
func slowWaits(c *counts, sets int) tile.Set {
	var waits tile.Set
	for k := range tile.Kind(tile.NumKinds) {
		more := *c
		more[k]++
		if len(slowDivisions(&more, sets)) > 0 {
			waits |= k.Bit()
		}
	}
	return waits
}
