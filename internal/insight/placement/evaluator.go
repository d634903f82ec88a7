// Package placement converts points into expected placement points at the end of a
// match.
//
// An [Evaluator] computes the values by backward induction from the end of the match,
// with the ruleset's own places, ties and conditions for the end. It assumes players of
// equal skill, whose hands end as often in each way as those of a [Table] of hand
// results.
//
//	e, err := placement.EvaluatorFor(rules)
//	before := e.BeforeHand(&standing)
//
// All arithmetic is in integers.
package placement

import (
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/insight/rulecache"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Unit is one placement point in Expected.
const Unit = ruleset.PlacementUnit << extraBits

// extraBits are the bits beyond the precision of ruleset.Placement.
const extraBits = 8

// Expected is the mean of each player's placement points at the end of the match, in
// 1/Unit.
type Expected [sim.NumPlayers]int64

func (e *Expected) add(w int64, other Expected) {
	for p := range e {
		e[p] += w * other[p]
	}
}

// Evaluator computes expected placement points under one ruleset. Any number of
// goroutines may share it.
type Evaluator struct {
	rules *ruleset.Rules
	// slope is what a unit of points is worth besides places, in 1/65536 of 1/Unit.
	slope int64
	// byPoints reports whether placement points depend on points alone, not on places.
	byPoints bool
	hands    []handResult

	grid   grid
	mu     sync.Mutex
	stages []stage // by the number of deals passed; the last ones are of an extension
}

// slopeBits are the bits after the point of a slope.
const slopeBits = 16

var evaluators rulecache.Cache[Evaluator]

// EvaluatorFor returns the evaluator of a ruleset, shared as long as it is in use. The
// first call of BeforeHand takes up to a second to compute the values of the rest of
// the match.
func EvaluatorFor(r *ruleset.Rules) (*Evaluator, error) {
	return evaluators.Get(r, func() (*Evaluator, error) { return newEvaluator(r) })
}

func newEvaluator(r *ruleset.Rules) (*Evaluator, error) {
	p := &Evaluator{rules: r}
	p.findSlope()
	if p.byPoints {
		return p, nil
	}
	table, err := tableFor(r)
	if err != nil {
		return nil, err
	}
	p.hands = table.hands(r)
	p.grid = newGrid(r, p.hands)
	n := r.Rounds * r.HandsPerRound
	if r.Extension != ruleset.NoExtension {
		n += r.HandsPerRound
	}
	p.stages = make([]stage, n)
	return p, nil
}

// findSlope computes what points are worth besides places, from players so far apart
// that a few points change no place.
func (p *Evaluator) findSlope() {
	final := func(points [sim.NumPlayers]int32) [sim.NumPlayers]ruleset.Placement {
		f := ruleset.Final{Points: points, Rounds: p.rules.Rounds}
		p.rules.Final(&f)
		return f.Placement
	}
	const far, more = 100_000, 50_000
	start := int32(p.rules.StartingPoints * p.rules.Unit())
	last := p.rules.NumSeats() - 1
	var points [sim.NumPlayers]int32
	for i := range last + 1 {
		points[i] = start + int32(last-i)*far
	}
	low := final(points)
	points[0] += more
	high := final(points)
	p.slope = (int64(high[0]-low[0]) << (slopeBits + extraBits)) / more
	p.byPoints = int64(low[0]-low[last])<<(slopeBits+extraBits) == p.slope*int64(last)*far && low[0] != low[last]
}

// AtEnd returns the placement points of a match that ends with these points and
// deposits.
func (p *Evaluator) AtEnd(points [sim.NumPlayers]int32, deposits int) (e Expected) {
	f := finals.Get().(*ruleset.Final)
	defer finals.Put(f)
	*f = ruleset.Final{Points: points, Deposits: deposits, Rounds: p.rules.Rounds}
	p.rules.Final(f)
	for i, n := range f.Placement {
		e[i] = int64(n) << extraBits
	}
	return e
}

// finals is scratch space, since what is passed to ruleset.Rules.Final is allocated.
var finals = sync.Pool{New: func() any { return new(ruleset.Final) }}

// BeforeHand returns the expected placement points when a hand is about to be dealt.
// Debts count as paid. It allocates only in the first call.
func (p *Evaluator) BeforeHand(s *sim.MatchState) Expected {
	points := s.Points
	for creditor := range s.Ledger {
		for debtor, d := range s.Ledger[creditor] {
			points[creditor] += d.Points
			points[debtor] -= d.Points
		}
	}
	if p.byPoints {
		return p.AtEnd(points, s.Deposits)
	}
	n := min(s.Round*p.rules.HandsPerRound+dealerOf(p.rules, s), len(p.stages)-1)
	p.computeFrom(n)
	return p.ahead(n, points, s.Deposits)
}

// dealerOf returns the chair that deals. If players move between rounds, it is the
// player's number: all deal once a round.
func dealerOf(r *ruleset.Rules, s *sim.MatchState) int { return min(int(s.Dealer), r.HandsPerRound-1) }

// ahead averages over the results of the hand of stage n, and takes the values of the
// rest from the grid.
func (p *Evaluator) ahead(n int, points [sim.NumPlayers]int32, deposits int) (e Expected) {
	dealer := n % p.rules.HandsPerRound
	var total int64
	for i := range p.hands {
		u := &p.hands[i]
		w := int64(u.weight)
		v := p.follow(n, dealer, u, &points, deposits)
		total += w
		for q := range e {
			e[q] += w * v[q]
		}
	}
	for q := range e {
		e[q] /= total
	}
	return e
}

// follow returns the value after a hand of stage n that ends with a result.
func (p *Evaluator) follow(n, dealer int, u *handResult, points *[sim.NumPlayers]int32, deposits int) Expected {
	c, left, over := p.advance(n, dealer, u, points, deposits)
	if over {
		return p.AtEnd(c.Points, left)
	}
	return p.next(&c, left)
}

// advance returns the course of the match after a hand of stage n that ends with a result,
// the deposits left then, and whether the match is over.
func (p *Evaluator) advance(n, dealer int, u *handResult, points *[sim.NumPlayers]int32, deposits int) (c sim.Progress, left int, over bool) {
	r := p.rules
	after := *points
	for c, change := range u.change {
		after[p.player(dealer, c)] += change
	}
	switch {
	case deposits == 0:
	case u.winner >= 0:
		after[p.player(dealer, int(u.winner))] += int32(deposits * r.RiichiStick)
	default:
		left = deposits
	}
	c = sim.Progress{Round: n / r.HandsPerRound, Dealer: ruleset.Chair(dealer), DealerPlayer: sim.Player(dealer), Points: after}
	over, mayStop := c.Advance(r, u.end)
	return c, left, over || mayStop // a leader who may stop the match does
}

// next returns the value before the next hand of a match.
func (p *Evaluator) next(c *sim.Progress, deposits int) Expected {
	r := p.rules
	points, seats := c.Points, r.NumSeats()
	for i := range seats { // the deposits go to a later winner: an equal share each
		points[i] += int32(deposits * r.RiichiStick / seats)
	}
	return p.value(&p.stages[c.Round*r.HandsPerRound+int(c.Dealer)], &points)
}

// player returns the player c chairs after the dealer; the fourth chair of three is empty.
func (p *Evaluator) player(dealer, c int) int {
	seats := p.rules.NumSeats()
	switch {
	case c >= seats:
		return c
	case dealer+c >= seats: // a remainder takes ten times as long
		return dealer + c - seats
	}
	return dealer + c
}

// value interpolates the value of a stage in its grid.
func (p *Evaluator) value(s *stage, points *[sim.NumPlayers]int32) (e Expected) {
	p.grid.at(s.values, points, &e)
	for q := range e {
		e[q] += p.slope * int64(points[q]) >> slopeBits
	}
	return e
}
