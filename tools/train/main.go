// Train refits the files that the program embeds: the networks of beliefs and of expert, and the
// tables of how hands end.
//
//	go -C tools run ./train beliefs -ruleset tenhou -matches 4000 -out riichi.bin
//	go -C tools run ./train improve -out riichi.bin tenhou.pairs ema.pairs
//	go -C tools run ./train places -ruleset tenhou -matches 4000 -out riichi_red.csv
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/sim"
)

// verbs are the functions of the program. Each parses its arguments and writes a report.
var verbs = map[string]func(ctx context.Context, args []string, out io.Writer) error{
	"beliefs": fitBeliefs, "improve": improveExpert, "places": gatherPlaces,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 || verbs[args[0]] == nil {
		return errors.New("name a verb: beliefs, improve or places")
	}
	return verbs[args[0]](ctx, args[1:], out)
}

// commonFlags are the flags of every verb.
type commonFlags struct {
	*flag.FlagSet
	out     string
	workers int
}

func newCommon(verb string) *commonFlags {
	c := &commonFlags{FlagSet: flag.NewFlagSet(verb, flag.ContinueOnError)}
	c.StringVar(&c.out, "out", "", "file to write")
	c.IntVar(&c.workers, "workers", runtime.GOMAXPROCS(0), "goroutines")
	return c
}

// hiddenSizes are the sizes of two hidden layers, as the value of a flag.
type hiddenSizes struct{ first, second int }

func (h *hiddenSizes) String() string { return fmt.Sprintf("%d,%d", h.first, h.second) }

func (h *hiddenSizes) Set(text string) error {
	first, second, _ := strings.Cut(text, ",")
	var err1, err2 error
	h.first, err1 = strconv.Atoi(first)
	h.second, err2 = strconv.Atoi(second)
	if err1 != nil || err2 != nil || min(h.first, h.second) < 1 || max(h.first, h.second) > perceptron.MaxHidden {
		return fmt.Errorf("allowed: two numbers from 1 to %d, such as 32,16", perceptron.MaxHidden)
	}
	return nil
}

// selfPlay are the flags of matches to learn from.
type selfPlay struct {
	ruleset, agents string
	matches, seed   uint64
}

func (o *selfPlay) add(c *commonFlags, agents string) {
	c.StringVar(&o.ruleset, "ruleset", "ema_2016", "preset or ruleset file")
	c.StringVar(&o.agents, "agents", agents, "one agent for all players, or for each, separated by commas")
	c.Uint64Var(&o.matches, "matches", 4000, "number of matches")
	c.Uint64Var(&o.seed, "seed", 1, "seed of the matches and of the fit")
}

// job returns the matches. The agents move on by one seat from match to match.
func (o *selfPlay) job(workers int) (*sim.Job, error) {
	rules, err := configs.Open(o.ruleset)
	if err != nil {
		return nil, err
	}
	specs := strings.Split(o.agents, ",")
	seats := rules.Rules().NumSeats()
	if len(specs) == 1 {
		specs = slices.Repeat(specs, seats)
	}
	if len(specs) != seats || o.matches < 1 {
		return nil, fmt.Errorf("-agents %s, -matches %d; allowed: one agent or %d, and at least one match", o.agents, o.matches, seats)
	}
	var newAgents []func() sim.Agent
	for _, spec := range specs {
		f, err := agents.New(spec)
		if err != nil {
			return nil, fmt.Errorf("-agents: %w", err)
		}
		newAgents = append(newAgents, f)
	}
	return &sim.Job{
		Rules: rules.Rules(), Schedule: sim.Rotation{Seed: o.seed, Seats: seats}, Count: o.matches, Workers: workers,
		NewAgent: func(number int) sim.Agent { return newAgents[number]() },
		Overlap:  slices.ContainsFunc(specs, agents.Overlaps),
	}, nil
}
