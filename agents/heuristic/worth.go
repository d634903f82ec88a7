package heuristic

import (
	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// worth tells what may win under a ruleset with nothing else of value: any
// closed hand, declared ready if possible, by self-draw; any open hand, or which
// patterns of an open one. It
// is found by asking about one example of each, so it follows the knobs of every
// family.
type worth struct {
	closed, open                       bool
	dragons, seatWind, roundWind       bool
	simples, halfFlush, fullFlush      bool
	triplets, straight, mixed, outside bool
	pairs                              bool // seven pairs are a shape
	irregular                          bool // a shape that is not sets and a pair is enough
}

// worthOf returns the worth of hands under the rules.
func worthOf(r *ruleset.Rules) worth {
	run, triplet := hand.Sequence, hand.Triplet
	const m, p, s = tile.Kind(0), tile.Kind(9), tile.Kind(18) // the ones
	// The fifth set is for hands of 17 tiles.
	any := [hand.MaxSets]hand.Set{run(m), run(p + 4), run(s + 2), run(s + 6), run(m + 3)}
	with := func(set hand.Set) [hand.MaxSets]hand.Set {
		sets := any
		sets[3] = set
		return sets
	}
	melded := func(pair tile.Kind, sets [hand.MaxSets]hand.Set) bool { return mayWin(r, 2, pair, sets) }
	sixPairs := [tile.NumKinds]uint8{m: 2, m + 2: 2, m + 4: 2, m + 6: 2, m + 8: 2, p + 1: 2, p + 3: 1}
	pairs := hand.FromCounts(&sixPairs)
	return worth{
		closed:    mayWin(r, 0, p+8, any),
		open:      melded(p+8, any),
		dragons:   melded(p+8, with(triplet(tile.White))),
		seatWind:  melded(p+8, with(triplet(tile.South))),
		roundWind: melded(p+8, with(triplet(tile.East))),
		simples:   melded(p+7, [...]hand.Set{run(m + 1), run(p + 4), run(s + 2), run(s + 5), run(m + 3)}),
		halfFlush: melded(tile.North, [...]hand.Set{run(m), run(m + 2), run(m + 4), run(m + 5), run(m + 1)}),
		fullFlush: melded(m+8, [...]hand.Set{run(m), run(m + 2), run(m + 4), run(m + 5), run(m + 1)}),
		triplets:  melded(m+8, [...]hand.Set{triplet(m), triplet(p + 2), triplet(s + 4), triplet(p + 6), triplet(s + 7)}),
		straight:  melded(s+8, [...]hand.Set{run(m), run(m + 3), run(m + 6), run(p + 4), run(s + 2)}),
		mixed:     melded(s+8, [...]hand.Set{run(m), run(p), run(s), run(p + 4), run(s + 2)}),
		outside:   melded(tile.North, [...]hand.Set{run(m), run(p + 6), run(s), triplet(s + 8), run(m + 6)}),
		pairs:     r.HandSize == 13 && r.Waits(&pairs, 0).Has(p+3),
		irregular: orphansWin(r),
	}
}

// mayWin reports whether South may win in an East round on the second tile of
// the pair, with as many of the sets as the hand has, the first ones melded. If
// none is, he wins by self-draw and in riichi, where there is such a thing.
func mayWin(r *ruleset.Rules, melded int, pair tile.Kind, sets [hand.MaxSets]hand.Set) bool {
	var w ruleset.Win
	for i, set := range sets[:r.HandSize/3] {
		k := set.Kind()
		kinds := [3]tile.Kind{k, k, k}
		m := hand.Meld{Type: hand.Pon, Kind: k, From: 3}
		if set.IsSequence() {
			kinds = [3]tile.Kind{k, k + 1, k + 2}
			m.Type = hand.Chi
		}
		if i < melded {
			w.Melds[i] = m
			w.NumMelds++
			continue
		}
		for _, k := range kinds {
			w.Hand.Add(k)
		}
	}
	w.Hand.Add(pair)
	w.Hand.Add(pair)
	w.Tile = pair
	if melded == 0 {
		w.SelfDraw = true
		if r.Ready == ruleset.Riichi {
			w.Flags = ruleset.FlagRiichi
		}
	}
	w.SeatWind, w.RoundWind = 1, 0
	var v ruleset.Value
	r.Value(&w, &v)
	return v.OK
}

// orphansWin reports whether thirteen orphans, the irregular shape that most
// families have, may win by nothing but their shape.
func orphansWin(r *ruleset.Rules) bool {
	w := ruleset.Win{Tile: tile.East, SelfDraw: true}
	for orphans := tile.Orphans; orphans != 0; orphans = orphans.Rest() {
		w.Hand.Add(orphans.First())
	}
	w.Hand.Add(tile.East)
	var v ruleset.Value
	r.Value(&w, &v)
	return v.OK
}

// value returns the kinds of which a triplet is enough for the viewer's hand.
func (w *worth) value(v sim.View) tile.Set {
	var set tile.Set
	if w.dragons {
		set = tile.Dragons
	}
	if w.seatWind {
		set |= v.SeatWind(v.Player()).Kind().Bit()
	}
	if w.roundWind {
		set |= v.RoundWind().Kind().Bit()
	}
	return set
}
