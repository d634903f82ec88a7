package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// distribution counts the cases of each whole number. Points come in few
// different amounts, so it stays small however many cases there are.
type distribution map[int32]uint64

// count adds a case to the i-th distribution of the tally.
func (t *tally) count(i int, v int32) {
	if !t.defining {
		t.distributions[i][v]++
	}
}

// Quantile is a value that a given part of all cases does not exceed.
type Quantile struct {
	Part  float64 `json:"part"`
	Value float64 `json:"value"`
	// Low and High are the 95 % interval by the normal approximation of the
	// rank, which takes the cases as independent.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bar is the cases between two values.
type Bar struct {
	// From is included, To is not.
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count uint64  `json:"count"`
	// Share is Count among all cases, Low and High its 95 % interval by Clopper and
	// Pearson's, which takes the cases as independent.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Distribution says how a figure is spread over its cases.
type Distribution struct {
	// Name is the figure as tables call it, About says what it is.
	Name  string `json:"name"`
	About string `json:"about"`
	Unit  Unit   `json:"unit"`
	// Count is the number of cases, Quantiles and Bars are in ascending order.
	Count     uint64     `json:"count"`
	Quantiles []Quantile `json:"quantiles"`
	Bars      []Bar      `json:"bars"`
}

// QuantileParts are the parts of the cases that quantiles are of.
var QuantileParts = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// maxBars is how many bars a distribution has at most, apart from those that
// collect what is outside.
const maxBars = 30

// summary describes the distribution, its values divided by unit.
func (d distribution) summary(name, about string, u Unit, unit float64) Distribution {
	s := Distribution{Name: name, About: about, Unit: u}
	if len(d) == 0 {
		return s
	}
	keys := slices.Sorted(maps.Keys(d))
	values, weights := make([]float64, len(keys)), make([]float64, len(keys))
	for i, k := range keys {
		values[i], weights[i] = float64(k)/unit, float64(d[k])
		s.Count += d[k]
	}
	quantile := func(p float64) float64 {
		return stat.Quantile(min(max(p, 0), 1), stat.Empirical, values, weights)
	}
	for _, p := range QuantileParts {
		off := interval.Normal * math.Sqrt(p*(1-p)/float64(s.Count))
		s.Quantiles = append(s.Quantiles, Quantile{p, quantile(p), quantile(p - off), quantile(p + off)})
	}
	low, high := quantile(0.001), quantile(0.999)
	width := niceWidth(max(1, high-low) / maxBars)
	low = math.Floor(low/width) * width
	for i, v := range values {
		// What is beyond the ends goes into the first and last bar.
		at := math.Floor((min(max(v, low), high) - low) / width)
		from := low + at*width
		if n := len(s.Bars); n == 0 || s.Bars[n-1].From != from {
			s.Bars = append(s.Bars, Bar{From: from, To: from + width})
		}
		s.Bars[len(s.Bars)-1].Count += d[keys[i]]
	}
	for i := range s.Bars {
		b := &s.Bars[i]
		b.Share = float64(b.Count) / float64(s.Count)
		b.Low, b.High = interval.Share(b.Share, float64(s.Count))
	}
	return s
}

// niceWidth returns the smallest of 1, 2, 5, 10, 20, ... that is not below w.
func niceWidth(w float64) float64 { return max(1, digits.NiceStep(w)) }
