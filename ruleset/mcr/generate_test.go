package mcr_test

import (
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// style is a way to draw the sets of a random winning hand: the kinds triplets
// and chows (by their lowest) are drawn from, how many of ten sets are triplets,
// how many of ten triplets are kongs, and the kinds of the pair, those of the
// sets if none.
type style struct {
	triplets, chows tile.Set
	tripletsOf10    int
	kongsOf10       int
	weight          int
	pairs           tile.Set
}

const (
	eachSuit  tile.Set = 1 | 1<<9 | 1<<18
	anyChow            = 0x7f * eachSuit
	edgeChows          = 0x41 * eachSuit
	oneSuit   tile.Set = 0x1ff
)

// styles bring out every fan of four sets and a pair.
var styles = []style{
	{tile.All, anyChow, 3, 2, 30, 0},
	{tile.All, anyChow, 0, 0, 10, 0}, // all chows
	{tile.Simples, anyChow &^ edgeChows, 2, 2, 8, 0},
	{oneSuit << 9, anyChow & (oneSuit << 9), 2, 1, 10, 0},                // full flush
	{oneSuit, anyChow & oneSuit, 0, 0, 6, 0},                             // with chows of all kinds
	{oneSuit<<18 | tile.HonorSet, anyChow & (oneSuit << 18), 4, 2, 8, 0}, // half flush
	{oneSuit<<18 | oneSuit, anyChow & (oneSuit<<18 | oneSuit), 3, 2, 6, 0},
	{tile.Orphans, edgeChows, 4, 2, 6, 0},                                                            // outside hands
	{tile.Terminals, 0, 10, 2, 4, 0},                                                                 // all terminals
	{tile.Orphans, 0, 10, 2, 4, 0},                                                                   // with honors
	{tile.All, 0, 10, 2, 6, 0},                                                                       // all pungs
	{tile.All, anyChow, 7, 9, 8, 0},                                                                  // kongs
	{tile.HonorSet, 0, 10, 2, 4, 0},                                                                  // all honors
	{tile.Dragons | tile.Winds | oneSuit, anyChow & oneSuit, 8, 2, 6, 0},                             // dragons and winds
	{tile.Winds, anyChow, 9, 2, 4, 0},                                                                // winds
	{tile.Dragons, anyChow, 7, 2, 4, 0},                                                              // dragons
	{tile.Greens, 1 << 19, 7, 1, 4, 0},                                                               // all green
	{0xaa * eachSuit, 0, 10, 2, 4, 0},                                                                // all even
	{0x10 * eachSuit, 0x1c * eachSuit, 3, 1, 4, 0},                                                   // all fives
	{0x07 * eachSuit, 0x01 * eachSuit, 3, 1, 4, 0},                                                   // lower tiles
	{0x38 * eachSuit, 0x08 * eachSuit, 3, 1, 4, 0},                                                   // middle tiles
	{0x1c0 * eachSuit, 0x40 * eachSuit, 3, 1, 4, 0},                                                  // upper tiles
	{0x0f * eachSuit, 0x03 * eachSuit, 3, 1, 4, 0},                                                   // lower four
	{0x1e0 * eachSuit, 0x60 * eachSuit, 3, 1, 4, 0},                                                  // upper four
	{0b110011111<<9 | 0b110111010<<18 | 1<<tile.White, 0b000000111<<9 | 0b000001000<<18, 4, 1, 4, 0}, // reversible
	{0x3c, 0x1c, 5, 1, 6, 0},                                                                         // many readings
	{0x7 << 18, 0x7 << 18, 5, 1, 4, 0},
	{0x1e << 9, 0, 10, 2, 3, 0},                                                 // shifted pungs
	{1<<3 | 1<<12 | 1<<21 | tile.White.Bit(), 1<<2 | 1<<11 | 1<<20, 4, 2, 5, 0}, // three suits alike
	{1<<3 | 1<<13 | 1<<23 | 1<<4, 1<<2 | 1<<12 | 1<<22, 5, 2, 4, 0},             // three suits in steps
	{tile.East.Bit(), 1<<9 | 1<<12 | 1<<15 | 1<<3, 1, 0, 5, 0},                  // straights
	{tile.East.Bit(), 1<<0 | 1<<12 | 1<<24, 1, 0, 4, 0},
	{0, edgeChows, 0, 0, 6, 0}, // terminal chows
	{0, 0x41, 0, 0, 3, 1 << 4},
	{0, 0x41 | 0x41<<9, 0, 0, 4, 1 << 22},
	{tile.Winds, anyChow, 9, 2, 3, tile.Winds},
	{tile.Dragons, anyChow, 6, 2, 3, tile.Dragons},
	{0, 1<<1 | 1<<20, 0, 0, 4, 0}, // twins
	{0, 0x2, 0, 0, 2, 0},          // four alike
}

// randomWin returns a winning hand of any shape, with circumstances that can
// occur. Every fan comes up often.
func randomWin(rng *rand.Rand) ruleset.Win {
	for {
		w := ruleset.Win{
			SelfDraw:  rng.IntN(2) == 0,
			SeatWind:  tile.Wind(rng.IntN(4)),
			RoundWind: tile.Wind(rng.IntN(4)),
			Flowers:   uint8(rng.IntN(256) & rng.IntN(256)),
		}
		ok := true
		switch n := rng.IntN(40); {
		case n < 3:
			sevenPairs(rng, &w)
		case n == 3:
			handgen.AddOrphans(rng, &w.Hand)
		case n == 4:
			handgen.AddNineGates(rng, &w.Hand)
		case n < 7:
			honorsAndKnitted(rng, &w)
		case n < 11:
			ok = knittedStraight(rng, &w)
		default:
			ok = setsAndPair(rng, &w, randomStyle(rng))
		}
		if !ok {
			continue
		}
		w.Tile = handgen.KindOf(rng, w.Hand.Kinds())
		circumstances(rng, &w)
		return w
	}
}

// typicalWin returns a winning hand as play brings it about: mostly four sets
// and a pair of any tiles.
func typicalWin(rng *rand.Rand) ruleset.Win {
	for {
		w := ruleset.Win{
			SelfDraw:  rng.IntN(3) == 0,
			SeatWind:  tile.Wind(rng.IntN(4)),
			RoundWind: tile.Wind(rng.IntN(4)),
			Flowers:   uint8(rng.IntN(256) & rng.IntN(256)),
		}
		ok := true
		switch n := rng.IntN(100); {
		case n < 4:
			sevenPairs(rng, &w)
		case n == 4:
			honorsAndKnitted(rng, &w)
		case n < 12:
			ok = knittedStraight(rng, &w)
		default:
			ok = setsAndPair(rng, &w, style{triplets: tile.All, chows: anyChow, tripletsOf10: 3, kongsOf10: 1})
		}
		if !ok {
			continue
		}
		w.Tile = handgen.KindOf(rng, w.Hand.Kinds())
		circumstances(rng, &w)
		return w
	}
}

func sevenPairs(rng *rand.Rand, w *ruleset.Win) {
	from := []tile.Set{
		tile.All, tile.HonorSet | oneSuit, tile.HonorSet, tile.Simples, tile.Orphans, tile.Terminals, tile.Greens,
		oneSuit << 9, 0xff << 18, 0x1ef0, 0x3c,
	}[rng.IntN(11)]
	if rng.IntN(8) == 0 { // shifted
		from = 0x7f << (rng.IntN(3)*9 + rng.IntN(3))
	}
	for w.Hand.Len() < 14 {
		k := handgen.KindOf(rng, from)
		if n := w.Hand.Count(k); n == 0 || n == 2 && (rng.IntN(4) == 0 || from.Len() < 7) {
			w.Hand.Add(k)
			w.Hand.Add(k)
		}
	}
}

// knittedBody returns the kinds of a random knitted straight.
func knittedBody(rng *rand.Rand) tile.Set {
	var body tile.Set
	for i, first := range rng.Perm(3) {
		body |= tile.Set(0b001001001) << first << (9 * i)
	}
	return body
}

func honorsAndKnitted(rng *rand.Rand, w *ruleset.Win) {
	kinds := knittedBody(rng) | tile.HonorSet
	for from := []tile.Set{kinds, kinds & tile.Suited, tile.HonorSet}[rng.IntN(3)]; kinds.Len() > 14; {
		kinds &^= handgen.KindOf(rng, from).Bit()
	}
	for ; kinds != 0; kinds = kinds.Rest() {
		w.Hand.Add(kinds.First())
	}
}

// knittedStraight fills in a knitted straight, a set and a pair.
func knittedStraight(rng *rand.Rand, w *ruleset.Win) bool {
	var used [tile.NumKinds]int
	for body := knittedBody(rng); body != 0; body = body.Rest() {
		w.Hand.Add(body.First())
		used[body.First()]++
	}
	s := []style{
		{triplets: tile.All, chows: anyChow, tripletsOf10: 5, kongsOf10: 3},
		{triplets: tile.HonorSet, kongsOf10: 3},
		{chows: anyChow},
	}[rng.IntN(3)]
	return addSet(rng, w, &s, &used, rng.IntN(2) == 0) && addPair(rng, w, tile.All, &used)
}

// randomStyle draws one of styles by weight.
func randomStyle(rng *rand.Rand) style {
	n := 0
	for _, s := range styles {
		n += s.weight
	}
	n = rng.IntN(n)
	i := 0
	for ; n >= styles[i].weight; i++ {
		n -= styles[i].weight
	}
	return styles[i]
}

// setsAndPair fills in four sets of a style, some of them laid down, and a pair.
// It gives up if a fifth tile of a kind is drawn.
func setsAndPair(rng *rand.Rand, w *ruleset.Win, s style) bool {
	var used [tile.NumKinds]int
	// Closed, open and mixed hands alike.
	meldsOf4 := []int{0, 4, rng.IntN(5)}[rng.IntN(3)]
	for range 4 {
		if !addSet(rng, w, &s, &used, rng.IntN(4) < meldsOf4) {
			return false
		}
	}
	pairs := s.pairs
	if pairs == 0 {
		pairs = s.triplets
		for c := s.chows; c != 0; c = c.Rest() {
			pairs |= 7 * c.First().Bit()
		}
		if rng.IntN(4) == 0 {
			pairs = tile.All
		}
	}
	return addPair(rng, w, pairs, &used)
}

// take notes that n tiles of kind k are used, and reports whether there are as
// many.
func take(used *[tile.NumKinds]int, k tile.Kind, n int) bool {
	used[k] += n
	return used[k] <= 4
}

func addPair(rng *rand.Rand, w *ruleset.Win, from tile.Set, used *[tile.NumKinds]int) bool {
	k := handgen.KindOf(rng, from)
	if !take(used, k, 2) {
		return false
	}
	w.Hand.Add(k)
	w.Hand.Add(k)
	return true
}

// addSet adds a set of a style to the hand, laid down if melded says so.
func addSet(rng *rand.Rand, w *ruleset.Win, s *style, used *[tile.NumKinds]int, melded bool) bool {
	m := hand.Meld{Type: hand.Chi}
	if s.chows == 0 || s.triplets != 0 && rng.IntN(10) < s.tripletsOf10 {
		m.Kind = handgen.KindOf(rng, s.triplets)
		m.Type = hand.Pon
		if rng.IntN(10) < s.kongsOf10 {
			m.Type = []hand.MeldType{hand.OpenKan, hand.AddedKan, hand.ClosedKan, hand.ClosedKan}[rng.IntN(4)]
		}
		if !take(used, m.Kind, m.Size()) {
			return false
		}
		if !melded && m.Type == hand.Pon {
			for range 3 {
				w.Hand.Add(m.Kind)
			}
			return true
		}
	} else {
		m.Kind = handgen.KindOf(rng, s.chows)
		for i := range tile.Kind(3) {
			if !take(used, m.Kind+i, 1) {
				return false
			}
			if !melded {
				w.Hand.Add(m.Kind + i)
			}
		}
		if !melded {
			return true
		}
	}
	w.Melds[w.NumMelds] = m
	w.NumMelds++
	return true
}

// circumstances draws flags that agree with the hand.
func circumstances(rng *rand.Rand, w *ruleset.Win) {
	own, kan := w.Hand.Count(w.Tile), false
	shown := 0 // copies of the winning tile in exposed sets
	for _, m := range w.Melds[:w.NumMelds] {
		if m.IsOpen() {
			shown += m.Count(w.Tile)
		}
		kan = kan || m.Type.IsKan()
	}
	set := func(f ruleset.Flags, of int) {
		if rng.IntN(of) == 0 {
			w.Flags |= f
		}
	}
	set(ruleset.FlagLastTile, 8)
	switch {
	case w.SelfDraw && kan:
		set(ruleset.FlagAfterKan, 4)
	case w.SelfDraw && w.NumMelds == 0 && w.SeatWind == 0:
		set(ruleset.FlagHeavenly, 16)
	case !w.SelfDraw && own == 1 && shown == 0 && w.Flags == 0:
		set(ruleset.FlagRobbingKan, 8)
	}
	switch {
	case w.Flags&ruleset.FlagRobbingKan != 0 || own > 1:
	case shown == 3:
		w.Flags |= ruleset.FlagLastCopy
	default:
		set(ruleset.FlagLastCopy, 6)
	}
}
