package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestShare compares with tables of Clopper and Pearson's interval.
func TestShare(t *testing.T) {
	for _, c := range []struct{ count, n, low, high float64 }{
		{0, 10, 0, 0.3085},
		{10, 10, 0.6915, 1},
		{10, 100, 0.0490, 0.1762},
		{1, 2, 0.0126, 0.9874},
		{0, 1000, 0, 0.003682},
		{0, 0, 0, 1},
	} {
		share := 0.0
		if c.n > 0 {
			share = c.count / c.n
		}
		if low, high := Share(share, c.n); math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%v of %v: [%v, %v], want [%v, %v]", c.count, c.n, low, high, c.low, c.high)
		}
	}
	// Of very many cases it is the normal one.
	low, high := Share(0.25, 1e8)
	half := Normal * math.Sqrt(0.25*0.75/1e8)
	if math.Abs(low-0.25+half) > 1e-7 || math.Abs(high-0.25-half) > 1e-7 {
		t.Errorf("[%v, %v], want 0.25 ± %v", low, high, half)
	}
}

// TestEffective holds that the number of independent cases is found again.
func TestEffective(t *testing.T) {
	if n := Effective(0.2, math.Sqrt(0.2*0.8/500), 1e9); math.Abs(n-500) > 0.01 {
		t.Errorf("%v cases, want 500", n)
	}
	if n := Effective(0.2, math.Sqrt(0.2*0.8/500), 9); math.Abs(n-500*1.96*1.96/(2.2622*2.2622)) > 0.1 {
		t.Errorf("%v cases with 9 degrees of freedom", n)
	}
}

// TestClear holds that a test and its interval are of the same mind, and that the
// interval covers the mean of few events.
func TestClear(t *testing.T) {
	for _, variance := range []float64{0, 0.3, 4, 100} {
		for _, z := range []float64{0.5, 1.96, 5} {
			if got := Clear(Half(z, variance, 2), variance, 2); math.Abs(got-z) > 1e-9 {
				t.Errorf("variance %v: %v deviations, want %v", variance, got, z)
			}
		}
	}
	if got := Clear(3, 4, 0); got != 1.5 {
		t.Errorf("without events %v", got)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, mean := range []float64{0.1, 0.5, 1, 2, 2.7, 4, 8, 20} {
		const trials = 4000
		held := 0
		draw := distuv.Poisson{Lambda: mean, Src: r}
		for range trials {
			if n := draw.Rand(); math.Abs(n-mean) <= Half(Normal, n, 1) {
				held++
			}
		}
		if share := float64(held) / trials; share < 0.92 {
			t.Errorf("of %v events in the mean: covered in %.3f of the cases", mean, share)
		}
	}
}

// TestSkewed holds that the correction vanishes with the skewness, mirrors with its
// sign, and lets intervals of skewed cases cover their mean.
func TestSkewed(t *testing.T) {
	if below, above := Skewed(2, 1e-5, 100); math.Abs(below-2) > 1e-4 || math.Abs(above-2) > 1e-4 {
		t.Errorf("almost symmetric: %v, %v", below, above)
	}
	below, above := Skewed(2, 1.5, 40)
	if b, a := Skewed(2, -1.5, 40); math.Abs(b-above) > 1e-12 || math.Abs(a-below) > 1e-12 || above < 1.1*below {
		t.Errorf("%v, %v; mirrored %v, %v", below, above, b, a)
	}
	const trials, n = 4000, 40
	r := rand.New(rand.NewPCG(1, 1))
	held, plain := 0, 0
	for range trials {
		var sum, squares, third float64
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Exp(r.NormFloat64())
			sum += x[i] / n
		}
		for _, v := range x {
			squares += (v - sum) * (v - sum) / n
			third += (v - sum) * (v - sum) * (v - sum) / n
		}
		err := math.Sqrt(squares / (n - 1))
		below, above := Skewed(StudentT(n-1), third/math.Pow(squares, 1.5), n)
		truth := math.Exp(0.5)
		if sum-below*err <= truth && truth <= sum+above*err {
			held++
		}
		if math.Abs(sum-truth) <= StudentT(n-1)*err {
			plain++
		}
	}
	if held < plain+trials/50 || float64(held)/trials < 0.9 {
		t.Errorf("covered in %d of %d cases, without correction in %d", held, trials, plain)
	}
}
