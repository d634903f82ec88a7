package heuristic

import (
	"github.com/jansou/jansou/ruleset/hand"
	"github.com/jansou/jansou/ruleset/tile"
	"github.com/jansou/jansou/sim"
)

// plan is one way for a hand to win: what its sets and pair must be like.
type plan struct {
	goal goal
	// kinds are those the plan can use.
	kinds tile.Set
	// runs and triplets are the sets, by their lowest kind, that a hand holding
	// a pattern must still make.
	runs, triplets tile.Set
	// far is added to the distance.
	far int
}

// goal is what a plan asks for.
type goal uint8

const (
	anyShape   goal = iota // any shape of the family
	within                 // sets and pair of plan.kinds
	holding                // the sets plan.runs and plan.triplets among others
	allTriples             // triplets and a pair
	outside                // a terminal or honor in every set and the pair
	irregular              // a shape that is not sets and a pair
)

// maxPlans is the largest number of plans for one hand: simples, a flush of each
// suit, five kinds of value, triplets, three straights, seven mixed sequences,
// the outside hand and the irregular one.
const maxPlans = 1 + 3 + 5 + 1 + 3 + 7 + 1 + 1

// hopeless is a distance beyond all others: that of hands which may not win.
const hopeless = 16

// maxLacking is the largest number of tiles a pattern of sequences may lack to
// be a plan.
const maxLacking = 4

// suit, straight and mixed are the ranks of a suit, the sequences 123 456 789 of
// the first suit, and 123 of all three; edges are the sequences 123 and 789.
const (
	suit     tile.Set = 0x1ff
	straight tile.Set = 1<<0 | 1<<3 | 1<<6
	mixed    tile.Set = 1<<0 | 1<<9 | 1<<18
	edges    tile.Set = mixed | mixed<<6
)

// isShape reports whether the plan asks for nothing but a shape of its kinds.
func (p *plan) isShape() bool { return p.goal == anyShape || p.goal == within }

// add appends a plan.
func (p *position) add(pl plan) {
	if pl.kinds == 0 {
		pl.kinds = tile.All
	}
	p.plans[p.numPlans] = pl
	p.numPlans++
}

// makePlans lists the plans that the melds of p leave open.
func (g *greedy) makePlans(v sim.View, p *position) {
	p.numPlans = 0
	var kinds, runs, triplets tile.Set // of the melds
	for _, m := range p.melds[:p.numMelds] {
		if m.Type == hand.Chi {
			kinds |= 7 * m.Kind.Bit()
			runs |= m.Kind.Bit()
		} else {
			kinds |= m.Kind.Bit()
			triplets |= m.Kind.Bit()
		}
	}
	w := &g.worth
	if w.closed && !p.open || w.open || triplets&p.value != 0 {
		p.add(plan{goal: anyShape})
		return
	}
	if w.simples && kinds&^tile.Simples == 0 {
		p.add(plan{goal: within, kinds: tile.Simples})
	}
	for s := range 3 {
		flush := suit << (9 * s)
		if w.halfFlush {
			flush |= tile.HonorSet
		}
		if (w.halfFlush || w.fullFlush) && kinds&^flush == 0 {
			p.add(plan{goal: within, kinds: flush})
		}
	}
	held, pairs := p.hand.Kinds(), p.hand.AtLeast(2)
	for set := p.value & pairs; set != 0 && p.sets > 0; set = set.Rest() {
		if k := set.First(); p.hand.Count(k) > 2 || v.Unseen(k) > 0 {
			p.add(plan{goal: holding, triplets: k.Bit()})
		}
	}
	if w.triplets && runs == 0 {
		p.add(plan{goal: allTriples})
	}
	hold := func(pattern tile.Set) {
		left := pattern &^ runs
		lacking := 7 * left &^ held
		if left.Len() > p.sets || lacking.Len() > maxLacking {
			return
		}
		for ; lacking != 0; lacking = lacking.Rest() {
			if v.Unseen(lacking.First()) == 0 {
				return
			}
		}
		p.add(plan{goal: holding, runs: left})
	}
	if w.straight {
		for s := range 3 {
			hold(straight << (9 * s))
		}
	}
	if w.mixed {
		for r := range 7 {
			hold(mixed << r)
		}
	}
	if w.outside && runs&^edges == 0 && triplets&^tile.Orphans == 0 {
		p.add(plan{goal: outside, kinds: edges | edges<<1 | edges<<2 | tile.HonorSet})
	}
	if w.irregular && p.numMelds <= 1 {
		p.add(plan{goal: irregular})
	}
	if p.numPlans == 0 {
		p.add(plan{goal: anyShape, far: hopeless})
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
		if pl.goal == holding && pl.lacking(&p.hand) > least {
			continue
		}
		if d := g.toward(p, pl); d < least {
			best, least = pl, d
		}
	}
	return best, least
}

