package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/bench"
)

func newBenchCommand() *cobra.Command {
	var name string
	var seconds float64
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of the engine, as JSON",
		Long: `Bench measures matches of random and of greedy agents, scoring, shanten,
recording a dataset and, under a preset, 1,024 tables over gRPC, and prints the
speeds as JSON. Each is measured for about --seconds on one core unless its
name says otherwise. To compare machines, divide by the calibration figure, a
shuffle of 136 tiles.`,
		Example: `  sparrowhall bench
  sparrowhall bench --ruleset tenhou --seconds 10`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if math.IsNaN(seconds) || seconds <= 0 || seconds > 600 {
				return usagef("--seconds %v; allowed: a number above 0, at most 600", seconds)
			}
			rules, err := openRuleset(cmd.Context(), name)
			if err != nil {
				return err
			}
			report, err := bench.Run(cmd.Context(), rules, name, time.Duration(seconds*float64(time.Second)), func(ctx context.Context) (float64, error) {
				return firstMatch(ctx, name)
			})
			if err != nil {
				return explainInterrupt(err)
			}
			return printJSON(cmd.OutOrStdout(), report)
		},
	}
	rulesetFlag(cmd, &name)
	cmd.Flags().Float64Var(&seconds, "seconds", 5, "time to measure each figure")
	return cmd
}

// firstMatch returns the seconds from the start of this program to the end of its first match: the
// best of five runs.
func firstMatch(ctx context.Context, ruleset string) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	best := time.Hour
	for range 5 {
		start := time.Now()
		if out, err := exec.CommandContext(ctx, self, "play", "--ruleset", ruleset, "--matches", "1", "--workers", "1").CombinedOutput(); err != nil {
			return 0, fmt.Errorf("bench: play one match: %w: %s", err, out)
		}
		best = min(best, time.Since(start))
	}
	return best.Seconds(), nil
}
