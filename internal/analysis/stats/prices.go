package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sparrowhall/sparrowhall/configs"
)

// patternPrice is the price of a pattern in a closed hand, and the largest that a ruleset may
// set.
type patternPrice struct {
	ID    string `json:"id"`
	Price int    `json:"price"`
	Max   int    `json:"max"`
}

// pricesOf returns the prices of the patterns whose unit is that of most patterns of the
// ruleset. It leaves out limit hands, which are counted in multiples of the limit, and patterns
// that are off or whose price another knob sets.
func pricesOf(r *configs.Ruleset) (list []patternPrice) {
	for _, k := range r.Knobs() {
		listings := k.Listings()
		for i, price := range k.Prices() {
			l := &listings[i]
			p := patternPrice{l.ID, int(l.Listed.Closed), l.Max}
			switch v := price.Value().(type) {
			case int64:
				p.Price = int(v)
			case []any:
				first, _ := v[0].(int64)
				p.Price = int(first)
			case string:
				if v == "off" {
					p.Price = 0
				}
			}
			if p.Price > 0 {
				list = append(list, p)
			}
		}
	}
	count := map[int]int{}
	usual := 0
	for _, p := range list {
		if count[p.Max]++; count[p.Max] > count[usual] {
			usual = p.Max
		}
	}
	return slices.DeleteFunc(list, func(p patternPrice) bool { return p.Max != usual })
}

// PatternPrice compares the price of a pattern with its rarity among wins or opportunities.
type PatternPrice struct {
	Pattern string `json:"pattern"`
	// Price is that in a closed hand.
	Price int `json:"price"`
	// Cases is the number of wins with the pattern, or of hands of players with an
	// opportunity for it; Frequency is the share among all.
	Cases     float64 `json:"cases"`
	Frequency float64 `json:"frequency"`
	// Line is the price of equally rare patterns by a line fitted to all.
	Line float64 `json:"line"`
	// Off is the distance of the price from the line in robust standard deviations, above 0
	// if it is dearer.
	Off float64 `json:"off"`
	// Suggested is the whole price nearest to the line for a pattern that is far from it. It
	// is 0 for the others, and for all patterns where rarer ones are not dearer.
	Suggested int `json:"suggested,omitempty"`
}

const (
	// leastCases is the least number of cases of a pattern that the line is fitted to.
	leastCases = 20
	// leastPrices is the least number of patterns that a line is fitted to.
	leastPrices = 8
	// farOff is the least distance in robust standard deviations of a price that is far from
	// the line.
	farOff = 2.5
)

// prices compares the prices of the patterns with their rarity among the wins.
func (p *datasetSums) prices(s *Summary) []PatternPrice {
	return fitPrices(p.Run.Ruleset.Family, p.Prices, func(id string) (cases, frequency float64) {
		f := s.Figure(Key{SectionPattern, "frequency", id})
		if f == nil {
			return 0, 0
		}
		return f.Sum, f.Value
	})
}

// fitPrices fits a line of prices against rarity to the patterns with enough cases, by the
// median of the slopes of all pairs (Theil, 1950; Sen, 1968), which is robust against outliers.
// Rarity is on a logarithmic scale, and so are prices, except han, which are logarithms already.
// It returns the patterns in descending order of their distance from the line, nil if they are
// too few.
func fitPrices(family string, prices []patternPrice, rarity func(id string) (cases, frequency float64)) []PatternPrice {
	scale, back, least := math.Log2, math.Exp2, 0.25
	if f := configs.FamilyNamed(family); f != nil && f.Traits.DoublingPrices {
		identity := func(x float64) float64 { return x }
		scale, back, least = identity, identity, 0.5
	}
	var list []PatternPrice
	var x, y []float64
	for _, price := range prices {
		cases, frequency := rarity(price.ID)
		if cases < leastCases {
			continue
		}
		list = append(list, PatternPrice{Pattern: price.ID, Price: price.Price, Cases: cases, Frequency: frequency})
		x, y = append(x, -math.Log2(frequency)), append(y, scale(float64(price.Price)))
	}
	if len(list) < leastPrices {
		return nil
	}
	slope, start := theilSen(x, y)
	var distances []float64
	for i := range list {
		distances = append(distances, math.Abs(y[i]-start-slope*x[i]))
	}
	// 1.4826 makes the median distance an estimate of the standard deviation of a normal
	// distribution. Prices are whole, so it is at least their rounding error.
	deviation := max(1.4826*median(distances), least)
	for i := range list {
		q := &list[i]
		line := start + slope*x[i]
		q.Line, q.Off = max(back(line), 0), (y[i]-line)/deviation
		if math.Abs(q.Off) < farOff || slope <= 0 {
			continue // if rarer patterns are not dearer, rarity suggests no price
		}
		if whole := min(max(int(math.Round(q.Line)), 1), prices[0].Max); whole != q.Price {
			q.Suggested = whole
		}
	}
	slices.SortStableFunc(list, func(a, b PatternPrice) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Off), math.Abs(a.Off)), cmp.Compare(a.Pattern, b.Pattern))
	})
	return list
}

// theilSen returns the slope of the line through points, which is the median of the slopes of
// all pairs, and its intercept, the median of the residuals.
func theilSen(x, y []float64) (slope, start float64) {
	var slopes, rest []float64
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	if len(slopes) > 0 {
		slope = median(slopes)
	}
	for i := range x {
		rest = append(rest, y[i]-slope*x[i])
	}
	return slope, median(rest)
}

// median returns the median; that of an even number of values is the mean of the middle two.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return stat.Mean([]float64{list[(n-1)/2], list[n/2]}, nil)
}
