package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// distribution is the number of cases of each whole number. Amounts of points are few, so its
// size hardly depends on the number of cases.
type distribution map[int32]uint64

// count adds a case to the i-th distribution of the tally.
func (t *tally) count(i int, v int32) {
	if !t.defining {
		t.distributions[i][v]++
	}
}

// Quantile is the value that the share Part of all cases does not exceed.
type Quantile struct {
	Part  float64 `json:"part"`
	Value float64 `json:"value"`
	// Low and High are the 95 % interval by the normal approximation of the rank, for
	// independent cases.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bar is a bar of a histogram: the cases between two values.
type Bar struct {
	// From is included, To is not.
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count uint64  `json:"count"`
	// Share is Count over the number of all cases, Low and High its 95 % interval by Clopper
	// and Pearson's method, for independent cases.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Distribution is the quantiles and the histogram of a figure over its cases.
type Distribution struct {
	// Name is the name of the figure, About its description.
	Name  string `json:"name"`
	About string `json:"about"`
	Unit  Unit   `json:"unit"`
	// Count is the number of cases, Quantiles and Bars are in ascending order.
	Count     uint64     `json:"count"`
	Quantiles []Quantile `json:"quantiles"`
	Bars      []Bar      `json:"bars"`
}

// QuantileParts are the values of Part of the quantiles of a distribution.
var QuantileParts = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// maxBars is the largest number of bars between the quantiles 0.001 and 0.999. The first and
// the last bar include the cases beyond them.
const maxBars = 50

// summary returns the quantiles and bars, of the values divided by unit.
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
	width := digits.NestedStep((high - low) / maxBars)
	low = math.Floor(low/width) * width
	for i, v := range values {
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
