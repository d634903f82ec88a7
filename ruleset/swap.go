package ruleset

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// SwapBanned returns the kinds that may not be discarded right after the chi or pon m
// (kuikae, S4 3.8). The claimed kind is banned. Under SwapSameAndOtherEnd, after a sequence
// claimed at one end, so is the kind that would complete the same two tiles at the other.
func SwapBanned(m hand.Meld, mode SwapBan) tile.Set {
	if mode == SwapFree || m.Type.IsKan() {
		return 0
	}
	if m.Type == hand.Pon {
		return m.Kind.Bit()
	}
	banned := (m.Kind + tile.Kind(m.Claimed)).Bit()
	if mode == SwapSameAndOtherEnd {
		switch rank := m.Kind.Rank(); {
		case m.Claimed == 0 && rank < 6:
			banned |= (m.Kind + 3).Bit()
		case m.Claimed == 2 && rank > 0:
			banned |= (m.Kind - 1).Bit()
		}
	}
	return banned
}
