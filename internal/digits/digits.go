// Package digits writes numbers with as many decimals as their standard errors
// support, by the rounding rule of the Particle Data Group (Review of particle
// physics, section 5.3):
//
//	text := digits.Fixed(mean, digits.Places(err))
package digits

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Places returns how many decimals show a standard error with one digit, or with two
// where its first digits are below 355. Without an error it returns 2.
func Places(err float64) int {
	if err <= 0 || math.IsNaN(err) || math.IsInf(err, 0) {
		return 2
	}
	size := math.Floor(math.Log10(err))
	places := -int(size)
	if err < 3.55*math.Pow(10, size) {
		places++
	}
	return min(max(places, 0), 6)
}

// OfPoints returns the number of decimals of points. Where a match begins with thousands,
// hundredths of a point are noise.
func OfPoints(starting int) int {
	if starting < 1000 {
		return 2
	}
	return 0
}

// Fixed writes x with some decimals, and -0 as 0.
func Fixed(x float64, places int) string {
	s := strconv.FormatFloat(x, 'f', places, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Signed is Fixed with a plus sign before numbers above zero.
func Signed(x float64, places int) string {
	s := Fixed(x, places)
	if x > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// Interval writes a figure with its interval from low to high.
func Interval(value, low, high float64, places int) string {
	return Fixed(value, places) + " [" + Fixed(low, places) + ", " + Fixed(high, places) + "]"
}

// Exact writes a number that has no error, such as a value of a knob, with at most six
// decimals.
func Exact(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6+0, 'f', -1, 64) // no -0
}

// Significant writes an estimate that has no interval, with three significant digits. Digits
// before the decimal point are all kept.
func Significant(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return Exact(x)
	}
	places := max(0, 2-int(math.Floor(math.Log10(math.Abs(x)))))
	scale := math.Pow(10, float64(min(places, 12)))
	return strconv.FormatFloat(math.Round(x*scale)/scale+0, 'f', -1, 64)
}

// Share writes a share of 1 in percent with three significant digits, and at most four
// decimals.
func Share(x float64) string {
	if x == 0 {
		return "0 %"
	}
	places := max(0, 2-int(math.Floor(math.Log10(100*x))))
	return Fixed(100*x, min(places, 4)) + " %"
}

// NiceStep returns the smallest 1, 2 or 5 times a power of ten that is not below w,
// which is above 0.
func NiceStep(w float64) float64 {
	size := math.Pow(10, math.Floor(math.Log10(w)))
	for _, n := range [...]float64{1, 2, 5} {
		if n*size >= w {
			return n * size
		}
	}
	return 10 * size
}

// NestedStep returns the smallest of 1, 2, 10, 20, 100, 200 and so on that is not below w. Each
// divides the next, so bars of one width make up whole bars of any larger one.
func NestedStep(w float64) float64 {
	step := 1.0
	for n := 0; step < w; n++ {
		step *= [...]float64{2, 5}[n%2]
	}
	return step
}

// Count writes a number of things: "1 match", "2 matches". Thing is a noun whose plural ends
// in s.
func Count[T ~int | ~int32 | ~int64 | ~uint64](n T, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "ch"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
