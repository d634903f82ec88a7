package hktw_test

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
)

// layouts returns all readings of a hand.
func (o *oracle) layouts(w *ruleset.Win) []layout {
	var counts [34]int
	var tiles []int
	for k, n := range w.Hand.Counts() {
		counts[k] = int(n)
		for range n {
			tiles = append(tiles, k)
		}
	}
	inHand := len(tiles)
	var melds []unit
	for _, m := range w.Melds[:w.NumMelds] {
		u := unit{kind: int(m.Kind), called: m.Type != hand.ClosedKan, open: m.Type != hand.ClosedKan, added: m.Type == hand.AddedKan}
		switch m.Type {
		case hand.Chi:
			u.form = "chow"
		case hand.Pon:
			u.form = "pung"
		default:
			u.form = "kong"
		}
		melds = append(melds, u)
		tiles = append(tiles, u.tiles()...)
	}
	var found []layout
	for _, units := range split(counts) {
		if len(units)+len(melds) != 6 {
			continue
		}
		for i, u := range units {
			if !u.has(int(w.Tile)) {
				continue
			}
			units := slices.Concat(units, melds)
			if !w.SelfDraw && u.form != "pair" && o.cfg.DiscardOpensMeld {
				units[i].open = true
			}
			found = append(found, layout{oracle: o, win: w, form: "standard", units: units, won: i, tiles: tiles})
		}
	}
	special := func(form string, units []unit) {
		found = append(found, layout{oracle: o, win: w, form: form, units: units, won: -1, tiles: tiles})
	}
	if len(melds) == 0 && inHand == 17 {
		if units, ok := o.likGu(counts); ok && o.exists("lik_gu") {
			special("lik gu", units)
		}
		if o.isDisjoint(counts) && o.exists("sixteen_disjoint") {
			special("disjoint", nil)
		}
	}
	for _, extra := range o.extras(counts, melds, inHand) {
		if !o.exists("thirteen_orphans") {
			break
		}
		units := []unit{extra}
		for k := range 34 {
			if isOrphan(k) {
				units = append(units, unit{form: "single", kind: k})
			}
		}
		special("orphans", units)
	}
	return found
}

// likGu returns the groups of seven pairs and a triplet.
func (o *oracle) likGu(counts [34]int) (units []unit, ok bool) {
	triplets := 0
	for k, n := range counts {
		switch n {
		case 1:
			return nil, false
		case 2:
			units = append(units, unit{form: "pair", kind: k})
		case 3:
			triplets++
			units = append(units, unit{form: "pung", kind: k})
		case 4:
			if !o.cfg.LikGuQuads {
				return nil, false
			}
			units = append(units, unit{form: "pair", kind: k}, unit{form: "pair", kind: k})
		}
	}
	return units, triplets == 1
}

func (o *oracle) isDisjoint(counts [34]int) bool {
	doubled := 0
	for k, n := range counts {
		if n > 2 || isHonor(k) && n == 0 {
			return false
		}
		if n == 2 {
			doubled++
			if o.cfg.DisjointPair == hktw.DisjointHonor && !isHonor(k) {
				return false
			}
		}
	}
	for suit := range 3 {
		var ranks []int
		for r := range 9 {
			if counts[9*suit+r] > 0 {
				ranks = append(ranks, r)
			}
		}
		if len(ranks) != 3 || ranks[1]-ranks[0] < o.cfg.DisjointMinGap || ranks[2]-ranks[1] < o.cfg.DisjointMinGap {
			return false
		}
	}
	return doubled == 1
}

// extras returns the melds that may be the extra one of thirteen orphans.
func (o *oracle) extras(counts [34]int, melds []unit, inHand int) (found []unit) {
	for k := range 34 {
		if isOrphan(k) {
			if counts[k]--; counts[k] < 0 {
				return nil
			}
		}
	}
	doubled := func(counts [34]int) bool {
		left := 0
		for k, n := range counts {
			if n < 0 || n > 0 && !isOrphan(k) {
				return false
			}
			left += n
		}
		return left == 1
	}
	switch {
	case len(melds) == 1 && inHand == 14:
		m := melds[0]
		allowed := o.cfg.OrphansKong == hktw.OrphansKongAny || o.cfg.OrphansKong == hktw.OrphansKongConcealed && !m.open
		if m.form == "kong" && !m.added && allowed && doubled(counts) {
			found = append(found, m)
		}
	case len(melds) == 0 && inHand == 17:
		for k := range 34 {
			candidates := []unit{{form: "pung", kind: k}}
			if !isHonor(k) && rankOf(k) <= 7 {
				candidates = append(candidates, unit{form: "chow", kind: k})
			}
			for _, u := range candidates {
				rest := counts
				for _, t := range u.tiles() {
					rest[t]--
				}
				if doubled(rest) {
					found = append(found, u)
				}
			}
		}
	}
	return found
}

// split returns the ways to divide tiles into sets and one pair.
func split(counts [34]int) [][]unit {
	var all [][]unit
	for k := range counts {
		if counts[k] >= 2 {
			counts[k] -= 2
			for _, sets := range splitSets(counts) {
				all = append(all, append(sets, unit{form: "pair", kind: k}))
			}
			counts[k] += 2
		}
	}
	return all
}

func splitSets(counts [34]int) [][]unit {
	k := slices.IndexFunc(counts[:], func(n int) bool { return n > 0 })
	if k < 0 {
		return [][]unit{nil}
	}
	var all [][]unit
	take := func(u unit) {
		rest := counts
		for _, k := range u.tiles() {
			if rest[k]--; rest[k] < 0 {
				return
			}
		}
		for _, sets := range splitSets(rest) {
			all = append(all, append(sets, u))
		}
	}
	take(unit{form: "pung", kind: k})
	if !isHonor(k) && rankOf(k) <= 7 {
		take(unit{form: "chow", kind: k})
	}
	return all
}
