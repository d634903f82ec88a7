package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/steps"
	"github.com/sparrowhall/sparrowhall/internal/pairs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

func newTrainStepsCommand() *cobra.Command {
	var observation string
	cmd := &cobra.Command{
		Use:   "steps FILE...",
		Short: "Write pairs with what players saw, for learners",
		Long: `Steps plays the matches of files of train pairs again and writes every pair to standard
output as an Arrow IPC stream: what the player saw, what he did, what was tried instead,
and how much more that brought. python -m sparrowhall.learn improve learns from it.`,
		Example: "  sparrowhall train steps --observation advice tenhou.pairs > tenhou.arrows",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			o, err := observe.LookupWith(observation, agents.New)
			if err != nil {
				return usagef("--observation: %w", err)
			}
			if o.Name == "events" || o.Size() == 0 {
				return usagef("--observation: networks do not read %q; allowed: planes, features, advice", observation)
			}
			to := cmd.OutOrStdout()
			if text, ok := to.(*plain.Writer); ok {
				to = text.W // the stream is not text
			}
			out := bufio.NewWriterSize(to, 1<<20)
			w := steps.NewPairWriter(out, o)
			for _, name := range files {
				if err := writePairs(w, name); err != nil {
					return fmt.Errorf("%s: %w", plain.Line(name), err)
				}
			}
			return errors.Join(w.Close(), out.Flush())
		},
	}
	cmd.Flags().StringVar(&observation, "observation", "advice", "what the players see: planes, features or advice")
	return cmd
}

// writePairs writes the pairs of a file.
func writePairs(w *steps.PairWriter, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := pairs.NewReader(file)
	if err != nil {
		return err
	}
	rules, err := configs.Parse(in.Header.Name, []byte(in.Header.Ruleset))
	if err != nil {
		return err
	}
	return w.Write(in, rules)
}
