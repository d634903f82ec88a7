package places

import (
	"runtime"
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// axis is the number of nodes of a grid along each of three players' points; the
// fourth has what is left of the sum.
const axis = 17

// grid places nodes at points from low, a step apart; the step is a power of two, so
// that all nodes lie at whole points.
type grid struct {
	low, step int32
}

// node is what places bring each player at a node, beside points, in 1/Unit.
type node [sim.NumPlayers]int32

// stage has the values at the start of a hand.
type stage struct {
	done  bool
	bonus []node // [axis][axis][axis]
}

// newGrid spreads the nodes so that few matches leave them: eight steps to each side
// of the start, as far as one match of several hundred gets.
func newGrid(r *ruleset.Rules, hands []usual) grid {
	var squares, total int64
	for i := range hands {
		for _, n := range hands[i].change {
			squares += int64(hands[i].weight) * int64(n) * int64(n)
		}
		total += sim.NumPlayers * int64(hands[i].weight)
	}
	// In n hands a player moves by the root of n times the mean square; a third of that
	// is a step.
	variance := squares / total * int64(r.Rounds*r.HandsPerRound)
	step := int32(1)
	for 9*int64(step)*int64(step) < variance {
		step++
	}
	return grid{low: int32(r.StartingPoints*r.Unit()) - axis/2*step, step: step}
}

// at adds to e the values of bonus between the nodes around some points: those of the
// four corners of the simplex that holds them.
func (g *grid) at(bonus []node, points *[sim.NumPlayers]int32, e *Expected) {
	const one = 1 << partBits
	var cell, part [3]int
	for i := range cell {
		d := int(max(0, min(points[i]-g.low, (axis-1)*g.step)))
		cell[i] = min(d/int(g.step), axis-2)
		part[i] = (d - cell[i]*int(g.step)) << partBits / int(g.step)
	}
	at := (cell[0]*axis+cell[1])*axis + cell[2]
	strides := [3]int{axis * axis, axis, 1}
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
	n0, n1, n2, n3 := &bonus[at], &bonus[at+strides[a]], &bonus[at+strides[a]+strides[b]], &bonus[at+axis*axis+axis+1]
	w0, w1, w2, w3 := int64(one-part[a]), int64(part[a]-part[b]), int64(part[b]-part[c]), int64(part[c])
	for q := range e {
		e[q] += (w0*int64(n0[q]) + w1*int64(n1[q]) + w2*int64(n2[q]) + w3*int64(n3[q])) >> partBits
	}
}

// partBits are the bits after the point of a place between two nodes.
const partBits = 12

// points returns those of node i, whose players have total together.
func (g *grid) points(i int, total int32) (p [sim.NumPlayers]int32) {
	p[0] = g.low + int32(i/(axis*axis))*g.step
	p[1] = g.low + int32(i/axis%axis)*g.step
	p[2] = g.low + int32(i%axis)*g.step
	p[3] = total - p[0] - p[1] - p[2]
	return p
}

// repeats is how many deals of the same dealer in a row are followed before the rest
// counts as if the deal had passed.
const repeats = 4

// work works out the stages that follow a deal at stage n, and the repeats of n.
func (p *Places) work(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := n
	for first < len(p.stages) && !p.stages[first].done {
		first++
	}
	for i := first - 1; i >= n; i-- {
		p.workStage(i)
	}
}

// workStage works out stage n, where those that follow are known.
func (p *Places) workStage(n int) {
	s := &p.stages[n]
	dealer := n % p.rules.HandsPerRound
	start := int32(p.rules.StartingPoints * p.rules.Unit())
	const nodes = axis * axis * axis
	// What hands bring that let the deal pass, or the match end, does not change when
	// repeats are followed further.
	passed := make([]Expected, nodes)
	s.bonus = make([]node, nodes)
	var total int64
	stays := make([]bool, len(p.hands))
	for i := range p.hands {
		total += int64(p.hands[i].weight)
		stays[i] = p.hands[i].end.Stays(p.rules)
	}
	for turn := range repeats {
		next := make([]node, nodes)
		eachOnSomeCore(nodes, func(i int) {
			points := p.grid.points(i, sim.NumPlayers*start)
			sum := passed[i]
			var weight int64 // of hands that stay, in the first turn
			for j := range p.hands {
				if turn > 0 && !stays[j] {
					continue
				}
				u := &p.hands[j]
				if turn == 0 && stays[j] {
					weight += int64(u.weight)
					continue
				}
				v := p.follow(n, dealer, u, &points, 0)
				for q := range sum {
					sum[q] += int64(u.weight) * v[q]
				}
			}
			if turn == 0 {
				passed[i] = sum
			}
			for q := range sum {
				next[i][q] = int32(sum[q]/(total-weight) - p.slope*int64(points[q])>>slopeBits)
			}
		})
		s.bonus = next
	}
	s.done = true
}

// eachOnSomeCore calls f for the numbers below n, some at a time.
func eachOnSomeCore(n int, f func(i int)) {
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
