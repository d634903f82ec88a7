package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/cmaes"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	// adaptWalls is the number of duplicate sets that judge a proposal of weights.
	adaptWalls = 10
	// minGenerations is the least number of generations: a shorter search finds nothing.
	minGenerations = 4
)

// Adapter tunes the weights of a lineup's agent for each ruleset, and plays the tuned agent
// among others that are not tuned.
type Adapter struct {
	*Lineup
	// Dir holds the searches and datasets, from which an interrupted Run continues.
	Dir string
	// Force starts over, replacing what an earlier Run has written.
	Force bool
	// New returns the constructor of the agent of a spec.
	New func(spec string) (func() sim.Agent, error)

	plan  cmaes.Plan
	seats int
}

// ErrCannotAdapt is the error of a lineup whose agents cannot adapt.
var ErrCannotAdapt = errors.New("one of equal agents with weights adapts")

// NewAdapter returns an adapter that tunes within some matches of each ruleset. The error is
// ErrCannotAdapt if the agents differ or have no weights. It is another error if the matches are
// too few.
func NewAdapter(l *Lineup, matches int64, dir string, newAgent func(spec string) (func() sim.Agent, error)) (*Adapter, error) {
	spec := l.Base.Agents[0]
	if slices.ContainsFunc(l.Base.Agents, func(a string) bool { return a != spec }) {
		return nil, fmt.Errorf("%w; the agents are %s", ErrCannotAdapt, sanitize.Line(fmt.Sprint(l.Base.Agents)))
	}
	agent, ok := sim.As[sim.Tunable](l.NewAgent(0))
	if !ok {
		return nil, fmt.Errorf("%w: %s has none; agents that have: value, expert", ErrCannotAdapt, sanitize.Line(spec))
	}
	a := &Adapter{Lineup: l, Dir: dir, New: newAgent, seats: len(l.Base.Agents)}
	a.plan = cmaes.Plan{
		Agent: spec, Weights: agent.Weights(), Against: []string{spec}, Walls: adaptWalls, Spread: 0.25, Seed: l.Base.Seed,
	}
	a.plan.Population = DefaultPopulation(len(a.plan.Weights))
	generation := int64(a.plan.Population * adaptWalls * a.seats)
	if a.plan.Generations = int(matches / generation); a.plan.Generations < minGenerations {
		return nil, fmt.Errorf("%d matches; at least %d for the %d weights of %s", matches, minGenerations*generation, len(a.plan.Weights), sanitize.Line(spec))
	}
	return a, a.plan.Check()
}

// DefaultPopulation returns the usual number of proposals in a generation of CMA-ES:
// 4 + 3 ln n for n weights.
func DefaultPopulation(weights int) int { return 4 + int(3*math.Log(float64(weights))) }

// searchMatches returns the number of matches of the search under one ruleset.
func (a *Adapter) searchMatches() uint64 {
	return uint64(a.plan.Generations * a.plan.Population * a.plan.Walls * a.seats)
}

// totalMatches returns the number of matches that Run plays.
func (a *Adapter) totalMatches() uint64 {
	n := uint64(len(a.Runs))
	return n*(a.searchMatches()+a.Base.Matches) + (n-1)*a.Base.Matches
}

// Run returns the result of adapting to each ruleset.
func (a *Adapter) Run(ctx context.Context) ([]*stats.Adaptation, error) {
	if err := os.MkdirAll(a.Dir, 0o777); err != nil {
		return nil, err
	}
	var list []*stats.Adaptation
	tunedForBase := ""
	for i := range a.Runs {
		tuned, err := a.search(ctx, i)
		if err != nil {
			return nil, err
		}
		d, err := a.play(ctx, i, "adapted", tuned)
		if err != nil {
			return nil, err
		}
		var before *dataset.Dataset
		if i == 0 {
			tunedForBase = tuned
		} else if before, err = a.play(ctx, i, "usual", tunedForBase); err != nil {
			return nil, err
		}
		adaptation, err := stats.EvaluateAdaptation(ctx, d, before, a.searchMatches(), a.Workers)
		if err != nil {
			return nil, err
		}
		list = append(list, adaptation)
	}
	return list, nil
}

// pathPrefix returns the beginning of the paths of run i.
func (a *Adapter) pathPrefix(i int) string { return filepath.Join(a.Dir, filepath.Base(a.Dirs[i])) }

// search returns the agent with weights tuned for the ruleset of run i.
func (a *Adapter) search(ctx context.Context, i int) (tuned string, err error) {
	rules := a.Runs[i].Ruleset
	path := a.pathPrefix(i) + ".tune"
	if a.Force {
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	s := cmaes.Search{Plan: a.plan, Rules: rules.Rules(), NewAgent: a.New, Workers: a.Workers}
	s.Name, s.Ruleset = rules.Name, rules.TOML()
	s.Progress = func(*cmaes.Generation) { a.Progress.Add(a.plan.Population * a.plan.Walls * a.seats) }
	values, err := RunSearch(ctx, &s, path)
	if err != nil {
		return "", err
	}
	return s.Text(values), nil
}

// RunSearch runs a search whose trials are stored in a file, from which an interrupted search
// continues.
func RunSearch(ctx context.Context, s *cmaes.Search, path string) ([]int32, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	values, err := s.Run(ctx, file, func(end int64) error {
		if err := file.Truncate(end); err != nil {
			return err
		}
		_, err := file.Seek(end, io.SeekStart)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sanitize.Line(path), err)
	}
	return values, file.Close()
}

// play plays an agent among others that are not tuned, with the walls of the next seed, which
// the search has not seen.
func (a *Adapter) play(ctx context.Context, i int, what, spec string) (*dataset.Dataset, error) {
	run := *a.Runs[i]
	run.Seed++
	run.Agents = slices.Repeat([]string{a.plan.Agent}, a.seats)
	run.Agents[0] = spec
	newTuned, err := a.New(spec)
	if err != nil {
		return nil, err
	}
	l := *a.Lineup
	l.Base, l.Runs, l.Dirs = &run, []*dataset.Run{&run}, []string{a.pathPrefix(i) + "_" + what}
	l.NewAgent = func(number int) sim.Agent {
		if number == 0 {
			return newTuned()
		}
		return a.NewAgent(number)
	}
	if err := l.Create(a.Force); err != nil {
		return nil, err
	}
	if err := l.Play(ctx, 0); err != nil {
		return nil, err
	}
	return dataset.Open(l.Dirs[0])
}
