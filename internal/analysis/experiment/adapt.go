package experiment

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
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	// adaptWalls is the number of duplicate sets that judge a proposal of weights.
	adaptWalls = 10
	// adaptSpread is the first step of the search, relative to each weight.
	adaptSpread = 0.25
	// minGenerations is the least number of generations: a shorter search finds nothing.
	minGenerations = 4
)

// adapter tunes the weights of a line-up's agent for each ruleset of a plan, and plays the tuned
// agent among others that are not tuned: cells whose line-up a search has produced.
type adapter struct {
	plan   *Plan
	lineup *Lineup
	// dir is the folder of the searches and datasets below that of the plan.
	dir    string
	search cmaes.Plan
	seats  int
}

// ErrCannotAdapt is the error of a line-up whose agents cannot adapt.
var ErrCannotAdapt = errors.New("one of equal agents with weights adapts")

// Adapt lets an agent of line-up i adapt to each ruleset, by a search within some matches. Call it
// before Create. The error is ErrCannotAdapt if the agents differ or have no weights. It is another
// error if the matches are too few.
func (p *Plan) Adapt(i int, matches int64) error {
	l := p.Lineups[i]
	spec := l.Run.Agents[0]
	// What one agent gains by adapting is measured against itself: other agents would add their own
	// strengths.
	if slices.ContainsFunc(l.Run.Agents, func(a string) bool { return a != spec }) {
		return fmt.Errorf("%w; the agents are %s", ErrCannotAdapt, sanitize.Line(fmt.Sprint(l.Run.Agents)))
	}
	agent, ok := sim.As[sim.Tunable](l.NewAgent(0))
	if !ok {
		return fmt.Errorf("%w: %s has none; agents that have: value, expert", ErrCannotAdapt, sanitize.Line(spec))
	}
	a := &adapter{plan: p, lineup: l, dir: filepath.Join(LineupFolder(i), "adapt"), seats: len(l.Run.Agents)}
	a.search = cmaes.Plan{
		Agent: spec, Weights: agent.Weights(), Against: []string{spec}, Walls: adaptWalls, Spread: adaptSpread, Seed: l.Run.Seed,
	}
	a.search.Population = DefaultPopulation(len(a.search.Weights))
	// Whole generations only. The number of matches is an upper bound that the search does not
	// exceed.
	generation := int64(a.search.Population * adaptWalls * a.seats)
	if a.search.Generations = int(matches / generation); a.search.Generations < minGenerations {
		return fmt.Errorf("%d matches; at least %d for the %d weights of %s", matches, minGenerations*generation, len(a.search.Weights), sanitize.Line(spec))
	}
	if p.adapters == nil {
		p.adapters = map[int]*adapter{}
	}
	p.adapters[i] = a
	return a.search.Check()
}

// DefaultPopulation returns the usual number of proposals in a generation of CMA-ES:
// 4 + 3 ln n for n weights.
func DefaultPopulation(weights int) int { return 4 + int(3*math.Log(float64(weights))) }

func (a *adapter) searchMatches() uint64 {
	return uint64(a.search.Generations * a.search.Population * a.search.Walls * a.seats)
}

func (a *adapter) totalMatches() uint64 {
	n := uint64(len(a.plan.Rulesets))
	// The ruleset without changes has no match of usual weights, since those are the weights tuned
	// for it.
	return n*(a.searchMatches()+a.lineup.Run.Matches) + (n-1)*a.lineup.Run.Matches
}

// run returns the result of adapting to each ruleset.
func (a *adapter) run(ctx context.Context) ([]*stats.Adaptation, error) {
	if err := os.MkdirAll(filepath.Join(a.plan.Dir, a.dir), 0o777); err != nil {
		return nil, err
	}
	var list []*stats.Adaptation
	tunedForBase := ""
	for i := range a.plan.Rulesets {
		tuned, err := a.tune(ctx, i)
		if err != nil {
			return nil, err
		}
		d, err := a.play(ctx, i, "adapted", tuned)
		if err != nil {
			return nil, err
		}
		var before *dataset.Dataset
		// The comparison is with the weights tuned for the ruleset without changes, and not with
		// those the agent came with: what is left is the effect of the change.
		if i == 0 {
			tunedForBase = tuned
		} else if before, err = a.play(ctx, i, "usual", tunedForBase); err != nil {
			return nil, err
		}
		adaptation, err := stats.EvaluateAdaptation(ctx, d, before, a.searchMatches(), a.plan.Workers)
		if err != nil {
			return nil, err
		}
		list = append(list, adaptation)
	}
	return list, nil
}

// pathPrefix returns the beginning of the paths of ruleset i.
func (a *adapter) pathPrefix(i int) string {
	return filepath.Join(a.plan.Dir, a.dir, folderName(i, a.plan.Rulesets[i]))
}

// tune returns the agent with weights tuned for ruleset i.
func (a *adapter) tune(ctx context.Context, i int) (tuned string, err error) {
	rules := a.plan.Rulesets[i]
	path := a.pathPrefix(i) + ".tune"
	// A search continues from its file, so what Force replaces has to go first.
	if a.plan.Force {
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	s := cmaes.Search{Plan: a.search, Rules: rules.Rules(), NewAgent: a.plan.NewAgent, Workers: a.plan.Workers}
	s.Plan.Name, s.Plan.Ruleset = rules.Name, rules.TOML()
	s.Progress = func(*cmaes.Generation) { a.plan.Progress.Add(a.search.Population * a.search.Walls * a.seats) }
	values, err := RunSearch(ctx, &s, path)
	if err != nil {
		return "", err
	}
	return s.Plan.Text(values), nil
}

// RunSearch runs a search whose trials are stored in a file, from which an interrupted search
// continues.
func RunSearch(ctx context.Context, s *cmaes.Search, path string) ([]int32, error) {
	file, err := tempdir.ContinueFile(path, 0o666)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// A search that was killed may have left half a line. It is cut off, or what is appended would
	// be joined to it.
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
func (a *adapter) play(ctx context.Context, i int, what, spec string) (*dataset.Dataset, error) {
	newTuned, err := a.plan.NewAgent(spec)
	if err != nil {
		return nil, err
	}
	l := *a.lineup
	l.NewAgent = func(number int) sim.Agent {
		if number == 0 {
			return newTuned()
		}
		return a.lineup.NewAgent(number)
	}
	c := l.under(a.plan.Rulesets[i], a.pathPrefix(i)+"_"+what)
	// On the walls of the search the tuned agent would look better than it is.
	c.Run.Seed++
	c.Run.Agents = slices.Repeat([]string{a.search.Agent}, a.seats)
	c.Run.Agents[0] = spec
	if err := c.Create(a.plan.Force); err != nil {
		return nil, err
	}
	if err := c.Play(ctx, a.plan.Workers, a.plan.Progress); err != nil {
		return nil, err
	}
	return dataset.Open(c.Dir)
}
