package review

import (
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sampleSize returns one number for short tests and another for long ones.
func sampleSize(short, long int) int {
	if os.Getenv("SPARROWHALL_LONG") != "" {
		return long
	}
	return short
}

// populations returns the costs of decisions of a match, over many more deals than a review has.
var populations = sync.OnceValues(func() (list [][]float64, err error) {
	r, err := configs.LoadWith("ema_2016", nil)
	if err != nil {
		return nil, err
	}
	newPlayer := func(name string) func() sim.Agent {
		f, err := agents.New(name)
		if err != nil {
			panic(err)
		}
		return f
	}
	var four [sim.NumPlayers]sim.Agent
	for p := range four {
		four[p] = newPlayer("greedy")()
	}
	m := sim.Match{Seed: 8, Keep: sim.KeepChoices}
	m.Play(r, &four)
	o := Options{NewJudge: newPlayer("value"), Players: 1<<sim.NumPlayers - 1}
	all, _, err := differences(r, &m, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(3, 6))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range all[:min(sampleSize(6, 20), len(all))] {
		p := rollouts{judge: o.NewJudge(), deals: sampleSize(400, 2000), unit: float64(r.Unit())}
		if err := p.deal(&all[i], p.deals, reviewStream); err != nil {
			return nil, err
		}
		list = append(list, p.costs)
	}
	return list, nil
})

// draw returns costs of a population as the deals of a review draw them, 100 by default.
func draw(rng *rand.Rand, population []float64, deals int) []float64 {
	costs := make([]float64, deals)
	for j := range costs {
		costs[j] = population[rng.IntN(len(population))]
	}
	return costs
}

// TestCoverage deals the unseen tiles of decisions anew very often, draws samples of as many
// deals as a review has, and counts how often the intervals of costs hold the mean of all.
// With -v it prints a row of the table of docs/research/measurements.md.
func TestCoverage(t *testing.T) {
	list, err := populations()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 6))
	trials := sampleSize(200, 1000)
	held, n, worst := 0, 0, 1.0
	for _, population := range list {
		truth := costOf(population).Cost
		ok := 0
		for range trials {
			if x := costOf(draw(rng, population, 100)); x.Low <= truth && truth <= x.High {
				ok++
			}
		}
		held += ok
		n += trials
		worst = min(worst, float64(ok)/float64(trials))
		t.Logf("cost %.0f: %.3f", float64(truth), float64(ok)/float64(trials))
	}
	mean := float64(held) / float64(n)
	t.Logf("%d decisions: the intervals hold the cost in %.3f of the samples, the worst in %.3f", n/trials, mean, worst)
	if slack := 2 * math.Sqrt(0.07*0.93/float64(trials)); mean < 0.93-slack/math.Sqrt(float64(n/trials)) || worst < 0.9-slack {
		t.Errorf("the intervals hold the cost in %.3f of the samples, the worst in %.3f", mean, worst)
	}
}
