package pairs

import (
	"math"

	"github.com/jansou/jansou/ruleset"
	"github.com/jansou/jansou/sim"
)

// Places tells which place players can expect at the end of a match from where it stands
// after a hand: as if the difference of any two changed in each hand to come by an amount
// with a normal distribution.
type Places struct {
	rules *ruleset.Rules
	sum   float64 // of the squares of changes of differences
	n     float64
}

// NewPlaces returns one for the rules, to be told of outcomes.
func NewPlaces(r *ruleset.Rules) *Places { return &Places{rules: r} }

// Learn takes in how points changed in the hands of a match.
func (e *Places) Learn(m *Match) {
	for i := 1; i < len(m.Bases); i++ {
		before, after := &m.Bases[i-1].Points, &m.Bases[i].Points
		for p := range before {
			for q := range p {
				d := float64(after[p] - before[p] - after[q] + before[q])
				e.sum += d * d
				e.n++
			}
		}
	}
}

// repeats is how many hands are played for each that the deal passes on, about.
const repeats = 1.2

// Expected returns the mean place of a player, 1 to 4, after hand number hand.
func (e *Places) Expected(o *Outcome, hand int, p sim.Player) float64 {
	r := e.rules
	if o.Over {
		f := ruleset.Final{Points: o.Points, Rounds: r.Rounds}
		r.Final(&f)
		same, place := 0, float64(f.Rank[p])
		for q := range f.Rank {
			if f.Rank[q] == f.Rank[p] && q != int(p) {
				same++
			}
		}
		return place + float64(same)/2
	}
	left := float64(r.Rounds*r.HandsPerRound - hand - 1)
	if r.SeatRotation == ruleset.NoRotation {
		left = float64(r.Rounds*r.HandsPerRound-int(o.Round)*r.HandsPerRound-int(o.Dealer)) * repeats
	}
	spread := math.Sqrt(max(left, 1) * e.sum / max(e.n, 1))
	place := 1.0
	for q := range o.Points {
		if q != int(p) {
			place += math.Erfc(float64(o.Points[p]-o.Points[q])/(spread*math.Sqrt2)) / 2
		}
	}
	return place
}
