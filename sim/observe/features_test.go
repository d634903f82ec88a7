package observe_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// outlook is what features add to planes.
type outlook struct {
	waits, useful, best                       tile.Set
	shanten, usefulTiles, waitTiles, furitens int
	after                                     [tile.NumKinds]int // 1 + shanten after the discard
	widths                                    [tile.NumKinds]int // tiles that are useful then
}

// plainOutlook works it out by trying every tile.
func plainOutlook(v sim.View) (x outlook) {
	h := v.Hand()
	var melds []hand.Meld
	for i := range v.NumMelds(v.Player()) {
		melds = append(melds, v.Meld(v.Player(), i))
	}
	shanten := func() int { return v.Rules().HandShanten(&h, melds) }
	helpful := func(from int) (s tile.Set) {
		for k := range tile.Kind(tile.NumKinds) {
			if h.Count(k) == 4 || !v.Rules().HasKind(k) {
				continue
			}
			h.Add(k)
			if shanten() < from {
				s |= k.Bit()
			}
			h.Remove(k)
		}
		return s
	}
	live := func(s tile.Set) (n int) {
		for k := range tile.Kind(tile.NumKinds) {
			if s.Has(k) {
				n += v.Unseen(k)
			}
		}
		return n
	}
	x.waits, x.shanten = v.Waits(), shanten()
	if v.Phase() != sim.PhaseTurn || v.Turn() != v.Player() {
		x.useful = helpful(x.shanten)
	} else {
		least := 100
		for k := range tile.Kind(tile.NumKinds) {
			if h.Count(k) > 0 {
				h.Remove(k)
				x.after[k] = shanten() + 1
				least = min(least, shanten())
				h.Add(k)
			}
		}
		for k := range tile.Kind(tile.NumKinds) {
			if h.Count(k) > 0 && x.after[k] == least+1 {
				x.best |= k.Bit()
				h.Remove(k)
				s := helpful(least)
				h.Add(k)
				x.useful |= s
				x.widths[k] = live(s)
			}
		}
	}
	x.usefulTiles, x.waitTiles = live(x.useful), live(x.waits)
	for k := range tile.Kind(tile.NumKinds) {
		if x.waits.Has(k) && v.Furiten(k) {
			x.furitens = 1
		}
	}
	return x
}

func decodeOutlook(o observation) (x outlook) {
	x.waits, x.useful, x.best = o.kinds("shape", "waits"), o.kinds("shape", "useful"), o.kinds("shape", "best_discards")
	x.shanten, x.usefulTiles = o.one("summary", "shanten")-1, o.one("summary", "useful")
	x.waitTiles, x.furitens = o.one("summary", "waits"), o.one("summary", "furiten")
	for k, n := range o.field("discarding", "shanten") {
		x.after[k] = int(n)
	}
	for k, n := range o.field("discarding", "useful") {
		x.widths[k] = int(n)
	}
	return x
}

// TestFeatures compares features with a plain search.
func TestFeatures(t *testing.T) {
	eachRuleset(t, func(t *testing.T, r *ruleset.Rules) {
		e := lookup(t, "features").For(r.NumSeats()).NewEncoder()
		waiting := 0
		sampled(t, r, 31, func(table *sim.Table, h *observe.History) {
			for p := range sim.Player(r.NumSeats()) {
				v := table.View(p)
				got, want := decodeOutlook(encode(e, v, h)), plainOutlook(v)
				if got != want {
					t.Fatalf("player %d with %+v: %+v, want %+v", p, seenBy(v), got, want)
				}
				if got.waits != 0 {
					waiting++
				}
			}
		})
		if waiting == 0 {
			t.Error("nobody was ready")
		}
	})
}
