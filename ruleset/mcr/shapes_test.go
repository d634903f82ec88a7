package mcr_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// slowWaits tries one more tile of each kind, be it a fifth.
func slowWaits(h *hand.Hand, melds int, cfg *mcr.Config) (waits tile.Set) {
	var counts [34]int
	for t, n := range h.Counts() {
		counts[t] = int(n)
	}
	for t := range counts {
		counts[t]++
		complete := isStandard(counts, 4-melds)
		if melds == 0 {
			complete = complete || isPairs(counts, cfg.PairsQuads) || isOrphans(counts) || isHonorsAndKnitted(counts)
		}
		for _, body := range slowBodies {
			rest, ok := withoutBody(counts, body)
			complete = complete || ok && melds <= 1 && isStandard(rest, 1-melds)
		}
		if complete {
			waits |= tile.Kind(t).Bit()
		}
		counts[t]--
	}
	return waits
}

// slowShanten looks for the complete hand that misses the fewest tiles.
func slowShanten(h *hand.Hand, melds int, cfg *mcr.Config) int {
	var held, target [34]int
	for t, n := range h.Counts() {
		held[t] = int(n)
	}
	best := 99
	// want adds tiles to the target and returns how many of them are missing, or
	// too many if there is a fifth.
	want := func(tiles []int) (missing int) {
		for _, t := range tiles {
			target[t]++
			if target[t] > held[t] {
				missing++
			}
			if target[t] > 4 {
				missing += 99
			}
		}
		return missing
	}
	drop := func(tiles []int) {
		for _, t := range tiles {
			target[t]--
		}
	}
	var fill func(sets, from, missing int)
	fill = func(sets, from, missing int) {
		if missing >= best {
			return
		}
		if sets == 0 {
			for t := range 34 {
				pair := []int{t, t}
				best = min(best, missing+want(pair))
				drop(pair)
			}
			return
		}
		for i := from; i < 2*34; i++ {
			s := slowSet{first: i / 2, chow: i%2 == 1}
			if s.chow && (isHonor(s.first) || rank(s.first) > 7) {
				continue
			}
			fill(sets-1, i, missing+want(s.tiles()))
			drop(s.tiles())
		}
	}
	fill(4-melds, 0, 0)
	if melds <= 1 {
		for _, body := range slowBodies {
			fill(1-melds, 0, want(body))
			drop(body)
		}
	}
	if melds == 0 {
		best = min(best, slowSpecial(&held, cfg))
	}
	return best - 1
}

// slowSpecial returns the number of tiles missing to seven pairs, thirteen
// orphans, or honors and knitted tiles.
func slowSpecial(held *[34]int, cfg *mcr.Config) int {
	const far = 99
	// least[n] is the number of tiles missing to n pairs of the kinds so far.
	least := [8]int{0, far, far, far, far, far, far, far}
	most := 1
	if cfg.PairsQuads {
		most = 2
	}
	for _, n := range held {
		for pairs := 7; pairs > 0; pairs-- {
			for k := 1; k <= min(most, pairs); k++ {
				least[pairs] = min(least[pairs], least[pairs-k]+max(0, 2*k-n))
			}
		}
	}
	best := least[7]
	for twice, n := range held {
		if !isTerminal(twice) && !isHonor(twice) {
			continue
		}
		missing := 0
		for t, n := range held {
			if (isTerminal(t) || isHonor(t)) && t != twice && n == 0 {
				missing++
			}
		}
		best = min(best, missing+max(0, 2-n))
	}
	for _, body := range slowBodies {
		single := 0
		for t := 27; t < 34; t++ {
			single += min(held[t], 1)
		}
		for _, t := range body {
			single += min(held[t], 1)
		}
		best = min(best, 14-min(single, 14))
	}
	return best
}

// nearHand returns a hand some tiles away from complete, with its melds; extra
// is 1 before a draw, 2 after it.
func nearHand(rng *rand.Rand, extra, changes int) ruleset.Win {
	w := randomWin(rng)
	for range changes {
		if k := tile.Kind(rng.IntN(tile.NumKinds)); w.Hand.Count(k) < 4 {
			w.Hand.Remove(handgen.KindOf(rng, w.Hand.Kinds()))
			w.Hand.Add(k)
		}
	}
	if extra == 1 {
		w.Hand.Remove(handgen.KindOf(rng, w.Hand.Kinds()))
	}
	return w
}

func TestWaitsAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 13))
	for _, r := range variants(t) {
		for range rulestest.Sample(3000, 50_000) {
			w := nearHand(rng, 1, rng.IntN(3))
			melds := int(w.NumMelds)
			if got, want := r.scorer.Waits(&w.Hand, melds), slowWaits(&w.Hand, melds, r.config); got != want {
				t.Fatalf("%s under %s: waits %v, want %v", handText(&w), r.name, got, want)
			}
		}
	}
}

func TestShantenAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	list := variants(t)
	for i := range rulestest.Sample(2000, 100_000) {
		r := list[i%len(list)]
		w := nearHand(rng, 1+i/len(list)%2, rng.IntN(7))
		melds := int(w.NumMelds)
		if got, want := r.scorer.Shanten(&w.Hand, melds), slowShanten(&w.Hand, melds, r.config); got != want {
			t.Fatalf("%s under %s: shanten %d, want %d", handText(&w), r.name, got, want)
		}
	}
}

// TestShapesAgree holds the answers about shapes against each other: a hand is
// ready that waits for a tile of which it has not all four, and complete if it
// has a value.
func TestShapesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	for _, r := range variants(t) {
		for range rulestest.Sample(3000, 100_000) {
			w := nearHand(rng, 1, rng.IntN(4))
			melds := int(w.NumMelds)
			waits := r.scorer.Waits(&w.Hand, melds)
			live := tile.All &^ w.Hand.AtLeast(4)
			if shanten := r.scorer.Shanten(&w.Hand, melds); shanten < 0 || shanten == 0 != (waits&live != 0) {
				t.Fatalf("%s: shanten %d, waits %v", handText(&w), shanten, waits)
			}
			for ; live != 0; live = live.Rest() {
				full := w
				full.Tile = live.First()
				full.Hand.Add(full.Tile)
				var v ruleset.Value
				r.scorer.Value(&full, &v)
				complete := r.scorer.Shanten(&full.Hand, melds) < 0
				if complete != v.Shape || complete != waits.Has(full.Tile) {
					t.Fatalf("%s: complete %v, value %v, waits %v", handText(&full), complete, v.Shape, waits)
				}
			}
		}
	}
}
