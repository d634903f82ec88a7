package heuristic

import (
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim/aim"
)

// position is a player's tiles and the ways in which they may win.
type position struct {
	aim.Position
	plans    [maxPlans]plan
	numPlans int
}

// plan is an aim that a hand may follow, and what it still needs for that.
type plan struct {
	*aim.Aim
	need aim.Need
	// far is added to the distance.
	far int
}

// maxPlans is the largest number of plans for one hand: simples, a flush of each
// suit, five honors, triplets, three straights, seven like sequences, the outside
// hand and the irregular one.
const maxPlans = 1 + 3 + 5 + 1 + 3 + 7 + 1 + 1

// maxLacking is the largest number of tiles a pattern of sequences may lack to
// be a plan.
const maxLacking = 4

// anyShape is the aim of a hand that may win as soon as it is complete.
var anyShape = aim.Aim{Shape: aim.Any, Kinds: tile.All}

// isShape reports whether the plan asks for nothing but a shape of its kinds.
func (p *plan) isShape() bool {
	return p.Shape == aim.Any || p.Shape == aim.Standard && p.NumSets == 0
}

// add appends a plan.
func (p *position) add(a *aim.Aim, n aim.Need, far int) {
	p.plans[p.numPlans] = plan{a, n, far}
	p.numPlans++
}

// makePlans lists the plans that the melds of p leave open.
func (g *greedy) makePlans(p *position) {
	p.numPlans = 0
	if g.book.AnyWins(&p.Position, g.honors) {
		p.add(&anyShape, aim.Need{}, 0)
		return
	}
	pairs, left := g.honors&p.Hand.AtLeast(2), g.left.Kinds()
	list := g.fitting.Of(&p.Position)
	for i := range list {
		f := &list[i]
		if f.Class == aim.Honors && pairs&f.Sets[0].Kind().Bit() == 0 {
			continue
		}
		lacking := f.Need.Missing(&p.Hand)
		// The tiles for the sets of an aim can be had, of sequences up to four.
		if lacking&^left == 0 && (f.Class != aim.Runs || lacking.Len() <= maxLacking) {
			p.add(f.Aim, f.Need, 0)
		}
	}
	if p.numPlans == 0 {
		p.add(&anyShape, aim.Need{}, aim.Hopeless)
	}
}

// distance returns the distance of p: -1 complete, 0 ready.
func (g *greedy) distance(p *position) int {
	_, d := g.nearest(p)
	return d
}

// nearest returns the plan of the least distance, and this.
func (g *greedy) nearest(p *position) (*plan, int) {
	best, least := &p.plans[0], g.toward(p, &p.plans[0])+p.plans[0].far
	for i := 1; i < p.numPlans; i++ {
		pl := &p.plans[i]
		if pl.need.Sets > 0 && pl.need.Lacking(&p.Hand) > least {
			continue
		}
		if d := g.toward(p, pl); d < least {
			best, least = pl, d
		}
	}
	return best, least
}

// toward returns the distance of p to a plan, without what plan.far adds.
func (g *greedy) toward(p *position, pl *plan) int {
	return g.book.Distance(&p.Position, pl.Aim, &pl.need)
}

// useful returns those of some kinds that bring p nearer to the plan than d,
// its distance.
func (g *greedy) useful(p *position, pl *plan, d int, among tile.Set) tile.Set {
	return g.book.Useful(&p.Position, pl.Aim, &pl.need, d, among)
}
