package hktw_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// TestLikGuShanten compares the distance to a lik gu ([H] 5.1) with what the best of
// all ways to lay out seven pairs and a triplet lacks, for every hand of 16 and 17
// tiles: how many of its kinds it holds once, twice, three and four times says all.
func TestLikGuShanten(t *testing.T) {
	hands := 0
	for quads := range 2 {
		cfg := hktw.Config{LikGuQuads: quads == 1}
		for fours := range 5 {
			for threes := range 6 {
				for twos := range 9 {
					for n := 16; n <= 17; n++ {
						ones := n - 4*fours - 3*threes - 2*twos
						if ones < 0 || fours+threes+twos+ones > tile.NumKinds {
							continue
						}
						hands++
						var h, back hand.Hand // back has the kinds the other way round
						k := tile.Kind(0)
						for size, kinds := range [...]int{1: ones, 2: twos, 3: threes, 4: fours} {
							for range kinds {
								for range size {
									h.Add(k)
									back.Add(tile.Kind(ones+twos+threes+fours-1) - k)
								}
								k++
							}
						}
						want := 16 - likGuKept(h.Counts(), cfg.LikGuQuads)
						if got, too := cfg.LikGuShanten(&h), cfg.LikGuShanten(&back); got != want || too != want {
							t.Errorf("quads %v, %d kinds once, %d twice, %d three, %d four times: distance %d and %d, want %d",
								cfg.LikGuQuads, ones, twos, threes, fours, got, too, want)
						}
					}
				}
			}
		}
	}
	if hands < 200 {
		t.Errorf("%d hands are too few", hands)
	}
}

// likGuKept returns the most tiles that seven pairs and a triplet use of the kinds
// counted: as one of them or, if allowed, two pairs for each kind.
func likGuKept(counts *[tile.NumKinds]uint8, quads bool) int {
	var kept [2][8]int // by triplets and pairs at most
	for _, n := range counts {
		n := int(n)
		for triplets := 1; triplets >= 0; triplets-- {
			for pairs := 7; pairs >= 0; pairs-- {
				best := &kept[triplets][pairs]
				if pairs > 1 && quads {
					*best = max(*best, kept[triplets][pairs-2]+n)
				}
				if pairs > 0 {
					*best = max(*best, kept[triplets][pairs-1]+min(n, 2))
				}
				if triplets > 0 {
					*best = max(*best, kept[0][pairs]+min(n, 3))
				}
			}
		}
	}
	return kept[1][7]
}
