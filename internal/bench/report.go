package bench

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
)

// Report is the standard benchmark. Every speed is that of one worker unless its name says
// otherwise.
type Report struct {
	Machine Machine `json:"machine"`
	// Calibration has the time of a task that does not change with the program.
	Calibration map[string]float64 `json:"calibration"`
	// Ruleset is the preset or file that was played.
	Ruleset string `json:"ruleset"`
	// Play is the speed of each agent.
	Play map[string]Play `json:"play"`
	// TwoWorkers is the speed of two workers divided by that of one.
	TwoWorkers float64 `json:"two_workers_ratio"`
	// Recorded is the speed with decisions recorded divided by that without a dataset, by
	// agent.
	Recorded map[string]float64 `json:"recorded_ratio"`
	// ScoringPerSec is the number of hands scored per second, Shanten the time of a shanten
	// by the number of tiles.
	ScoringPerSec float64            `json:"scoring_hands_per_second"`
	Shanten       map[string]Shanten `json:"shanten"`
	// FirstMatchAfter is the time from the start of the program to the end of its first
	// match.
	FirstMatchAfter float64 `json:"first_match_seconds"`
	// Environment is the speed of the gRPC environment by network, with a client on the same
	// machine. It is measured for presets alone.
	Environment map[string]Environment `json:"environment,omitempty"`
}

// Machine is the machine that was measured.
type Machine struct {
	// CPU is the name of the processor, Cores the number of its cores. Go and OS are the
	// version of Go and the operating system with its architecture.
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
	OS    string `json:"os"`
}

// Run measures the standard benchmark under a preset or ruleset file, each figure for about the
// time d. The function firstMatch returns the seconds from the start of the program to the end
// of its first match.
func Run(ctx context.Context, file *configs.Ruleset, name string, d time.Duration, firstMatch func(context.Context) (float64, error)) (*Report, error) {
	r := file.Rules()
	report := &Report{
		Machine:     Machine{cpuName(), runtime.NumCPU(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH},
		Calibration: map[string]float64{"shuffle_136_ns": Shuffle(d / 10)},
		Ruleset:     name, Play: map[string]Play{}, Recorded: map[string]float64{},
		Shanten: map[string]Shanten{
			"14_tiles": MeasureShanten(4, d/10),
			"17_tiles": MeasureShanten(5, d/10),
		},
	}
	for _, agent := range []string{"random", "greedy"} {
		newAgent, err := agents.New(agent)
		if err != nil {
			return nil, err
		}
		p, err := MeasurePlay(ctx, r, newAgent, 1, d)
		if err != nil {
			return nil, err
		}
		report.Play[agent] = p
		if report.Recorded[agent], err = Recorded(ctx, file, agent, newAgent, 1, d); err != nil {
			return nil, err
		}
		if agent == "random" {
			if report.TwoWorkers, err = TwoWorkers(ctx, r, newAgent, d); err != nil {
				return nil, err
			}
		}
	}
	ns, err := Scoring(r, d/5)
	if err != nil {
		return nil, err
	}
	report.ScoringPerSec = 1e9 / ns
	if report.FirstMatchAfter, err = firstMatch(ctx); err != nil {
		return nil, err
	}
	if !slices.Contains(configs.Names(), name) {
		return report, nil // a server opens presets by name, but no files
	}
	report.Environment = map[string]Environment{}
	for _, network := range []string{"tcp", "unix"} {
		if report.Environment[network], err = MeasureEnv(ctx, network, name, "planes", 1024, d); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// cpuName returns the name of the processor if the system reports it, or its architecture.
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
