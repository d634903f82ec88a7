package fitting

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// PlaceModel estimates players' final places from the points after a hand. It models
// the change of each difference of two players in a hand as normally distributed.
type PlaceModel struct {
	rules *ruleset.Rules
	sum   float64 // of the squares of changes of differences
	n     float64
}

// NewPlaceModel returns a model without data.
func NewPlaceModel(r *ruleset.Rules) *PlaceModel { return &PlaceModel{rules: r} }

// Add adds the changes of points in the hands of a match.
func (e *PlaceModel) Add(m *rollout.Match) {
	for i := 1; i < len(m.Baselines); i++ {
		before, after := &m.Baselines[i-1].Points, &m.Baselines[i].Points
		for p := range e.rules.NumSeats() {
			for q := range p {
				d := float64(after[p] - before[p] - after[q] + before[q])
				e.sum += d * d
				e.n++
			}
		}
	}
}

// repeats is about how many hands a dealer plays before the deal passes.
const repeats = 1.2

// Expected returns the mean place of a player, from 1, after hand number hand.
func (e *PlaceModel) Expected(o *rollout.Outcome, hand int, p sim.Player) float64 {
	r := e.rules
	if o.Over {
		f := ruleset.Final{Points: o.Points, Rounds: r.Rounds}
		r.Final(&f)
		same, place := 0, float64(f.Rank[p])
		for q := range r.NumSeats() {
			if f.Rank[q] == f.Rank[p] && q != int(p) {
				same++
			}
		}
		return place + float64(same)/2
	}
	spread := e.spread(o, hand)
	place := 1.0
	for q := range r.NumSeats() {
		if q != int(p) {
			place += math.Erfc(float64(o.Points[p]-o.Points[q])/(spread*math.Sqrt2)) / 2
		}
	}
	return place
}

// spread is the standard deviation of the difference of two players at the end of a
// match.
func (e *PlaceModel) spread(o *rollout.Outcome, hand int) float64 {
	r := e.rules
	left := float64(r.Rounds*r.HandsPerRound - hand - 1)
	if r.SeatRotation == ruleset.NoRotation {
		left = float64(r.Rounds*r.HandsPerRound-int(o.Round)*r.HandsPerRound-int(o.Dealer)) * repeats
	}
	return math.Sqrt(max(left, 1) * e.sum / max(e.n, 1))
}

// Gained returns how many places the other action of a pair gained over the one played,
// minus the worth of the difference in luck. The worth of a point is fixed before the
// hand, so what is subtracted has mean zero.
func (e *PlaceModel) Gained(m *rollout.Match, p *rollout.Pair) float64 {
	hand, player := int(p.Hand), sim.Player(p.Player)
	var before rollout.Outcome
	if hand > 0 {
		before = m.Baselines[hand-1]
	}
	return e.Expected(&m.Baselines[hand], hand, player) - e.Expected(&p.Other, hand, player) -
		float64(p.Luck)*e.perPoint(&before, hand-1, player)
}

// perPoint returns about how many places a player gains by each further point, if the match
// is at o after hand number hand.
func (e *PlaceModel) perPoint(o *rollout.Outcome, hand int, p sim.Player) float64 {
	spread := e.spread(o, hand)
	if spread == 0 {
		return 0
	}
	density := 0.0
	for q := range e.rules.NumSeats() {
		if q != int(p) {
			z := float64(o.Points[p]-o.Points[q]) / spread
			density += math.Exp(-z*z/2) / (spread * math.Sqrt(2*math.Pi))
		}
	}
	return density
}