// lacking returns a lower bound for the tiles to draw for the sets of a holding
// plan.
func (pl *plan) lacking(h *hand.Hand) int {
	// The runs of a plan do not overlap, so 7 times their set is their kinds.
	return (7 * pl.runs &^ h.Kinds()).Len()
}

// toward returns the distance of p to a plan, without what plan.far adds.
func (g *greedy) toward(p *position, pl *plan) int {
	switch pl.goal {
	case within:
		return codesOf(&p.hand, pl.kinds).classes().Shanten(p.sets)
	case holding:
		lacking, sets := g.takeSets(p, pl)
		return lacking + g.rest.Shanten(sets)
	case allTriples:
		return towardTriplets(&p.hand, p.sets)
	case outside:
		return towardOutside(p.hand, p.sets)
	case irregular:
		// The scorer tells the nearest shape only, so that an irregular one is
		// known where it is nearer than sets and a pair.
		if d := g.rules.Shanten(&p.hand, p.numMelds); d < p.hand.Shanten(p.sets) {
			return d
		}
		return hopeless
	}
	return g.rules.Shanten(&p.hand, p.numMelds)
}

// useful returns those of some kinds that bring p nearer to the plan than d,
// its distance.
func (g *greedy) useful(p *position, pl *plan, d int, among tile.Set) tile.Set {
	among &^= p.hand.AtLeast(4)
	switch {
	case pl.goal == within:
		return codesOf(&p.hand, pl.kinds).useful(p.sets, among)
	case pl.goal == holding:
		_, sets := g.takeSets(p, pl)
		lacking := 7*pl.runs&^p.hand.Kinds() | pl.triplets&^p.hand.AtLeast(3)
		return lacking | codesOf(&g.rest, tile.All).useful(sets, among)
	case pl.goal == anyShape && g.worth.pairs && p.numMelds == 0 && p.hand.PairsShanten() == d:
		return p.hand.PairsUseful()
	}
	var useful tile.Set
	for ; among != 0; among = among.Rest() {
		k := among.First()
		p.hand.Add(k)
		if g.toward(p, pl) < d {
			useful |= k.Bit()
		}
		p.hand.Remove(k)
	}
	return useful
}

// codes are the codes of the four suits of some tiles; see hand.Hand.Code.
type codes [4]uint32

// pow5 holds the weights of the ranks in a code.
var pow5 = [9]uint32{1, 5, 25, 125, 625, 3125, 15625, 78125, 390625}

// codesOf returns the codes of the tiles of the given kinds alone.
func codesOf(h *hand.Hand, kinds tile.Set) codes {
	c := codes{h.Code(0), h.Code(1), h.Code(2), h.Code(3)}
	for out := h.Kinds() &^ kinds; out != 0; out = out.Rest() {
		k := out.First()
		c[k.Suit()&3] -= uint32(h.Count(k)) * pow5[k.Rank()]
	}
	return c
}

func (c codes) classes() hand.Classes {
	return hand.Classes{
		hand.ClassOf(0, c[0]), hand.ClassOf(1, c[1]), hand.ClassOf(2, c[2]), hand.ClassOf(tile.Honors, c[3]),
	}
}

// useful returns those of the given kinds, none of them held four times, that
// lower the shanten towards sets sets and a pair.
func (c codes) useful(sets int, among tile.Set) tile.Set {
	classes := c.classes()
	shanten := classes.Shanten(sets)
	var useful tile.Set
	for ; among != 0; among = among.Rest() {
		k := among.First()
		s := k.Suit() & 3
		class := classes[s]
		classes[s] = hand.ClassOf(s, c[s]+pow5[k.Rank()])
		if classes[s] != class && classes.Shanten(sets) < shanten {
			useful |= k.Bit()
		}
		classes[s] = class
	}
	return useful
}

