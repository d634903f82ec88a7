package standings

import (
	"math"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/export/summary"
	"github.com/sparrowhall/sparrowhall/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Trial tests whether agent A of a tournament is better than agent B by one number of
// Elo points or only by another, and ends as soon as the matches decide. It is a
// sequential probability ratio test (Wald, Sequential tests of statistical hypotheses,
// 1945) in its generalised form: the likelihood of a mean takes the variance from the data.
//
// The unit is the duplicate set in which both play, whatever its matches have in common; its
// result is the share of pairs of their places in which A finishes ahead, ties by half.
// Elo points are those of the model of Bradley and Terry for that share. Where the luck
// of the tiles is known, results are luck-adjusted. The mean of luck is zero, so the mean
// of results does not change, and they vary less.
type Trial struct {
	dataset.Accept
	seatings uint64
	// The current duplicate set: pairs of places, those in which A was ahead, and the
	// luck of A over that of B.
	pairs, ahead, luck float64
	// matches counts all; the rest are sums over the duplicate sets in which both play.
	matches             uint64
	n, y, yy, x, xy, xx float64
}

// NewTrial returns the test that a tournament ends with, before its first match.
func NewTrial(run *dataset.Run) *Trial {
	return &Trial{Accept: *run.Tournament.Accept, seatings: uint64(run.Tournament.Seatings)}
}

// Add adds a match by the rows of its four players. Matches come in their order, and
// the first is the first of a duplicate set. luck is that of the players, nil if it is not
// taken off.
func (t *Trial) Add(rows []schema.MatchRow, luck *luck.Points) {
	t.matches++
	var played [2]float64
	var tiles [2]float64
	for p := range rows {
		a := rows[p].Agent
		if int(a) != t.A && int(a) != t.B {
			continue
		}
		side := 0
		if int(a) == t.B {
			side = 1
		}
		played[side]++
		if luck != nil {
			tiles[side] += float64(luck[p])
		}
		for q := range rows {
			if int(a) == t.A && int(rows[q].Agent) == t.B {
				won, _ := compare(rows[p].Rank, rows[q].Rank)
				t.ahead += won
				t.pairs++
			}
		}
	}
	if played[0] > 0 && played[1] > 0 {
		t.luck += tiles[0]/played[0] - tiles[1]/played[1]
	}
	if rows[0].Match%t.seatings == t.seatings-1 {
		t.endSet()
	}
}

func (t *Trial) endSet() {
	if t.pairs > 0 {
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

// Verdict is what a Trial has come to.
type Verdict string

// The verdicts.
const (
	// Open: the matches do not decide yet.
	Open Verdict = "open"
	// Accepted: A is better than B by Elo1 rather than by Elo0.
	Accepted Verdict = "accepted"
	// Rejected: by Elo0 rather than by Elo1.
	Rejected Verdict = "rejected"
)

// Evidence is what the matches of a Trial say.
type Evidence struct {
	Verdict Verdict `json:"verdict"`
	// Sets is the number of duplicate sets in which both played.
	Sets uint64 `json:"wall_sets"`
	// LogRatio is the logarithm of how many times likelier the results are if A is
	// better by Elo1 than if by Elo0. Below Lower the verdict is Rejected, above
	// Upper Accepted: Wald's bounds, drawn in by what the ratio moves beyond them
	// between two looks. It is NaN, and nil in JSON, for fewer than 50 sets.
	LogRatio summary.Number `json:"log_ratio"`
	Lower    float64        `json:"lower"`
	Upper    float64        `json:"upper"`
	// Explained is the part of the variance of results that luck explains.
	Explained summary.Number `json:"explained"`
}

// eloShare returns how often an agent that is better by some Elo points is ahead.
func eloShare(points float64) float64 { return 1 / (1 + math.Exp(-points/elo)) }

// Evidence returns what the matches so far say.
func (t *Trial) Evidence() Evidence {
	e := Evidence{
		Verdict: Open, Sets: uint64(t.n), LogRatio: summary.Missing, Explained: summary.Missing,
		Lower: math.Log(t.Beta / (1 - t.Alpha)), Upper: math.Log((1 - t.Beta) / t.Alpha),
	}
	if t.n < leastSets {
		return e
	}
	mean, freedom := t.y/t.n, t.n-1
	squares := t.yy - float64(t.y*mean)
	if luck := t.xx - float64(t.x*t.x)/t.n; t.Luck && luck > 0 {
		common := t.xy - float64(t.x*mean)
		slope := common / luck
		mean -= float64(slope * t.x / t.n)
		e.Explained = summary.Number(slope * common / squares)
		squares -= float64(slope * common)
		freedom--
	}
	// A set that is a quarter of a share away keeps results that hardly vary from telling
	// more than they can.
	variance := (squares + 0.0625) / freedom
	zero, one := eloShare(t.Elo0), eloShare(t.Elo1)
	ratio := t.n * (one - zero) * (mean - (zero+one)/2) / variance
	e.LogRatio = summary.Number(ratio)
	// Siegmund, Sequential Analysis, 1985: what is looked at now and then is beyond a
	// bound by 0.583 deviations of a step when it is seen there.
	step := t.n * float64(nextTrialLook(t.matches)-t.matches) / float64(t.matches)
	beyond := 0.583 * (one - zero) * math.Sqrt(step/variance)
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

// nextTrialLook returns after how many matches a verdict may be given, when the look
// before was after a number of them.
func nextTrialLook(matches uint64) uint64 {
	return (matches*33/32/sim.BlockSize + 2) * sim.BlockSize
}
