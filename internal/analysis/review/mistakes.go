package review

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Noise is how many of the costs chance alone would make look like mistakes.
type Noise struct {
	// Compared is the number of decisions with another answer. Clear is that of those whose
	// first deals have a 95 % interval of points above zero. Chance is how many of these are
	// expected if no choice costs anything.
	Compared int     `json:"compared"`
	Clear    int     `json:"clear"`
	Chance   float64 `json:"clear_by_chance"`
	// Again is the number of decisions that were dealt again, Figures that of the costs
	// estimated so: in points for each, and in placement points if they are estimated.
	Again   int `json:"dealt_again"`
	Figures int `json:"figures"`
	// Mistakes is the number of mistakes, False how many of them are expected to cost
	// nothing, at most.
	Mistakes int     `json:"mistakes"`
	False    float64 `json:"mistakes_by_chance"`
}

// falseRate is the largest expected share of mistakes that cost nothing.
const falseRate = 1 - interval.Confidence

// pValue returns the two-sided p-value of no cost: that of Student's t, and at least that of a sign
// test of the deals in which both answers differ.
func (c *Cost) pValue() float64 {
	sign := math.Exp2(1 - float64(c.changed))
	if c.variance == 0 {
		return min(1, sign)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: c.n - 1}
	return min(1, max(sign, 2*t.Survival(math.Abs(float64(c.Cost))/math.Sqrt(c.variance))))
}

// intervalAt returns the interval with some probability of an error.
func (c *Cost) intervalAt(alpha float64) *[2]interval.Number {
	t := distuv.StudentsT{Sigma: 1, Nu: c.n - 1}
	low, high := interval.Around(float64(c.Cost), t.Quantile(1-alpha/2)*math.Sqrt(c.variance))
	return &[2]interval.Number{low, high}
}

// findMistakes marks the decisions that are mistakes by the further deals. On average at most
// one of twenty mistakes costs nothing. Source: Benjamini and Hochberg, Controlling the false discovery rate,
// 1995. The corrected intervals are those of Benjamini and Yekutieli, False discovery
// rate-adjusted multiple confidence intervals for selected parameters, 2005.
func (r *Review) findMistakes() {
	type figure struct {
		d *Decision
		c *Cost
		p float64
	}
	var list []figure
	n := &r.Noise
	for i := range r.Decisions {
		d := &r.Decisions[i]
		n.Compared++
		if d.first.Clear() {
			n.Clear++
		}
		if !d.Again {
			continue
		}
		n.Again++
		for _, c := range [...]*Cost{&d.Cost, d.Places} {
			if c != nil {
				list = append(list, figure{d, c, c.pValue()})
			}
		}
	}
	n.Figures, n.Chance = len(list), float64(n.Compared)*falseRate/2
	slices.SortStableFunc(list, func(a, b figure) int { return cmp.Compare(a.p, b.p) })
	found := len(list)
	for found > 0 && list[found-1].p > falseRate*float64(found)/float64(len(list)) {
		found--
	}
	alpha := falseRate * float64(found) / float64(max(len(list), 1))
	for pass := range 2 { // points first: places count where points do not show the mistake
		for _, f := range list[:found] {
			points := f.c == &f.d.Cost
			if f.c.Cost <= 0 || f.d.Mistake || points != (pass == 0) {
				continue
			}
			f.d.Mistake, f.d.Corrected = true, f.c.intervalAt(alpha)
			if !points {
				f.d.Kind = Placement
			}
			n.Mistakes++
		}
	}
	n.False = falseRate * float64(n.Mistakes)
}

// Text describes the noise in sentences of a language.
func (n *Noise) Text(language string) string {
	if n.Compared == 0 {
		return phrase{key: "noise_none"}.in(language)
	}
	text := phrase{"noise_compared", values{"decisions": counted(n.Compared, "decisions"), "clear": n.Clear, "chance": expectedText(n.Chance)}}
	if n.Again == 0 {
		return phrase{"noise_not_again", values{"text": text}}.in(language)
	}
	text = phrase{"noise_again", values{"text": text, "decisions": counted(n.Again, "decisions")}}
	key := "noise_n"
	if n.Mistakes < 2 {
		key = fmt.Sprint("noise_", n.Mistakes)
	}
	return phrase{key, values{"text": text, "figures": n.Figures, "n": n.Mistakes, "false": expectedText(n.False)}}.in(language)
}

func expectedText(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// Group is the mistakes of one kind.
type Group struct {
	Kind Kind
	// Mistakes are in descending order of their costs.
	Mistakes []*Decision
}

// Groups returns the mistakes of a player, by kind.
func (r *Review) Groups(p sim.Player) (list []Group) {
	var kinds [numKinds][]*Decision
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.Mistake && d.Player == p {
			kinds[d.Kind] = append(kinds[d.Kind], d)
		}
	}
	for k, found := range kinds {
		if len(found) > 0 {
			slices.SortStableFunc(found, func(a, b *Decision) int { return cmp.Compare(b.sortCost(), a.sortCost()) })
			list = append(list, Group{Kind(k), found})
		}
	}
	return list
}

// sortCost is the cost in points, of kind Placement that in placement points.
func (d *Decision) sortCost() interval.Number {
	if d.Kind == Placement {
		return d.Places.Cost
	}
	return d.Cost.Cost
}
