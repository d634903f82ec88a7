package hand

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

func TestShanten(t *testing.T) {
	tests := []struct {
		hand string
		sets int
		want int
	}{
		{"123m456p789s11122z", 4, -1},
		{"123m456p789s1112z", 4, 0},
		{"147m258p369s1234z", 4, 8},
		{"147m258p369s12345z", 4, 8},
		{"1111z", 1, 1},           // there is no fifth East to wait for
		{"123456789m1111z", 4, 1}, // likewise
		{"1111222233334z", 4, 3},  // three triplets, 44z and a whole set to come
		{"11112222333344z", 4, 2}, // now with the pair
		{"1111222233334m", 4, 0},  // a sequence takes the fourth copies
		{"5m", 0, 0},
		{"55m", 0, -1},
		{"19m", 0, 0},
		{"112233445566m789p11s", 5, -1},
		{"147m258p369s1234567z", 5, 10},
	}
	for _, tt := range tests {
		h := read(t, tt.hand)
		if got := h.Shanten(tt.sets); got != tt.want {
			t.Errorf("%s: Shanten(%d) = %d, want %d", tt.hand, tt.sets, got, tt.want)
		}
	}
}

func TestShantenAgainstSlow(t *testing.T) {
	for extra := 1; extra <= 2; extra++ {
		eachHand(t, sample(2000, 520_000), extra, func(t *testing.T, h *Hand, sets int) {
			if got, want := h.Shanten(sets), slowShanten(h.Counts(), sets); got != want {
				t.Errorf("Shanten(%d) = %d, want %d", sets, got, want)
			}
			if got, want := ClassesOf(h.Counts()), h.Classes(); got != want {
				t.Errorf("ClassesOf = %v, want %v", got, want)
			}
		})
	}
}

// TestClassOf keeps classes up to date the way a player does.
func TestClassOf(t *testing.T) {
	eachHand(t, sample(2000, 200_000), 2, func(t *testing.T, h *Hand, _ int) {
		classes := h.Classes()
		for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			h.Remove(k)
			classes[k.Suit()] = ClassOf(k.Suit(), h.Code(k.Suit()))
			if classes != h.Classes() {
				t.Errorf("without %v: %v, want %v", k, classes, h.Classes())
			}
		}
	})
}

// TestTableSizes checks that the tables are exactly as large as the constants
// say.
func TestTableSizes(t *testing.T) {
	if n := slices.Max(suitClass[:suitCodes]); n != 186 {
		t.Errorf("%d classes of suits, want 187", n+1)
	}
	if n := slices.Max(honorClass[:honorCodes]); n != suitClasses-1 {
		t.Errorf("%d classes of suits and honors, want %d", n+1, suitClasses)
	}
	var most uint16
	for _, sums := range combined {
		most = max(most, slices.Max(sums[:]))
	}
	if most != numClasses-1 {
		t.Errorf("%d classes, want %d", most+1, numClasses)
	}
}

func TestUseful(t *testing.T) {
	tests := []struct {
		hand string
		sets int
		want tile.Set
	}{
		{"123m456p789s1112z", 4, tile.South.Bit()},
		{"23m456p789s11122z", 4, 1<<0 | 1<<3},
		{"1111z", 1, tile.All &^ tile.East.Bit()},
		{"5555m", 1, tile.All &^ (1 << 4)},
		{"5m", 0, 1 << 4},
	}
	for _, tt := range tests {
		h := read(t, tt.hand)
		if got := h.Ukeire(tt.sets); got != tt.want {
			t.Errorf("%s: Useful(%d) = %v, want %v", tt.hand, tt.sets, got, tt.want)
		}
	}
}

func TestUsefulAgainstSlow(t *testing.T) {
	eachHand(t, sample(400, 100_000), 1, func(t *testing.T, h *Hand, sets int) {
		now := slowShanten(h.Counts(), sets)
		var want tile.Set
		for k := range tile.Kind(tile.NumKinds) {
			c := *h.Counts()
			c[k]++
			if c[k] <= 4 && reachable(&c, &counts{}, 0, sets, now) {
				want |= k.Bit()
			}
		}
		if got := h.Ukeire(sets); got != want {
			t.Errorf("Useful(%d) = %v, want %v", sets, got, want)
		}
	})
}

// usefulByShanten draws each kind.
func usefulByShanten(h Hand, sets int) (ukeire tile.Set) {
	now := h.Shanten(sets)
	for kinds := tile.All &^ h.AtLeast(4); kinds != 0; kinds = kinds.Rest() {
		k := kinds.First()
		h.Add(k)
		if h.Shanten(sets) < now {
			ukeire |= k.Bit()
		}
		h.Remove(k)
	}
	return ukeire
}

func TestUsefulAgainstShanten(t *testing.T) {
	eachHand(t, sample(20_000, 1_000_000), 1, func(t *testing.T, h *Hand, sets int) {
		if got, want := h.Ukeire(sets), usefulByShanten(*h, sets); got != want {
			t.Errorf("Useful(%d) = %v, want %v", sets, got, want)
		}
	})
}

