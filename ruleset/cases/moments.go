package cases

import (
	"slices"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// moments is a set of the moments of a hand at which a win can be: one bit for each pair of
// where the winning tile comes from and how far the hand is. Each flag allows some of them,
// so flags that allow no common moment contradict each other. This is the one account of
// what follows what in a hand: a pair of flags is not listed anywhere.
type moments uint64

// origin is where the winning tile comes from.
type origin uint

const (
	dealtTile origin = iota
	wallTile
	kanReplacement
	flowerReplacement
	northReplacement
	ownFlowers // a flower win needs no tile
	discardedTile
	addedKanTile
	closedKanTile
	northTile
	lastFlower // robbed from its holder
	numOrigins
)

// stage is how far the hand is. The opening is the first go-around while no call or kan has
// interrupted it; a winner in the opening may have discarded or not.
type stage uint

const (
	beforeDiscards stage = iota // of any player
	openingUndiscarded
	openingDiscarded // the winner has discarded
	middle
	wallEmpty
	numStages
)

// when returns the moments of all pairs of some origins and stages.
func when(origins []origin, stages ...stage) (m moments) {
	for _, o := range origins {
		for _, s := range stages {
			m |= 1 << (uint(o)*uint(numStages) + uint(s))
		}
	}
	return m
}

var (
	drawn     = []origin{dealtTile, wallTile, kanReplacement, flowerReplacement, northReplacement, ownFlowers}
	given     = []origin{discardedTile, addedKanTile, closedKanTile, northTile, lastFlower}
	sides     = map[bool][]origin{false: given, true: drawn}
	anyOrigin = append(append([]origin{}, drawn...), given...)
	anyStage  = []stage{beforeDiscards, openingUndiscarded, openingDiscarded, middle, wallEmpty}
	opening   = []stage{openingUndiscarded, openingDiscarded}
	// A kan ends the opening where it ends the chance of first wins.
	interrupted = []stage{middle, wallEmpty}
	always      = when(anyOrigin, anyStage...)
)

// momentsOf returns the moments that a flag allows under r.
func momentsOf(f ruleset.Flags, r *ruleset.Rules) moments {
	// After a kan: in the opening only where a kan does not end the chance of first wins.
	afterKan := anyStage
	if brokenByKan(r) {
		afterKan = interrupted
	}
	if !r.LastTileAfterKan {
		afterKan = without(afterKan, wallEmpty)
	}
	switch f {
	case ruleset.FlagAfterKan, ruleset.FlagAfterTwoKans:
		return when([]origin{kanReplacement}, afterKan...)
	case ruleset.FlagAfterFlower:
		return when([]origin{flowerReplacement}, anyStage...)
	case ruleset.FlagAfterKita:
		if !r.LastTileAfterKan {
			return when([]origin{northReplacement}, middle)
		}
		return when([]origin{northReplacement}, interrupted...)
	case ruleset.FlagRobbingKan:
		return when([]origin{addedKanTile}, middle)
	case ruleset.FlagRobbingClosedKan:
		return when([]origin{closedKanTile}, without(anyStage, wallEmpty)...)
	case ruleset.FlagRobbingKita:
		return when([]origin{northTile}, without(anyStage, wallEmpty)...)
	case ruleset.FlagFlowerWin7:
		return when([]origin{ownFlowers, lastFlower}, anyStage...)
	case ruleset.FlagFlowerWin8:
		return when([]origin{ownFlowers}, anyStage...)
	case ruleset.FlagDoubleWin, ruleset.FlagTripleWin:
		return when([]origin{discardedTile, addedKanTile, closedKanTile, northTile}, anyStage...)
	case ruleset.FlagLastTile:
		// The tile of a kan or North is neither drawn from the wall nor discarded.
		tiles := []origin{wallTile, discardedTile}
		if r.LastTileAfterKan {
			tiles = append(tiles, kanReplacement, flowerReplacement, northReplacement)
		}
		return when(tiles, wallEmpty)
	case ruleset.FlagLastCopy, ruleset.FlagSoleLive:
		return when(anyOrigin, opening...) | when(anyOrigin, interrupted...)
	case ruleset.FlagHeavenly:
		tiles := []origin{dealtTile, wallTile, flowerReplacement}
		if !brokenByKan(r) {
			tiles = append(tiles, kanReplacement)
		}
		return when(tiles, beforeDiscards)
	case ruleset.FlagEarthly:
		if byDiscard(r) {
			return when([]origin{discardedTile}, openingUndiscarded)
		}
		return when([]origin{wallTile, flowerReplacement}, openingUndiscarded)
	case ruleset.FlagHuman:
		switch {
		case byGoAround(r):
			return when([]origin{discardedTile}, opening...) | when([]origin{wallTile, flowerReplacement}, openingUndiscarded)
		case beforeDraw(r):
			return when([]origin{discardedTile}, openingUndiscarded)
		}
		return when([]origin{discardedTile}, opening...)
	case ruleset.FlagReady, ruleset.FlagReadyHuman, ruleset.FlagRiichi, ruleset.FlagDoubleRiichi, ruleset.FlagReadyEarth:
		// Declared with a discard of the winner; with the first one of an opening that nothing has
		// interrupted the tier is a higher one.
		if f&(ruleset.FlagReady|ruleset.FlagReadyHuman) != 0 && r.ReadyTiers != ruleset.NoTiers {
			return when(anyOrigin, interrupted...)
		}
		return when(anyOrigin, openingDiscarded, middle, wallEmpty)
	case ruleset.FlagReadyHeaven:
		if r.ReadyInitial {
			return always
		}
		return when(anyOrigin, openingDiscarded, middle, wallEmpty)
	case ruleset.FlagIppatsu:
		// A kan ends it, and so does a North where kita_breaks_one_shot says so.
		m := always &^ when([]origin{kanReplacement}, anyStage...)
		if withRiichi(r) {
			m &^= when([]origin{northReplacement}, anyStage...)
		}
		return m
	}
	return always
}

// without returns the stages but one.
func without(stages []stage, s stage) []stage {
	return slices.DeleteFunc(slices.Clone(stages), func(t stage) bool { return t == s })
}
