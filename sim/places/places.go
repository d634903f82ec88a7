// Package places tells what points are worth in places: the placement points that
// each player can expect at the end of a match, by where the match stands.
//
// The rest of the match is worked out backwards from its end, with the ruleset's own
// places, ties and ends, for players whose hands end as often in each way as those of
// a table of usual hands (see Table). From the start of a hand on all players are thus
// taken for equals. It is integers, so it is the same on every machine.
package places

import (
	"sync"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Unit is what one placement point is told as.
const Unit = ruleset.PlacementUnit << extraBits

// extraBits are kept beyond the precision of ruleset.Placement.
const extraBits = 8

// Expected is what each player can expect to have in placement points at the end of
// the match, in multiples of 1/Unit.
type Expected [sim.NumPlayers]int64

// Places answers for one ruleset. Any number of players may share it.
type Places struct {
	rules *ruleset.Rules
	// slope is what a unit of points is worth by itself, whoever is ahead, in 1/65536
	// of 1/Unit.
	slope int64
	// byPoints tells that places count for nothing.
	byPoints bool
	hands    []usual

	grid   grid
	mu     sync.Mutex
	stages []stage // by the number of deals before, repeats not counted, with those of an extension
}

// slopeBits are the bits after the point of a slope.
const slopeBits = 16

// known holds what For has made, by ruleset.
var known sync.Map

// For returns the Places of a ruleset. The first question to it takes up to a second,
// in which the values of the rest of the match are worked out.
func For(r *ruleset.Rules) (*Places, error) {
	if p, ok := known.Load(r); ok {
		return p.(*Places), nil
	}
	p := &Places{rules: r}
	p.findSlope()
	if !p.byPoints {
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
	}
	q, _ := known.LoadOrStore(r, p)
	return q.(*Places), nil
}

// findSlope asks what points are worth beside places. Far apart players keep their places
// when one has a little more.
func (p *Places) findSlope() {
	final := func(points [sim.NumPlayers]int32) [sim.NumPlayers]ruleset.Placement {
		f := ruleset.Final{Points: points, Rounds: p.rules.Rounds}
		p.rules.Final(&f)
		return f.Placement
	}
	const far, more = 100_000, 50_000
	start := int32(p.rules.StartingPoints * p.rules.Unit())
	low := final([...]int32{start + 3*far, start + 2*far, start + far, start})
	high := final([...]int32{start + 3*far + more, start + 2*far, start + far, start})
	p.slope = (int64(high[0]-low[0]) << (slopeBits + extraBits)) / more
	p.byPoints = int64(low[0]-low[3])<<(slopeBits+extraBits) == p.slope*3*far && low[0] != low[3]
}

// Final returns what a match is worth that ends with these points and sticks on the
// table.
func (p *Places) Final(points [sim.NumPlayers]int32, deposits int) (e Expected) {
	f := ruleset.Final{Points: points, Deposits: deposits, Rounds: p.rules.Rounds}
	p.rules.Final(&f)
	for i, n := range f.Placement {
		e[i] = int64(n) << extraBits
	}
	return e
}

// Expect returns what the players can expect when a hand is about to be dealt. What
// players owe each other counts as paid. It allocates nothing, after the first time.
func (p *Places) Expect(s *sim.Standing) Expected {
	points := s.Points
	for creditor := range s.Ledger {
		for debtor, d := range s.Ledger[creditor] {
			points[creditor] += d.Points
			points[debtor] -= d.Points
		}
	}
	if p.byPoints {
		return p.Final(points, s.Deposits)
	}
	n := min(s.Round*p.rules.HandsPerRound+dealerOf(p.rules, s), len(p.stages)-1)
	p.work(n)
	return p.ahead(n, points, s.Deposits)
}

// After returns what the players can expect when the hand that is about to be dealt at
// s has ended so, with points and deposits as they are then.
func (p *Places) After(s *sim.Standing, end sim.HandEnd, points [sim.NumPlayers]int32, deposits int) Expected {
	if p.byPoints {
		return p.Final(points, deposits)
	}
	c := sim.Course{Round: s.Round, Dealer: ruleset.Chair(dealerOf(p.rules, s)), Who: s.Dealer, Points: points}
	over, mayStop := c.Advance(p.rules, end)
	if over || mayStop { // whoever leads and may stop does
		return p.Final(points, deposits)
	}
	n := c.Round*p.rules.HandsPerRound + int(c.Dealer)
	p.work(n)
	return p.ahead(n, points, deposits)
}

// dealerOf returns the chair that deals. Where players move between rounds it is
// taken for the player's own: all deal once a round.
func dealerOf(r *ruleset.Rules, s *sim.Standing) int { return min(int(s.Dealer), r.HandsPerRound-1) }

// ahead looks one hand ahead of stage n, and takes the rest from the grid.
func (p *Places) ahead(n int, points [sim.NumPlayers]int32, deposits int) (e Expected) {
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

// follow returns what the players can expect after a hand of stage n that ends as u.
func (p *Places) follow(n, dealer int, u *usual, points *[sim.NumPlayers]int32, deposits int) Expected {
	r := p.rules
	after := *points
	for c, change := range u.change {
		after[(dealer+c)&3] += change
	}
	left := 0
	switch {
	case deposits == 0:
	case u.winner >= 0:
		after[(dealer+int(u.winner))&3] += int32(deposits * r.RiichiStick)
	default:
		left = deposits
	}
	c := sim.Course{Round: n / r.HandsPerRound, Dealer: ruleset.Chair(dealer), Who: sim.Player(dealer), Points: after}
	over, mayStop := c.Advance(r, u.end)
	if over || mayStop {
		return p.Final(after, left)
	}
	for i := range after { // whoever wins next has the sticks: a quarter each
		after[i] += int32(left * r.RiichiStick / sim.NumPlayers)
	}
	return p.value(&p.stages[c.Round*r.HandsPerRound+int(c.Dealer)], &after)
}

// value takes the value of a stage from its grid.
func (p *Places) value(s *stage, points *[sim.NumPlayers]int32) (e Expected) {
	p.grid.at(s.bonus, points, &e)
	for q := range e {
		e[q] += p.slope * int64(points[q]) >> slopeBits
	}
	return e
}
