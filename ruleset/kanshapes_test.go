package ruleset_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// stub is a scorer that waits for 1m and is one away from ready, and with a single
// kan, unless it is of White, waits for the kan's kind too and is as far away as far
// says.
type stub struct {
	ruleset.Scorer
	far int
}

func (stub) Waits(*hand.Hand, int) tile.Set { return tile.Set(1) }

func (stub) Shanten(*hand.Hand, int) int { return 1 }

func (stub) KanWaits(_ *hand.Hand, kan hand.Meld) tile.Set { return kan.Kind.Bit() &^ tile.White.Bit() }

func (s stub) KanShanten(*hand.Hand, hand.Meld) int { return s.far }

// TestHandShapes adds the shapes that allow a kan to those of the hand if the kan is
// the only meld, and takes the lesser distance.
func TestHandShapes(t *testing.T) {
	kan := hand.Meld{Type: hand.ClosedKan, Kind: tile.East}
	pon := hand.Meld{Type: hand.Pon, Kind: tile.East}
	var h hand.Hand
	for _, c := range []struct {
		name    string
		melds   []hand.Meld
		far     int
		waits   tile.Set
		shanten int
	}{
		{"no meld", nil, 0, 1, 1},
		{"a kan, nearer", []hand.Meld{kan}, 0, 1 | tile.East.Bit(), 0},
		{"a kan, farther", []hand.Meld{kan}, 3, 1 | tile.East.Bit(), 1},
		{"a pon", []hand.Meld{pon}, 0, 1, 1},
		{"a kan and a pon", []hand.Meld{kan, pon}, 0, 1, 1},
		{"two kans", []hand.Meld{kan, kan}, 0, 1, 1},
	} {
		r := ruleset.Rules{Scorer: stub{far: c.far}}
		if got := r.HandWaits(&h, c.melds); got != c.waits {
			t.Errorf("%s: waits %v, want %v", c.name, got, c.waits)
		}
		if got := r.HandShanten(&h, c.melds); got != c.shanten {
			t.Errorf("%s: shanten %d, want %d", c.name, got, c.shanten)
		}
	}
}

// TestReadyKanShapes asks for the shapes that allow a kan if it would be the only
// meld: the waits must stay what they were with them.
func TestReadyKanShapes(t *testing.T) {
	h := handOf(t, "111z")
	for melds, want := range []bool{false, true} {
		if got := ruleset.ReadyKanAllowed(stub{}, &h, melds, tile.East, ruleset.ReadyKanWaitsSame); got != want {
			t.Errorf("%d melds: allowed %v, want %v, as the kan adds a wait", melds, got, want)
		}
	}
	h = handOf(t, "555z")
	if !ruleset.ReadyKanAllowed(stub{}, &h, 0, tile.White, ruleset.ReadyKanWaitsSame) {
		t.Error("a kan that adds no wait is not allowed")
	}
}
