package experiment_test

import (
	"context"
	"fmt"
	"os"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
)

// Example plays the same walls under two rulesets and compares a figure.
func Example() {
	dir, err := os.MkdirTemp("", "experiment")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	var rulesets []*configs.Ruleset
	for _, name := range []string{"mcr_2006", "hk_old_style"} {
		r, err := configs.Open(name)
		if err != nil {
			panic(err)
		}
		rulesets = append(rulesets, r)
	}
	run := &dataset.Run{
		Ruleset: rulesets[0], Seed: 1, Matches: 64, FileMatches: 64, Record: schema.Hands,
		Agents: []string{"greedy", "greedy", "greedy", "greedy"},
	}
	newAgent, err := experiment.NewAgents(run, agents.New)
	if err != nil {
		panic(err)
	}
	plan := &experiment.Plan{
		Dir: dir, Rulesets: rulesets, NewAgent: agents.New, Workers: 2, Progress: &counter{},
		Lineups: []*experiment.Lineup{{Run: run, NewAgent: newAgent}},
	}
	if _, err := plan.Create(); err != nil {
		panic(err)
	}
	if err := plan.Play(context.Background()); err != nil {
		panic(err)
	}
	results, err := stats.Collect(context.Background(), plan.Cells[0].Dirs(), nil, nil)
	if err != nil {
		panic(err)
	}
	for i := range results.Datasets {
		d := &results.Datasets[i]
		for _, f := range d.Figures {
			if f.Key == (stats.Key{Section: "hand", Name: "discards"}) {
				fmt.Printf("%s: %.1f discards in a hand\n", d.Ruleset, f.Value)
			}
		}
	}
	// Output:
	// mcr_2006: 56.2 discards in a hand
	// hk_old_style: 56.5 discards in a hand
}
