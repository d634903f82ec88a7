package rating

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
)

// place draws the place of a player of strength x among seats-1 others of strength y.
func place(draw *rand.Rand, seats int, x, y float64) int {
	for left := seats - 1; left > 0; left-- {
		if draw.Float64() < math.Exp(x)/(math.Exp(x)+float64(left)*math.Exp(y)) {
			return seats - 1 - left
		}
	}
	return seats - 1
}

// slowLikelihood returns the log-likelihood of places at a strength, as a product over choices.
func slowLikelihood(list []pairing, x float64) (sum float64) {
	for _, p := range list {
		for _, set := range p.sets {
			for at, n := range set {
				for i := 0; i <= at && i < p.seats-1; i++ {
					others := float64(p.seats-1-i) * math.Exp(p.strength)
					if i == at {
						sum += n * math.Log(math.Exp(x)/(math.Exp(x)+others))
					} else {
						sum += n * math.Log(others/(math.Exp(x)+others))
					}
				}
			}
		}
	}
	return sum - x*x/(2*priorDeviation*priorDeviation)
}

// TestFit compares the rating with the maximum of a likelihood that is computed choice by
// choice, and counts how often its interval has the truth.
func TestFit(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	covered, runs := 0, 300
	for i := range runs {
		seats := 3 + i%2
		truth := draw.Float64()*2 - 1
		var list []pairing
		for _, strength := range []float64{-1.5, 0, 0.5} {
			p := pairing{seats: seats, strength: strength}
			for range 40 {
				var set placeCounts
				for range seats {
					set[place(draw, seats, truth, strength)]++
				}
				p.sets = append(p.sets, set)
			}
			list = append(list, p)
		}
		r := fit(list)
		x := (r.Value - Anchor) / eloScale
		if l := slowLikelihood(list, x); l < slowLikelihood(list, x-0.001) || l < slowLikelihood(list, x+0.001) {
			t.Fatalf("the likelihood is not greatest at %v", x)
		}
		if elo := Anchor + eloScale*truth; float64(r.Low) <= elo && elo <= float64(r.High) {
			covered++
		}
	}
	if share := float64(covered) / float64(runs); share < 0.92 || share > 0.985 {
		t.Errorf("intervals cover the truth in %.3f of the runs", share)
	}
}

// TestFitOfExtremes checks that an entrant that won or lost everything has a finite rating and
// a wide interval.
func TestFitOfExtremes(t *testing.T) {
	for at, above := range map[int]bool{0: true, 3: false} {
		p := pairing{seats: 4}
		for range 10 {
			var set placeCounts
			set[at] = 4
			p.sets = append(p.sets, set)
		}
		r := fit([]pairing{p})
		if (r.Value > Anchor) != above || math.Abs(r.Value-Anchor) > 3000 || float64(r.High-r.Low) < 400 {
			t.Errorf("place %d: %+v", at+1, r)
		}
	}
}

// TestTies divides a tie among the places that it covers.
func TestTies(t *testing.T) {
	var c placeCounts
	c.add([]schema.MatchRow{{Agent: 1, Rank: 1}, {Agent: 0, Rank: 2}, {Agent: 1, Rank: 2}, {Agent: 1, Rank: 4}})
	c.add([]schema.MatchRow{{Agent: 1, Rank: 1}, {Agent: 1, Rank: 2}, {Agent: 1, Rank: 3}, {Agent: 0, Rank: 4}})
	if c != (placeCounts{0, 0.5, 0.5, 1}) {
		t.Error(c)
	}
}
