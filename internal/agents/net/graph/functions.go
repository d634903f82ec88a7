package graph

import "math"

// The functions of package math differ between processors, some of which have instructions for
// them. These use basic arithmetic alone, in float64, each product rounded before it is added.

// exp returns e to the power x, with a relative error below 1e-14.
func exp(x float64) float64 {
	// ln2 in two parts, the first with zeros at its end: multiples of it are exact.
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	switch {
	case x != x:
		return x
	case x > 700:
		return math.Inf(1) // of float32
	case x < -700:
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*high) - float64(k*low)
	// The Taylor series: |r| is below 0.35.
	sum := 1.0
	for n := 13.0; n > 0; n-- {
		sum = 1 + float64(sum*r/n)
	}
	return sum * math.Float64frombits(uint64(int64(k)+1023)<<52)
}

// log returns the natural logarithm of x.
func log(x float64) float64 {
	switch {
	case !(x > 0):
		if x == 0 {
			return math.Inf(-1)
		}
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	}
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = 2*fraction, exponent-1
	}
	// 2 artanh(s), whose series has odd powers alone: |s| is below 0.172.
	s := (fraction - 1) / (fraction + 1)
	square, sum := s*s, 0.0
	for n := 21.0; n > 0; n -= 2 {
		sum = 1/n + float64(sum*square)
	}
	return float64(2*s*sum) + float64(float64(exponent)*math.Ln2)
}

func tanh(x float32) float32 {
	e := exp(2 * float64(x))
	if math.IsInf(e, 1) {
		return 1
	}
	return float32((e - 1) / (e + 1))
}

func sigmoid(x float32) float32 { return float32(1 / (1 + exp(-float64(x)))) }

// erf returns the error function with an error below 1.5e-7: Abramowitz and Stegun, Handbook of
// Mathematical Functions, 7.1.26.
func erf(x float32) float32 {
	a := math.Abs(float64(x))
	t := 1 / (1 + float64(0.3275911*a))
	sum := 1.061405429
	for _, c := range [...]float64{-1.453152027, 1.421413741, -0.284496736, 0.254829592} {
		sum = c + float64(sum*t)
	}
	y := 1 - float64(sum*t*exp(-a*a))
	return float32(math.Copysign(y, float64(x)))
}
