package mcr

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// Chows by their lowest kind: 123, 789, and those that hold a five.
const (
	firstRuns = tile.Ones
	lastRuns  = tile.Ones << 6
	fiveRuns  = 7 * tile.Ones << 2
)

// chowsAndPair returns the fan of chows, those of terminals with a pair of fives
// included.
func chowsAndPair(list [4]chow, pair tile.Kind) bag {
	f := scoreChows(list)
	if f.fives == pair {
		return f.terminal
	}
	return f.fans
}

// edges returns the fan of hands that have a terminal or honor, or a five, in
// every set and in the pair; others are the kinds of triplets and pair.
func edges(runs, others tile.Set) (b bag) {
	if runs&^(firstRuns|lastRuns) == 0 && others&^tile.Orphans == 0 {
		b.minors = outsideHand
	}
	if runs&^fiveRuns == 0 && others&^fives == 0 {
		b.majors = allFives
	}
	return b
}

// concealedPungs returns the fan of n concealed pungs and kongs, the greatest that
// exists and is of no less than the given number.
func (s *scorer) concealedPungs(n, least int) bag {
	switch {
	case n == 4 && s.off.majors&fourConcealedPungs == 0:
		return bag{majors: fourConcealedPungs}
	case n >= 3 && s.off.majors&threeConcealedPungs == 0:
		return bag{majors: threeConcealedPungs}
	case least > 2:
		return bag{}
	}
	return bag{minors: twoConcealedPungs}
}

// tripletFans returns the fan of pungs and kongs other than their concealment.
func (e *evaluation) tripletFans(triplets tile.Set, pair tile.Kind) (b bag) {
	if triplets == 0 {
		return b
	}
	units := triplets & (tile.Terminals | tile.Winds)
	if triplets&tile.HonorSet != 0 {
		if wind := e.win.RoundWind.Kind().Bit(); triplets&wind != 0 {
			b.minors |= prevalentWind
			units &^= wind
		}
		if wind := e.win.SeatWind.Kind().Bit(); triplets&wind != 0 {
			b.minors |= seatWind
			units &^= wind
		}
		honors := honorFans(triplets, pair)
		if honors.majors&bigThreeWinds != 0 {
			units &^= tile.Winds
		}
		b = b.and(honors)
	}
	n := units.Len()
	if n > 0 && e.composition.majors&nineGates != 0 {
		n-- // GB06 3.8.1, fan 4; D8
	}
	b.minors += minors(n) * pungOfTerminalsOrHonors
	if s := triplets & tile.Suited; s.Rest() != 0 {
		b = b.and(suitedTriplets(s))
	}
	return b
}

// honorFans returns the fan of pungs of winds and dragons, those of a single
// wind apart, and those that others of them exclude included.
func honorFans(triplets tile.Set, pair tile.Kind) (b bag) {
	switch winds := (triplets & tile.Winds).Len(); {
	case winds == 4:
		b.majors |= bigFourWinds | bigThreeWinds
	case winds == 3 && tile.Winds.Has(pair):
		b.majors |= littleFourWinds | bigThreeWinds
	case winds == 3:
		b.majors |= bigThreeWinds
	}
	dragons := (triplets & tile.Dragons).Len()
	b.minors = minors(dragons) * dragonPung
	switch {
	case dragons == 3:
		b.majors |= bigThreeDragons | twoDragonPungs
	case dragons == 2 && tile.Dragons.Has(pair):
		b.majors |= littleThreeDragons | twoDragonPungs
	case dragons == 2:
		b.majors |= twoDragonPungs
	}
	return b
}

// suitedTriplets returns the fan that triplets of suits make with each other.
func suitedTriplets(t tile.Set) (b bag) {
	const (
		starts3 = tile.Sequences // ranks that two more follow
		starts4 = 0b000111111 * tile.Ones
	)
	u, v, w := t&tile.Ranks, t>>9&tile.Ranks, t>>18&tile.Ranks
	b.minors = minors((u&v).Len()+(v&w).Len()+(u&w).Len()) * doublePung
	if u&v&w != 0 {
		b.majors |= triplePung
		b.minors = doublePung // excluded, as all three are
	}
	if t&(t>>1)&(t>>2)&starts3 != 0 {
		b.majors |= pureShiftedPungs
		if t&(t>>1)&(t>>2)&(t>>3)&starts4 != 0 {
			b.majors |= fourPureShiftedPungs
		}
	}
	if u&(v>>1&(w>>2)|v>>2&(w>>1))|v&(u>>1&(w>>2)|u>>2&(w>>1))|w&(u>>1&(v>>2)|u>>2&(v>>1)) != 0 {
		b.majors |= mixedShiftedPungs
	}
	return b
}
