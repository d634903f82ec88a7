package handgen

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// TestHands checks that hands are complete and of tiles that exist.
func TestHands(t *testing.T) {
	for _, sets := range []int{4, 5} {
		m := New(1, sets)
		for range 500 {
			w := m.Standard()
			if !w.Hand.Complete(sets - int(w.NumMelds)) {
				t.Fatalf("%v with %d melds is not complete", w.Hand.Kinds(), w.NumMelds)
			}
			for k := range tile.Kind(tile.NumKinds) {
				n := w.Hand.Count(k)
				for _, meld := range w.Melds[:w.NumMelds] {
					n += meld.Count(k)
				}
				if n > 4 {
					t.Fatalf("%d tiles of %v", n, k)
				}
			}
			h := m.Pairs(3*sets+2, sets == 5)
			if h.Len() != 3*sets+2 || h.AtLeast(2) != h.Kinds() {
				t.Fatalf("%d tiles, not pairs: %v", h.Len(), h.Kinds())
			}
			if h := m.Orphans(); h.OrphansShanten() != -1 {
				t.Fatalf("%v is no thirteen orphans", h.Kinds())
			}
		}
	}
}
