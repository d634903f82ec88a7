package rating

import (
	"math"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// eloScale is the number of Elo points of a unit of strength: 400 points are odds of ten to one.
const eloScale = 400 / math.Ln10

// priorDeviation is the standard deviation of the normal prior of the strength. The prior keeps
// the rating of an entrant that won or lost all matches finite.
const priorDeviation = 5

// maxSeats is the largest number of players of a match.
const maxSeats = 4

// placeCounts is how often the entrant took each place, from the first.
type placeCounts [maxSeats]float64

// add adds a match by the rows of its players, among which the entrant is agent 0. A tie counts
// as each of the places that it covers, in equal parts.
func (c *placeCounts) add(rows []schema.MatchRow) {
	var own uint8
	ties := 0
	for i := range rows {
		if rows[i].Agent == 0 {
			own = rows[i].Rank
		}
	}
	for i := range rows {
		if rows[i].Rank == own {
			ties++
		}
	}
	for i := range ties {
		c[int(own)-1+i] += 1 / float64(ties)
	}
}

// pairing is the places of the entrant among copies of one opponent, by duplicate set.
type pairing struct {
	seats    int
	strength float64 // of the opponent
	sets     []placeCounts
}

// derivatives returns the first and the negated second derivative of the log-likelihood of some
// places at a strength x of the entrant, in the model of Plackett and Luce: the first place is a
// choice among all players, the second one among the others, and so on.
func (p *pairing) derivatives(c *placeCounts, x float64) (slope, information float64) {
	ratio := math.Exp(p.strength - x) // of an opponent to the entrant
	left := 0.0                       // matches in which the entrant is not yet placed
	for _, n := range c {
		left += n
	}
	for stage := range p.seats - 1 {
		chosen := 1 / (1 + float64(p.seats-1-stage)*ratio)
		slope += c[stage] - left*chosen
		information += left * chosen * (1 - chosen)
		left -= c[stage]
	}
	return slope, information
}

// fit returns the rating of the entrant. Duplicate sets of the same number have the same walls
// in all pairings, so their sum is one independent observation.
func fit(pairings []pairing) Figure {
	const prior = 1.0 / (priorDeviation * priorDeviation)
	x, clusters := 0.0, 0
	for _, p := range pairings {
		clusters = max(clusters, len(p.sets))
	}
	total := func() (slope, information float64, slopes []float64) {
		slopes = make([]float64, clusters)
		for i := range pairings {
			p := &pairings[i]
			for k := range p.sets {
				s, h := p.derivatives(&p.sets[k], x)
				slopes[k] += s
				slope += s
				information += h
			}
		}
		return slope - prior*x, information + prior, slopes
	}
	for range 100 {
		slope, information, _ := total()
		// The log-likelihood is concave. A step is bounded, so that it does not overshoot
		// where the curve is flat.
		step := max(-2, min(2, slope/information))
		x += step
		if math.Abs(step) < 1e-12 {
			break
		}
	}
	_, information, slopes := total()
	r := Figure{Value: Anchor + eloScale*x, Low: summary.Missing, High: summary.Missing}
	if clusters < 2 {
		return r
	}
	squares := 0.0
	for _, s := range slopes {
		squares += s * s
	}
	n := float64(clusters)
	// The sandwich estimate allows for the correlation of the matches of a set. Where nearly
	// all matches end alike it is too small, and the information of the model bounds it.
	deviation := math.Sqrt(max(squares*n/(n-1)/(information*information), 1/information))
	r.Low, r.High = summary.Around(r.Value, interval.StudentT(n-1)*deviation*eloScale)
	return r
}
