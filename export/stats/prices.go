package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sparrowhall/sparrowhall/configs"
)

// patternPrice is what a ruleset gives for a pattern in a closed hand, and the most that
// it could give.
type patternPrice struct {
	ID    string `json:"id"`
	Price int    `json:"price"`
	Max   int    `json:"max"`
}

// pricesOf returns the prices of the patterns of a ruleset that are counted in the unit
// of most of them: a limit hand, counted in multiples of the limit, is not among them,
// nor is a pattern whose price another knob gives or that does not exist.
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

// PatternPrice sets the price of a pattern beside how rare it is: among the wins, or
// among what players are offered.
type PatternPrice struct {
	Pattern string `json:"pattern"`
	// Price is what a closed hand gets for it.
	Price int `json:"price"`
	// Cases is how many wins hold it, or in how many hands players were offered it,
	// Frequency their share.
	Cases     float64 `json:"cases"`
	Frequency float64 `json:"frequency"`
	// Line is the price that patterns as rare as this one have.
	Line float64 `json:"line"`
	// Off is how far the price is from the line, in robust deviations of all patterns;
	// above 0 it is dearer than the others.
	Off float64 `json:"off"`
	// Suggested is the whole price nearest to the line for a pattern that is far from
	// it, 0 for the others, and for all where rarer patterns are not dearer.
	Suggested int `json:"suggested,omitempty"`
}

const (
	// leastCases is how many wins must hold a pattern to say how rare it is, or how many
	// hands of players must offer it.
	leastCases = 20
	// leastPrices is how many patterns a line needs.
	leastPrices = 8
	// farOff is from how many robust deviations on a price is called far from the line.
	farOff = 2.5
)

// prices returns the prices of the patterns beside how rare they are among the wins.
func (p *datasetSums) prices(s *Summary) []PatternPrice {
	return fitPrices(p.Run.Ruleset.Family, p.Prices, func(id string) (cases, frequency float64) {
		f := s.Figure(Key{SectionPattern, "frequency", id})
		if f == nil {
			return 0, 0
		}
		return f.Sum, f.Value
	})
}

// fitPrices fits the line of prices against rarity through the patterns that have enough
// cases: the median of the slopes of all pairs (Theil, 1950; Sen, 1968), which a few that
// are far off do not bend. A han doubles a hand and is a logarithm already; other prices
// are taken by theirs, as is rarity. It returns the patterns in the order of how far off
// they are, nil where there are too few.
func fitPrices(family string, prices []patternPrice, rarity func(id string) (cases, frequency float64)) []PatternPrice {
	scale, back, least := math.Log2, math.Exp2, 0.25
	if f := configs.FamilyNamed(family); f != nil && f.Traits.DoublingPrices {
		same := func(x float64) float64 { return x }
		scale, back, least = same, same, 0.5
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
	// The deviation of a normal distribution by the median of the distances.
	// Prices are whole, so that it is not less than their rounding.
	deviation := max(1.4826*median(distances), least)
	for i := range list {
		q := &list[i]
		line := start + slope*x[i]
		q.Line, q.Off = max(back(line), 0), (y[i]-line)/deviation
		if math.Abs(q.Off) < farOff || slope <= 0 {
			continue // where what is rare is not dear, no price follows from rarity
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

// theilSen returns the slope of a line through points, the median of those of all pairs,
// and its height at 0, the median of what is left.
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

// median returns the median, of an even number the mean of the two in the middle.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return stat.Mean([]float64{list[(n-1)/2], list[n/2]}, nil)
}
