package sim

import (
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// What follows is the truth of a table, which no View tells: it is for learners
// that are shown more in training than in play, and for measures of luck.

// Ahead writes the ordinary tiles that lie next in the wall into dst, in the
// order in which they will be drawn unless replacement tiles come from the same
// end, and returns how many it wrote: at most those that can still be drawn. Of
// private walls it is that of player p.
func (t *Table) Ahead(p Player, dst []tile.Face) int {
	c := t.chairOf[p&3]
	n := min(len(dst), max(t.left(c), 0))
	if t.rules.Walls == ruleset.WallPerSeat {
		copy(dst[:n], t.wall[int(c)*seatWall+int(t.front[c]):])
		return n
	}
	for i := range n {
		at := int(t.front[0]) + i
		if t.tailHas(at) {
			at++
		}
		dst[i] = t.wall[at]
	}
	return n
}

// Replacements writes the replacement tiles that come next from the tail of a
// shared wall into dst, and returns how many it wrote; 0 where they come from the
// front.
func (t *Table) Replacements(dst []tile.Face) int {
	r := t.rules
	if r.ReplacementFrom == ruleset.FromFront {
		return 0
	}
	n := min(len(dst), max(t.left(0), 0))
	for i := range n {
		at := replacementIndex(r.ReplacementOrder, SetSize(&r.Flow), int(t.taken)+i)
		if at < int(t.front[0]) {
			at++
		}
		dst[i] = t.wall[at]
	}
	return n
}

// Under returns the tile below the i-th dora indicator that has been turned.
func (t *Table) Under(i int) tile.Face { return t.wall[indicatorIndex(i)+1] }
