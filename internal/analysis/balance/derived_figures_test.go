package balance

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/testkit/exporttest"
)

// TestCoverage draws samples of matches from many that were played, and counts how often
// the intervals of the figures by a jackknife hold what is true of all of them. With -v it
// prints rows of the table of docs/research/measurements.md.
func TestCoverage(t *testing.T) {
	matches, trials, size := uint64(256), 50, 200
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches, trials, size = 8192, 1000, 500
	}
	rules, err := configs.Change("ema_2016", nil)
	if err != nil {
		t.Fatal(err)
	}
	run := &dataset.Run{Ruleset: rules, Seed: 11, Matches: matches, Agents: []string{"value", "greedy", "value", "greedy"}, Record: schema.Hands, FileMatches: dataset.DefaultFileMatches}
	d := exporttest.Open(t, run)
	each := make([]sums, matches)
	for i := range each {
		each[i] = newSums(4)
	}
	if err := gather(d, func(match uint64) *sums { return &each[match] }); err != nil {
		t.Fatal(err)
	}
	whole := newSums(4)
	for i := range each {
		whole.add(&each[i], 1)
	}
	truth := whole.figures()
	var held [numDerived]int
	var names [numDerived]string
	r := rand.New(rand.NewPCG(4, 9))
	for range trials {
		var parts [groups]sums
		for i := range parts {
			parts[i] = newSums(4)
		}
		for i := range size {
			parts[i%groups].add(&each[r.IntN(len(each))], 1)
		}
		list := jackknife(&parts)
		if len(list) != numDerived {
			t.Fatalf("%d figures, want %d", len(list), numDerived)
		}
		for i := range list {
			f := &list[i]
			names[i] = f.Name
			if float64(f.Low) <= truth[i] && truth[i] <= float64(f.High) {
				held[i]++
			}
		}
	}
	for i, n := range held {
		share := float64(n) / float64(trials)
		t.Logf("%s, in truth %.4g: %.3f", names[i], truth[i], share)
		if slack := 3 * math.Sqrt(0.07*0.93/float64(trials)); share < 0.93-slack {
			t.Errorf("the interval of %s holds the truth in %.3f of the samples", names[i], share)
		}
	}
}
