package luck

import (
	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
	"github.com/sparrowhall/sparrowhall/sim"
)

// placementSlopes is the derivative of placement points by points: [p][q] is what a
// unit for q is worth to p, in 1/65536 of 1/placement.Unit.
type placementSlopes [sim.NumPlayers][sim.NumPlayers]int64

const slopeBits = 16

// SetPlacement makes PlacementLuck convert luck by the values of p.
func (m *ControlVariate) SetPlacement(p *placement.Evaluator) { m.tracker.places = p }

// SetPlacement makes PlacementLuck convert luck by the values of p.
func (m *LinearControlVariate) SetPlacement(p *placement.Evaluator) { m.tracker.places = p }

// PlacementLuck converts luck of the present hand into placement points at the end of
// the match, in 1/65536. It has mean zero as l has, since the worth of a point is fixed
// before the hand begins.
func (m *ControlVariate) PlacementLuck(l *Points) (worth Points) { return m.tracker.placementLuck(l) }

// PlacementLuck converts luck as [ControlVariate.PlacementLuck] does.
func (m *LinearControlVariate) PlacementLuck(l *Points) (worth Points) {
	return m.tracker.placementLuck(l)
}

func (m *tracker) placementLuck(l *Points) (worth Points) {
	const one = placement.Unit << slopeBits
	for p := range worth {
		for q, n := range l {
			worth[p] += m.slopes[p][q] * n
		}
		// Round to the nearest: truncation would add up over a match.
		if worth[p] < 0 {
			worth[p] -= one / 2
		} else {
			worth[p] += one / 2
		}
		worth[p] /= one
	}
	return worth
}

// measureSlopes computes the slopes for the hand that has just begun.
func (m *tracker) measureSlopes() {
	if m.places == nil {
		return
	}
	s := m.state.standing()
	// The step is about the worth of a win: smaller ones would see the jumps between places.
	step := int32(m.step)
	seats := int32(m.state.rules.NumSeats())
	for q := range s.Points[:seats] {
		// The worth to each player if q had so many units more, of which the others pay equal parts.
		worthWith := func(d int32) placement.Expected {
			t := s
			for other := range t.Points[:seats] {
				t.Points[other] -= d / (seats - 1)
			}
			t.Points[q] += d + d/(seats-1)
			return m.places.BeforeHand(&t)
		}
		below, above := worthWith(-step), worthWith(step)
		for p := range m.slopes {
			m.slopes[p][q] = (above[p] - below[p]) << slopeBits / (2 * int64(step))
		}
	}
	// The difference was for a unit for q of which each other player pays a third. The sum
	// of all points is fixed, so a unit by itself counts three quarters of that. Among three
	// these are a half and two thirds.
	for p := range m.slopes {
		for q := range m.slopes[p] {
			m.slopes[p][q] = m.slopes[p][q] * int64(seats-1) / int64(seats)
		}
	}
}

// standing returns the standing of the match when a hand has begun.
func (s *State) standing() sim.MatchState {
	return sim.MatchState{
		Round: s.round, Dealer: s.dealer, Counter: s.counter, Deposits: s.deposits,
		Points: s.NetPoints(),
	}
}
