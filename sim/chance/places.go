package chance

import (
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/places"
)

// slopes tell what luck in points is worth in places: [p][q] is what a unit for q is
// worth to p, in 1/65536 of 1/places.Unit.
type slopes [sim.NumPlayers][sim.NumPlayers]int64

const slopeBits = 16

// MeasurePlaces makes m tell luck in places as well, by what points are worth when a
// hand begins.
func (m *follower) MeasurePlaces(p *places.Places) { m.places = p }

// PlaceLuck returns what luck of the present hand is worth in placement points at
// the end of the match, in 1/65536 of one. Its mean is zero as that of l is, for what a
// point is worth is known before the hand begins.
func (m *follower) PlaceLuck(l *Luck) (worth Luck) {
	const one = places.Unit << slopeBits
	for p := range worth {
		for q, n := range l {
			worth[p] += m.slopes[p][q] * n
		}
		// To the nearest: what is always cut off to one side adds up over a match.
		if worth[p] < 0 {
			worth[p] -= one / 2
		} else {
			worth[p] += one / 2
		}
		worth[p] /= one
	}
	return worth
}

// begin works out what points are worth in the hand that has just begun.
func (m *follower) begin() {
	if m.places == nil {
		return
	}
	s := m.state.standing()
	// About what a hand is worth: smaller steps would see the jumps between places.
	step := int32(m.step)
	for q := range s.Points {
		var value [2]places.Expected
		for i, d := range [...]int32{-step, step} {
			t := s
			for other := range t.Points {
				t.Points[other] -= d / (sim.NumPlayers - 1)
			}
			t.Points[q] += d + d/(sim.NumPlayers-1)
			value[i] = m.places.Expect(&t)
		}
		for p := range m.slopes {
			m.slopes[p][q] = (value[1][p] - value[0][p]) << slopeBits / (2 * int64(step))
		}
	}
	// A unit for q that all pay a third of is what was tried; what all have together
	// stays, so a unit by itself counts three quarters of that.
	for p := range m.slopes {
		for q := range m.slopes[p] {
			m.slopes[p][q] = m.slopes[p][q] * (sim.NumPlayers - 1) / sim.NumPlayers
		}
	}
}

// standing returns where the match stands when a hand has begun.
func (s *State) standing() sim.Standing {
	return sim.Standing{
		Round: s.round, Dealer: s.dealer, Counter: s.counter, Deposits: s.deposits,
		Points: s.Wealth(),
	}
}
