package riichi_test

import (
	"math/rand/v2"

	"github.com/sparrowhall/sparrowhall/internal/testkit/handgen"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// style is a way to draw the sets of a random winning hand: the kinds triplets
// and sequences (by their lowest) are drawn from, and how often a set is a
// triplet.
type style struct {
	triplets, runs tile.Set
	tripletsOf10   int
	weight         int
	quads          bool // triplets are quads
}

const (
	anyRun   tile.Set = 0x7f | 0x7f<<9 | 0x7f<<18
	edgeRuns tile.Set = 0x41 | 0x41<<9 | 0x41<<18
	oneSuit  tile.Set = 0x1ff
)

// styles bring out every yaku.
var styles = []style{
	{triplets: tile.All, runs: anyRun, tripletsOf10: 3, weight: 30},
	{triplets: tile.Simples, runs: anyRun &^ edgeRuns, tripletsOf10: 2, weight: 10},
	{triplets: oneSuit << 9, runs: anyRun & (oneSuit << 9), tripletsOf10: 3, weight: 8},                 // full flush
	{triplets: oneSuit | tile.HonorSet, runs: anyRun & oneSuit, tripletsOf10: 4, weight: 8},             // half flush
	{triplets: tile.Orphans, runs: edgeRuns, tripletsOf10: 4, weight: 8},                                // outside hands
	{triplets: tile.Terminals, runs: edgeRuns, tripletsOf10: 3, weight: 5},                              // without honors
	{triplets: tile.Terminals, runs: 0, tripletsOf10: 10, weight: 3},                                    // all terminals
	{triplets: tile.Orphans, runs: 0, tripletsOf10: 10, weight: 4},                                      // with honors
	{triplets: tile.All, runs: 0, tripletsOf10: 10, weight: 6},                                          // all triplets
	{triplets: tile.HonorSet, runs: 0, tripletsOf10: 10, weight: 3},                                     // all honors
	{triplets: tile.Dragons | tile.Winds | oneSuit, runs: anyRun & oneSuit, tripletsOf10: 8, weight: 6}, // dragons and winds
	{triplets: tile.Greens, runs: 1 << 19, tripletsOf10: 7, weight: 3},                                  // all green
	{triplets: 0x3c, runs: 0x1c, tripletsOf10: 5, weight: 6},                                            // many readings
	{triplets: 0x7 << 18, runs: 0x7 << 18, tripletsOf10: 5, weight: 4},
	{triplets: 1<<3 | 1<<12 | 1<<21 | tile.White.Bit(), runs: 1<<2 | 1<<11 | 1<<20, tripletsOf10: 4, weight: 6}, // three suits alike
	{triplets: tile.East.Bit(), runs: 1<<9 | 1<<12 | 1<<15 | 1<<3, tripletsOf10: 1, weight: 5},                  // straights
	{triplets: 0, runs: 1<<1 | 1<<20, tripletsOf10: 0, weight: 4},                                               // twins
}

// liabilityStyles bring out the yakuman that somebody can be liable for.
var liabilityStyles = []style{
	{triplets: tile.Dragons | 1<<4, tripletsOf10: 10},
	{triplets: tile.Winds, tripletsOf10: 10},
	{triplets: tile.Orphans, tripletsOf10: 10},
	{triplets: tile.Dragons | 1<<4, tripletsOf10: 10, quads: true},
	{triplets: tile.Winds, tripletsOf10: 10, quads: true},
}

// randomWin returns a winning hand of any shape, with circumstances that can
// occur.
func randomWin(rng *rand.Rand, cfg *riichi.Config) ruleset.Win {
	for {
		w := ruleset.Win{
			SelfDraw:  rng.IntN(2) == 0,
			SeatWind:  tile.Wind(rng.IntN(cfg.NumSeats())),
			RoundWind: tile.Wind(rng.IntN(2)),
		}
		ok := true
		switch n := rng.IntN(40); {
		case n < 3:
			sevenPairs(rng, &w)
		case n == 3:
			handgen.AddOrphans(rng, &w.Hand)
		case n == 4:
			handgen.AddNineGates(rng, &w.Hand)
		default:
			ok = setsAndPair(rng, &w, randomStyle(rng))
		}
		if !ok || cfg.TileSet == ruleset.NoMiddleCharacters && !withoutMiddle(&w) {
			continue
		}
		w.Tile = handgen.KindOf(rng, w.Hand.Kinds())
		circumstances(rng, cfg, &w)
		return w
	}
}

// withoutMiddle reports whether the hand has no 2 to 8 of characters.
func withoutMiddle(w *ruleset.Win) bool {
	return every(slowTiles(w), func(k int) bool { return k == 0 || k >= 8 })
}

func sevenPairs(rng *rand.Rand, w *ruleset.Win) {
	from := []tile.Set{tile.All, tile.HonorSet | oneSuit, tile.HonorSet, tile.Simples, tile.Orphans, oneSuit << 9}[rng.IntN(6)]
	if rng.IntN(4) == 0 {
		// Twins that are seven pairs as well.
		from = 0xff << 18
	}
	for w.Hand.Kinds().Len() < 7 {
		if k := handgen.KindOf(rng, from); w.Hand.Count(k) == 0 {
			w.Hand.Add(k)
			w.Hand.Add(k)
		}
	}
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
	take := func(k tile.Kind, n int) bool {
		used[k] += n
		return used[k] <= 4
	}
	open := rng.IntN(3) == 0
	quads := s.quads || rng.IntN(5) == 0
	for range 4 {
		laid := open && rng.IntN(2) == 0
		m := hand.Meld{Type: hand.Pon, From: uint8(1 + rng.IntN(3))}
		if s.runs == 0 || s.triplets != 0 && rng.IntN(10) < s.tripletsOf10 {
			m.Kind = handgen.KindOf(rng, s.triplets)
			if quads && (s.quads || rng.IntN(3) > 0) {
				m.Type = []hand.MeldType{hand.OpenKan, hand.AddedKan, hand.ClosedKan}[rng.IntN(3)]
				if !open {
					m.Type, m.From = hand.ClosedKan, 0
				}
				laid = true
			}
			if !take(m.Kind, m.Size()) {
				return false
			}
			if !laid {
				for range 3 {
					w.Hand.Add(m.Kind)
				}
			}
		} else {
			m.Type, m.Kind, m.From = hand.Chi, handgen.KindOf(rng, s.runs), 3
			for j := range tile.Kind(3) {
				if !take(m.Kind+j, 1) {
					return false
				}
				if !laid {
					w.Hand.Add(m.Kind + j)
				}
			}
		}
		if laid {
			w.Melds[w.NumMelds] = m
			w.NumMelds++
		}
	}
	pairs := s.triplets | s.runs
	if s.quads || rng.IntN(4) == 0 {
		pairs = tile.All
	}
	k := handgen.KindOf(rng, pairs)
	if !take(k, 2) {
		return false
	}
	w.Hand.Add(k)
	w.Hand.Add(k)
	return true
}

// circumstances fills in what is not the tiles.
func circumstances(rng *rand.Rand, cfg *riichi.Config, w *ruleset.Win) {
	open, kans, fives := false, 0, 0
	for _, m := range w.Melds[:w.NumMelds] {
		open = open || m.IsOpen()
		if m.Type.IsKan() {
			kans++
		}
		fives += m.Count(4) + m.Count(13) + m.Count(22)
	}
	fives += w.Hand.Count(4) + w.Hand.Count(13) + w.Hand.Count(22)
	if !open {
		switch rng.IntN(6) {
		case 0:
			w.Flags |= ruleset.FlagDoubleRiichi
		case 1:
			// The table may set both.
			w.Flags |= ruleset.FlagRiichi | ruleset.FlagDoubleRiichi
		case 2, 3:
			w.Flags |= ruleset.FlagRiichi
		}
		if w.Flags != 0 && rng.IntN(3) == 0 {
			w.Flags |= ruleset.FlagIppatsu
		}
	}
	const ippatsu = ruleset.FlagIppatsu
	switch n := rng.IntN(12); {
	case n == 0 && w.SelfDraw && kans > 0 && w.Flags&ippatsu == 0:
		w.Flags |= ruleset.FlagAfterKan
		if cfg.LastTileAfterKan && rng.IntN(2) == 0 {
			w.Flags |= ruleset.FlagLastTile
		}
	case n == 1:
		w.Flags |= ruleset.FlagLastTile
	case n == 2 && !w.SelfDraw:
		w.Flags |= ruleset.FlagRobbingKan
	case n == 3 && !w.SelfDraw:
		w.Flags |= ruleset.FlagRobbingClosedKan
	case n < 3 && cfg.NumSeats() == 3 && w.SelfDraw:
		w.Flags |= ruleset.FlagAfterKita
	case n < 3 && cfg.NumSeats() == 3:
		w.Flags |= ruleset.FlagRobbingKita
	case n == 4 && w.NumMelds == 0 && w.Flags == 0 && w.SelfDraw && w.SeatWind == 0:
		w.Flags |= ruleset.FlagHeavenly
	case n == 4 && w.NumMelds == 0 && w.Flags == 0 && w.SelfDraw:
		w.Flags |= ruleset.FlagEarthly
	case n <= 6 && w.NumMelds == 0 && w.Flags == 0 && !w.SelfDraw && w.SeatWind != 0:
		w.Flags |= ruleset.FlagHuman
	}
	indicator := func() tile.Kind { return tile.Kind(rng.IntN(tile.NumKinds)) }
	if cfg.NumSeats() == 3 && rng.IntN(4) == 0 {
		indicator = func() tile.Kind { return []tile.Kind{0, 8, tile.West}[rng.IntN(3)] }
	}
	if rng.IntN(3) == 0 {
		kinds := w.Hand.Kinds()
		indicator = func() tile.Kind { return handgen.KindOf(rng, kinds) }
	}
	if cfg.NumSeats() == 3 {
		w.Norths = uint8(rng.IntN(5))
	}
	w.NumIndicators = uint8(1 + min(rng.IntN(1+kans), 4))
	if rng.IntN(20) == 0 {
		w.NumIndicators = ruleset.MaxIndicators
	}
	w.NumUra = w.NumIndicators
	for i := range w.NumIndicators {
		w.Indicators[i], w.Ura[i] = indicator(), indicator()
	}
	if rng.IntN(2) == 0 {
		w.Reds = uint8(rng.IntN(min(fives, 3) + 1))
	}
}
