package mcr

import "github.com/sparrowhall/sparrowhall/ruleset/tile"

// Kinds that fan speak of.
const (
	evens tile.Set = 0b010101010 * tile.Ones
	fives tile.Set = 0b000010000 * tile.Ones
)

// noteKinds notes the fan that follow from the kinds of tiles alone, and nine
// gates, which are of one suit.
func (e *evaluation) noteKinds() {
	e.composition = composition(e.kinds)
	isFlush := e.composition.majors&fullFlush != 0
	e.composition = e.composition.without(e.scorer.off)
	if !isFlush || e.win.NumMelds > 0 || e.unique == notUnique || e.scorer.off.majors&nineGates != 0 {
		return
	}
	h := &e.before
	if h.Kinds().Len() == 9 && h.AtLeast(2) == h.Kinds()&tile.Terminals && h.AtLeast(3) == h.AtLeast(2) {
		e.composition.majors |= nineGates
	}
}

func composition(kinds tile.Set) (b bag) {
	honors, suited := kinds&tile.HonorSet, kinds&tile.Suited
	suits := 0
	for s := suited; s != 0; s >>= 9 {
		if s&tile.Ranks != 0 {
			suits++
		}
	}
	switch {
	case suits == 1 && honors == 0:
		b.majors |= fullFlush
	case suits == 1:
		b.majors |= halfFlush
	case suits == 2:
		b.minors |= oneVoidedSuit
	case suits == 3 && honors&tile.Winds != 0 && honors&tile.Dragons != 0:
		b.majors |= allTypes
	}
	if honors == 0 {
		b.minors |= noHonors
		b.majors |= ranged((kinds | kinds>>9 | kinds>>18) & tile.Ranks)
		if kinds&tile.Terminals == 0 {
			b.minors |= allSimples
		}
	}
	if kinds&tile.Simples == 0 {
		switch {
		case honors == 0:
			b.majors |= allTerminals
		case suited == 0:
			b.majors |= allHonors
		default:
			b.majors |= allTerminalsAndHonors
		}
	}
	if kinds&^tile.Greens == 0 {
		b.majors |= allGreen
	}
	if kinds&^tile.Reversible == 0 {
		b.majors |= reversibleTiles
	}
	return b
}

// ranged returns the fan of hands without honors that a set of ranks makes.
func ranged(ranks tile.Set) (m majors) {
	const lower, middle, upper tile.Set = 0b000000111, 0b000111000, 0b111000000
	switch {
	case ranks&^upper == 0:
		return upperTiles | upperFour
	case ranks&^(upper|1<<5) == 0:
		return upperFour
	case ranks&^middle == 0:
		return middleTiles
	case ranks&^lower == 0:
		return lowerTiles | lowerFour
	case ranks&^(lower|1<<3) == 0:
		return lowerFour
	}
	return 0
}
