package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// The methods below reveal hidden tiles, which no View does. They serve learners that
// train with perfect information and control variates of luck.

// NextTiles writes the next ordinary tiles of the wall into dst, in the order of
// drawing if no replacement tile is drawn from the same end. It returns how many it
// wrote, at most the tiles that can still be drawn. With private walls it reads that of
// player p.
func (t *Table) NextTiles(p Player, dst []tile.Face) int {
	c := t.chairOf[p&3]
	n := min(len(dst), max(t.left(c), 0))
	if t.rules.Walls == ruleset.WallPerSeat {
		copy(dst[:n], t.wall[int(c)*seatWall+int(t.front[c]):])
		return n
	}
	for i := range n {
		at := int(t.front[0]) + i
		if t.isTakenFromTail(at) {
			at++
		}
		dst[i] = t.wall[at]
	}
	return n
}

// NextReplacements writes the next replacement tiles from the tail of a shared wall
// into dst and returns how many it wrote: 0 where replacements come from the front.
func (t *Table) NextReplacements(dst []tile.Face) int {
	r := t.rules
	if r.ReplacementFrom == ruleset.FromFront {
		return 0
	}
	n := min(len(dst), max(t.left(0), 0))
	for i := range n {
		at := replacementPosition(r.ReplacementOrder, SetSize(&r.Flow), int(t.taken)+i)
		if at < int(t.front[0]) {
			at++
		}
		dst[i] = t.wall[at]
	}
	return n
}

// UraIndicator returns the tile below the i-th dora indicator that has been turned.
func (t *Table) UraIndicator(i int) tile.Face { return t.wall[IndicatorIndex(&t.rules.Flow, i)+1] }
