package ruleset

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// LiveWaits returns the kinds of waits that a ready hand may count on (S0 draw 2-3,
// EN 3.3.13). A kind does not count if the player holds all four of its tiles. The mode
// selects whether concealed tiles, h, or melds are searched for them. Tiles of other
// players and in the rivers do not matter.
func LiveWaits(waits tile.Set, h *hand.Hand, melds []hand.Meld, mode LiveWait) tile.Set {
	live := waits
	if mode == AnyWait {
		return live
	}
	for ; waits != 0; waits = waits.Rest() {
		k := waits.First()
		n := h.Count(k)
		if mode == LiveConcealedAndMelds {
			for _, m := range melds {
				n += m.Count(k)
			}
		}
		if n >= 4 {
			live &^= k.Bit()
		}
	}
	return live
}

// ReadyKanAllowed reports whether a player who has declared ready may lay down
// four tiles of the drawn kind (S4 3.12, S0 riichi 6). The hand h, without the
// drawn tile and with the given number of melds, must hold the other three;
// the waits must stay what they were. Under ReadyKanShapeSame, moreover, the
// three must be a triplet however the hand is divided with any of its waits. A
// wait of which all four tiles are held divides nothing. The hand is changed
// during the call and restored.
func ReadyKanAllowed(s Scorer, h *hand.Hand, melds int, drawn tile.Kind, mode ReadyKan) bool {
	if mode == ReadyKanNever || h.Count(drawn) != 3 {
		return false
	}
	waits := s.Waits(h, melds)
	// A copy of the hand would have to be allocated, as a Scorer may keep it.
	for range 3 {
		h.Remove(drawn)
	}
	after := s.Waits(h, melds+1)
	if shapes, ok := s.(KanShapes); ok && melds == 0 {
		after |= shapes.KanWaits(h, hand.Meld{Type: hand.ClosedKan, Kind: drawn})
	}
	for range 3 {
		h.Add(drawn)
	}
	if waits != after {
		return false
	}
	if mode == ReadyKanWaitsSame {
		return true
	}
	sets := h.Len() / 3
	for live := waits &^ h.AtLeast(4); live != 0; live = live.Rest() {
		full := *h
		full.Add(live.First())
		for d := range full.Divisions(sets) {
			if !d.Triplets().Has(drawn) {
				return false
			}
		}
	}
	return true
}
