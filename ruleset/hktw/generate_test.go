package hktw_test

import (
	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// win returns a complete hand of the family.
func win(m *handgen.Maker) ruleset.Win {
	var w ruleset.Win
	switch n := m.IntN(100); {
	case n < 3:
		w.Hand = disjoint(m)
	case n < 10:
		w = orphans(m)
	case n < 14:
		w.Hand = m.Pairs(17, true)
	case n < 18:
		w.Hand = standardLikGu(m)
	case n < 25:
		w = plain(m)
	default:
		w = m.Standard()
	}
	w.Tile = m.Held(&w.Hand)
	circumstances(m, &w)
	return w
}

// disjoint returns all honors and three ranks of each suit that lie apart.
func disjoint(m *handgen.Maker) hand.Hand {
	triples := [][3]int{
		{0, 3, 6}, {0, 3, 7}, {0, 3, 8}, {0, 4, 7}, {0, 4, 8}, {0, 5, 8}, {1, 4, 7}, {1, 4, 8}, {1, 5, 8}, {2, 5, 8},
	}
	var chosen [3][3]int
	for i := range chosen {
		chosen[i] = handgen.Pick(m, triples...)
	}
	switch m.IntN(4) {
	case 0:
		chosen = [3][3]int{chosen[0], chosen[0], chosen[0]}
	case 1:
		for i, p := range m.Perm(3) {
			chosen[i] = [3]int{p, p + 3, p + 6}
		}
	}
	var h hand.Hand
	for suit, ranks := range chosen {
		for _, r := range ranks {
			h.Add(handgen.InSuit(suit, r))
		}
	}
	for k := tile.East; k <= tile.Red; k++ {
		h.Add(k)
	}
	h.Add(m.Held(&h))
	return h
}

// orphans returns thirteen orphans and an extra meld, in the hand or a kan.
func orphans(m *handgen.Maker) ruleset.Win {
	for {
		w := ruleset.Win{Hand: m.Orphans()}
		k := handgen.Pick(m, m.Kind(), m.Held(&w.Hand))
		switch {
		case m.Chance(40) && w.Hand.Count(k) == 0:
			w.Melds[0] = hand.Meld{Kind: k, Type: handgen.Pick(m, hand.ClosedKan, hand.OpenKan, hand.AddedKan), From: 1}
			w.NumMelds = 1
			return w
		case m.Chance(50) && w.Hand.Count(k) <= 1:
			for range 3 {
				w.Hand.Add(k)
			}
			return w
		case !k.IsHonor() && k.Rank() <= 6:
			for i := range tile.Kind(3) {
				w.Hand.Add(k + i)
			}
			return w
		}
	}
}

func standardLikGu(m *handgen.Maker) hand.Hand {
	for {
		var h hand.Hand
		put := func(kinds ...tile.Kind) {
			for _, k := range kinds {
				if h.Count(k) <= 2 {
					h.Add(k)
					h.Add(k)
				}
			}
		}
		for range 2 {
			k := handgen.InSuit(m.IntN(3), m.IntN(7))
			put(k, k+1, k+2)
		}
		put(m.Kind())
		k := m.Kind()
		if m.Chance(50) {
			k = handgen.InSuit(m.IntN(3), m.IntN(9))
		}
		if h.Count(k) <= 1 {
			for range 3 {
				h.Add(k)
			}
		}
		if h.Len() == 17 {
			return h
		}
	}
}

// plain returns a hand that is next to worthless, as big chickens are.
func plain(m *handgen.Maker) ruleset.Win {
	var w ruleset.Win
	called := m.Chance(80)
	for _, k := range []tile.Kind{handgen.InSuit(0, 6), handgen.InSuit(1, 0)}[:1+m.IntN(2)] {
		if !called {
			for range 3 {
				w.Hand.Add(k)
			}
			continue
		}
		w.Melds[w.NumMelds] = hand.Meld{Kind: k, Type: hand.Pon, From: 1}
		w.NumMelds++
	}
	for i, k := range []tile.Kind{handgen.InSuit(0, 1), handgen.InSuit(1, 4), handgen.InSuit(2, 6), handgen.InSuit(2, 2)} {
		switch {
		case int(w.NumMelds)+w.Hand.Len()/3 == 5:
		case called && i < 2 && m.Chance(70):
			w.Melds[w.NumMelds] = hand.Meld{Kind: k, Type: hand.Chi, From: 3}
			w.NumMelds++
		default:
			for j := range tile.Kind(3) {
				w.Hand.Add(k + j)
			}
		}
	}
	pair := handgen.Pick(m, tile.East, tile.North, tile.White)
	w.Hand.Add(pair)
	w.Hand.Add(pair)
	return w
}

// circumstances says how the hand was won.
func circumstances(m *handgen.Maker, w *ruleset.Win) {
	winds := []tile.Wind{0, 1, 2, 3}
	w.SelfDraw = m.Chance(50)
	w.SeatWind, w.RoundWind = handgen.Pick(m, winds...), handgen.Pick(m, winds...)
	w.Discards = handgen.Pick(m, uint8(ruleset.NoCount), ruleset.NoCount, 40, 11, 10, 8, 7, 5, 4, 0)
	w.Flowers = handgen.Pick(m, 0, 0, 1<<m.IntN(8), uint8(m.IntN(256)), 0x0f, 0xf1, 0xff)
	if w.Dealer = m.Chance(30); w.Dealer {
		w.Streak = uint8(m.IntN(4))
	}
	if m.Chance(40) {
		return
	}
	maybe := func(percent int, f ruleset.Flags) {
		if m.Chance(percent) {
			w.Flags |= f
		}
	}
	maybe(40, handgen.Pick(m, ruleset.FlagReady, ruleset.FlagReady, ruleset.FlagReadyHuman, ruleset.FlagReadyEarth,
		ruleset.FlagReadyHeaven))
	maybe(20, ruleset.FlagIppatsu)
	maybe(20, ruleset.FlagLastTile)
	maybe(20, ruleset.FlagLastCopy)
	if w.Flags&ruleset.FlagLastCopy != 0 {
		maybe(50, ruleset.FlagSoleLive)
	}
	maybe(20, handgen.Pick(m, ruleset.FlagHeavenly, ruleset.FlagEarthly, ruleset.FlagHuman))
	if w.SelfDraw {
		maybe(40, handgen.Pick(m, ruleset.FlagAfterKan, ruleset.FlagAfterFlower))
		if w.Flags&(ruleset.FlagAfterKan|ruleset.FlagAfterFlower) != 0 {
			w.TailDraws = uint8(1 + m.IntN(5))
		}
		if m.Chance(2) {
			w.Flags, w.Flowers = ruleset.FlagFlowerWin8, 0xff
		}
		return
	}
	maybe(20, handgen.Pick(m, ruleset.FlagDoubleWin, ruleset.FlagTripleWin))
	maybe(20, handgen.Pick(m, ruleset.FlagRobbingKan, ruleset.FlagRobbingClosedKan))
	if m.Chance(2) {
		w.Flags, w.Flowers = ruleset.FlagFlowerWin7, 0x7f
	}
}
