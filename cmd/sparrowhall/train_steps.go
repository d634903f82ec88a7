package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/export/steps"
	"github.com/sparrowhall/sparrowhall/internal/rollout"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

func newTrainStepsCommand() *cobra.Command {
	var observation string
	cmd := &cobra.Command{
		Use:   "steps FILE...",
		Short: "Write pairs with observations, for learners",
		Long: `Steps replays the matches of files of train pairs and writes every pair to
standard output as an Arrow IPC stream: the observation, the action of the
player, the alternative, and the difference in points. python -m
sparrowhall.learn improve trains a network with it.`,
		Example: `  sparrowhall train steps --observation advice tenhou.pairs \
    > tenhou.arrows`,
		Args: arguments(1, 1<<16),
		RunE: func(cmd *cobra.Command, files []string) error {
			o, err := observe.LookupWithAgents(observation, agents.New)
			if err != nil {
				return usagef("--observation: %w", err)
			}
			if o.Name == "events" || o.Size() == 0 {
				return usagef("--observation: networks do not read %q; allowed: planes, features, advice", observation)
			}
			out := bufio.NewWriterSize(rawOutput(cmd), 1<<20)
			w := steps.NewPairWriter(out, o)
			for _, name := range files {
				if err := writePairs(cmd.Context(), w, name); err != nil {
					return fmt.Errorf("%s: %w", sanitize.Line(name), explainInterrupt(err))
				}
			}
			return errors.Join(w.Close(), out.Flush())
		},
	}
	cmd.Flags().StringVar(&observation, "observation", "advice", "observation: planes, features or advice")
	return cmd
}

// maxPairs is the largest size of a file of pairs in bytes.
const maxPairs = 1 << 40

func writePairs(ctx context.Context, w *steps.PairWriter, name string) error {
	file, err := userfile.Open(ctx, name, maxPairs)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := rollout.NewReader(file)
	if err != nil {
		return err
	}
	rules, err := configs.Parse(in.Header.Name, []byte(in.Header.Ruleset))
	if err != nil {
		return err
	}
	return w.Write(ctx, in, rules)
}
