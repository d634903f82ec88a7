package sim_test

import (
	"testing"
	"unsafe"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestEventSize holds events at eight bytes, as signatures and logs count them.
func TestEventSize(t *testing.T) {
	if n := unsafe.Sizeof(sim.Event{}); n != 8 {
		t.Errorf("an event has %d bytes", n)
	}
}

// TestEventFor checks what players see of each other's events.
func TestEventFor(t *testing.T) {
	visible, err := configs.Load("ema_2016")
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := configs.LoadWith("ema_2016", map[string]any{"closed_kan_visible": false})
	if err != nil {
		t.Fatal(err)
	}
	for typ := range sim.NumEventTypes {
		e := sim.Event{Type: typ, Player: 1, Tile: 5, Detail: 1, Value: 0x01020304}
		if got := e.SeenBy(1, &visible.Flow); got != e {
			t.Errorf("type %d: the owner sees %+v of %+v", typ, got, e)
		}
		want, secret := e, e
		switch typ {
		case sim.EvDeal:
			want.Value = -1
			secret = want
		case sim.EvDraw:
			want.Tile = tile.NoFace
			secret = want
		case sim.EvClosedKan:
			secret.Tile = tile.NoFace
		}
		if got := e.SeenBy(2, &visible.Flow); got != want {
			t.Errorf("type %d: another sees %+v, want %+v", typ, got, want)
		}
		if got := e.SeenBy(2, &hidden.Flow); got != secret {
			t.Errorf("type %d: another sees %+v with hidden kans, want %+v", typ, got, secret)
		}
	}
}

// TestNames checks the words that datasets use.
func TestNames(t *testing.T) {
	for i, want := range []string{"nine_kinds", "four_winds", "four_riichi", "four_kans", "triple_ron"} {
		if got := sim.AbortReason(i).String(); got != want {
			t.Errorf("abort reason %d is %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{"self_draw", "discard", "rob", "flower"} {
		if got := sim.WinKind(i).String(); got != want {
			t.Errorf("win kind %d is %q, want %q", i, got, want)
		}
	}
}
