package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// A luck-adjusted figure is unbiased, covers, and is never wider than the raw one by more
// than a hundredth, whether luck explains most of a result, half of it or nothing.
func TestControlVariate(t *testing.T) {
	const truth = 3.0
	trials := 600
	if long {
		trials = 2000
	}
	for _, n := range []int{100, 400} {
		// part is how much of the luck reaches the result; at 0 plain subtraction would
		// make the interval wider by the half and more.
		for _, part := range []float64{1, 0.5, 0} {
			rng := rand.New(rand.NewPCG(uint64(n), 9))
			covered, width, raw, mean := 0, 0.0, 0.0, 0.0
			for range trials {
				s, c := newRatioSums(kindMean), &controlSums{}
				for i := range n {
					luck, noise := 1.5*(rng.ExpFloat64()-1), rng.ExpFloat64()-1
					x := float64(1 + i%2)
					y := truth*x + part*luck + noise
					s.add(y, x)
					c.add(uint64(i), y-luck, x, luck)
				}
				plain := s.estimate(kindMean)
				e := c.estimate(plain)
				mean += e.Value / float64(trials)
				width += float64(e.High - e.Low)
				raw += float64(plain.High - plain.Low)
				if e.Low <= truth && truth <= e.High {
					covered++
				}
			}
			if share := float64(covered) / float64(trials); share < 0.93 || share > 0.97 {
				t.Errorf("%d matches, part %v: intervals cover in %.3f of the trials", n, part, share)
			}
			if width > 1.01*raw || part == 1 && width > 0.6*raw {
				t.Errorf("%d matches, part %v: width is %.4f of the raw one", n, part, width/raw)
			}
			near(t, "mean", mean, truth, 0.02)
		}
	}
}

// A result that is the same in all clusters but for rounding has no interval.
func TestControlVariateOfOneResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 11))
	for _, n := range []int{20, 100} {
		for _, result := range []float64{0, 35} {
			s, c := newRatioSums(kindMean), &controlSums{}
			for i := range n {
				y, luck := result+1e-16*rng.NormFloat64(), 1e-16*rng.NormFloat64()
				s.add(y, 1)
				c.add(uint64(i), y-luck, 1, luck)
			}
			e := c.estimate(s.estimate(kindMean))
			if near(t, "value", e.Value, result, 1e-12); e.Low.Known() {
				t.Errorf("%d clusters: %v [%v, %v]", n, e.Value, e.Low, e.High)
			}
		}
	}
}

// Folds that are merged, or written and read, give the same figure, and the worth of a
// match is the ratio of the variances.
func TestControlVariateFolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	var whole, first, second controlSums
	for i := range uint64(4000) {
		luck := rng.NormFloat64()
		less := 0.5 * rng.NormFloat64()
		whole.add(i, less, 1, luck)
		if i < 1000 {
			first.add(i, less, 1, luck)
		} else {
			second.add(i, less, 1, luck)
		}
	}
	text, err := json.Marshal(&second)
	if err != nil {
		t.Fatal(err)
	}
	var read controlSums
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if first.merge(&read); first != whole {
		t.Error("merged folds differ")
	}
	worth, low, high := whole.worth()
	if near(t, "worth", worth, 5, 0.4); !(low < interval.Number(worth) && interval.Number(worth) < high && low < 5 && high > 5) || math.Log(float64(high/low)) > 0.4 {
		t.Errorf("worth %.2f [%.2f, %.2f]", worth, low, high)
	}
}
