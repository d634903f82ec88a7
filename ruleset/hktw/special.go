package hktw

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// special considers the special forms ([H] 5). Of these only a lik gu can be a
// standard hand too.
func (e *evaluation) special(standard bool, best *reading) {
	h := &e.win.Hand
	switch {
	// Disjoint tiles and orphans are never a standard hand, so they are looked for last ([H] 5).
	case len(e.melds) == 0 && h.Len() == handSize:
		if e.scorer.pairs && e.scorer.likGuShanten(h) < 0 {
			e.likGu(best)
		} else if !standard && e.scorer.disjoints && e.scorer.disjointShanten(h) < 0 {
			e.disjointTiles(best)
		} else if !standard && e.scorer.orphans && tile.Orphans&^e.held == 0 {
			e.orphansInHand(best)
		}
	case len(e.melds) == 1 && h.Len() == handSize-numExtra && e.scorer.mayBeExtra(e.melds[0]) && h.OrphansShanten() < 0:
		e.orphansWith(e.melds[0].Kind.Bit(), false, best)
	}
}

// likGu considers seven pairs and a triplet ([H] 5.1).
func (e *evaluation) likGu(best *reading) {
	t, h := e.whole, &e.win.Hand
	t.add(likGu)
	if e.held&tile.Simples == 0 {
		e.countOutside(&t)
	}
	suited := e.held & tile.Suited
	// One rank in all suited pairs. Four equal tiles are two of the groups.
	if ranks := (suited | suited>>dots | suited>>bamboo) & tile.Ranks; ranks != 0 && ranks&(ranks-1) == 0 {
		e.countCommonRank(&t, suited.Len()+(suited&h.AtLeast(4)).Len())
	}
	if types(e.held) == allTypes {
		e.countTypes(&t, false)
	}
	if e.quads != 0 {
		var r returns
		for quads := e.quads; quads != 0; quads = quads.Rest() {
			r.add(2, !e.discarded().Has(quads.First()))
		}
		e.addReturns(&t, &r)
	}
	if e.scorer.knobs.LikGuSingleWait && h.Count(e.win.Tile) == 2 {
		e.countSingle(&t)
	}
	e.consider(&t, best)
}

// disjointTiles considers sixteen disjoint tiles ([H] 5.2).
func (e *evaluation) disjointTiles(best *reading) {
	// Not from whole: the fan of kinds do not count for this form ([H] 5.2).
	t := e.common
	t.add(sixteenDisjoint)
	a, b, c := e.held&tile.Ranks, e.held>>dots&tile.Ranks, e.held>>bamboo&tile.Ranks
	t.addIf(a == b && b == c, disjointSame)
	t.addIf(a|b|c == tile.Ranks, disjointStraight)
	t.addIf(e.scorer.knobs.SpecialTypes == SpecialTypesSeven && e.bothColors(), smallSevenTypes)
	t.addIf(e.isOnlyWait(), trueSingle)
	e.consider(&t, best)
}

// numExtra is the number of tiles of the extra meld of thirteen orphans that are
// not in the hand if it is a kan.
const numExtra = 3

// orphansInHand considers thirteen orphans with every extra meld that the hand may
// contain ([H] 5.3).
func (e *evaluation) orphansInHand(best *reading) {
	r := spareOf(&e.win.Hand)
	if r.kept() < orphansExtra {
		return
	}
	// Three spare tiles of a kind, and an orphan besides that doubles.
	for pungs := r[2]; pungs != 0; pungs = pungs.Rest() {
		if bit := pungs & -pungs; r.double(r[0]&^bit) == 1 {
			e.orphansWith(bit, false, best)
		}
	}
	for starts := r[0] & (r[0] >> 1) & (r[0] >> 2) & tile.Sequences; starts != 0; starts = starts.Rest() {
		bit := starts & -starts
		if r.double(r[0]&^(7*bit)|r[1]&(7*bit)) == 1 {
			e.orphansWith(bit, true, best)
		}
	}
}

// orphansWith considers thirteen orphans with an extra pung or kan of a kind, or a
// sequence from it.
func (e *evaluation) orphansWith(extra tile.Set, chow bool, best *reading) {
	// Only thirteen orphans may rob a closed kan under some rules; see Value.
	e.isOrphans = true
	t := e.common
	t.add(thirteenOrphans)
	switch {
	case chow:
		t.addIf(extra&tile.EdgeSequences != 0, mixedOutside)
	case extra&tile.Orphans != 0:
		id := mixedOutside
		if e.scorer.knobs.OrphansTerminals {
			id = mixedTerminals
		}
		t.add(id)
		// A pung of orphans beside the single one is four of a kind in two groups; a kan has its
		// fourth tile in the meld.
		if len(e.melds) == 0 {
			var r returns
			r.add(2, extra != e.discarded())
			e.addReturns(&t, &r)
		}
	}
	if extra&tile.HonorSet != 0 && !chow {
		t.add(honorPung)
		t.addTimes(properHonor, e.proper(extra), 0)
	}
	t.addIf(e.scorer.knobs.SpecialTypes != SpecialTypesNone && e.bothColors(), smallSevenTypes)
	t.addIf(e.isOnlyWait(), trueSingle)
	e.consider(&t, best)
}
