package taiwanese

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// liabilities lists what makes a player liable by its place in Winner.Liable, with the patterns
// of which the hand must have one ([T] 8.2).
var liabilities = [...]struct {
	item    LiabilitySet
	pattern uint64
}{
	{LiableDragons, 1 << bigThreeDragons},
	{LiableWinds, 1 << bigFourWinds},
	{LiableOneSuit, 1 << fullFlush},
}

// Liabilities returns the word of each liability that the ruleset has, by its place.
func (s *scorer) Liabilities() (ids [ruleset.NumLiabilities]string) {
	for place := range bits.Len8(uint8(s.knobs.Liable)) {
		if s.knobs.Liable>>place&1 != 0 {
			ids[place] = ruleset.WordOf(LiabilitySet(place))
		}
	}
	return ids
}

// Liability returns what the giver of the last of melds becomes liable for ([T] 8.2).
func (s *scorer) Liability(melds []hand.Meld) uint8 {
	if s.knobs.Liable == 0 || len(melds) == 0 || !melds[len(melds)-1].IsOpen() {
		return 0
	}
	places := uint8(0)
	if s.knobs.Liable&LiableDragons != 0 && ruleset.CompletesKinds(melds, tile.Dragons, s.knobs.LiableClosedKans) {
		places |= 1
	}
	if s.knobs.Liable&LiableWinds != 0 && ruleset.CompletesKinds(melds, tile.Winds, s.knobs.LiableClosedKans) {
		places |= 2
	}
	if s.knobs.Liable&LiableOneSuit != 0 && s.isOneSuit(melds) {
		places |= 4
	}
	return places
}

// isOneSuit reports whether there are five sets of one suit that count for liability.
func (s *scorer) isOneSuit(melds []hand.Meld) bool {
	for _, m := range melds {
		if m.Kind.IsHonor() || m.Kind.Suit() != melds[0].Kind.Suit() || !m.IsOpen() && !s.knobs.LiableClosedKans {
			return false
		}
	}
	return len(melds) == numSets
}

// liable returns the chair that pays for a win as liable, the earliest if there are several,
// or NoChair.
func (s *scorer) liable(t *ruleset.Settlement, w *ruleset.Winner) ruleset.Chair {
	if s.knobs.Liable == 0 || t.From != ruleset.NoChair && s.knobs.LiabilityScope == LiableSelfDraw {
		return ruleset.NoChair
	}
	has := uint64(0)
	for _, p := range w.Value.Patterns[:w.Value.NumPatterns] {
		has |= 1 << p.Pattern
	}
	found, first := ruleset.NoChair, uint8(0xff)
	for place, l := range liabilities {
		if c, order := w.Liable[place], w.LiableOrder[place]; c != ruleset.NoChair && l.item&s.knobs.Liable != 0 && has&l.pattern != 0 && order < first {
			found, first = c, order
		}
	}
	return found
}

// Settle appends the payments of a won hand, each winner's as if alone ([T] 7).
func (s *scorer) Settle(t *ruleset.Settlement) {
	for i := range t.Winners[:t.NumWinners] {
		w := &t.Winners[i]
		forAll := s.liable(t, w)
		for n := range ruleset.NumPlayers - 1 {
			c := w.Chair.Next(n + 1)
			if t.From != ruleset.NoChair && c != w.Responsible {
				continue
			}
			points := s.points(s.hktw.Share(t, w, c), w.Value.FlowerWin)
			if forAll != ruleset.NoChair {
				c = forAll
			}
			t.Pay(c, w.Chair, s.knobs.Unit()*points, ruleset.ForWin)
		}
	}
}

// Drawn appends nothing: no player pays for a drawn hand ([T] 8.1).
func (s *scorer) Drawn(*ruleset.Settlement) {}
