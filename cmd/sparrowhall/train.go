package main

import (
	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/sim"
)

func newTrainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "train",
		Short:   "Fit from self-play what players and statistics stand on",
		Long:    `Train fits from self-play what players and statistics stand on.`,
		Example: `  sparrowhall train fit --ruleset universal --matches 10000 --out zungjung.bin`,
	}
	group(cmd, newTrainFitCommand(), newTrainBeliefsCommand(), newTrainPairsCommand(), newTrainImproveCommand(), newTrainStepsCommand(), newTrainTuneCommand(), newTrainPlacesCommand())
	return cmd
}

// trainFlags are what all verbs of train have: each makes one file by many workers.
type trainFlags struct {
	out string
	workFlags
}

// add adds the flags to a command. atATime is what the workers do.
func (o *trainFlags) add(cmd *cobra.Command, atATime string) {
	cmd.Flags().StringVar(&o.out, "out", "", "file to write")
	o.addWork(cmd, atATime)
}

// check returns what is wrong with the flags themselves.
func (o *trainFlags) check() error {
	if o.out == "" {
		return usagef("--out: name the file to write")
	}
	return o.checkWork()
}

// selfPlay are the matches that a verb learns from: a seed and what is played by whom.
type selfPlay struct {
	agents  string
	matches int64
	seed    uint64
}

// add adds the flags to a command, with what agents and matches are unless the command
// line says otherwise, and what else the seed is of.
func (o *selfPlay) add(cmd *cobra.Command, agents string, matches int64, also string) {
	f := cmd.Flags()
	f.StringVar(&o.agents, "agents", agents, "four agents separated by commas")
	f.Int64Var(&o.matches, "matches", matches, "number of matches to play")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the matches"+also)
}

// job returns the matches under a ruleset.
func (o *selfPlay) job(ruleset string, workers int) (*sim.Job, error) {
	if o.matches < 1 {
		return nil, usagef("--matches: %d is too few; at least 1", o.matches)
	}
	play := playOptions{ruleset: ruleset, matches: o.matches, seed: o.seed, agentList: o.agents}
	play.record, play.fileMatches = export.Matches.String(), export.DefaultFileMatches
	run, factories, err := play.run()
	if err != nil {
		return nil, err
	}
	return newJob(run, factories, workers), nil
}
