package rulestest

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
)

// This file reads complete hands slowly, for second scorers: by trying, with no code of the
// first. Kinds are 0..33 as in package tile.

// Unit is a set or the pair of a reading.
type Unit struct {
	// Form is chow, triplet, kong or pair, Kind the lowest kind.
	Form      string
	Kind      int
	Concealed bool
	// Won marks the unit that the winning tile completed.
	Won bool
}

// Tiles returns the kinds of the unit, three of a kong.
func (u Unit) Tiles() []int {
	switch u.Form {
	case "chow":
		return []int{u.Kind, u.Kind + 1, u.Kind + 2}
	case "pair":
		return []int{u.Kind, u.Kind}
	}
	return []int{u.Kind, u.Kind, u.Kind}
}

// IsTriplet reports whether the unit is a triplet or a kong.
func (u Unit) IsTriplet() bool { return u.Form == "triplet" || u.Form == "kong" }

// IsHonor reports whether a kind is a wind or a dragon.
func IsHonor(k int) bool { return k >= 27 }

// IsTerminal reports whether a kind is a one or a nine.
func IsTerminal(k int) bool { return !IsHonor(k) && (k%9 == 0 || k%9 == 8) }

// IsOrphan reports whether a kind is a terminal or an honor.
func IsOrphan(k int) bool { return IsHonor(k) || IsTerminal(k) }

// Tiles returns the kinds of all tiles of a hand, three of each kong.
func Tiles(w *ruleset.Win) []int {
	var tiles []int
	for k, n := range w.Hand.Counts() {
		for range n {
			tiles = append(tiles, k)
		}
	}
	for _, u := range melds(w) {
		tiles = append(tiles, u.Tiles()...)
	}
	return tiles
}

func melds(w *ruleset.Win) []Unit {
	var units []Unit
	for _, m := range w.Melds[:w.NumMelds] {
		u := Unit{Kind: int(m.Kind)}
		switch m.Type {
		case hand.Chi:
			u.Form = "chow"
		case hand.Pon:
			u.Form = "triplet"
		default:
			u.Form, u.Concealed = "kong", m.Type == hand.ClosedKan
		}
		units = append(units, u)
	}
	return units
}

// Readings returns the ways to read a hand as sets and a pair, with each unit that the
// winning tile may have completed. A triplet completed by a discard is concealed only if
// claimedConcealed says so.
func Readings(w *ruleset.Win, claimedConcealed bool) [][]Unit {
	var counts [34]int
	for k, n := range w.Hand.Counts() {
		counts[k] = int(n)
	}
	melds := melds(w)
	var found [][]Unit
	for _, units := range split(counts) {
		for i, u := range units {
			if !slices.Contains(u.Tiles(), int(w.Tile)) {
				continue
			}
			units := slices.Concat(units, melds)
			units[i].Won = true
			if !w.SelfDraw && !claimedConcealed {
				units[i].Concealed = false
			}
			found = append(found, units)
		}
	}
	return found
}

// IsSevenPairs reports whether a hand is seven pairs; with quads, four equal tiles are two.
func IsSevenPairs(w *ruleset.Win, quads bool) bool {
	pairs := 0
	for _, n := range w.Hand.Counts() {
		if n == 2 || n == 4 && quads {
			pairs += int(n) / 2
		}
	}
	return pairs == 7 && w.NumMelds == 0
}

// IsThirteenOrphans reports whether a hand is thirteen orphans.
func IsThirteenOrphans(w *ruleset.Win) bool {
	orphans := 0
	for k, n := range w.Hand.Counts() {
		switch {
		case n > 0 && !IsOrphan(k):
			return false
		case n > 0:
			orphans++
		}
	}
	return orphans == 13 && w.Hand.Len() == 14
}

// split returns the ways to divide tiles into sets and one pair.
func split(counts [34]int) [][]Unit {
	var all [][]Unit
	for k := range counts {
		if counts[k] >= 2 {
			counts[k] -= 2
			for _, sets := range splitSets(counts) {
				all = append(all, append(sets, Unit{Form: "pair", Kind: k, Concealed: true}))
			}
			counts[k] += 2
		}
	}
	return all
}

func splitSets(counts [34]int) [][]Unit {
	k := slices.IndexFunc(counts[:], func(n int) bool { return n > 0 })
	if k < 0 {
		return [][]Unit{nil}
	}
	var all [][]Unit
	take := func(u Unit) {
		rest := counts
		for _, k := range u.Tiles() {
			if rest[k]--; rest[k] < 0 {
				return
			}
		}
		for _, sets := range splitSets(rest) {
			all = append(all, append(sets, u))
		}
	}
	take(Unit{Form: "triplet", Kind: k, Concealed: true})
	if !IsHonor(k) && k%9 <= 6 {
		take(Unit{Form: "chow", Kind: k, Concealed: true})
	}
	return all
}
