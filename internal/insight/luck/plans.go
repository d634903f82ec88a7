package luck

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/rulecache"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// guide holds the aims of a ruleset that hands are measured against.
type guide struct {
	book *aim.Book
	// anyShape is the plan of a hand that may win as soon as it is complete.
	anyShape aim.Aim
	// valuable are the indices in book.Aims of the aims worth at least half as much again as a
	// plain hand.
	valuable []uint8
}

var guides rulecache.Cache[guide]

func guideOf(r *ruleset.Rules) *guide {
	g, _ := guides.Get(r, func() (*guide, error) { return newGuide(r), nil })
	return g
}

func newGuide(r *ruleset.Rules) *guide {
	g := &guide{book: aim.NewBook(r), anyShape: aim.Aim{Shape: aim.Any, Kinds: tile.All}}
	plain := &g.book.Aims[0]
	for i := range g.book.Aims {
		a := &g.book.Aims[i]
		if i > 0 && (2*a.Closed.Discard >= 3*max(plain.Closed.Discard, 1) || 2*a.Open.Discard >= 3*max(plain.Open.Discard, 1)) {
			g.valuable = append(g.valuable, uint8(i))
		}
	}
	return g
}

// Values of handSummary.plan besides 1 + an index of book.Sufficient: a hand that wins in any
// shape, and one that may not win.
const (
	anyPlan  = 0
	noPlan   = 0xff
	hopeless = 6 // a distance beyond those in use
)

func (g *guide) plan(n uint8) *aim.Aim {
	if n == anyPlan {
		return &g.anyShape
	}
	return &g.book.Sufficient[n-1]
}

// positionOf returns the tiles of a seat. The result is stored in sc.
func (s *State) positionOf(st *seat, sc *winScratch) *aim.Position {
	sc.position = s.position(st)
	return &sc.position
}

func (s *State) position(st *seat) aim.Position {
	return aim.Position{Hand: st.hand, Melds: st.melds, NumMelds: int(st.n), Sets: s.sets(st), Open: st.open}
}

// Position returns the tiles of player p.
func (s *State) Position(p sim.Player) aim.Position { return s.position(&s.seats[p]) }

// Winds returns the seat wind of player p and the round wind.
func (s *State) Winds(p sim.Player) (seat, round tile.Wind) { return s.seatWind(p), s.roundWind }

// unseenBy returns how many tiles of each kind p cannot see.
func (s *State) unseenBy(p sim.Player) (n [tile.NumKinds]int8) {
	for k := range n {
		n[k] = int8(s.pool[k])
	}
	for suit := range tile.Honors {
		red := tile.RedOf(suit)
		n[red.Kind()] += int8(s.pool[red])
	}
	for q := range s.seats {
		if sim.Player(q) == p {
			continue
		}
		for k, c := range s.seats[q].hand.Counts() {
			n[k] += int8(c)
		}
	}
	return n
}

func tilesOf(kinds tile.Set, of *[tile.NumKinds]int8) int {
	n := 0
	for ; kinds != 0; kinds = kinds.Rest() {
		n += int(of[kinds.First()])
	}
	return n
}

// findPlans finds the nearest hand by which p, whose shanten is known, may win, and the
// valuable aims within reach. With onlyKnownPlans it considers those found before alone.
func (s *State) findPlans(p sim.Player, st *seat, o, before *handSummary, sc *winScratch) {
	g := s.guide
	pos := s.positionOf(st, sc)
	unseen := s.unseenBy(p)
	o.plan, o.planDistance = noPlan, hopeless
	switch {
	case g.book.AnyWins(pos, g.book.Honors(s.seatWind(p), s.roundWind)):
		o.plan, o.planDistance, o.planUkeire = anyPlan, o.shanten, o.useful
	case s.onlyKnownPlans && before.plan != noPlan && before.plan != anyPlan:
		s.tryPlan(pos, before.plan, &unseen, o)
	case s.onlyKnownPlans:
	default:
		for i := range g.book.Sufficient {
			s.tryPlan(pos, uint8(i)+1, &unseen, o)
		}
	}
	if o.plan != noPlan && o.plan != anyPlan {
		a := g.plan(o.plan)
		need, _ := pos.Need(a)
		if o.planDistance > 0 {
			o.planUkeire = g.book.ConnectedUkeire(pos, a, &need, int(o.planDistance), tile.All)
		} else {
			o.planUkeire = o.useful
		}
	}
	s.findValuable(pos, o, before)
	switch {
	case o.shanten == 0 && o.mayWin > 0:
		o.planWorth = o.onDiscard
	case o.plan != noPlan && o.planDistance <= 3:
		o.planWorth = s.likelyWorth(p, st, pos, &unseen, g.plan(o.plan), sc)
	}
}

