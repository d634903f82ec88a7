package hand

// MaxSets is the largest number of sets of a hand, that of seventeen tiles.
const MaxSets = 5

const maxTiles = 3*MaxSets + 2

// row holds one cost for each number of sets, 0..MaxSets, a byte each with zero
// sets in the lowest. A cost is the number of tiles to draw, at most
// unreachable.
type row uint64

const (
	lanes       row = 0x0101_0101_0101
	unreachable     = 0x3f // twice this stays below 0x80
	noWay           = unreachable * lanes
)

func (r row) at(n int) int { return int(r >> (8 * n) & 0xff) }

// plus returns r with c more tiles to draw everywhere.
func (r row) plus(c int) row { return r + row(c)*lanes }

// withSets returns the costs when n sets have been made besides those of r.
func (r row) withSets(n int) row {
	return (r<<(8*n) | noWay>>(8*(MaxSets+1-n))) & (0xff * lanes)
}

// min returns the lower cost in each place; all costs are below 0x80.
func (r row) min(s row) row {
	lower := (r | 0x80*lanes) - s // high bit of a byte: s is not above r
	take := lower >> 7 & lanes * 0xff
	return r&^take | s&take
}

// costs is what a group of tiles, a suit or several, still needs: the least
// number of tiles to draw into it until it holds a given number of sets, without
// a pair ([0]) and with one ([1]). Sets and pair are made of at most four tiles
// of a kind.
type costs [2]row

// withPair returns the costs of two groups of tiles together with one pair.
func (c costs) withPair(d costs) row {
	return c[0].join(d[1]).min(c[1].join(d[0]))
}

// combine returns the costs of two groups of tiles together.
func (c costs) combine(d costs) costs {
	return costs{c[0].join(d[0]), c.withPair(d)}
}

// join returns for each number of sets the cheapest way to make it of both.
func (r row) join(s row) row {
	best := noWay
	for n := range MaxSets + 1 {
		best = best.min(r.withSets(n).plus(s.at(n)))
	}
	return best
}
