package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/bench"
)

// benchReport is what bench prints. Every speed is of one worker unless its name
// says otherwise.
type benchReport struct {
	Machine     benchMachine          `json:"machine"`
	Calibration map[string]float64    `json:"calibration"`
	Ruleset     string                `json:"ruleset"`
	Play        map[string]bench.Play `json:"play"`
	// TwoWorkers is the speed of two workers over that of one.
	TwoWorkers float64 `json:"two_workers_ratio"`
	// Recorded is the speed with decisions recorded over that with nothing
	// written.
	Recorded        map[string]float64       `json:"recorded_ratio"`
	ScoringPerSec   float64                  `json:"scoring_hands_per_second"`
	Shanten         map[string]bench.Shanten `json:"shanten"`
	FirstMatchAfter float64                  `json:"first_match_seconds"`
	// Environment is the speed of the gRPC environment by network, with a client
	// on the same machine.
	Environment map[string]bench.Environment `json:"environment,omitempty"`
}

type benchMachine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
	OS    string `json:"os"`
}

func newBenchCommand() *cobra.Command {
	var name string
	var seconds float64
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the engine and print the figures as JSON",
		Long: `Bench plays matches of random and of greedy players, scores random winning hands,
counts shanten, records a dataset and, under a preset, plays at 1,024 tables over
gRPC, and prints the figures as JSON. Each figure is measured for about the given
time on one core, unless its name says otherwise; compare machines by the
calibration figure, a shuffle of 136 tiles.`,
		Example: "  sparrowhall bench\n  sparrowhall bench --ruleset tenhou --seconds 10",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if math.IsNaN(seconds) || seconds <= 0 || seconds > 600 {
				return usagef("--seconds %v: want a number above 0, at most 600", seconds)
			}
			report, err := runBench(cmd.Context(), name, time.Duration(seconds*float64(time.Second)))
			if errors.Is(err, context.Canceled) {
				err = errors.New("interrupted")
			}
			if err != nil {
				return err
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetIndent("", "  ")
			return enc.Encode(report)
		},
	}
	cmd.Flags().StringVar(&name, "ruleset", "ema_2016", "preset or file to play under")
	cmd.Flags().Float64Var(&seconds, "seconds", 5, "time to spend on each figure")
	return cmd
}

func runBench(ctx context.Context, name string, d time.Duration) (*benchReport, error) {
	file, err := configs.Open(name)
	if err != nil {
		return nil, err
	}
	r := file.Rules()
	report := &benchReport{
		Machine:     benchMachine{cpuName(), runtime.NumCPU(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH},
		Calibration: map[string]float64{"shuffle_136_ns": bench.Shuffle(d / 10)},
		Ruleset:     name,
		Play:        map[string]bench.Play{},
		Recorded:    map[string]float64{},
		Shanten: map[string]bench.Shanten{
			"14_tiles": bench.MeasureShanten(4, d/10),
			"17_tiles": bench.MeasureShanten(5, d/10),
		},
	}
	for _, agent := range []string{"random", "greedy"} {
		newAgent, err := agents.New(agent)
		if err != nil {
			return nil, err
		}
		p, err := bench.MeasurePlay(ctx, r, newAgent, 1, d)
		if err != nil {
			return nil, err
		}
		report.Play[agent] = p
		if report.Recorded[agent], err = bench.Recorded(ctx, file, agent, newAgent, 1, d); err != nil {
			return nil, err
		}
		if agent == "random" {
			if report.TwoWorkers, err = bench.TwoWorkers(ctx, r, newAgent, d); err != nil {
				return nil, err
			}
		}
	}
	ns, err := bench.Scoring(r, d/5)
	if err != nil {
		return nil, err
	}
	report.ScoringPerSec = 1e9 / ns
	if report.FirstMatchAfter, err = firstMatch(ctx, name); err != nil {
		return nil, err
	}
	if !slices.Contains(configs.Names(), name) {
		return report, nil // the environment reads no files
	}
	report.Environment = map[string]bench.Environment{}
	for _, network := range []string{"tcp", "unix"} {
		if report.Environment[network], err = bench.MeasureEnv(ctx, network, name, "planes", 1024, d); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// firstMatch returns the seconds from starting this program to the end of its
// first match: the best of five runs.
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

// cpuName returns the processor's name where the system tells it.
func cpuName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
