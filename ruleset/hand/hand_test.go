package hand

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// TestAddSet compares with adding the tiles one by one.
func TestAddSet(t *testing.T) {
	for k := range tile.Kind(tile.NumKinds) {
		sets := []Set{Triplet(k)}
		if tile.Sequences.Has(k) {
			sets = append(sets, Sequence(k))
		}
		for held := range 625 {
			var counts [tile.NumKinds]uint8
			for i := range min(4, tile.Kind(tile.NumKinds)-k) {
				counts[k+i] = uint8(held / [...]int{1, 5, 25, 125}[i] % 5)
			}
			for _, s := range sets {
				got, want := FromCounts(&counts), FromCounts(&counts)
				fits := true
				for set := s.Kinds(); set != 0; set = set.Rest() {
					for range 3 / s.Kinds().Len() {
						if fits = fits && want.Count(set.First()) < 4; fits {
							want.Add(set.First())
						}
					}
				}
				if !fits {
					continue
				}
				if got.AddSet(s); got != want {
					t.Fatalf("%v to %v: %+v, want %+v", s, counts, got, want)
				}
			}
		}
	}
}

// TestAddRemove checks every figure a hand keeps against its counts.
func TestAddRemove(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	var h Hand
	var c counts
	for range sample(20_000, 2_000_000) {
		k := tile.Kind(rng.IntN(tile.NumKinds))
		switch add := rng.IntN(2) == 0; {
		case add && c[k] < 4 && h.Len() < 3*MaxSets+2:
			h.Add(k)
			c[k]++
		case !add && c[k] > 0:
			h.Remove(k)
			c[k]--
		default:
			continue
		}
		if h != FromCounts(&c) || *h.Counts() != c || h.Count(k) != int(c[k]) {
			t.Fatalf("after a change of %v: %+v", k, h)
		}
		n, codes := 0, [4]uint32{}
		for k := range tile.Kind(tile.NumKinds) {
			n += int(c[k])
			codes[k.Suit()] += uint32(c[k]) * pow5[k]
			for i := 1; i <= 4; i++ {
				if h.AtLeast(i).Has(k) != (int(c[k]) >= i) {
					t.Fatalf("AtLeast(%d) = %v of %v", i, h.AtLeast(i), text(&h))
				}
			}
		}
		if h.Len() != n || h.Kinds() != h.AtLeast(1) {
			t.Fatalf("Len %d, Kinds %v of %v", h.Len(), h.Kinds(), text(&h))
		}
		for s, code := range codes {
			if s := tile.Suit(s); h.Code(s) != code {
				t.Fatalf("Code(%d) = %d, want %d", s, h.Code(s), code)
			}
		}
	}
}

func TestMeld(t *testing.T) {
	tests := []struct {
		meld       Meld
		name       string
		size       int
		open, kan  bool
		kind, next int // tiles of Kind and of the kind after it
	}{
		{Meld{Type: Chi, Kind: 3}, "chi", 3, true, false, 1, 1},
		{Meld{Type: Pon, Kind: 3}, "pon", 3, true, false, 3, 0},
		{Meld{Type: OpenKan, Kind: 3}, "open_kan", 4, true, true, 4, 0},
		{Meld{Type: AddedKan, Kind: 3}, "added_kan", 4, true, true, 4, 0},
		{Meld{Type: ClosedKan, Kind: 3}, "closed_kan", 4, false, true, 4, 0},
	}
	for _, tt := range tests {
		m := tt.meld
		if m.Type.String() != tt.name || m.Size() != tt.size || m.IsOpen() != tt.open || m.Type.IsKan() != tt.kan {
			t.Errorf("%v: size %d, open %v, kan %v", m.Type, m.Size(), m.IsOpen(), m.Type.IsKan())
		}
		if m.Count(3) != tt.kind || m.Count(4) != tt.next || m.Count(2) != 0 || m.Count(6) != 0 {
			t.Errorf("%v of 4m: %d 4m, %d 5m, %d 3m, %d 7m", m.Type, m.Count(3), m.Count(4), m.Count(2), m.Count(6))
		}
	}
}

func TestNoAllocations(t *testing.T) {
	before, after := read(t, "123m405p1178999s11z"), read(t, "234m234p22267888s")
	var discards [MaxDiscards]Discard
	if n := testing.AllocsPerRun(100, func() {
		before.Waits(4)
		before.Shanten(4)
		before.Ukeire(4)
		before.PairsUkeire()
		before.OrphansUkeire()
		after.Complete(4)
		for d := range after.Divisions(4) {
			sink += int(d.Pair)
		}
		after.Discards(4, &discards)
		after.BestDiscards(4, &discards)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FromCounts makes the hand that its tiles make one after another.
func TestFromCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range sample(20_000, 1_000_000) {
		var counts [tile.NumKinds]uint8
		var want Hand
		for range rng.IntN(60) {
			if k := tile.Kind(rng.IntN(tile.NumKinds)); counts[k] < 4 {
				counts[k]++
				want.Add(k)
			}
		}
		if got := FromCounts(&counts); got != want {
			t.Fatalf("%v: %+v, want %+v", counts, got, want)
		}
	}
}
