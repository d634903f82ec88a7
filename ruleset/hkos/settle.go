package hkos

import (
	"math/bits"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// Places of liabilities in Winner.Liable. The last is for the giver of an open kan.
const (
	liableTwelve = iota
	liableNine
	liableDragons
	liableWinds
	liableKans
	liableKanDraw
)

// liabilities lists the items by their place, with the word of the knob and of scoring cases,
// and the patterns of which the hand must have one. A limit hand may hide that of sets, which
// are on the table.
var liabilities = [ruleset.NumLiabilities]struct {
	item    LiabilitySet
	pattern uint64
}{
	liableTwelve:  {TwelveTiles | TwelveTilesOneSuit, 0},
	liableNine:    {NineTilesOneSuit, 0},
	liableDragons: {LiableDragons, 1<<bigThreeDragons | limits},
	liableWinds:   {LiableWinds, limits},
	liableKans:    {LiableKans, limits},
	liableKanDraw: {LiableKanDraw, 1<<winOnKong | 1<<winOnDoubleKong},
}

// Liabilities returns the word of each liability that the ruleset has, by its place.
func (s *scorer) Liabilities() (ids [ruleset.NumLiabilities]string) {
	for i := range bits.Len8(uint8(s.knobs.Liable)) {
		for place, l := range liabilities {
			if l.item&s.knobs.Liable>>i&1 != 0 && ids[place] == "" {
				ids[place] = ruleset.WordOf(LiabilitySet(i))
			}
		}
	}
	return ids
}

// Liability returns what the giver of the last of melds becomes liable for ([K] 8).
func (s *scorer) Liability(melds []hand.Meld) uint8 {
	if len(melds) == 0 || melds[len(melds)-1].Type == hand.ClosedKan {
		return 0
	}
	last := melds[len(melds)-1]
	places := uint8(0)
	if s.knobs.Liable&(TwelveTiles|TwelveTilesOneSuit|NineTilesOneSuit) != 0 && len(melds) >= 3 {
		sets, suited := s.exposed(melds)
		if sets == 4 && (s.knobs.Liable&TwelveTiles != 0 || s.knobs.Liable&TwelveTilesOneSuit != 0 && suited == 4) {
			places |= 1 << liableTwelve
		}
		if s.knobs.Liable&NineTilesOneSuit != 0 && suited >= 3 && !s.hadNine(melds[:len(melds)-1]) {
			places |= 1 << liableNine
		}
	}
	if s.knobs.Liable&LiableDragons != 0 && ruleset.CompletesKinds(melds, tile.Dragons, s.knobs.LiableClosedKans) {
		places |= 1 << liableDragons
	}
	if s.knobs.Liable&LiableWinds != 0 && ruleset.CompletesKinds(melds, tile.Winds, s.knobs.LiableClosedKans) {
		places |= 1 << liableWinds
	}
	if s.knobs.Liable&LiableKans != 0 && last.Type == hand.OpenKan && hand.SummarizeMelds(melds).Kans == 4 {
		places |= 1 << liableKans
	}
	return places
}

// exposed returns the number of sets that count for liability, and how many of them are of
// the suit that most are of.
func (s *scorer) exposed(melds []hand.Meld) (sets, suited int) {
	var suits [4]int
	for _, m := range melds {
		if m.IsOpen() || s.knobs.LiableClosedKans {
			sets++
			suits[m.Kind.Suit()&3]++
		}
	}
	return sets, max(suits[0], suits[1], suits[2])
}

// hadNine reports whether the giver of the last of melds became liable for three sets of a
// suit already.
func (s *scorer) hadNine(melds []hand.Meld) bool {
	_, suited := s.exposed(melds)
	return suited >= 3 && melds[len(melds)-1].IsOpen()
}

// liable returns the chair that pays for a win as liable, the earliest if there are several,
// or NoChair ([K] 8).
func (s *scorer) liable(t *ruleset.Settlement, w *ruleset.Winner) ruleset.Chair {
	if t.From != ruleset.NoChair && s.knobs.LiabilityScope == LiableSelfDraw {
		return ruleset.NoChair
	}
	found, first := ruleset.NoChair, uint8(0xff)
	for place, l := range liabilities {
		c, order := w.Liable[place], w.LiableOrder[place]
		if c == ruleset.NoChair || l.item&s.knobs.Liable == 0 || found != ruleset.NoChair && order >= first || l.pattern != 0 && !has(&w.Value, l.pattern) {
			continue
		}
		found, first = c, order
	}
	return found
}

// has reports whether a value has one of the patterns.
func has(v *ruleset.Value, patterns uint64) bool {
	for _, p := range v.Patterns[:v.NumPatterns] {
		if patterns>>p.Pattern&1 != 0 {
			return true
		}
	}
	return false
}

// Settle appends the payments of a won hand, each winner's as if alone ([K] 7.3).
func (s *scorer) Settle(t *ruleset.Settlement) {
	for i := range t.Winners[:t.NumWinners] {
		w := &t.Winners[i]
		asSelfDraw := t.From == ruleset.NoChair || t.Robbed && s.knobs.RobPayment == RobAsSelfDraw
		forAll := s.liable(t, w) // who pays for all
		if forAll == ruleset.NoChair && asSelfDraw {
			forAll = t.From
		}
		for n := range ruleset.NumPlayers - 1 {
			c := w.Chair.Next(n + 1)
			amount := s.payment(int(w.Value.Base), asSelfDraw, c == t.From, c == t.Dealer || w.Chair == t.Dealer)
			if forAll != ruleset.NoChair {
				c = forAll
			}
			t.Pay(c, w.Chair, amount, ruleset.ForWin)
		}
	}
}

// payment returns what a player pays for a hand of so many faan. gave reports whether the
// player gave the winning tile, dealer whether the player or the winner is the dealer.
func (s *scorer) payment(faan int, asSelfDraw, gave, dealer bool) int {
	shares := s.knobs.OtherShare
	if gave {
		shares = s.knobs.DiscarderShare
	}
	if asSelfDraw {
		shares = s.knobs.SelfDrawShare
	}
	if dealer {
		shares *= s.knobs.DealerFactor
	}
	return shares * s.share(faan)
}

// share returns the share of a hand of so many faan ([K] 7.2).
func (s *scorer) share(faan int) int { return int(s.table[min(faan, len(s.table)-1)]) }

// gain returns what the winner gains if a player other than the dealer gives the tile.
func (s *scorer) gain(faan int, asSelfDraw, dealer bool) int {
	if asSelfDraw {
		return 2*s.payment(faan, true, false, dealer) + s.payment(faan, true, false, true)
	}
	return s.payment(faan, false, true, dealer) + s.payment(faan, false, false, dealer) + s.payment(faan, false, false, true)
}

// Drawn appends nothing: no player pays for a drawn hand ([K] 9.1).
func (s *scorer) Drawn(*ruleset.Settlement) {}
