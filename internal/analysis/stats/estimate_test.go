package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

func near(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if !(math.Abs(got-want) <= off) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, off)
	}
}

// TestRatio compares with figures worked out by hand.
func TestRatio(t *testing.T) {
	var s ratioSums
	for _, c := range [][2]float64{{2, 4}, {5, 5}, {0, 0}, {2, 6}} {
		s.add(c[0], c[1])
	}
	e := s.estimate(kindMean)
	near(t, "ratio", e.Value, 9.0/15, 1e-12)
	// The residuals are 2-2.4, 5-3 and 2-3.6; the cluster without cases does not
	// count.
	near(t, "standard error", e.Error, math.Sqrt(3.0/2*(0.16+4+2.56))/15, 1e-12)
	if e.High.Known() {
		t.Errorf("a mean of three clusters has an interval: %+v", e)
	}
	if e.Clusters != 3 || e.Count != 15 || e.Sum != 9 {
		t.Errorf("estimate %+v", e)
	}
}

func TestNothingToSay(t *testing.T) {
	var none, one, same ratioSums
	one.add(3, 4)
	for range 5 {
		same.add(2, 1)
	}
	for name, s := range map[string]*ratioSums{"no case": &none, "one cluster": &one, "all the same": &same} {
		if e := s.estimate(kindMean); e.Low.Known() || e.High.Known() {
			t.Errorf("%s: interval [%v, %v]", name, e.Low, e.High)
		}
	}
	text, err := json.Marshal(none.estimate(kindShare))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"value":0,"sum":0,"count":0,"error":0,"low":null,"high":null,"clusters":0}`; string(text) != want {
		t.Errorf("as JSON %s, want %s", text, want)
	}
}

// TestShareFixed holds that a share that is the same in all clusters, such as that
// of the matches won by an agent that plays for all, has no interval.
func TestShareFixed(t *testing.T) {
	var s ratioSums
	for range 100 {
		s.add(1, 4)
	}
	if e := s.estimate(kindShare); e.Value != 0.25 || e.Low.Known() || e.High.Known() {
		t.Errorf("estimate %+v", e)
	}
}

// TestRounding holds that what does not vary but for rounding has no interval.
func TestRounding(t *testing.T) {
	var s ratioSums
	for i := range 1000 {
		s.add(0.1*float64(i), float64(i))
	}
	if e := s.estimate(kindMean); e.Error != 0 || e.Low.Known() {
		t.Errorf("estimate %+v", e)
	}
}

// TestConstant holds that a difference of what does not vary is clear only where
// there are many clusters.
func TestConstant(t *testing.T) {
	for n, want := range map[int]float64{2: 0.5, 11: 1.0 / 1024} {
		var a, b ratioSums
		var j crossSums
		for range n {
			a.add(32000, 1)
			b.add(48000, 1)
			j.add(32000, 1, 48000, 1)
		}
		for _, together := range []*crossSums{nil, &j} {
			if d := difference(&a, &b, together, kindMean); d.Value != 16000 || float64(d.P) != want || d.Low.Known() {
				t.Errorf("%d clusters: %+v", n, d)
			}
		}
		if d := difference(&a, &a, nil, kindMean); d.P != 1 {
			t.Errorf("the same differs with probability %v", d.P)
		}
	}
}

// TestShareNever holds that a share of no cases among many has an interval.
func TestShareNever(t *testing.T) {
	var s ratioSums
	for range 100 {
		s.add(0, 1)
	}
	e := s.estimate(kindShare)
	near(t, "lower end", float64(e.Low), 0, 1e-12)
	near(t, "upper end", float64(e.High), 0.0362, 0.0001) // 1 - 0.025^(1/100)
}

// TestCoverage draws clusters whose cases depend on each other and counts how
// often the interval holds the truth. Taking the cases as independent would cover
// it in about two thirds of the trials.
func TestCoverage(t *testing.T) {
	const trials, clusters, p = 2000, 200, 0.3
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []kind{kindMean, kindShare} {
		held, naive := 0, 0
		for range trials {
			var s ratioSums
			for range clusters {
				// A cluster has 1 to 12 cases; half of them say the same.
				n := 1 + r.IntN(12)
				y, common := 0, r.Float64() < p
				for range n {
					if is := r.Float64() < p; r.IntN(2) == 0 && common || r.IntN(2) == 0 && is {
						y++
					}
				}
				s.add(float64(y), float64(n))
			}
			// In the mean (1/2)p + (1 - p/2)(1/2)p of the cases are.
			truth := p/2 + (1-p/2)*p/2
			e := s.estimate(k)
			if float64(e.Low) <= truth && truth <= float64(e.High) {
				held++
			}
			if low, high := interval.Share(e.Value, e.Count); low <= truth && truth <= high {
				naive++
			}
		}
		near(t, "coverage", float64(held)/trials, interval.Confidence, 0.02)
		if float64(naive)/trials > 0.9 {
			t.Errorf("the clusters make no difference: %d of %d", naive, trials)
		}
	}
}

// TestPairs holds that the difference of two figures of the same clusters is the
// mean of the differences, with its error.
func TestPairs(t *testing.T) {
	var a, b, d ratioSums
	var j crossSums
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		luck := r.NormFloat64()
		y1, y2 := luck, luck+0.01+0.1*r.NormFloat64()
		a.add(y1, 1)
		b.add(y2, 1)
		d.add(y2-y1, 1)
		j.add(y1, 1, y2, 1)
	}
	paired, alone, want := difference(&a, &b, &j, kindMean), difference(&a, &b, nil, kindMean), d.estimate(kindMean)
	near(t, "difference", paired.Value, want.Value, 1e-12)
	near(t, "error", paired.Error, want.Error, 1e-9)
	// Allowing for an unseen event widens the interval by a five-hundredth.
	near(t, "lower end", float64(paired.Low), float64(want.Low), 0.005*want.Error)
	if alone.Error < 10*paired.Error {
		t.Errorf("errors %v alone, %v in pairs", alone.Error, paired.Error)
	}
}

// TestWelch compares with the textbook's formula on figures worked out by hand.
func TestWelch(t *testing.T) {
	var a, b ratioSums
	for _, y := range []float64{1, 2, 3, 4, 5} {
		a.add(y, 1)
	}
	for _, y := range []float64{4, 8, 6, 10} {
		b.add(y, 1)
	}
	d := difference(&a, &b, nil, kindMean)
	// Means 3 and 7, variances of the means 0.5 and 5/3; 2.1667² / (0.5²/4 +
	// (5/3)²/3) = 4.7494 degrees of freedom.
	near(t, "difference", d.Value, 4, 1e-12)
	near(t, "error", d.Error, math.Sqrt(0.5+5.0/3), 1e-12)
	if d.Low.Known() {
		t.Errorf("the difference of few clusters has an interval: %+v", d)
	}
	near(t, "probability", float64(d.P), 0.0444, 0.0005)
}

// TestHolm is the example of four tests with two that stand.
func TestHolm(t *testing.T) {
	list := make([]*Difference, 5)
	for i, p := range []interval.Number{0.01, 0.04, interval.Missing, 0.03, 0.005} {
		list[i] = &Difference{P: p, Adjusted: interval.Missing}
	}
	Adjust(list)
	for i, want := range []float64{0.03, 0.06, math.NaN(), 0.06, 0.02} {
		if math.IsNaN(want) != !list[i].Adjusted.Known() {
			t.Errorf("%d: %v, want %v", i, list[i].Adjusted, want)
		} else if !math.IsNaN(want) {
			near(t, "corrected", float64(list[i].Adjusted), want, 1e-12)
		}
	}
}

func TestDistribution(t *testing.T) {
	d := distribution{}
	for v := int32(1); v <= 1000; v++ {
		d[2*v]++ // half points
	}
	s := d.summary("x", "x", Points, 2)
	if s.Count != 1000 {
		t.Errorf("%d cases", s.Count)
	}
	near(t, "median", s.Quantiles[2].Value, 500, 1)
	near(t, "its lower end", s.Quantiles[2].Low, 500-1.96*math.Sqrt(250), 2)
	var n uint64
	for _, b := range s.Bars {
		n += b.Count
		if b.Low > b.Share || b.Share > b.High {
			t.Errorf("bar %+v", b)
		}
	}
	if n != s.Count {
		t.Errorf("%d cases in the bars", n)
	}
	if len(s.Bars) > maxBars+2 {
		t.Errorf("%d bars", len(s.Bars))
	}
}

func TestTexts(t *testing.T) {
	e := Estimate{Value: 0.123456, Error: 0.001, Low: 0.1214, High: 0.1255, Count: 10}
	for got, want := range map[string]string{
		e.Text(Share):             "12.35% [12.14, 12.55]",
		e.Text(Points):            "0.1235 [0.1214, 0.1255]",
		(&Estimate{}).Text(Share): "-",
		(&Estimate{Value: 2, Count: 3, Low: interval.Missing, High: interval.Missing}).Text(Points): "2",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for e, want := range map[float64]string{0.0034: "0.1235", 0.0036: "0.123", 340: "0", 0: "0.12"} {
		if got := digits.Fixed(0.12346, digits.Places(e)); got != want {
			t.Errorf("with an error of %v %s, want %s", e, got, want)
		}
	}
	d := Difference{Value: -0.02, Error: 0.005, Low: -0.03, High: -0.01, P: 0.0001, Adjusted: 0.01}
	if got, want := d.Text(Share), "-2.0 pp [-3.0, -1.0] *"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No interval of a share holds a value below 0 or above 1, whatever it is the interval of.
func TestPossibleShares(t *testing.T) {
	k := Key{SectionHand, "won", ""}
	results := func(value, difference float64) *Results {
		base := Figure{Key: k, Meaning: Meaning{Unit: Share}, Estimate: Estimate{Value: value, Error: 0.004, Count: 1000, Clusters: 100}}
		d := Difference{Value: difference, Error: 0.0055, Low: interval.Number(difference - 0.011), High: interval.Number(difference + 0.011)}
		return &Results{
			Datasets:    []Summary{{Figures: []Figure{base}}, {Changes: []Change{{Knob: "x", From: "1", To: "2"}}}},
			Comparisons: []Comparison{{Key: k, Dataset: 1, Difference: d}},
		}
	}
	for _, c := range [][2]float64{{0.985, 0.005}, {0.985, 0.015}, {0.01, -0.006}, {0.01, -0.01}} {
		p, ok := results(c[0], c[1]).curvePoint(1, "x", k)
		if !ok || !(p.Low >= 0 && p.High <= 1 && float64(p.Low) <= p.Value+1e-12 && float64(p.High) >= p.Value-1e-12 && p.Low < p.High) {
			t.Errorf("%v: %v [%v, %v]", c, p.Value, p.Low, p.High)
		}
	}
	if low, high := clip(-0.2), clip(1.001); low != 0 || high != 1 {
		t.Errorf("clipped to %v and %v", low, high)
	}
	// Without an interval a figure has three digits.
	for want, value := range map[string]float64{"39.2": 39.166667, "33007": 33007, "0.0123": 0.0123456, "-5.68": -5.6789} {
		e := Estimate{Value: value, Count: 3, Low: interval.Missing, High: interval.Missing}
		if got := e.Text(Points); got != want {
			t.Errorf("%v is written %s, want %s", value, got, want)
		}
	}
}
