package ruleset

import (
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// CompletesKinds reports whether the last of melds, of any type but an added or a closed kan,
// completes triplets of all of the kinds. Closed kans count only where the rules say so.
func CompletesKinds(melds []hand.Meld, kinds tile.Set, closedKans bool) bool {
	last := melds[len(melds)-1]
	if last.Type == hand.Chi || !kinds.Has(last.Kind) {
		return false
	}
	for _, m := range melds {
		if m.Type != hand.Chi && (m.IsOpen() || closedKans) {
			kinds &^= m.Kind.Bit()
		}
	}
	return kinds == 0
}
