package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/interval"
)

// cluster is what a cluster adds to a luck-adjusted figure: a luck-adjusted amount y, of x cases,
// and the luck l.
type cluster struct{ y, x, l float64 }

// adjusted returns a luck-adjusted figure of some clusters, and what a match is worth.
func adjusted(list []cluster) (e Estimate, worth float64) {
	s, c := newRatioSums(kindMean), controlSums{}
	for i, k := range list {
		s.add(k.y+k.l, k.x)
		c.add(uint64(i), k.y, k.x, k.l)
	}
	worth, _, _ = c.worth()
	return c.estimate(s.estimate(kindMean)), worth
}

// TestSplits reads a dataset that SPARROWHALL_SPLITS names. It splits the clusters of each
// luck-adjusted figure of an agent into random halves, 2,000 times. In 93 to 97 % the interval of the
// difference of the halves contains zero, by Welch's method with the errors of the figures.
func TestSplits(t *testing.T) {
	dir := os.Getenv("SPARROWHALL_SPLITS")
	if dir == "" {
		t.Skip("SPARROWHALL_SPLITS names no dataset")
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const trials = 2000
	for _, fast := range []bool{true, false} {
		s := newSource(dir, d, true)
		defer s.stop()
		if s.luck, err = matchluck.Measure(t.Context(), d, matchluck.Options{Fast: fast, Places: true, Workers: 2}); err != nil {
			t.Fatal(err)
		}
		figures := make([][]cluster, len(s.tally.defs))
		for {
			n, err := s.readCluster()
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			for i := range figures {
				if k := (cluster{s.tally.y[i], s.tally.x[i], s.tally.l[i]}); k.x > 0 {
					figures[i] = append(figures[i], k)
				}
			}
		}
		rng := rand.New(rand.NewPCG(50, 6))
		for i, def := range s.tally.defs {
			if all := figures[i]; def.isAdjusted() && def.Section == SectionAgent {
				e, worth := adjusted(all)
				share := coverage(rng, all, trials)
				t.Logf("fast %v, %s, %d clusters: %.1f [%.1f, %.1f], a match is worth %.2f; %.1f %% of splits",
					fast, def.Key, len(all), e.Value, float64(e.Low), float64(e.High), worth, 100*share)
				if share < 0.93 || share > 0.97 {
					t.Errorf("%s: intervals cover in %.3f of the splits", def.Key, share)
				}
			}
		}
	}
}

// coverage returns the share of random halves whose difference is within its interval.
func coverage(rng *rand.Rand, all []cluster, trials int) float64 {
	held := 0
	for range trials {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		a, _ := adjusted(all[:len(all)/2])
		b, _ := adjusted(all[len(all)/2:])
		va, vb := a.Error*a.Error, b.Error*b.Error
		freedom := (va + vb) * (va + vb) / (va*va/float64(a.Clusters-1) + vb*vb/float64(b.Clusters-1))
		if math.Abs(a.Value-b.Value) <= interval.StudentT(freedom)*math.Sqrt(va+vb) {
			held++
		}
	}
	return float64(held) / float64(trials)
}