// takeSets puts the tiles of p into g.rest, without those that the sets of a
// holding plan take, and returns how many tiles these lack and how many other
// sets there are to make.
func (g *greedy) takeSets(p *position, pl *plan) (lacking, sets int) {
	g.rest = p.hand
	for set := pl.runs; set != 0; set = set.Rest() {
		lacking += takeRun(&g.rest, set.First())
	}
	for set := pl.triplets; set != 0; set = set.Rest() {
		lacking += takeTriplet(&g.rest, set.First())
	}
	return lacking, p.sets - pl.runs.Len() - pl.triplets.Len()
}

// towardTriplets returns the distance to sets triplets and a pair: the kinds
// held most often become triplets, the next one the pair.
func towardTriplets(h *hand.Hand, sets int) int {
	threes := h.AtLeast(3).Len()
	twos := h.AtLeast(2).Len() - threes
	ones := h.Kinds().Len() - threes - twos
	useful := 0
	take := func(kinds *int, tiles int, most int) int {
		n := min(*kinds, most)
		*kinds -= n
		useful += n * tiles
		return most - n
	}
	left := take(&threes, 3, sets)
	left = take(&twos, 2, left)
	take(&ones, 1, left)
	pair := take(&threes, 2, 1)
	pair = take(&twos, 2, pair)
	take(&ones, 1, pair)
	return 3*sets + 2 - useful - 1
}

// towardOutside returns a distance at which tiles can become an outside
// hand: it takes the sets that lack least one after another, once with sequences
// first and once with triplets first. That is not always the least.
func towardOutside(tiles hand.Hand, sets int) int {
	best := hopeless
	for _, runsFirst := range [...]bool{true, false} {
		h := tiles
		lacking := 0
		for range sets {
			lacking += takeOutside(&h, runsFirst)
		}
		switch {
		case h.AtLeast(2)&tile.Orphans != 0:
		case h.Kinds()&tile.Orphans != 0:
			lacking++
		default:
			lacking += 2
		}
		best = min(best, lacking-1)
		if tiles.AtLeast(3)&tile.Orphans == 0 {
			break // without triplets the order does not matter
		}
	}
	return best
}

// takeOutside takes the tiles of the most complete set with a terminal or honor
// out of h and returns how many tiles it lacks.
func takeOutside(h *hand.Hand, runsFirst bool) int {
	kinds, pairs, triplets := h.Kinds(), h.AtLeast(2)&tile.Orphans, h.AtLeast(3)&tile.Orphans
	low, mid, high := kinds&edges, kinds>>1&edges, kinds>>2&edges
	full, two := low&mid&high, low&mid|low&high|mid&high
	switch {
	case full != 0 && (runsFirst || triplets == 0):
		return takeRun(h, full.First())
	case triplets != 0:
		return takeTriplet(h, triplets.First())
	case pairs.Len() > 1 || pairs != 0 && two == 0: // one is for the pair
		return takeTriplet(h, pairs.First())
	case two != 0:
		return takeRun(h, two.First())
	case low|mid|high != 0:
		return takeRun(h, (low | mid | high).First())
	case kinds&tile.Orphans != 0:
		return takeTriplet(h, (kinds & tile.Orphans).First())
	}
	return 3
}

// takeRun takes the tiles of the sequence that begins with k out of h as far as
// they are held, and returns how many are lacking.
func takeRun(h *hand.Hand, k tile.Kind) int {
	lacking := 3
	for i := range tile.Kind(3) {
		if h.Count(k+i) > 0 {
			h.Remove(k + i)
			lacking--
		}
	}
	return lacking
}

// takeTriplet does the same for three tiles of kind k.
func takeTriplet(h *hand.Hand, k tile.Kind) int {
	lacking := 3
	for lacking > 0 && h.Count(k) > 0 {
		h.Remove(k)
		lacking--
	}
	return lacking
}
