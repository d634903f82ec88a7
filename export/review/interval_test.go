package review

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestCoverage deals the unseen tiles of decisions anew very often, draws samples of as many
// deals as a review has, and counts how often the intervals of costs hold the mean of all.
// With -v it prints a row of the table of docs/reports.md.
func TestCoverage(t *testing.T) {
	decisions, population, trials := 6, 400, 200
	if os.Getenv("SPARROWHALL_LONG") != "" {
		decisions, population, trials = 20, 2000, 1000
	}
	r, err := configs.With("ema_2016", nil)
	if err != nil {
		t.Fatal(err)
	}
	newPlayer := func(name string) func() sim.Agent {
		f, err := agents.New(name)
		if err != nil {
			t.Fatal(err)
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
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 6))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	held, n, worst := 0, 0, 1.0
	for i := range all[:min(decisions, len(all))] {
		d := &all[i]
		p := rollouts{judge: o.NewJudge(), deals: population, unit: float64(r.Unit())}
		if err := p.judgeAt(d); err != nil {
			t.Fatal(err)
		}
		truth := d.Cost
		ok := 0
		const deals = 100 // as a review has if nothing is said
		var costs [deals]float64
		for range trials {
			for j := range costs {
				costs[j] = p.costs[rng.IntN(len(p.costs))]
			}
			var x Decision
			if x.setCost(costs[:]); x.Low <= truth && truth <= x.High {
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
