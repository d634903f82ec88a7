package search

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// handSpreads are the standard deviations, by FittedName, of how much the difference of two players
// changes in a hand, in multiples of the scale: those of 30 matches of four experts, for riichi a
// tenth more for the hands that dealers repeat. usualHandSpread is that of other rules.
var handSpreads = map[string]float64{
	"riichi": 2, "riichi_three": 3.8, "mcr": 1.3, "zungjung": 1.2, "hktw": 3.5, "hkos": 2.2, "taiwanese": 2.4,
}

const usualHandSpread = 1.5

func handSpreadOf(r *ruleset.Rules) float64 {
	if s, ok := handSpreads[r.FittedName()]; ok {
		return s
	}
	return usualHandSpread
}

// place returns the expected place of a player at the end of the match after a hand, in
// 1/OutputUnit. As in the labels that the networks are fitted to, the difference of two players
// is taken to change by a normal distribution from hand to hand.
func (s *Searcher) place(t *sim.Table, points *[sim.NumPlayers]int32, p sim.Player) int64 {
	if t.Over() {
		place, rank := int64(perceptron.OutputUnit), &t.Final().Rank
		for q := range t.Rules().NumSeats() {
			switch {
			case rank[q] < rank[p]:
				place += perceptron.OutputUnit
			case rank[q] == rank[p] && q != int(p):
				place += perceptron.OutputUnit / 2
			}
		}
		return place
	}
	return s.placeBy(t.View(p), points)
}

// placeBy is place for the viewer and the hands that the match has left.
func (s *Searcher) placeBy(v sim.View, points *[sim.NumPlayers]int32) int64 {
	r, p := v.Rules(), v.Player()
	hands := max((r.Rounds-v.Round())*r.HandsPerRound-v.DealsPassed(), 1)
	spread := max(1, int64(float64(s.scale)*s.handSpread*math.Sqrt(float64(hands))))
	place := int64(perceptron.OutputUnit)
	for q := range r.NumSeats() {
		if q != int(p) {
			place += normal(int64(points[q]-points[p]) << normalBits / spread)
		}
	}
	return place
}

// normalBits is the scale of the argument of normal.
const normalBits = 8

// normal returns the normal distribution function, in 1/OutputUnit, of x in 1/2^normalBits.
func normal(x int64) int64 {
	if x < 0 {
		return perceptron.OutputUnit - normal(-x)
	}
	const step = 1 << normalBits / 4
	i := x / step
	if i >= int64(len(normals)-1) {
		return normals[len(normals)-1]
	}
	rest := x % step
	return (normals[i]*(step-rest) + normals[i+1]*rest) / step
}

// normals are values of the normal distribution function at multiples of a quarter, in
// 1/OutputUnit.
var normals = [...]int64{
	32768, 39236, 45316, 50684, 55138, 58612, 61158, 62911, 64045, 64735, 65129, 65341, 65448, 65499, 65521, 65530, 65534,
}
