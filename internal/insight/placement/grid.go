package placement

import (
	"runtime"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// axis is the number of nodes of a grid along the points of each of three players. Those of
// the fourth follow from the sum of all points. Three players have nodes of all sums.
const axis = 17

// grid is the positions of the nodes along an axis: points from low in equal steps.
type grid struct {
	low, step int32
	total     int32 // of the points of four players
	fourth    bool  // there is a fourth player
}

// node is the value of a stage to each player at a node, in 1/Unit, without what points are
// worth besides places.
type node [sim.NumPlayers]int32

// stage is the values at the start of a hand, by the points of the players.
type stage struct {
	done   bool
	values []node // [axis][axis][axis]
}

// newGrid spreads the nodes to eight steps on each side of the start, which few matches
// leave.
func newGrid(r *ruleset.Rules, hands []handResult) grid {
	var squares, total int64
	for i := range hands {
		for _, n := range hands[i].change {
			squares += int64(hands[i].weight) * int64(n) * int64(n)
		}
		total += int64(r.NumSeats()) * int64(hands[i].weight)
	}
	// The standard deviation of a player's points after n hands is the root of n times the
	// mean square. A step is a third of that.
	variance := squares / total * int64(r.Rounds*r.HandsPerRound)
	step := int32(1)
	for 9*int64(step)*int64(step) < variance {
		step++
	}
	start := int32(r.StartingPoints * r.Unit())
	g := grid{low: start - axis/2*step, step: step}
	g.total, g.fourth = sim.NumPlayers*start, r.Seats == ruleset.FourSeats
	return g
}

// position is where a coordinate lies along an axis: in a cell, counted in values of a stage, and a
// part of it, in 1/4096 of a step.
type position struct{ cell, part int32 }

func (g *grid) position(axisOf int, points int32) position {
	d := int(max(0, min(points-g.low, (axis-1)*g.step)))
	cell := min(d/int(g.step), axis-2)
	return position{int32(cell * strides[axisOf]), int32((d - cell*int(g.step)) << partBits / int(g.step))}
}

var strides = [3]int{axis * axis, axis, 1}

// at adds to e the values interpolated at some points, between the four corners of the
// simplex that contains them.
func (g *grid) at(values []node, points *[sim.NumPlayers]int32, e *Expected) {
	interpolate(values, g.position(0, points[0]), g.position(1, points[1]), g.position(2, points[2]), e)
}

func interpolate(values []node, first, second, third position, e *Expected) {
	const one = 1 << partBits
	at := first.cell + second.cell + third.cell
	part := [3]int32{first.part, second.part, third.part}
	// Go along the axes from the largest part to the least.
	a, b, c := 0, 1, 2
	if part[a] < part[b] {
		a, b = b, a
	}
	if part[b] < part[c] {
		b, c = c, b
	}
	if part[a] < part[b] {
		a, b = b, a
	}
	n0, n1, n2, n3 := &values[at], &values[int(at)+strides[a]], &values[int(at)+strides[a]+strides[b]], &values[at+axis*axis+axis+1]
	w0, w1, w2, w3 := int64(one-part[a]), int64(part[a]-part[b]), int64(part[b]-part[c]), int64(part[c])
	for q := range e {
		e[q] += (w0*int64(n0[q]) + w1*int64(n1[q]) + w2*int64(n2[q]) + w3*int64(n3[q])) >> partBits
	}
}

// partBits are the bits after the point of a fraction of a step.
const partBits = 12

func (g *grid) points(i int) (p [sim.NumPlayers]int32) {
	p[0] = g.low + int32(i/(axis*axis))*g.step
	p[1] = g.low + int32(i/axis%axis)*g.step
	p[2] = g.low + int32(i%axis)*g.step
	if g.fourth {
		p[3] = g.total - p[0] - p[1] - p[2]
	}
	return p
}

// repeats is how many hands of the same dealer in a row are computed. After those the deal
// counts as passed.
const repeats = 4

// computeFrom computes the stages from n on that are not done.
func (p *Evaluator) computeFrom(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := n
	for first < len(p.stages) && !p.stages[first].done {
		first++
	}
	for i := first - 1; i >= n; i-- {
		p.computeStage(i)
	}
}

// computeStage computes stage n from the stages after it.
func (p *Evaluator) computeStage(n int) {
	s := &p.stages[n]
	dealer := n % p.rules.HandsPerRound
	const nodes = axis * axis * axis
	// passed sums the hands that pass the deal or end the match, the same in all turns but
	// the first, which leaves out those that stay.
	passed := make([]Expected, nodes)
	s.values = make([]node, nodes)
	var all, passing int64
	for i := range p.hands {
		all += int64(p.hands[i].weight)
		if !p.hands[i].end.Stays(p.rules) {
			passing += int64(p.hands[i].weight)
		}
	}
	moves := make([]move, len(p.hands))
	for j := range p.hands {
		moves[j] = p.move(dealer, &p.hands[j])
	}
	// Where nothing but the last hand ends a match, points do not decide what follows.
	certain := p.rules.Tobi == ruleset.NoTobi && n+1 < p.rules.Rounds*p.rules.HandsPerRound
	for turn := range repeats {
		next := make([]node, nodes)
		parallel(nodes, func(i int) {
			points := p.grid.points(i)
			sum, total := passed[i], all
			var ended Expected
			for j := range moves {
				u, m := &p.hands[j], &moves[j]
				if turn > 0 && !m.stays {
					continue
				}
				w, follows, over := int64(u.weight), n, false
				if !m.stays {
					follows++
				}
				if !certain {
					var c sim.Progress
					var left int
					c, left, over = p.advance(n, dealer, u, &points, 0)
					switch {
					case turn > 0 || !over:
					case m.stays:
						ended.add(w, p.AtEnd(c.Points, left))
					default:
						sum.add(w, p.AtEnd(c.Points, left))
					}
					follows = c.Round*p.rules.HandsPerRound + int(c.Dealer)
				}
				if !over && (turn > 0 || !m.stays) {
					var e Expected
					interpolate(p.stages[follows].values, m.to[0][i/(axis*axis)], m.to[1][i/axis%axis], m.to[2][i%axis], &e)
					for q := range e {
						sum[q] += w * (e[q] + p.slope*int64(points[q]+m.change[q])>>slopeBits)
					}
				}
			}
			if turn == 0 {
				total = passing
				passed[i] = sum
				passed[i].add(1, ended)
			}
			for q := range sum {
				next[i][q] = int32(sum[q]/total - p.slope*int64(points[q])>>slopeBits)
			}
		})
		s.values = next
	}
	s.done = true
}

// move is how the points at the nodes change in a hand: for each node of an axis where the points of
// its player are then. It is found once instead of for each of the nodes, of which 289 have the same.
type move struct {
	stays  bool
	change [sim.NumPlayers]int32
	to     [3][axis]position
}

func (p *Evaluator) move(dealer int, u *handResult) move {
	m := move{stays: u.end.Stays(p.rules)}
	for c, change := range u.change {
		m.change[p.player(dealer, c)] += change
	}
	for a := range m.to {
		for k := range m.to[a] {
			m.to[a][k] = p.grid.position(a, p.grid.low+int32(k)*p.grid.step+m.change[a])
		}
	}
	return m
}

// parallel calls f for the numbers below n in several goroutines.
func parallel(n int, f func(i int)) {
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				f(i)
			}
		})
	}
	group.Wait()
}
