package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

func newTrainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Make training data, fit value functions, tune weights",
		Long: `Train makes training data for learners, fits the value functions that measure
luck, and tunes the weights of agents.`,
		Example: "  sparrowhall train pairs --ruleset tenhou --out tenhou.pairs",
	}
	addVerbs(cmd, newTrainPairsCommand(), newTrainStepsCommand(), newTrainTuneCommand(), newTrainFitCommand())
	return cmd
}

// trainFlags are the flags of verbs that work in parallel and write one file.
type trainFlags struct {
	out string
	workFlags
}

// add adds the flags to a command. parallel names what the workers do.
func (o *trainFlags) add(cmd *cobra.Command, parallel string) {
	cmd.Flags().StringVar(&o.out, "out", "", "file to write")
	require(cmd, o.check)
	o.addWork(cmd, parallel)
}

func (o *trainFlags) check() error {
	if o.out == "" {
		return usagef("--out: name the file to write")
	}
	return checkFile(o.out, true) // before hours of work
}

// selfPlay are the flags of matches to learn from.
type selfPlay struct {
	agents  string
	matches int64
	seed    uint64
	usual   func() bool // whether agents are the default, which has four
}

// add adds the flags to a command, with defaults of agents and matches.
func (o *selfPlay) add(cmd *cobra.Command, agents string, matches int64) {
	f := cmd.Flags()
	f.StringVar(&o.agents, "agents", agents, "agents separated by commas, one for each player")
	o.usual = func() bool { return !f.Changed("agents") }
	f.Int64Var(&o.matches, "matches", matches, "number of matches")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches and of the fit")
}

func (o *selfPlay) job(ctx context.Context, ruleset string, workers int) (*sim.Job, error) {
	if o.matches < 1 {
		return nil, usagef("--matches: %d is too few; at least 1", o.matches)
	}
	play := playOptions{ruleset: ruleset, matches: o.matches, seed: o.seed, agentFlags: agentFlags{list: o.agents, usual: o.usual}}
	play.record, play.fileMatches = schema.Matches.String(), dataset.DefaultFileMatches
	run, newAgents, err := play.run(ctx)
	if err != nil {
		return nil, err
	}
	return newJob(run, run.Agents, newAgents, workers), nil
}
