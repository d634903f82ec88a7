package hkos

import (
	"iter"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// mostFaan returns the most faan that a hand can have toward min_win, but at most enough.
func (c *Config) mostFaan(enough int) int {
	uncapped := *c
	uncapped.PointsCap, uncapped.MinWin = ruleset.NoLimit, 1
	s := uncapped.scorer()
	for w := range valuableHands {
		for flowers := range c.valuableFlowers(w.SeatWind) {
			if flowers == 0 && w.Flags&ruleset.FlagAfterFlower != 0 {
				continue
			}
			w.Flowers = flowers
			for v := (ruleset.Value{OK: true}); v.OK; {
				if s.knobs.MinWin > enough {
					return enough
				}
				if s.Value(&w, &v); v.OK {
					s.knobs.MinWin++
				}
			}
		}
	}
	return s.knobs.MinWin - 1
}

// valuableFlowers yields no flowers and those that are worth most: of the seat, a set, all.
func (c *Config) valuableFlowers(seat tile.Wind) iter.Seq[uint8] {
	return func(yield func(uint8) bool) {
		own := eastFlowers << seat
		if !yield(0) || c.Flowers == ruleset.NoFlowers || !yield(own) || !yield(own|seasons) {
			return
		}
		if c.FlowerWinOptional || !c.FlowerWinEight && !c.FlowerDrawSeven {
			yield(seasons | plants)
		}
	}
}

// valuableHands yields hands in all ways of winning. Whatever the prices of patterns are, one
// of these hands has as many faan as any hand.
func valuableHands(yield func(ruleset.Win) bool) {
	for sets := range valuableSets {
		for kans := range 5 {
			for w := range sets.wins(kans) {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// group is four sets and a pair, or the tiles of another shape.
type group struct {
	triplets, runs []tile.Kind
	pair           tile.Kind
	others         []tile.Kind
	seat           tile.Wind
}

// valuableSets yields hands with triplets of any number of dragons and winds, first the wind of
// the seat and round. The other sets are triplets of terminals or of simples, or runs, each with
// pairs of all sorts. It also yields nine gates, seven pairs and thirteen terminals.
func valuableSets(yield func(group) bool) {
	dragons := []tile.Kind{tile.White, tile.Green, tile.Red}
	for _, seat := range [...]tile.Wind{0, 1} {
		winds := []tile.Kind{seat.Kind(), (1 - seat).Kind(), tile.West, tile.North}
		for d := range len(dragons) + 1 {
			for n := range min(len(winds), 4-d) + 1 {
				honors := append(append([]tile.Kind{}, dragons[:d]...), winds[:n]...)
				rest := 4 - d - n
				for _, g := range []group{
					{triplets: []tile.Kind{0, 8, 9, 17}[:rest]},
					{triplets: []tile.Kind{1, 3, 5, 7}[:rest]},
					{runs: []tile.Kind{0, 3, 6, 0}[:rest]},
					{triplets: []tile.Kind{4, 6, 8}[:max(rest-1, 0)], runs: []tile.Kind{0}[:min(rest, 1)]},
				} {
					g.triplets, g.seat = append(honors[:len(honors):len(honors)], g.triplets...), seat
					for _, g.pair = range append([]tile.Kind{2, 7, 8, 26}, append(dragons[d:], winds[n:]...)...) {
						if !yield(g) {
							return
						}
					}
				}
			}
		}
		for _, others := range [...][]tile.Kind{
			{0, 0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 8},
			{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7},
			{0, 0, 8, 8, 27, 27, 28, 28, 29, 29, 30, 30, 31, 31},
			{27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 32, 32, 33, 33},
			{0, 8, 9, 17, 18, 26, 27, 28, 29, 30, 31, 32, 33, 33},
		} {
			if !yield(group{others: others, seat: seat}) {
				return
			}
		}
	}
}

// wins yields the wins with the sets, the first kans triplets of which are closed kans. A win
// by robbing a kan is on a tile that the hand has once.
func (g group) wins(kans int) iter.Seq[ruleset.Win] {
	return func(yield func(ruleset.Win) bool) {
		w := ruleset.Win{SeatWind: g.seat, RoundWind: g.seat, Tile: g.pair, NumMelds: uint8(kans)}
		if kans > len(g.triplets) {
			return
		}
		tiles := append([]tile.Kind{}, g.others...)
		if g.others == nil {
			tiles = append(tiles, g.pair, g.pair)
		} else {
			w.Tile = g.others[7]
		}
		for i, k := range g.triplets {
			if i < kans {
				w.Melds[i] = hand.Meld{Type: hand.ClosedKan, Kind: k}
			} else {
				tiles = append(tiles, k, k, k)
			}
		}
		for _, k := range g.runs {
			tiles = append(tiles, k, k+1, k+2)
		}
		single := tile.Kind(tile.NumKinds)
		for _, k := range tiles {
			if w.Hand.Count(k) == 4 {
				return
			}
			w.Hand.Add(k)
		}
		for _, k := range tiles {
			if w.Hand.Count(k) == 1 {
				single = k
			}
		}
		for _, way := range [...]struct {
			flags    ruleset.Flags
			selfDraw bool
			possible bool
		}{
			{0, true, true},
			{ruleset.FlagLastTile, true, true},
			{ruleset.FlagAfterKan, true, kans >= 1},
			{ruleset.FlagAfterKan | ruleset.FlagLastTile, true, kans >= 1},
			{ruleset.FlagAfterKan | ruleset.FlagAfterTwoKans | ruleset.FlagLastTile, true, kans >= 2},
			{ruleset.FlagAfterFlower | ruleset.FlagLastTile, true, true},
			{ruleset.FlagHeavenly, true, kans == 0 && g.seat == 0},
			{ruleset.FlagLastTile, false, true},
			{ruleset.FlagEarthly, false, kans == 0 && g.seat != 0},
			{ruleset.FlagHuman, false, kans == 0 && g.seat != 0},
			{ruleset.FlagRobbingKan, false, single < tile.NumKinds},
		} {
			w.Flags, w.SelfDraw = way.flags, way.selfDraw
			v := w
			if way.flags == ruleset.FlagRobbingKan {
				v.Tile = single
			}
			if way.possible && !yield(v) {
				return
			}
		}
	}
}