// TestOf looks at the tiles of some kinds of hands that are whole, a tile short, or
// have tiles taken out, as those are that lack tiles of certain sets.
func TestOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	among := []tile.Set{tile.All, tile.Simples, tile.Orphans, tile.SuitSet(1), tile.SuitSet(2) | tile.HonorSet, tile.HonorSet, 0}
	for _, extra := range []int{0, 1, 2} {
		eachHand(t, sample(3_000, 200_000), extra, func(t *testing.T, h *Hand, sets int) {
			kinds := among[rng.IntN(len(among))]
			var of Hand
			for set := h.Kinds() & kinds; set != 0; set = set.Rest() {
				for range h.Count(set.First()) {
					of.Add(set.First())
				}
			}
			if got, want := h.ShantenOf(kinds, sets), of.Shanten(sets); got != want {
				t.Errorf("ShantenOf(%v, %d) = %d, want %d", kinds, sets, got, want)
			}
			if got, want := h.UkeireOf(kinds, sets), usefulByShanten(of, sets)&kinds; got != want {
				t.Errorf("UkeireOf(%v, %d) = %v, want %v", kinds, sets, got, want)
			}
		})
	}
}

// Tiles that are set aside count as if they were not held.
func TestShantenWithout(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for _, extra := range []int{1, 2} {
		eachHand(t, sample(3_000, 200_000), extra, func(t *testing.T, h *Hand, sets int) {
			var taken [3]tile.Set
			rest := *h
			for range 1 + rng.IntN(9) {
				k := tile.Kind(rng.IntN(tile.NumKinds))
				i := 0
				for i < len(taken) && taken[i].Has(k) {
					i++
				}
				if i == len(taken) {
					continue
				}
				taken[i] |= k.Bit()
				if rest.Count(k) > 0 {
					rest.Remove(k)
				}
			}
			kinds := tile.Set(rng.Uint64()|rng.Uint64()) & tile.All
			if got, want := h.ShantenWithout(&taken, kinds, sets), rest.ShantenOf(kinds, sets); got != want {
				t.Errorf("ShantenWithout(%v, %v, %d) = %d, want %d", taken, kinds, sets, got, want)
			}
		})
	}
}

func TestDiscardsAgainstShanten(t *testing.T) {
	eachHand(t, sample(10_000, 1_000_000), 2, func(t *testing.T, h *Hand, sets int) {
		var want []Discard
		least := int8(MaxDiscards)
		for kinds := h.Kinds(); kinds != 0; kinds = kinds.Rest() {
			k := kinds.First()
			rest := *h
			rest.Remove(k)
			shanten := int8(rest.Shanten(sets))
			least = min(least, shanten)
			want = append(want, Discard{k, shanten, usefulByShanten(rest, sets)})
		}
		var dst [MaxDiscards]Discard
		if got := dst[:h.Discards(sets, &dst)]; !slices.Equal(got, want) {
			t.Errorf("Discards(%d) = %v, want %v", sets, got, want)
		}
		want = slices.DeleteFunc(want, func(d Discard) bool { return d.Shanten > least })
		if got := dst[:h.BestDiscards(sets, &dst)]; !slices.Equal(got, want) {
			t.Errorf("BestDiscards(%d) = %v, want %v", sets, got, want)
		}
		if least > 0 {
			want = nil
		}
		if got := dst[:h.ReadyDiscards(sets, &dst)]; !slices.Equal(got, want) {
			t.Errorf("ReadyDiscards(%d) = %v, want %v", sets, got, want)
		}
	})
}

// TestDiscardsOf compares with what is told of the hand without each kind.
func TestDiscardsOf(t *testing.T) {
	flush := tile.SuitSet(tile.Dots) | tile.HonorSet
	eachHand(t, sample(5_000, 500_000), 2, func(t *testing.T, h *Hand, sets int) {
		for _, kinds := range []tile.Set{tile.All, tile.Simples, flush, tile.SuitSet(tile.Bamboo)} {
			tried := h.Kinds() & kinds & 0x2_aaaa_aaf7
			for most := range 4 {
				var want []Discard
				for rest := tried; rest != 0; rest = rest.Rest() {
					after := *h
					after.Remove(rest.First())
					if d := after.ShantenOf(kinds, sets); d <= most {
						want = append(want, Discard{rest.First(), int8(d), after.UkeireOf(kinds, sets)})
					}
				}
				var dst [MaxDiscards]Discard
				if got := dst[:h.DiscardsOf(kinds, tried, sets, most, &dst)]; !slices.Equal(got, want) {
					t.Errorf("DiscardsOf(%v, %v, %d, %d) = %v, want %v", kinds, tried, sets, most, got, want)
				}
			}
		}
	})
}

// TestWrongSize asks about hands that the number of sets does not fit.
func TestWrongSize(t *testing.T) {
	var discards [MaxDiscards]Discard
	before, after := read(t, "123m456p789s1112z"), read(t, "123m456p789s11122z")
	if after.Waits(4) != 0 || before.Waits(3) != 0 || after.Ukeire(4) != 0 || before.Ukeire(3) != 0 {
		t.Error("waits or ukeire kinds for a hand of the wrong size")
	}
	if before.Complete(4) || after.Complete(3) || after.Complete(5) {
		t.Error("complete with the wrong size")
	}
	if number(after.Divisions(3))+number(before.Divisions(4)) != 0 {
		t.Error("divisions of a hand of the wrong size")
	}
	if before.Discards(4, &discards)+after.Discards(3, &discards)+before.BestDiscards(4, &discards)+before.ReadyDiscards(4, &discards) != 0 {
		t.Error("discards from a hand of the wrong size")
	}
}
