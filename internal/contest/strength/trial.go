package strength

import (
	"math"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Trial tests whether agent A of a tournament is better than agent B by one number of
// Elo points or only by another, and ends as soon as the matches decide. It is a
// sequential probability ratio test (Wald, Sequential tests of statistical hypotheses,
// 1945) in its generalized form: the likelihood of a mean takes the variance from the data.
//
// The unit is the duplicate set in which both play. Its result is the share of pairs of their
// seats in which A finishes ahead of B, ties by half. Elo points are those of the model for
// that share. If luck is measured, results are luck-adjusted: luck has
// the mean 0, so it is a control variate that reduces the variance.
type Trial struct {
	question dataset.Accept
	seatings uint64
	// The current duplicate set: pairs of seats of A and B, those in which A was ahead, and
	// the luck of A minus that of B.
	pairs, ahead, luck float64
	matches            uint64
	// The number n of duplicate sets in which both play, and sums over them: of the result y,
	// of the mean luck x of a match, and of their products.
	n, y, yy, x, xy, xx float64
}

// NewTrial returns the test that a tournament ends with, before its first match.
func NewTrial(run *dataset.Run) *Trial {
	return &Trial{question: *run.Tournament.Accept, seatings: uint64(run.Tournament.Schedule.Plan.Seatings)}
}

// Add adds a match by the rows of its players. Matches come in their order, and the first
// is the first of a duplicate set. luck is nil if results are not luck-adjusted.
func (t *Trial) Add(rows []schema.MatchRow, luck *luck.Points) {
	t.matches++
	m := NewRanking(rows)
	var played, tiles [2]float64 // of A and B: their seats, and the luck of their tiles
	for p, agent := range m.Agents[:m.Seats] {
		side := slices.Index([]int{t.question.A, t.question.B}, int(agent))
		if side < 0 {
			continue
		}
		played[side]++
		if luck != nil {
			tiles[side] += float64(luck[p])
		}
	}
	ahead, pairs := m.ahead(uint8(t.question.A), uint8(t.question.B))
	t.ahead += ahead
	t.pairs += pairs
	// In a match without one of the two, the luck of the other says nothing of the pair.
	if pairs > 0 {
		t.luck += tiles[0]/played[0] - tiles[1]/played[1]
	}
	if rows[0].Match%t.seatings == t.seatings-1 {
		t.endSet()
	}
}

func (t *Trial) endSet() {
	if t.pairs > 0 {
		// Luck is that of a mean match, as the result is that of a mean pair.
		y, x := t.ahead/t.pairs, t.luck/float64(t.seatings)
		t.n++
		t.y += y
		t.yy += float64(y * y)
		t.x += x
		t.xy += float64(x * y)
		t.xx += float64(x * x)
	}
	t.pairs, t.ahead, t.luck = 0, 0, 0
}

// Verdict is the state of a sequential test.
type Verdict string

// The verdicts.
const (
	// Open means that the matches do not decide yet.
	Open Verdict = "open"
	// Accepted means that A is better than B by Elo1 rather than by Elo0.
	Accepted Verdict = "accepted"
	// Rejected means that A is better than B by Elo0 rather than by Elo1.
	Rejected Verdict = "rejected"
)

// Evidence is the state of a [Trial] after some matches.
type Evidence struct {
	Verdict Verdict `json:"verdict"`
	// Sets is the number of duplicate sets in which both played.
	Sets uint64 `json:"duplicate_sets"`
	// LogRatio is the log-likelihood ratio of Elo1 to Elo0, missing for fewer than 50 sets.
	// Below Lower the verdict is Rejected, above Upper Accepted. These are Wald's bounds,
	// narrowed by the mean overshoot of the ratio between two looks.
	LogRatio interval.Number `json:"log_ratio"`
	Lower    float64         `json:"lower"`
	Upper    float64         `json:"upper"`
	// Explained is the part of the variance of results that luck explains.
	Explained interval.Number `json:"explained"`
}

// eloShare returns the share of matches in which an agent that leads by some Elo points
// finishes ahead.
func eloShare(points float64) float64 { return 1 / (1 + math.Exp(-points/Elo)) }

// Evidence returns the state of the test after the matches so far.
func (t *Trial) Evidence() Evidence {
	e := Evidence{
		Verdict: Open, Sets: uint64(t.n), LogRatio: interval.Missing, Explained: interval.Missing,
		Lower: math.Log(t.question.Beta / (1 - t.question.Alpha)), Upper: math.Log((1 - t.question.Beta) / t.question.Alpha),
	}
	// The likelihood is that of a normal mean with an estimated variance, which few sets do not
	// justify.
	if t.n < leastTested {
		return e
	}
	mean, freedom := t.y/t.n, t.n-1
	squares := t.yy - float64(t.y*mean)
	if luck := t.xx - float64(t.x*t.x)/t.n; t.question.Luck && luck > 0 {
		common := t.xy - float64(t.x*mean)
		slope := common / luck
		// The regression on luck costs a degree of freedom and takes the explained part out of the
		// variance.
		mean -= float64(slope * t.x / t.n)
		e.Explained = interval.Number(slope * common / squares)
		squares -= float64(slope * common)
		freedom--
	}
	// One more set at a distance of 1/4 keeps the variance of results that hardly vary from
	// being underestimated.
	variance := (squares + 0.0625) / freedom
	zero, one := eloShare(t.question.Elo0), eloShare(t.question.Elo1)
	// The logarithm of the ratio of two normal likelihoods of the mean, at the shares of Elo1 and
	// Elo0.
	ratio := t.n * (one - zero) * (mean - (zero+one)/2) / variance
	e.LogRatio = interval.Number(ratio)
	// Siegmund, Sequential Analysis, 1985: a random walk that is observed at intervals
	// overshoots a bound by 0.583 standard deviations of a step on average.
	step := t.n * float64(t.Next(t.matches)-t.matches) / float64(t.matches)
	beyond := 0.583 * (one - zero) * math.Sqrt(step/variance)
	// At most halfway to 0: early, when looks are far apart for the number of sets, the correction
	// would make the bounds meet.
	e.Lower += min(beyond, -e.Lower/2)
	e.Upper -= min(beyond, e.Upper/2)
	switch {
	case ratio >= e.Upper:
		e.Verdict = Accepted
	case ratio <= e.Lower:
		e.Verdict = Rejected
	}
	return e
}

// Next implements [Stopper].
func (t *Trial) Next(matches uint64) uint64 {
	// Looks are close together, since each one that is missed costs matches: the bounds allow for
	// the overshoot, not for the delay. The two blocks keep the first looks apart.
	return roundLook((matches*33/32/sim.BlockSize+2)*sim.BlockSize, int(t.seatings))
}

// Decided implements [Stopper].
func (t *Trial) Decided() bool { return t.Evidence().Verdict != Open }
