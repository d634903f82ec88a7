package ruleset_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// kinds returns the kinds of a text of tiles in their order.
func kinds(t *testing.T, text string) []tile.Kind {
	t.Helper()
	faces, err := tile.ParseFaces(text)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]tile.Kind, len(faces))
	for i, f := range faces {
		list[i] = f.Kind()
	}
	return list
}

func handOf(t *testing.T, text string) hand.Hand {
	t.Helper()
	var h hand.Hand
	for _, k := range kinds(t, text) {
		h.Add(k)
	}
	return h
}

func setOf(t *testing.T, texts []string) tile.Set {
	t.Helper()
	var s tile.Set
	for _, text := range texts {
		s |= kinds(t, text)[0].Bit()
	}
	return s
}

// TestReady goes through the cases of ready hands at a draw and of closed kans
// after riichi (S4 3.12, 3.14; S0 draw 2-3, riichi 6).
func TestReady(t *testing.T) {
	type state struct {
		Kind        string
		Concealed   string
		Melds       []string
		Waits       []string
		Draw        string
		WaitsBefore []string `json:"waits_before"`
		WaitsAfter  []string `json:"waits_after"`
		Expect      map[string]bool
	}
	rulestest.EachCase(t, "testdata/ready.jsonl", func(t *testing.T, c state) {
		h := handOf(t, c.Concealed)
		var melds []hand.Meld
		for _, m := range c.Melds {
			melds = append(melds, hand.Meld{Type: hand.Pon, Kind: kinds(t, m)[0]})
		}
		for preset, want := range c.Expect {
			r := rulestest.Rules(t, preset, nil)
			if c.Kind == "tenpai" {
				if got, want := r.Waits(&h, len(melds)), setOf(t, c.Waits); got != want {
					t.Errorf("%s: waits %v, want %v", preset, got, want)
				}
				if got := ruleset.LiveWaits(r.Waits(&h, len(melds)), &h, melds, r.LiveWait) != 0; got != want {
					t.Errorf("%s: ready %v, want %v", preset, got, want)
				}
				continue
			}
			drawn := kinds(t, c.Draw)[0]
			after := h
			for range 3 {
				after.Remove(drawn)
			}
			if got, want := r.Waits(&h, 0), setOf(t, c.WaitsBefore); got != want {
				t.Errorf("%s: waits before %v, want %v", preset, got, want)
			}
			if got, want := r.Waits(&after, 1), setOf(t, c.WaitsAfter); got != want {
				t.Errorf("%s: waits after %v, want %v", preset, got, want)
			}
			if got := ruleset.ReadyKanAllowed(r, &h, 0, drawn, r.ReadyKan); got != want {
				t.Errorf("%s: kan of %v allowed %v, want %v", preset, drawn, got, want)
			}
		}
	})
}

// TestReadyKanEdges covers what the cases leave out.
func TestReadyKanEdges(t *testing.T) {
	r := rulestest.Rules(t, "tenhou", nil)
	h := handOf(t, "111z234m567p88s34s")
	for _, c := range []struct {
		name  string
		drawn tile.Kind
		mode  ruleset.ReadyKan
		want  bool
	}{
		{"plain", tile.East, ruleset.ReadyKanShapeSame, true},
		{"never", tile.East, ruleset.ReadyKanNever, false},
		{"no triplet", tile.South, ruleset.ReadyKanWaitsSame, false},
		{"a pair", kinds(t, "8s")[0], ruleset.ReadyKanWaitsSame, false},
	} {
		if got := ruleset.ReadyKanAllowed(r, &h, 0, c.drawn, c.mode); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLiveWaits counts own tiles in each part a ruleset may name (S0 draw 3).
func TestLiveWaits(t *testing.T) {
	h := handOf(t, "9m1111z")
	melds := []hand.Meld{{Type: hand.Pon, Kind: kinds(t, "9m")[0]}, {Type: hand.Chi, Kind: kinds(t, "7m")[0]}}
	waits := setOf(t, []string{"8m", "9m", "1z"})
	for mode, want := range map[ruleset.LiveWait]string{
		ruleset.AnyWait:               "89m1z",
		ruleset.LiveConcealed:         "89m",
		ruleset.LiveConcealedAndMelds: "8m",
	} {
		if got := ruleset.LiveWaits(waits, &h, melds, mode).String(); got != want {
			t.Errorf("%s: %s, want %s", ruleset.WordOf(mode), got, want)
		}
	}
}

// TestSwapBanned goes through the cases of swap-calling (S4 3.8), in the mode
// they are written for and in the others.
func TestSwapBanned(t *testing.T) {
	type state struct {
		FromHand  string `json:"from_hand"`
		Called    string
		Forbidden []string
	}
	rulestest.EachCase(t, "testdata/swap.jsonl", func(t *testing.T, c state) {
		called := kinds(t, c.Called)[0]
		own := kinds(t, c.FromHand)
		lowest := min(called, own[0])
		m := hand.Meld{Type: hand.Pon, Kind: called}
		if own[0] != called {
			m = hand.Meld{Type: hand.Chi, Kind: lowest, Claimed: uint8(called - lowest)}
		}
		for mode, want := range map[ruleset.SwapBan]tile.Set{
			ruleset.SwapFree:            0,
			ruleset.SwapSameTile:        called.Bit(),
			ruleset.SwapSameAndOtherEnd: setOf(t, c.Forbidden),
		} {
			if got := ruleset.SwapBanned(m, mode); got != want {
				t.Errorf("%s: %v, want %v", ruleset.WordOf(mode), got, want)
			}
		}
	})
	kan := hand.Meld{Type: hand.OpenKan, Kind: tile.East}
	if got := ruleset.SwapBanned(kan, ruleset.SwapSameAndOtherEnd); got != 0 {
		t.Errorf("an open kan bans %v", got)
	}
}
