package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/internal/weights"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tuneOptions are the flags of train tune.
type tuneOptions struct {
	ruleset string
	weights []string
	accept  bool
	elo1    float64
	trainFlags
	plan weights.Plan
}

func newTrainTuneCommand() *cobra.Command {
	o := tuneOptions{}
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Find better weights for an agent, and test whether they are",
		Long: `Tune looks for better weights of an agent that tells which it has, such as value and
expert. CMA-ES proposes them; each proposal takes every seat at the same walls among
three opponents, and what it wins less the luck of the tiles is its mark. Each
generation has walls of its own.

At the end the agent it found meets the one it began with, until it is known which of
them is better: that is "sparrowhall tournament run --accept", at walls of the next seed.

All that is tried is kept in the file --out; a search that was stopped goes on by the
same command. What it finds does not depend on the number of workers.`,
		Example: `  sparrowhall train tune --ruleset tenhou --agent value --weights pushed,call_margin,silent --out value.tune
  sparrowhall train tune --agent expert --weights margin,places --against value --against greedy --out expert.tune`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.tune(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or file")
	f.StringVar(&o.plan.Agent, "agent", "value", "agent to tune, with its options")
	f.StringSliceVar(&o.weights, "weights", nil, "weights that may change, separated by commas; all if not given")
	f.StringArrayVar(&o.plan.Against, "against", []string{"value"}, "an opponent, given once for each; from wall set to wall set they take turns")
	f.IntVar(&o.plan.Walls, "walls", 50, "wall sets at which each proposal takes all four seats")
	f.IntVar(&o.plan.Generations, "generations", 30, "number of generations")
	f.IntVar(&o.plan.Population, "population", 0, "proposals to a generation; 0 for 4 + 3 ln n with n weights")
	f.Float64Var(&o.plan.Spread, "spread", 0.25, "how far the first proposals go: a part of each weight, or of a tenth of its bounds")
	f.Uint64Var(&o.plan.Seed, "seed", 1, "seed of the walls and of the search")
	f.BoolVar(&o.accept, "accept", true, "test at the end whether what was found is better")
	f.Float64Var(&o.elo1, "elo1", 10, "Elo points by which it must be better to be accepted rather than by 0")
	o.add(cmd, "matches played at a time")
	return cmd
}

// weighted returns the weights of an agent that may change.
func (o *tuneOptions) weighted() ([]sim.Weight, error) {
	make, err := agents.New(o.plan.Agent)
	if err != nil {
		return nil, usagef("--agent: %w", err)
	}
	agent, ok := make().(sim.Weighted)
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

func (o *tuneOptions) tune(cmd *cobra.Command) error {
	if err := o.check(); err != nil {
		return err
	}
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
		o.plan.Population = usualPopulation(len(o.plan.Weights))
	}
	if err := o.plan.Check(); err != nil {
		return usagef("%w", err)
	}
	rules, err := configs.Open(o.ruleset)
	if err != nil {
		return err
	}
	o.plan.Name, o.plan.Ruleset = rules.Name, rules.TOML()
	file, err := os.OpenFile(o.out, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	w := cmd.OutOrStdout()
	p := o.progress(cmd, "generations", uint64(o.plan.Generations))
	s := weights.Search{Plan: o.plan, Rules: rules.Rules(), NewAgent: agents.New, Workers: o.number()}
	var lines []string
	s.Progress = func(g *weights.Generation) {
		p.add(1)
		lines = append(lines, fmt.Sprintf("%4d  %10.1f  %10.1f  %s", g.Number+1, g.Points, g.Best, s.Text(g.Values)))
	}
	values, err := s.Run(cmd.Context(), file, func(end int64) error {
		if err := file.Truncate(end); err != nil {
			return err
		}
		_, err := file.Seek(end, io.SeekStart)
		return err
	})
	p.end()
	if err != nil {
		return fmt.Errorf("%s: %w", plain.Line(o.out), err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	found := s.Text(values)
	fmt.Fprintf(w, "generation, points of a match beyond the start less luck (mean, best), middle of the proposals\n%s\n\nfound: %s\n",
		strings.Join(lines, "\n"), found)
	if !o.accept || found == s.Text(beginning(o.plan.Weights)) {
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

// beginning returns the values of weights.
func beginning(list []sim.Weight) []int32 {
	var values []int32
	for _, w := range list {
		values = append(values, w.Value)
	}
	return values
}
