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

// walkState is the state of a walk over the ranks of a suit from one end to the
// other. It has a row of costs by whether the pair is made, and by how many sequences
// began two ranks back and one rank back. Three equal sequences are three triplets, so two are enough.
type walkState [2][3][3]row

// costsOf returns the costs of the ranks walked, without unfinished sequences.
func (p *walkState) costsOf() costs { return costs{p[0][0][0], p[1][0][0]} }

// startState returns the state before the first rank.
func startState() (p walkState) {
	p = deadState
	p[0][0][0] = noWay - unreachable
	return p
}

// deadState is the state in which no number of sets is possible.
var deadState = func() (p walkState) {
	for pair := range p {
		for a := range p[pair] {
			for b := range p[pair][a] {
				p[pair][a][b] = noWay
			}
		}
	}
	return p
}()

// walk returns the state after a rank of which held tiles are held, where
// sequences may or may not begin.
func (p *walkState) walk(held int, beginnings bool) walkState {
	next := deadState
	most := 0
	if beginnings {
		most = 2
	}
	for pair := range 2 {
		for a := range 3 {
			for b := range 3 {
				from := p[pair][a][b]
				if from == noWay {
					continue
				}
				for c := range most + 1 {
					for triplets := range 2 {
						for newPair := range 2 - pair {
							used := a + b + c + 3*triplets + 2*newPair
							if used > 4 {
								break
							}
							to := &next[pair+newPair][b][c]
							*to = to.min(from.withSets(c + triplets).plus(max(0, used-held)))
						}
					}
				}
			}
		}
	}
	return next
}
