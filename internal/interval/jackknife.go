package interval

import "math"

// Jackknife returns the standard error of a statistic, given its values with each group of
// cases left out. Source: Miller, The jackknife: a review, 1974.
func Jackknife(without []float64) float64 {
	n, mean, squares := float64(len(without)), 0.0, 0.0
	for _, x := range without {
		mean += x / n
	}
	for _, x := range without {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares * (n - 1) / n)
}
