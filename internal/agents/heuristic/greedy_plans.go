package heuristic

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// plannedPosition is a player's tiles with the plans by which greedy may win with them.
type plannedPosition struct {
	position aim.Position
	plans    [maxPlans]plan
	numPlans int
}

// plan is an aim that a hand may follow.
type plan struct {
	aim     *aim.Aim
	need    aim.Need // what the hand lacks for the aim
	penalty int      // added to the distance
}

// maxPlans is the largest number of plans for one hand: simples, a flush of each suit, five
// honors, triplets, three straights, seven sets of like sequences, the outside hand and the
// irregular one.
const maxPlans = 1 + 3 + 5 + 1 + 3 + 7 + 1 + 1

// maxLacking is the largest number of tiles that a plan of sequences may lack.
const maxLacking = 4

// anyShape is the aim of a hand that wins as soon as it is complete.
var anyShape = aim.Aim{Shape: aim.Any, Kinds: tile.All}

func (p *plan) isShape() bool {
	return p.aim.Shape == aim.Any || p.aim.Shape == aim.Standard && p.aim.NumSets == 0
}

func (p *plannedPosition) addPlan(a *aim.Aim, n aim.Need, penalty int) {
	p.plans[p.numPlans] = plan{a, n, penalty}
	p.numPlans++
}

// listPlans sets the plans of p to the aims that its melds and the unseen tiles allow.
func (g *greedy) listPlans(p *plannedPosition) {
	p.numPlans = 0
	if g.book.AnyWins(&p.position, g.honors) {
		p.addPlan(&anyShape, aim.Need{}, 0)
		return
	}
	pairs, unseen := g.honors&p.position.Hand.AtLeast(2), g.unseen.Kinds()
	list := g.fitting.Possible(&p.position)
	for i := range list {
		f := &list[i]
		if f.Aim.Class == aim.Honors && pairs&f.Aim.Sets[0].Kind().Bit() == 0 {
			continue
		}
		lacking := f.Need.Missing(&p.position.Hand)
		if lacking&^unseen == 0 && (f.Aim.Class != aim.Runs || lacking.Len() <= maxLacking) {
			p.addPlan(f.Aim, f.Need, 0)
		}
	}
	if p.numPlans == 0 {
		p.addPlan(&anyShape, aim.Need{}, aim.Hopeless)
	}
}

// distance returns the distance of p to its nearest plan: 0 tenpai, -1 complete.
func (g *greedy) distance(p *plannedPosition) int {
	_, d := g.nearest(p)
	return d
}

func (g *greedy) nearest(p *plannedPosition) (*plan, int) {
	best, least := &p.plans[0], g.distanceTo(p, &p.plans[0])+p.plans[0].penalty
	for i := 1; i < p.numPlans; i++ {
		pl := &p.plans[i]
		if pl.need.Sets > 0 && pl.need.Lacking(&p.position.Hand) > least {
			continue
		}
		if d := g.distanceTo(p, pl); d < least {
			best, least = pl, d
		}
	}
	return best, least
}

// distanceTo returns the distance of p to a plan without its penalty.
func (g *greedy) distanceTo(p *plannedPosition, pl *plan) int {
	return g.book.Distance(&p.position, pl.aim, &pl.need)
}

// ukeire returns those of some kinds that lower the distance d of p to the plan.
func (g *greedy) ukeire(p *plannedPosition, pl *plan, d int, among tile.Set) tile.Set {
	return g.book.Ukeire(&p.position, pl.aim, &pl.need, d, among)
}
