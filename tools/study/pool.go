package main

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/analysis/summary"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// series is a report of the same play for each seed; dataset i is of the same ruleset
// in all of them.
type series []*report.Report

// figure returns a figure of dataset i over all seeds.
func (s series) figure(i int, k stats.Key) (stats.Estimate, stats.Unit) {
	var e stats.Estimate
	var unit stats.Unit
	for _, r := range s {
		f := r.Datasets[i].Figure(k)
		if f == nil || f.Count == 0 {
			continue
		}
		unit = f.Unit
		e.Sum += f.Sum
		e.Count += f.Count
		e.Clusters += f.Clusters
		e.Error = math.Hypot(e.Error, f.Error*f.Count)
	}
	if e.Count == 0 {
		return e, unit
	}
	e.Value, e.Error = e.Sum/e.Count, e.Error/e.Count
	withInterval(&e, unit)
	return e, unit
}

// withInterval sets the interval of an estimate. Matches are many, so the normal distribution is
// accurate enough except for shares, which may be near 0 or 1.
func withInterval(e *stats.Estimate, unit stats.Unit) {
	if unit == stats.Share {
		low, high := interval.Share(e.Value, interval.Effective(e.Value, e.Error, float64(e.Clusters-1)))
		e.Low, e.High = summary.Number(low), summary.Number(high)
		return
	}
	half := summary.Number(interval.Normal * e.Error)
	e.Low, e.High = summary.Number(e.Value)-half, summary.Number(e.Value)+half
}

// difference returns by how much a figure of dataset i is above that of the first over
// all seeds: the mean of the differences at each seed.
func (s series) difference(i int, k stats.Key) (stats.Difference, bool) {
	var d stats.Difference
	n := 0.0
	for _, r := range s {
		if c := r.Comparison(i, k); c != nil && c.P.Known() {
			d.Value += c.Value
			d.Error = math.Hypot(d.Error, c.Error)
			n++
		}
	}
	if n == 0 {
		return d, false
	}
	d.Value, d.Error = d.Value/n, d.Error/n
	setInterval(&d)
	return d, true
}

// setInterval sets the interval and the probability of a difference.
func setInterval(d *stats.Difference) {
	half := summary.Number(interval.Normal * d.Error)
	d.Low, d.High = summary.Number(d.Value)-half, summary.Number(d.Value)+half
	d.P = 1
	if d.Error > 0 {
		d.P = summary.Number(2 * distuv.UnitNormal.Survival(math.Abs(d.Value)/d.Error))
	}
	d.Adjusted = d.P
}

// subtract returns a minus b as a difference of independent estimates.
func subtract(a, b stats.Estimate) stats.Difference {
	d := stats.Difference{Value: a.Value - b.Value, Error: math.Hypot(a.Error, b.Error)}
	setInterval(&d)
	return d
}

// heterogeneity returns the probability that the seeds differ as much as they do in a
// figure by chance (Cochran's Q), and whether it is significant.
func (s series) heterogeneity(i int, k stats.Key) (float64, bool) {
	var weights, sum, q float64
	var list []*stats.Figure
	for _, r := range s {
		f := r.Datasets[i].Figure(k)
		if f == nil || f.Error == 0 {
			return 0, false
		}
		list = append(list, f)
		w := 1 / (f.Error * f.Error)
		weights += w
		sum += w * f.Value
	}
	if len(list) < 2 {
		return 0, false
	}
	for _, f := range list {
		q += (f.Value - sum/weights) * (f.Value - sum/weights) / (f.Error * f.Error)
	}
	return distuv.ChiSquared{K: float64(len(list) - 1)}.Survival(q), true
}

// letters returns which of n may be alike, as tables of experiments do: two that share a
// letter are not shown to differ. The letters are the largest groups in which no two
// differ, in the order of the lowest value of each.
func letters(values []float64, differ func(i, j int) bool) []string {
	n := len(values)
	var groups []uint
	for g := uint(1); g < 1<<n; g++ {
		if alike(g, n, differ) && !slices.ContainsFunc(groups, func(o uint) bool { return o&g == g }) {
			groups = append(slices.DeleteFunc(groups, func(o uint) bool { return o&g == o }), g)
		}
	}
	lowest := func(g uint) float64 {
		low := math.Inf(1)
		for i, v := range values {
			if g>>i&1 == 1 {
				low = min(low, v)
			}
		}
		return low
	}
	slices.SortFunc(groups, func(a, b uint) int { return cmp.Or(cmp.Compare(lowest(a), lowest(b)), cmp.Compare(a, b)) })
	text := make([]string, n)
	for at, g := range groups {
		for i := range n {
			if g>>i&1 == 1 {
				text[i] += string(rune('a' + at))
			}
		}
	}
	return text
}

// alike reports whether no two of a group differ.
func alike(group uint, n int, differ func(i, j int) bool) bool {
	for i := range n {
		for j := range i {
			if group>>i&1 == 1 && group>>j&1 == 1 && differ(j, i) {
				return false
			}
		}
	}
	return true
}
