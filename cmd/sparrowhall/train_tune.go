package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/analysis/experiment"
	"github.com/sparrowhall/sparrowhall/internal/cmaes"
	"github.com/sparrowhall/sparrowhall/sim"
)

// weightsOptions are the flags of train tune.
type weightsOptions struct {
	ruleset string
	weights []string
	accept  bool
	elo1    float64
	trainFlags
	plan cmaes.Plan
}

func newTrainTuneCommand() *cobra.Command {
	o := weightsOptions{}
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Tune the weights of an agent, and test the result",
		Long: `Tune searches for better weights of an agent that has weights, such as value
and expert, with CMA-ES. Each proposal takes every seat on the same walls
against three opponents, and its luck-adjusted points are its fitness. Each
generation has walls of its own.

At the end the tuned agent plays the original one until one of them is shown to
be better, as by "sparrowhall tournament run --accept", on walls of the next
seed.

The file of --out keeps all proposals; the same command continues a search that
was interrupted. The result does not depend on the number of workers.`,
		Example: `  sparrowhall train tune --ruleset tenhou --agent value \
    --weights pushed,call_margin,silent --out value.tune
  sparrowhall train tune --agent expert --weights margin,places \
    --against value --against greedy --out expert.tune`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.tune(cmd) },
	}
	f := cmd.Flags()
	rulesetFlag(cmd, &o.ruleset)
	f.StringVar(&o.plan.Agent, "agent", "value", "agent to tune, with its options")
	f.StringSliceVar(&o.weights, "weights", nil, "weights that may change, separated by commas; all if not given")
	f.StringArrayVar(&o.plan.Against, "against", []string{"value"}, "opponent; repeatable, then they take turns by duplicate set")
	f.IntVar(&o.plan.Walls, "walls", 50, "duplicate sets in which each proposal takes every seat")
	f.IntVar(&o.plan.Generations, "generations", 30, "number of generations")
	f.IntVar(&o.plan.Population, "population", 0, "proposals per generation; 0 for 4 + 3 ln n with n weights")
	f.Float64Var(&o.plan.Spread, "spread", 0.25, "deviation of the first proposals, as a share of each weight or of a tenth of its range")
	f.Uint64Var(&o.plan.Seed, "seed", 1, "seed of the walls and of the search")
	f.BoolVar(&o.accept, "accept", true, "test the result against the original agent")
	f.Float64Var(&o.elo1, "elo1", 10, "lead in Elo points at which the result is accepted, and not a lead of 0")
	o.add(cmd, "matches played")
	return cmd
}

// weighted returns the weights of an agent that may change.
func (o *weightsOptions) weighted() ([]sim.Weight, error) {
	make, err := agents.New(o.plan.Agent)
	if err != nil {
		return nil, usagef("--agent: %w", err)
	}
	agent, ok := sim.As[sim.Tunable](make())
	if !ok {
		return nil, usagef("--agent: %s has no weights; agents that have: value, expert", o.plan.Agent)
	}
	all := agent.Weights()
	if len(o.weights) == 0 {
		return all, nil
	}
	var list []sim.Weight
	for _, name := range o.weights {
		i := slices.IndexFunc(all, func(w sim.Weight) bool { return w.Name == name })
		if i < 0 {
			var names []string
			for _, w := range all {
				names = append(names, w.Name)
			}
			return nil, usagef("--weights: %s has no weight %q; it has %s", o.plan.Agent, name, strings.Join(names, ", "))
		}
		if !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	return list, nil
}

func (o *weightsOptions) tune(cmd *cobra.Command) error {
	var err error
	if o.plan.Weights, err = o.weighted(); err != nil {
		return err
	}
	for _, text := range o.plan.Against {
		if _, err := agents.New(text); err != nil {
			return usagef("--against: %w", err)
		}
	}
	if o.plan.Population == 0 {
		o.plan.Population = experiment.DefaultPopulation(len(o.plan.Weights))
	}
	if err := o.plan.Check(); err != nil {
		return usagef("%w", err)
	}
	rules, err := openRuleset(cmd.Context(), o.ruleset)
	if err != nil {
		return err
	}
	o.plan.Name, o.plan.Ruleset = rules.Name, rules.TOML()
	w := cmd.OutOrStdout()
	p := o.progress(cmd, "generations", uint64(o.plan.Generations))
	s := cmaes.Search{Plan: o.plan, Rules: rules.Rules(), NewAgent: agents.New, Workers: o.number()}
	var lines []string
	s.Progress = func(g *cmaes.Generation) {
		p.Add(1)
		lines = append(lines, fmt.Sprintf("%4d  %10.1f  %10.1f  %s", g.Number+1, g.Points, g.Best, s.Plan.Text(g.Values)))
	}
	values, err := experiment.RunSearch(cmd.Context(), &s, o.out)
	p.End()
	if err != nil {
		return explainInterrupt(err)
	}
	found := s.Plan.Text(values)
	fmt.Fprintf(w, "generation, luck-adjusted points per match above the original agent (mean, best), mean of the proposals\n%s\n\nfound: %s\n",
		strings.Join(lines, "\n"), found)
	if !o.accept || found == s.Plan.Text(beginning(o.plan.Weights)) {
		return nil
	}
	fmt.Fprintln(w)
	test := newTournamentRunCommand()
	test.SetContext(cmd.Context())
	test.SetOut(w)
	test.SetErr(cmd.ErrOrStderr())
	test.SetArgs([]string{
		"--ruleset", o.ruleset, "--agent", found, "--agent", o.plan.Agent, "--accept", found + ">" + o.plan.Agent,
		"--elo1", strconv.FormatFloat(o.elo1, 'g', -1, 64), "--seed", strconv.FormatUint(o.plan.Seed+1, 10),
		"--workers", strconv.Itoa(o.workers), "--quiet=" + strconv.FormatBool(o.quiet),
	})
	return test.Execute()
}

func beginning(list []sim.Weight) []int32 {
	var values []int32
	for _, w := range list {
		values = append(values, w.Value)
	}
	return values
}
