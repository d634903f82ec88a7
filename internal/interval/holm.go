package interval

import (
	"cmp"
	"slices"
)

// Holm returns p-values corrected for their number, so that the probability of any false one below
// a level is at most that level. A larger weight makes one easier to find, at the expense of the
// others; equal weights are the usual method. Source: Holm, A simple sequentially rejective
// multiple test procedure, 1979.
func Holm(p, weights []float64) []float64 {
	order, total := make([]int, len(p)), 0.0
	for i := range p {
		order[i] = i
		total += weights[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a]/weights[a], p[b]/weights[b]) })
	adjusted, least := make([]float64, len(p)), 0.0
	for _, i := range order {
		least = max(least, min(1, p[i]*max(1, total/weights[i])))
		adjusted[i] = least
		total -= weights[i]
	}
	return adjusted
}
