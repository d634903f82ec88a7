package mcr_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// recolor returns the win with its suits exchanged.
func recolor(w *ruleset.Win, to []int) ruleset.Win {
	move := func(k tile.Kind) tile.Kind {
		if k.IsHonor() {
			return k
		}
		return tile.Kind(9*to[k.Suit()] + k.Rank())
	}
	out := *w
	var counts [tile.NumKinds]uint8
	for k, n := range w.Hand.Counts() {
		counts[move(tile.Kind(k))] = n
	}
	out.Hand = hand.FromCounts(&counts)
	out.Tile = move(w.Tile)
	for i := range out.Melds[:out.NumMelds] {
		out.Melds[i].Kind = move(out.Melds[i].Kind)
	}
	return out
}

// TestSymmetry has the same value for melds in any order, and for suits
// exchanged where neither all green nor reversible tiles care.
func TestSymmetry(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	patterns := r.Patterns()
	rng := rand.New(rand.NewPCG(5, 5))
	recolored := 0
	for range rulestest.Sample(20_000, 500_000) {
		w := randomWin(rng)
		var v, other ruleset.Value
		r.Value(&w, &v)
		shuffled := w
		melds := shuffled.Melds[:w.NumMelds]
		rng.Shuffle(len(melds), func(i, j int) { melds[i], melds[j] = melds[j], melds[i] })
		if r.Value(&shuffled, &other); other != v {
			t.Fatalf("%s:\n%s, other order %s", handText(&w), describe(r, &v), describe(r, &other))
		}
		moved := recolor(&w, rng.Perm(3))
		r.Value(&moved, &other)
		colored := false
		for _, v := range []*ruleset.Value{&v, &other} {
			for _, p := range v.Patterns[:v.NumPatterns] {
				id := patterns[p.Pattern].ID
				colored = colored || id == "all_green" || id == "reversible_tiles"
			}
		}
		if colored {
			continue
		}
		recolored++
		if other != v {
			t.Fatalf("%s:\n%s, other suits %s", handText(&w), describe(r, &v), describe(r, &other))
		}
	}
	if recolored == 0 {
		t.Error("no hand has been recolored")
	}
}

// TestFlowersAreApart has flowers count without helping to reach the minimum.
func TestFlowersAreApart(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		w := randomWin(rng)
		w.Flowers = 0
		var bare, flowery ruleset.Value
		r.Value(&w, &bare)
		w.Flowers = 0b01101001
		r.Value(&w, &flowery)
		if flowery.Points != bare.Points+4 || flowery.OK != bare.OK || bare.OK != (bare.Points >= 8) {
			t.Fatalf("%s: %s, with four flowers %s", handText(&w), describe(r, &bare), describe(r, &flowery))
		}
	}
}

// TestRobbedConcealedKong lets only thirteen orphans win on the tile of a
// concealed kong, where the knob lets anybody.
func TestRobbedConcealedKong(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", map[string]any{"rob_closed_kan": "orphans"})
	rng := rand.New(rand.NewPCG(5, 7))
	for range 2000 {
		w := randomWin(rng)
		w.SelfDraw, w.Flags = false, ruleset.FlagRobbingClosedKan
		var v ruleset.Value
		r.Value(&w, &v)
		if orphans := w.Hand.OrphansShanten() < 0 && w.NumMelds == 0; v.OK != orphans {
			t.Fatalf("%s: %s", handText(&w), describe(r, &v))
		}
	}
}

// TestNoAllocations runs what the table calls per decision.
func TestNoAllocations(t *testing.T) {
	r := rulestest.Rules(t, "mcr_2006", nil)
	rng := rand.New(rand.NewPCG(5, 8))
	wins := make([]ruleset.Win, 500)
	for i := range wins {
		wins[i] = randomWin(rng)
	}
	var v ruleset.Value
	var s ruleset.Settlement
	var f ruleset.Final
	allocs := testing.AllocsPerRun(20, func() {
		for i := range wins {
			w := &wins[i]
			r.Value(w, &v)
			r.Waits(&w.Hand, int(w.NumMelds))
			r.Shanten(&w.Hand, int(w.NumMelds))
			r.Liability(w.Melds[:w.NumMelds])
			s.NumWinners, s.NumPayments, s.Winners[0].Value = 1, 0, v
			r.Settle(&s)
			r.Drawn(&s)
			r.Final(&f)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