// tryPlan takes the plan if it is possible and nearer than that of o.
func (s *State) tryPlan(pos *aim.Position, n uint8, unseen *[tile.NumKinds]int8, o *handSummary) {
	a := s.guide.plan(n)
	need, ok := pos.Need(a)
	if !ok || need.Sets > 0 && need.Lacking(&pos.Hand) >= int(o.planDistance)+1 || a.Kinds != tile.All && pos.DistanceBound(a) >= int(o.planDistance) {
		return
	}
	for missing := need.Missing(&pos.Hand); missing != 0; missing = missing.Rest() {
		if unseen[missing.First()] == 0 {
			return
		}
	}
	if d := s.guide.book.Distance(pos, a, &need); d < int(o.planDistance) {
		o.plan, o.planDistance = n, int8(max(d, 0))
	}
}

// distanceDiscount is the factor of the worth of a valuable aim by its distance, in 1/1024.
var distanceDiscount = [...]int32{1024, 512, 205, 82, 33, 13, 5}

// findValuable finds the valuable aims with the highest discounted worth.
func (s *State) findValuable(pos *aim.Position, o, before *handSummary) {
	g := s.guide
	among := g.valuable
	if s.onlyKnownPlans {
		among = before.valuable[:before.numValuable]
	}
	o.valuableFar = hopeless
	var best [len(o.valuable)]int32
	for _, i := range among {
		a := &g.book.Aims[i]
		need, ok := pos.Need(a)
		limit := int(o.shanten) + 3
		if !ok || need.Sets > 0 && need.Lacking(&pos.Hand) > limit || a.Kinds != tile.All && pos.DistanceBound(a) > limit {
			continue
		}
		d := max(0, g.book.Distance(pos, a, &need))
		if d >= len(distanceDiscount) || d > limit {
			continue
		}
		worth := a.Closed.Discard
		if pos.Open {
			worth = a.Open.Discard
		} else if a.MayOpen() {
			worth = max(worth, a.Open.Discard)
		}
		discounted := worth * distanceDiscount[d]
		if discounted > best[0] {
			o.valuableFar, o.valuableWorth = int8(d), worth
		}
		at := int(o.numValuable)
		if at == len(best) {
			if discounted <= best[at-1] {
				continue
			}
			at--
		} else {
			o.numValuable++
		}
		for ; at > 0 && best[at-1] < discounted; at-- {
			best[at], o.valuable[at] = best[at-1], o.valuable[at-1]
		}
		best[at], o.valuable[at] = discounted, i
	}
}

// likelyWorth returns what p gains by a win on a discard with a likely hand of the
// plan.
func (s *State) likelyWorth(p sim.Player, st *seat, pos *aim.Position, unseen *[tile.NumKinds]int8, a *aim.Aim, sc *winScratch) int32 {
	if sc.completion == nil {
		sc.completion = aim.NewCompletion(s.rules)
	}
	c := sc.completion
	c.Unseen = *unseen
	c.Dora = s.dora
	c.Reds, c.MeldedReds, c.Melded = st.reds, 0, int(st.n)
	for i := range st.melds[:st.n] {
		c.MeldedReds += st.melds[i].Reds
	}
	w := &c.Win
	w.SeatWind, w.RoundWind, w.Flowers = s.seatWind(p), s.roundWind, st.flowers
	w.Norths = st.norths
	w.Dealer, w.Streak = p == s.dealer, uint8(min(s.counter, 255))
	w.Indicators, w.NumIndicators = s.indicators, uint8(s.numDora)
	if !c.FindSets(pos, a) {
		return 0
	}
	c.MakeWin(pos, a, false)
	sc.win = *w
	if !s.settleWin(sc, p, s.rules.NextChair(s.chairOf[p], 1)) {
		return 0
	}
	return sc.gain[p]
}
