package sim_test

import (
	"math/rand/v2"
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Deals and hands in which what is rare in play is frequent.

// thickWall deals one player two or three of each dragon, one of each wind, one
// four tiles of a kind, and everybody sets beyond that. Who is who changes with n.
func thickWall(r *ruleset.Rules, dealer ruleset.Chair, n int, rng *rand.Rand) *sim.Wall {
	shuffled := sim.NewWall(&r.Flow, rng.Uint64(), 0, 0, 0)
	pool := shuffled[:sim.SetSize(&r.Flow)]
	hands := make([][]tile.Face, r.NumSeats())
	take := func(w, count int, kinds ...tile.Kind) {
		for _, k := range kinds {
			for range count {
				i := slices.IndexFunc(pool, func(f tile.Face) bool { return f.Kind() == k })
				if i >= 0 && len(hands[w]) < r.HandSize {
					hands[w] = append(hands[w], pool[i])
					pool = slices.Delete(pool, i, i+1)
				}
			}
		}
	}
	for w := range hands {
		switch (w + n) % 4 {
		case 0:
			for rest := tile.Dragons; rest != 0; rest = rest.Rest() {
				take(w, 2+rng.IntN(2), rest.First())
			}
		case 1:
			for rest := tile.Winds; rest != 0; rest = rest.Rest() {
				take(w, 2+rng.IntN(2), rest.First())
			}
		case 2:
			take(w, 4, tile.Kind(rng.IntN(tile.NumKinds)))
		}
	}
	for w := range hands {
		for len(hands[w]) < r.HandSize {
			k := tile.Kind(rng.IntN(tile.NumKinds))
			if k.IsHonor() || k.Rank() > 6 || rng.IntN(3) == 0 {
				take(w, 3, k)
			} else {
				take(w, 1, k, k+1, k+2)
			}
		}
	}
	wall := &sim.Wall{}
	for i := range wall {
		wall[i] = tile.NoFace
	}
	for w, places := range (&setup{dealer: dealer}).dealPlaces(r) {
		for i, at := range places {
			wall[at] = hands[w][i]
		}
	}
	for i := range shuffled[:sim.SetSize(&r.Flow)] {
		if wall[i] == tile.NoFace {
			wall[i] = pool[0]
			pool = pool[1:]
		}
	}
	return wall
}

// thickWin makes c the winner of a hand of one style, if the rules let it win, and
// adds what it is worth.
func thickWin(d *digest, r *ruleset.Rules, s *ruleset.Settlement, c ruleset.Chair, w *ruleset.Winner, rng *rand.Rand) bool {
	styles := [...]tile.Set{
		tile.All, tile.Orphans, tile.HonorSet, tile.Dragons | tile.SuitSet(0), tile.Winds | tile.SuitSet(1),
		tile.SuitSet(2), tile.Simples, tile.Greens, tile.Terminals, tile.Winds,
	}
	style := styles[rng.IntN(len(styles))]
	kind := func() tile.Kind { // of the style
		for {
			if k := tile.Kind(rng.IntN(tile.NumKinds)); style.Has(k) {
				return k
			}
		}
	}
	win := ruleset.Win{
		SelfDraw: s.From == ruleset.NoChair, SeatWind: r.SeatWind(c, s.Dealer), RoundWind: tile.Wind(rng.IntN(2)),
		Discards: 40, Dealer: s.From == ruleset.NoChair || c == s.Dealer || s.From == s.Dealer, Streak: uint8(s.Counter),
		Indicators: [ruleset.MaxIndicators]tile.Kind{kind()}, NumIndicators: 1, Flowers: uint8(rng.IntN(256) & rng.IntN(256)),
	}
	if r.Flowers == ruleset.NoFlowers {
		win.Flowers = 0
	}
	var used [tile.NumKinds]int
	take := func(kinds ...tile.Kind) bool {
		for i, k := range kinds {
			if used[k] == 4 {
				for _, k := range kinds[:i] {
					used[k]--
				}
				return false
			}
			used[k]++
		}
		return true
	}
	kans, open := rng.IntN(4), rng.IntN(4) // chances in quarters
	for sets, tries := 0, 0; sets < r.HandSize/3; tries++ {
		if tries > 100 {
			return false // too few tiles of the style are left
		}
		k := kind()
		m, tiles := hand.Meld{Type: hand.Pon, Kind: k, From: 1}, []tile.Kind{k, k, k}
		switch {
		case rng.IntN(4) < kans:
			m.Type, tiles = hand.OpenKan+hand.MeldType(rng.IntN(3)), append(tiles, k)
		case rng.IntN(3) > 0 && !k.IsHonor() && k.Rank() <= 6 && style.Has(k+1) && style.Has(k+2):
			m.Type, m.From, tiles = hand.Chi, 3, []tile.Kind{k, k + 1, k + 2}
		}
		if m.Type == hand.ClosedKan {
			m.From = 0
		}
		if !take(tiles...) {
			continue
		}
		sets++
		if m.Type.IsKan() || rng.IntN(4) < open {
			win.Melds[win.NumMelds] = m
			win.NumMelds++
			continue
		}
		for _, k := range tiles {
			win.Hand.Add(k)
		}
	}
	pair := kind()
	for !take(pair, pair) {
		pair = tile.Kind(rng.IntN(tile.NumKinds))
	}
	win.Hand.Add(pair)
	win.Hand.Add(pair)
	for win.Hand.Count(win.Tile) == 0 {
		win.Tile = tile.Kind(rng.IntN(tile.NumKinds))
	}
	r.Value(&win, &w.Value)
	v := &w.Value
	d.addNumbers(v.Shape, v.OK, v.Patterns[:v.NumPatterns], v.Han, v.Fu, v.Yakuman, v.Points, v.Base, v.DealerItems, v.FlowerWin)
	w.Chair, w.Responsible = c, s.From
	for i := range w.Liable {
		w.Liable[i] = ruleset.NoChair
	}
	// Signatures are of random numbers drawn for three patterns and the giver of an open kan.
	// Further places are taken only where the melds make a player liable.
	const drawn, last = 3, ruleset.NumLiabilities - 1
	for _, i := range []int{0, 1, 2, last} {
		w.LiableOrder[i] = uint8(rng.IntN(4))
	}
	due := r.Liability(win.Melds[:win.NumMelds])
	d.addNumbers(due)
	for i := range w.Liable {
		if due>>i&1 != 0 || i < drawn && rng.IntN(2) == 0 {
			w.Liable[i] = r.NextChair(c, 1+rng.IntN(r.NumSeats()-1))
		}
	}
	return v.OK
}
