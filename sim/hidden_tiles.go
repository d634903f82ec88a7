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

// DeadWall appends the tiles of a shared wall that are never drawn to dst, in the order of replacement
// tiles. First are those that are left, then each dora indicator with the tile below it. Last are tiles
// that took the place of replacement tiles drawn. Private walls have no dead wall.
func (t *Table) DeadWall(dst []tile.Face) []tile.Face {
	r := t.rules
	if r.Walls == ruleset.WallPerSeat {
		return dst
	}
	n := SetSize(&r.Flow)
	first := n - r.DeadWall - int(t.taken)
	for i, left := int(t.taken), r.DeadWall; left > 0; i++ {
		// The dead wall may begin in the midst of a stack, whose upper tile is not of it.
		if at := replacementPosition(r.ReplacementOrder, n, i); at >= first {
			dst = append(dst, t.wall[at])
			left--
		}
	}
	return dst
}

// UraIndicator returns the tile below the i-th dora indicator that has been turned.
func (t *Table) UraIndicator(i int) tile.Face { return t.wall[IndicatorIndex(&t.rules.Flow, i)+1] }
