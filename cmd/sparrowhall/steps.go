package main

import (
	"bufio"
	"errors"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/export/steps"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

func newStepsCommand() *cobra.Command {
	var observation, shard string
	var o steps.Options
	cmd := &cobra.Command{
		Use:   "steps DIR...",
		Short: "Write decisions with observations, for learners",
		Long: `Steps replays the matches of datasets, imported ones too, and writes every
decision to standard output as an Arrow IPC stream: the observation, the legal
actions, the choice, and the result. The schema describes the columns;
sparrowhall.dataset of the Python package reads them as tensors
(docs/python.md).`,
		Example: `  sparrowhall steps runs/first > first.arrows
  sparrowhall steps runs/first --observation features --players value \
    --shard 1/4 > part.arrows`,
		Args: arguments(1, 1<<16),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if observation != "" {
				var err error
				if o.Observation, err = observe.LookupWithAgents(observation, agents.New); err != nil {
					return usagef("--observation: %w", err)
				}
				if o.Observation.Size() == 0 {
					return usagef("--observation: %q has no fixed size; allowed: %s", observation, arrayObservations())
				}
			}
			part, err := parseShard(shard)
			if err != nil {
				return err
			}
			if part.Of > 0 {
				o.Shard, o.Shards = part.Number-1, part.Of
			} else {
				o.Shards = 1
			}
			datasets := make([]*dataset.Dataset, len(dirs))
			for i, dir := range dirs {
				if datasets[i], err = dataset.Open(dir); err != nil {
					return err
				}
			}
			if err := steps.CheckPlayers(datasets, o.Players); errors.Is(err, steps.ErrUnknownPlayer) {
				return usagef("--players: %w", err)
			} else if err != nil {
				return err
			}
			out := bufio.NewWriterSize(rawOutput(cmd), 1<<20)
			w := steps.NewWriter(out, o)
			for _, d := range datasets {
				if err := w.Write(cmd.Context(), d); err != nil {
					return explainInterrupt(err)
				}
			}
			return errors.Join(w.Close(), out.Flush())
		},
	}
	f := cmd.Flags()
	f.StringVar(&observation, "observation", "planes", "observation: "+arrayObservations()+", or \"\" for none")
	f.BoolVar(&o.Hidden, "hidden", false, "add hidden tiles: the hands of the others and the next tiles")
	f.BoolVar(&o.Shanten, "shanten", false, "add the shanten of the hands")
	f.StringSliceVar(&o.Players, "players", nil, "only decisions of these agents or players, by name or number")
	f.StringVar(&shard, "shard", "", "write one of n parts of the matches, such as 2/8")
	return cmd
}

// arrayObservations lists the observations of fixed size.
func arrayObservations() string {
	var list string
	for _, name := range observe.Names() {
		if s, err := observe.Lookup(name); err == nil && s.Size() > 0 {
			list += name + ", "
		}
	}
	return list + "advice"
}
