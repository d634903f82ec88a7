package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
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

// readClusters returns the clusters of each luck-adjusted figure of an agent of a dataset.
func readClusters(t *testing.T, dir string, fast bool) (defs []definition, figures [][]cluster) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := newSource(dir, d, true)
	defer s.stop()
	if s.luck, err = matchluck.Measure(t.Context(), d, matchluck.Options{Fast: fast, Places: true, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	var at []int
	for i, def := range s.tally.defs {
		if def.isAdjusted() && def.Section == SectionAgent {
			at, defs, figures = append(at, i), append(defs, def), append(figures, nil)
		}
	}
	for {
		n, err := s.readCluster()
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return defs, figures
		}
		for k, i := range at {
			if c := (cluster{s.tally.y[i], s.tally.x[i], s.tally.l[i]}); c.x > 0 {
				figures[k] = append(figures[k], c)
			}
		}
	}
}

// TestSplits reads a dataset that SPARROWHALL_SPLITS names. It splits the clusters of each
// luck-adjusted figure of an agent into random halves, 2,000 times. In 93 to 97 % the interval of the
// difference of the halves contains zero, by Welch's method with the errors of the figures.
func TestSplits(t *testing.T) {
	dir := os.Getenv("SPARROWHALL_SPLITS")
	if dir == "" {
		t.Skip("SPARROWHALL_SPLITS names no dataset")
	}
	rng := rand.New(rand.NewPCG(50, 6))
	for _, fast := range []bool{true, false} {
		defs, figures := readClusters(t, dir, fast)
		for i, all := range figures {
			e, worth := adjusted(all)
			share := coverage(rng, all, 2000)
			t.Logf("fast %v, %s, %d clusters: %.1f [%.1f, %.1f], a match is worth %.2f; %.1f %% of splits",
				fast, defs[i].Key, len(all), e.Value, float64(e.Low), float64(e.High), worth, 100*share)
			if share < 0.93 || share > 0.97 {
				t.Errorf("%s: intervals cover in %.3f of the splits", defs[i].Key, share)
			}
		}
	}
}

// TestFewSets draws duplicate sets from tournaments whose figures are known. Luck-adjusted intervals
// hold them as often as they should at few sets and at many, and are at most a tenth wider than the
// coefficient that is best for all sets would make them.
func TestFewSets(t *testing.T) {
	type tournament struct {
		ruleset string
		rounds  uint64
		fast    bool
	}
	list, sizes, trials := []tournament{{"ema_2016", 50, true}}, []int{interval.LeastClusters, 16}, 500
	if long {
		list = []tournament{{"zung_jung", 300, true}, {"ema_2016", 300, true}, {"mcr_2006", 300, true}, {"ema_2016", 60, false}}
		sizes, trials = append(sizes, 30, 60, 200), 3000
	}
	slack := 3 * math.Sqrt(0.05*0.95/float64(trials))
	for _, c := range list {
		rules, err := configs.Open(c.ruleset)
		if err != nil {
			t.Fatal(err)
		}
		schedule, err := arena.New(arena.Plan{Seed: 7, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: 4, Rounds: c.rounds})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), c.ruleset)
		exporttest.Play(t, &dataset.Run{
			Ruleset: rules, Seed: 7, Matches: schedule.Matches(), Agents: []string{"value", "greedy"}, Record: schema.Matches,
			FileMatches: dataset.DefaultFileMatches, Tournament: &dataset.Tournament{Schedule: schedule},
		}, dir)
		defs, figures := readClusters(t, dir, c.fast)
		for i, all := range figures {
			var y, x, l float64
			for _, k := range all {
				y, x, l = y+k.y+k.l, x+k.x, l+k.l
			}
			// The mean luck of all sets is that of the samples, so it has to be 0.
			for j := range all {
				all[j].y += l / float64(len(all))
				all[j].l -= l / float64(len(all))
			}
			_, worth := adjusted(all)
			for _, n := range sizes {
				rng, truth := rand.New(rand.NewPCG(uint64(n), 50)), interval.Number(y/x)
				held, width, raw := 0, 0.0, 0.0
				for range trials {
					sample, plain := make([]cluster, n), newRatioSums(kindMean)
					for j := range sample {
						sample[j] = all[rng.IntN(len(all))]
						plain.add(sample[j].y+sample[j].l, sample[j].x)
					}
					e, _ := adjusted(sample)
					if e.Low <= truth && truth <= e.High {
						held++
					}
					width += float64(e.High - e.Low)
					raw += 2 * interval.StudentT(float64(n-1)) * plain.estimate(kindMean).Error
				}
				share := float64(held) / float64(trials)
				width *= math.Sqrt(worth) / raw
				t.Logf("| %s, fast %v | %s | %d | %.3f | %.2f |", c.ruleset, c.fast, defs[i].Key, n, share, width)
				if share < 0.94-slack || share > 0.96+slack {
					t.Errorf("%s, fast %v, %s, %d sets: intervals hold in %.3f of the samples", c.ruleset, c.fast, defs[i].Key, n, share)
				}
				if width > 1.1 {
					t.Errorf("%s, fast %v, %s, %d sets: intervals are %.2f times as wide as by the best coefficient", c.ruleset, c.fast, defs[i].Key, n, width)
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
